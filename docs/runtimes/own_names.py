"""Calls of a library's own names (torch.scatter, …) on the library and on tscatter, bit for bit: what torch_names.py and others like it share.

compare() takes the calls that a script draws, and its table of differences: reasons why the two part. A call that none of them explains is a failure.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

from cases import Case, read_array  # first: it says what is missing

import numpy as np

MOST_FAILURES = 20
SPECIAL = (np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 2.0**-24)


@dataclasses.dataclass
class Call(Case):
    broken: str = ""  # what is wrong with it; "" if nothing is

    @property
    def key(self):
        return self.line["name"]

    @property
    def data_word(self):
        """What the library calls data, which comes first."""
        return next(iter(self.operands))

    @property
    def dtype(self):
        return self.dtypes.get(self.data_word, "")

    @property
    def data(self):
        return self.operands[self.data_word]


@dataclasses.dataclass
class Difference:
    """One reason why the library and tscatter part."""
    state: str  # of the outcome
    reason: str
    holds: typing.Optional[typing.Callable]  # of the outcome, if it has this state
    policies: dict = dataclasses.field(default_factory=dict)  # with them tscatter's result is the library's
    names: tuple = ()  # the operations with these policies


@dataclasses.dataclass
class Outcome:
    call: Call
    theirs: typing.Optional[np.ndarray] = None
    refusal: str = ""  # the library's
    ours: typing.Optional[np.ndarray] = None
    label: str = ""  # of the rule by which tscatter refuses
    message: str = ""
    legal: bool = True  # whether `tscatter verify` takes the library's result
    variants: dict = dataclasses.field(default_factory=dict)  # tscatter's results with other policies, by the reason
    reason: str = ""  # of the difference

    @property
    def state(self):
        if self.theirs is None or self.ours is None:
            return "both refuse" if self.theirs is None and self.ours is None else "library refuses" if self.theirs is None else "tscatter refuses"
        return "equal" if same_bits(self.theirs, self.ours) else "different"

    def unlike(self, ours=None):
        """Where the two differ. NaN of other bits do not count."""
        return unlike(self.call.dtype, self.ours if ours is None else ours, self.theirs)


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def floats_of(array, dtype):
    """The values of bfloat16, which is held as uint16, and of any other dtype; complex numbers as pairs."""
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def unlike(dtype, ours, theirs):
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return np.ones(theirs.shape, bool)
    ours, theirs = floats_of(ours, dtype), floats_of(theirs, dtype)
    words = [np.ascontiguousarray(each).view(f"u{each.dtype.itemsize}") for each in (ours, theirs)]
    return (words[0] != words[1]) & ~((ours != ours) & (theirs != theirs))


def is_near(outcome):
    """Of complex numbers, whose products are a few roundings apart."""
    places = outcome.unlike().any(-1)
    ours, theirs = outcome.ours[places], outcome.theirs[places]
    return bool((np.abs(ours - theirs) <= 64 * np.finfo(ours.dtype).eps * np.abs(ours)).all())


# What is drawn.


def shape_of(rng, low=1, high=4):
    return tuple(int(size) for size in rng.choice([0, 1, 2, 3, 4, 5], rng.integers(low, high + 1), p=[0.03, 0.17, 0.2, 0.2, 0.2, 0.2]))


def reals(rng, shape):
    kind = rng.integers(4)
    if kind == 0:
        return rng.choice(SPECIAL, shape)
    if kind == 1:
        return rng.integers(-4, 5, shape).astype(float)
    values = np.asarray(rng.normal(0, 4, shape))
    return np.where(rng.random(shape) < 0.1, rng.choice(SPECIAL, shape), values) if kind == 2 else values


def values(rng, dtype, shape):
    """bfloat16 as uint16."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "bfloat16":
        return (np.asarray(reals(rng, shape), np.float32).view(np.uint32) >> 16).astype(np.uint16)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        low, high = (limits.min, limits.max) if rng.random() < 0.4 else (max(limits.min, -4), 8)
        return rng.integers(low, high, shape, kind, endpoint=True)
    array = np.empty(shape, kind)
    with np.errstate(over="ignore"):
        array.real = reals(rng, shape)
        if kind.kind == "c":
            array.imag = reals(rng, shape)
    return array


