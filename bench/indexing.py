"""The words for NumPy's index, beside cp, NumPy and the operations of the same form.

  python3 bench/indexing.py make DIR --scale 1     writes the files that are missing

NumPy is imported only where it is used, as in workloads.py.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Task:
    title: str
    ours: list[str]  # a command line of tscatter, without the program
    other: str  # what stands beside it
    words: list[str]  # its command line, "tscatter" for the program
    goal: float  # of the ratio of the medians


def numpy_script(text: str) -> list[str]:
    return [sys.executable, "-c", f"import numpy as np; {text}"]


def tasks(directory: Path) -> list[Task]:
    def file(name: str) -> str:
        return str(directory / f"index-{name}.npy")

    data, mask, small, few, rows, ids, out = map(file, ("data", "mask", "small", "few", "rows", "ids", "out"))
    table, updates, picked = file("table"), file("updates"), file("picked")
    copied = ["cp", data, mask, str(directory / "copies")]
    masked_by_numpy = numpy_script(f"a = np.load({small!r}); a[np.load({few!r})] = 0; np.save({out!r}, a)")
    return [
        Task(
            "10^8 f32 where a mask is true (a tenth), into a new file",
            ["set", f"{data}[{mask}]", "0", "-o", out],
            "cp of data and mask",
            copied,
            1.5,
        ),
        Task(
            "the same in place",
            ["set", f"{data}[{mask}]", "0", "--in-place"],
            "cp of data and mask",
            copied,
            1.5,
        ),
        Task(
            "2 · 10^7 f32 where a mask is true, in place",
            ["set", f"{small}[{few}]", "0", "--in-place"],
            "NumPy",
            masked_by_numpy,
            0.6,
        ),
        Task(
            "2 · 10^7 f32 where a mask is true, into a new file",
            ["set", f"{small}[{few}]", "0", "-o", out],
            "NumPy",
            masked_by_numpy,
            0.6,
        ),
        Task(
            "50,000 random rows of 4 KiB into 1 GiB",
            ["set", f"{table}[{ids}]", updates, "-o", out],
            "ScatterUpdate-3",
            ["tscatter", "ScatterUpdate-3", "-d", table, "-i", ids, "-u", updates, "-a", "0", "-o", out],
            1.03,
        ),
        Task(
            "every second row of 1 GiB",
            ["set", f"{table}[::2]", rows, "-o", out],
            "SliceScatter-15",
            ["tscatter", "SliceScatter-15", "-d", table, "-u", rows, "--start", "0", "--stop", "1000000000", "--step", "2", "-o", out],
            1.03,
        ),
        Task(
            "get 50,000 random rows of 4 KiB of 1 GiB",
            ["get", f"{table}[{ids}]", "-o", picked],
            "NumPy, mapped file",
            numpy_script(f"a = np.load({table!r}, mmap_mode='r'); np.save({picked!r}, a[np.load({ids!r})])"),
            0.5,
        ),
        Task(
            "get 10^7 rows of 8 bytes of 1 GiB",
            ["get", f"{file('pairs')}[{file('many')}]", "-o", picked],
            "NumPy, mapped file",
            numpy_script(f"a = np.load({file('pairs')!r}, mmap_mode='r'); np.save({picked!r}, a[np.load({file('many')!r})])"),
            1,
        ),
    ]


def make(directory: Path, scale: float) -> None:
    import numpy as np

    random = np.random.default_rng(1)

    def save(name, array):
        path = directory / f"index-{name}.npy"
        if not path.exists():
            np.save(path, array())

    def count(size):
        return max(64, int(size * scale))

    save("data", lambda: random.random(count(10**8), np.float32))
    save("mask", lambda: random.random(count(10**8), np.float32) < 0.1)
    save("small", lambda: random.random(count(2 * 10**7), np.float32))
    save("few", lambda: random.random(count(2 * 10**7), np.float32) < 0.1)
    height = count(262_144)
    save("table", lambda: random.random((height, 1024), np.float32))
    save("rows", lambda: random.random((len(range(0, height, 2)), 1024), np.float32))
    save("ids", lambda: random.integers(0, height, count(50_000)))
    save("updates", lambda: random.random((count(50_000), 1024), np.float32))
    save("pairs", lambda: random.random((count(2**27), 2), np.float32))
    save("many", lambda: random.integers(0, count(2**27), count(10**7)))
    (directory / "copies").mkdir(exist_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["make"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    make(options.directory, options.scale)
