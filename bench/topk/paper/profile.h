/* SPDX-License-Identifier: GPL-2.0 */
/* What each thread spends its time on: figures 1, 2, 9 (a) and 10 (a). */
#ifndef _PAPER_PROFILE_H
#define _PAPER_PROFILE_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/types.h>

enum section {
	SECTION_REST,		/* of the loop */
	SECTION_HASH,		/* the search structure */
	SECTION_SUMMARY,	/* the Stream Summary */
	SECTION_QUEUE,		/* requests left to an owner, and taken by one */
	SECTION_ELEMENT,	/* waiting for the lock of an element */
	SECTION_BUCKET,		/* waiting for the lock of a bucket */
	SECTION_COUNT,		/* a structure of the thread's own */
	SECTION_MERGE,
	SECTION_WAIT,		/* for other threads, before and after a merge */
	SECTION_SLEEP,		/* throttled */
	SECTIONS,
};

struct profile {
	u64 since;
	u64 spent[SECTIONS];
	enum section section;
} ____cacheline_aligned_in_smp;

#define PROFILES_MAX	8192

/* By CPU. */
extern struct profile profiles[PROFILES_MAX];
extern bool profile_on;

static inline u64 profile_clock(void)
{
#if defined(__x86_64__) && !defined(SHIM_MODEL)
	return __builtin_ia32_rdtsc();
#else
	return shim_time();
#endif
}

/* From here on it is this.  Returns what it was. */
static inline enum section profile_enter(enum section section)
{
	struct profile *profile;
	enum section old;
	u64 now;

	if (likely(!profile_on))
		return section;
	profile = &profiles[raw_smp_processor_id()];
	now = profile_clock();
	old = profile->section;
	profile->spent[old] += now - profile->since;
	profile->since = now;
	profile->section = section;
	return old;
}

/* A thread begins: nothing was spent. */
void profile_begin(void);

#endif /* _PAPER_PROFILE_H */
