"""Runs a command and measures it: wall time, processor time, memory.

Start it from a small process that does not import NumPy, and nothing of the parent shows in what is
measured of the child.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Run:
    wall: float  # seconds
    processor: float  # seconds, user and system
    exit_code: int
    peak: int = 0  # bytes, of a sampled run
    private: int = 0


def spawn(words: list[str], log: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(log), flags, 0o600),
    ]
    return os.posix_spawnp(words[0], words, os.environ, file_actions=actions)


def run(words: list[str], log: Path) -> Run:
    begin = time.perf_counter()
    _, status, usage = os.wait4(spawn(words, log), 0)
    wall = time.perf_counter() - begin
    return Run(wall, usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status))


def run_sampled(words: list[str], log: Path) -> Run:
    """With its memory read from /proc/PID/status about every 0.2 ms: VmHWM, the peak of all that is
    resident, and RssAnon, what is the process's own. Not RssFile: pages of a mapped file belong to
    the page cache, which takes them back when it wants to."""
    begin = time.perf_counter()
    pid = spawn(words, log)
    peak = private = 0
    status = os.open(f"/proc/{pid}/status", os.O_RDONLY)
    try:
        while True:
            with contextlib.suppress(ProcessLookupError):
                lines = os.pread(status, 4096, 0).decode().splitlines()
                sizes = {line[:7]: line for line in lines}
                if "RssAnon" in sizes:
                    private = max(private, int(sizes["RssAnon"].split()[1]) * 1024)
                if "VmHWM:\t" in sizes:
                    peak = max(peak, int(sizes["VmHWM:\t"].split()[1]) * 1024)
            ended, code, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.0002)
    finally:
        os.close(status)
    wall = time.perf_counter() - begin
    processor = usage.ru_utime + usage.ru_stime
    return Run(wall, processor, os.waitstatus_to_exitcode(code), peak, private)
