#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# libscounter(3) and the Python module, as programs elsewhere find them: what `make
# install` puts there, and nothing of this tree.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../../.." || return
	make -s -C tools/lib install DESTDIR="$BATS_FILE_TMPDIR" PREFIX=/there PYTHONDIR=/there/python
}

setup() {
	[[ ${SCOUNTER:-} != *-sanitized/* ]] || skip 'the library is the same'
	SNAPSHOT=$BATS_TEST_DIRNAME/snapshot.py
	FLEET=$BATS_TEST_DIRNAME/fleet.py
	there=$BATS_FILE_TMPDIR/there
	export PKG_CONFIG_PATH=$there/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR
	export LD_LIBRARY_PATH=$there/lib PYTHONPATH=$there/python PYTHONDONTWRITEBYTECODE=1
	cd "$BATS_TEST_TMPDIR"
	for i in 1 2 4; do
		"$SNAPSHOT" --boot $i "{'group':'net','name':'rx','value':1000000,'kind':'bfp_csup','error_ppm':10000,'flags':4}" \
			"{'group':'net','object':'eth$i','name':'rx','value':$i,'unit':'bytes','help':'Received.','label':'device'}" >$i
	done
}

says() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; false; }
}

@test "the library exports what its header declares, each with a version, and nothing else" {
	declared=$(gcc -E -I"$there/include" "$there/include/scounter/libscounter.h" |
		grep -oE '\bscl_[a-z_]+\(' | tr -d '(' | sort -u)
	[ "$(wc -l <<<"$declared")" -ge 45 ]
	exported=$(nm -D --defined-only "$there/lib/libscounter.so" | awk '$2 != "A" { print $3 }' | sort)
	[ "$exported" = "${declared//$'\n'/@@LIBSCOUNTER_1.0$'\n'}@@LIBSCOUNTER_1.0" ]
	# The archive has arrays of a program's own, too.
	run ! grep -vE '^(scl|array)_' <(nm -g --defined-only "$there/lib/libscounter.a" | awk 'NF == 3 { print $3 }')
	readelf -d "$there/lib/libscounter.so" | grep -q 'SONAME.*\[libscounter.so.1\]'
	for function in $declared; do
		grep -q "$function" "$there/share/man/man3/libscounter.3"
	done
	man --warnings -l -E UTF-8 -Tutf8 "$there/share/man/man3/libscounter.3" 2>found >/dev/null
	[ ! -s found ]
}

@test "the manual's example compiles as C and C++ by pkg-config, and adds up a fleet" {
	# In old C, too.
	echo '#include <scounter/libscounter.h>' >header.c
	gcc -std=c99 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags libscounter) header.c
	g++ -x c++ -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags libscounter) header.c
	sed -n '/^#include <err/,/^\.EE/{s/\\e/\\/g;/^\.EE/!p}' "$there/share/man/man3/libscounter.3" >fleet.c
	# shellcheck disable=SC2046 # words
	gcc -std=gnu11 -Wall -Wextra -Werror -o fleet fleet.c $(pkg-config --cflags --libs libscounter)
	run -0 ./fleet 1 2 4
	[ "$output" = '3000000, 2948038 or more' ]
	run -0 ./fleet 1 2 nothing 1
	says 'nothing: No such file or directory'
	says 'of a boot of a machine that is in the sum already'
	says 2000000
	run -1 ./fleet nothing
	says 'no counter net/rx'
	# Without the shared library.
	gcc -std=gnu11 -o static fleet.c -I"$there/include" "$there/lib/libscounter.a" -lm
	run -0 ./static 1 2 4
	[ "$output" = '3000000, 2948038 or more' ]
}

@test "Python: counters, sets, sums and differences" {
	"$SNAPSHOT" --boot 1 --time 1010 "{'group':'net','name':'rx','value':1500000,'kind':'bfp_csup','error_ppm':10000,'flags':4}" >later
	cat 1 later >recording
	run -0 python3 - <<-'END'
		import math, scounter
		one = scounter.Snapshot.read("1")
		assert [c.path for c in one] == ["net/rx", "net/eth1/rx"] and len(one) == 2
		set_ = one["net/eth1/rx"]
		assert (set_.unit, set_.help, set_.label, set_.object) == ("bytes", "Received.", "device", "eth1")
		assert (set_.value, set_.lower, set_.upper, set_.variance) == (1, 1, 1, 0)
		rx = one["net/rx"]
		assert (rx.value, rx.lower, rx.upper, rx.variance) == (10**6, 970000, 1030000, 10**8)
		assert "net/rx" in one and "net/tx" not in one and "a/b/c/d" not in one
		assert len(scounter.Snapshot.read("1", ["net/eth*"])) == 1
		fleet = scounter.Snapshot()
		for path in "124":
		    fleet.merge(scounter.Snapshot.read(path))
		total = fleet["net/rx"]
		assert (total.value, total.lower, total.upper, total.machines) == (3000000, 2948038, 3051963, 3)
		assert abs(total.deviation - math.sqrt(3) * 10**4) < 2
		assert fleet.sum()[0] == 3000007
		try:
		    fleet.merge(one)
		    assert False
		except FileExistsError as error:
		    print(error)
		assert fleet["net/rx"].value == 3000000
		fleet.merge(one, clones=True)
		assert fleet["net/rx"].value == 4000000
		fleet.mark_partial()
		assert fleet["net/rx"].upper == scounter.UNBOUNDED and fleet["net/rx"].flags & scounter.PARTIAL
		fleet.save("saved")
		again = scounter.load("saved")
		assert again["net/rx"].value == 4000000 and again["net/rx"].variance == math.inf
		before, after = scounter.snapshots("recording")
		change = after.since(before)["net/rx"]
		assert change.events == 500000 and change.rate == 50000 and not change.restarted
		one.filter(["net/rx"])
		assert len(one) == 1
	END
	says 'of a boot of a machine that is in the sum already'
}

@test "Python: arrays are buffers, and last as long as these" {
	"$FLEET" array 1 2 3 >a
	"$FLEET" array 10 20 30 >b
	run -0 python3 - <<-'END'
		import gc, scounter
		a, b = scounter.load("a"), scounter.Array.read("b")
		words = a.words()
		assert words.readonly and words.format == "Q" and words[0] == 0x030201
		a.merge(b)
		assert words[0] == 0x21160b, hex(words[0])
		values = a.values()
		assert values.format == "d" and values.tolist() == [11, 22, 33]
		assert a.values(1, 2).tolist() == [22, 33] and a[2] == a[-1] == 33 and list(a) == [11, 22, 33]
		assert a.sum() == (66, 0) and a.estimate(1) == (22, 22, 22, 0)
		a.close()
		del a
		gc.collect()
		[bytearray(1 << 20) for _ in range(10)]
		assert words[0] == 0x21160b
		for wrong in (lambda: b.inc(3), lambda: b.add(0, -1), lambda: b.add(-1, 1), lambda: b[3],
		              lambda: b.values(1, 3), lambda: b.values(-1, 1), lambda: b.estimate(2**64 - 1),
		              lambda: b.sum(2, 2), lambda: b.merge(b), lambda: b.merge(scounter.Array(4)),
		              lambda: scounter.Array(0), lambda: scounter.Array(2, bits=9)):
		    try:
		        wrong()
		        assert False
		    except (OSError, IndexError, ValueError):
		        pass
		assert list(b) == [10, 20, 30]
		for how in ({"bits": 8}, {"error": 0.05}):
		    of = scounter.Array.type_for(10**6, **how)
		    many = scounter.Array(3, **of)
		    # One of the two states beside a million, whichever is drawn.
		    many.add(1, 10**6)
		    assert many.type == of and 0.7e6 < many[1] < 1.3e6, (of, many[1])
		try:
		    scounter.Array.type_for(40000, bits=4)
		    assert False
		except OSError as error:
		    assert "40000" in str(error)
		b.close()
		try:
		    len(b)
		    assert False
		except Exception as error:
		    assert "it was closed" in str(error)
	END
}

@test "Python: tables are merged with their bounds" {
	"$FLEET" table --capacity 2 --floor 4 --total 14 one=9-2 two=5-4 >a
	"$FLEET" table --capacity 3 --floor 0 one=3 three=1 >b
	run -0 python3 - <<-'END'
		import scounter
		a, b = scounter.load("a"), scounter.load("b")
		a.merge(b)
		assert [(i.key.rstrip(b"\0"), i.count, i.error) for i in a] == \
		    [(b"one", 12, 2), (b"three", 5, 4), (b"two", 5, 4)]
		assert a.bounds(b"one\0\0\0\0\0") == (10, 12) and a.bounds(b"none\0\0\0\0") == (0, 4)
		assert (a.total, a.floor, a.capacity, len(b)) == (18, 4, 2, 2)
		a.save("ab")
		assert scounter.kind_of("ab") is scounter.TopK and scounter.load("ab")[0].lower == 10
	END
}

@test "what cannot be read, written or found is an error of its own class" {
	head -c 100 1 >cut
	"$SNAPSHOT" --swap "{'value':1}" >swapped
	: >nothing
	"$FLEET" array 1 2 >array
	"$FLEET" table A=1 >table
	run -0 python3 - <<-'END'
		import errno, scounter
		def error_of(call, *arguments):
		    try:
		        call(*arguments)
		    except OSError as error:
		        print(error)
		        return type(error), error.errno
		assert error_of(scounter.load, "cut") == (scounter.Damaged, errno.ENODATA)
		assert error_of(scounter.load, "nothing") == (scounter.Damaged, errno.ENODATA)
		assert error_of(scounter.load, "swapped") == (scounter.Damaged, errno.EPROTO)
		assert error_of(scounter.Array.read, "1") == (scounter.Damaged, errno.EINVAL)
		assert error_of(scounter.TopK.read, "1") == (scounter.Damaged, errno.EINVAL)
		assert error_of(scounter.load, "/nonexistent")[0] is FileNotFoundError
		assert error_of(scounter.load, ".")[1] in (errno.EISDIR, errno.EIO)
		one = scounter.Snapshot.read("1")
		assert error_of(one.save, "/nonexistent/file")[0] is FileNotFoundError
		try:
		    one.filter(["net/none"])
		    assert False
		except KeyError:
		    pass
		array, table = scounter.load("array"), scounter.load("table")
		for call, other in ((one.merge, array), (one.merge, 3), (one.merge, None),
		                    (one.since, table), (array.merge, table), (table.merge, one)):
		    try:
		        call(other)
		        assert False
		    except TypeError as error:
		        print(error)
		try:
		    scounter.Snapshot.read("1", "net/rx")
		    assert False
		except TypeError:
		    pass
	END
	says 'cut: truncated'
	says 'Snapshot and Array do not go together'
	says 'swapped: from a machine of the other byte order'
	says 'nothing: empty'
	[ -e /dev/scounter ] || run -1 python3 -c 'import scounter; scounter.Snapshot.read()'
	[ -e /dev/scounter ] || says 'the module scounter is not loaded'
	# A full disk leaves nothing.
	run -1 bash -c 'ulimit -f 0; trap "" XFSZ; python3 -c "import scounter; scounter.Snapshot.read(\"1\").save(\"full\")"'
	says 'full: File too large'
	[ -z "$(ls full* 2>/dev/null)" ]
	# What is no file is not replaced by one.
	mkfifo pipe
	run -1 python3 -c 'import scounter; scounter.Snapshot.read("1").save("pipe")'
	says 'pipe: not a regular file'
	[ -p pipe ]
	[ "$(ls -d pipe*)" = pipe ]
	run -1 env -u LD_LIBRARY_PATH SCOUNTER_LIBRARY=/nonexistent.so python3 -c 'import scounter'
	says 'ImportError: libscounter is not installed'
	# The library of the same installation is found.
	mkdir -p elsewhere/lib/python3/dist-packages
	cp "$there/python/scounter.py" elsewhere/lib/python3/dist-packages
	cp "$there/lib/libscounter.so.1" elsewhere/lib
	run -0 env -u LD_LIBRARY_PATH PYTHONPATH=elsewhere/lib/python3/dist-packages python3 -c 'import scounter; print(scounter.version())'
}
