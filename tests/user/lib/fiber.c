// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fiber.h"

#if defined(__x86_64__) && !defined(FIBER_UCONTEXT)

/*
 * To the caller a switch is a function call: only what a function must keep is
 * saved, on the stack that is left.
 */
__asm__(".text\n"
	".type fiber_swap, @function\n"
	"fiber_swap:\n\t"
	"push %rbp\n\t"
	"push %rbx\n\t"
	"push %r12\n\t"
	"push %r13\n\t"
	"push %r14\n\t"
	"push %r15\n\t"
	"mov %rsp, (%rdi)\n\t"
	"mov %rsi, %rsp\n\t"
	"pop %r15\n\t"
	"pop %r14\n\t"
	"pop %r13\n\t"
	"pop %r12\n\t"
	"pop %rbx\n\t"
	"pop %rbp\n\t"
	"ret\n"
	".size fiber_swap, . - fiber_swap\n");

void fiber_swap(void **from, void *to);

void fiber_init(struct fiber *fiber, void *stack, size_t bytes, void (*entry)(void))
{
	uintptr_t *top = (uintptr_t *)((uintptr_t)((char *)stack + bytes) & ~15UL);

	/* entry() finds the stack as after a call: 8 below a multiple of 16. */
	*--top = 0;
	*--top = (uintptr_t)entry;
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	fiber->stack_pointer = top;
}

void fiber_exit(struct fiber *fiber)
{
	(void)fiber;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	fiber_swap(&from->stack_pointer, to->stack_pointer);
}

#else

#include <ucontext.h>

void fiber_init(struct fiber *fiber, void *stack, size_t bytes, void (*entry)(void))
{
	ucontext_t *context = calloc(1, sizeof(*context));

	if (!context || getcontext(context))
		abort();
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = bytes;
	makecontext(context, entry, 0);
	fiber->stack_pointer = context;
}

void fiber_exit(struct fiber *fiber)
{
	free(fiber->stack_pointer);
	fiber->stack_pointer = NULL;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	if (!from->stack_pointer)
		from->stack_pointer = calloc(1, sizeof(ucontext_t));
	if (!from->stack_pointer || swapcontext(from->stack_pointer, to->stack_pointer))
		abort();
}

#endif
