/* SPDX-License-Identifier: GPL-2.0 */
/* What cas and rbo share with other kinds of one word of 64 bits. */
#ifndef _SCOUNTER_CAS_H
#define _SCOUNTER_CAS_H

#include "kinds/kind.h"

/*
 * Add n, with the backoff that so many failures before ask for.  Returns the value before,
 * for the tracepoint: none is passed here, as the caller may hold a lock.
 */
u64 scounter_rbo_apply(const struct scounter_ref *ref, u64 n, u32 failures);

u64 scounter_cas_read(const struct scounter_ref *ref);
void scounter_cas_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate);
u64 scounter_cas_fetch_reset(const struct scounter_ref *ref);

#endif /* _SCOUNTER_CAS_H */
