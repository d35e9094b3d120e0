// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on a few open files, drawn one after the other, and what must hold after
 * each, whatever became of the file meanwhile: only an error that says so, no byte
 * beyond what was asked for or beyond the file's end, the same bytes again from what
 * is a snapshot, and nothing written but a reset, by root alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files.h"

#define SLOTS	24
#define ROOM	(1 << 16)
/* Behind what may be written, to see whether more is. */
#define GUARD	64
#define GUARD_BYTE	0xa5

struct slot {
	int fd;			/* -1: closed */
	const struct path *path;
	bool may_read, may_write;
	long long size;		/* -1: not known */
};

static struct slot slots[SLOTS];
static bool root;
static int null, pipes[2];
static uint8_t buffer[ROOM + GUARD], other[ROOM + GUARD];
static uint8_t *edge;		/* two pages, of which the second cannot be accessed */
static long page;

static const int known_errors[] = {
	EACCES, EAGAIN, EBADF, EFAULT, EINVAL, EIO, EISDIR, ENODEV, ENOENT, ENOTDIR, ENOTTY,
	ENXIO, EOPNOTSUPP, EOVERFLOW, EPERM, ESPIPE, ELOOP, EXDEV,
};

/* An error of an operation is one that a client may expect. */
static void expect_known_error(const char *operation, const struct path *path)
{
	size_t i;

	for (i = 0; i < sizeof(known_errors) / sizeof(known_errors[0]); i++)
		if (errno == known_errors[i])
			return;
	found("%s of %s: %s", operation, path->name, strerror(errno));
}

static size_t odd_size(void)
{
	static const size_t sizes[] = {
		0, 1, 2, 7, 8, 63, 72, 255, 280, 352, 4095, 4096, 4097, 12345, ROOM,
	};

	return draw(4) ? sizes[draw(sizeof(sizes) / sizeof(sizes[0]))] : draw(ROOM);
}

static off_t odd_offset(const struct slot *slot)
{
	static const off_t offsets[] = {
		0, 0, 0, 1, 7, 71, 72, 80, 4095, 4096, 1L << 31, 1L << 32, (1L << 32) + 1,
		INT64_MAX, INT64_MAX - 4096, INT64_MIN, -1,
	};

	if (slot->size > 0 && draw(2))
		return slot->size - 2 + draw(5);
	return draw(4) ? offsets[draw(sizeof(offsets) / sizeof(offsets[0]))] :
	       (off_t)draw(1 << 14);
}

static void set_guard(uint8_t *bytes, size_t size)
{
	memset(bytes + size, GUARD_BYTE, GUARD);
}

static void check_guard(const struct path *path, const uint8_t *bytes, size_t size)
{
	int i;

	for (i = 0; i < GUARD; i++)
		if (bytes[size + i] != GUARD_BYTE)
			found("a read of %zu bytes of %s wrote more", size, path->name);
}

/* What came of a read of @size bytes at @offset. */
static void check_read(const struct slot *slot, ssize_t got, size_t size, off_t offset)
{
	if (got < 0) {
		expect_known_error("read", slot->path);
		return;
	}
	if (got && !slot->may_read)
		found("%s was read, opened for writing alone", slot->path->name);
	if ((size_t)got > size)
		found("%zd bytes of %s, asked for %zu", got, slot->path->name, size);
	if (slot->size >= 0 && got && offset + got > slot->size)
		found("%zd bytes of %s at %lld, but it has %lld", got, slot->path->name,
		      (long long)offset, slot->size);
}

/* A form's header says how long the file is; that of a snapshot stays. */
static void learn_size(struct slot *slot)
{
	ssize_t got = pread(slot->fd, other, 256, 0);

	slot->size = -1;
	if (got > 0)
		slot->size = path_size(slot->path, other, got);
	if (got > 0 && slot->path->form == COUNTERS && slot->size < 0)
		found("%s has no header", slot->path->name);
}

static void close_slot(struct slot *slot)
{
	if (slot->fd >= 0 && close(slot->fd))
		expect_known_error("close", slot->path);
	slot->fd = -1;
}

static void open_slot(struct slot *slot)
{
	static const int extra[] = {
		0, 0, 0, 0, O_NONBLOCK, O_APPEND, O_CLOEXEC, O_SYNC, O_NOFOLLOW, O_DIRECTORY, O_PATH,
	};
	static const int access[] = { O_RDONLY, O_RDONLY, O_RDONLY, O_WRONLY, O_RDWR };
	int how = access[draw(5)], flags = how | extra[draw(sizeof(extra) / sizeof(extra[0]))];

	close_slot(slot);
	slot->path = &paths[draw(path_count)];
	if (slot->path->is_reset && root)
		flags = how = O_WRONLY;
	slot->may_read = how != O_WRONLY && !(flags & O_PATH);
	slot->may_write = how != O_RDONLY && !(flags & O_PATH);
	slot->fd = open(slot->path->name, flags);
	if (slot->fd < 0) {
		expect_known_error("open", slot->path);
		return;
	}
	if (slot->may_write && (!root || slot->path->form == COUNTERS))
		found("%s was opened for writing", slot->path->name);
	slot->size = -1;
	if (slot->may_read && draw(2))
		learn_size(slot);
}

