// SPDX-License-Identifier: GPL-2.0
/*
 * What is written to the files of a counter in sysfs, and the names that another
 * module gives: kmod/registry/sysfs.c and kmod/registry/names.c.  The first byte chooses the kind, the
 * second the file, and the rest is written; then it is a name.
 */
#include <stdarg.h>
#include <string.h>

#include <linux/kobject.h>
#include <linux/scounter.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "fuzz.h"
#include "kinds/kind.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/sysfs.h"

#define PAGE	4096
#define EVENTS	1000

static struct kobject root;
static const struct scounter_view *view;

void scounter_registry_view(const struct scounter_view *new_view)
{
	view = new_view;
}

umode_t scounter_file_mode(void)
{
	return 0444;
}

kgid_t scounter_access_gid(void)
{
	return (kgid_t) { 0 };
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *format, ...)
{
	(void)parent;
	require(kobj->references && !strcmp(format, "%s"));
	return 0;
}

struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
{
	(void)parent;
	require(*name);
	root.references++;
	return &root;
}

void kobject_del(struct kobject *kobj)
{
	require(kobj->references);
}

void kobject_put(struct kobject *kobj)
{
	require(kobj->references);
	if (!--kobj->references && kobj->type)
		kobj->type->release(kobj);
}

int sysfs_emit(char *buf, const char *format, ...)
{
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(buf, PAGE, format, list);
	va_end(list);
	require(length > 0 && length < PAGE);
	return length;
}

/* The same, or with a newline more at the end of either. */
bool sysfs_streq(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (!*a || (*a == '\n' && !a[1])) && (!*b || (*b == '\n' && !b[1]));
}

int fuzz_fprintf(FILE *file, const char *format, ...);

int fuzz_fprintf(FILE *file, const char *format, ...)
{
	(void)format;
	require(file == stderr);
	return 0;
}

/* As sysfs does: what was written, at most a page, with a NUL behind it. */
static ssize_t write_to(struct kobject *kobj, struct attribute *attribute, const uint8_t *data,
			size_t size)
{
	char *text;
	ssize_t done;

	if (size > PAGE - 1)
		size = PAGE - 1;
	text = malloc(size + 1);
	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	done = kobj->type->sysfs_ops->store(kobj, attribute, text, size);
	require(done < 0 || (size_t)done == size);
	free(text);
	return done;
}

/* A line, and nothing that a terminal would obey. */
static void read_from(struct kobject *kobj, struct attribute *attribute)
{
	static char text[PAGE];
	ssize_t length = kobj->type->sysfs_ops->show(kobj, attribute, text), i;

	if (length < 0)
		return;
	require(length > 1 && text[length - 1] == '\n');
	for (i = 0; i < length - 1; i++)
		require(text[i] >= ' ' && text[i] < 0x7f);
}

static bool says_reset(const uint8_t *data, size_t size)
{
	size_t length = size ? strnlen((const char *)data, size) : 0;

	return (length == 1 && data[0] == '1') ||
	       (length == 2 && data[0] == '1' && data[1] == '\n');
}

/* Only "1" in "reset" changes anything, and does what it says. */
static void use(struct kobject *kobj, struct scounter *counter, const uint8_t *data, size_t size)
{
	struct attribute **attributes = kobj->type->default_groups[0]->attrs;
	uint64_t before;
	u32 n = 0;
	bool is_reset;

	while (attributes[n])
		n++;
	scounter_add(counter, EVENTS);
	before = scounter_read(counter);
	require(before);
	attributes += data[0] % n;
	is_reset = !strcmp((*attributes)->name, "reset") && says_reset(data + 1, size - 1);
	require(is_reset == (write_to(kobj, *attributes, data + 1, size - 1) > 0));
	require(scounter_read(counter) == (is_reset ? 0 : before));
	for (attributes -= data[0] % n; *attributes; attributes++)
		read_from(kobj, *attributes);
}

static void in_files(u32 kind, const uint8_t *data, size_t size)
{
	const struct scounter_params params = { .kind = kind };
	struct scounter *counter = shim_zalloc(sizeof(*counter));
	struct scounter_group group = { .name = "group" };
	struct scounter_entry entry = {
		.counter = counter, .item = { .name = "name", .spot.group = &group },
	};

	require(!scounter_init(counter, &params) && !scounter_spread(counter, GFP_KERNEL));
	scounter_sysfs_view();
	require(!scounter_sysfs_init());
	require(!view->add_group(&group) && !view->add(&entry));
	use(entry.view[SCOUNTER_VIEW_SYSFS], counter, data, size);
	view->remove(&entry);
	view->remove_group(&group);
	scounter_sysfs_exit();
	scounter_collapse(counter);
	counters_settle();
	shim_free(counter);
}

/* A name that is taken can be a file's, and says nothing to a terminal. */
static void as_name(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *at;
	int err;

	require(name);
	memcpy(name, data, size);
	name[size] = '\0';
	err = scounter_check_name("name", name);
	require(!err || err == -EINVAL || err == -ENAMETOOLONG);
	require((err == -ENAMETOOLONG) == (strlen(name) > SCOUNTER_NAME_MAX));
	if (!err) {
		require(*name && strcmp(name, ".") && strcmp(name, ".."));
		for (at = name; *at; at++)
			require(*at != '/' && (uint8_t)*at >= ' ' && *at != 0x7f);
	}
	err = scounter_kind_by_name(name);
	require(err < 0 || !strcmp(name, err == SCOUNTER_EXACT ? "exact" :
				   err == SCOUNTER_APPROX ? "approx" : scounter_kind_name(err)));
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool started;

	if (!started)
		require(shim_init(4, 2));
	started = true;
	counters_init(1);
	if (size < 3)
		return 0;
	in_files(1 + data[0] % __SCOUNTER_KINDS, data + 1, size - 1);
	as_name(data + 2, size - 2);
	return 0;
}
