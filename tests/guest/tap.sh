# SPDX-License-Identifier: GPL-2.0
# For scripts in a guest: TAP, to file descriptor 3.
# shellcheck shell=sh disable=SC2034 # the script ends with $result

number=0 result=0

# One test, that the command before it succeeded, with what /tmp/said has of it.
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

fail() {
	echo "$*"
	return 1
}

# Nothing to test here: why
skip() {
	echo "$*"
	return 77
}

# gone FILE: files of what is destroyed go a moment later
gone() {
	for _ in 1 2 3 4 5; do
		[ -e "$1" ] || return 0
		sleep 1
	done
	fail "$1 is still there"
}

# load MODULE [PARAMETER]...: quietly, as a test may expect that it fails
load() {
	module=$1
	shift
	insmod "$module.ko" "$@" 2>/tmp/insmod
}

# run_tests CLIENTS TEST...: each is a function, which passes when it returns 0; what it
# prints is shown when it does not.  What a failed test could not put away must not fail
# the next one: of CLIENTS, those that are loaded are removed.
run_tests() {
	clients=$1
	shift
	echo "1..$#" >&3
	for test; do
		number=$((number + 1))
		$test >/tmp/output 2>&1
		status=$?
		if [ $status = 0 ]; then
			echo "ok $number - $test" >&3
		elif [ $status = 77 ]; then
			echo "ok $number - $test # SKIP $(cat /tmp/output)" >&3
		else
			echo "not ok $number - $test" >&3
			sed 's/^/# /' /tmp/output >&3
			for module in $clients; do
				rmmod "scounter_$module" 2>/dev/null
			done
		fi
	done
}
