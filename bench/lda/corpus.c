// SPDX-License-Identifier: GPL-2.0
/* A corpus as bench/lda/corpus writes it. */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>

#include "lda.h"
#include "util.h"

enum { MOST = 100000000 };

static void skip_line(FILE *file, const char *path)
{
	int c;

	do {
		c = getc(file);
		if (c == EOF)
			errx(2, "%s is truncated", path);
	} while (c != '\n');
}

/* The numbers up to the end of the line. */
static u32 load_document(struct corpus *corpus, FILE *file, u32 token, const char *path)
{
	unsigned int word;
	int c;

	while ((c = getc(file)) == ' ') {
		if (token >= corpus->tokens || fscanf(file, "%u", &word) != 1 ||
		    word >= corpus->words)
			errx(2, "%s: a word that there is not, or more words than it says", path);
		corpus->word[token++] = word;
	}
	if (c != '\n')
		errx(2, "%s: a document without its end", path);
	return token;
}

void corpus_load(struct corpus *corpus, const char *path)
{
	FILE *file = fopen(path, "r");
	u32 i, token = 0, held = 0;
	int c;

	if (!file)
		err(2, "%s", path);
	if (fscanf(file, "lda-corpus 1 %u %u %u", &corpus->words, &corpus->documents,
		   &corpus->tokens) != 3)
		errx(2, "%s is no corpus of bench/lda/corpus", path);
	if (corpus->words < 2 || corpus->words > MOST || corpus->documents < 2 ||
	    corpus->documents > MOST || corpus->tokens > MOST)
		errx(2, "%s: its numbers are out of range", path);
	skip_line(file, path);
	for (i = 0; i < corpus->words; i++)
		skip_line(file, path);
	corpus->start = allocate(corpus->documents + 1, sizeof(u32));
	corpus->word = allocate(corpus->tokens + 1, sizeof(u32));
	corpus->held = allocate(corpus->documents, sizeof(bool));
	for (i = 0; i < corpus->documents; i++) {
		c = getc(file);
		if (c != 't' && c != 'h')
			errx(2, "%s: document %u is neither for training nor held out", path, i);
		corpus->held[i] = c == 'h';
		held += c == 'h';
		corpus->start[i] = token;
		token = load_document(corpus, file, token, path);
	}
	corpus->start[i] = token;
	if (token != corpus->tokens || !held || held == corpus->documents)
		errx(2, "%s: %u words of %u, %u of %u documents held out", path, token,
		     corpus->tokens, held, corpus->documents);
	fclose(file);
}
