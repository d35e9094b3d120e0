#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Makes faults in the guest, one after the other, each after a line of its own on
# the console.
# Usage: faults.sh FAULT...

for fault; do
	echo "<4>faulty: $fault" >/dev/kmsg
	insmod /payload/scounter_faulty.ko fault="$fault" && rmmod scounter_faulty || exit 1
	# What is found by a thread of the kernel's comes a little later.
	sleep 1
done
