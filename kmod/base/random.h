/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_RANDOM_H
#define _SCOUNTER_RANDOM_H

#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/scounter.h>

void scounter_random_init(u64 seed);
void scounter_random_redraw(void *unused);
void scounter_random_reseed(u64 seed);
int scounter_random_hear_of_forks(bool fixed);
void scounter_random_forget_forks(void);

struct rnd_state *scounter_random_get(void);
void scounter_random_put(void);

bool scounter_trial_decide(struct rnd_state *rnd, u32 outcome);
bool scounter_trial(u32 exponent);

#endif /* _SCOUNTER_RANDOM_H */
