#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Write tables of frequent items and arrays for the tests of scounter(8).

Usage: fleet.py table [--capacity N] [--key-size N] [--floor N] [--total N] [--flags N]
		   [--pending N] [--version N] [--record-extra N] [--header-extra N] [--swap]
		   [ITEM...]
       fleet.py fleet MACHINES ENTRIES FOLDER
       fleet.py check MERGED FOLDER
       fleet.py measure SCOUNTER MACHINES ENTRIES
       fleet.py array [--bits N] [--group N] [--flags N] [--version N] [--swap] [VALUE...]

ITEM is KEY=COUNT or KEY=COUNT-ERROR, KEY a text.  fleet writes tables that Space-Saving
has made of streams of its own, and beside each what was really hit, as FOLDER/N.bin and
FOLDER/N.true; check says what of the promises does not hold of what they were merged to.
measure times how long the program takes to merge the files of a fleet, with a limit to its
memory.
array writes exact counters, which is what one of the kind csuros2 is below 2^bits.
"""
import argparse
import collections
import glob
import heapq
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

DATA = 6 << 20  # bytes that a merge may have

HEADER = "IHHIIIIII5Q"


def padded(key, size):
    return key[:size] + bytes(-(-size // 8) * 8 - len(key[:size]))


def table(items, capacity, key_size=8, floor=0, total=None, flags=0, pending=0, version=1,
          record_extra=0, header_extra=0, swap=False):
    """items: (key, count, error), the highest count first"""
    order = ">" if swap else "<"
    size = 16 + -(-key_size // 8) * 8 + record_extra
    if total is None:
        total = sum(count for _, count, _ in items)
    head = struct.pack(order + HEADER, 0x6b706f74, version, 72 + header_extra, size, key_size,
                       capacity, len(items), 1, flags, total, 0, 0, floor, pending)
    return head + b"h" * header_extra + b"".join(
        struct.pack(order + "QQ", count, error) + padded(key, key_size) + b"r" * record_extra
        for key, count, error in items)


def space_saving(stream, capacity):
    """Count, error by key; and the floor."""
    counts, heap = {}, []
    for key in stream:
        if key in counts:
            counts[key][0] += 1
            continue
        least = 0
        if len(counts) == capacity:
            while True:
                least, old = heap[0]
                if counts[old][0] == least:
                    break
                heapq.heapreplace(heap, (counts[old][0], old))
            heapq.heapreplace(heap, (least + 1, key))
            del counts[old]
        else:
            heapq.heappush(heap, (1, key))
        counts[key] = [least + 1, least]
    floor = min(c for c, _ in counts.values()) if len(counts) == capacity else 0
    return counts, floor


def stream_of(machine, entries):
    """Some keys that all machines have, some that only this one has, and a long tail."""
    rng = random.Random(machine)
    for _ in range(8 * entries):
        kind = rng.random()
        if kind < 0.4:
            yield int(entries ** rng.random())
        elif kind < 0.7:
            yield 10**6 * (machine + 1) + int(entries ** rng.random())
        else:
            yield 10**12 + rng.getrandbits(24)


def write_fleet(machines, entries, folder):
    for machine in range(machines):
        stream = list(stream_of(machine, entries))
        counts, floor = space_saving(stream, entries)
        items = sorted(((struct.pack("<Q", k), c, e) for k, (c, e) in counts.items()),
                       key=lambda item: -item[1])
        with open(os.path.join(folder, "%d.bin" % machine), "wb") as file:
            file.write(table(items, entries, floor=floor, total=len(stream)))
        with open(os.path.join(folder, "%d.true" % machine), "w") as file:
            json.dump(collections.Counter(stream), file)


def read_table(path):
    with open(path, "rb") as file:
        data = file.read()
    head = struct.unpack_from("<" + HEADER, data)
    size, capacity, records = head[3], head[5], head[6]
    total, floor = head[9], head[12]
    items = []
    for i in range(records):
        count, error, key = struct.unpack_from("<QQQ", data, head[2] + i * size)
        items.append((key, count, error))
    return items, capacity, total, floor


def check(merged, folder):
    true, bound = collections.Counter(), 0
    for path in glob.glob(os.path.join(folder, "*.true")):
        with open(path) as file:
            true.update({int(key): n for key, n in json.load(file).items()})
        _, capacity, total, _ = read_table(path[:-4] + "bin")
        bound += total / capacity
    items, capacity, total, floor = read_table(merged)
    if total != sum(true.values()):
        yield "the total is %d, not %d" % (total, sum(true.values()))
    if floor > bound:
        yield "the floor is %d, more than the sum of all N / m, %d" % (floor, bound)
    if [count for _, count, _ in items] != sorted((c for _, c, _ in items), reverse=True):
        yield "the records are not in order"
    if len({key for key, _, _ in items}) != len(items):
        yield "a key comes twice"
    for key, count, error in items:
        if error > bound:
            yield "%d: the error is %d, more than %d" % (key, error, bound)
        if not count - error <= true[key] <= count:
            yield "%d: %d to %d, but there were %d" % (key, count - error, count, true[key])
        del true[key]
    for key, n in true.items():
        if n > floor:
            yield "%d is not listed, with %d of at most %d" % (key, n, floor)


def write_tables(machines, entries, own_keys, folder):
    """Tables with made up counts, of the same keys or of other ones each."""
    rng = random.Random(1)
    for machine in range(machines):
        counts = sorted((rng.randrange(1, 10**6) for _ in range(entries)), reverse=True)
        first = machine * entries if own_keys else 0
        items = [(struct.pack("<Q", first + i), count, 0) for i, count in enumerate(counts)]
        with open(os.path.join(folder, "%d" % machine), "wb") as file:
            file.write(table(items, entries, floor=counts[-1]))


def write_snapshots(machines, entries, folder):
    """Snapshots with the counters of snapshot.py, each of another boot."""
    writer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "snapshot.py")
    data = bytearray(subprocess.check_output([writer, "--many", "%d" % entries]))
    at = data.index(bytes([1] * 16))
    for machine in range(machines):
        data[at:at + 16] = struct.pack("<QQ", machine + 1, 1)
        with open(os.path.join(folder, "%d" % machine), "wb") as file:
            file.write(data)


def measure(program, machines, entries):
    for what, write in (
            ("tables of the same keys", lambda to: write_tables(machines, entries, False, to)),
            ("tables of other keys each", lambda to: write_tables(machines, entries, True, to)),
            ("snapshots of counters", lambda to: write_snapshots(machines, entries, to))):
        with tempfile.TemporaryDirectory() as folder:
            write(folder)
            files = glob.glob(os.path.join(folder, "*"))
            start = time.monotonic()
            subprocess.run([program, "merge", *files], check=True, stdout=subprocess.DEVNULL,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (DATA, DATA)))
            seconds = time.monotonic() - start
        print("%d %-26s of %d: %.2f s, in less than %d MiB of data" %
              (machines, what, entries, seconds, DATA >> 20))


def array(values, bits=8, group=1, flags=0, version=1, swap=False):
    order = ">" if swap else "<"
    per_word = 64 // bits
    words = -(-len(values) * group // per_word)
    cells = [value for value in values for _ in range(group)]
    cells += [0] * (words * per_word - len(cells))
    packed = [sum(cell << bits * i for i, cell in enumerate(cells[w * per_word:(w + 1) * per_word]))
              for w in range(words)]
    return struct.pack(order + "12I3Q", 0x52416353, version, 72, flags, 3, bits, 0, 1 << bits, 0,
                       group, 1, 0, len(values), words, 0) + \
        struct.pack(order + "%dQ" % words, *packed)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=("table", "fleet", "check", "measure", "array"))
    for name, default in (("capacity", 4), ("key-size", 8), ("floor", 0), ("total", None),
                          ("flags", 0), ("pending", 0), ("version", 1), ("record-extra", 0),
                          ("header-extra", 0), ("bits", 8), ("group", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("rest", nargs="*")
    a = parser.parse_intermixed_args()
    if a.what == "fleet":
        write_fleet(int(a.rest[0]), int(a.rest[1]), a.rest[2])
    elif a.what == "check":
        findings = list(check(*a.rest))
        print(*findings, sep="\n")
        sys.exit(bool(findings))
    elif a.what == "measure":
        measure(a.rest[0], int(a.rest[1]), int(a.rest[2]))
    elif a.what == "array":
        sys.stdout.buffer.write(array([int(value) for value in a.rest], a.bits, a.group, a.flags,
                                      a.version, a.swap))
    else:
        items = []
        for item in a.rest:
            key, numbers = item.split("=")
            count, _, error = numbers.partition("-")
            items.append((key.encode(), int(count), int(error or 0)))
        sys.stdout.buffer.write(table(items, a.capacity, a.key_size, a.floor, a.total, a.flags,
                                      a.pending, a.version, a.record_extra, a.header_extra, a.swap))


main()
