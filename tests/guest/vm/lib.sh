# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034	# the variables are for those who source this
#
# What the programs in this folder share: where the cache is, how to complain,
# how to hold a lock, and which kernel is meant when none is named. To source.

# This folder.
VM_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

CACHE=${SCOUNTER_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or SCOUNTER_CACHE}/.cache}/scounter}

# Exit statuses of every program here; "run --help" explains them.
readonly PASS=0 SCRIPT_FAILED=1 USAGE=2 CANNOT=3 TAP_FAILED=4 KERNEL_FAULT=5 \
	NO_VERDICT=6 TIMED_OUT=124

# What a guest's kernel says last when its console works to the end.
readonly END_MARK='guest: the script has ended'

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# Give up: die STATUS MESSAGE...
die()
{
	local status=$1

	shift
	say "$@"
	exit "$status"
}

# Print the comment at the top of a program as its help text.
top_comment()
{
	sed -n '4,/^[^#]/s/^# \{0,1\}//p' "$1"
}

# want_number OPTION VALUE
want_number()
{
	[[ $2 =~ ^[1-9][0-9]*$ ]] || die "$USAGE" "$1 wants a number, not '$2'"
}

# Hold the lock NAME until the program ends.
hold_lock()
{
	local fd

	mkdir -p "$CACHE"
	exec {fd}>"$CACHE/.lock-$1"
	if ! flock -n "$fd"; then
		say "waiting for another run, which holds the lock '$1'"
		flock "$fd"
	fi
}

# The Debian architecture of kernel release KVER.
kernel_arch()
{
	case $1 in
	*-arm64) printf 'arm64\n' ;;
	*-686|*-686-pae|*-x86-32) printf 'i386\n' ;;
	*) printf 'amd64\n' ;;
	esac
}

# Is NAME a debug kernel of "fetch debug", and so a lane?
is_debug_kernel()
{
	[[ $1 != common && -e $VM_DIR/debug/$1.config ]]
}

# Kernel releases with headers on this machine, newest first.
installed_kernels()
{
	local dir

	for dir in /usr/src/linux-headers-*-amd64 /lib/modules/*/build; do
		[[ -e $dir/Makefile ]] || continue
		dir=${dir%/build}
		dir=${dir##*/}
		printf '%s\n' "${dir#linux-headers-}"
	done | sort -Vru
}
