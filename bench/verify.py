#!/usr/bin/env python3
"""How long tscatter verify and explain take beside computing the result; docs/performance.md has the figures.

The last lines say whether the bars hold: explain in at most 3 times computing, verify of trees in at most 2, and what 10^6 wrong
elements add to verify in at most 1 s and within the memory that verify may take. With --clock processor they are measured in
processor time, which other work on the machine changes less. Wants NumPy for making the operands (about 6 GB in --dir, kept for
the next time). Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from machine import MIB
from processes import Run, run, run_sampled

HERE = Path(__file__).resolve().parent


def make_rows(directory: Path) -> None:
    """2,500 blocks of 38,400 float32 into [1000, 256, 10, 15], and results of other orders."""
    import numpy as np

    random = np.random.default_rng(7)
    shape = (256, 10, 15)
    data = random.standard_normal((1000, *shape), dtype=np.float32)
    indices = random.integers(0, 1000, (2500, 1))
    updates = random.standard_normal((2500, *shape), dtype=np.float32)
    for name, array in {"data": data, "indices": indices, "updates": updates}.items():
        np.save(directory / f"rows-{name}.npy", array)
    orders = {"in-order": np.arange(2500), "reordered": random.permutation(2500)}
    for name, order in orders.items():
        result = data.copy()
        for entry in order:
            result[indices[entry, 0]] += updates[entry]
        np.save(directory / f"rows-sum-{name}.npy", result)
    trees = data.copy()
    for destination in range(1000):
        terms = [data[destination], *(updates[entry] for entry in np.flatnonzero(indices == destination))]
        while len(terms) > 1:
            pairs = [terms[i] + terms[i + 1] for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(pairs) * 2 :]
        trees[destination] = terms[0]
    np.save(directory / "rows-sum-trees.npy", trees)
    wide = data.astype(np.float64)
    np.add.at(wide, indices[:, 0], updates)
    np.save(directory / "rows-sum-wider.npy", wide.astype(np.float32))
    del wide
    for entry in reversed(range(2500)):
        data[indices[entry, 0]] = updates[entry]
    np.save(directory / "rows-none-reordered.npy", data)
    lose_rows(directory, indices[:, 0])


def lose_rows(directory: Path, indices) -> None:
    """A result in which 26 rows, 998,400 elements, lack their last update."""
    import numpy as np

    result, data = np.load(directory / "rows-sum-in-order.npy"), np.load(directory / "rows-data.npy", mmap_mode="r")
    updates = np.load(directory / "rows-updates.npy", mmap_mode="r")
    written, counts = np.unique(indices, return_counts=True)
    for destination in written[counts > 1][:26]:
        row = data[destination].copy()
        for entry in np.flatnonzero(indices == destination)[:-1]:
            row += updates[entry]
        result[destination] = row
    np.save(directory / "rows-sum-wrong.npy", result)


def make_scalars(directory: Path) -> None:
    """2^23 single elements into 1 GiB of float32."""
    import numpy as np

    random = np.random.default_rng(8)
    data = random.standard_normal(1 << 28, dtype=np.float32)
    indices = random.integers(0, 1 << 28, (1 << 23, 1), dtype=np.int32)
    updates = random.standard_normal(1 << 23, dtype=np.float32)
    for name, array in {"data": data, "indices": indices, "updates": updates}.items():
        np.save(directory / f"scalars-{name}.npy", array)
    order = random.permutation(1 << 23)
    np.add.at(data, indices[order, 0], updates[order])
    np.save(directory / "scalars-sum-reordered.npy", data)
    # A million updates lost: nearly as many wrong elements.
    data[:] = np.load(directory / "scalars-data.npy", mmap_mode="r")
    np.add.at(data, indices[1_000_000:, 0], updates[1_000_000:])
    np.save(directory / "scalars-sum-wrong.npy", data)


MAKERS = {"rows": make_rows, "scalars": make_scalars}
RESULTS = {
    ("rows", "sum"): ["in-order", "reordered", "trees", "wider", "wrong"],
    ("rows", "none"): ["reordered"],
    ("scalars", "sum"): ["reordered", "wrong"],
}
ENTRIES = {"rows": 2500, "scalars": 1 << 23}
# Of a workload: what is measured, against what, as a ratio or a difference in seconds, and at most what.
BARS = {
    ("rows", "sum"): [
        ("explained", "computed", "ratio", 3.0),
        ("trees", "computed", "ratio", 2.0),
        ("wrong", "in-order", "seconds", 1.0),
    ],
    ("scalars", "sum"): [("wrong", "reordered", "seconds", 1.0)],
}


def operands(directory: Path, kind: str, reduction: str) -> list[str]:
    names = {"-d": "data", "-i": "indices", "-u": "updates"}
    words = ["ScatterNDUpdate-15", "-r", reduction]
    for flag, name in names.items():
        words += [flag, str(directory / f"{kind}-{name}.npy")]
    return words


def verdict(text: str, holds: bool) -> str:
    return f"{text}: {'holds' if holds else 'DOES NOT HOLD'}"


def bars_of(kind: str, reduction: str, times: dict[str, float], memory: dict[str, int]) -> list[str]:
    lines = []
    for name, other, what, most in BARS.get((kind, reduction), []):
        got = times[name] / times[other] if what == "ratio" else times[name] - times[other]
        than = f"{got:.2f} times {other}" if what == "ratio" else f"{got:.2f} s more than {other}"
        lines.append(verdict(f"{kind}, {reduction}, {name}: {than}, at most {most:g}", got <= most))
    if "wrong" in memory:
        most = 64 + 32 * ENTRIES[kind] / MIB
        got = memory["wrong"] / MIB
        lines.append(verdict(f"{kind}, {reduction}, wrong: {got:.0f} MiB, at most {most:.0f}", got <= most))
    return lines


def commands_of(binary: str, directory: Path, kind: str, reduction: str) -> dict[str, list[str]]:
    words = operands(directory, kind, reduction)
    commands = {"computed": [binary, *words, "-o", str(directory / "out.npy")]}
    for result in RESULTS[kind, reduction]:
        actual = str(directory / f"{kind}-{reduction}-{result}.npy")
        commands[result] = [binary, "verify", *words, "--actual", actual]
    commands["explained"] = [binary, "explain", *words]
    return commands


def run_again(command: list[str], log: Path, output: Path) -> Run:
    """What is measured has run just before: then the pages of the output that is removed are at hand. On some virtual machines it takes
    several times as long to get others, and everything would look fast beside computing."""
    run(command, log)
    output.unlink(missing_ok=True)
    return run(command, log)


def measure(options: argparse.Namespace, kind: str, reduction: str) -> list[str]:
    output, log = options.dir / "out.npy", options.dir / "stderr.txt"
    commands = commands_of(options.binary, options.dir, kind, reduction)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for turn in range(options.rounds + 1):
        for name, command in commands.items():
            done = run_again(command, log, output)
            if done.exit_code != (1 if name == "wrong" else 0):
                sys.exit(f"{' '.join(command)}: exit code {done.exit_code}")
            if turn > 0:
                runs[name].append(done)
    walls = {name: statistics.median(each.wall for each in done) for name, done in runs.items()}
    processor = {name: statistics.median(each.processor for each in done) for name, done in runs.items()}
    memory = {}
    for name, command in commands.items():
        output.unlink(missing_ok=True)
        memory[name] = max(run_sampled(command, log).private for _ in range(3))
        print(
            f"| {kind}, {reduction} | {name} | {1000 * walls[name]:.0f} ms | {walls[name] / walls['computed']:.1f} "
            f"| {1000 * processor[name]:.0f} ms | {processor[name] / processor['computed']:.1f} | {memory[name] / MIB:.0f} MiB |",
            flush=True,
        )
    return bars_of(kind, reduction, walls if options.clock == "wall" else processor, memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(HERE.parent / "build/release/tscatter"))
    directory = Path(os.environ.get("TMPDIR", "/tmp")) / "tscatter-bench-verify"
    parser.add_argument("--dir", type=Path, default=directory)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=MAKERS, help="one of the workloads")
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall", help="what the bars are measured in")
    parser.add_argument("--make", choices=MAKERS, help="make the operands only")
    options = parser.parse_args()
    options.dir.mkdir(parents=True, exist_ok=True)
    if options.make:
        MAKERS[options.make](options.dir)
        return
    print("| workload | result | time | times computing | processor | times computing | private memory |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    bars = []
    for kind, reduction in RESULTS:
        if options.only not in (None, kind):
            continue
        results = [f"{kind}-{reduction}-{result}.npy" for result in RESULTS[kind, reduction]]
        if not all((options.dir / name).exists() for name in results):
            # In another process: what is measured must not inherit NumPy's memory.
            make = [sys.executable, __file__, "--dir", str(options.dir), "--make", kind]
            subprocess.run(make, check=True)
        bars += measure(options, kind, reduction)
    print("", *bars, sep="\n")


if __name__ == "__main__":
    main()