static void read_at(struct slot *slot)
{
	size_t size = odd_size();
	off_t offset = odd_offset(slot);

	set_guard(buffer, size);
	check_read(slot, pread(slot->fd, buffer, size, offset), size, offset);
	check_guard(slot->path, buffer, size);
}

static void read_on(struct slot *slot)
{
	size_t size = odd_size();
	off_t offset = lseek(slot->fd, 0, SEEK_CUR);

	set_guard(buffer, size);
	check_read(slot, read(slot->fd, buffer, size), size, offset < 0 ? 0 : offset);
	check_guard(slot->path, buffer, size);
}

/* What was read once is read again, byte by byte the same. */
static void read_twice(struct slot *slot)
{
	size_t size = odd_size();
	off_t offset = odd_offset(slot);
	ssize_t first = pread(slot->fd, buffer, size, offset), second;

	check_read(slot, first, size, offset);
	if (first <= 0 || !slot->path->is_snapshot)
		return;
	second = pread(slot->fd, other, first, offset);
	check_read(slot, second, first, offset);
	if (second > 0 && memcmp(buffer, other, second))
		found("%s has changed", slot->path->name);
}

/* Each to its own segment, in pieces. */
static void read_pieces(struct slot *slot)
{
	size_t first = draw(300), second = draw(5000);
	struct iovec pieces[] = { { buffer, first }, { other, second } };

	set_guard(buffer, first);
	set_guard(other, second);
	check_read(slot, preadv(slot->fd, pieces, 2, 0), first + second, 0);
	check_guard(slot->path, buffer, first);
	check_guard(slot->path, other, second);
}

/* Up to the end of what may be written to, and nowhere. */
static void read_to_the_edge(struct slot *slot)
{
	size_t room = draw(page), size = room + draw(2 * page);
	ssize_t got = pread(slot->fd, edge + page - room, size, 0);

	check_read(slot, got, size, 0);
	if (got > (ssize_t)room)
		found("%zd bytes of %s, with room for %zu", got, slot->path->name, room);
	if (pread(slot->fd, NULL, 1 + draw(100), 0) > 0)
		found("%s was read to nowhere", slot->path->name);
}

static void seek(struct slot *slot)
{
	int whence = draw(6);
	off_t offset = odd_offset(slot), got = lseek(slot->fd, offset, whence);

	if (got == -1) {
		expect_known_error("seek", slot->path);
		return;
	}
	if (whence == SEEK_SET && got != offset)
		found("%s: at %lld, and not at %lld", slot->path->name, (long long)got,
		      (long long)offset);
	if (slot->path->form == COUNTERS && slot->size >= 0 && got > slot->size)
		found("%s: at %lld of %lld", slot->path->name, (long long)got, slot->size);
}

/* The one line that says "reset", as sysfs takes it; the rest behind a NUL is not seen. */
static bool says_reset(const uint8_t *bytes, size_t size)
{
	char text[4] = "";

	memcpy(text, bytes, size < 3 ? size : 3);
	return size && (!strcmp(text, "1") || !strcmp(text, "1\n"));
}

static size_t draw_text(void)
{
	static const char *const texts[] = {
		"1", "1", "1\n", "0", "", "\n", "11", " 1", "1 ", "1\n\n", "01", "-1", "reset",
	};
	size_t size, i;

	if (draw(4)) {
		size = draw(sizeof(texts) / sizeof(texts[0]));
		strcpy((char *)buffer, texts[size]);
		return strlen(texts[size]) + (draw(8) == 0);
	}
	size = odd_size();
	for (i = 0; i < size; i++)
		buffer[i] = draw(4) ? (uint8_t)draw(256) : (uint8_t)"1\n\0 "[draw(4)];
	return size;
}

static void write_junk(struct slot *slot)
{
	size_t size = draw_text();
	ssize_t done = draw(2) ? write(slot->fd, buffer, size) :
				 pwrite(slot->fd, buffer, size, odd_offset(slot));

	if (done < 0) {
		expect_known_error("write", slot->path);
		return;
	}
	if (done && (!root || !slot->may_write || !slot->path->is_reset))
		found("%s was written", slot->path->name);
	if (done && !says_reset(buffer, size))
		found("%s took %zu bytes that are no reset", slot->path->name, size);
	if (done && slot->path->kept)
		slot->path->kept->value = 0;
}

