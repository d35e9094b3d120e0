// SPDX-License-Identifier: GPL-2.0
/*
 * How good a model is: the log likelihood of a training token, and the perplexity of
 * held-out documents, whose topics are taken from one half of their words and judged by
 * the other.
 *
 * Phi is made of the words in topics alone, and adds up to 1 over the words.  That of the
 * algorithms is divided by the counter of the topic: where it lacks counts, phi would be
 * too large, and the perplexity too small.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lda.h"
#include "util.h"

enum { ROUNDS = 20 };

static double *make_phi(const struct model *model)
{
	u32 topics = model->settings->topics, words = model->corpus->words, v, k;
	double *phi = allocate((u64)words * topics, sizeof(*phi));

	for (k = 0; k < topics; k++) {
		double sum = 0;

		for (v = 0; v < words; v++)
			sum += counts_get(&model->wpt, (u64)v * topics + k) + model->settings->beta;
		for (v = 0; v < words; v++)
			phi[(u64)v * topics + k] = (counts_get(&model->wpt, (u64)v * topics + k) +
						    model->settings->beta) / sum;
	}
	return phi;
}

static double token_likelihood(const double *theta, const double *phi, u32 topics)
{
	double sum = 0;
	u32 k;

	for (k = 0; k < topics; k++)
		sum += theta[k] * phi[k];
	return log(sum);
}

/* The topics of a document by every second word, with phi as it is: EM from equal ones. */
static void infer(const struct model *model, const double *phi, u32 m, double *theta)
{
	const struct corpus *corpus = model->corpus;
	u32 topics = model->settings->topics, round, n, k;
	double *next = allocate(topics, sizeof(*next)), sum;

	for (k = 0; k < topics; k++)
		theta[k] = 1.0 / topics;
	for (round = 0; round < ROUNDS; round++) {
		for (k = 0; k < topics; k++)
			next[k] = model->settings->alpha;
		for (n = corpus->start[m]; n < corpus->start[m + 1]; n += 2) {
			const double *row = phi + (u64)corpus->word[n] * topics;

			for (sum = 0, k = 0; k < topics; k++)
				sum += theta[k] * row[k];
			for (k = 0; k < topics; k++)
				next[k] += theta[k] * row[k] / sum;
		}
		for (sum = 0, k = 0; k < topics; k++)
			sum += next[k];
		for (k = 0; k < topics; k++)
			theta[k] = next[k] / sum;
	}
	free(next);
}

static void train_theta(const struct model *model, u32 m, double *theta)
{
	u32 topics = model->settings->topics, k;
	double sum = 0;

	for (k = 0; k < topics; k++)
		sum += theta[k] = counts_get(&model->tpd, (u64)m * topics + k) +
				  model->settings->alpha;
	for (k = 0; k < topics; k++)
		theta[k] /= sum;
}

struct quality evaluate(const struct model *model)
{
	const struct corpus *corpus = model->corpus;
	u32 topics = model->settings->topics, m, n;
	double *phi = make_phi(model), *theta = allocate(topics, sizeof(*theta));
	/* Likelihood and tokens, of training and held out. */
	double sums[4] = { 0 };

	for (m = 0; m < corpus->documents; m++) {
		bool held = corpus->held[m];

		if (m % model->processes != (u32)model->rank)
			continue;
		if (held)
			infer(model, phi, m, theta);
		else
			train_theta(model, m, theta);
		for (n = corpus->start[m] + held; n < corpus->start[m + 1]; n += 1 + held) {
			sums[2 * held] += token_likelihood(theta, phi + (u64)corpus->word[n] * topics, topics);
			sums[2 * held + 1]++;
		}
	}
	free(phi);
	free(theta);
	MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return (struct quality){ sums[0] / sums[1], exp(-sums[2] / sums[3]) };
}
