"""An operation by the Python module over NumPy's arrays: what bench/memory.cpp does from C++. bench.py runs it.

  python3 bench/from_python.py LIBRARY DIR NAME --repeat 5 [--fresh] [--output FILE]

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
    Module.is_fresh = options.fresh
    peers.PEERS["tscatter"] = (Module, "tscatter")
    workload = workloads.by_name(options.name, options.scale)
    peers.memory("tscatter", workload, options.directory, options.repeat, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
