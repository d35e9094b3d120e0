// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "xu.h"

/* A negative number is so many slices without a hit. */
static u32 parse(const char *text, u32 *hits, u32 room)
{
	u32 slices = 0;
	char *end;
	long n;

	for (n = strtol(text, &end, 10); end != text; n = strtol(text, &end, 10)) {
		u32 more = n < 0 ? -n : 1;

		if (more > room - slices)
			errx(2, "more slices than in the first line");
		if (n >= 0)
			hits[slices] = n;
		slices += more;
		text = end;
	}
	if (*text && *text != '\n')
		errx(2, "no number: %s", text);
	return slices;
}

#define MOST_SLICES	100000

static void add_event(struct stream *stream, char *line)
{
	u32 *hits = allocate(stream->slices ? stream->slices : MOST_SLICES, sizeof(*hits));
	char *numbers = strchr(line, ' ');
	u32 slices, i;

	if (!numbers)
		errx(2, "an event without hits: %s", line);
	*numbers++ = 0;
	slices = parse(numbers, hits, stream->slices ? stream->slices : MOST_SLICES);
	if (stream->slices && slices != stream->slices)
		errx(2, "%s: %u slices, not %u", line, slices, stream->slices);
	stream->slices = slices;
	stream->names[stream->events] = strdup(line);
	stream->hits[stream->events] = hits;
	for (i = 0; i < slices; i++)
		stream->counts[stream->events] += hits[i];
	if (!stream->counts[stream->events])
		errx(2, "%s: never hit", line);
	stream->events++;
}

#define MOST_EVENTS	4096

void stream_read(struct stream *stream, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		err(2, "%s", path);
	*stream = (struct stream) {
		.names = allocate(MOST_EVENTS, sizeof(*stream->names)),
		.hits = allocate(MOST_EVENTS, sizeof(*stream->hits)),
		.counts = allocate(MOST_EVENTS, sizeof(*stream->counts)),
	};
	while (getline(&line, &room, file) > 0) {
		if (*line == '#')
			continue;
		if (stream->events == MOST_EVENTS)
			errx(2, "%s: more than %u events", path, MOST_EVENTS);
		add_event(stream, line);
	}
	if (!stream->events)
		errx(2, "%s: no events", path);
	free(line);
	fclose(file);
}

void stream_free(struct stream *stream)
{
	u32 i;

	for (i = 0; i < stream->events; i++) {
		free(stream->hits[i]);
		if (stream->names)
			free(stream->names[i]);
	}
	free(stream->names);
	free(stream->hits);
	free(stream->counts);
}

u64 stream_most(const struct stream *stream)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < stream->events; i++)
		if (stream->counts[i] > most)
			most = stream->counts[i];
	return most;
}
