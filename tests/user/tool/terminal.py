#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run a program on a terminal of so many columns; resize it; press q; show all."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 5, columns, 0, 0))


columns = int(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    resize(0, columns)
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[2], sys.argv[2:])
output = b""
step = 0
while True:
    ready = select.select([fd], [], [], 1)[0]
    if not ready:
        if step == 0:
            resize(fd, columns + 3)
        else:
            os.write(fd, b"sq")
        step += 1
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    output += data
sys.stdout.buffer.write(output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
