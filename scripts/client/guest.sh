#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest of scripts/client/run: loads a client and shows what it counts, on file
# descriptor 3.
# Usage: guest.sh NAME

cd /payload || exit 1
D=/sys/kernel/debug/scounter

# show COMMAND...: as on a terminal
show() {
	printf '\n# %s\n' "$*" >&3
	"$@" >&3 2>&3
}

show insmod scounter.ko && show insmod "$1.ko" || exit 1
show sleep 3
show ./scounter list
# What it has under its own name, and under those of arrays and tables.
for file in "$D/$1"/* "$D/topk/$1"/*; do
	case $file in
	*.bin | *'*') ;;
	*) show head -n 30 "$file" ;;
	esac
done
for file in "$D/arrays/$1"/*; do
	[ -f "$file" ] || continue
	show ./scounter array show --top 10 "$1/${file##*/}" || show ls -l "$file"
done
show rmmod "$1" && show rmmod scounter
