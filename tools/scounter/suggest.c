// SPDX-License-Identifier: GPL-2.0
/* What was meant by a pattern or a word that matches nothing. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "scounter.h"

#define FAR		3	/* changes of a byte that make another word */
#define LONGEST		255

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Changes from one text to the other (Levenshtein), or FAR if there are more. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[LONGEST + 1], i, j;

	if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) >= FAR)
		return FAR;
	for (j = 0; j <= m; j++)
		row[j] = j;
	for (i = 1; i <= n; i++) {
		size_t before = row[0], best = row[0] = i;

		for (j = 1; j <= m; j++) {
			size_t changed = before + (a[i - 1] != b[j - 1]);

			before = row[j];
			row[j] = least(changed, least(row[j], row[j - 1]) + 1);
			best = least(best, row[j]);
		}
		if (best >= FAR)
			return FAR;
	}
	return least(row[m], FAR);
}

/* Of short words, one change in three bytes makes another. */
static size_t how_far(const char *a, size_t n, const char *b)
{
	size_t changes = distance(a, n, b, strlen(b));

	return 3 * changes > n ? FAR : changes;
}

bool is_near(const char *word, const char *known)
{
	return how_far(word, strlen(word), known) < FAR;
}

static bool any_matches(const struct snapshot *all, const char *pattern)
{
	uint64_t i;

	for (i = 0; i < all->header.count; i++)
		if (pattern_matches(pattern, &all->records[i]))
			return true;
	return false;
}

/* A group of the pattern's first part, or a near one, as GROUP followed by "/" and "*". */
static bool suggest_group(const struct snapshot *all, const char *pattern, char *to)
{
	size_t length = strcspn(pattern, "/"), best = FAR, far;
	char part[LONGEST + 1], group[NAME_ROOM];
	uint64_t i;

	if (length > LONGEST)
		return false;
	*stpncpy(part, pattern, length) = 0;
	for (i = 0; i < all->header.count && best; i++) {
		text_of(all->records[i].group, group);
		far = fnmatch(part, group, 0) ? how_far(part, length, group) : 0;
		if (far >= best)
			continue;
		best = far;
		snprintf(to, SUGGESTION_ROOM, "%s/*", group);
	}
	return best < FAR;
}

/* NAME or OBJECT, of any group; and GROUP/NAME that objects have. */
static bool suggest_more_parts(const struct snapshot *all, const char *pattern, char *to)
{
	const char *slash = strchr(pattern, '/');

	if (!slash)
		snprintf(to, SUGGESTION_ROOM, "*/%s", *pattern == '*' ? pattern + 1 : pattern);
	else
		snprintf(to, SUGGESTION_ROOM, "%.*s/*%s", (int)(slash - pattern), pattern, slash);
	return any_matches(all, to);
}

static bool suggest_name(const struct snapshot *all, const char *pattern, char *to)
{
	size_t length = strlen(pattern), best = FAR, far;
	char name[NAME_ROOM];
	uint64_t i;

	for (i = 0; i < all->header.count; i++) {
		full_name(&all->records[i], name);
		far = how_far(pattern, length, name);
		if (far >= best)
			continue;
		best = far;
		snprintf(to, SUGGESTION_ROOM, "%s", name);
	}
	return best < FAR;
}

static bool suggest(const struct snapshot *all, const char *pattern, char *to)
{
	size_t length = strlen(pattern);

	if (length >= SUGGESTION_ROOM - 4)
		return false;
	if (!strchr(pattern, '/') && fnmatch("[*]?*", pattern, 0) &&
	    suggest_group(all, pattern, to))
		return true;
	return (length && suggest_more_parts(all, pattern, to)) ||
	       suggest_name(all, pattern, to) || suggest_group(all, pattern, to);
}

void no_counter(const struct snapshot *snapshot, const char *pattern)
{
	struct snapshot device = {};
	char meant[SUGGESTION_ROOM];

	/* The kernel gave what the patterns match. */
	if (snapshot->filtered) {
		snapshot_read(NULL, NULL, &device);
		snapshot = &device;
	}
	if (!snapshot->header.count)
		warn("no counter %s; there is no counter at all", pattern);
	else if (suggest(snapshot, pattern, meant))
		warn("no counter %s; did you mean '%s'?", pattern, meant);
	else
		warn("no counter %s; scounter list shows all", pattern);
	snapshot_free(&device);
}
