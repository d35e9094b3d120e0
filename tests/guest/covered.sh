#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs another script in a guest, and then writes which lines of the modules have run
# to file descriptor 3: a tar archive of gcov's files, in base64 behind "#GCOV ".  For
# modules that were built with GCOV_PROFILE=y.
# Usage: covered.sh SCRIPT [ARG]...

sh "$@"
status=$?
cd /sys/kernel/debug/gcov || exit 1
mkdir -p /tmp/gcov
# They say that they are empty, which tar would believe.
find . -name '*.gcda' | while read -r file; do
	cat "$file" >"/tmp/gcov/$(echo "$file" | sed 's/.*\/kmod/kmod/; s/\//#/g')"
done
tar -C /tmp/gcov -cz . | base64 | sed 's/^/#GCOV /' >&3
exit $status
