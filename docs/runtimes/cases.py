"""The cases of `tscatter generate`, run on something else.

run_cases() reads DIR/cases.jsonl, calls run(case) for each, and writes what comes of it as DIR/NAME/<case>.npy with a batch
DIR/NAME.jsonl that `tscatter batch` verifies. Cases that cannot be run stand in the batch as comments, with the reason.
"""
import argparse
import collections
import dataclasses
import fnmatch
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import re
import sys
import textwrap
import time



def say_what_is_missing(kind, error, trace):
    """One line for a module that is not installed. So the scripts import this file before their runtime."""
    if not issubclass(kind, ImportError) or not error.name:
        sys.__excepthook__(kind, error, trace)
        return
    print(f"{os.path.basename(sys.argv[0])}: error: needs {error.name.partition('.')[0]}, which this Python does not have", file=sys.stderr)


sys.excepthook = say_what_is_missing

import numpy as np  # noqa: E402

RESULTS = ("expected", "actual")
SECONDS = 120


class NotExpressible(Exception):
    """The runtime has no counterpart of this case."""


@dataclasses.dataclass
class Case:
    line: dict
    operands: dict  # arrays by name; bfloat16 as uint16, see dtypes
    dtypes: dict  # the names of their dtypes

    @property
    def op(self):
        return self.line["op"]

    @property
    def name(self):
        """Of the operation, without its version: "onnx.ScatterND"."""
        return self.op.rsplit("-", 1)[0]

    @property
    def version(self):
        return int(self.op.rsplit("-", 1)[1])

    @property
    def reduction(self):
        return self.line.get("reduction", "none")

    def scalar(self, operand):
        """The one integer of an operand of shape [] or [1]."""
        array = self.operands[operand]
        if array.shape not in ((), (1,)) or array.dtype.kind not in "iu":
            raise NotExpressible(f"{operand} that is no integer")
        return int(array.flat[0])


def read_array(path, dtype):
    """An array and the name of its dtype. bfloat16 is stored as records of two bytes."""
    array = np.load(path)
    if array.dtype.kind != "V":
        return array, array.dtype.name
    if dtype != "bfloat16":
        raise NotExpressible("opaque dtype")
    return array.view(np.uint16), dtype


def is_file(key, value):
    """Attributes have their value in the line: "axis": 1. An index has a list."""
    return isinstance(value, list) or (isinstance(value, str) and value.endswith(".npy") and key not in RESULTS)


def read_operand(directory, value, dtype):
    if isinstance(value, list):
        return [item_of(directory, each) for each in value], None
    return read_array(directory / value, dtype)


def item_of(directory, word):
    """Of an index: a slice, None for a whole axis, a word ("..."), or an array; numbers are arrays, too."""
    if re.fullmatch(r"[-\d:]*", word):
        ends = [int(end) if end else None for end in word.split(":")]
        return np.array(ends[0]) if len(ends) == 1 else None if ends == [None, None] else slice(*ends)
    if word in ("...", "None", "newaxis"):
        return word
    return read_array(directory / word, None)[0]


def read_case(directory, line):
    read = {key: read_operand(directory, value, line.get("dtype")) for key, value in line.items() if is_file(key, value)}
    return Case(line, {key: array for key, (array, _) in read.items()}, {key: dtype for key, (_, dtype) in read.items()})


def refuse(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: error: {text}")


def read_line(place, text):
    try:
        line = json.loads(text)
    except ValueError:
        line = None
    names = [line.get("name"), line.get("op")] if isinstance(line, dict) else [None]
    if not all(isinstance(name, str) and name for name in names) or "/" in names[0]:
        refuse(f"{place} must be an object of JSON with a name without / and an op, got {text.strip()[:80]}")
    return line


def read_lines(directory, patterns):
    path = directory / "cases.jsonl"
    text = path.read_text(encoding="utf-8", errors="replace")
    numbered = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    lines = [read_line(f"{path}:{number}", line) for number, line in numbered]
    if not lines:
        refuse(f"{path} has no case")
    return [line for line in lines if any(fnmatch.fnmatchcase(line["name"], pattern) for pattern in patterns)]


def widened(indices):
    """Integers as int64, for runtimes that take no others."""
    if indices.dtype == np.uint64 and indices.size and int(indices.max()) > np.iinfo(np.int64).max:
        raise NotExpressible("indices beyond int64")
    return indices.astype(np.int64) if indices.dtype.kind in "iu" else indices


def attempt(run, directory, line, to):
    """Runs one case and writes its result; says how it went."""
    try:
        case = read_case(directory, line)
        actual = run(case)
    except NotExpressible as reason:
        return "not expressible", str(reason)
    except Exception as error:  # whatever the runtime throws is its refusal
        return "refused", " ".join(str(error).split()) or type(error).__name__
    if "bfloat16" in case.dtypes.values() and actual.dtype.itemsize == 2:
        actual = actual.view("V2")
    if "expected_error" not in line:
        np.save(to, actual)
    return "run", ""


class Attempt:
    """attempt() in a process of its own: a runtime that crashes, hangs or spoils its memory takes only this case with it."""

    def __init__(self, *job):
        context = multiprocessing.get_context("fork")
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=lambda: sender.send(attempt(*job)))
        self.process.start()
        self.begin = time.monotonic()
        sender.close()

    def outcome(self):
        """How it went; None while it runs."""
        is_late = time.monotonic() - self.begin > SECONDS
        if not self.receiver.poll():
            return self.end(("crashed", f"no result in {SECONDS} seconds")) if is_late else None
        try:
            return self.end(self.receiver.recv())
        except EOFError:
            self.process.join()
            return self.end(("crashed", f"signal {-self.process.exitcode}"))

    def end(self, outcome):
        self.process.kill()
        self.process.join()
        self.receiver.close()
        return outcome