def some_order(rng, array):
    return np.asfortranarray(array) if array.ndim > 1 and rng.random() < 0.15 else array


def positions(rng, size, shape, low=0, dtype=None):
    """Some are drawn from all, some from two: they meet."""
    if size == 0:
        shape = tuple(shape[:-1]) + (0,) if shape else (0,)
    few = rng.integers(low, size, 2) if size and rng.random() < 0.4 else None
    array = rng.choice(few, shape) if few is not None else rng.integers(low, max(size, 1), shape)
    dtype = dtype or str(rng.choice(["int64", "int32"]))
    return np.asarray(array, dtype), dtype


def a_mask(rng, shape):
    return rng.random(shape) < rng.choice([0.1, 0.5, 0.9])


def replaced(call, name, array):
    call.operands[name] = array
    return True


def in_turns(rng, name, number, broken, draw):
    """In turns, what can be broken in calls of this name. `broken`: rows of words, names and a function that changes a call, and says whether it is broken now."""
    rows = [row for row in broken if name in row[1]]
    words, _, change = rows[number % len(rows)]
    while True:
        call = draw()
        if change(rng, call):
            call.broken = words
            return call


def is_word(item):
    return item is None or isinstance(item, (slice, str))


def word_of(item):
    """A slice, None for a whole axis, or a word ("..."), as the command line has it."""
    if isinstance(item, str):
        return item
    ends = ("", "") if item is None else (item.start, item.stop) if item.step is None else (item.start, item.stop, item.step)
    return ":".join("" if end is None else str(end) for end in ends)


def stored(folder, name, value, dtype):
    """The word of a job for an operand, whose file is written."""
    if is_word(value):
        return word_of(value)
    np.save(folder / f"{name}.npy", value.view("V2") if dtype == "bfloat16" else value)
    return f"{name}.npy"


def job_of(folder, call):
    line = dict(call.line)
    for name, value in call.operands.items():
        parts = value if isinstance(value, list) else [value]
        words = [stored(folder, f"{call.key}.{name}{place}", each, call.dtypes.get(name)) for place, each in enumerate(parts)]
        line[name] = words if isinstance(value, list) else words[0]
    return line | ({"dtype": "bfloat16"} if "bfloat16" in call.dtypes.values() else {})


class Program:
    """tscatter, asked by batches in a folder of its own."""

    def __init__(self, tscatter, folder):
        self.tscatter, self.folder, self.batches = tscatter, folder, 0

    def reports(self, lines):
        """The reports of jobs, by their names."""
        self.batches += 1
        path = self.folder / f"batch{self.batches}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        environment = os.environ | {"XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([self.tscatter, "batch", path, "--json"], capture_output=True, text=True, env=environment) if lines else None
        found = {each["name"]: each for each in map(json.loads, done.stdout.splitlines()) if "name" in each} if lines else {}
        if len(found) != len(lines):
            sys.exit(f"tscatter batch: {len(found)} of {len(lines)} calls have a report: {done.stderr[-1000:]}")
        return found

    def results(self, jobs, outcomes, policies):
        """Pairs of a report and a result, by the names of the calls."""
        lines = [jobs[each.call.key] | policies | {"output": f"{each.call.key}.out{self.batches}.npy"} for each in outcomes]
        found = self.reports(lines)
        return {each.call.key: (found[each.call.key], self.result(found[each.call.key], each.call)) for each in outcomes}

    def result(self, report, call):
        return read_array(self.folder / report["message"], call.dtype)[0] if report["state"] == "written" else None

    def ask(self, outcomes, differences):
        jobs = {each.call.key: job_of(self.folder, each.call) for each in outcomes}
        results = self.results(jobs, outcomes, {})
        for each in outcomes:
            report, each.ours = results[each.call.key]
            each.label, each.message = report.get("label", ""), report["message"]
        for difference in differences:
            some = [each for each in outcomes if each.state == "different" and each.call.op in difference.names]
            for name, (_, result) in self.results(jobs, some, difference.policies).items():
                next(each for each in some if each.call.key == name).variants[difference.reason] = result
        self.verify(jobs, {each.call.key: each for each in outcomes if each.state in ("equal", "different")})

    def verify(self, jobs, outcomes):
        actual = {name: stored(self.folder, f"{name}.theirs", each.theirs, each.call.dtype) for name, each in outcomes.items()}
        for name, report in self.reports([jobs[name] | {"actual": word} for name, word in actual.items()]).items():
            outcomes[name].legal = report["state"] == "passed"


