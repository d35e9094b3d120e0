# SPDX-License-Identifier: GPL-2.0
"""The kernel's scounters in Python: libscounter(3), by ctypes.

    import scounter

    with scounter.Snapshot.read() as now:           # /dev/scounter
        for counter in now:
            print(counter.path, counter.value, counter.lower, counter.upper)

    fleet = scounter.Snapshot()                     # what many machines have
    for path in paths:
        fleet.merge(scounter.Snapshot.read(path))
    fleet["net/rx"].deviation

    before, after = scounter.snapshots("day.snap")  # a recording of two
    after.since(before)["net/rx"].rate

    sizes = scounter.Array.read("sizes")
    numpy.asarray(sizes.values())                   # a memoryview of doubles
    numpy.asarray(sizes.words())                    # the cells themselves, not copied

    callers = scounter.TopK.read("callers.bin")
    for item in callers:
        print(item.key.hex(), item.lower, item.count)

What cannot be done raises an OSError with what the library says, of its class for the
number: FileNotFoundError for a file that is not there, FileExistsError for a machine that is
in a sum already, and so on.  A file that is damaged or of another machine's byte order raises
scounter.Damaged, which is an OSError; what does not go together, a ValueError; and a counter
that is not there, a KeyError.  A library that is not found is an
ImportError; SCOUNTER_LIBRARY in the environment says where it is.
"""
import array as _array
import ctypes as _c
import errno as _errno
import math as _math
import os as _os

__all__ = ["Array", "Change", "Counter", "Damaged", "Item", "Snapshot", "TopK", "kind_of",
           "load", "snapshots", "version"]

SATURATED, OVERFLOW, SAMPLING, LOSSY, INFLATED, WRAPPED, APART, PARTIAL = (
    1 << bit for bit in range(8))
UNBOUNDED = 2**64 - 1       # an upper bound that is none


class Damaged(OSError):
    """A file that is truncated, contradicts itself, or is not of this machine or version."""


def _load_library():
    here = _os.path.dirname(_os.path.abspath(__file__))
    given = _os.environ.get("SCOUNTER_LIBRARY")
    # The loader's, or the one that was installed with this file.
    names = [given] if given else ["libscounter.so.1"]
    while not given and _os.path.dirname(here) != here:
        here = _os.path.dirname(here)
        names.append(_os.path.join(here, "libscounter.so.1"))
    failed = None
    for name in names:
        try:
            return _c.CDLL(name)
        except OSError as error:
            failed = failed or error
    raise ImportError("libscounter is not installed: %s" % failed)


_lib = _load_library()


class _Estimate(_c.Structure):
    _fields_ = [("value", _c.c_uint64), ("lower", _c.c_uint64), ("upper", _c.c_uint64),
                ("variance", _c.c_double), ("error_ppm", _c.c_uint32), ("flags", _c.c_uint32),
                ("reserved", _c.c_uint64 * 3)]


class _Change(_c.Structure):
    _fields_ = [("events", _c.c_uint64), ("deviation", _c.c_double), ("bar", _c.c_double),
                ("seconds", _c.c_double), ("is_new", _c.c_uint32), ("restarted", _c.c_uint32),
                ("reserved", _c.c_uint64 * 3)]


class _Total(_c.Structure):
    _fields_ = [("value", _c.c_double), ("variance", _c.c_double), ("flags", _c.c_uint32),
                ("reserved0", _c.c_uint32), ("reserved", _c.c_uint64 * 3)]


class _Header(_c.Structure):
    """struct scounter_snapshot_header"""
    _fields_ = [("magic", _c.c_ubyte * 8), ("byte_order", _c.c_uint32), ("version", _c.c_uint32),
                ("oldest_reader", _c.c_uint32), ("header_size", _c.c_uint32),
                ("record_size", _c.c_uint32), ("cpus", _c.c_uint32), ("count", _c.c_uint64),
                ("monotonic_ns", _c.c_uint64), ("real_ns", _c.c_uint64),
                ("boot_id", _c.c_ubyte * 16), ("texts_offset", _c.c_uint32),
                ("texts_size", _c.c_uint32)]


