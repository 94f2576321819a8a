#!/usr/bin/env python3
"""A batch on a terminal shows a progress line once it has lasted a second; one that writes to a log shows none.

usage: progress.py TSCATTER
"""
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time

# Each case waits for its data.
CASE = '{"name": "c%d", "op": "ScatterUpdate-3", "data": "pipe%d", "indices": [0], "updates": [2], "axis": 0, "expected": [2]}\n'
COUNT = 4


def read_to_end(descriptor):
    text = b""
    try:
        while piece := os.read(descriptor, 65536):
            text += piece
    except OSError:  # how a terminal ends
        pass
    return text


def feed(directory):
    for number in range(COUNT):
        time.sleep(0.6)
        with open(f"{directory}/pipe{number}", "wb") as pipe:
            pipe.write(b"[1]")


def run(flags, err):
    with tempfile.TemporaryDirectory() as directory:
        for number in range(COUNT):
            os.mkfifo(f"{directory}/pipe{number}")
        with open(f"{directory}/cases.jsonl", "w") as batch:
            batch.writelines(CASE % (number, number) for number in range(COUNT))
        feeder = threading.Thread(target=feed, args=[directory])
        feeder.start()
        words = [sys.argv[1], "batch", f"{directory}/cases.jsonl", "-j", "1", *flags]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=err)
        out, text = process.communicate()
        feeder.join()
    assert process.returncode == 0, out
    assert out.endswith(b"4 cases: 4 passed\n"), out
    return text


def run_on_terminal(flags):
    ours, theirs = pty.openpty()
    run(flags, theirs)
    os.close(theirs)
    return read_to_end(ours)


shown = run_on_terminal([])
assert b"\r\x1b[K100 %  3 cases, 0 failed" in shown, shown
assert shown.endswith(b"\r\x1b[K"), shown
assert run_on_terminal(["-q"]) == b""
assert run([], subprocess.PIPE) == b""
print("passed")
