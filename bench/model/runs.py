# SPDX-License-Identifier: GPL-2.0
"""
Runs of the model: several at once, with progress, and kept. The same program, machine and
options give the same figures, so that what has been run once is read from build/sim/runs.
"""
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SIM = os.path.join(TOP, "build/sim/sim")
MACHINES = os.path.join(TOP, "bench/model/machines")
CACHE = os.path.join(TOP, "build/sim/runs")

# What the machine files estimate: each is halved and doubled. A warm counter is never in
# memory, whose latency is left out.
ESTIMATES = ["shared_cache_ns", "hold_ns", "hit_ns", "rmw_ns", "cas_ns", "retry_ns", "node_ns",
             "remote_ns", "pause_ns", "draw_ns", "call_ns", "loop_ns", "choose_ns", "issue",
             "pause_issue", "migratory", "store_buffer"]
PERCENTAGES = ["issue", "pause_issue", "migratory"]


def read(name):
    """A machine file, as a dictionary of its lines."""
    with open(os.path.join(MACHINES, name + ".machine")) as file:
        lines = [line.split("#")[0].split("=") for line in file]
    return {pair[0].strip(): pair[1].strip() for pair in lines if len(pair) == 2}


def changed(machine, key, factor):
    """The machine with one estimate multiplied; None if it has none, or it stays the same."""
    value = {"yes": "100", "no": None}.get(machine[key], machine[key])
    if value is None:
        return None
    value = float(value) * factor
    if key in PERCENTAGES:
        value = min(value, 100)
    if key in PERCENTAGES or key == "store_buffer":
        value = round(value)
    text = f"{value:g}"
    same = {"yes": "100"}.get(machine[key], machine[key])
    return None if text == same else {**machine, key: text}


def variants(name):
    """(key, factor, machine): as it is, and with each estimate halved and doubled."""
    machine = read(name)
    yield "", 1, machine
    for key in ESTIMATES:
        for factor in (.5, 2):
            other = changed(machine, key, factor)
            if other:
                yield key, factor, other


def digest(text):
    return hashlib.sha256(text).hexdigest()[:24]


def program():
    with open(SIM, "rb") as file:
        return digest(file.read())


def run(machine, options, simulator):
    """The results of one command, and whether they had been kept."""
    text = "".join(f"{key} = {value}\n" for key, value in machine.items())
    options = [str(option) for option in options]
    name = digest(repr((simulator, text, options)).encode())
    kept = os.path.join(CACHE, name + ".json")
    if os.path.exists(kept):
        with open(kept) as file:
            return json.load(file), True
    path = os.path.join(CACHE, name + ".machine")
    with open(path, "w") as file:
        file.write(text)
    done = subprocess.run([SIM, "run", "--json", "-m", path] + options, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.remove(path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    with open(kept + ".new", "w") as file:
        json.dump(rows, file)
    os.rename(kept + ".new", kept)
    return rows, False


def sims(commands, title):
    """All commands, each a machine and options; a list of their results, in that order."""
    os.makedirs(CACHE, exist_ok=True)
    simulator, began, said, kept = program(), time.time(), 0, 0
    results = [None] * len(commands)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        at = {pool.submit(run, *command, simulator): i for i, command in enumerate(commands)}
        for done, future in enumerate(as_completed(at), 1):
            results[at[future]], was_kept = future.result()
            kept += was_kept
            if time.time() - said > 5 or done == len(commands):
                said = time.time()
                print(f"figures: {title}: {done} of {len(commands)} commands, {kept} of them kept "
                      f"from before; {said - began:.0f} s", file=sys.stderr)
    return results
