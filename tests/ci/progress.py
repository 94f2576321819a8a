#!/usr/bin/env python3
"""A batch on a terminal shows a progress line once it has lasted a second; one that writes to a log shows none.

usage: progress.py TSCATTER
"""
import os
import pty
import subprocess
import sys
import time

CASE = '{"name": "c%d", "op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0, "expected": [2]}\n'


def read_to_end(descriptor):
    text = b""
    try:
        while piece := os.read(descriptor, 65536):
            text += piece
    except OSError:  # how a terminal ends
        pass
    return text


def run(flags, err):
    process = subprocess.Popen([sys.argv[1], "batch", "-", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err)
    for number in range(4):
        process.stdin.write((CASE % number).encode())
        process.stdin.flush()
        time.sleep(0.6)
    out, text = process.communicate()
    assert process.returncode == 0
    assert out.endswith(b"4 cases: 4 passed\n"), out
    return text


def run_on_terminal(flags):
    ours, theirs = pty.openpty()
    run(flags, theirs)
    os.close(theirs)
    return read_to_end(ours)


shown = run_on_terminal([])
assert b"\r\x1b[K3 cases, 0 failed" in shown, shown
assert shown.endswith(b"\r\x1b[K"), shown
assert run_on_terminal(["-q"]) == b""
assert run([], subprocess.PIPE) == b""
print("passed")
