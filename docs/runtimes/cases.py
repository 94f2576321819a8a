"""The cases of `tscatter generate`, run on something else.

run_cases() reads DIR/cases.jsonl, calls run(case) for each, and writes what comes of it as DIR/NAME/<case>.npy with a batch
DIR/NAME.jsonl that `tscatter batch` verifies. Cases that cannot be run stand in the batch as comments, with the reason.
"""
import argparse
import collections
import dataclasses
import json
import multiprocessing
import pathlib
import re

import numpy as np

NOT_OPERANDS = {"name", "op", "reduction", "dtype", "expected", "expected_error"}
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
    def reduction(self):
        return self.line.get("reduction", "none")


def read_array(path, dtype):
    """An array and the name of its dtype. bfloat16 is stored as records of two bytes."""
    array = np.load(path)
    if array.dtype.kind != "V":
        return array, array.dtype.name
    if dtype != "bfloat16":
        raise NotExpressible("opaque dtype")
    return array.view(np.uint16), dtype


def read_case(directory, line):
    read = {key: read_array(directory / value, line.get("dtype")) for key, value in line.items() if key not in NOT_OPERANDS}
    return Case(line, {key: array for key, (array, _) in read.items()}, {key: dtype for key, (_, dtype) in read.items()})


def read_lines(directory):
    text = (directory / "cases.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]


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
        return "refused", " ".join(str(error).split())
    if case.dtypes["data"] == "bfloat16":
        actual = actual.view("V2")
    if "expected_error" not in line:
        np.save(to, actual)
    return "run", ""


def attempt_apart(*job):
    """attempt() in a process of its own: a runtime that crashes, hangs or spoils its memory takes only this case with it."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(attempt(*job)))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(SECONDS) else ("crashed", f"no result in {SECONDS} seconds")
    except EOFError:
        process.join()
        return "crashed", f"signal {-process.exitcode}"
    finally:
        process.kill()
        process.join()


def batch_line(line, state, reason, actual, nan):
    if state != "run":
        return f"# {state}: {line['name']}: {reason}"
    if "expected_error" in line:
        return f"# computed what {line['expected_error']} forbids: {line['name']}"
    kept = {key: value for key, value in line.items() if key != "expected"}
    return json.dumps(kept | {"actual": actual} | ({"nan": nan} if nan else {}))


def print_counts(title, outcomes):
    states = collections.Counter(state for state, _ in outcomes)
    print(f"{title}: {len(outcomes)}, of them " + (", ".join(f"{n} {state}" for state, n in states.most_common()) or "none"))
    reasons = collections.Counter((state, re.sub(r"\d+", "N", reason)[:150]) for state, reason in outcomes if reason)
    for (state, reason), n in reasons.most_common(12):
        print(f"  {n:5} {state}: {reason}")


def run_cases(name, version, run):
    parser = argparse.ArgumentParser(description=f"Runs the cases of tscatter generate on {name}.")
    parser.add_argument("directory", type=pathlib.Path, help="of cases.jsonl")
    parser.add_argument("--nan", help="what is legal in min and max, as in tscatter verify --nan")
    arguments = parser.parse_args()
    directory, legal, broken = arguments.directory, [], []
    (directory / name).mkdir(exist_ok=True)
    with open(directory / f"{name}.jsonl", "w", encoding="utf-8") as batch:
        print(f"# {name} {version}", file=batch)
        for line in read_lines(directory):
            actual = f"{name}/{line['name']}.npy"
            state, reason = attempt_apart(run, directory, line, directory / actual)
            print(batch_line(line, state, reason, actual, arguments.nan), file=batch)
            if "expected_error" in line:
                broken.append(("computed", line["expected_error"]) if state == "run" else (state, reason))
            else:
                legal.append((state, reason))
    print(f"{name} {version}")
    print_counts("legal cases", legal)
    print_counts("broken cases", broken)
