// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"
#include "util.h"

u32 random_below(u64 *state, u32 n)
{
	return (unsigned __int128)next_seed(state) * n >> 64;
}

struct topk_secret random_secret(u64 *state)
{
	struct topk_secret secret;

	secret.a0 = next_seed(state);
	secret.a1 = next_seed(state);
	secret.b = next_seed(state);
	secret.seed = next_seed(state);
	return secret;
}

/* An odd factor and its inverse modulo 2^64. */
#define FACTOR	0x9e3779b97f4a7c15ULL
#define INVERSE	0xf1de83e19937733dULL

u64 key_of(u32 element)
{
	return (element + 1ULL) * FACTOR;
}

u32 element_of(u64 key)
{
	return key * INVERSE - 1;
}

static struct streams *streams_allocate(u32 n, u32 length, u32 alphabet)
{
	struct streams *streams = allocate(1, sizeof(*streams));
	u32 i;

	streams->streams = n;
	streams->length = length;
	streams->alphabet = alphabet;
	streams->element = allocate(n, sizeof(*streams->element));
	for (i = 0; i < n; i++)
		streams->element[i] = allocate(length, sizeof(u32));
	return streams;
}

void streams_free(struct streams *streams)
{
	u32 i;

	for (i = 0; i < streams->streams; i++)
		free(streams->element[i]);
	free(streams->element);
	free(streams);
}

/*
 * Frequencies N / (i^alpha zeta(alpha)) (Das et al. 2009, section 5), drawn by
 * Walker's method of aliases: each of `alphabet` equal shares belongs to its own
 * element up to a threshold, and to one other above.
 */
struct aliases {
	double *threshold;
	u32 *other;
};

static void aliases_make(struct aliases *aliases, double alpha, u32 n)
{
	u32 *small = allocate(n, sizeof(*small)), *large = allocate(n, sizeof(*large));
	u32 i, smalls = 0, larges = 0;
	double sum = 0;

	aliases->threshold = allocate(n, sizeof(double));
	aliases->other = allocate(n, sizeof(u32));
	for (i = n; i; i--)
		sum += pow(i, -alpha);
	for (i = 0; i < n; i++) {
		aliases->threshold[i] = pow(i + 1., -alpha) / sum * n;
		aliases->other[i] = i;
		if (aliases->threshold[i] < 1)
			small[smalls++] = i;
		else
			large[larges++] = i;
	}
	while (smalls && larges) {
		u32 s = small[--smalls], l = large[larges - 1];

		aliases->other[s] = l;
		aliases->threshold[l] -= 1 - aliases->threshold[s];
		if (aliases->threshold[l] < 1) {
			larges--;
			small[smalls++] = l;
		}
	}
	free(small);
	free(large);
}

static void fill_zipf(struct streams *streams, double alpha, u64 *seed)
{
	struct aliases aliases;
	u32 i, j;

	aliases_make(&aliases, alpha, streams->alphabet);
	for (i = 0; i < streams->streams; i++) {
		for (j = 0; j < streams->length; j++) {
			u32 e = random_below(seed, streams->alphabet);
			double u = (next_seed(seed) >> 11) * 0x1p-53;

			streams->element[i][j] = u < aliases.threshold[e] ? e : aliases.other[e];
		}
	}
	free(aliases.threshold);
	free(aliases.other);
}

/*
 * Number those that occur, in their order: checks look at all elements in turn,
 * and of a skewed stream's five million but some thousands ever occur.
 */
static void leave_out_the_absent(struct streams *streams)
{
	u32 *number = allocate(streams->alphabet, sizeof(*number));
	u32 i, j, present = 0;

	for (i = 0; i < streams->streams; i++)
		for (j = 0; j < streams->length; j++)
			number[streams->element[i][j]] = 1;
	for (i = 0; i < streams->alphabet; i++)
		if (number[i])
			number[i] = present++;
	for (i = 0; i < streams->streams; i++)
		for (j = 0; j < streams->length; j++)
			streams->element[i][j] = number[streams->element[i][j]];
	streams->alphabet = present;
	free(number);
}

static u32 element_at(enum shape shape, const struct streams *streams, u32 i, u32 j,
		      u64 *seed)
{
	switch (shape) {
	case UNIFORM:
		return random_below(seed, streams->alphabet);
	case DISTINCT:
		return i * streams->length + j;
	case ROTATION:
		return j % streams->alphabet;
	default:
		return 0;
	}
}

struct streams *streams_make(enum shape shape, double alpha, u32 alphabet, u32 n,
			     u32 length, u64 seed)
{
	static const char *const names[] = {
		[UNIFORM] = "uniform", [SAME] = "all the same",
		[DISTINCT] = "all distinct", [ROTATION] = "rotation of m + 1",
	};
	struct streams *streams;
	u32 i, j;

	if (shape == DISTINCT)
		alphabet = n * length;
	if (shape == SAME)
		alphabet = 1;
	streams = streams_allocate(n, length, alphabet);
	if (shape == ZIPF) {
		snprintf(streams->name, sizeof(streams->name), "zipf %.1f", alpha);
		fill_zipf(streams, alpha, &seed);
		leave_out_the_absent(streams);
		return streams;
	}
	snprintf(streams->name, sizeof(streams->name), "%s", names[shape]);
	for (i = 0; i < n; i++)
		for (j = 0; j < length; j++)
			streams->element[i][j] = element_at(shape, streams, i, j, &seed);
	return streams;
}

/* Fisher and Yates. */
static void shuffle(u32 *tokens, u32 n, u64 *seed)
{
	u32 i;

	for (i = n - 1; i; i--) {
		u32 j = random_below(seed, i + 1), swap = tokens[i];

		tokens[i] = tokens[j];
		tokens[j] = swap;
	}
}

struct streams *streams_read(const char *path, u32 n, u64 seed)
{
	FILE *file = fopen(path, "r");
	u32 *tokens = NULL, words = 0, i, j;
	struct streams *streams;
	size_t total = 0;
	unsigned long frequency;

	if (!file) {
		perror(path);
		return NULL;
	}
	while (fscanf(file, "%lu", &frequency) == 1) {
		tokens = realloc(tokens, (total + frequency) * sizeof(*tokens));
		while (frequency--)
			tokens[total++] = words;
		words++;
	}
	fclose(file);
	if (total < n) {
		fprintf(stderr, "topk: %s has no tokens\n", path);
		free(tokens);
		return NULL;
	}
	shuffle(tokens, total, &seed);
	/* What does not deal out evenly stays away: fewer than a token a stream. */
	streams = streams_allocate(n, total / n, words);
	snprintf(streams->name, sizeof(streams->name), "%u words", words);
	for (i = 0; i < n; i++)
		for (j = 0; j < streams->length; j++)
			streams->element[i][j] = tokens[(size_t)j * n + i];
	free(tokens);
	return streams;
}
