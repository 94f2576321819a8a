#!/usr/bin/env python3
"""tscatter beside cp and beside the scripts of today. ./dev bench runs it; docs/performance.md
explains what is measured and how.

Prints Markdown. A whole run (no --only, --part, --scale, --no-peers) is also kept as
bench/results/YYYY-MM-DD.md; --results names another file, for any run.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import fnmatch
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import arrays
import indexing
import sweep
import torch_names
import workloads
from machine import MIB, file_system, mount_xfs, processor_name
from processes import Run, run, run_sampled
from sparse_tensor import SparseTensor
from workloads import Workload

HERE = Path(__file__).resolve().parent
PARTS = ["whole", "layouts", "in-place", "clone", "tiny", "safetensors", "curve", "parts", "index", "torch", "memory", "sweep", "library", "python", "compare"]
PEER_TITLES = {
    "numpy": "NumPy",
    "numpy-mapped": "NumPy, mapped files",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "torch": "PyTorch",
    "jax": "JAX",
}


MEMORY = "bench/tscatter_memory"
VERIFYING = 1.3  # times computing, in memory
SWEEP = "bench/tscatter_sweep"
LIBRARY = "libtscatter_c.so"
FROM_PYTHON = "tscatter from Python"
FRESH = ", new result"
PYTHON_RATIO, PYTHON_CALL = 1.1, 0.3
PYTHON_TINY = 12  # µs
PART_RATIO = 1.05
BEFORE = ", before"  # a contender of the build that --before names


def may_refuse(name: str) -> bool:
    """Whether a contender may lack an operation: another library, or the build of --before."""
    return name in PEER_TITLES or name.endswith(BEFORE)


class Failed(Exception):
    """A command that had to succeed did not."""


@dataclass
class Contender:
    name: str
    words: list[str]
    output: Path | None = None  # removed before each run; of a folder, what is in it
    runs: list[Run] = field(default_factory=list)
    peak: int = 0
    private: int = 0
    refused: str = ""  # why it takes no part
    exit_code: int = 0  # of a run that went well
    differs: bool = False  # its result is not that of tscatter

    @property
    def is_ours(self) -> bool:
        return self.name.startswith("tscatter")

    @property
    def may_refuse(self) -> bool:
        return may_refuse(self.name)

    def clear(self) -> None:
        if self.output and self.output.is_dir():
            for file in self.output.iterdir():
                file.unlink()
        elif self.output:
            self.output.unlink(missing_ok=True)

    def milliseconds(self) -> float:
        return 1000 * statistics.median(r.wall for r in self.runs)

    def processor(self) -> float:
        return 1000 * statistics.median(r.processor for r in self.runs)

    def span(self) -> str:
        walls = [1000 * r.wall for r in self.runs]
        return f"{number(min(walls))}–{number(max(walls))}"


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        scale = "" if options.scale == 1 else f"-{options.scale:g}"
        self.directory = Path(f"{options.dir}{scale}")
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "stderr.txt"
        self.tscatter = str(options.build / "tscatter")
        found = json.loads(self.text([sys.executable, str(HERE / "peers.py"), "versions"]))
        self.versions: dict[str, str] = found
        self.peers = [] if options.no_peers else list(found)
        self.failures: list[str] = []
        self.missed: list[str] = []
        self.lines: list[str] = []
        self.raw: dict[str, dict[str, list[float]]] = {}
        # What --before compares: the runs of each contender of ours, and of the other build.
        self.pairs: list[tuple[str, list[float], list[float]]] = []

    # Small things

    def text(self, words: list[str]) -> str:
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def say(self, *words: str) -> None:
        print("bench:", *words, file=sys.stderr, flush=True)

    def write(self, *lines: str) -> None:
        for line in lines:
            print(line, flush=True)
            self.lines.append(line)

    def wanted(self, part: str, name: str | None = None) -> bool:
        if self.options.part and part not in self.options.part:
            return False
        only = self.options.only
        return not only or any(fnmatch.fnmatch(name or part, pattern) for pattern in only)

    def python(self, script: str, *words: str) -> list[str]:
        scale = ["--scale", repr(self.options.scale)]
        return [sys.executable, str(HERE / script), *words, *scale]

    def make(self, workload: Workload) -> None:
        self.say(f"making what is missing for {workload.name}")
        where = [str(self.directory), workload.name]
        subprocess.run(self.python("workloads.py", "make", *where), check=True)
        if "onnxruntime" in self.peers and workload.name != "sparse-rows-small":
            model = self.python("peers.py", "model", "onnx", *where)
            made = subprocess.run(model, check=False, capture_output=True)
            if made.returncode != 0:
                self.say("no ONNX model: is the package onnx there?")
        os.sync()

    def check(self, workload: Workload, result: Path) -> None:
        words = [str(self.directory), workload.name, str(result)]
        done = subprocess.run(
            self.python("workloads.py", "check", *words),
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            message = self.last_line_of(done.stderr)
            self.failures.append(f"{workload.name}: wrong result: {message}")
            self.say(self.failures[-1])

    def same(self, file: Path, other: Path) -> bool:
        return run(["cmp", "-s", str(file), str(other)], self.log).exit_code == 0

    def last_line(self) -> str:
        return self.last_line_of(self.log.read_text(errors="replace"))

    def last_line_of(self, text: str) -> str:
        lines = text.strip().splitlines() or ["no message"]
        return lines[-1].replace(f"{self.directory}/", "")

    # Contenders

    def ours(self, name: str, workload: Workload, *flags: str) -> Contender:
        output = self.directory / f"{name.replace(' ', '').replace('/', '-')}.npy"
        words = [self.tscatter, *workload.arguments(self.directory), *flags, "-o", str(output)]
        return Contender(name, words, output)

    def of_other_build(self, contender: Contender) -> Contender:
        output = contender.output and contender.output.with_suffix(".before.npy")
        words = [str(output) if w == str(contender.output) else w for w in contender.words[1:]]
        words = [str(self.options.before / "tscatter"), *words]
        name = contender.name + BEFORE
        return replace(contender, name=name, words=words, output=output, runs=[])

    def copy(self, workload: Workload) -> Contender:
        copies = self.directory / "copies"
        copies.mkdir(exist_ok=True)
        files = [str(file) for file in workload.copied_files(self.directory)]
        return Contender("cp", ["cp", *files, str(copies)], copies)

    def scripts(self, workload: Workload) -> list[Contender]:
        names = [n for p in self.peers for n in ((p, "numpy-mapped") if p == "numpy" else (p,))]
        output = self.directory / "peer.npy"
        return [
            Contender(
                name,
                self.python(
                    "peers.py",
                    "script",
                    name,
                    str(self.directory),
                    workload.name,
                    "--output",
                    str(output),
                ),
                output,
            )
            for name in names
        ]

    # Measuring

    def start(self, contender: Contender, sampled: bool) -> Run | None:
        contender.clear()
        done = (run_sampled if sampled else run)(contender.words, self.log)
        contender.peak = max(contender.peak, done.peak)
        contender.private = max(contender.private, done.private)
        if done.exit_code == contender.exit_code:
            return done
        reason = f"exit {done.exit_code}: {self.last_line()}"
        if contender.may_refuse:
            contender.refused = reason
            self.say(f"{contender.name} takes no part: {reason}")
            return None
        raise Failed(f"{contender.name}: {reason}")

    def compare(
        self, label: str, contenders: list[Contender], workload: Workload | None, again: int = 2
    ) -> None:
        """A round to warm up, in which memory is sampled and results are compared; `again` more
        sampled runs of tscatter; then the timed rounds, the contenders in turn. Without a workload
        there are no results to compare."""
        ours = [c for c in contenders if c.is_ours]
        former = [self.of_other_build(c) for c in ours] if self.options.before else []
        contenders, ours = [*contenders, *former], [*ours, *former]
        reference = self.directory / "expected.npy"
        for contender in sorted(contenders, key=lambda c: c not in ours):
            done = self.start(contender, sampled=True)
            if done and workload and contender.name != "cp":
                self.compare_result(label, contender, workload, reference)
        ours = [c for c in ours if not c.refused]
        for contender in ours * again:
            self.start(contender, sampled=True)
        self.timed_rounds(label, [c for c in contenders if not c.refused])
        by = {c.name: [r.wall for r in c.runs] for c in contenders}
        for contender in former:
            if contender.refused:
                continue
            name = contender.name.removesuffix(BEFORE)
            self.pairs.append((f"{label}: {name}", by[contender.name], by[name]))
        if workload:
            for contender in ours:
                self.compare_result(label, contender, workload, reference)
        reference.unlink(missing_ok=True)

    def compare_result(
        self, label: str, contender: Contender, workload: Workload, reference: Path
    ) -> None:
        """The first result is checked and becomes the reference of the others."""
        if not reference.exists():
            self.check(workload, contender.output)
            contender.output.replace(reference)
            return
        contender.differs = not self.same(contender.output, reference)
        contender.output.unlink()
        if contender.differs and contender.is_ours:
            self.failures.append(f"{label}: {contender.name}: not the result of the first run")

    def timed_rounds(self, label: str, contenders: list[Contender]) -> None:
        for i in range(self.options.rounds):
            self.say(f"{label}: round {i + 1} of {self.options.rounds}")
            for contender in contenders:
                done = self.start(contender, sampled=False)
                if done:
                    contender.runs.append(done)
                # The last results of tscatter are compared.
                kept = contender.is_ours and i + 1 == self.options.rounds
                if not kept:
                    contender.clear()
        self.raw[label] = {c.name: [r.wall for r in c.runs] for c in contenders}

    # Parts

    def whole(self) -> None:
        chosen = [w for w in workloads.table(self.options.scale) if self.wanted("whole", w.name)]
        if not chosen:
            return
        results = []
        for workload in chosen:
            self.make(workload)
            contenders = [
                self.copy(workload),
                self.ours("tscatter", workload),
                self.ours("tscatter -j 1", workload, "-j", "1"),
                *self.scripts(workload),
            ]
            self.compare(workload.name, contenders, workload)
            results.append((workload, {c.name: c for c in contenders}))
        self.print_whole(results)
        self.print_footprint(results)
        if self.peers:
            self.print_scripts(results)

    def print_whole(self, results) -> None:
        self.write(
            "",
            "## Whole program",
            "",
            f"Medians of {self.options.rounds} interleaved runs, in ms, in brackets the fastest and"
            " the slowest. Ratio: to `cp` of the data file.",
            "",
            "| workload | cp | tscatter | ratio | goal | `-j 1` | `-j 1` / default |"
            " user + system |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        )
        for workload, by in results:
            cp, ours, one = by["cp"], by["tscatter"], by["tscatter -j 1"]
            ratio = ours.milliseconds() / cp.milliseconds()
            self.write(
                row(
                    workload.title,
                    f"{number(cp.milliseconds())} ({cp.span()})",
                    f"{number(ours.milliseconds())} ({ours.span()})",
                    self.against(workload.name, ratio, workload.goal),
                    f"{workload.goal:g}",
                    number(one.milliseconds()),
                    f"{one.milliseconds() / ours.milliseconds():.2f}",
                    number(ours.processor()),
                )
            )

    def against(self, name: str, value: float, goal: float | None, form: str = ".2f") -> str:
        if goal is None or value <= goal or self.options.scale != 1:
            return f"{value:{form}}"
        self.missed.append(f"{name}: {value:{form}}, goal {goal:g}")
        return f"**{value:{form}}**"

    def print_footprint(self, results) -> None:
        self.write(
            "",
            "## Memory",
            "",
            "Peaks, in MiB, of three sampled runs. Private: RssAnon, what no other process and no"
            " file has. Bound: 64 MiB and 32 bytes per index entry.",
            "",
            "| workload | index entries | bound | private | private, `-j 1` | all resident |"
            " NumPy, private | NumPy, all resident |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        )
        for workload, by in results:
            ours, numpy = by["tscatter"], by.get("numpy")
            bound = 64 + 32 * workload.index_entries / MIB
            self.write(
                row(
                    workload.title,
                    f"{workload.index_entries:,}",
                    f"{bound:.0f}",
                    self.against(f"{workload.name}, private MiB", ours.private / MIB, bound, ".0f"),
                    f"{by['tscatter -j 1'].private / MIB:.0f}",
                    f"{ours.peak / MIB:.0f}",
                    f"{numpy.private / MIB:.0f}" if numpy else "–",
                    f"{numpy.peak / MIB:.0f}" if numpy else "–",
                )
            )

    def print_scripts(self, results) -> None:
        names = ["tscatter", *[c for c in results[0][1] if c in PEER_TITLES]]
        self.write(
            "",
            "## Scripts of today",
            "",
            "Whole processes: load, operate, save. Ratio of the medians to `cp` of the data file."
            " ≠: the bytes are not those of the loop in order.",
            "",
            row("workload", *[PEER_TITLES.get(n, n) for n in names]),
            row(*["---"] * (len(names) + 1)),
        )
        refused = []
        for workload, by in results:
            cells = []
            for name in names:
                peer = by[name]
                if peer.refused or not peer.runs:
                    refused.append(f"- {workload.name}, {PEER_TITLES[name]}: {peer.refused}")
                    cells.append("refused")
                    continue
                ratio = peer.milliseconds() / by["cp"].milliseconds()
                cells.append(f"{ratio:.2f}" + (" ≠" if peer.differs else ""))
            self.write(row(workload.title, *cells))
        if refused:
            self.write("", *refused)

    def in_place(self) -> None:
        if not self.wanted("in-place"):
            return
        table = []
        for workload in (workloads.sparse(self.options.scale), workloads.sparse_small()):
            self.make(workload)
            # A file of its own for each, made once.
            changed = {n: self.directory / f"changed-{n}.npy" for n in ("ours", "bare", "numpy")}
            for file in changed.values():
                shutil.copyfile(workload.data_file(self.directory), file)
            os.sync()
            words = [self.tscatter, *workload.arguments(self.directory, changed["ours"])]
            bare = [self.tscatter, *workload.arguments(self.directory, changed["bare"])]
            contenders = [
                self.copy(workload),
                Contender("tscatter", [*words, "--in-place"]),
                Contender("no journal", [*bare, "--in-place", "--no-journal"]),
            ]
            if self.peers:
                mapped = self.python(
                    "peers.py",
                    "script",
                    "numpy-mapped",
                    str(self.directory),
                    workload.name,
                    "--data",
                    str(changed["numpy"]),
                    "--output",
                    str(changed["numpy"]),
                )
                contenders.append(Contender("numpy-mapped", mapped))
            self.compare(f"in place: {workload.name}", contenders, None)
            for name in ("ours", "bare"):
                self.check(workload, changed[name])
            for file in changed.values():
                file.unlink()
            table.append((workload, {c.name: c for c in contenders}))
        self.write(
            "",
            "## In place",
            "",
            "Whole process, median, in ms. Goals: 10 ms without an undo journal, twice that with one.",
            "",
            "| workload | tscatter --in-place | `--no-journal` | with / without | NumPy, mapped file"
            " | cp | private MiB |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        for workload, by in table:
            ours, bare = by["tscatter"], by["no journal"]
            name = f"in place: {workload.name}"
            ratio = ours.milliseconds() / bare.milliseconds()
            self.write(
                row(
                    workload.title,
                    f"{ours.milliseconds():.1f} ({ours.span()})",
                    self.against(f"{name}, no journal", bare.milliseconds(), 10, ".1f"),
                    self.against(f"{name}, the journal's cost", ratio, 2),
                    peer_cell(by, "numpy-mapped"),
                    number(by["cp"].milliseconds()),
                    f"{ours.private / MIB:.0f}",
                )
            )

    def index(self) -> None:
        if not self.wanted("index"):
            return
        self.tasks("index", "NumPy's index", "indexing.py", indexing.tasks(self.directory))

    def torch(self) -> None:
        if not self.wanted("torch"):
            return
        self.tasks("torch", "PyTorch's names", "torch_names.py", torch_names.tasks(self.directory))
    def tasks(self, part: str, title: str, script: str, tasks: list[indexing.Task]) -> None:
        self.say(f"making what is missing for {part}")
        subprocess.run(self.python(script, "make", str(self.directory)), check=True)
        os.sync()
        self.write(
            "",
            f"## {title}",
            "",
            f"Whole process, medians of {self.options.rounds} interleaved runs, in ms, in brackets the fastest and the slowest.",
            "",
            "| task | tscatter | beside it | | ratio | goal | private MiB |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        for task in tasks:
            beside = [self.tscatter if word == "tscatter" else word for word in task.words]
            ours, other = Contender("tscatter", [self.tscatter, *task.ours]), Contender(task.other, beside)
            self.compare(f"{part}: {task.title}, {task.other}", [ours, other], None)
            ratio = ours.milliseconds() / other.milliseconds()
            self.write(
                row(
                    task.title,
                    f"{number(ours.milliseconds())} ({ours.span()})",
                    task.other,
                    f"{number(other.milliseconds())} ({other.span()})",
                    self.against(f"{part}: {task.title}, {task.other}", ratio, task.goal),
                    f"{task.goal:g}",
                    f"{ours.private / MIB:.0f}",
                )
            )

    def layouts(self) -> None:
        chosen = [
            (workloads.by_name(name, self.options.scale), layout)
            for name, layout in workloads.laid_out()
            if self.wanted("layouts", name)
        ]
        if not chosen:
            return
        self.write(
            "",
            "## Other layouts",
            "",
            "All operands in Fortran order, or big-endian. Medians, in ms; private: RssAnon, in MiB.",
            "",
            "| workload | layout | cp | tscatter | ratio | private | bound |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        for workload, layout in chosen:
            self.make(workload)
            here, self.directory = self.directory, self.directory / layout
            try:
                words = ["lay", str(here), workload.name, layout]
                subprocess.run(self.python("workloads.py", *words), check=True)
                os.sync()
                self.measure_layout(workload, layout)
            finally:
                shutil.rmtree(self.directory, ignore_errors=True)
                self.directory = here

    def measure_layout(self, workload: Workload, layout: str) -> None:
        name = f"{workload.name}, {layout}"
        cp, ours = self.copy(workload), self.ours("tscatter", workload)
        self.compare(name, [cp, ours], workload, again=0)
        bound = 64 + 32 * workload.index_entries / MIB
        self.write(
            row(
                workload.title,
                layout,
                number(cp.milliseconds()),
                f"{number(ours.milliseconds())} ({ours.span()})",
                f"{ours.milliseconds() / cp.milliseconds():.2f}",
                self.against(f"{name}, private MiB", ours.private / MIB, bound, ".0f"),
                f"{bound:.0f}",
            )
        )

    def clone(self) -> None:
        if not self.wanted("clone"):
            return
        self.write("", "## Clone (XFS)", "")
        workload = workloads.sparse(self.options.scale)
        self.make(workload)
        size = workload.data_file(self.directory).stat().st_size
        with contextlib.ExitStack() as stack:
            problem, mounted = mount_xfs(self.directory, 4 * size + 512 * MIB, stack)
            if problem:
                self.say(f"clone: skipped: {problem}")
                self.write(f"Skipped: {problem}.")
                return
            here, self.directory = self.directory, mounted
            try:
                for file in (workload.data_file, workload.indices_file, workload.updates_file):
                    shutil.copyfile(file(here), file(mounted))
                os.sync()
                self.measure_clone(workload)
            finally:
                self.directory = here

    def measure_clone(self, workload: Workload) -> None:
        cp, cloned = self.copy(workload), self.copy(workload)
        cp.words.insert(1, "--reflink=never")
        cloned.words.insert(1, "--reflink=always")
        ours = self.ours("tscatter", workload)
        self.compare("clone", [cp, ours], workload)
        self.timed_rounds("clone: cp --reflink", [cloned])
        ratio = ours.milliseconds() / cp.milliseconds()
        self.write(
            "A loop-mounted image. `cp` copies here (`--reflink=never`); its clone is a bare one,"
            " without the update. Medians, in ms.",
            "",
            "| workload | cp | cp --reflink=always | tscatter | ratio | goal |",
            "| --- | --- | --- | --- | --- | --- |",
            row(
                workload.title,
                number(cp.milliseconds()),
                number(cloned.milliseconds()),
                f"{number(ours.milliseconds())} ({ours.span()})",
                self.against("clone", ratio, workload.goal),
                f"{workload.goal:g}",
            ),
        )

    def tiny(self) -> None:
        if not self.wanted("tiny"):
            return
        workload = workloads.tiny()
        self.make(workload)
        contenders = [
            self.copy(workload),
            self.ours("tscatter", workload),
            self.ours("tscatter -j 1", workload, "-j", "1"),
            *[s for s in self.scripts(workload) if s.name == "numpy"],
        ]
        self.compare("tiny", contenders, workload)
        by = {c.name: c for c in contenders}
        ours = by["tscatter"]
        self.write(
            "",
            "## Tiny job",
            "",
            "Whole process, median, in ms.",
            "",
            "| workload | tscatter | goal | `-j 1` | cp | NumPy |",
            "| --- | --- | --- | --- | --- | --- |",
            row(
                workload.title,
                f"{self.against('tiny', ours.milliseconds(), 5, '.1f')} ({ours.span()})",
                "5",
                number(by["tscatter -j 1"].milliseconds()),
                number(by["cp"].milliseconds()),
                peer_cell(by, "numpy"),
            ),
        )

    def safetensors(self) -> None:
        """Rows of a tensor in a sparse file of 10 GB, which is warm where it has been written."""
        if not self.wanted("safetensors"):
            return
        patch = SparseTensor(self.directory, self.options.scale)
        patch.make()
        words = [self.tscatter, *patch.words()]
        contenders = [
            Contender("tscatter", words),
            Contender("tscatter --sync", [*words, "--sync"]),
        ]
        self.compare("safetensors", contenders, None)
        wrong = patch.what_is_wrong()
        if wrong:
            self.failures.append(f"safetensors: {wrong}")
        ours, synced = contenders
        self.write(
            "",
            "## Rows of a safetensors file, in place",
            "",
            "Whole process with its journal, on a warm file, median, in ms.",
            "",
            "| workload | tscatter | goal | `--sync` |",
            "| --- | --- | --- | --- |",
            row(
                patch.title,
                f"{self.against('safetensors', ours.milliseconds(), 50, '.1f')} ({ours.span()})",
                "50",
                number(synced.milliseconds()),
            ),
        )

    def curve(self) -> None:
        chosen = [
            w
            for w in workloads.curve(self.options.scale)
            if self.wanted("curve") or (self.options.only and self.wanted("curve", w.name))
        ]
        if not chosen:
            return
        self.write(
            "",
            "## Index entries",
            "",
            "Random scalars into 1 GiB f32, whole program, medians, in ms. Added: for each"
            " million of entries more than in the line before.",
            "",
            "| workload | `-j 1` | `-j 2` | `-j 1` / `-j 2` | added per million, `-j 1` |"
            " added per million, `-j 2` |",
            "| --- | --- | --- | --- | --- | --- |",
        )
        before = None
        for workload in chosen:
            self.make(workload)
            contenders = [
                self.ours("tscatter -j 2", workload, "-j", "2"),
                self.ours("tscatter -j 1", workload, "-j", "1"),
            ]
            self.compare(workload.name, contenders, workload, again=0)
            two, one = (c.milliseconds() for c in contenders)
            added = ["–", "–"]
            if before and before[0].reduction == workload.reduction:
                millions = (workload.index_entries - before[0].index_entries) / 1e6
                added = [number((one - before[1]) / millions), number((two - before[2]) / millions)]
            self.write(row(workload.title, number(one), number(two), f"{one / two:.2f}", *added))
            before = (workload, one, two)

    def parts(self) -> None:
        """The parts of a job, one after another: nothing but a model says what many machines do."""
        if not self.wanted("parts"):
            return
        workload = workloads.curve(self.options.scale)[0]
        self.make(workload)
        whole = self.ours("tscatter -j 1", workload, "-j", "1")
        alone = self.start(whole, sampled=True)
        self.check(workload, whole.output)
        self.write(
            "",
            "## Parts",
            "",
            f"{workload.title}, one thread, each part a process alone, one after another, and on the"
            f" disk when it ends. One run without parts: {number(1000 * alone.wall)} ms,"
            f" {alone.private / MIB:.1f} MiB private. Longest, mean: of the parts, in ms."
            " Model: with a machine for each part, the longest part and finish; no contention of the"
            " file system, no waiting in a queue.",
            "",
            "| parts | longest | mean | longest / mean | private MiB, at most | finish |"
            " model, ms |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        for parts in (1, 4, 16, 64, 256, 1024):
            self.write(self.row_of_parts(workload, whole.output, parts))
        whole.output.unlink()
        self.only_part(workload)

    def only_part(self, workload: Workload) -> None:
        """--part 1/1 beside a run without parts, in turn; --sync waits for the disk as a part does."""
        plain = self.ours("tscatter plain", workload, "-j", "1")
        synced = self.ours("tscatter --sync", workload, "-j", "1", "--sync")
        part = self.ours("tscatter --part 1/1", workload, "-j", "1", "--part", "1/1")
        part.output = Path(f"{part.output}.tscatter-parts")
        self.compare("parts, 1/1", [plain, synced, part], None)
        for contender in (plain, synced, part):
            contender.clear()
        part.output.rmdir()
        wall = part.milliseconds() / synced.milliseconds()
        processor = part.processor() / plain.processor()
        self.write(
            "",
            f"The only part beside a run without parts: medians of {self.options.rounds} runs in turn,"
            " in ms. Goal: at most 1.05 times as long as with `--sync`, which waits for the disk, too,"
            " and 1.05 times the processor time of a plain run.",
            "",
            "| | plain | `--sync` | `--part 1/1` | ratio | goal |",
            "| --- | --- | --- | --- | --- | --- |",
            row(
                "whole process",
                *[f"{number(c.milliseconds())} ({c.span()})" for c in (plain, synced, part)],
                f"{self.against('--part 1/1', wall, PART_RATIO)} of `--sync`",
                f"{PART_RATIO}",
            ),
            row(
                "user + system",
                *[number(c.processor()) for c in (plain, synced, part)],
                f"{self.against('--part 1/1, processor time', processor, PART_RATIO)} of plain",
                f"{PART_RATIO}",
            ),
        )

    def row_of_parts(self, workload: Workload, expected: Path, parts: int) -> str:
        self.say(f"{parts} parts")
        output = self.directory / "parts.npy"
        words = [self.tscatter, *workload.arguments(self.directory), "-o", str(output)]
        words += ["-j", "1", "--unit", "1M"]
        # A part that is done before would be left out.
        shutil.rmtree(f"{output}.tscatter-parts", ignore_errors=True)
        runs = [
            self.start(Contender("part", [*words, "--part", f"{k}/{parts}"]), sampled=True)
            for k in range(1, parts + 1)
        ]
        finish = self.start(Contender("finish", [self.tscatter, "finish", str(output)]), False)
        if not self.same(output, expected):
            self.failures.append(f"{parts} parts: not the bytes of one run")
        output.unlink()
        longest = 1000 * max(r.wall for r in runs)
        mean = 1000 * statistics.mean(r.wall for r in runs)
        return row(
            str(parts),
            number(longest),
            number(mean),
            f"{longest / mean:.2f}",
            f"{max(r.private for r in runs) / MIB:.1f}",
            number(1000 * finish.wall),
            number(longest + 1000 * finish.wall),
        )

    # In memory

    def arrays(self) -> None:
        chosen = [call.name for call in arrays.CALLS if self.wanted("memory", call.name)]
        if not chosen:
            return
        library, rounds, scale = str(self.options.build / LIBRARY), str(self.options.rounds), str(self.options.scale)
        self.write(
            "",
            "## In memory",
            "",
            f"Calls from Python that change data's own memory, or make an array, in one process, in turn: medians of {rounds} rounds in ms, in brackets the fastest."
            f" `verify`: of a result in order, as times computing a new one (by the fastest); goal: {VERIFYING}.",
            "",
            "| call | tscatter | NumPy | PyTorch | JAX | of the fastest | goal | verify |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        )
        for name in chosen:
            self.say(f"memory: {name}")
            words = self.python("arrays.py", library, "--only", name, "--rounds", rounds, "--scale", scale)
            done = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)[0]
            times = {each: done["milliseconds"].get(each) for each in ("tscatter", "NumPy", "PyTorch", "JAX")}
            if not done["same"]:
                self.failures.append(f"in memory: {name}: the result is not NumPy's")
            self.raw[f"memory: {name}"] = {each: [t / 1000 for t in some] for each, some in times.items() if some}
            medians = {each: statistics.median(some) for each, some in times.items() if some}
            ratio = medians.pop("tscatter") / min(medians.values())
            cells = [f"{number(statistics.median(some))} ({number(min(some))})" if some else "-" for some in times.values()]
            verify = "-"
            if done["verify"]:
                computing, verifying = done["verify"]
                self.raw[f"memory: verify {name}"] = {"computing": [t / 1000 for t in computing], "verify": [t / 1000 for t in verifying]}
                ratio_of_medians = statistics.median(verifying) / statistics.median(computing)
                verify = f"{self.against(f'memory: verify {name}', ratio_of_medians, VERIFYING)} ({min(verifying) / min(computing):.2f})"
            self.write(row(done["title"], *cells, self.against(f"memory: {name}", ratio, done["goal"]), f"{done['goal']:g}", verify))

    def sweep(self) -> None:
        if not self.wanted("sweep"):
            return
        self.say("sweep: entries straight and grouped")
        words = [str(self.options.build / SWEEP), "2", *([str(int(2**30 * self.options.scale))] if self.options.scale != 1 else [])]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        self.write(*sweep.report([json.loads(line) for line in lines], self.against))

    def in_memory(self) -> None:
        chosen = [w for w in workloads.table(self.options.scale) if self.wanted("library", w.name)]
        if not chosen:
            return
        ours = ["tscatter", "tscatter -j 1"]
        former = [name + BEFORE for name in ours] if self.options.before else []
        names = [*ours, *self.peers]
        self.write(
            "",
            "## The C++ library",
            "",
            "The operation alone, over the caller's arrays, in place (JAX: donated). Medians of"
            f" {self.options.memory_rounds} interleaved processes with {self.options.repeat} runs"
            " each, in ms; each run is over data's values as they were. ≠: the bytes are not those"
            " of the loop in order.",
            "",
            row("workload", *[PEER_TITLES.get(n, n) for n in names], "fastest peer / tscatter"),
            row(*["---"] * (len(names) + 2)),
        )
        refused = []
        for workload in chosen:
            self.make(workload)
            times, notes = self.measure_memory(workload, [*names, *former])
            for name in [n for n in former if times[n]]:
                after = name.removesuffix(BEFORE)
                pair = ([t / 1000 for t in times[n]] for n in (name, after))
                self.pairs.append((f"in memory: {workload.name}: {after}", *pair))
            medians = {n: statistics.median(t) for n, t in times.items() if t}
            peers = [medians[n] for n in self.peers if n in medians]
            cells = [
                (
                    number(medians[n]) + (" ≠" if notes.get(n) == "≠" else "")
                    if n in medians
                    else "refused"
                )
                for n in names
            ]
            ratio = min(peers) / medians["tscatter"] if peers else None
            if ratio and ratio < 1 and self.options.scale == 1:
                self.missed.append(f"in memory, {workload.name}: a peer is faster ({ratio:.2f})")
            shown = "–" if ratio is None else f"{ratio:.2f}"
            self.write(row(workload.title, *cells, shown))
            refused += [
                f"- {workload.name}, {PEER_TITLES.get(n, n)}: {note}"
                for n, note in notes.items()
                if note != "≠"
            ]
        if refused:
            self.write("", *refused)

    def measure_memory(self, workload: Workload, names: list[str], part: str = "in memory"):
        times: dict[str, list[float]] = {name: [] for name in names}
        notes: dict[str, str] = {}
        reference, result = self.directory / "expected.npy", self.directory / "result.npy"
        for i in range(self.options.memory_rounds):
            self.say(f"{part}: {workload.name}: round {i + 1} of {self.options.memory_rounds}")
            # Who follows whom changes: one finds the memory as the one before it left it.
            for name in names if i % 2 == 0 else reversed(names):
                if notes.get(name, "≠") != "≠":
                    continue
                output = (reference if name == "tscatter" else result) if i == 0 else None
                done = self.memory_run(name, workload, output)
                if done.returncode != 0:
                    notes[name] = self.last_line_of(done.stderr)
                    if not may_refuse(name):
                        raise Failed(f"{part}: {workload.name}: {name}: {notes[name]}")
                    continue
                times[name] += json.loads(done.stdout)["milliseconds"]
                if output == reference:
                    self.check(workload, reference)
                elif output:
                    if not self.same(result, reference):
                        if name in PEER_TITLES:
                            notes[name] = "≠"
                        else:
                            self.failures.append(f"in memory: {workload.name}: {name} differs")
                    result.unlink()
        reference.unlink(missing_ok=True)
        self.raw[f"{part}: {workload.name}"] = {
            n: [t / 1000 for t in ts] for n, ts in times.items()
        }
        return times, notes

    def memory_run(self, name: str, workload: Workload, output: Path | None):
        repeat = str(self.options.repeat)
        is_fresh = name.endswith(FRESH)
        name = name.removesuffix(FRESH)
        if name in PEER_TITLES:
            words = self.python(
                "peers.py", "memory", name, str(self.directory), workload.name, "--repeat", repeat
            )
            words += ["--output", str(output)] if output else []
        elif name == FROM_PYTHON:
            library = str(self.options.build / LIBRARY)
            words = [library, str(self.directory), workload.name, "--repeat", repeat]
            words = self.python("from_python.py", *words)
            words += ["--fresh"] if is_fresh else []
            words += ["--output", str(output)] if output else []
        else:
            build = self.options.before if name.endswith(BEFORE) else self.options.build
            words = [str(build / MEMORY), *workload.memory_arguments(self.directory)]
            words += [f"repeat={repeat}"]
            words += ["threads=1"] if "-j 1" in name else []
            words += ["fresh=yes"] if is_fresh else []
            words += [f"output={output}"] if output else []
        return subprocess.run(words, check=False, capture_output=True, text=True)

    def tiny_calls(self) -> None:
        if not self.wanted("python", "tiny"):
            return
        words = self.python("from_python.py", str(self.options.build / LIBRARY), str(self.directory), "tiny", "--repeat", "7")
        rows = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        self.write(
            "",
            f"Calls with arrays of 2 to 8 elements, in µs: medians of 7 rounds of 5,000 calls each, in turn, and the fastest. Goal: at most {PYTHON_TINY}.",
            "",
            "| call | Python | fastest | peer | its call |",
            "| --- | --- | --- | --- | --- |",
        )
        for each in rows:
            median = statistics.median(each["own"])
            self.against(f"from Python, {each['title']}", median / PYTHON_TINY, 1)
            self.write(row(each["title"], f"{median:.1f}", f"{min(each['own']):.1f}", each["peer"], f"{statistics.median(each['other']):.1f}"))

    def from_python(self) -> None:
        self.tiny_calls()
        chosen = [w for w in workloads.table(self.options.scale) if self.wanted("python", w.name)]
        if not chosen:
            return
        self.write(
            "",
            "## From Python",
            "",
            "The operation alone, over the caller's arrays, by the C++ library and by the Python module: into"
            " data's own memory, and into a new result of each run. Both have arrays as NumPy allocates them"
            " (16 bytes behind a page boundary, in huge pages), and as many threads. A run allocates its new"
            " result and touches its pages first; the one before was freed."
            f" Medians of {self.options.memory_rounds} interleaved processes with"
            f" {self.options.repeat} runs each, in ms; the ratio, and behind it that of the fastest runs:"
            " both sides run the same code, but the kernel (of a virtual machine also its host) takes now"
            " less, now more time for the memory of a run."
            f" Goal of the medians: at most {PYTHON_RATIO} times as long, or {PYTHON_CALL} ms more.",
            "",
            "| workload | C++ | Python | Python / C++ | new result: C++ | Python | Python / C++ |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        forms = ["", FRESH]
        for workload in chosen:
            self.make(workload)
            names = [name + form for form in forms for name in ("tscatter", FROM_PYTHON)]
            times, _ = self.measure_memory(workload, names, "from Python")
            cells = [cell for form in forms for cell in self.python_cells(workload, times, form)]
            self.write(row(workload.title, *cells))

    def python_cells(self, workload: Workload, times, form: str) -> list[str]:
        pairs = [
            [figure(times[n + form]) for n in ("tscatter", FROM_PYTHON)]
            for figure in (statistics.median, min)
        ]
        ratios = [module / library for library, module in pairs]
        library, module = pairs[0]
        goal = PYTHON_RATIO if module - library > PYTHON_CALL else None
        ratio = self.against(f"from Python, {workload.name}{form}", ratios[0], goal)
        return [*map(number, pairs[0]), f"{ratio} ({ratios[1]:.2f})"]

    # All of it

    def facts(self) -> list[str]:
        about = self.text([self.tscatter, "--version"]).strip().splitlines()
        cp = self.text(["cp", "--version"]).splitlines()[0]
        peers = [f"{PEER_TITLES[n]} {v}" for n, v in self.versions.items()]
        absent = [
            t for n, t in PEER_TITLES.items() if n not in self.versions and n != "numpy-mapped"
        ]
        return [
            f"- processor: {processor_name()}, {os.cpu_count()} cores",
            f"- memory: {os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
            f"- system: {platform.system()} {platform.release().split('-')[0]},"
            f" {file_system(self.directory)}, warm page cache",
            f"- {'; '.join(' '.join(line.split()) for line in about)}",
            f"- {cp}; Python {platform.python_version()}; {', '.join(peers)}",
            f"- not here: {', '.join(absent) or 'nothing'}",
            *([f"- scale: {self.options.scale:g}"] if self.options.scale != 1 else []),
        ]

    def all(self) -> int:
        today = datetime.date.today().isoformat()
        self.write(f"# Benchmark of {today}", "", *self.facts())
        try:
            for part in (
                self.whole,
                self.layouts,
                self.in_place,
                self.clone,
                self.tiny,
                self.safetensors,
                self.curve,
                self.parts,
                self.index,
                self.torch,
                self.arrays,
                self.sweep,
                self.in_memory,
                self.from_python,
                self.census,
            ):
                part()
        except Failed as failure:
            self.failures.append(str(failure))
        self.print_pairs()
        self.write("", "## Verdict", "")
        self.write(*[f"- failed: {failure}" for failure in self.failures])
        self.write(*[f"- goal missed: {missed}" for missed in self.missed])
        if not self.failures:
            self.write("- all results of tscatter are bit for bit those of the loop in order")
        self.keep(today)
        return 1 if self.failures else 0

    def census(self) -> None:
        """tscatter compare beside cmp: two equal files, and two that differ in every element."""
        if not self.wanted("compare"):
            return
        table = []
        for dtype in ("float32", "float16", "int64", "float64"):
            files = {n: self.directory / f"compare-{dtype}-{n}.npy" for n in ("a", "same", "other")}
            make = self.python("workloads.py", "pair", str(self.directory), dtype)
            subprocess.run(make, check=True)
            os.sync()
            words = [self.tscatter, "compare", str(files["a"])]
            contenders = [
                Contender("cmp", ["cmp", str(files["a"]), str(files["same"])]),
                Contender("tscatter, equal", [*words, str(files["same"])]),
                Contender("tscatter, all differ", [*words, str(files["other"])], exit_code=1),
            ]
            self.compare(f"compare: {dtype}", contenders, None)
            for file in files.values():
                file.unlink()
            table.append((dtype, {c.name: c for c in contenders}))
        self.print_census(table)

    def print_census(self, table) -> None:
        self.write(
            "",
            "## Comparing",
            "",
            "Two files of 1 GiB each, whole process, median, in ms; in brackets the ratio to `cmp`"
            " of the equal files, whose goals are 2 and 3.",
            "",
            "| dtype | cmp, equal | tscatter, equal | tscatter, all differ | private MiB |",
            "| --- | --- | --- | --- | --- |",
        )
        for dtype, by in table:
            cells = []
            for name, goal in (("tscatter, equal", 2), ("tscatter, all differ", 3)):
                ratio = by[name].milliseconds() / by["cmp"].milliseconds()
                shown = self.against(f"compare {dtype}, {name}", ratio, goal)
                cells.append(f"{number(by[name].milliseconds())} ({shown})")
            private = max(c.private for c in by.values() if c.is_ours)
            self.write(
                row(dtype, number(by["cmp"].milliseconds()), *cells, f"{private / MIB:.0f}")
            )

    def print_pairs(self) -> None:
        if not self.pairs:
            return
        self.write(
            "",
            "## Before and after",
            "",
            "Two builds in turn, in ms. Slower than before: by more than 3 % in the median and in the"
            " fastest run.",
            "",
            "| workload | before | after | medians | fastest |",
            "| --- | --- | --- | --- | --- |",
        )
        for label, before, after in self.pairs:
            ratios = [over(after) / over(before) for over in (statistics.median, min)]
            medians = [number(1000 * statistics.median(times)) for times in (before, after)]
            self.write(row(label, *medians, *[f"{ratio:.3f}" for ratio in ratios]))
            if min(ratios) > 1.03 and self.options.scale == 1:
                self.missed.append(f"{label}: slower than before ({min(ratios):.2f})")

    def keep(self, today: str) -> None:
        options = self.options
        part = (
            options.only
            or options.part
            or options.no_peers
            or options.before
            or options.scale != 1
        )
        path = options.results or (None if part else HERE / "results" / f"{today}.md")
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(self.lines) + "\n")
            self.say(f"kept as {path.name}")
        if options.raw:
            options.raw.write_text(json.dumps(self.raw, indent=1) + "\n")


def number(value: float) -> str:
    return (
        f"{value:.0f}"
        if abs(value) >= 100
        else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    )


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def peer_cell(by: dict[str, Contender], name: str) -> str:
    return number(by[name].milliseconds()) if name in by and by[name].runs else "–"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")
    parser.add_argument(
        "--dir",
        type=Path,
        default=temporary / "tscatter-bench",
        help="where the operands are made and kept (about 7 GB)",
    )
    parser.add_argument(
        "--build",
        type=Path,
        default=HERE.parent / "build" / "release",
        help="the build directory that is measured",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="a workload, or a part without one (in-place, clone, tiny, safetensors, curve, parts, index, compare);"
        " layouts: NAME-LAYOUT;"
        " * and ? match; may come again",
    )
    parser.add_argument(
        "--part", action="append", default=[], choices=PARTS, help="only this part; may come again"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory-rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=5, help="runs of a process in memory")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument(
        "--before",
        type=Path,
        metavar="BUILD",
        help="another build directory, run in turn with --build: a table of both",
    )
    parser.add_argument("--scale", type=float, default=1.0, help="shrinks the workloads: 0.01")
    parser.add_argument("--results", type=Path, help="keep the tables in this file")
    parser.add_argument("--raw", type=Path, help="keep all wall times, in seconds, as JSON")
    options = parser.parse_args()
    names = [*PARTS, *(w.name for w in [*workloads.table(), *workloads.curve()])]
    for pattern in options.only:
        if not fnmatch.filter(names, pattern):
            parser.error(f"--only {pattern} matches none of {', '.join(names)}")
    wanted = [(options.build, p) for p in ("tscatter", MEMORY, LIBRARY)]
    wanted += [(options.before, p) for p in ("tscatter", MEMORY) if options.before]
    for build, program in wanted:
        if not (build / program).exists():
            parser.error(f"{program} is not in {build}: run ./dev bench")
    return Bench(options).all()


if __name__ == "__main__":
    sys.exit(main())