def explained(outcome, difference):
    if outcome.state != difference.state:
        return False
    if difference.policies:
        variant = outcome.variants.get(difference.reason)
        return variant is not None and not outcome.unlike(variant).any()
    return difference.holds(outcome)


def is_as_expected(outcome):
    return outcome.state == ("both refuse" if outcome.call.broken else "equal")


def compare(tscatter, calls, run, differences):
    """The outcomes. `run` takes a call and returns the library's result; what it throws is its refusal."""
    outcomes = []
    for call in calls:
        outcomes.append(Outcome(call))
        try:
            outcomes[-1].theirs = run(call)
        except Exception as error:  # whatever the library throws
            outcomes[-1].refusal = " ".join(str(error).split()) or type(error).__name__
    with tempfile.TemporaryDirectory() as folder:
        Program(tscatter, pathlib.Path(folder)).ask(outcomes, differences)
    for each in outcomes:
        if each.state in ("different", "library refuses", "tscatter refuses"):
            each.reason = next((one.reason for one in differences if explained(each, one)), "")
    return outcomes


def failures_of(outcomes):
    """What the table of differences does not have, in words."""
    for each in outcomes:
        if is_as_expected(each) or each.reason:
            continue
        said = {"equal": "both compute", "both refuse": each.message, "library refuses": each.refusal, "tscatter refuses": each.message}
        yield f"{each.call.key}, {each.call.broken or 'legal'}: {each.state}: {said.get(each.state, '')}\n{shown(each)}"


def shown(outcome):
    words = [f"  {key} = {value}" for key, value in outcome.call.line.items() if key != "name"]
    words += [f"  {name} = {described(value, outcome.call.dtypes.get(name))}" for name, value in outcome.call.operands.items()]
    if outcome.state == "different" and outcome.ours.shape == outcome.theirs.shape:
        places = outcome.unlike()
        values = [floats_of(each, outcome.call.dtype)[places][:4].tolist() for each in (outcome.theirs, outcome.ours)]
        words.append(f"  at {np.argwhere(places)[:4].tolist()}: library {values[0]}, tscatter {values[1]}")
    return "\n".join(words)


def described(value, dtype):
    if isinstance(value, list):
        return ", ".join(word_of(each) if is_word(each) else described(each, None) for each in value)
    text = " ".join(np.array2string(floats_of(value, dtype), separator=", ", threshold=60).split())
    return f"{dtype or value.dtype} {list(value.shape)} {text}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


@dataclasses.dataclass
class Library:
    name: str  # of the script NAME_names.py
    title: str
    version: str
    names: tuple
    legal_call: typing.Callable  # of a generator of NumPy and a name
    broken_call: typing.Callable  # of the same and a number: what can be broken comes in turns
    run: typing.Callable  # of a call: the library's result
    differences: tuple
    set_threads: typing.Callable
    page: str = ""  # what the section says beside the counts


