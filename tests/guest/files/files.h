/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzzer of files consists of; files.c says what it is. */
#ifndef _FILES_H
#define _FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUGFS	"/sys/kernel/debug/scounter"
#define SYSFS	"/sys/kernel/scounter"
#define DEVICE	"/dev/scounter"

/* How a file says how long it is, if it does. */
enum form { TEXT, COUNTERS, ARRAY, TOPK };

struct path {
	char name[200];
	enum form form;
	bool is_snapshot;	/* what is read once is there until it is closed */
	bool is_reset;
	struct kept *kept;	/* the counter whose file it is, if its value is known */
};

/* A counter that nobody counts in: its value is known. */
struct kept {
	char value_file[200];
	uint64_t value;
};

extern struct path *paths;
extern int path_count;

/* All files that are there now, and those that come and go. */
void paths_find(void);
/* Of a header, the size of the file; -1 if it is not the header of one. */
long long path_size(const struct path *path, const uint8_t *header, size_t size);
uint64_t kept_read(const struct kept *kept);
/* Every counter that is kept says what it must. */
void kept_check(void);

/* So many operations, as root or not. */
void operate(long count, bool is_root);

extern long operation_number;

/* Something that must not be: says the seed and the operation, and ends. */
__attribute__((format(printf, 1, 2), noreturn)) void found(const char *format, ...);

/* A number of this process's stream: 0 to @below - 1 */
uint64_t draw(uint64_t below);

#endif /* _FILES_H */
