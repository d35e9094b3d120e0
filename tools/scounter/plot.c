// SPDX-License-Identifier: GPL-2.0
/* report --gnuplot: a panel of rates for each counter. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"

#define PANEL_WIDTH	500
#define PANEL_HEIGHT	220
#define PANELS_MAX	200	/* of which a picture has room */

/* A text in single quotes, which are doubled in it. */
static void put_text(FILE *gnuplot, const char *text)
{
	fputc('\'', gnuplot);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', gnuplot);
		fputc(*text, gnuplot);
	}
	fputc('\'', gnuplot);
}

/* gnuplot has no time but UTC. */
static double clock_of(const struct recording_rates *rates)
{
	double begin = rates->begin.real_ns / 1e9;

	return begin + seconds_east(begin);
}

/* Where the bar is not known, the band has no height. */
static void put_data(FILE *gnuplot, const struct recording_rates *rates, uint64_t n)
{
	double begin = clock_of(rates);
	const struct series *series = &rates->series[n];
	size_t i;

	fprintf(gnuplot, "$d%" PRIu64 " << EOD\n", n);
	for (i = 0; i < series->count; i++) {
		const struct stretch *s = &series->stretches[i];
		double bar = isinf(s->bar) ? 0 : s->bar;

		if (i && s->from > series->stretches[i - 1].to + 1e-6)
			fputc('\n', gnuplot);
		fprintf(gnuplot, "%.6f %.9g %.9g %.9g\n%.6f %.9g %.9g %.9g\n", begin + s->from,
			s->rate, fmax(s->rate - bar, 0), s->rate + bar, begin + s->to, s->rate,
			fmax(s->rate - bar, 0), s->rate + bar);
	}
	if (!series->count)
		fprintf(gnuplot, "%.6f NaN NaN NaN\n", begin);
	fputs("EOD\n", gnuplot);
}

static void put_panel(FILE *gnuplot, const struct recording_rates *rates, uint64_t n)
{
	double begin = clock_of(rates), most = series_most(&rates->series[n]);
	double seconds = fmax(rates_seconds(rates), 1), step = clock_step(seconds * 1.5);
	char name[NAME_ROOM], title[NAME_ROOM + 128];
	const char *unit = rates->series[n].unit;

	most = most > 0 ? most : 1;
	full_name(&rates->series[n].last, name);
	snprintf(title, sizeof(title), "%s (%s/s)", name, *unit ? unit : "events");
	fputs("set title ", gnuplot);
	put_text(gnuplot, title);
	fprintf(gnuplot, "\nset xrange [%.6f:%.6f]\nset xtics %.0f\nset format x '%s'\n", begin,
		begin + seconds, step, step < 60 ? "%H:%M:%S" : "%H:%M");
	fprintf(gnuplot, "set yrange [0:%.9g]\nset ytics %.9g\n", most * 1.05, round_step(most / 4));
	fprintf(gnuplot, "plot $d%" PRIu64 " using 1:3:4 with filledcurves lc rgb '#b3cde3', "
		"'' using 1:2 with lines lw 2 lc rgb '#08519c'\n", n);
}

static void put_all(FILE *gnuplot, const struct recording_rates *rates, const char *path)
{
	uint64_t count = rates->anchors.header.count, n;
	int columns = count > 1 ? 2 : 1, rows = (count + columns - 1) / columns;

	fprintf(gnuplot, "set terminal pngcairo noenhanced size %d,%d\nset output ",
		columns * PANEL_WIDTH, rows * PANEL_HEIGHT);
	put_text(gnuplot, path);
	fputs("\nset xdata time\nset timefmt '%s'\nset format y '%.1s%c'\nunset key\n", gnuplot);
	for (n = 0; n < count; n++)
		put_data(gnuplot, rates, n);
	fprintf(gnuplot, "set multiplot layout %d,%d\n", rows, columns);
	for (n = 0; n < count; n++)
		put_panel(gnuplot, rates, n);
	fputs("unset multiplot\n", gnuplot);
}

void draw_gnuplot(const struct recording_rates *rates, const char *path)
{
	struct atomic_file out;
	struct stat drawn;
	FILE *gnuplot;
	int status;

	if (rates->anchors.header.count > PANELS_MAX)
		fail(FAILED, "%s: %" PRIu64 " counters do not fit, at most %d do; name some, or take --html",
		     path, (uint64_t)rates->anchors.header.count, PANELS_MAX);
	atomic_open(&out, path);
	gnuplot = popen("gnuplot >/dev/null", "we");
	if (!gnuplot)
		fail(FAILED, "gnuplot: %s", strerror(errno));
	put_all(gnuplot, rates, out.temporary);
	status = pclose(gnuplot);
	if (status || stat(out.temporary, &drawn) || !drawn.st_size) {
		unlink(out.temporary);
		fail(FAILED, "%s: gnuplot failed, or is not installed", path);
	}
	atomic_close(&out);
}