def calls_of(library, arguments):
    for name in arguments.only or library.names:
        for kind, count in (("legal", arguments.legal), ("broken", arguments.broken)):
            rng = np.random.default_rng([arguments.seed, *f"{kind} {name}".encode()])
            for number in range(count):
                call = library.broken_call(rng, name, number) if kind == "broken" else library.legal_call(rng, name)
                call.line["name"] = f"{name}-{kind}-{number}"
                yield call


def own_name(op, names):
    """Without the namespace, unless the names have one."""
    return op if op in names else op.partition(".")[2]


def counts_table(names, outcomes, kind, states):
    counted = collections.Counter((own_name(each.call.op, names), each.state) for each in outcomes if bool(each.call.broken) == (kind == "broken"))
    rows = [(f"`{name}`", *(counted[name, state] for state in states)) for name in names]
    return table((f"{kind} calls of", *states), [*rows, ("all", *(sum(row[at] for row in rows) for at in range(1, len(states) + 1)))])


def differences_table(names, outcomes):
    rows = []
    for (state, reason), n in collections.Counter((each.state, each.reason) for each in outcomes if each.reason).most_common():
        some = [each for each in outcomes if (each.state, each.reason) == (state, reason)]
        found = ", ".join(sorted({f"`{own_name(each.call.op, names)}`" for each in some}))
        legal = sum(each.legal for each in some) if state == "different" else ""
        rows.append((state, reason, found, n, legal))
    return table(("state", "why", "names", "calls", "of them legal by `verify`"), rows)


def section(library, outcomes, arguments):
    states = ("equal", "different", "library refuses", "tscatter refuses")
    broken_states = ("both refuse", "library refuses", "tscatter refuses", "equal", "different")
    return "\n\n".join([
        HEAD, f"{arguments.legal} legal and {arguments.broken} broken random calls of each of {library.title}'s own names (seed {arguments.seed}), on {library.title} "
        f"{library.version} and on tscatter, compared bit for bit by [{library.name}_names.py]({library.name}_names.py), "
        f"which has the draws and the reasons; the test `runtimes` runs it. A difference without a reason fails.{library.page}",
        counts_table(library.names, outcomes, "legal", states), counts_table(library.names, outcomes, "broken", broken_states),
        "Both compute with the same bits, or both refuse, but for these calls:", differences_table(library.names, outcomes)]) + "\n"


HEAD = "## Its own names"


def write_section(path, text):
    """Pages are made by pages.py, which leaves this section as it is."""
    path.write_text(path.read_text(encoding="utf-8").partition(f"\n{HEAD}\n")[0].rstrip() + f"\n\n{text}", encoding="utf-8")


def arguments_for(library):
    parser = argparse.ArgumentParser(description=f"Compares random calls of {library.title}'s names with tscatter.")
    parser.add_argument("tscatter")
    parser.add_argument("--legal", type=int, default=200, help="legal calls of each name")
    parser.add_argument("--broken", type=int, default=100, help="broken calls of each name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of the library")
    parser.add_argument("--only", action="append", choices=library.names, help="this name; several: these")
    parser.add_argument("--page", type=pathlib.Path, help="the page that gets a section with the counts")
    return parser.parse_args()


def main(library):
    arguments = arguments_for(library)
    library.set_threads(arguments.threads)
    outcomes = compare(arguments.tscatter, calls_of(library, arguments), library.run, library.differences)
    failures = list(failures_of(outcomes))
    counted = collections.Counter(each.state for each in outcomes)
    print(f"{library.title} {library.version}, {len(outcomes)} calls: " + ", ".join(f"{n} {state}" for state, n in counted.most_common()))
    print(differences_table(library.names, outcomes))
    print("\n\n".join(failures[:MOST_FAILURES]))
    if arguments.page:
        write_section(arguments.page, section(library, outcomes, arguments))
    if failures:
        sys.exit(f"{len(failures)} calls differ, and no reason is known")
