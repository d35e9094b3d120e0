// SPDX-License-Identifier: GPL-2.0
/*
 * The experiment of section 14, which is to fail: collapsed Gibbs sampling, where a token
 * leaves its topic by a decrement and joins the next by an increment.  The library has no
 * decrement.  This one is the paper's: f(x) - 1 is rounded to x - 1 or x at random.  At 0
 * it would be negative, and is refused.
 *
 * One process, as the counters are not cleared and reduced.
 */
#include <err.h>
#include <stdlib.h>

#include "lda.h"
#include "util.h"

/* How often a decrement met a counter of 0. */
static u64 refused;

/* f(x - 1) <= f(x) - 1, as all gaps are 1 or more. */
static void counts_dec(struct counts *counts, u64 i, double random)
{
	const struct scounter_cells *cells;
	u64 *word;
	u32 bit, x;

	if (counts->plain) {
		counts->plain[i]--;
		return;
	}
	cells = &counts->array->cells;
	word = &counts->array->words[scounter_cells_find(cells, i, &bit)];
	x = scounter_cells_state(cells, *word, bit);
	if (!x) {
		refused++;
		return;
	}
	if (random * (counts->value[x] - counts->value[x - 1]) < 1)
		*word -= 1ULL << bit;
}

static void leave_topic(struct model *model, u32 document, u32 word, u32 topic)
{
	u32 topics = model->settings->topics;

	counts_dec(&model->tpd, (u64)document * topics + topic, draw(model));
	counts_dec(&model->wpt, (u64)word * topics + topic, draw(model));
	counts_dec(&model->wt, topic, draw(model));
}

static u32 next_topic(struct model *model, u32 document, u32 word, float *sums)
{
	const struct settings *settings = model->settings;
	u32 topics = settings->topics, k;
	float sum = 0;

	for (k = 0; k < topics; k++)
		sums[k] = sum += (counts_get(&model->tpd, (u64)document * topics + k) + settings->alpha) *
				 (counts_get(&model->wpt, (u64)word * topics + k) + settings->beta) /
				 (counts_get(&model->wt, k) + model->corpus->words * settings->beta);
	return pick(sums, topics, draw(model));
}

static double sum_of(const struct counts *counts)
{
	double sum = 0;
	u64 i;

	for (i = 0; i < counts->length; i++)
		sum += counts_get(counts, i);
	return sum;
}

/* What is invariant: all words in topics are all training tokens. */
static void print_invariants(const struct model *model, u64 tokens)
{
	printf("# tokens %llu; sum of words in topics %.0f, of topics in documents %.0f, of topics %.0f; decrements refused at 0: %llu\n",
	       tokens, sum_of(&model->wpt), sum_of(&model->tpd), sum_of(&model->wt), refused);
}

void run_decrement(struct model *model)
{
	const struct corpus *corpus = model->corpus;
	u32 *topic = allocate(corpus->tokens, sizeof(u32)), m, n, i;
	float *sums = allocate(model->settings->topics, sizeof(float));
	double sampling = 0;
	u64 tokens = 0;

	if (model->processes != 1)
		errx(2, "decrement runs in one process");
	if (model->settings->type.kind == SCOUNTER_REPR_DLM_FLOAT)
		errx(2, "decrement is not made for dlm_float, whose states are not in order");
	for (m = 0; m < corpus->documents; m++)
		for (n = corpus->start[m]; !corpus->held[m] && n < corpus->start[m + 1]; n++, tokens++) {
			topic[n] = draw(model) * model->settings->topics;
			count_topic(model, m, corpus->word[n], topic[n]);
		}
	for (i = 1; i <= model->settings->iterations; i++) {
		double begin = MPI_Wtime();

		for (m = 0; m < corpus->documents; m++)
			for (n = corpus->start[m]; !corpus->held[m] && n < corpus->start[m + 1]; n++) {
				leave_topic(model, m, corpus->word[n], topic[n]);
				topic[n] = next_topic(model, m, corpus->word[n], sums);
				count_topic(model, m, corpus->word[n], topic[n]);
			}
		sampling += MPI_Wtime() - begin;
		print_line(model, i, sampling, 0);
		print_invariants(model, tokens);
	}
	free(topic);
	free(sums);
}