class _Record(_c.Structure):
    """struct scounter_snapshot_record"""
    _fields_ = [("group", _c.c_char * 64), ("name", _c.c_char * 64), ("kind_name", _c.c_char * 32),
                ("kind", _c.c_uint32), ("flags", _c.c_uint32), ("error_ppm", _c.c_uint32),
                ("bytes", _c.c_uint32), ("parameters", _c.c_uint32 * 4), ("raw", _c.c_uint64 * 2),
                ("value", _c.c_uint64), ("lower", _c.c_uint64), ("upper", _c.c_uint64),
                ("resets", _c.c_uint64), ("created_ns", _c.c_uint64),
                ("created_real_ns", _c.c_uint64), ("reset_ns", _c.c_uint64),
                ("reset_real_ns", _c.c_uint64), ("saturated_ns", _c.c_uint64),
                ("wraps", _c.c_uint64), ("wrapped_ns", _c.c_uint64),
                ("wrapped_real_ns", _c.c_uint64), ("unit", _c.c_uint32), ("help", _c.c_uint32),
                ("label", _c.c_uint32), ("reserved", _c.c_uint32), ("object", _c.c_char * 64)]


class _Type(_c.Structure):
    """struct scounter_array_type"""
    _fields_ = [(name, _c.c_uint32) for name in ("kind", "bits", "q_ppm", "m", "theta", "group")]

    def as_dict(self):
        return {name: getattr(self, name) for name, _ in self._fields_}


class _TopKHeader(_c.Structure):
    """struct scounter_topk_header"""
    _fields_ = [("magic", _c.c_uint32), ("version", _c.c_uint16), ("header_size", _c.c_uint16),
                ("record_size", _c.c_uint32), ("key_size", _c.c_uint32), ("capacity", _c.c_uint32),
                ("records", _c.c_uint32), ("design", _c.c_uint32), ("flags", _c.c_uint32),
                ("total", _c.c_uint64), ("evictions", _c.c_uint64), ("dropped", _c.c_uint64),
                ("floor", _c.c_uint64), ("pending", _c.c_uint64)]


_p, _to = _c.c_void_p, _c.POINTER


