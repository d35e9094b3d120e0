#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run litmus tests of the kernel's memory model on a machine that reorders.

Usage: explore.py FILE...       or a test on standard input, for -

Prints for each test its name and whether its final state is reached: Never or
Sometimes.  The tests are those of tools/memory-model in the kernel, as far as they
use READ_ONCE(), WRITE_ONCE(), acquire, release, cmpxchg(), xchg(), fences, RCU and if.

The machine executes the instructions of a thread in any order, except that

- one that needs a value waits for it, and a store under an if waits for the if;
- accesses to one word stay in order, but a load may take its value from a store of its
  own thread that the others do not see yet;
- acquire, release and fences mean what Documentation/memory-barriers.txt says; a
  compare-and-swap that fails orders nothing;
- a grace period ends when each read-side section of which some access was done when it
  began has done all.

A store is seen by all other threads at once.  All states are visited.  What this
machine never does some other may, such as one whose stores are seen by one thread
before another: herd7 with the kernel's model is the judge where it is installed.
"""
import re
import sys

TOKEN = re.compile(r"\s*(\d+|\w+|/\\|\\/|==|!=|&&|[-+*(){};,=!&:~])")
FENCES = {"smp_mb": "RW", "smp_rmb": "R", "smp_wmb": "W", "smp_mb__before_atomic": "RW",
          "smp_mb__after_atomic": "RW", "synchronize_rcu": "RW"}
ORDERS = ("relaxed", "acquire", "release")


class Instruction:
    """An access, a fence, an assignment or the edge of a read-side section."""

    def __init__(self, kind, guards, section):
        self.kind = kind            # load, store, rmw, fence, let, lock, unlock
        self.guards = guards        # conditions that must hold, with registers as they are
        self.section = section      # number of the read-side section, or None
        self.order = "relaxed"
        self.to = None              # register
        self.address = None         # expression
        self.values = []            # expressions: stored, or expected and stored
        self.fence = ""

    def is_read(self):
        return self.kind in ("load", "rmw")

    def is_write(self):
        return self.kind in ("store", "rmw")


def tokens(text):
    at = 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise SyntaxError("what is %r?" % text[at:at + 20])
        yield match.group(1)
        at = match.end()


class Parser:
    """One thread."""

    def __init__(self, text, shared):
        self.left = list(tokens(text))
        self.shared = shared
        self.code = []
        self.section = None
        self.sections = 0
        self.block([])

    def take(self, *expected):
        token = self.left.pop(0)
        if expected and token not in expected:
            raise SyntaxError("%s, not %s" % (" or ".join(expected), token))
        return token

    def peek(self):
        return self.left[0] if self.left else None

    # Expressions are tuples: number, register, address, or an operation.
    def atom(self):
        token = self.take()
        if token == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if token in "!*&":
            inner = self.atom()
            return ("not", inner) if token == "!" else inner
        if token.isdigit():
            return ("number", int(token))
        return ("address" if token in self.shared else "register", token)

    def expression(self):
        left = self.atom()
        while self.peek() in ("+", "-", "==", "!=", "&&", "&"):
            left = (self.take(), left, self.atom())
        return left

    def arguments(self):
        self.take("(")
        found = []
        while self.peek() != ")":
            found.append(self.expression())
            if self.peek() == ",":
                self.take()
        self.take(")")
        return found

    def add(self, kind, guards):
        instruction = Instruction(kind, list(guards), self.section)
        self.code.append(instruction)
        return instruction

    def block(self, guards):
        while self.peek() not in (None, "}"):
            self.statement(guards)

    def body(self, guards):
        if self.peek() == "{":
            self.take()
            self.block(guards)
            self.take("}")
        else:
            self.statement(guards)

    def statement(self, guards):
        token = self.take()
        if token in ("int", "atomic_t"):
            while self.peek() == "*":
                self.take()
            if self.left[1] == ";":
                self.left = self.left[2:]
                return
            token = self.take()
        if token == "if":
            self.take("(")
            condition = self.expression()
            self.take(")")
            self.body(guards + [condition])
            if self.peek() == "else":
                self.take()
                self.body(guards + [("not", condition)])
            return
        if self.peek() == "=":
            self.take()
            self.assignment(token, guards)
        else:
            self.call(token, None, guards)
        self.take(";")

    def assignment(self, register, guards):
        if self.left[1] == "(" and not self.left[0].isdigit():
            self.call(self.take(), register, guards)
            return
        let = self.add("let", guards)
        let.to, let.values = register, [self.expression()]

    def call(self, name, to, guards):
        arguments = self.arguments()
        if name in FENCES:
            fence = self.add("fence", guards)
            fence.fence = FENCES[name]
            fence.order = "grace" if name == "synchronize_rcu" else "relaxed"
        elif name == "rcu_read_lock":
            self.sections += 1
            self.section = self.sections
        elif name == "rcu_read_unlock":
            self.section = None
        else:
            self.access(name, to, arguments, guards)

    def access(self, name, to, arguments, guards):
        kinds = {"READ_ONCE": ("load", "relaxed"), "smp_load_acquire": ("load", "acquire"),
                 "rcu_dereference": ("load", "relaxed"), "WRITE_ONCE": ("store", "relaxed"),
                 "smp_store_release": ("store", "release"),
                 "rcu_assign_pointer": ("store", "release"),
                 "cmpxchg": ("rmw", "full"), "xchg": ("rmw", "full")}
        base, _, order = name.rpartition("_")
        if name not in kinds and base in kinds and order in ORDERS:
            kinds[name] = (kinds[base][0], order)
        if name not in kinds:
            raise SyntaxError("%s() is not known" % name)
        kind, order = kinds[name]
        access = self.add(kind, guards)
        access.order, access.to = order, to
        access.address, access.values = arguments[0], arguments[1:]


def strip_comments(text):
    text = re.sub(r"\(\*\s.*?\*\)|//[^\n]*|^locations[^\n]*", "", text, flags=re.S | re.M)
    return text


class Test:
    """A parsed file."""

    def __init__(self, text):
        text = strip_comments(text)
        match = re.match(r"\s*C\s+(\S+)\s*\{(.*?)\}(.*)exists(.*)$", text, re.S)
        if not match:
            raise SyntaxError("no litmus test in C")
        self.name, initial, threads, final = match.groups()
        parts = re.findall(r"P(\d+)\s*\(([^)]*)\)\s*(\{.*?\n\})", threads, re.S)
        self.shared = sorted({word for _, arguments, _ in parts
                              for word in re.findall(r"(\w+)\s*(?:,|$)", arguments)})
        self.memory = {name: 0 for name in self.shared}
        for name, value in re.findall(r"(\w+)\s*=\s*&?(\w+)\s*;", initial):
            self.memory[name] = int(value) if value.isdigit() else value
            if not value.isdigit():
                self.memory.setdefault(value, 0)
        self.threads = [Parser(body[1:-1], set(self.memory)).code for _, _, body in parts]
        self.final = " ".join(final.split())

    def reached(self, memory, registers):
        def replace(match):
            thread, name, value = match.groups()
            seen = registers[int(thread)].get(name, 0) if thread else memory[name]
            return str(seen == (int(value) if value.isdigit() else value))

        text = re.sub(r"(?:(\d+):)?(\w+)=(\w+)", replace, self.final)
        text = text.replace("/\\", " and ").replace("\\/", " or ").replace("~", " not ")
        return eval(text)   # pylint: disable=eval-used # only names were left


UNKNOWN = object()


def evaluate(expression, registers):
    kind = expression[0]
    if kind == "number" or kind == "address":
        return expression[1]
    if kind == "register":
        return registers.get(expression[1], 0)
    parts = [evaluate(part, registers) for part in expression[1:]]
    if UNKNOWN in parts:
        return UNKNOWN
    if kind == "not":
        return int(not parts[0])
    if kind in ("==", "!="):
        return int((parts[0] == parts[1]) == (kind == "=="))
    if kind == "&&":
        return int(bool(parts[0]) and bool(parts[1]))
    if kind == "&":
        return parts[0] & parts[1]
    return parts[0] + parts[1] if kind == "+" else parts[0] - parts[1]


class Machine:
    """A state is (memory, for each thread a tuple of what its instructions did)."""

    WAITS, FAILED = "waits", "failed"   # or the value that was read, or None

    def __init__(self, test):
        self.test = test
        self.names = sorted(test.memory)

    # The registers as instruction `at` of a thread sees them; some are UNKNOWN.
    def registers(self, code, done, at):
        seen = {}
        for i in range(at):
            instruction = code[i]
            if not instruction.to:
                continue
            held = self.holds(instruction, seen)
            if held is UNKNOWN:
                # Speculation goes on with what it would be.
                held = True
            if not held:
                continue
            if instruction.kind == "let":
                seen[instruction.to] = evaluate(instruction.values[0], seen)
            elif done[i] is Machine.WAITS:
                seen[instruction.to] = UNKNOWN
            else:
                seen[instruction.to] = done[i][1]
        return seen

    @staticmethod
    def holds(instruction, registers):
        result = True
        for guard in instruction.guards:
            value = evaluate(guard, registers)
            if value is UNKNOWN:
                result = UNKNOWN
            elif not value:
                return False
        return result

    # done[i] is WAITS, or (outcome, value): outcome ok, failed (a compare-and-swap),
    # or forwarded.
    def is_over(self, code, done, i):
        if done[i] is not Machine.WAITS or code[i].kind == "let":
            return True
        return self.holds(code[i], self.registers(code, done, i)) is False

    def may_pass(self, earlier, how, later):
        """May `later` execute before `earlier`, which has not, as far as order goes?"""
        if "fence" in (earlier.kind, later.kind):
            return not (self.fenced(earlier, later) or self.fenced(later, earlier))
        if earlier.order == "acquire" and earlier.is_read():
            return False
        if later.order == "release":
            return False
        return not (earlier.order == "full" and how != "guessed")

    @staticmethod
    def fenced(fence, other):
        if fence.kind != "fence":
            return False
        if other.kind == "fence":
            return True
        return ("R" in fence.fence and other.is_read()) or \
            ("W" in fence.fence and other.is_write())

    def steps(self, state):
        memory, threads = state
        for number, (done, guesses, grace) in enumerate(threads):
            code = self.test.threads[number]
            for i, instruction in enumerate(code):
                if not self.is_over(code, done, i):
                    yield from self.step(state, number, i, instruction)

    def step(self, state, number, i, instruction):
        memory, threads = state
        done, guesses, grace = threads[number]
        code = self.test.threads[number]
        registers = self.registers(code, done, i)
        held = self.holds(instruction, registers)
        if held is UNKNOWN and instruction.kind != "load":
            return
        address = value = None
        if instruction.address:
            address = evaluate(instruction.address, registers)
            values = [evaluate(v, registers) for v in instruction.values]
            if address is UNKNOWN or UNKNOWN in values:
                return
            if address not in memory_names(memory):
                # Speculation with a value that is no address; it will not be kept.
                if held is UNKNOWN:
                    return
                raise ValueError("%r is no address" % (address,))
        forwarded = None
        guessed = set(guesses)
        fails = instruction.kind == "rmw" and len(instruction.values) == 2 and \
            dict(memory)[address] != values[0]
        for j in range(i):
            earlier = code[j]
            if self.is_over(code, done, j):
                continue
            how = "guessed" if j in guessed else ""
            if earlier.kind == "rmw" and earlier.order == "full" and \
                    len(earlier.values) == 2 and not how:
                how = "guessed"
                new_guess = True
            else:
                new_guess = False
            passes = self.may_pass(earlier, how, instruction)
            if instruction.order == "full" and not fails and earlier.kind != "let":
                passes = False
            if not passes:
                return
            if new_guess and not self.may_pass(earlier, "", instruction):
                guessed.add(j)
            if earlier.address and address is not None:
                where = evaluate(earlier.address, self.registers(code, done, j))
                if where is UNKNOWN and (earlier.is_write() or instruction.is_write()):
                    return
                if where == address:
                    if earlier.kind != "store" or instruction.kind != "load":
                        return
                    forwarded = evaluate(earlier.values[0], self.registers(code, done, j))
                    if forwarded is UNKNOWN:
                        return
        if instruction.kind == "fence" and instruction.order == "grace":
            yield from self.grace_step(state, number, i)
            return
        if i in guesses and not fails:
            return
        words = dict(memory)
        outcome = ("ok", None)
        if instruction.kind == "load":
            outcome = ("ok", words[address] if forwarded is None else forwarded)
        elif instruction.kind == "store":
            words[address] = values[0]
        elif instruction.kind == "rmw":
            outcome = ("failed" if fails else "ok", words[address])
            if not fails:
                words[address] = values[-1]
        yield self.after(state, number, i, outcome, words, guessed, grace)

    def after(self, state, number, i, outcome, words, guesses, grace):
        _, threads = state
        done = list(threads[number][0])
        done[i] = outcome
        thread = (tuple(done), tuple(sorted(guesses)), grace)
        return (tuple(sorted(words.items())), threads[:number] + (thread,) + threads[number + 1:])

    # First those sections are remembered that are under way, then they must be over.
    def grace_step(self, state, number, i):
        memory, threads = state
        done, guesses, grace = threads[number]
        if grace is None:
            open_now = tuple((t, s) for t in range(len(threads)) for s in self.under_way(threads, t))
            thread = (done, guesses, open_now)
            yield (memory, threads[:number] + (thread,) + threads[number + 1:])
            return
        for t, s in grace:
            if s in self.under_way(threads, t):
                return
        yield self.after(state, number, i, ("ok", None), dict(memory), guesses, None)

    def under_way(self, threads, t):
        code, done = self.test.threads[t], threads[t][0]
        found = []
        for section in {c.section for c in code if c.section}:
            inside = [i for i, c in enumerate(code) if c.section == section]
            begun = any(done[i] is not Machine.WAITS for i in inside)
            if begun and not all(self.is_over(code, done, i) for i in inside):
                found.append(section)
        return found

    def explore(self):
        threads = tuple(((Machine.WAITS,) * len(code), (), None) for code in self.test.threads)
        first = (tuple(sorted(self.test.memory.items())), threads)
        seen, left = {first}, [first]
        reached = False
        while left:
            state = left.pop()
            if all(self.is_over(code, done, i)
                   for code, (done, _, _) in zip(self.test.threads, state[1])
                   for i in range(len(code))):
                registers = [self.registers(code, done, len(code))
                             for code, (done, _, _) in zip(self.test.threads, state[1])]
                reached = reached or self.test.reached(dict(state[0]), registers)
            for following in self.steps(state):
                if following not in seen:
                    seen.add(following)
                    left.append(following)
        return reached, len(seen)


def memory_names(memory):
    return [name for name, _ in memory]


def main():
    files = sys.argv[1:]
    if not files or files[0] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if files else 2)
    for name in files:
        text = sys.stdin.read() if name == "-" else open(name, encoding="utf-8").read()
        test = Test(text)
        reached, states = Machine(test).explore()
        print("%s %s %d states" % (test.name, "Sometimes" if reached else "Never", states))


main()
