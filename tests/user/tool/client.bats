#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# make new-client and make run-client: what they refuse, and what they write.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(readlink -f "$BATS_TEST_DIRNAME/../../..")
	cd "$BATS_TEST_TMPDIR"
}

new() {
	make -s -C "$TOP" new-client "$@" 2>&1
}

# refused STATUS TEXT COMMAND...: with one line that says so, and nothing written
refused() {
	run "-$1" "${@:3}"
	[[ ${lines[0]} == *"$2"* ]] || { echo "$output"; false; }
	[ ! -e new ]
}

@test "new-client: a name that cannot be is refused, and nothing is written" {
	refused 2 'which name? make new-client NAME=foo' new
	for name in Foo 1a 'a b' a-b a/b .. "a'b" 'a;b' '$(x)' "$(printf 'a%.0s' {1..41})" ö; do
		refused 2 'a small letter, then small letters, digits' "$TOP/scripts/client/new" "$name" new
	done
	refused 2 'a small letter' new NAME="a'b" DIR="$PWD/new"
	refused 2 "names that begin with scounter are scounter's own" new NAME=scounter_mine
}

@test "new-client: what exists is left as it is" {
	mkdir there
	ln -s nowhere dangling
	for dir in there dangling; do
		refused 2 'exists already; nothing is written' new NAME=foo DIR="$PWD/$dir"
	done
	[ -z "$(ls there)" ] && [ -L dangling ]
}

@test "new-client: a folder that kbuild cannot build in is refused" {
	refused 2 'kbuild takes no folder with a space or a colon' new NAME=foo DIR="$PWD/new client"
	[ ! -e "new client" ]
}

@test "new-client: the name is everywhere, and the folder where it was asked for" {
	run -0 new NAME=my_client_2 DIR="$PWD/a/b"
	[[ $output == *"make run-client NAME=my_client_2 DIR=$PWD/a/b"* ]]
	[ "$(cd a/b && echo *)" = 'Kbuild Makefile my_client_2.c' ]
	! grep -r myclient a/b
	grep -q '^obj-m += my_client_2.o$' a/b/Kbuild
	grep -q "^SCOUNTER ?= $TOP\$" a/b/Makefile
	# Relative to where it is called from.
	run -0 "$TOP/scripts/client/new" foo other
	[ -f other/foo.c ]
}

@test "run-client: a folder without a client is refused" {
	run -2 make -s -C "$TOP" run-client
	[[ $output == *'which name? make run-client NAME=foo'* ]]
	run -2 make -s -C "$TOP" run-client NAME=foo DIR="$PWD"
	[[ $output == *'has no Kbuild; make new-client NAME=foo'* ]]
}

@test "a client says what is missing to build it" {
	new NAME=foo DIR="$PWD/foo" >/dev/null
	run -2 make -s -C foo SCOUNTER="$PWD/none"
	[[ $output == *"scounter is not built: make -C $PWD/none modules"* ]]
	run -2 make -s -C foo SCOUNTER="$PWD" KDIR=
	[[ $output == *'scounter is not built'* || $output == *'no kernel headers'* ]]
}
