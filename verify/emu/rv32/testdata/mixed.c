/* Sorts, checksums and divides pseudo-random numbers; the same is computed in
 * Go and compared. At the end a0 points to the results. */
#include <stdint.h>

__asm__(".section .start, \"ax\"\n"
        ".globl _start\n"
        "_start: lui sp, 0x10\n"
        "  call compute\n"
        "  ebreak\n"
        ".text\n");

enum { COUNT = 400 };

static uint32_t seed;
static int32_t values[COUNT];
static uint32_t table[256];
static uint32_t results[64];
static unsigned used;

static uint32_t next(void) {
  seed = seed * 1664525u + 1013904223u;
  return seed;
}

static void put(uint32_t v) { results[used++] = v; }

static void put64(uint64_t v) {
  put((uint32_t)v);
  put((uint32_t)(v >> 32));
}

static void sort(int32_t *v, int n) {
  while (n > 1) {
    int32_t pivot = v[n / 2];
    int i = 0, j = n - 1;
    while (i <= j) {
      while (v[i] < pivot) i++;
      while (v[j] > pivot) j--;
      if (i <= j) {
        int32_t t = v[i];
        v[i++] = v[j];
        v[j--] = t;
      }
    }
    sort(v, j + 1);
    v += i;
    n -= i;
  }
}

static uint32_t crc(const uint8_t *p, unsigned n) {
  for (unsigned i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  uint32_t c = ~0u;
  while (n--) c = table[(c ^ *p++) & 0xff] ^ c >> 8;
  return ~c;
}

static uint16_t fletcher(const uint16_t *p, unsigned n) {
  uint32_t a = 0, b = 0;
  while (n--) {
    a = (a + *p++) % 255;
    b = (b + a) % 255;
  }
  return (uint16_t)(b << 8 | a);
}

static int32_t by_kind(unsigned kind, int32_t a, int32_t b) {
  switch (kind) {
  case 0: return a + b;
  case 1: return a - b;
  case 2: return a * b;
  case 3: return b ? a / b : 1;
  case 4: return b ? a % b : 2;
  case 5: return a >> (b & 31);
  case 6: return (int8_t)a ^ (int16_t)b;
  default: return a < b;
  }
}

uint32_t *compute(void) {
  seed = 12345; /* so that it can run again */
  used = 0;
  for (int i = 0; i < COUNT; i++) values[i] = (int32_t)next();
  sort(values, COUNT);
  for (int i = 0; i < COUNT; i += 100) put((uint32_t)values[i]);
  put(crc((const uint8_t *)values, sizeof values));
  put(fletcher((const uint16_t *)values, sizeof values / 2));

  for (int i = 0; i < 4; i++) { /* 64-bit arithmetic of the compiler's library */
    uint64_t a = (uint64_t)next() << 32 | next();
    uint64_t b = (uint64_t)(next() >> (8 * i)) << 16 | 1;
    put64(a / b);
    put64(a % b);
    put64((uint64_t)((int64_t)a / -(int64_t)b));
    put64(a * b);
    put64((uint64_t)((int64_t)a >> (b >> 20 & 63)));
  }

  double sum = 0; /* floating point in software */
  for (int i = 1; i <= 50; i++) sum += 1.0 / i;
  union { double d; uint64_t u; } bits = {sum};
  put64(bits.u);

  int32_t mixed = 0;
  for (unsigned i = 0; i < 1000; i++) {
    int32_t r = (int32_t)next();
    mixed = mixed * 31 + by_kind(i % 8, r, mixed >> (i % 5 * 6));
  }
  put((uint32_t)mixed);
  put(used);
  return results;
}
