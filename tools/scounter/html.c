// SPDX-License-Identifier: GPL-2.0
/*
 * report --html: one page with a table and, for each counter, its rate over time as a line
 * in the band in which the true one is.  It needs nothing else: no script, no network.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "figures.h"
#include "table.h"

/* A panel, and its margins, in units of a figure that is scaled. */
enum { WIDTH = 720, HEIGHT = 150, LEFT = 56, RIGHT = 12, TOP = 8, BOTTOM = 22 };

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n<title>scounter report</title>\n<style>\n"
	":root { --text: #222; --back: #fff; --faint: #777; --grid: #ddd; --line: #08519c; --band: #b3cde3; --bad: #b00020; }\n"
	"@media (prefers-color-scheme: dark) { :root { --text: #ddd; --back: #181a1b; --faint: #999;"
	" --grid: #3a3d3f; --line: #8ec1f0; --band: #2d4a66; --bad: #ff8080; } }\n"
	"body { font: 14px/1.4 sans-serif; color: var(--text); background: var(--back); margin: 1em auto; max-width: 1600px; padding: 0 1em; }\n"
	"h1 { font-size: 1.4em; } h2 { font-size: 1em; margin: 0; overflow-wrap: anywhere; }\n"
	"p { margin: .3em 0; } .faint { color: var(--faint); } .bad { color: var(--bad); }\n"
	".wide { overflow-x: auto; } table { border-collapse: collapse; margin: 1em 0; }\n"
	"th, td { padding: .15em .7em; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }\n"
	"th:first-child, td:first-child, .text { text-align: left; } td a { color: inherit; }\n"
	".panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 1.2em; }\n"
	"svg { width: 100%; height: auto; display: block; } svg text { font: 11px sans-serif; fill: var(--faint); }\n"
	".grid { stroke: var(--grid); } .line { stroke: var(--line); fill: none; stroke-width: 1.6; }\n"
	".band { fill: var(--band); stroke: none; } .unknown { stroke: var(--bad); fill: none; stroke-width: 1.6; }\n"
	"</style>\n</head>\n<body>\n";

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default: fputc(*text, out);
		}
	}
}

static void put_clock(FILE *out, double real, const char *format)
{
	time_t seconds = floor(real);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), format, &tm);
	put_escaped(out, text);
}

static const char *unit_or_events(const struct series *series)
{
	return *series->unit ? series->unit : "events";
}

static const char *note_of(const struct series *series)
{
	if (series->gone)
		return "gone";
	return unsure_of(&series->last) ? unsure_of(&series->last) : "";
}

/* All that was counted in the stretches, and the time of these. */
static double events_of(const struct series *series, double *seconds)
{
	double events = 0;
	size_t i;

	*seconds = 0;
	for (i = 0; i < series->count; i++) {
		const struct stretch *s = &series->stretches[i];

		events += s->rate * (s->to - s->from);
		*seconds += s->to - s->from;
	}
	return events;
}

static void put_row(FILE *out, const struct series *series, uint64_t n)
{
	char name[NAME_ROOM], error[32], text[HUMAN_ROOM], mean[HUMAN_ROOM], most[HUMAN_ROOM];
	double seconds, events = events_of(series, &seconds), peak = 0;
	size_t i;

	full_name(&series->last, name);
	format_error(&series->last, error, sizeof(error));
	for (i = 0; i < series->count; i++)
		peak = fmax(peak, series->stretches[i].rate);
	fprintf(out, "<tr><td><a href=\"#c%" PRIu64 "\">", n);
	put_escaped(out, name);
	fprintf(out, "</a></td><td class=\"text\">%s</td><td>%" PRIu64 "</td><td>%s</td><td>%s</td>"
		"<td>%s</td><td>%s</td><td class=\"text\">%s</td><td class=\"text bad\">%s</td></tr>\n",
		series->last.kind_name, (uint64_t)series->last.value, error, human(events, text),
		human(seconds > 0 ? events / seconds : NAN, mean), human(peak, most),
		unit_or_events(series), note_of(series));
}

static void put_table(FILE *out, const struct recording_rates *rates)
{
	uint64_t n;

	fputs("<div class=\"wide\"><table>\n<tr><th>counter</th><th class=\"text\">kind</th><th>value</th>"
	      "<th>error</th><th>counted</th><th>mean rate/s</th><th>highest/s</th>"
	      "<th class=\"text\">unit</th><th class=\"text\">note</th></tr>\n", out);
	for (n = 0; n < rates->anchors.header.count; n++)
		put_row(out, &rates->series[n], n);
	fputs("</table></div>\n", out);
}

/* Where a time and a rate are in a panel. */
struct scale {
	double seconds, most;
};

static double x_of(const struct scale *scale, double seconds)
{
	return LEFT + seconds / scale->seconds * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct scale *scale, double rate)
{
	return HEIGHT - BOTTOM - fmin(rate, scale->most) / scale->most * (HEIGHT - TOP - BOTTOM);
}

