# Start-up code and the switch between calls. The processor begins at address
# 0, where the linker script puts this section.

	.section .start, "ax"
	.globl _start
	.type _start, @function
_start:
	j	begin
# First 32 bits of the SHA-256 of the image with zeros here: package gen/firmware fills it in.
	.globl firmware_hash
firmware_hash:
	.word	0
begin:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	la	sp, scheduler_stack_top
	la	t0, bss_start
	la	t1, bss_end
clear:
	bgeu	t0, t1, run
	sw	zero, 0(t0)
	addi	t0, t0, 4
	j	clear
run:
	call	cclo_main

# void task_leave(void)
# Leaves the present stack for the scheduler, which has none to return to.
	.text
	.globl task_leave
	.type task_leave, @function
task_leave:
	la	sp, scheduler_stack_top
	call	scheduler
	ebreak

# void task_begin(void *what, uint32_t *top, void (*run)(void *what))
# Begins a call, or what is left of it, on its stack, which ends at the address.
	.globl task_begin
	.type task_begin, @function
task_begin:
	mv	sp, a1
	jalr	a2
	ebreak

# void task_switch(uint32_t **sp)
# Saves what a function must keep on the present stack, and leaves it for the
# scheduler.
	.globl task_switch
	.type task_switch, @function
task_switch:
	addi	sp, sp, -64
	sw	ra, 0(sp)
	sw	s0, 4(sp)
	sw	s1, 8(sp)
	sw	s2, 12(sp)
	sw	s3, 16(sp)
	sw	s4, 20(sp)
	sw	s5, 24(sp)
	sw	s6, 28(sp)
	sw	s7, 32(sp)
	sw	s8, 36(sp)
	sw	s9, 40(sp)
	sw	s10, 44(sp)
	sw	s11, 48(sp)
	sw	sp, 0(a0)
	j	task_leave

# void task_resume(uint32_t *sp)
# Goes on where task_switch has left a stack.
	.globl task_resume
	.type task_resume, @function
task_resume:
	mv	sp, a0
	lw	ra, 0(sp)
	lw	s0, 4(sp)
	lw	s1, 8(sp)
	lw	s2, 12(sp)
	lw	s3, 16(sp)
	lw	s4, 20(sp)
	lw	s5, 24(sp)
	lw	s6, 28(sp)
	lw	s7, 32(sp)
	lw	s8, 36(sp)
	lw	s9, 40(sp)
	lw	s10, 44(sp)
	lw	s11, 48(sp)
	addi	sp, sp, 64
	ret
