"""The module's calls on arrays in memory, beside NumPy's, PyTorch's and JAX's of the same, in one process, in turn.

  python3 bench/arrays.py LIBRARY [--only NAME …] [--rounds 7] [--scale 1]      JSON on stdout

LIBRARY is the libtscatter_c.so of the build. Each call changes data's own memory, which has its first values again before each, or
makes a new array.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


@dataclass(frozen=True)
class Call:
    name: str
    title: str
    make: Callable  # of Arrays: a, and i, j, m, u where the calls have them
    ours: str  # of these; changes a
    numpy: str
    torch: str
    goal: float  # of the fastest other one
    named: tuple[str, str] = ("", "")  # the operation and its arguments: what is verified
    jax: str = ""  # r, compiled before, of what it is given as jax.numpy has it


class Arrays:
    """Random operands. Lengths, but not those of rows, are scaled."""

    def __init__(self, scale):
        import numpy as np

        self.np, self.scale = np, scale
        self.random = np.random.default_rng(3)

    def count(self, n):
        return max(8, int(n * self.scale))

    def floats(self, *shape, dtype="float32"):
        return self.random.random(shape, self.np.float32).astype(dtype, copy=False)

    def ids(self, n, *shape):
        return self.random.integers(0, n, shape)


def elements(places, entries, dtype="float32"):
    def make(arrays):
        n, k = min(places, max(1000, arrays.count(places))), arrays.count(entries)
        return {"a": arrays.floats(n, dtype=dtype), "i": arrays.ids(n, k), "u": arrays.floats(k, dtype=dtype)}

    return make


def rows(count, length, entries, dtype="float32"):
    def make(arrays):
        n, k = arrays.count(count), arrays.count(entries)
        return {"a": arrays.floats(n, length, dtype=dtype), "i": arrays.ids(n, k), "u": arrays.floats(k, length, dtype=dtype)}

    return make


def square(axis):
    def make(arrays):
        shape = (arrays.count(4096), 4096)
        return {"a": arrays.floats(*shape), "i": arrays.ids(shape[axis], *shape), "u": arrays.floats(*shape)}

    return make


def every_second(arrays):
    n = arrays.count(8192)
    return {"a": arrays.floats(n, 8192), "u": arrays.floats((n + 1) // 2, 4096)}


def mask(arrays):
    n = arrays.count(20_000_000)
    m = arrays.floats(n) < 0.5
    return {"a": arrays.floats(n), "m": m, "u": arrays.floats(int(m.sum()))}


def columns(arrays):
    n = arrays.count(8192)
    return {"a": arrays.floats(n, 4096), "i": arrays.ids(4096, 2048), "u": arrays.floats(n, 2048)}


def places(arrays):
    n, k = arrays.count(16384), arrays.count(4_000_000)
    return {"a": arrays.floats(n, 4096), "i": arrays.ids(n, k), "j": arrays.ids(4096, k), "u": arrays.floats(k)}


def counted(places, entries):
    def make(arrays):
        n, k = min(places, max(1000, arrays.count(places))), arrays.count(entries)
        return {"i": arrays.ids(n, k), "w": arrays.random.random(k)}

    return make


def segments(arrays):
    k = arrays.count(500_000)
    return {"i": arrays.ids(10_000, k), "u": arrays.floats(k, 64)}


_COUNT = ("r = ts.numpy.bincount(i)", "r = np.bincount(i)", "r = torch.bincount(i)")
_WEIGHED = ("r = ts.numpy.bincount(i, w)", "r = np.bincount(i, w)", "r = torch.bincount(i, w)")
_ADD = ("ts.at(a)[i].add(u, out=a)", "np.add.at(a, i, u)", "a.index_add_(0, i, u)")
_SET = ("ts.at(a)[i].set(u, out=a)", "a[i] = u", "a.index_copy_(0, i, u)")
_ADDED = ("torch.index_add", "input=a, dim=0, index=i, source=u")
_COPIED = ("torch.index_copy", "input=a, dim=0, index=i, source=u")
_MEAN = "at = (i, np.arange(a.shape[1])); n = np.ones_like(a); np.add.at(a, at, u); np.add.at(n, at, 1); a /= n"

CALLS = [
    Call("sum-1e6", "10^7 sums into 10^6 float32", elements(1_000_000, 10_000_000), *_ADD, 1.1, _ADDED),
    Call("sum-1000", "10^7 sums into 1,000 float64", elements(1000, 10_000_000, "float64"), *_ADD, 1.5, _ADDED),
    Call("sum-1e7", "10^7 sums into 10^7 float32", elements(10_000_000, 10_000_000), *_ADD, 0.8, _ADDED),
    Call("sum-2^28", "1.6·10^7 sums into 2^28 float32", elements(2**28, 2**24), *_ADD, 0.8, _ADDED),
    Call("rows-64-set", "100,000 rows of 64 float32, set", rows(1_000_000, 64, 100_000), *_SET, 1.1, _COPIED),
    Call("rows-f16-sum", "50,000 rows of 1,024 float16, sum", rows(200_000, 1024, 50_000, "float16"), *_ADD, 0.8, _ADDED),
    Call("rows-1024-set", "50,000 rows of 1,024 float32, set", rows(262_144, 1024, 50_000), *_SET, 0.8, _COPIED),
    Call(
        "elements-0",
        "elements of [4096, 4096], sum along axis 0",
        square(0),
        "ts.torch.scatter_add(a, 0, i, u, out=a)",
        "np.add.at(a, (i, np.arange(a.shape[1])), u)",
        "a.scatter_add_(0, i, u)",
        0.8,
        ("torch.scatter_add", "input=a, dim=0, index=i, src=u"),
    ),
    Call(
        "elements-1",
        "elements of [4096, 4096], sum along axis 1",
        square(1),
        "ts.torch.scatter_add(a, 1, i, u, out=a)",
        "np.add.at(a, (np.arange(a.shape[0])[:, None], i), u)",
        "a.scatter_add_(1, i, u)",
        1.3,
        ("torch.scatter_add", "input=a, dim=1, index=i, src=u"),
    ),
    Call(
        "every-second",
        "every second element of every second row of 256 MiB, set",
        every_second,
        "ts.at(a)[::2, ::2].set(u, out=a)",
        "a[::2, ::2] = u",
        "a[::2, ::2] = u",
        1.1,
    ),
    Call("mask", "2·10^7 float32 where a mask is true, set", mask, "ts.at(a)[m].set(u, out=a)", "a[m] = u", "a.masked_scatter_(m, u)", 1.1),
    Call("fill", "the same, one value", mask, "ts.at(a)[m].set(0.0, out=a)", "a[m] = 0.0", "a.masked_fill_(m, 0.0)", 1.1),
    Call(
        "index_add",
        "index_add along dim 1: 2,048 columns into [8192, 4096]",
        columns,
        "ts.torch.index_add(a, 1, i, u, out=a)",
        "np.add.at(a, (slice(None), i), u)",
        "a.index_add_(1, i, u)",
        1.1,
        ("torch.index_add", "input=a, dim=1, index=i, source=u"),
    ),
    Call(
        "scatter_reduce",
        "scatter_reduce mean along dim 0, all of [4096, 4096]",
        square(0),
        'ts.torch.scatter_reduce(a, 0, i, u, "mean", out=a)',
        _MEAN,
        'a.scatter_reduce_(0, i, u, "mean")',
        1.1,
        ("torch.scatter_reduce", 'input=a, dim=0, index=i, src=u, reduce="mean"'),
    ),
    Call(
        "index_put",
        "index_put of 4 million places of [16384, 4096]",
        places,
        "ts.torch.index_put(a, (i, j), u, out=a)",
        "a[i, j] = u",
        "a.index_put_((i, j), u)",
        1.1,
    ),
    Call("bincount-1e6", "bincount of 10^7 numbers below 10^6", counted(1_000_000, 10_000_000), *_COUNT, 1.1),
    Call("bincount-1000", "bincount of 10^7 numbers below 1,000", counted(1000, 10_000_000), *_COUNT, 1.1),
    Call("weighed-1e6", "bincount of 10^7 weights, below 10^6", counted(1_000_000, 10_000_000), *_WEIGHED, 1.1),
    Call("weighed-1000", "bincount of 10^7 weights, below 1,000", counted(1000, 10_000_000), *_WEIGHED, 1.1),
    Call(
        "segments",
        "segment_sum of [500000, 64] into 10,000",
        segments,
        "r = ts.jax.ops.segment_sum(u, i, num_segments=10_000)",
        "r = np.zeros((10_000, 64), u.dtype); np.add.at(r, i, u)",
        "r = torch.zeros(10_000, 64).index_add_(0, i, u)",
        1.1,
        jax="jax.ops.segment_sum(u, i, num_segments=10_000)",
    ),
]


def measure(call: Call, rounds: int, scale: float) -> dict:
    """Milliseconds of each round, by library; one that is not there is left out."""
    import numpy as np
    import tscatter

    arrays = call.make(Arrays(scale))
    original = arrays.get("a", np.zeros(0))
    a = original.copy()
    names = {**arrays, "a": a}
    codes = {"tscatter": (call.ours, {**names, "ts": tscatter})}
    if call.jax:
        with contextlib.suppress(ImportError):
            codes["JAX"] = ("r = np.asarray(compiled(**given))", {"np": np, **jax_of(call.jax, arrays)})
    with contextlib.suppress(ImportError):
        import torch

        codes["PyTorch"] = (call.torch, {"torch": torch, **{name: torch.from_numpy(array) for name, array in names.items()}})
    codes["NumPy"] = (call.numpy, {**names, "np": np})  # which leaves no thread that spins
    compiled = {library: (compile(text, call.name, "exec"), values) for library, (text, values) in codes.items()}
    times = {library: [] for library in codes}
    results = {}
    for index in range(rounds + 1):  # the first is to warm up, and to compare
        for library, (code, values) in compiled.items():
            a[...] = original
            values.pop("r", None)
            begin = time.perf_counter()
            exec(code, values)
            took = 1000 * (time.perf_counter() - begin)
            if index > 0:
                times[library].append(took)
            elif library in ("tscatter", "NumPy"):
                results[library] = values.get("r", a).copy()
    is_mean = "mean" in call.title
    is_same = np.allclose(*results.values()) if is_mean else len({each.tobytes() for each in results.values()}) == 1
    verify = verifying(call, rounds, {**names, "a": original, "ts": tscatter}) if call.named[0] else None
    return {"name": call.name, "title": call.title, "goal": call.goal, "milliseconds": times, "same": bool(is_same), "verify": verify}


def jax_of(text: str, arrays: dict) -> dict:
    """The expression as a function that JAX compiles for the processor, and its arguments: 32-bit integers, as JAX has them."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    given = {name: jax.numpy.asarray(array) for name, array in arrays.items()}
    return {"compiled": jax.jit(eval(f"lambda {', '.join(arrays)}: {text}", {"jax": jax})), "given": given}


def verifying(call: Call, rounds: int, values: dict) -> list[list[float]]:
    """Milliseconds of computing a new result, and of verifying one in order, by round."""
    name, arguments = call.named
    values["r"] = eval(f"ts.{name}({arguments})", values)
    codes = [compile(text, call.name, "eval") for text in (f"ts.{name}({arguments})", f"ts.verify(r, {name!r}, {arguments})['legal']")]
    times: list[list[float]] = [[], []]
    for index in range(rounds + 1):
        for code, some in zip(codes, times):
            begin = time.perf_counter()
            result = eval(code, values)
            if index > 0:
                some.append(1000 * (time.perf_counter() - begin))
            assert result is not False, f"{call.name} is not verified"
            del result
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    names = [call.name for call in CALLS]
    parser.add_argument("--only", nargs="*", choices=names, default=names)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    os.environ["TSCATTER_LIBRARY"] = str(options.library.resolve())
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packaging/python"))
    sys.dont_write_bytecode = True
    chosen = [call for call in CALLS if call.name in options.only]
    print(json.dumps([measure(call, options.rounds, options.scale) for call in chosen]))


if __name__ == "__main__":
    main()