def _declare():
    text, u64, u32 = _c.c_char_p, _c.c_uint64, _c.c_uint32
    for name, result, *arguments in (
            ("scl_error", text), ("scl_version", text), ("scl_kind_of", _c.c_int, text),
            ("scl_source_open", _c.c_int, _to(_p), text, _to(text)),
            ("scl_source_next", _c.c_int, _p, _to(_p)), ("scl_source_close", None, _p),
            ("scl_snapshot_read", _c.c_int, _to(_p), text, _to(text)),
            ("scl_snapshot_create", _c.c_int, _to(_p)), ("scl_snapshot_free", None, _p),
            ("scl_snapshot_save", _c.c_int, _p, text), ("scl_snapshot_header", _to(_Header), _p),
            ("scl_snapshot_count", u64, _p), ("scl_snapshot_record", _to(_Record), _p, u64),
            ("scl_snapshot_find", _to(_Record), _p, text, text, text),
            ("scl_snapshot_unit", text, _p, _to(_Record)),
            ("scl_snapshot_help", text, _p, _to(_Record)),
            ("scl_snapshot_label", text, _p, _to(_Record)),
            ("scl_snapshot_filter", _c.c_int, _p, _to(text)),
            ("scl_record_estimate", None, _to(_Record), _to(_Estimate)),
            ("scl_record_machines", u32, _to(_Record)),
            ("scl_snapshot_sum", None, _p, _to(_Estimate)),
            ("scl_snapshot_merge", _c.c_int, _p, _p, _c.c_uint),
            ("scl_snapshot_mark_partial", None, _p),
            ("scl_change_between", None, _p, _p, _to(_Record), _to(_Change)),
            ("scl_array_type_for", _c.c_int, _to(_Type), u32, u64),
            ("scl_array_type_for_error", _c.c_int, _to(_Type), u64, u32),
            ("scl_array_create", _c.c_int, _to(_p), _to(_Type), u64),
            ("scl_array_read", _c.c_int, _to(_p), text), ("scl_array_save", _c.c_int, _p, text),
            ("scl_array_free", None, _p), ("scl_array_length", u64, _p),
            ("scl_array_type", None, _p, _to(_Type)), ("scl_array_flags", u32, _p),
            ("scl_array_words", _p, _p, _to(u64)), ("scl_array_inc", _c.c_int, _p, u64),
            ("scl_array_add", _c.c_int, _p, u64, u64),
            ("scl_array_estimate", _c.c_int, _p, u64, _to(_Estimate)),
            ("scl_array_values", _c.c_int, _p, u64, u64, _p),
            ("scl_array_sum", _c.c_int, _p, u64, u64, _to(_Total)),
            ("scl_array_merge", _c.c_int, _p, _p), ("scl_array_clear", None, _p),
            ("scl_array_mark_partial", None, _p), ("scl_topk_read", _c.c_int, _to(_p), text),
            ("scl_topk_save", _c.c_int, _p, text), ("scl_topk_free", None, _p),
            ("scl_topk_header", _to(_TopKHeader), _p), ("scl_topk_record", _p, _p, u32),
            ("scl_topk_bounds", None, _p, _p, _to(u64), _to(u64)),
            ("scl_topk_merge", _c.c_int, _p, _p), ("scl_topk_mark_partial", None, _p)):
        function = getattr(_lib, name)
        function.restype, function.argtypes = result, arguments


_declare()


def _text(text):
    return text.decode(errors="surrogateescape")


def _check(result):
    """The result of a call, unless it says what is wrong."""
    if result >= 0:
        return result
    if result == -_errno.EINVAL:
        raise ValueError(_text(_lib.scl_error()))
    raise OSError(-result, _text(_lib.scl_error()))


def _check_read(result):
    """The same, of what reads a file."""
    if -result in (_errno.EINVAL, _errno.ENODATA, _errno.EPROTO):
        raise Damaged(-result, _text(_lib.scl_error()))
    return _check(result)


def _like(one, other):
    """The other, which is to be of the same class: C sees no more than where it is."""
    if not isinstance(other, type(one)):
        raise TypeError("%s and %s do not go together" %
                        (type(one).__name__, type(other).__name__))
    return other


def _path(path):
    return None if path is None else _os.fsencode(path)


def _patterns(patterns):
    if isinstance(patterns, (str, bytes)):
        raise TypeError("patterns are a list, not one text")
    patterns = [_os.fsencode(p) for p in patterns or ()]
    return (_c.c_char_p * (len(patterns) + 1))(*patterns, None)


def version():
    """That of the library."""
    return _text(_lib.scl_version())


def kind_of(path):
    """What a file holds: the class Snapshot, Array or TopK."""
    return {1: Snapshot, 2: Array, 3: TopK}[_check_read(_lib.scl_kind_of(_path(path)))]


def load(path):
    """A Snapshot, an Array or a TopK: what the file holds."""
    return kind_of(path).read(path)


