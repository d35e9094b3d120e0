/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The kinds of counters, a row each.  Whatever lists kinds is made from this
 * table: the enum of <uapi/linux/scounter.h>, the masks of
 * <linux/scounter_class.h>, the table of kmod/kinds/kinds.c, the module's
 * description, the tests, the benchmarks and the tables of the documentation.
 *
 * A new kind is a row here, a file in kmod/kinds with its functions, which it
 * calls scounter_<name>_ops, and its sentence in Documentation/choosing.rst:
 * CONTRIBUTING.md has the steps.
 *
 * The columns of a row:
 *
 *	symbol	 SCOUNTER_<symbol> is the kind in C
 *	number	 its value, which never changes
 *	name	 what users type and read
 *	word	 the word in which it counts: WORD32, WORD64, or NO_WORD for a
 *		 kind that has the memory of a whole struct scounter
 *	use	 BARE: a word of this kind can be embedded without a name;
 *		 NAMED: it cannot
 *	family	 EXACT; BFP, MORRIS or SCALABLE, which are approximate and share
 *		 their accuracy; LOSSY, which loses counts
 *	options	 of SCOUNTER_OPTION_...: what struct scounter_params may ask for
 *	paper	 where it comes from
 */
#ifndef _UAPI_LINUX_SCOUNTER_KINDS_H
#define _UAPI_LINUX_SCOUNTER_KINDS_H

#define SCOUNTER_OPTION_NONE		0U
#define SCOUNTER_OPTION_WRAP		(1U << 0) /* begins again at 0 */
#define SCOUNTER_OPTION_COMPONENTS	(1U << 1) /* of a node */
#define SCOUNTER_OPTION_AYERS		(1U << 2) /* sensitive; granularity */

#define __SCOUNTER_DLM(section)		"Dice, Lev & Moir 2013, " section
#define __SCOUNTER_WRAPS		SCOUNTER_OPTION_WRAP

#define SCOUNTER_KIND_TABLE(ROW)						\
	ROW(ATOMIC, 1, atomic, NO_WORD, NAMED, EXACT,				\
	    SCOUNTER_OPTION_NONE, "Ayers 2023, \"interlocked\"")		\
	ROW(PERCPU, 2, percpu, NO_WORD, NAMED, EXACT,				\
	    SCOUNTER_OPTION_NONE, "the kernel's own, for comparison")		\
	ROW(MULTILINE, 3, multiline, NO_WORD, NAMED, EXACT,			\
	    SCOUNTER_OPTION_COMPONENTS, __SCOUNTER_DLM("2.2"))			\
	ROW(BFP_DUP, 4, bfp_dup, WORD32, BARE, BFP,				\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("4.2"))				\
	ROW(BFP_CSUP, 5, bfp_csup, WORD32, BARE, BFP,				\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("4.3"))				\
	ROW(RACING, 6, racing, WORD64, BARE, LOSSY,				\
	    SCOUNTER_OPTION_NONE, __SCOUNTER_DLM("5.1; Ayers 2023"))		\
	ROW(CAS, 7, cas, WORD64, BARE, EXACT,					\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("5"))				\
	ROW(RBO, 8, rbo, WORD64, BARE, EXACT,					\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("2.1"))				\
	ROW(RBO_NUMA, 9, rbo_numa, WORD64, BARE, EXACT,				\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("2.1"))				\
	ROW(RBO_NUMA_ADAPT, 10, rbo_numa_adapt, WORD64, BARE, EXACT,		\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("2.1"))				\
	ROW(COHORT, 11, cohort, WORD64, NAMED, EXACT,				\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("2.1"))				\
	ROW(MULTILINE_ADAPT, 12, multiline_adapt, WORD64, BARE, EXACT,		\
	    __SCOUNTER_WRAPS | SCOUNTER_OPTION_COMPONENTS,			\
	    __SCOUNTER_DLM("2.2"))						\
	ROW(MORRIS, 13, morris, WORD64, BARE, MORRIS,				\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("3.2"))				\
	ROW(MORRIS_ADAPT, 14, morris_adapt, WORD64, BARE, MORRIS,		\
	    __SCOUNTER_WRAPS, __SCOUNTER_DLM("3.2"))				\
	ROW(SCALABLE, 15, scalable, WORD64, BARE, SCALABLE,			\
	    __SCOUNTER_WRAPS | SCOUNTER_OPTION_AYERS, "Ayers 2023")		\
	ROW(SCALABLE32, 16, scalable32, WORD32, BARE, SCALABLE,			\
	    __SCOUNTER_WRAPS | SCOUNTER_OPTION_AYERS, "Ayers 2023")

/*
 * Choices rather than kinds: a counter that is created with one of them gets
 * the kind that serves that wish best, and is named after both: "approx:bfp_csup".
 */
#define SCOUNTER_CHOICE_TABLE(ROW)						\
	ROW(EXACT, 256, exact)		/* the best exact kind for hot counters */ \
	ROW(APPROX, 257, approx)	/* the best approximate kind */

#endif /* _UAPI_LINUX_SCOUNTER_KINDS_H */
