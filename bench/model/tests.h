/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SIM_TESTS_H
#define _SIM_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/* All tests, as TAP; the program's exit status. */
int tests_run(void);

/* Two nodes of four CPUs, without store buffers; and with some. */
extern const struct machine two_nodes;
struct machine with_store_buffer(uint64_t stores);

bool begin(const struct machine *machine);

/* Let threads do that.  Returns how long it took, and leaves in `done` when each was done. */
uint64_t play(int threads, void (*what)(int thread));
extern uint64_t done[16];

/* False, and says so, if it is not the expected time. */
bool is(const char *what, uint64_t seen, uint64_t expected);

/* Lines, and an access to one of them. */
extern char memory[64][64];
void load(int line);
void store(int line);
void rmw(int line);

/* For play(): every thread, or number 1.  0, 2 and 4 are on node 0; 1, 3 and 5 on node 1. */
void one_rmw(int thread);
void rmw_by_1(int thread);

/* tests_lines.c */
bool test_alone(void);
bool test_exclusive(void);
bool test_transfers(void);
bool test_queue(void);
bool test_batch(void);
bool test_hold(void);
bool test_retry(void);
bool test_migratory(void);
bool test_reads_in_vain(void);
bool test_shared_cache(void);
bool test_capacity(void);
bool test_free_outside(void);
bool test_pipelines(void);

/* tests_stores.c */
bool test_no_store_buffer(void);
bool test_store_buffer(void);
bool test_forwarding(void);
bool test_full_buffer(void);
bool test_atomic_drains(void);
bool test_buffered_in_node(void);
bool test_visible(void);
bool test_order(void);
bool test_fence(void);

/* tests_counters.c */
bool test_exact(void);
bool test_packed(void);
bool test_history(void);
bool test_nodes_with_gaps(void);
bool test_waits(void);
bool test_calibrated(void);
bool test_resets(void);
bool test_whole_count(void);
bool test_integrated(void);
bool test_racing(void);
bool test_unbiased(void);
bool test_deterministic(void);

/* tests_random.c */
bool test_reseed(void);
bool test_streams(void);
bool test_slots(void);

/* tests_files.c */
bool test_files(void);

#endif /* _SIM_TESTS_H */
