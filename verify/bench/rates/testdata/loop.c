/* What control firmware does most of the time: it looks for entries in lists
 * and brings them up to date. It never ends. Build:
 *   riscv64-unknown-elf-gcc -march=rv32im -misa-spec=2.2 -mabi=ilp32 -Os
 *     -fno-jump-tables -ffreestanding -nostdlib -Wl,-Ttext=0 -Wl,--no-relax
 *     -Wl,-m,elf32lriscv -o loop.elf loop.c
 *   riscv64-unknown-elf-objcopy -O binary -j .text loop.elf loop.bin */
#include <stdint.h>

struct entry {
  uint32_t state, key, bytes;
  struct entry *next;
};

static struct entry *const pool = (struct entry *)0x4000;

__asm__(".section .text.startup, \"ax\"\n"
        ".globl _start\n"
        "_start: lui sp, 0x10\n"
        "  j run\n"
        ".text\n");

static __attribute__((noinline)) struct entry *find(struct entry *e, uint32_t key) {
  while (e && e->key != key) e = e->next;
  return e;
}

__attribute__((noinline, noreturn)) void run(void) {
  for (uint32_t i = 0; i < 16; i++) {
    pool[i].key = i;
    pool[i].bytes = 64 * i;
    pool[i].state = 0;
    pool[i].next = i < 15 ? &pool[i + 1] : 0;
  }
  for (uint32_t n = 0;; n++) {
    struct entry *e = find(pool, n & 15);
    switch (e->state & 3) {
    case 0: e->bytes += n & 63; break;
    case 1: e->bytes = e->bytes * 3 / 4; break;
    case 2:
      if (e->bytes > 4096) e->bytes = 0;
      break;
    }
    e->state++;
  }
}
