// SPDX-License-Identifier: GPL-2.0
/*
 * A line that was written to `attach` or `detach`: patterns and options, with a space or
 * more between them.  What is wrong with it goes to `error_log`, laid out as that of
 * tracefs: when, why, the line, and a caret below the word.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "events/events.h"

#define ERRORS_KEPT	8

struct logged {
	u64 when;
	u32 at;
	char why[160];
	char *line;
};

static struct logged errors[ERRORS_KEPT];
static u32 errors_count;

static __printf(4, 0) int log_error(const char *line, u32 at, int err, const char *why,
				    va_list args)
{
	struct logged *error = &errors[errors_count % ERRORS_KEPT];

	lockdep_assert_held(&scounter_events_mutex);
	kfree(error->line);
	error->line = kstrdup(line, GFP_KERNEL);
	error->when = ktime_get_boottime_ns();
	error->at = at;
	vscnprintf(error->why, sizeof(error->why), why, args);
	errors_count++;
	return err;
}

/* Returns err, which is not 0. */
int scounter_request_refuse(const struct request *request, const char *at, int err,
			    const char *why, ...)
{
	va_list args;

	va_start(args, why);
	log_error(request->line, at ? at - request->words : 0, err, why, args);
	va_end(args);
	return err;
}

void scounter_error_log_show(struct seq_file *seq)
{
	u32 i = errors_count < ERRORS_KEPT ? 0 : errors_count - ERRORS_KEPT;

	for (; i < errors_count; i++) {
		const struct logged *error = &errors[i % ERRORS_KEPT];
		u32 ns;
		u64 seconds = div_u64_rem(error->when, NSEC_PER_SEC, &ns);

		seq_printf(seq, "[%5llu.%06u] scounter_events: error: %s\n  Command: %s\n%*s^\n",
			   seconds, ns / 1000, error->why, error->line ?: "",
			   11 + (int)error->at, "");
	}
}

void scounter_error_log_clear(void)
{
	u32 i;

	for (i = 0; i < ERRORS_KEPT; i++) {
		kfree(errors[i].line);
		errors[i].line = NULL;
	}
	errors_count = 0;
}

/* "1%" or "0.5%", in parts per million */
static bool parse_percent(const char *text, u32 *ppm)
{
	u32 value = 0, unit = 10000;

	if (!isdigit(*text))
		return false;
	for (; isdigit(*text) && value <= 100; text++)
		value = 10 * value + *text - '0';
	value *= unit;
	if (*text == '.')
		for (text++; isdigit(*text) && unit > 1; text++) {
			unit /= 10;
			value += unit * (*text - '0');
		}
	*ppm = value;
	return !strcmp(text, "%");
}

/* What a line says, until all of it was read. */
struct said {
	char *kind, *error, *group, *k;
};

static int parse_option(struct request *request, struct said *said, char *word, char *value)
{
	const struct {
		const char *name;
		char **where;
	} options[] = {
		{ "kind", &said->kind }, { "error", &said->error }, { "group", &said->group },
		{ "top", &request->top }, { "k", &said->k },
		{ "sum", &request->sum }, { "hist", &request->hist },
	};
	char **where = NULL;
	u32 i;

	*value++ = '\0';
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(word, options[i].name))
			where = options[i].where;
	if (!where)
		return scounter_request_refuse(request, word, -EINVAL,
			"Unknown option, not kind=, error=, group=, top=, k=, sum= or hist=");
	if (*where)
		return scounter_request_refuse(request, word, -EINVAL,
					       "This option is there twice");
	if (!*value)
		return scounter_request_refuse(request, value, -EINVAL,
					       "This option has no value");
	*where = value;
	return 0;
}

static int parse_word(struct request *request, struct said *said, char *word, bool options)
{
	char *value = strchr(word, '=');

	if (value && options)
		return parse_option(request, said, word, value);
	if (value)
		return scounter_request_refuse(request, word, -EINVAL,
					       "To detach takes no options");
	if (request->patterns == PATTERNS_MAX)
		return scounter_request_refuse(request, word, -E2BIG,
					       "More than %u patterns", PATTERNS_MAX);
	if (strlen(word) >= EVENT_NAME_SIZE)
		return scounter_request_refuse(request, word, -ENAMETOOLONG,
					       "No event has such a long name");
	request->pattern[request->patterns++] = word;
	return 0;
}

#define K_DEFAULT	1000

static int choose_k(struct request *request, const char *k)
{
	request->k = K_DEFAULT;
	if (k && !request->top)
		return scounter_request_refuse(request, k, -EINVAL, "Without top=, no k=");
	if (k && (kstrtou32(k, 10, &request->k) || !request->k ||
		  request->k > SCOUNTER_TOPK_CAPACITY_MAX))
		return scounter_request_refuse(request, k, -ERANGE, "k is from 1 to %u",
					       SCOUNTER_TOPK_CAPACITY_MAX);
	return 0;
}

static int choose(struct request *request, const struct said *said)
{
	u32 ppm = 0;

	if (said->error && !parse_percent(said->error, &ppm))
		return scounter_request_refuse(request, said->error, -EINVAL,
					       "An error is a percentage, as 1%%");
	if (said->error && !ppm)
		return scounter_request_refuse(request, said->error, -ERANGE,
					       "No error is kind=exact");
	request->choice.variant = scounter_variant(said->kind ?: "approx", ppm);
	if (!request->choice.variant && said->kind && !scounter_variant(said->kind, 0))
		return scounter_request_refuse(request, said->kind, -EINVAL,
					       "Unknown kind, not approx or exact");
	if (!request->choice.variant)
		return scounter_request_refuse(request, said->error, -ERANGE,
			"approx has an error of 0.5%%, 1%%, 2%%, 5%%, 10%% or 20%%, exact has none");
	if (said->group && strlen(said->group) > SCOUNTER_NAME_MAX)
		return scounter_request_refuse(request, said->group, -ENAMETOOLONG,
					       "The name is too long");
	if (said->group && strchr(said->group, '/'))
		return scounter_request_refuse(request, said->group, -EINVAL,
					       "A group's name has no /");
	if (said->group && (!strcmp(said->group, ".") || !strcmp(said->group, "..")))
		return scounter_request_refuse(request, said->group, -EINVAL,
					       "A group is a folder: not . or ..");
	strscpy(request->choice.group, said->group ?: "events", sizeof(request->choice.group));
	return choose_k(request, said->k);
}

/* Take a line apart.  Wants scounter_request_free(), whatever it returns. */
int scounter_request_parse(struct request *request, const char *line, bool options)
{
	struct said said = { };
	char *rest, *word;
	int err;

	*request = (struct request) {
		.line = line,
		.words = kstrdup(line, GFP_KERNEL),
	};
	if (!request->words)
		return -ENOMEM;
	rest = request->words;
	while ((word = strsep(&rest, " \t"))) {
		err = *word ? parse_word(request, &said, word, options) : 0;
		if (err)
			return err;
	}
	if (!request->patterns)
		return scounter_request_refuse(request, NULL, -EINVAL,
					       "No pattern, as sched:*");
	return choose(request, &said);
}

void scounter_request_free(struct request *request)
{
	kfree(request->words);
}
