# SPDX-License-Identifier: GPL-2.0
# What run and record bring into a guest's folder $payload. To source.
# shellcheck shell=bash disable=SC2154 # $payload is theirs

tool() {
	make -s -C tools/scounter O="$PWD/build/tool-static" STATIC=1 >&2
	cp build/tool-static/scounter "$payload"
}

# foreign PROGRAM...: those of this system, with their libraries
foreign() {
	local program

	mkdir -p "$payload/lib"
	for program; do
		cp "$(command -v "$program")" "$payload"
		ldd "$payload/$program" | grep -o '/[^ ]*' | xargs cp -L -t "$payload/lib"
	done
}
