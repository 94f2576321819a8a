#!/usr/bin/env python3
"""On a terminal, what lasts over a second has a progress line, which is gone at the end, before an error and when the run is
killed; a log has none.

usage: progress.py TSCATTER
"""
import json
import os
import pty
import re
import signal
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


CLEAR = b"\r\x1b[K"
SIZE = rb"[0-9.]+ (bytes|[KMGT]iB)"
LINE = re.compile(re.escape(CLEAR) + SIZE + rb" of " + SIZE + rb", [0-9]+ %, ([0-9]+ (h|min|s) ?)+left")
BYTES = re.compile(re.escape(CLEAR) + SIZE + rb"(?! of)")
SHAPE = [1 << 20, 1 << 16]
SPARSE = ["x.npy", "y.npy"]  # 64 GiB each, and no space on the disk


def make_sparse(path):
    header = str({"descr": "|u1", "fortran_order": False, "shape": tuple(SHAPE)}).ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        file.truncate(128 + SHAPE[0] * SHAPE[1])


def start(directory, words, err, **more):
    environment = {**os.environ, "TERM": "xterm", "TMPDIR": directory}
    return subprocess.Popen([sys.argv[1], *words], stdout=subprocess.DEVNULL, stderr=err, cwd=directory, **{"env": environment, **more})


def read_until(pattern, descriptor):
    text = b""
    while not pattern.search(text):
        text += os.read(descriptor, 65536)
    return text


def check_killed(directory, words, number=signal.SIGINT):
    """The line comes while it runs, and goes with it."""
    ours, theirs = pty.openpty()
    process = start(directory, words, theirs)
    os.close(theirs)
    text = read_until(LINE, ours)
    process.send_signal(number)
    text += read_to_end(ours)
    assert process.wait() == -number, (words, process.returncode, text)
    assert text.endswith(CLEAR), (words, text)


def feed_slowly(process, text, pieces=8):
    size = len(text) // pieces + 1
    for at in range(0, len(text), size):
        time.sleep(0.25)
        process.stdin.write(text[at : at + size])
        process.stdin.flush()
    process.stdin.close()


def run_fed(words, text, **more):
    """What a run prints on the terminal that reads a long text from a slow pipe, and its exit code."""
    with tempfile.TemporaryDirectory() as directory:
        ours, theirs = pty.openpty()
        process = start(directory, words, theirs, stdin=subprocess.PIPE, **more)
        os.close(theirs)
        feeder = threading.Thread(target=feed_slowly, args=[process, text])
        feeder.start()
        printed = read_to_end(ours)
        feeder.join()
        return printed, process.wait()


def check_silent(words):
    with tempfile.TemporaryDirectory() as directory:
        ours, theirs = pty.openpty()
        process = start(directory, words, theirs)
        os.close(theirs)
        assert read_to_end(ours) == b"" and process.wait() == 0, words


def test_batch():
    shown = run_on_terminal([])
    assert CLEAR + b"100 %  3 cases, 0 failed" in shown, shown
    assert shown.endswith(CLEAR), shown
    assert run_on_terminal(["-q"]) == b""
    assert run([], subprocess.PIPE) == b""


def test_killed():
    update = ["ScatterUpdate-3", "-d", "x.npy", "-i", "[5]", "-u", f"1x{SHAPE[1]}xu8=1", "-a", "0"]
    with tempfile.TemporaryDirectory() as directory:
        for name in SPARSE:
            make_sparse(f"{directory}/{name}")
        with open(f"{directory}/job.json", "w") as job:
            updates = {"dtype": "uint8", "data": [[1] * SHAPE[1]]}
            json.dump({"op": "ScatterUpdate-3", "data": "x.npy", "indices": [5], "updates": updates, "axis": 0, "output": "/dev/null"}, job)
        check_killed(directory, [*update, "-o", "/dev/null"])
        check_killed(directory, [*update, "-o", "/dev/null"], signal.SIGTERM)
        check_killed(directory, ["run", "job.json"])
        check_killed(directory, ["compare", *SPARSE])
        check_killed(directory, ["show", "x.npy"])
        check_killed(directory, ["show", "x.npy"], signal.SIGHUP)
        check_killed(directory, ["convert", "x.npy", "/dev/null"])
        check_killed(directory, ["verify", *update, "--actual", "y.npy"])


def test_fed():
    numbers = b"[" + b"0,\n" * 700000 + b"0]"
    explain = ["explain", "ScatterUpdate-3", "-d", "4xu8=0", "-i", "-", "-u", "700001xu8=1", "-a", "0"]
    for words in (["show", "-"], explain):
        printed, code = run_fed(words, numbers)
        assert code == 0 and BYTES.search(printed) and printed.endswith(CLEAR), (words, printed)
    printed, code = run_fed(["show", "-"], numbers + b"!")
    assert code == 4 and BYTES.search(printed), printed
    assert CLEAR + b"tscatter: <stdin>: the text must be JSON" in printed, printed
    check_silent(["show", "[0, 1]"])
    assert run_fed(["show", "-", "-q"], numbers) == (b"", 0)
    assert run_fed(["show", "-"], numbers, env={**os.environ, "TERM": "dumb"}) == (b"", 0)


test_batch()
test_killed()
test_fed()
print("passed")
