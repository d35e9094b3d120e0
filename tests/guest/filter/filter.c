// SPDX-License-Identifier: GPL-2.0
/*
 * A snapshot of some counters: SCOUNTER_IOC_FILTER on /dev/scounter.
 *
 * Usage: filter GROUP PATTERN
 *
 * Prints the names of the snapshot, one a line, and before them what is wrong with how
 * the device takes filters.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../../include/uapi/linux/scounter.h"

static void expect(const char *what, int got, int error)
{
	if (got < 0 ? errno != error : error)
		printf("%s: %s, and not: %s\n", what, got < 0 ? strerror(errno) : "done",
		       error ? strerror(error) : "done");
}

static int open_device(void)
{
	int fd = open("/dev/scounter", O_RDONLY);

	if (fd < 0) {
		perror("/dev/scounter");
		exit(1);
	}
	return fd;
}

static void refused(void)
{
	struct scounter_filter endless = { .pattern = "*" }, all = { .group = "" };
	int fd = open_device();
	char byte;

	expect("no filter", ioctl(fd, SCOUNTER_IOC_FILTER, NULL), EFAULT);
	expect("another command", ioctl(fd, SCOUNTER_IOC_FILTER + 1, &all), ENOTTY);
	expect("another size", ioctl(fd, _IOW(0xEF, 0x01, int), &all), ENOTTY);
	memset(endless.group, 'g', sizeof(endless.group));
	expect("a group without an end", ioctl(fd, SCOUNTER_IOC_FILTER, &endless), EINVAL);
	endless.group[0] = 0;
	memset(endless.pattern, 'p', sizeof(endless.pattern));
	expect("a pattern without an end", ioctl(fd, SCOUNTER_IOC_FILTER, &endless), EINVAL);
	expect("all", ioctl(fd, SCOUNTER_IOC_FILTER, &all), 0);
	expect("read", read(fd, &byte, 1) - 1, 0);
	expect("a filter too late", ioctl(fd, SCOUNTER_IOC_FILTER, &all), EBUSY);
	close(fd);
	fd = open_device();
	expect("seek", lseek(fd, 1, SEEK_SET) - 1, 0);
	expect("a filter after a seek", ioctl(fd, SCOUNTER_IOC_FILTER, &all), EBUSY);
	close(fd);
}

static void want(int fd, void *to, size_t size)
{
	if (read(fd, to, size) == (ssize_t)size)
		return;
	puts("the snapshot ends too early");
	exit(1);
}

static void print(int fd)
{
	struct scounter_snapshot_header header;
	struct scounter_snapshot_record record = {};
	uint64_t i;

	want(fd, &header, sizeof(header));
	lseek(fd, header.header_size, SEEK_SET);
	for (i = 0; i < header.count; i++) {
		want(fd, &record, header.record_size);
		printf("%s/%s%s%s\n", record.group, record.object, *record.object ? "/" : "",
		       record.name);
	}
	if (read(fd, &record, 1))
		puts("the snapshot goes on behind its end");
}

int main(int argc, char **argv)
{
	struct scounter_filter filter = { .group = "another", .pattern = "*" };
	int fd;

	if (argc != 3)
		return 2;
	refused();
	fd = open_device();
	/* The later one is in force. */
	expect("a filter", ioctl(fd, SCOUNTER_IOC_FILTER, &filter), 0);
	memset(&filter, 0, sizeof(filter));
	strncpy((char *)filter.group, argv[1], sizeof(filter.group) - 1);
	strncpy((char *)filter.pattern, argv[2], sizeof(filter.pattern) - 1);
	expect("another filter", ioctl(fd, SCOUNTER_IOC_FILTER, &filter), 0);
	print(fd);
	close(fd);
	return 0;
}
