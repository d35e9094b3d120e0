/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's counters in user space: what the headers in linux/ stand on.
 *
 * Who runs on which CPU is the harness's to say: shim_be() makes the thread, or,
 * in a model, the fiber, that CPU.  A CPU must be only one thread at a time.
 *
 * Every atomic operation, READ_ONCE() and WRITE_ONCE() first calls shim_access(),
 * and does then what it says with the compiler's atomics.  In a native program
 * that call is nothing.  A program compiled with SHIM_MODEL defines it, and gives
 * the operations their order and their cost by when it returns.  So also
 * shim_fence() (a full barrier), shim_private() (an access to what the CPU has
 * alone), shim_relax() (a pause), shim_draw() (a draw from a random generator),
 * shim_failed() (a compare-and-swap that has), and shim_time() (nanoseconds).
 *
 * A native program can be compiled with
 *
 *	SHIM_YIELD		whoever waits leaves the CPU now and then: there are more
 *				threads than CPUs
 *	SHIM_LOCKS_SLEEP	locks sleep where the program says so: see linux/spinlock.h
 *	SHIM_ALONE		nobody comes to end a wait, which is a fault
 */
#ifndef _SHIM_H
#define _SHIM_H

#include <errno.h>
#ifdef SHIM_YIELD
#include <sched.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum shim_kind_of_access { SHIM_LOAD, SHIM_STORE, SHIM_RMW, SHIM_CAS };
enum shim_context { SHIM_TASK, SHIM_SOFTIRQ, SHIM_HARDIRQ, SHIM_NMI };

struct shim_cpu {
	unsigned long offset;	/* from a per-CPU variable to this CPU's own */
	int cpu;
	int node;
	enum shim_context context;
	unsigned long rescheds;	/* how often it let other tasks run */
};

#ifdef SHIM_MODEL
extern struct shim_cpu shim_this;

void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access access);
void shim_fence(void);
void shim_private(const volatile void *address);
void shim_relax(void);
void shim_draw(void);
void shim_failed(void);
uint64_t shim_time(void);
bool shim_no_fetch_op(void);
#else
extern __thread struct shim_cpu shim_this;

#define shim_access(address, bytes, access)	((void)0)
#define shim_fence()			((void)0)
#define shim_private(address)		((void)0)
#define shim_draw()			((void)0)
#define shim_failed()			((void)0)
#define shim_no_fetch_op()		false

static inline uint64_t shim_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static inline void shim_relax(void)
{
#ifdef SHIM_YIELD
	static __thread unsigned int spins;

	if (++spins % 64 == 0) {
		sched_yield();
		return;
	}
#endif
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" : : : "memory");
#else
	__asm__ volatile("" : : : "memory");
#endif
}
#endif

/* Spin after a failed attempt, and how long to spin after the next one. */
static inline unsigned int shim_spin(unsigned int spin)
{
	unsigned int i;

	for (i = 0; i < spin; i++)
		shim_relax();
	return spin < 128 ? 2 * spin : spin;
}

/* Numbers of CPUs and nodes: node n has the CPUs from n * cpus / nodes on. */
extern int shim_cpus, shim_nodes;
/* The ids of nodes are this far apart: 1, but for tests of gaps. */
extern int shim_node_stride;
#define SHIM_NODE_IDS	1024
/* By id: blocks of memory that were asked for there. */
extern unsigned int shim_asked[SHIM_NODE_IDS];
extern unsigned long shim_jiffies;
/* The largest size_t, for a test that makes it that of another machine. */
extern size_t shim_size_max;

/* Before anything else; false if there is no memory, or a number is not right. */
bool shim_init(int cpus, int nodes);
void shim_exit(void);
void shim_be(int cpu);

int shim_node_of(int cpu);

static inline int shim_node_id(int node)
{
	return (node + 1) * shim_node_stride - 1;
}

unsigned long shim_offset_of(int cpu);

#define SHIM_PERCPU	__attribute__((section("shim_percpu")))

void *shim_percpu_alloc(size_t size, size_t align);
void shim_percpu_free(void *address, size_t size);
void shim_entropy(void *buffer, size_t size);

/*
 * kernel.c, or what a program has in its place (shim_replaced in shim.mk).
 */
struct rcu_head;
struct work_struct;

/* Zeroed, at the start of a cache line. */
void *shim_zalloc(size_t size);
/* In kernel.c alone: all bytes that were ever asked for. */
extern size_t shim_zalloced;
void shim_free(void *memory);

/* What the kernel does later: when the harness says so. */
void shim_call_rcu(struct rcu_head *head, void (*function)(struct rcu_head *));
void shim_call_rcu_tasks(struct rcu_head *head, void (*function)(struct rcu_head *));
void shim_synchronize_rcu(void);
void shim_grace_period(void);
bool shim_queue_work(struct work_struct *work);
bool shim_queue_delayed_work(struct work_struct *work, unsigned long delay);
void shim_cancel_work(struct work_struct *work);
/* Those that are queued now; what they queue themselves waits for the next call. */
void shim_run_works(void);

/* Where RCU may not end a grace period: only a model wants to know. */
#ifdef SHIM_RCU
void shim_read_lock(void);
void shim_read_unlock(void);
#else
#define shim_read_lock()	((void)0)
#define shim_read_unlock()	((void)0)
#endif

/* A parameter of the module. */
struct shim_param {
	const char *name;
	void *value;
	size_t size;
};

/* Set a parameter of four bytes; false if there is none of this name. */
bool shim_param(const char *name, unsigned int value);

#endif /* _SHIM_H */
