#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Runs in the guest: hits without a table, three times.  The kernel must warn of
# it once, which fails this run, and go on.
cd /payload || exit 1
insmod scounter.ko seed=1 || exit 1
for _ in 1 2 3; do
	insmod scounter_topk_try.ko capacity=1 null=1 || exit 1
	rmmod scounter_topk_try
done
echo survived >&3
