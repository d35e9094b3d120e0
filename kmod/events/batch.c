// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of the events of one system, and the probe that counts in one of them.
 *
 * A probe is called with the arguments of its tracepoint behind the data, and leaves them
 * alone.  So one probe does for all tracepoints, on kernels that do not compare
 * prototypes.  For each error there is a probe with a constant class: the increment is
 * inlined, and the data is the word.
 *
 * A batch is a sparse set with a row for each event of the system, of which those are to
 * be seen that are attached.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scounter_set.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/events.h"

#define APPROX(ppm)							\
static notrace void probe_##ppm(void *word)				\
{									\
	static const struct scounter_class class =			\
		SCOUNTER_CLASS(SCOUNTER_APPROX, ppm);			\
									\
	scounter_word32_inc(word, &class);				\
}

APPROX(5000)
APPROX(10000)
APPROX(20000)
APPROX(50000)
APPROX(100000)
APPROX(200000)

static notrace void probe_exact(void *word)
{
	static const struct scounter_class class = SCOUNTER_CLASS(SCOUNTER_EXACT, 0);

	scounter_word64_inc(word, &class);
}

#define VARIANT(ppm, suffix) \
	{ "approx", ppm, SCOUNTER_CLASS(SCOUNTER_APPROX, ppm), probe_##ppm, suffix }

static const struct variant variants[] = {
	VARIANT(10000, ""), VARIANT(5000, ":0.5%"), VARIANT(20000, ":2%"),
	VARIANT(50000, ":5%"), VARIANT(100000, ":10%"), VARIANT(200000, ":20%"),
	{ "exact", 0, SCOUNTER_CLASS(SCOUNTER_EXACT, 0), probe_exact, ":exact" },
};

/* The first of its kind, if the error is 0; NULL if there is no such. */
const struct variant *scounter_variant(const char *kind, u32 error_ppm)
{
	const struct variant *variant;

	for (variant = variants; variant < variants + ARRAY_SIZE(variants); variant++)
		if (!strcmp(variant->kind, kind) &&
		    (!error_ppm || variant->error_ppm == error_ppm))
			return variant;
	return NULL;
}

static size_t names_size(const struct source *source, const char *system, u32 *count)
{
	size_t size = 0;
	u32 i;

	*count = 0;
	for (i = 0; i < source->count; i++)
		if (!strcmp(source->events[i].system, system)) {
			size += strlen(source->events[i].tracepoint->name) + 1;
			++*count;
		}
	return size;
}

static struct description *describe(struct source *source, const char *system,
				    const struct choice *choice)
{
	struct description *description;
	size_t names;
	u32 i, count;

	names = names_size(source, system, &count);
	description = scounter_describe_set(choice, "system", SCOUNTER_SET_SPARSE, count, names);
	for (i = 0; description && i < source->count; i++) {
		struct event *event = &source->events[i];

		if (!strcmp(event->system, system))
			event->row = scounter_describe_row(description, "events", "%s",
							   event->tracepoint->name);
	}
	return description;
}

/* A module may have events in a system of the kernel's. */
static struct scounter_set *publish(struct description *description, const struct source *source,
				    const char *system, const struct variant *variant)
{
	char object[SCOUNTER_NAME_MAX + 1];
	struct scounter_set *set;

	snprintf(object, sizeof(object), "%s%s", system, variant->suffix);
	set = scounter_set_create(&description->desc, object, GFP_KERNEL);
	if (!source->module || set != ERR_PTR(-EEXIST))
		return set;
	snprintf(object, sizeof(object), "%s%s:%s", system, variant->suffix,
		 source->module->name);
	return scounter_set_create(&description->desc, object, GFP_KERNEL);
}

static struct batch *new_batch(struct source *source, const char *system,
			       const struct choice *choice)
{
	struct batch *batch = kzalloc(sizeof(*batch), GFP_KERNEL);
	struct description *description = describe(source, system, choice);

	if (!batch || !description) {
		kfree(batch);
		kvfree(description);
		return ERR_PTR(-ENOMEM);
	}
	batch->system = system;
	batch->variant = choice->variant;
	batch->group = description->group;
	batch->set = publish(description, source, system, choice->variant);
	if (IS_ERR(batch->set)) {
		void *err = batch->set;

		kvfree(description);
		kfree(batch);
		return err;
	}
	list_add_tail(&batch->list, &source->batches);
	return batch;
}

/* The batch of a system's events, made if there is none; nothing may be attached yet. */
struct batch *scounter_batch_get(struct source *source, const char *system,
				 const struct choice *choice)
{
	struct batch *batch;

	list_for_each_entry(batch, &source->batches, list)
		if (!strcmp(batch->system, system) && batch->variant == choice->variant &&
		    !strcmp(batch->group, choice->group))
			return batch;
	return new_batch(source, system, choice);
}

/* Those of which no event is attached, when no probe can be counting in them any more. */
void scounter_batch_free_unused(struct source *source)
{
	struct batch *batch, *next;

	list_for_each_entry_safe(batch, next, &source->batches, list) {
		if (batch->attached)
			continue;
		list_del(&batch->list);
		scounter_set_destroy(batch->set);
		kfree(batch);
	}
}

static void *word(const struct batch *batch, const struct event *event)
{
	return __scounter_set_word(batch->set, batch->set->desc, event->row);
}

int scounter_batch_attach(struct batch *batch, struct event *event)
{
	int err = tracepoint_probe_register(event->tracepoint, batch->variant->probe,
					    word(batch, event));

	if (err)
		return err;
	event->batch = batch;
	batch->attached++;
	scounter_set_show_row(batch->set, event->row, true);
	return 0;
}

/* The probe may still run until tracepoint_synchronize_unregister(). */
void scounter_batch_detach(struct event *event)
{
	struct batch *batch = event->batch;

	scounter_set_show_row(batch->set, event->row, false);
	tracepoint_probe_unregister(event->tracepoint, batch->variant->probe,
				    word(batch, event));
	event->batch = NULL;
	batch->attached--;
}

void scounter_batch_show(struct seq_file *seq, const struct event *event)
{
	const struct batch *batch = event->batch;
	struct scounter_estimate estimate;

	scounter_set_read_est(batch->set, event->row, &estimate);
	scounter_attached_line(seq, event, batch->variant->kind, &estimate, batch->group, NULL);
}