static void control(struct slot *slot)
{
	static const uint8_t types[] = { 's', 'S', 'c', 0, 1, 0xff, 'k' };
	unsigned long request = _IOC(draw(4), types[draw(sizeof(types))], draw(256), draw(4096));

	memset(buffer, draw(256), 4096);
	if (ioctl(slot->fd, request, draw(2) ? (void *)buffer : (void *)draw(1UL << 47)) >= 0)
		found("%s took ioctl %#lx", slot->path->name, request);
	expect_known_error("ioctl", slot->path);
}

static void map(struct slot *slot)
{
	static const int protections[] = {
		PROT_READ, PROT_READ | PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	void *at = mmap(NULL, page << draw(3), protections[draw(4)],
			draw(2) ? MAP_SHARED : MAP_PRIVATE, slot->fd, draw(3) * page);

	if (at != MAP_FAILED)
		found("%s was mapped", slot->path->name);
	expect_known_error("mmap", slot->path);
}

static void duplicate(struct slot *slot)
{
	struct slot *to = &slots[draw(SLOTS)];

	if (to == slot)
		return;
	close_slot(to);
	*to = *slot;
	to->fd = dup(slot->fd);
	if (to->fd < 0)
		found("dup of %s: %s", slot->path->name, strerror(errno));
}

static void wait_for(struct slot *slot)
{
	struct pollfd one = { slot->fd, POLLIN | POLLOUT | POLLPRI, 0 };

	if (poll(&one, 1, 0) < 0)
		expect_known_error("poll", slot->path);
}

static void send_on(struct slot *slot)
{
	size_t size = odd_size();
	off_t offset = odd_offset(slot), from = offset;

	check_read(slot, sendfile(null, slot->fd, &offset, size), size, from);
}

static void splice_on(struct slot *slot)
{
	size_t size = draw(5000);
	ssize_t got = splice(slot->fd, NULL, pipes[1], NULL, size, SPLICE_F_NONBLOCK);

	check_read(slot, got, size, 0);
	while (read(pipes[0], buffer, ROOM) > 0)
		;
}

/* By the name of an open file, for more than it was opened for. */
static void open_again(struct slot *slot)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", slot->fd);
	fd = open(name, draw(2) ? O_WRONLY : O_RDWR);
	if (fd < 0) {
		expect_known_error("second open", slot->path);
		return;
	}
	if (!root)
		found("%s was opened for writing by its number", slot->path->name);
	close(fd);
}

/* What only the owner may do, whom nobody is not. */
static void change_file(struct slot *slot)
{
	if (root)
		return;
	if (!fchmod(slot->fd, 0777) || !fchown(slot->fd, 65534, 65534) ||
	    !chmod(slot->path->name, 0777) || !unlink(slot->path->name) ||
	    !truncate(slot->path->name, draw(100)) || !rename(slot->path->name, DEBUGFS "/x"))
		found("%s was changed", slot->path->name);
	expect_known_error("change", slot->path);
}

static void change_flags(struct slot *slot)
{
	fcntl(slot->fd, F_SETFL, (int)draw(1 << 16) & (O_APPEND | O_NONBLOCK));
	fsync(slot->fd);
}

static void check_value(struct slot *slot)
{
	if (root && slot->path->kept && kept_read(slot->path->kept) != slot->path->kept->value)
		found("%s: the value has changed", slot->path->name);
}

static void (*const operations[])(struct slot *slot) = {
	open_slot, open_slot, open_slot, close_slot, read_at, read_at, read_at, read_on, read_on,
	read_twice, read_twice, read_pieces, read_to_the_edge, seek, seek, write_junk, write_junk,
	control, map, duplicate, wait_for, send_on, splice_on, open_again, change_file,
	change_flags, check_value, learn_size,
};

static void prepare(void)
{
	int i;

	page = sysconf(_SC_PAGESIZE);
	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	null = open("/dev/null", O_WRONLY);
	if (edge == MAP_FAILED || mprotect(edge + page, page, PROT_NONE) || null < 0 ||
	    pipe2(pipes, O_NONBLOCK))
		found("cannot begin: %s", strerror(errno));
	for (i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
}

void operate(long count, bool is_root)
{
	long i;
	int n;

	root = is_root;
	prepare();
	for (i = 0; i < count; i++) {
		struct slot *slot = &slots[draw(SLOTS)];

		n = draw(sizeof(operations) / sizeof(operations[0]));
		operation_number = i;
		if (slot->fd < 0)
			open_slot(slot);
		else
			operations[n](slot);
	}
	for (n = 0; n < SLOTS; n++)
		close_slot(&slots[n]);
}
