"""An operation by the Python module over NumPy's arrays: what bench/memory.cpp does from C++. bench.py runs it.

  python3 bench/from_python.py LIBRARY DIR NAME --repeat 5 [--fresh] [--output FILE]
  python3 bench/from_python.py LIBRARY DIR tiny --repeat 7      calls of arrays of 8 elements beside NumPy and PyTorch: JSON on stdout

LIBRARY is the libtscatter_c.so of the build. The result is data's own memory (out=data); with --fresh a new array of each run,
which is freed between the runs. Prints {"milliseconds": […]}, a number for each run, each over data's own values.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import peers
import workloads


class Module:
    """As the peers."""

    is_fresh = False

    def __init__(self, workload, data, indices, updates, directory):
        import tscatter

        self.data = data
        self.operation = tscatter.operations()[workload.operation]
        self.arguments = {"data": data, "updates": updates}
        if indices is not None:
            self.arguments["indices"] = indices
        if workload.kind in ("axis", "elements"):
            self.arguments["axis"] = workload.axis
        if workload.kind == "slice":
            for key in ("start", "stop", "step"):
                self.arguments[key] = [getattr(each, key) for each in workload.slices]
        if workload.reduction != "none":
            self.arguments["reduction"] = workload.reduction

    def fresh(self, original):
        self.last = None
        self.data[...] = original

    def run(self):
        self.last = self.operation(**self.arguments, out=None if self.is_fresh else self.data)

    def result(self):
        return self.last


def tiny_calls():
    """(what is called, the module's call, the peer's name and call). The arrays have 2 to 8 elements."""
    import numpy as np
    import tscatter

    data, ids, updates = np.zeros(8, np.float32), np.array([1, 2]), np.ones(2, np.float32)
    table, rows, places = np.zeros((4, 2), np.float32), np.ones((2, 2), np.float32), np.array([[1], [2]])
    yield "sum at places", lambda: tscatter.scatter_nd_update_15(data, places, updates, reduction="sum", out=data), "NumPy", lambda: np.add.at(data, ids, updates)
    yield "a new result", lambda: tscatter.numpy.add.at(data, ids, updates), "NumPy", lambda: np.add.at(data.copy(), ids, updates)
    yield "rows set", lambda: tscatter.scatter_update_3(table, ids, rows, 0, out=table), "NumPy", lambda: table.__setitem__(ids, rows)
    yield "at(x)[ids].add", lambda: tscatter.at(data)[ids].add(updates, out=data), "NumPy", lambda: np.add.at(data, ids, updates)
    try:
        import torch
    except ImportError:
        return
    tensor, index, source = torch.zeros(8), torch.tensor([1, 2]), torch.ones(2)
    yield "index_add", lambda: tscatter.torch.index_add(tensor, 0, index, source, out=tensor), "PyTorch", lambda: tensor.index_add_(0, index, source)


def tiny(repeat, number=5000):
    """Prints for each call its microseconds and those of its peer, in turn, `repeat` times."""
    import json
    import timeit

    rows = []
    for title, own, peer, other in tiny_calls():
        for _ in range(3):  # the first ones of a kind go the long way
            own()
        rounds = [[timeit.timeit(call, number=number) / number * 1e6 for call in (own, other)] for _ in range(repeat)]
        rows.append({"title": title, "peer": peer, "own": [each[0] for each in rounds], "other": [each[1] for each in rounds]})
    print(json.dumps(rows))


def main() -> int:
    parser = argparse.ArgumentParser(description="one operation by the Python module")
    parser.add_argument("library", type=Path)
    parser.add_argument("directory", type=Path)
    parser.add_argument("name")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    os.environ["TSCATTER_LIBRARY"] = str(options.library.resolve())
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packaging/python"))
    sys.dont_write_bytecode = True
    if options.name == "tiny":
        tiny(options.repeat)
        return 0
    Module.is_fresh = options.fresh
    peers.PEERS["tscatter"] = (Module, "tscatter")
    workload = workloads.by_name(options.name, options.scale)
    peers.memory("tscatter", workload, options.directory, options.repeat, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
