// SPDX-License-Identifier: GPL-2.0
/* record: snapshots kept. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"
#include "recorded.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void sleep_until(struct timespec *next, double interval)
{
	next->tv_sec += (time_t)interval;
	next->tv_nsec += (long)((interval - (time_t)interval) * 1e9);
	if (next->tv_nsec >= 1000000000) {
		next->tv_sec++;
		next->tv_nsec -= 1000000000;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

/* The file that a recording is appended to. */
struct recording {
	const char *path;
	FILE *file;
	bool made;		/* there was none */
	off_t whole;		/* where its last snapshot ends */
};

/* Nothing could be read behind what is no snapshot, or half of one. */
static void check_whole(const char *path)
{
	struct stat there;
	header_t header;
	off_t at = 0;
	FILE *file;

	/* To open a pipe would be to wait for who writes to it. */
	if (stat(path, &there) || !S_ISREG(there.st_mode))
		return;
	file = fopen(path, "re");
	if (!file)
		fail(FAILED, "%s: %s", path, strerror(errno));
	while (at < there.st_size) {
		uint64_t left = there.st_size - at;
		size_t got;

		memset(&header, 0, sizeof(header));
		got = fseeko(file, at, SEEK_SET) ? 0 : fread(&header, 1, sizeof(header), file);
		if (!got)
			fail(FAILED, "%s: %s", path, strerror(errno));
		if (memcmp(header.magic, SCOUNTER_SNAPSHOT_MAGIC, got < 8 ? got : 8))
			fail(FAILED, "%s: not a recording of scounter; nothing is appended", path);
		left -= header.header_size <= left ? header.header_size : left;
		if (header.header_size < offsetof(header_t, boot_id) ||
		    header.header_size > there.st_size - at ||
		    (header.count && header.record_size > left / header.count))
			fail(FAILED, "%s: truncated, and nothing could be read behind that; "
				     "scounter --from %s record --output OTHER keeps what is whole",
			     path, path);
		at += header.header_size + header.count * header.record_size;
	}
	fclose(file);
}

/* It would never end. */
static void check_other(const char *path, const struct source *source)
{
	struct stat of, to;

	if (!source->is_device && !stat(path, &to) && !fstat(fileno(source->file), &of) &&
	    S_ISREG(to.st_mode) && of.st_dev == to.st_dev && of.st_ino == to.st_ino)
		fail(FAILED, "%s: a recording is not appended to itself", path);
}

static void recording_open(struct recording *to, const char *path)
{
	struct stat stat;

	*to = (struct recording) { .path = path, .made = access(path, F_OK) };
	to->file = fopen(path, "ae");
	if (!to->file || fstat(fileno(to->file), &stat))
		fail(FAILED, "%s: %s", path, strerror(errno));
	to->whole = S_ISREG(stat.st_mode) ? stat.st_size : -1;
}

/* Nothing could be read behind half a snapshot, and an empty file is no recording. */
static void __attribute__((noreturn)) recording_fail(struct recording *to, int error)
{
	fclose(to->file);	/* or exit() would write what is left */
	if (to->whole > 0 && truncate(to->path, to->whole) == 0)
		fail(FAILED, "%s: %s; it has the snapshots of before", to->path, strerror(error));
	if (to->whole == 0 && (to->made ? unlink(to->path) : truncate(to->path, 0)) == 0)
		fail(FAILED, "%s: %s; nothing was recorded", to->path, strerror(error));
	fail(FAILED, "%s: %s", to->path, strerror(error));
}

static void recording_append(struct recording *to, const struct snapshot *snapshot, bool tables)
{
	int error;

	errno = 0;
	snapshot_write(snapshot, to->file);
	if (tables)
		recorded_write_all(&snapshot->header, to->file);
	error = write_error(to->file);
	if (error)
		recording_fail(to, error);
	if (to->whole >= 0)
		to->whole = ftello(to->file);
}

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'n' },
		{ "tables", no_argument, NULL, 't' },
		{}
	};
	struct sigaction action = { .sa_handler = on_signal };
	unsigned long count = 0, taken = 0;
	const char *output = NULL;
	struct snapshot snapshot;
	struct source source;
	bool complete = true, tables = false;
	double interval = 1;
	struct timespec next;
	struct recording to;
	int option;

	while ((option = getopt_long(argc, argv, "o:i:n:", options, NULL)) != -1) {
		switch (option) {
		case 'o': output = optarg; break;
		case 'i': interval = seconds_of("--interval", optarg); break;
		case 'n': count = number_of("--count", optarg); break;
		case 't': tables = true; break;
		default: return USAGE;
		}
	}
	if (!output)
		usage_error("record wants --output FILE");
	if (tables && from)
		usage_error("--tables is of the module, and not of --from");
	/* Before the file is touched: there may be nothing to record. */
	source_open(&source, from, argv + optind);
	if (!source_next(&source, &snapshot))
		fail(FAILED, "%s: empty", source.path);
	if (tables)
		recorded_check();
	check_other(output, &source);
	check_whole(output);
	recording_open(&to, output);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &next);
	do {
		if (!snapshot_select(&snapshot, argv + optind, taken == 0) && !taken)
			complete = false;
		recording_append(&to, &snapshot, tables);
		snapshot_free(&snapshot);
		taken++;
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%lu snapshots", taken);
		if (taken == count)
			break;
		if (source.is_device)
			sleep_until(&next, interval);
	} while (!stop && source_next(&source, &snapshot));
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (fclose(to.file))
		fail(FAILED, "%s: %s", output, strerror(errno));
	source_close(&source);
	return complete ? OK : FAILED;
}