def show_progress(done, total):
    if sys.stderr.isatty():
        print(f"\r{done} of {total}", end="" if done < total else "\r\033[K", file=sys.stderr, flush=True)


def outcomes_of(jobs, workers):
    """How each job went, in order; so many run at once."""
    outcomes, running, waiting = [None] * len(jobs), {}, list(enumerate(jobs))[::-1]
    while running or waiting:
        while waiting and len(running) < workers:
            number, job = waiting.pop()
            running[number] = Attempt(*job)
        multiprocessing.connection.wait([each.receiver for each in running.values()], timeout=1)
        for number, each in list(running.items()):
            outcomes[number] = each.outcome()
            if outcomes[number] is not None:
                del running[number]
        show_progress(len(jobs) - len(running) - len(waiting), len(jobs))
    return outcomes


def batch_line(line, state, reason, actual, nan):
    if state != "run":
        return f"# {state}: {line['name']}: {reason}"
    if "expected_error" in line:
        return f"# computed what {line['expected_error']} forbids: {line['name']}"
    kept = {key: value for key, value in line.items() if key != "expected"}
    takes_nan = nan and line.get("reduction", "none") != "none"
    return json.dumps(kept | {"actual": actual} | ({"nan": nan} if takes_nan else {}))


def without_numbers(reason):
    """One reason for all sizes and values; names such as int64 stay. Of a long one the beginning and the end."""
    words = re.sub(r"(?<![A-Za-z_\d])-?\d+", "N", reason)
    if len(words) <= 150:
        return words
    return textwrap.shorten(words, 50, placeholder="") + " … " + textwrap.shorten(words[::-1], 97, placeholder="")[::-1]


def print_counts(title, outcomes):
    states = collections.Counter(state for state, _ in outcomes)
    print(f"{title}: {len(outcomes)}, of them " + (", ".join(f"{n} {state}" for state, n in states.most_common()) or "none"))
    reasons = collections.Counter((state, without_numbers(reason)) for state, reason in outcomes if reason)
    for (state, reason), n in reasons.most_common(12):
        print(f"  {n:5} {state}: {reason}")


def arguments_for(name, options):
    parser = argparse.ArgumentParser(description=f"Runs the cases of tscatter generate on {name}.")
    parser.add_argument("directory", metavar="DIR", type=pathlib.Path, help="of cases.jsonl")
    parser.add_argument("--filter", metavar="GLOB", action="append", help="only cases whose whole name matches; several: any")
    parser.add_argument("-j", metavar="N", dest="workers", type=int, default=os.cpu_count(), help="cases at once (default: cores)")
    parser.add_argument("--name", default=name, help=f"of the folder and the batch of the results (default: {name})")
    parser.add_argument("--nan", help="what is legal in min and max, as in tscatter verify --nan")
    for flag, default, text in options:
        parser.add_argument(flag, default=default, help=f"{text} (default: {default})")
    arguments = parser.parse_args()
    if not (arguments.directory / "cases.jsonl").is_file():
        refuse(f"DIR must have a cases.jsonl, as tscatter generate writes it, got {arguments.directory}")
    if "/" in arguments.name or arguments.name in ("", ".", "..", "cases"):
        refuse(f"--name must be a name without / other than cases, got {arguments.name}")
    arguments.lines = read_lines(arguments.directory, arguments.filter or ["*"])
    if not arguments.lines:
        refuse(f"--filter must leave at least one case, got {arguments.filter}; a pattern matches a whole name: '*-f64-*'")
    return arguments


def run_cases(name, version, run, options=()):
    """`run` takes a Case and the arguments, among them `options`: flag, default, help."""
    arguments = arguments_for(name, options)
    directory, lines, name = arguments.directory, arguments.lines, arguments.name
    (directory / name).mkdir(exist_ok=True)
    actuals = [f"{name}/{line['name']}.npy" for line in lines]
    jobs = [(lambda case: run(case, arguments), directory, line, directory / actual) for line, actual in zip(lines, actuals)]
    outcomes = outcomes_of(jobs, max(arguments.workers, 1))
    with open(directory / f"{name}.jsonl", "w", encoding="utf-8") as batch:
        print(f"# {name} {version}", file=batch)
        for line, actual, (state, reason) in zip(lines, actuals, outcomes):
            print(batch_line(line, state, reason, actual, arguments.nan), file=batch)
    print(f"{name} {version}")
    legal = [outcome for line, outcome in zip(lines, outcomes) if "expected_error" not in line]
    broken = [("computed", line["expected_error"]) if state == "run" else (state, reason)
              for line, (state, reason) in zip(lines, outcomes) if "expected_error" in line]
    print_counts("legal cases", legal)
    print_counts("broken cases", broken)
