"""PyTorch's operations by their own names, beside PyTorch and NumPy, as whole processes (in memory: arrays.py).

  python3 bench/torch_names.py make DIR --scale 1       writes the files that are missing

NumPy is imported only where it is used, as in workloads.py.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from indexing import Task

GOAL = 1.1  # of the fastest


@dataclass(frozen=True)
class Call:
    name: str
    title: str
    words: tuple[str, ...]  # attributes, as flags
    items: tuple[str, ...]  # files of the index
    numpy: str  # the same on the arrays a, i, j, u; changes a
    torch: str  # on the tensors a, i, j, u

    def file(self, directory: Path, operand: str) -> Path:
        return directory / f"torch-{self.name}-{operand}.npy"

    def ours(self, directory: Path) -> list[str]:
        words = [f"torch.{self.name}", "-d", str(self.file(directory, "a"))]
        for item in self.items:
            words += ["-i", str(self.file(directory, item))]
        return [*words, "-u", str(self.file(directory, "u")), *self.words]


CALLS = [
    Call(
        "index_add",
        "index_add along dim 1: 2,048 columns into [8192, 4096] f32",
        ("--dim", "1"),
        ("i",),
        "np.add.at(a, (slice(None), i), u)",
        "a.index_add_(1, i, u)",
    ),
    Call(
        "scatter_reduce",
        "scatter_reduce mean along dim 0, all of [4096, 4096] f32",
        ("--dim", "0", "--reduce", "mean"),
        ("i",),
        "at = (i, np.arange(a.shape[1])); n = np.ones_like(a); np.add.at(a, at, u); np.add.at(n, at, 1); a /= n",
        'a.scatter_reduce_(0, i, u, "mean")',
    ),
    Call(
        "index_put",
        "index_put of 4 million places of [16384, 4096] f32",
        (),
        ("i", "j"),
        "a[i, j] = u",
        "a.index_put_((i, j), u)",
    ),
]


def script(call: Call, directory: Path, library: str, out: str) -> list[str]:
    load = [f"{name} = np.load({str(call.file(directory, name))!r})" for name in ("a", *call.items, "u")]
    if library == "NumPy":
        return [sys.executable, "-c", "; ".join(["import numpy as np", *load, call.numpy, f"np.save({out!r}, a)"])]
    tensors = [f"{name} = torch.from_numpy({name})" for name in ("a", *call.items, "u")]
    return [
        sys.executable,
        "-c",
        "; ".join(["import numpy as np, torch", *load, *tensors, call.torch, f"np.save({out!r}, a.numpy())"]),
    ]


def tasks(directory: Path) -> list[Task]:
    """`goal` is a process's: PyTorch's import alone takes a second."""
    out = str(directory / "torch-out.npy")
    return [
        Task(call.title, [*call.ours(directory), "-o", out], library, script(call, directory, library, out), GOAL)
        for call in CALLS
        for library in ("NumPy", "PyTorch")
    ]


def make(directory: Path, scale: float) -> None:
    import numpy as np

    random = np.random.default_rng(2)

    def count(size):
        return max(64, int(size * scale))

    def save(call, operand, array):
        path = call.file(directory, operand)
        if not path.exists():
            np.save(path, array())

    add, mean, put = CALLS
    rows = count(8192)
    save(add, "a", lambda: random.random((rows, 4096), np.float32))
    save(add, "i", lambda: random.integers(0, 4096, 2048))
    save(add, "u", lambda: random.random((rows, 2048), np.float32))
    rows = count(4096)
    save(mean, "a", lambda: random.random((rows, 4096), np.float32))
    save(mean, "i", lambda: random.integers(0, rows, (rows, 4096)))
    save(mean, "u", lambda: random.random((rows, 4096), np.float32))
    rows = count(16384)
    save(put, "a", lambda: random.random((rows, 4096), np.float32))
    save(put, "i", lambda: random.integers(0, rows, count(4_000_000)))
    save(put, "j", lambda: random.integers(0, 4096, count(4_000_000)))
    save(put, "u", lambda: random.random(count(4_000_000), np.float32))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=["make"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    make(options.directory, options.scale)


if __name__ == "__main__":
    main()
