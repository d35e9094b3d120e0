// SPDX-License-Identifier: GPL-2.0
/* record, report and diff: snapshots kept, and what lies between them. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"

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

static void recording_append(struct recording *to, const struct snapshot *snapshot)
{
	int error;

	errno = 0;
	snapshot_write(snapshot, to->file);
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
		{}
	};
	struct sigaction action = { .sa_handler = on_signal };
	unsigned long count = 0, taken = 0;
	const char *output = NULL;
	struct snapshot snapshot;
	struct source source;
	bool complete = true;
	double interval = 1;
	struct timespec next;
	struct recording to;
	int option;

	while ((option = getopt_long(argc, argv, "o:i:n:", options, NULL)) != -1) {
		switch (option) {
		case 'o': output = optarg; break;
		case 'i': interval = seconds_of("--interval", optarg); break;
		case 'n': count = number_of("--count", optarg); break;
		default: return USAGE;
		}
	}
	if (!output)
		usage_error("record wants --output FILE");
	/* Before the file is touched: there may be nothing to record. */
	source_open(&source, from, argv + optind);
	if (!source_next(&source, &snapshot))
		fail(FAILED, "%s: empty", source.path);
	recording_open(&to, output);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &next);
	do {
		if (!snapshot_select(&snapshot, argv + optind, taken == 0) && !taken)
			complete = false;
		recording_append(&to, &snapshot);
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

static void print_change(const struct snapshot *before, const struct snapshot *after,
			 const record_t *record)
{
	struct change change = change_between(before, after, record);
	const char *unsure = unsure_of(record);
	const char *note = !change.before ? "new" : change.restarted ? "restarted" : "";
	char name[NAME_ROOM], rate[32];

	full_name(record, name);
	format_rate(&change, rate, sizeof(rate));
	printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.0f\t%s\t%s%s%s\t%s\n", name,
	       change.before ? (uint64_t)change.before->value : 0, (uint64_t)record->value,
	       change.events, change.deviation, rate, note, *note && unsure ? ", " : "",
	       unsure ? unsure : "", unit_of(after, record));
}

static void print_changes(const struct snapshot *before, const struct snapshot *after)
{
	char name[NAME_ROOM];
	uint64_t i;

	printf("# %.3f s\n", seconds_between(before, after));
	puts("# name\tbefore\tafter\tevents\tdeviation\trate\tnote\tunit");
	for (i = 0; i < after->header.count; i++)
		print_change(before, after, &after->records[i]);
	for (i = 0; i < before->header.count; i++) {
		if (snapshot_find(after, &before->records[i]))
			continue;
		full_name(&before->records[i], name);
		printf("%s\t%" PRIu64 "\t\t\t\t\tgone\t%s\n", name,
		       (uint64_t)before->records[i].value, unit_of(before, &before->records[i]));
	}
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = { {} };
	struct snapshot before, after;
	bool complete;

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	if (argc - optind < 2)
		usage_error("diff wants two snapshots");
	snapshot_read(argv[optind], NULL, &before);
	snapshot_read(argv[optind + 1], NULL, &after);
	snapshot_select(&before, argv + optind + 2, false);
	complete = snapshot_select(&after, argv + optind + 2, true);
	print_changes(&before, &after);
	snapshot_free(&before);
	snapshot_free(&after);
	return complete ? OK : FAILED;
}

/* A field of a CSV file (RFC 4180). */
static void put_quoted(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void put_csv(FILE *file, const struct snapshot *snapshot)
{
	char name[NAME_ROOM];
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		fprintf(file, "%.3f,", snapshot->header.real_ns / 1e9);
		put_quoted(file, name);
		fprintf(file, ",%s,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%s,%s\n", r->kind_name,
			(uint64_t)r->value, r->error_ppm, (uint64_t)r->lower, (uint64_t)r->upper,
			state_of(r), unit_of(snapshot, r));
	}
}

