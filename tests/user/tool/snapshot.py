#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Write snapshot files for the tests of scounter(8), from the layout alone.

Usage: snapshot.py [--time S] [--boot N] [--header-extra N] [--record-extra N]
		   [--oldest-reader N] [--record-cut N] [--header-cut N] [--swap] [--many N]
		   [--texts LITERAL] [--texts-offset N] [--texts-size N] [COUNTER...]

COUNTER is a Python literal: a dict with group, name and, if other than the
default, kind, value, error_ppm, flags, raw, bound (log2, of approx), resets, wraps,
created, reset and wrapped (seconds), addable (of gauges), object, unit, help and label;
these three may be numbers, which are offsets as they stand.  --texts: the texts as they
stand.
"""
import argparse
import ast
import struct
import sys

KINDS = {"atomic": 1, "bfp_dup": 4, "bfp_csup": 5, "racing": 6, "future": 999,
         "exact:multiline_adapt": 12, "approx:bfp_csup": 5}


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


texts = b"\0"


def text(what):
    """Where the text is; it is appended if it is not there."""
    global texts
    if isinstance(what, int) or not what:
        return what or 0
    if b"\0" + as_bytes(what) + b"\0" not in texts:
        texts += as_bytes(what) + b"\0"
    return texts.index(b"\0" + as_bytes(what) + b"\0") + 1


def record(group="g", name="n", kind="atomic", value=0, error_ppm=0, flags=0, raw=None,
           bound=0, resets=0, created=100, reset=0, wraps=0, wrapped=0,
           addable=0, object="", unit="", help="", label=""):
    margin = 3 * value * error_ppm // 1000000
    upper = 2**64 - 1 if flags & 1 else value + margin
    real = 1700000000 * 10**9
    return struct.pack(
        "64s64s32s4I4I2Q12Q4I64s", as_bytes(group), as_bytes(name), kind.encode(), KINDS[kind],
        flags, error_ppm, 64, addable, 0, bound, 0, value if raw is None else raw, 0, value,
        max(value - margin, 0), upper, resets, int(created * 1e9),
        real + int(created * 1e9), int(reset * 1e9), real + int(reset * 1e9) if reset else 0, 0,
        wraps, int(wrapped * 1e9), real + int(wrapped * 1e9) if wrapped else 0,
        text(unit), text(help), text(label), 0, as_bytes(object))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--time", type=float, default=1000)
    parser.add_argument("--boot", type=int, default=1)
    parser.add_argument("--header-extra", type=int, default=0)
    parser.add_argument("--record-extra", type=int, default=0)
    parser.add_argument("--record-cut", type=int, default=0)
    parser.add_argument("--header-cut", type=int, default=0)
    parser.add_argument("--texts", type=ast.literal_eval)
    parser.add_argument("--texts-offset", type=int)
    parser.add_argument("--texts-size", type=int)
    parser.add_argument("--oldest-reader", type=int, default=1)
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--many", type=int, default=0)
    parser.add_argument("counters", nargs="*")
    a = parser.parse_args()
    records = [record(**ast.literal_eval(c)) for c in a.counters]
    records += [record("many", "counter%05d" % i, "bfp_csup", i * 1000, 1000, 4, i)
                for i in range(a.many)]
    records = [r[:len(r) - a.record_cut] + b"x" * a.record_extra for r in records]
    blob = texts if a.texts is None else a.texts
    size = 384 - a.record_cut + a.record_extra
    has_texts = len(blob) > 1
    blob_size = len(blob) if a.texts_size is None else a.texts_size
    offset = 80 + a.header_extra if a.texts_offset is None else a.texts_offset
    padded = blob + bytes(-len(blob) % 8) if has_texts else b""
    header = struct.pack(
        (">" if a.swap else "=") + "8s6I3Q16s2I", b"SCOUNTER", 0x01020304,
        3 if a.record_extra else 2, a.oldest_reader,
        80 - a.header_cut + a.header_extra + len(padded), size, 4,
        len(records), int(a.time * 1e9), int((1700000000 + a.time) * 10**9),
        bytes([a.boot] * 16), offset if has_texts else 0, blob_size if has_texts else 0)
    sys.stdout.buffer.write(header[:80 - a.header_cut] + b"y" * a.header_extra + padded +
                            b"".join(records))


main()
