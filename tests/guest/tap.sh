# SPDX-License-Identifier: GPL-2.0
# For scripts in a guest: one test, that the command before it succeeded, with what
# /tmp/said has of it.  TAP, to file descriptor 3.
# shellcheck shell=sh disable=SC2034 # the script ends with $result

number=0 result=0

judge() {
	status=$?
	number=$((number + 1))
	[ $status = 0 ] || {
		printf 'not ' >&3
		result=1
	}
	echo "ok $number - $*" >&3
	sed 's/^/# /' /tmp/said >&3
}
