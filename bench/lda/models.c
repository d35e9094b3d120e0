// SPDX-License-Identifier: GPL-2.0
/*
 * The algorithms of figures 5 and 7, over the processes of MPI_COMM_WORLD: each has its
 * share of the documents and all words in topics, which are reduced once an iteration.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lda.h"
#include "util.h"

u32 pick(const float *sums, u32 topics, double random)
{
	float target = random * sums[topics - 1];
	u32 k = 0;

	while (k < topics - 1 && sums[k] <= target)
		k++;
	return k;
}

void count_topic(struct model *model, u32 document, u32 word, u32 topic)
{
	u32 topics = model->settings->topics;

	counts_inc(&model->tpd, (u64)document * topics + topic);
	counts_inc(&model->wpt, (u64)word * topics + topic);
	counts_inc(&model->wt, topic);
}

static void clear_all(struct model *model)
{
	counts_clear(&model->tpd);
	counts_clear(&model->wpt);
	counts_clear(&model->wt);
}

static void reduce_all(struct model *model)
{
	counts_reduce(&model->wpt);
	counts_reduce(&model->wt);
}

/* Words of the documents of this process, one after the other. */
#define EACH_TOKEN(model, m, n)						\
	for (m = 0; m < (model)->corpus->documents; m++)		\
		if (is_mine(model, m))					\
			for (n = (model)->corpus->start[m]; n < (model)->corpus->start[m + 1]; n++)

/* A row of probabilities, each as likely: exponentials over their sum. */
static void random_row(float *row, u32 length, u32 stride, u64 random[4])
{
	double sum = 0;
	u32 i;

	for (i = 0; i < length; i++) {
		row[(u64)i * stride] = -log1p(-(next_bits(random) >> 11) * 0x1p-53);
		sum += row[(u64)i * stride];
	}
	for (i = 0; i < length; i++)
		row[(u64)i * stride] /= sum;
}

struct matrices {
	float *theta, *phi;
};

/* Phi is the same in all processes, so its numbers come of the seed alone. */
static void random_matrices(struct model *model, struct matrices *x)
{
	u32 topics = model->settings->topics, words = model->corpus->words, m, k;
	u64 seed = derive_seed(model->settings->seed, "phi", 0), shared[4];

	for (k = 0; k < 4; k++)
		shared[k] = next_seed(&seed);
	for (m = 0; m < model->corpus->documents; m++)
		random_row(x->theta + (u64)m * topics, topics, 1, model->random);
	for (k = 0; k < topics; k++)
		random_row(x->phi + k, words, topics, shared);
}

static float theta_of(const struct model *model, u32 m, u32 k)
{
	const struct settings *settings = model->settings;
	u32 length = model->corpus->start[m + 1] - model->corpus->start[m];

	return (counts_get(&model->tpd, (u64)m * settings->topics + k) + settings->alpha) /
	       (length + settings->topics * settings->alpha);
}

static float phi_of(const struct model *model, u32 v, u32 k)
{
	const struct settings *settings = model->settings;

	return (counts_get(&model->wpt, (u64)v * settings->topics + k) + settings->beta) /
	       (counts_get(&model->wt, k) + model->corpus->words * settings->beta);
}

/* Phase 1 of figure 5, lines 10 to 21 */
static void sample_matrices(struct model *model, const struct matrices *x)
{
	u32 topics = model->settings->topics, m, n, k;
	float *sums = allocate(topics, sizeof(float));

	EACH_TOKEN(model, m, n) {
		u32 word = model->corpus->word[n];
		const float *theta = x->theta + (u64)m * topics, *phi = x->phi + (u64)word * topics;
		float sum = 0;

		for (k = 0; k < topics; k++)
			sums[k] = sum += theta[k] * phi[k];
		count_topic(model, m, word, pick(sums, topics, draw(model)));
	}
	free(sums);
}

/* Phase 2, lines 23 to 32 */
static void compute_matrices(struct model *model, struct matrices *x)
{
	u32 topics = model->settings->topics, m, v, k;

	for (m = 0; m < model->corpus->documents; m++)
		for (k = 0; is_mine(model, m) && k < topics; k++)
			x->theta[(u64)m * topics + k] = theta_of(model, m, k);
	for (v = 0; v < model->corpus->words; v++)
		for (k = 0; k < topics; k++)
			x->phi[(u64)v * topics + k] = phi_of(model, v, k);
}

void run_gibbs(struct model *model)
{
	u32 topics = model->settings->topics, i;
	struct matrices x = {
		.theta = allocate((u64)model->corpus->documents * topics, sizeof(float)),
		.phi = allocate((u64)model->corpus->words * topics, sizeof(float)),
	};
	double sampling = 0, reducing = 0;

	random_matrices(model, &x);
	for (i = 1; i <= model->settings->iterations; i++) {
		double begin = MPI_Wtime(), middle;

		clear_all(model);
		sample_matrices(model, &x);
		middle = MPI_Wtime();
		reduce_all(model);
		reducing += MPI_Wtime() - middle;
		sampling += middle - begin;
		middle = MPI_Wtime();
		compute_matrices(model, &x);
		sampling += MPI_Wtime() - middle;
		print_line(model, i, sampling, reducing);
	}
	free(x.theta);
	free(x.phi);
}

/* Figure 7, lines 16 to 30: from the statistics of `old` to those of `model`. */
static void sample_counts(struct model *model, const struct model *old)
{
	u32 topics = model->settings->topics, m, n, k;
	float *sums = allocate(topics, sizeof(float));

	EACH_TOKEN(model, m, n) {
		u32 word = model->corpus->word[n];
		float sum = 0;

		for (k = 0; k < topics; k++)
			sums[k] = sum += theta_of(old, m, k) * phi_of(old, word, k);
		count_topic(model, m, word, pick(sums, topics, draw(model)));
	}
	free(sums);
}

static void swap_counts(struct model *a, struct model *b)
{
	struct model other = *b;

	b->tpd = a->tpd;
	b->wpt = a->wpt;
	b->wt = a->wt;
	a->tpd = other.tpd;
	a->wpt = other.wpt;
	a->wt = other.wt;
}

static void copy_of(struct model *copy, const struct model *model)
{
	u64 seed = derive_seed(model->settings->seed, "copy", model->rank);

	*copy = *model;
	counts_create(&copy->tpd, &model->settings->type, model->tpd.length, next_seed(&seed));
	counts_create(&copy->wpt, &model->settings->type, model->wpt.length, next_seed(&seed));
	counts_create(&copy->wt, &model->settings->type, model->wt.length, next_seed(&seed));
}

void run_sca(struct model *model)
{
	double sampling = 0, reducing = 0;
	struct model old;
	u32 m, n, i;

	copy_of(&old, model);
	EACH_TOKEN(model, m, n)
		count_topic(model, m, model->corpus->word[n],
			    draw(model) * model->settings->topics);
	reduce_all(model);
	for (i = 1; i <= model->settings->iterations; i++) {
		double begin = MPI_Wtime(), middle;

		swap_counts(model, &old);
		clear_all(model);
		sample_counts(model, &old);
		middle = MPI_Wtime();
		sampling += middle - begin;
		reduce_all(model);
		reducing += MPI_Wtime() - middle;
		print_line(model, i, sampling, reducing);
	}
	model->wpt.lost += old.wpt.lost;
	model->wt.lost += old.wt.lost;
}
