#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Interrupt a program: show all that it says, and its status.

Usage: interrupt.py SIGNAL PROGRAM...         send it a signal when it catches that
       interrupt.py --keys TEXT PROGRAM...    on a terminal, press Ctrl-C when it shows a text
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time


def catches(pid, number):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M).group(1), 16) >> (number - 1) & 1


def by_signal(number, program):
    process = subprocess.Popen(program, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
    while not catches(process.pid, number):
        time.sleep(0.05)
    process.send_signal(number)
    output = process.communicate()[0]
    return output, process.returncode


def by_keys(text, program):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(program[0], program)
    output = b""
    pressed = False
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
        if text in output and not pressed:
            pressed = True
            os.write(fd, b"\x03")
    return output, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# Who runs this in the background may ignore some.
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_DFL)
if sys.argv[1] == "--keys":
    said, status = by_keys(sys.argv[2].encode(), sys.argv[3:])
else:
    said, status = by_signal(signal.Signals[sys.argv[1]], sys.argv[2:])
sys.stdout.buffer.write(said)
print("status", status)
