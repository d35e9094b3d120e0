// SPDX-License-Identifier: GPL-2.0
/* Where snapshots come from: the device, or a file; what is wrong ends the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scounter.h"

#define DEVICE		"/dev/scounter"

static void no_device(int error)
{
	const char *root = sysfs_root();

	if (error == EAGAIN)
		fail(FAILED, "%s: too many snapshots are held open; try again", DEVICE);
	if (access(root, F_OK) == 0)
		fail(FAILED, "%s: %s; the module is loaded, but its device is not to be read "
		     "here (a container needs it passed in)", DEVICE, strerror(error));
	fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
}

void source_open(struct source *source, const char *path, char **patterns)
{
	*source = (struct source) { .path = path, .patterns = patterns };
	if (!path) {
		source->path = DEVICE;
		source->is_device = true;
		return;
	}
	source->file = !strcmp(path, "-") ? stdin : fopen(path, "re");
	if (!source->file)
		fail(FAILED, "%s: %s", path, strerror(errno));
}

void source_close(struct source *source)
{
	if (source->file && source->file != stdin)
		fclose(source->file);
	source->file = NULL;
}

/* The device gives a new snapshot to each opening. */
static void open_device(struct source *source)
{
	int first;

	source_close(source);
	source->file = fopen(DEVICE, "re");
	if (!source->file)
		no_device(errno);
	filter_device(source->file, source->patterns);
	first = fgetc(source->file);
	if (first == EOF)
		no_device(errno);
	ungetc(first, source->file);
}

bool source_next(struct source *source, struct snapshot *snapshot)
{
	int got;

	if (source->is_device)
		open_device(source);
	got = snapshot_load(snapshot, source->file);
	if (got < 0)
		fail(FAILED, "%s: %s", source->path, array_error());
	snapshot->filtered = source->is_device && source->patterns && *source->patterns;
	return got;
}

void snapshot_read(const char *path, char **patterns, struct snapshot *snapshot)
{
	struct source source;

	source_open(&source, path, patterns);
	if (!source_next(&source, snapshot))
		fail(FAILED, "%s: empty", source.path);
	source_close(&source);
}

bool snapshot_try(const char *path, struct snapshot *snapshot, const char **damage)
{
	struct source source;
	int got;

	source_open(&source, path, NULL);
	got = snapshot_load(snapshot, source.file);
	if (got == -EIO || got == -ENOMEM)
		fail(FAILED, "%s: %s", path, array_error());
	source_close(&source);
	*damage = got ? array_error() : "empty";
	return got > 0;
}

bool snapshot_select(struct snapshot *snapshot, char **patterns, bool complain)
{
	int err = snapshot_keep(snapshot, patterns, complain ? no_counter : NULL);

	if (err && err != -ENOENT)
		fail(FAILED, "%s", array_error());
	return !err;
}
