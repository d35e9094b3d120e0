// SPDX-License-Identifier: GPL-2.0
/* Names, states and errors as text; files that appear complete or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "scounter.h"
#include "events.h"

char *text_dup(const char *text)
{
	char *shown = realloc(NULL, 4 * strlen(text) + 1);

	if (!shown)
		fail(FAILED, "out of memory");
	text_of((const unsigned char *)text, shown);
	return shown;
}

static bool is_ascii(const char *text, size_t length)
{
	uint64_t any = 0;
	size_t i;

	for (i = 0; i + 8 <= length; i += 8)
		any |= bytes_at(text + i);
	if (length >= 8)	/* the rest, and some again */
		any |= bytes_at(text + length - 8);
	else
		while (length-- > 0)
			any |= (unsigned char)*text++;
	return !(any & ALL(0x80));
}

int width_of(const char *text)
{
	return width_until(text, text + strlen(text));
}

int width_until(const char *text, const char *end)
{
	wchar_t wide[NAME_ROOM];
	size_t length = end - text;
	int width;

	if (is_ascii(text, length))
		return length;
	length = mbstowcs(wide, text, NAME_ROOM);
	width = length == (size_t)-1 ? -1 : wcswidth(wide, length);
	return width < 0 ? (int)strlen(text) : width;
}

int columns_of_terminal(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Characters, from the first on or from the last back, that fit. */
static size_t fitting(const wchar_t *text, size_t length, bool last, int *width)
{
	size_t n;
	int wide;

	for (n = 0; n < length; n++) {
		wide = wcwidth(last ? text[length - 1 - n] : text[n]);
		if (wide > *width)
			break;
		*width -= wide > 0 ? wide : 0;
	}
	return n;
}

void cut(char *text, int width, int behind)
{
	wchar_t wide[CUT_ROOM], shown[CUT_ROOM + 3], *end;
	size_t length = mbstowcs(wide, text, CUT_ROOM), first, last;
	char room[MB_LEN_MAX];
	bool has_dots;

	/* What is no text in this locale stays. */
	if (length >= CUT_ROOM || wcswidth(wide, length) <= width)
		return;
	has_dots = wctomb(room, L'…') > 0;
	width -= (has_dots ? 1 : 3) + behind;
	width = width > 0 ? width : 0;
	last = fitting(wide, length, true, &behind);
	width += behind;
	first = fitting(wide, length, false, &width);
	end = wcpcpy(wmemcpy(shown, wide, first) + first, has_dots ? L"…" : L"...");
	wmemcpy(end, wide + length - last, last);
	end[last] = 0;
	wcstombs(text, shown, strlen(text) + sizeof("…"));
}

/* A loop: most texts here are shorter than what a call costs. */
char *append_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static char *append_spaces(char *to, int n)
{
	if (n > 0)
		to = (char *)memset(to, ' ', n) + n;
	*to = 0;
	return to;
}

char *pad(const char *text, char *end, int width)
{
	return append_spaces(end, width - width_until(text, end));
}

char *append_left(char *to, const char *text, int width)
{
	char *end = append_text(to, text);

	return append_spaces(end, width - (int)(end - to));
}

char *append_number(char *to, uint64_t value, int width)
{
	char digits[24], *first = digits + sizeof(digits) - 1;

	*first = 0;
	do {
		*--first = '0' + value % 10;
		value /= 10;
	} while (value);
	return append_text(append_spaces(to, width - (int)(digits + sizeof(digits) - 1 - first)),
			   first);
}

const char *state_of(const record_t *record)
{
	if (record->flags & SCOUNTER_F_LOSSY)
		return "LOSES-COUNTS";
	if (record->flags & SCOUNTER_F_OVERFLOW)
		return "overflow";
	if (record->flags & SCOUNTER_F_WRAPPED)
		return "wrapped";
	if (record->flags & SCOUNTER_F_SATURATED)
		return "saturated";
	if (record->flags & SCOUNTER_F_PARTIAL)
		return "partial";
	if (record->flags & SCOUNTER_F_SAMPLING)
		return "sampling";
	/* Of a family: what is said of many words. */
	if (record->flags & SCOUNTER_F_GAUGE && record->error_ppm)
		return "estimate";
	return record->flags & SCOUNTER_F_INFLATED ? "inflated" : "exact";
}

char *append_percent(char *to, uint32_t ppm, int width)
{
	uint32_t part = ppm % 10000, scale = 1000;
	int digits = !part ? 0 : part % 10 ? 4 : part % 100 ? 3 : part % 1000 ? 2 : 1;

	/* Without zeros at its end: "1 % at most" is no measured 1.0000 %. */
	to = append_number(to, ppm / 10000, width - digits - (digits ? 2 : 1));
	if (digits)
		*to++ = '.';
	for (; digits; digits--, scale /= 10)
		*to++ = '0' + part / scale % 10;
	return append_text(to, "%");
}

char *append_error(char *to, const record_t *record, int width)
{
	if (unsure_of(record))
		return append_text(append_spaces(to, width - 1), "-");
	return append_percent(to, record->error_ppm, width);
}

void format_error(const record_t *record, char *to, size_t room)
{
	char text[32];

	append_error(text, record, 0);
	if (room && !memccpy(to, text, 0, room))
		to[room - 1] = 0;
}

void format_rate(const struct change *change, char *to, size_t room)
{
	if (change->seconds > 0)
		snprintf(to, room, "%.1f", change->events / change->seconds);
	else
		snprintf(to, room, "-");
}

void atomic_open(struct atomic_file *out, const char *path)
{
	struct stat there;
	int fd;

	*out = (struct atomic_file) { .path = path };
	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		fail(FAILED, "%s: not a regular file", path);
	/* What a link leads to, not the link, is replaced. */
	out->target = realpath(path, NULL);
	if (out->target)
		out->path = out->target;
	if (snprintf(out->temporary, sizeof(out->temporary), "%s.XXXXXX", out->path) >=
	    (int)sizeof(out->temporary))
		fail(FAILED, "%s: the name is too long", path);
	fd = mkstemp(out->temporary);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out->file)
		fail(FAILED, "%s: %s", path, strerror(errno));
	fchmod(fd, 0644);
	errno = 0;
}

int write_error(FILE *file)
{
	int before = errno;

	if (fflush(file))
		return errno;
	return ferror(file) ? (before ? before : EIO) : 0;
}

/* The name, too, is on the disk; a file system that cannot say so has it anyway. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[4096] = ".";
	int fd;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Without fsync() a failure of power may leave an empty file under the name. */
void atomic_close(struct atomic_file *out)
{
	int error = write_error(out->file);

	if (!error && fsync(fileno(out->file)))
		error = errno;
	if (fclose(out->file) && !error)
		error = errno;
	if (!error && rename(out->temporary, out->path))
		error = errno;
	if (error) {
		unlink(out->temporary);
		fail(FAILED, "%s: %s", out->path, strerror(error));
	}
	sync_folder(out->path);
	free(out->target);
}

/* There is for twice as many, whenever the count is a power of 2. */
void *events_room(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	items = realloc(items, (count ? 2 * count : 1) * size);
	if (!items)
		fail(FAILED, "out of memory");
	return items;
}
