/* What the compiler calls for structs; there is no libc. All structs here are
 * made of words. */

#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	uint32_t *t = to;
	const uint32_t *f = from;
	size_t i;

	if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
		for (; bytes >= 16; bytes -= 16, t += 4, f += 4) {
			t[0] = f[0];
			t[1] = f[1];
			t[2] = f[2];
			t[3] = f[3];
		}
		for (; bytes >= 4; bytes -= 4)
			*t++ = *f++;
	}
	for (i = 0; i < bytes; i++)
		((uint8_t *)t)[i] = ((const uint8_t *)f)[i];
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	uint32_t *t = to;
	size_t i;

	if (((uintptr_t)to & 3) == 0) {
		uint32_t word = (uint8_t)value * 0x01010101u;

		for (; bytes >= 16; bytes -= 16, t += 4)
			t[0] = t[1] = t[2] = t[3] = word;
		for (; bytes >= 4; bytes -= 4)
			*t++ = word;
	}
	for (i = 0; i < bytes; i++)
		((uint8_t *)t)[i] = (uint8_t)value;
	return to;
}