static void put_rate_axis(FILE *out, const struct scale *scale)
{
	double step = round_step(scale->most / 4), rate;
	char text[HUMAN_ROOM];

	for (rate = 0; rate <= scale->most * 1.0001; rate += step)
		fprintf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT, WIDTH - RIGHT, y_of(scale, rate), y_of(scale, rate), LEFT - 5,
			y_of(scale, rate) + 4, human(rate, text));
}

static void put_time_axis(FILE *out, const struct scale *scale, double begin)
{
	double step = clock_step(scale->seconds), east = seconds_east(begin), real;
	const char *format = step >= 86400 ? "%d %b" : step >= 60 ? "%H:%M" : "%H:%M:%S";

	for (real = ceil((begin + east) / step) * step - east; real <= begin + scale->seconds; real += step) {
		double x = x_of(scale, real - begin);

		fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, x, TOP,
			HEIGHT - BOTTOM, fmin(x, WIDTH - 24), HEIGHT - 6);
		put_clock(out, real, format);
		fputs("</text>\n", out);
	}
}

static bool follows(const struct series *series, size_t i)
{
	return i && series->stretches[i].from <= series->stretches[i - 1].to + 1e-6 &&
	       isinf(series->stretches[i].bar) == isinf(series->stretches[i - 1].bar);
}

/* A rectangle a stretch. */
static void put_band(FILE *out, const struct series *series, const struct scale *scale)
{
	size_t i;

	fputs("<path class=\"band\" d=\"", out);
	for (i = 0; i < series->count; i++) {
		const struct stretch *s = &series->stretches[i];

		if (isinf(s->bar) || !s->bar)
			continue;
		fprintf(out, "M%.1f %.1fH%.1fV%.1fH%.1fZ", x_of(scale, s->from),
			y_of(scale, s->rate + s->bar), x_of(scale, s->to),
			y_of(scale, fmax(s->rate - s->bar, 0)), x_of(scale, s->from));
	}
	fputs("\"/>\n", out);
}

static void put_line(FILE *out, const struct series *series, const struct scale *scale, bool known)
{
	size_t i;

	fprintf(out, "<path class=\"%s\" d=\"", known ? "line" : "unknown");
	for (i = 0; i < series->count; i++) {
		const struct stretch *s = &series->stretches[i];

		if (known == isinf(s->bar))
			continue;
		if (follows(series, i))
			fprintf(out, "V%.1fH%.1f", y_of(scale, s->rate), x_of(scale, s->to));
		else
			fprintf(out, "M%.1f %.1fH%.1f", x_of(scale, s->from),
				y_of(scale, s->rate), x_of(scale, s->to));
	}
	fputs("\"/>\n", out);
}

static void put_panel(FILE *out, const struct recording_rates *rates, uint64_t n)
{
	const struct series *series = &rates->series[n];
	double most = series_most(series);
	struct scale scale = { fmax(rates_seconds(rates), 1), most > 0 ? most * 1.05 : 1 };
	char name[NAME_ROOM], *help = text_dup(series->help);

	full_name(&series->last, name);
	fprintf(out, "<section id=\"c%" PRIu64 "\">\n<h2>", n);
	put_escaped(out, name);
	fprintf(out, " <span class=\"faint\">%s/s</span></h2>\n", unit_or_events(series));
	if (*help) {
		fputs("<p class=\"faint\">", out);
		put_escaped(out, help);
		fputs("</p>\n", out);
	}
	free(help);
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
	put_rate_axis(out, &scale);
	put_time_axis(out, &scale, rates->begin.real_ns / 1e9);
	put_band(out, series, &scale);
	put_line(out, series, &scale, true);
	put_line(out, series, &scale, false);
	fputs("</svg>\n</section>\n", out);
}

static void put_summary(FILE *out, const struct recording_rates *rates)
{
	double begin = rates->begin.real_ns / 1e9;

	fputs("<h1>scounter report</h1>\n<p>", out);
	put_clock(out, begin, "%Y-%m-%d %H:%M:%S %Z");
	fputs(" to ", out);
	put_clock(out, begin + rates_seconds(rates), "%Y-%m-%d %H:%M:%S %Z");
	fprintf(out, ": %lu snapshots of %" PRIu64 " counters.</p>\n", rates->snapshots,
		(uint64_t)rates->anchors.header.count);
	fputs("<p class=\"faint\">A line is the rate, each piece of it over as long as is needed for a band of 10&nbsp;%. "
	      "The true rate is above the band in at most 0.135&nbsp;% of all cases, and below it in as many. "
	      "Where the line is red, nothing is known of the error. The error in the table is one standard "
	      "deviation of the value, at most.</p>\n", out);
}

void draw_html(const struct recording_rates *rates, const char *path)
{
	struct atomic_file out;
	uint64_t n;

	atomic_open(&out, path);
	fputs(head, out.file);
	put_summary(out.file, rates);
	put_table(out.file, rates);
	fputs("<div class=\"panels\">\n", out.file);
	for (n = 0; n < rates->anchors.header.count; n++)
		put_panel(out.file, rates, n);
	fputs("</div>\n</body>\n</html>\n", out.file);
	atomic_close(&out);
}