class _Object:
    """Something of the library's, which is freed with this."""

    def __init__(self, pointer):
        self._pointer = pointer

    @property
    def _as_parameter_(self):
        if not self._pointer:
            raise ValueError("it was closed")
        return self._pointer

    def close(self):
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            self._free(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()


def _made(call, *arguments):
    pointer = _p()
    _check(call(_c.byref(pointer), *arguments))
    return pointer


def _read(call, *arguments):
    pointer = _p()
    _check_read(call(_c.byref(pointer), *arguments))
    return pointer


class Counter:
    """A counter in a snapshot, or a sum: a copy, which lasts.

    group, object ("" for none), name, path; kind, unit, help, label; value, lower, upper
    (UNBOUNDED: there is no bound), error (relative standard deviation), variance (inf: not
    known), deviation; flags, machines; resets, created_ns, created_real_ns, reset_ns,
    reset_real_ns, wraps.
    """
    _COPIED = ("flags", "value", "lower", "upper", "bytes", "resets", "wraps", "created_ns",
               "created_real_ns", "reset_ns", "reset_real_ns", "wrapped_real_ns", "saturated_ns")

    def __init__(self, snapshot, record):
        of, r = _Estimate(), record.contents
        _lib.scl_record_estimate(record, _c.byref(of))
        self.group, self.object, self.name = _text(r.group), _text(r.object), _text(r.name)
        self.path = "/".join(part for part in (self.group, self.object, self.name) if part)
        self.kind = _text(r.kind_name)
        for name in self._COPIED:
            setattr(self, name, getattr(r, name))
        self.lower, self.upper, self.variance = of.lower, of.upper, of.variance
        self.error = of.error_ppm / 1e6
        self.deviation = _math.sqrt(of.variance)
        self.machines = _lib.scl_record_machines(record)
        self.unit = _text(_lib.scl_snapshot_unit(snapshot, record))
        self.help = _text(_lib.scl_snapshot_help(snapshot, record))
        self.label = _text(_lib.scl_snapshot_label(snapshot, record))

    def __repr__(self):
        return "<scounter.Counter %s %d, %s to %s>" % (
            self.path, self.value, self.lower, "?" if self.upper == UNBOUNDED else self.upper)


class Change:
    """What a counter has counted between two snapshots: events, deviation and bar as in
    libscounter(3), seconds, rate and rate_deviation (nan: not known), is_new, restarted."""

    def __init__(self, path, c):
        self.path, self.events, self.deviation, self.bar = path, c.events, c.deviation, c.bar
        self.seconds, self.is_new, self.restarted = c.seconds, bool(c.is_new), bool(c.restarted)
        known = c.seconds > 0
        self.rate = c.events / c.seconds if known else _math.nan
        self.rate_deviation = c.deviation / c.seconds if known else _math.nan

    def __repr__(self):
        return "<scounter.Change %s %d in %g s>" % (self.path, self.events, self.seconds)


class Snapshot(_Object):
    """Counters by path, "GROUP/NAME" or "GROUP/OBJECT/NAME", in the order of names.

    Snapshot() has none, and is for sums.
    """
    _free = staticmethod(_lib.scl_snapshot_free)

    def __init__(self, pointer=None):
        super().__init__(pointer or _made(_lib.scl_snapshot_create))

    @classmethod
    def read(cls, path=None, patterns=()):
        """/dev/scounter, or the first snapshot of a file; of all counters, or of what
        matches one of the patterns, as scounter(8) has them."""
        return cls(_read(_lib.scl_snapshot_read, _path(path), _patterns(patterns)))

    def save(self, path):
        _check(_lib.scl_snapshot_save(self, _path(path)))

    def filter(self, patterns):
        """Keep what matches; a KeyError if a pattern matches nothing, the rest is done."""
        result = _lib.scl_snapshot_filter(self, _patterns(patterns))
        if result == -_errno.ENOENT:
            raise KeyError(_text(_lib.scl_error()))
        _check(result)

    def merge(self, other, clones=False):
        """Add those of another machine, as independent ones."""
        _check(_lib.scl_snapshot_merge(self, _like(self, other), 1 if clones else 0))

    def mark_partial(self):
        """A machine is missing in the sum."""
        _lib.scl_snapshot_mark_partial(self)

    def sum(self):
        """(value, lower, upper, variance) of all counters together, as independent ones."""
        of = _Estimate()
        _lib.scl_snapshot_sum(self, _c.byref(of))
        return of.value, of.lower, of.upper, of.variance

    def since(self, before):
        """What each counter has counted since: a dict of Changes by path."""
        changes = {}
        _like(self, before)
        for i in range(len(self)):
            record, change = _lib.scl_snapshot_record(self, i), _Change()
            _lib.scl_change_between(before, self, record, _c.byref(change))
            path = Counter(self, record).path
            changes[path] = Change(path, change)
        return changes

    @property
    def real_ns(self):
        return _lib.scl_snapshot_header(self).contents.real_ns

    @property
    def monotonic_ns(self):
        return _lib.scl_snapshot_header(self).contents.monotonic_ns

    @property
    def boot_id(self):
        return bytes(_lib.scl_snapshot_header(self).contents.boot_id)

    def __len__(self):
        return _lib.scl_snapshot_count(self)

    def __iter__(self):
        for i in range(len(self)):
            yield Counter(self, _lib.scl_snapshot_record(self, i))

    def __getitem__(self, path):
        parts = [part.encode(errors="surrogateescape") for part in path.split("/")]
        group, object_, name = parts if len(parts) == 3 else (parts[0], None, parts[-1])
        record = len(parts) in (2, 3) and _lib.scl_snapshot_find(self, group, object_, name)
        if not record:
            raise KeyError(path)
        return Counter(self, record)

    def __contains__(self, path):
        try:
            return bool(self[path])
        except KeyError:
            return False

    def __bool__(self):
        return True


def snapshots(path=None, patterns=()):
    """All snapshots of a recording, one after the other; of the device, for ever."""
    source = _made(_lib.scl_source_open, _path(path), _patterns(patterns))
    try:
        while True:
            pointer = _p()
            if not _check_read(_lib.scl_source_next(source, _c.byref(pointer))):
                return
            yield Snapshot(pointer)
    finally:
        _lib.scl_source_close(source)


class Array(_Object):
    """An array of approximate counters; len(array) is how many.

    Array(1000, **Array.type_for(10**6, bits=8)) has a thousand for counts up to a million
    in eight bits each; kind is MORRIS, MORRIS2, CSUROS2, CSUROS, DLM_PROBABILITY, DLM_FLOAT
    or SHARED, as uapi/linux/scounter_array.h explains them with the rest.
    """
    MORRIS, MORRIS2, CSUROS2, CSUROS, DLM_PROBABILITY, DLM_FLOAT, SHARED = range(1, 8)
    _free = staticmethod(_lib.scl_array_free)

    def __init__(self, length, kind=3, bits=8, q_ppm=0, m=16, theta=0, group=1, _pointer=None):
        of = _Type(kind, bits, q_ppm, m, theta, group)
        super().__init__(_pointer or _made(_lib.scl_array_create, _c.byref(of), length))

    @staticmethod
    def type_for(max_count, bits=None, error=None):
        """The type for counts up to max_count in so many bits, or in the fewest for an
        error: one relative standard deviation, as 0.01."""
        of = _Type()
        if (bits is None) == (error is None):
            raise TypeError("type_for wants bits or error")
        if bits is not None:
            _check(_lib.scl_array_type_for(_c.byref(of), bits, max_count))
        else:
            _check(_lib.scl_array_type_for_error(_c.byref(of), max_count, round(error * 1e6)))
        return of.as_dict()

    @classmethod
    def read(cls, path):
        return cls(0, _pointer=_read(_lib.scl_array_read, _path(path)))

    def save(self, path):
        _check(_lib.scl_array_save(self, _path(path)))

    def merge(self, other):
        """Add the other's counters to these, cell by cell."""
        _check(_lib.scl_array_merge(self, _like(self, other)))

    def inc(self, index):
        _check(_lib.scl_array_inc(self, index))

    def add(self, index, n):
        _check(_lib.scl_array_add(self, index, n))

    def clear(self):
        _lib.scl_array_clear(self)

    def mark_partial(self):
        _lib.scl_array_mark_partial(self)

    @property
    def flags(self):
        return _lib.scl_array_flags(self)

    @property
    def type(self):
        """kind, bits, q_ppm, m, theta and group, as a dict."""
        of = _Type()
        _lib.scl_array_type(self, _c.byref(of))
        return of.as_dict()

    def estimate(self, index):
        """(value, lower, upper, variance) of a counter."""
        of = _Estimate()
        _check(_lib.scl_array_estimate(self, index, _c.byref(of)))
        return of.value, of.lower, of.upper, of.variance

    def sum(self, first=0, count=None):
        """(value, variance) of many counters."""
        of = _Total()
        count = len(self) - first if count is None else count
        _check(_lib.scl_array_sum(self, first, count, _c.byref(of)))
        return of.value, of.variance

    def values(self, first=0, count=None):
        """Unbiased values, as a memoryview of doubles."""
        count = max(len(self) - first, 0) if count is None else count
        # That many, before there is memory for them.
        if first < 0 or count < 0 or first + count > len(self):
            raise IndexError("%d counters from %d on, of %d" % (count, first, len(self)))
        values = _array.array("d", bytes(8 * count))
        _check(_lib.scl_array_values(self, first, count, values.buffer_info()[0]))
        return memoryview(values)

    def words(self):
        """The words of all cells, as a memoryview that is not copied: it shows what is
        counted later, and keeps the array, which cannot be closed while it is there."""
        count = _c.c_uint64()
        address = _lib.scl_array_words(self, _c.byref(count))
        words = (_c.c_uint64 * count.value).from_address(address)
        words.owner = self
        self._lent = True
        return memoryview(words).cast("B").cast("Q").toreadonly()

    def close(self):
        """Frees the memory; where words() gave it out, that goes with the last of them."""
        if not getattr(self, "_lent", False):
            super().close()

    def __del__(self):
        super().close()

    def __len__(self):
        return _lib.scl_array_length(self)

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.values(index % len(self), 1)[0]

    def __iter__(self):
        return iter(self.values())

    def __bool__(self):
        return True


class Item:
    """A key of a table: key (bytes), count (at most, but for what is pending), error, lower."""

    def __init__(self, key, count, error):
        self.key, self.count, self.error, self.lower = key, count, error, count - error

    def __repr__(self):
        return "<scounter.Item %s %d, at least %d>" % (self.key.hex(), self.count, self.lower)


class TopK(_Object):
    """A table of frequent items, the highest count first.

    total, floor (a key that is not listed has at most so many hits), pending, dropped,
    capacity, key_size and flags are of the table.
    """
    _free = staticmethod(_lib.scl_topk_free)
    _HEADER = ("total", "floor", "pending", "dropped", "capacity", "key_size", "flags")

    @classmethod
    def read(cls, path):
        return cls(_read(_lib.scl_topk_read, _path(path)))

    def save(self, path):
        _check(_lib.scl_topk_save(self, _path(path)))

    def merge(self, other):
        """Add the other's; floor and errors are at most the sum of all N / m."""
        _check(_lib.scl_topk_merge(self, _like(self, other)))

    def mark_partial(self):
        _lib.scl_topk_mark_partial(self)

    def bounds(self, key):
        """(lower, upper) of the hits of a key of key_size bytes."""
        if len(key) != self.key_size:
            raise ValueError("a key has %d bytes" % self.key_size)
        lower, upper = _c.c_uint64(), _c.c_uint64()
        _lib.scl_topk_bounds(self, bytes(key), _c.byref(lower), _c.byref(upper))
        return lower.value, upper.value

    def __getattr__(self, name):
        if name in self._HEADER:
            return getattr(_lib.scl_topk_header(self).contents, name)
        raise AttributeError(name)

    def __len__(self):
        return _lib.scl_topk_header(self).contents.records

    def __getitem__(self, i):
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        record = _lib.scl_topk_record(self, i % len(self))
        count, error = (_c.c_uint64 * 2).from_address(record)
        return Item(_c.string_at(record + 16, self.key_size), count, error)

    def __bool__(self):
        return True
