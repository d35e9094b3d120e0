/* SPDX-License-Identifier: GPL-2.0 */
/* Topic models with approximate counters: Steele & Tristan 2017, section 12. */
#ifndef _LDA_LDA_H
#define _LDA_LDA_H

#include "scounter_mpi.h"
#include "xoshiro.h"

struct corpus {
	u32 words, documents, tokens;
	u32 *start;		/* of each document, and the end of the last */
	u32 *word;
	bool *held;		/* out, for perplexity */
};

/* Or the end of the program, which says why. */
void corpus_load(struct corpus *corpus, const char *path);

/* Counters: integers of 32 bits, or an array of one type. */
struct counts {
	u64 length;
	u32 *plain;		/* or NULL */
	struct array *array;
	float *value;		/* of each state */
	u64 *chance;		/* that an increment of it succeeds, in 2^-53; or NULL */
	u64 random[4];
	u64 lost;		/* how often what was reduced lacked counts */
};

/* "int32", "morris1.08": the type, of kind 0 for integers; false if there is none. */
bool type_of(const char *name, struct scounter_array_type *type);
const char *type_names(void);

void counts_create(struct counts *counts, const struct scounter_array_type *type, u64 length,
		   u64 seed);
void counts_clear(struct counts *counts);
void counts_inc(struct counts *counts, u64 i);
/* The sum of all processes. */
void counts_reduce(struct counts *counts);
/* Of the counters alone; what one process hands to a reduction. */
u64 counts_bytes(const struct counts *counts);

static inline float counts_get(const struct counts *counts, u64 i)
{
	const struct scounter_cells *cells;
	u32 bits;
	u64 word;

	if (counts->plain)
		return counts->plain[i];
	cells = &counts->array->cells;
	bits = cells->repr.type.bits;
	word = counts->array->words[i / cells->per_word] >> i % cells->per_word * bits;
	return counts->value[word & ((1U << bits) - 1)];
}

struct settings {
	const char *algorithm, *counts, *path;
	struct scounter_array_type type;
	u32 topics, iterations;
	double alpha, beta;
	u64 seed;
};

/* What a model has come to. */
struct model {
	const struct corpus *corpus;
	const struct settings *settings;
	int rank, processes;
	u64 random[4];
	struct counts tpd, wpt, wt;	/* topics in documents, words in topics, topics */
};

static inline double draw(struct model *model)
{
	return (next_bits(model->random) >> 11) * 0x1p-53;
}

/* The document is of this process, and not held out. */
static inline bool is_mine(const struct model *model, u32 document)
{
	return !model->corpus->held[document] &&
	       document % model->processes == (u32)model->rank;
}

/* A topic, from sums of weights. */
u32 pick(const float *sums, u32 topics, double random);

void count_topic(struct model *model, u32 document, u32 word, u32 topic);

/* The log likelihood of a training token, and the perplexity of what was held out. */
struct quality {
	double likelihood, perplexity;
};

struct quality evaluate(const struct model *model);

/* The algorithms, which print a line an iteration. */
void run_gibbs(struct model *model);
void run_sca(struct model *model);
void run_decrement(struct model *model);

/* Seconds of sampling and of reducing so far. */
void print_line(const struct model *model, u32 iteration, double sampling, double reducing);

#endif /* _LDA_LDA_H */