/* One curve a counter; gnuplot gets its data as blocks, its names as text. */
static int plot(struct source *source, const char *picture, char **patterns)
{
	struct snapshot *all = NULL, *last;
	size_t n = 0, j;
	struct atomic_file out;
	struct stat drawn;
	FILE *gnuplot;
	char name[NAME_ROOM];
	uint64_t i;
	const char *p;
	int status;

	for (;;) {
		all = realloc(all, (n + 1) * sizeof(*all));
		if (!all)
			fail(FAILED, "out of memory");
		if (!source_next(source, &all[n]))
			break;
		snapshot_select(&all[n++], patterns, false);
	}
	if (!n || !all[n - 1].header.count)
		fail(FAILED, "%s: nothing to draw", source->path);
	last = &all[n - 1];
	atomic_open(&out, picture);
	gnuplot = popen("gnuplot >/dev/null", "we");
	if (!gnuplot)
		fail(FAILED, "gnuplot: %s", strerror(errno));
	fputs("set terminal pngcairo noenhanced size 1000,600\nset output '", gnuplot);
	for (p = out.temporary; *p; p++)
		fputs(*p == '\'' ? "''" : (char []){ *p, 0 }, gnuplot);
	fputs("'\nset xlabel 'seconds'\nset ylabel 'events'\nset key outside\n", gnuplot);
	for (i = 0; i < last->header.count; i++) {
		fprintf(gnuplot, "$d%" PRIu64 " << EOD\n", i);
		for (j = 0; j < n; j++) {
			const record_t *r = snapshot_find(&all[j], &last->records[i]);

			if (r)
				fprintf(gnuplot, "%.6f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
					seconds_between(&all[0], &all[j]), (uint64_t)r->value,
					(uint64_t)r->lower,
					r->upper == UINT64_MAX ? (uint64_t)r->value
							       : (uint64_t)r->upper);
		}
		fputs("EOD\n", gnuplot);
	}
	fputs("plot ", gnuplot);
	for (i = 0; i < last->header.count; i++) {
		full_name(&last->records[i], name);
		fprintf(gnuplot, "%s$d%" PRIu64 " with yerrorlines title '", i ? ", " : "", i);
		for (p = name; *p; p++)
			fputs(*p == '\'' ? "''" : (char []){ *p, 0 }, gnuplot);
		p = unit_of(last, &last->records[i]);
		fprintf(gnuplot, "%s%s'", *p ? ", " : "", p);
	}
	fputc('\n', gnuplot);
	status = pclose(gnuplot);
	for (j = 0; j < n; j++)
		snapshot_free(&all[j]);
	free(all);
	if (status || stat(out.temporary, &drawn) || !drawn.st_size) {
		unlink(out.temporary);
		fail(FAILED, "%s: gnuplot failed, or is not installed", picture);
	}
	atomic_close(&out);
	return OK;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "csv", no_argument, NULL, 'c' },
		{ "gnuplot", required_argument, NULL, 'g' },
		{}
	};
	struct snapshot first, last, next;
	const char *picture = NULL;
	unsigned long n = 0;
	struct source source;
	char **patterns;
	bool csv = false, complete = true;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'c': csv = true; break;
		case 'g': picture = optarg; break;
		default: return USAGE;
		}
	}
	if (optind == argc)
		usage_error("report wants a recording");
	if (csv && picture)
		usage_error("report wants --csv or --gnuplot, not both");
	patterns = argv + optind + 1;
	source_open(&source, argv[optind], NULL);
	if (picture)
		return plot(&source, picture, patterns);
	if (csv)
		puts("time,name,kind,value,error_ppm,lower,upper,state,unit");
	memset(&first, 0, sizeof(first));
	memset(&last, 0, sizeof(last));
	while (source_next(&source, &next)) {
		if (!snapshot_select(&next, patterns, n == 0) && !n)
			complete = false;
		if (csv)
			put_csv(stdout, &next);
		if (n++ == 0) {
			first = next;
		} else {
			snapshot_free(&last);
			last = next;
		}
	}
	source_close(&source);
	if (!n)
		fail(FAILED, "%s: empty", argv[optind]);
	if (!csv) {
		printf("# %lu snapshots\n", n);
		print_changes(&first, n > 1 ? &last : &first);
	}
	snapshot_free(&first);
	snapshot_free(&last);
	return complete ? OK : FAILED;
}
