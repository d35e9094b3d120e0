// SPDX-License-Identifier: GPL-2.0
/* Options, and what is printed. */
#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lda.h"
#include "util.h"

static const char usage[] =
"Usage: mpirun -n PROCESSES lda [OPTION]... CORPUS\n"
"\n"
"  --algorithm A    gibbs (the paper's figure 5), sca (figure 7), or decrement (section 14;\n"
"                   one process)\n"
"  --counts TYPE    int32 morris1.08 morris1.1 csuros4 csuros5 morris2 dlm_probability\n"
"                   dlm_float\n"
"  --topics K       2 to 1000; 20\n"
"  --iterations I   1 to 100000; 75\n"
"  --alpha A, --beta B    above 0 to 100; 0.1\n"
"  --seed N         1\n"
"\n"
"A line an iteration: seconds of sampling and of reducing in process 0, measured; the log\n"
"likelihood of a training token; the perplexity of held-out documents.  The corpus is of\n"
"bench/lda/corpus.  Exit status: 0, or 2 for a wrong call or unreadable input.\n";

static double real_number(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value > 0 && value <= 100))
		errx(2, "--%s is above 0, and 100 at most, not '%s'", option, text);
	return value;
}

static void parse(int argc, char **argv, struct settings *settings)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "algorithm", required_argument, NULL, 'g' },
		{ "counts", required_argument, NULL, 'c' },
		{ "topics", required_argument, NULL, 'k' },
		{ "iterations", required_argument, NULL, 'i' },
		{ "alpha", required_argument, NULL, 'a' },
		{ "beta", required_argument, NULL, 'b' },
		{ "seed", required_argument, NULL, 's' },
		{ 0 }
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 'g':
			settings->algorithm = optarg;
			break;
		case 'c':
			settings->counts = optarg;
			break;
		case 'k':
			settings->topics = number_option("topics", optarg, 2, 1000);
			break;
		case 'i':
			settings->iterations = number_option("iterations", optarg, 1, 100000);
			break;
		case 'a':
			settings->alpha = real_number("alpha", optarg);
			break;
		case 'b':
			settings->beta = real_number("beta", optarg);
			break;
		case 's':
			settings->seed = number_option("seed", optarg, 0, ~0ULL);
			break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (argc - optind != 1) {
		fputs(usage, stderr);
		exit(2);
	}
	settings->path = argv[optind];
	if (!type_of(settings->counts, &settings->type))
		errx(2, "--counts is one of %s, not '%s'", type_names(), settings->counts);
}

static u64 reduced_bytes(const struct model *model)
{
	return model->processes > 1 ? counts_bytes(&model->wpt) + counts_bytes(&model->wt) : 0;
}

void print_line(const struct model *model, u32 iteration, double sampling, double reducing)
{
	struct quality quality = evaluate(model);

	if (model->rank)
		return;
	printf("%4u %9.3f %9.3f %9.4f %10.2f %12llu\n", iteration, sampling, reducing,
	       quality.likelihood, quality.perplexity, iteration * reduced_bytes(model));
	progress("iterations", iteration, model->settings->iterations);
}

static void print_head(const struct model *model)
{
	const struct settings *settings = model->settings;
	const struct corpus *corpus = model->corpus;
	u64 bytes = counts_bytes(&model->tpd) + counts_bytes(&model->wpt) + counts_bytes(&model->wt);

	printf("# measured: %s, counts %s, seed %llu, %d processes; %s: %u words, %u documents, %u tokens\n"
	       "# topics %u, alpha %g, beta %g; counters %llu bytes a process\n"
	       "# i  sampling  reducing likelihood perplexity bytes reduced, a process\n",
	       settings->algorithm, settings->counts, settings->seed, model->processes,
	       settings->path, corpus->words, corpus->documents, corpus->tokens, settings->topics,
	       settings->alpha, settings->beta, bytes);
}

static void print_lost(const struct model *model)
{
	if (!model->rank && (model->wt.lost || model->wpt.lost))
		printf("# counts were lost: in %llu reductions of topics, and %llu of words in topics\n",
		       model->wt.lost, model->wpt.lost);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct model *model);
	} algorithms[] = {
		{ "gibbs", run_gibbs }, { "sca", run_sca }, { "decrement", run_decrement },
	};
	struct settings settings = {
		.algorithm = "gibbs", .counts = "int32", .topics = 20, .iterations = 75,
		.alpha = 0.1, .beta = 0.1, .seed = 1,
	};
	struct model model = { .settings = &settings };
	void (*run)(struct model *model) = NULL;
	struct corpus corpus;
	u64 seed;
	u32 i;

	setlinebuf(stdout);
	/* Before MPI, which would end all processes with a page of text. */
	parse(argc, argv, &settings);
	for (i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		if (!strcmp(algorithms[i].name, settings.algorithm))
			run = algorithms[i].run;
	if (!run)
		errx(2, "--algorithm is gibbs, sca or decrement, not '%s'", settings.algorithm);
	corpus_load(&corpus, settings.path);
	model.corpus = &corpus;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &model.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &model.processes);
	seed = derive_seed(settings.seed, "process", model.rank);
	for (i = 0; i < 4; i++)
		model.random[i] = next_seed(&seed);
	counts_create(&model.tpd, &settings.type, (u64)corpus.documents * settings.topics, next_seed(&seed));
	counts_create(&model.wpt, &settings.type, (u64)corpus.words * settings.topics, next_seed(&seed));
	counts_create(&model.wt, &settings.type, settings.topics, next_seed(&seed));
	if (!model.rank)
		print_head(&model);
	run(&model);
	print_lost(&model);
	MPI_Finalize();
	return 0;
}
