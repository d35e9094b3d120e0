/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/types.h>

#define DECLARE_PER_CPU(type, name)	extern SHIM_PERCPU type name
#define DEFINE_PER_CPU(type, name)	SHIM_PERCPU type name

#define per_cpu_ptr(address, cpu) \
	((typeof(address))((unsigned long)(address) + shim_offset_of(cpu)))
#define raw_cpu_ptr(address) \
	((typeof(address))((unsigned long)(address) + shim_this.offset))
#define this_cpu_ptr(address)		raw_cpu_ptr(address)

/*
 * A thread has no interrupts, so that these need not be one instruction.  What a
 * CPU has alone is always in its cache.
 */
#define raw_cpu_read(x) ({ shim_private(raw_cpu_ptr(&(x))); *raw_cpu_ptr(&(x)); })
#define raw_cpu_write(x, value) \
	({ shim_private(raw_cpu_ptr(&(x))); *raw_cpu_ptr(&(x)) = (value); })
#define raw_cpu_add_return(x, n) \
	({ shim_private(raw_cpu_ptr(&(x))); *raw_cpu_ptr(&(x)) += (n); })
#define this_cpu_read(x)		raw_cpu_read(x)
#define this_cpu_write(x, value)	raw_cpu_write(x, value)

/* As on machines on which they are a load and a store, which an NMI can come between. */
#ifdef SHIM_SPLIT_THIS_CPU
#define this_cpu_add_return(x, n) ({					\
	typeof(&(x)) _address = raw_cpu_ptr(&(x));			\
	typeof(x) _sum;							\
	shim_private(_address);						\
	_sum = *_address + (n);						\
	shim_private(_address);						\
	*_address = _sum;						\
})
#else
#define this_cpu_add_return(x, n)	raw_cpu_add_return(x, n)
#endif
#define this_cpu_add(x, n)		((void)this_cpu_add_return(x, n))
#define this_cpu_inc(x)			((void)this_cpu_add_return(x, 1))

#define alloc_percpu_gfp(type, gfp) \
	((type *)shim_percpu_alloc(sizeof(type), __alignof__(type)))
#define alloc_percpu(type)		alloc_percpu_gfp(type, 0)
#define free_percpu(address)		shim_percpu_free(address, sizeof(*(address)))

#endif /* _SHIM_LINUX_PERCPU_H */
