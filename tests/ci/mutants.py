"""Wrong implementations of the operations, and right ones that take the updates in other orders, over generated cases.

  mutants.py TSCATTER DIRECTORY [SEED]

Each wrong one must be called not legal by `tscatter batch` at least once, compute what a broken case forbids, or refuse a legal case;
of each right one every result must be legal. Prints which case caught which mutant first. NumPy does the arithmetic: nothing is shared with tscatter.
"""
import collections
import json
import pathlib
import subprocess
import sys

import numpy as np

from reference import Reference, Refused

DTYPES = "bool int8 uint8 int32 uint32 int64 uint64 float16 float32 float64".split()
WIDER = {"float16": np.float32, "float32": np.float64, "float64": np.longdouble}
NOT_OPERANDS = {"name", "op", "reduction", "dtype", "expected", "expected_error"}


def is_float(array):
    return array.dtype.kind == "f"


def bits(array):
    return np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.itemsize}")


# --- Right: other orders, trees, wider accumulators. ---

class Reversed(Reference):
    def fold(self, x, terms, reduction):
        return super().fold(x, terms[::-1], reduction)


class Shuffled(Reference):
    def fold(self, x, terms, reduction):
        order = np.random.default_rng(len(terms)).permutation(len(terms))
        return super().fold(x, [terms[k] for k in order], reduction)


class ShuffledPerElement(Reference):
    """What atomics do."""

    def fold(self, x, terms, reduction):
        if reduction == "none":
            return super().fold(x, terms, reduction)
        shuffled = np.random.default_rng(len(terms)).permuted(np.stack(terms), axis=0)
        return super().fold(x, list(shuffled), reduction)


class Tree(Reference):
    """data and updates in pairs, and those in pairs again."""

    def fold(self, x, terms, reduction):
        if reduction not in ("sum", "prod"):
            return super().fold(x, terms, reduction)
        terms = [x, *terms]
        while len(terms) > 1:
            pairs = [super(Tree, self).fold(a, [b], reduction) for a, b in zip(terms[::2], terms[1::2])]
            terms = pairs + terms[len(pairs) * 2:]
        return terms[0]


class TwoThreads(Reference):
    """Each half is summed alone, then both are added to data."""

    def fold(self, x, terms, reduction):
        if reduction not in ("sum", "prod", "min", "max") or len(terms) < 2:
            return super().fold(x, terms, reduction)
        if reduction in ("min", "max") and any(np.isnan(t).any() for t in terms if is_float(t)):
            return super().fold(x, terms, reduction)
        half = len(terms) // 2
        partial = [super(TwoThreads, self).fold(part[0], part[1:], reduction) for part in (terms[:half], terms[half:])]
        return super().fold(x, partial, reduction)


class WiderAccumulator(Reference):
    def fold(self, x, terms, reduction):
        if not is_float(x) or reduction not in ("sum", "sub", "prod"):
            return super().fold(x, terms, reduction)
        wide = WIDER[x.dtype.name]
        return super().fold(x.astype(wide), [t.astype(wide) for t in terms], reduction).astype(x.dtype)


# --- Wrong. ---

class Mutant(Reference):
    legal = False


class FirstWins(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(x, terms[:1], reduction)


class LastWins(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(x, terms[-1:], reduction)


class TornRows(Mutant):
    def fold(self, x, terms, reduction):
        result = np.array(super().fold(x, terms, reduction))
        if reduction == "none" and len(terms) > 1:
            result.reshape(-1)[::2] = terms[0].reshape(-1)[::2]
        return result


class LostUpdate(Mutant):
    """The second of several updates read data before the first had written."""

    def fold(self, x, terms, reduction):
        return super().fold(x, terms[1:] if len(terms) > 1 else terms, reduction)


class DoubleUpdate(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(x, terms + terms[-1:], reduction)


class LastEntryDropped(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(x, terms[:-1], reduction)


class Averaged(Mutant):
    def fold(self, x, terms, reduction):
        if len(terms) < 2 or not is_float(x):
            return super().fold(x, terms, reduction)
        return super().fold(x, [(np.sum(terms, axis=0) / len(terms)).astype(x.dtype)], reduction)


class DataIgnored(Mutant):
    """The accumulator begins at the first update."""

    def fold(self, x, terms, reduction):
        return super().fold(terms[0], terms[1:], reduction)


class ProdFromZero(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(np.zeros_like(x) if reduction == "prod" else x, terms, reduction)


class MinMaxFromZero(Mutant):
    def fold(self, x, terms, reduction):
        return super().fold(x, [*terms, np.zeros_like(x)] if reduction in ("min", "max") else terms, reduction)


class TailNotWritten(Mutant):
    """A loop over vectors of 4 without the rest."""

    def fold(self, x, terms, reduction):
        result = np.array(super().fold(x, terms, reduction))
        whole = result.size // 4 * 4
        result.reshape(-1)[whole:] = x.reshape(-1)[whole:]
        return result


class Swapped(Mutant):
    """The reduction that is another one."""
    other = {}

    def combine(self, x, u, reduction):
        return super().combine(x, u, self.other.get(reduction, reduction))


class SubAsAdd(Swapped):
    other = {"sub": "sum"}


class MinAsMax(Swapped):
    other = {"min": "max"}


class NoneAsSum(Swapped):
    other = {"none": "sum"}


class ReductionIgnored(Swapped):
    other = dict.fromkeys(("sum", "sub", "prod", "min", "max"), "none")


class SubTurnedRound(Mutant):
    def combine(self, x, u, reduction):
        return super().combine(u, x, reduction) if reduction == "sub" else super().combine(x, u, reduction)


class BoolSumAsXor(Mutant):
    def combine(self, x, u, reduction):
        return x ^ u if x.dtype == bool and reduction == "sum" else super().combine(x, u, reduction)


class BoolSubAsOr(Mutant):
    def combine(self, x, u, reduction):
        return x | u if x.dtype == bool and reduction == "sub" else super().combine(x, u, reduction)


class Through(Mutant):
    """All elements of some dtypes pass through another one."""
    other = {}

    def combine(self, x, u, reduction):
        other = self.other.get(x.dtype.name)
        if other is None:
            return super().combine(x, u, reduction)
        return super().combine(x.astype(other), u.astype(other), reduction).astype(x.dtype)


class Int64ThroughFloat64(Through):
    other = {"int64": np.float64, "uint64": np.float64}


class Int64ThroughInt32(Through):
    other = {"int64": np.int32, "uint64": np.int32}


class Uint32AsSigned(Through):
    other = {"uint32": np.int32}


class Uint64AsSigned(Through):
    other = {"uint64": np.int64}


class Float64ThroughFloat32(Through):
    other = {"float64": np.float32}


class Float32SumsInFloat16(Through):
    other = {"float32": np.float16}


class Float16Rounded(Mutant):
    """Rounded once more after each step: to fewer bits than float16 has."""

    def combine(self, x, u, reduction):
        result = np.array(super().combine(x, u, reduction))
        if x.dtype != np.float16 or reduction not in ("sum", "sub", "prod"):
            return result
        return ((bits(result) + np.uint16(1)) & np.uint16(0xFFFE)).view(np.float16).reshape(result.shape)


class Truncated(Mutant):
    """Steps round towards zero."""
    name_of = "float16"

    def combine(self, x, u, reduction):
        if x.dtype.name != self.name_of or reduction not in ("sum", "sub", "prod"):
            return super().combine(x, u, reduction)
        wide = WIDER[self.name_of]
        exact = super().combine(x.astype(wide), u.astype(wide), reduction)
        result = exact.astype(x.dtype)
        return np.where(abs(result.astype(wide)) > abs(exact), np.nextafter(result, np.zeros_like(result)), result)


class TruncatedFloat32(Truncated):
    name_of = "float32"


class Saturated(Mutant):
    """Integer sums that stop at the limits."""

    def combine(self, x, u, reduction):
        if x.dtype.kind not in "iu" or reduction not in ("sum", "sub") or x.itemsize > 4:
            return super().combine(x, u, reduction)
        limits = np.iinfo(x.dtype)
        exact = super().combine(x.astype(np.int64), u.astype(np.int64), reduction)
        return np.clip(exact, limits.min, limits.max).astype(x.dtype)


class OverflowToLargest(Mutant):
    def combine(self, x, u, reduction):
        result = super().combine(x, u, reduction)
        if not is_float(x) or reduction not in ("sum", "sub", "prod"):
            return result
        largest = np.finfo(x.dtype).max
        return np.where(np.isinf(result), np.copysign(largest, result), result).astype(x.dtype)


class NegativeZeroLost(Mutant):
    def combine(self, x, u, reduction):
        result = super().combine(x, u, reduction)
        return result + np.zeros_like(result) if is_float(x) else result


class SignallingNanQuieted(Mutant):
    """float16 that is moved by way of float32."""

    def quieted(self, x):
        quiet = np.where(np.isnan(x), np.uint16(0x200), np.uint16(0)) if x.dtype == np.float16 else None
        return x.copy() if quiet is None else (bits(x) | quiet).view(np.float16)

    def updates(self, updates):
        return self.quieted(updates)

    def output(self, data):
        return self.quieted(data)


class MinMaxPropagatesNan(Mutant):
    policy = {"nan": "propagate"}

    def combine(self, x, u, reduction):
        if reduction in ("min", "max") and is_float(x):
            kept = super().combine(x, u, reduction)
            return np.where(np.isnan(x) | np.isnan(u), x.dtype.type(np.nan), kept)
        return super().combine(x, u, reduction)


class MinMaxIgnoresNan(Mutant):
    policy = {"nan": "ignore"}

    def combine(self, x, u, reduction):
        if reduction in ("min", "max") and is_float(x):
            return np.where(np.isnan(x), u, super().combine(x, u, reduction))
        return super().combine(x, u, reduction)


class LastAfterNan(Mutant):
    """max as x > u ? x : u, which a NaN resets."""

    def combine(self, x, u, reduction):
        if reduction in ("min", "max"):
            return np.where(x < u if reduction == "min" else x > u, x, u)
        return super().combine(x, u, reduction)


class SubnormalsFlushed(Mutant):
    policy = {"ftz": True}

    def flushed(self, x):
        return np.where(abs(x) < np.finfo(x.dtype).smallest_normal, np.copysign(np.zeros_like(x), x), x)

    def combine(self, x, u, reduction):
        if not is_float(x) or reduction not in ("sum", "sub", "prod"):
            return super().combine(x, u, reduction)
        return self.flushed(super().combine(self.flushed(x), self.flushed(u), reduction))


class FlatBoundCheck(Mutant):
    def in_range(self, place, shape):
        return 0 <= self.flat(place, shape) < int(np.prod(shape))

    def flat(self, place, shape):
        return sum(int(i) * int(np.prod(shape[axis + 1:])) for axis, i in enumerate(place))

    def place(self, entry, shape, negative):
        place = super().place(entry, shape, negative)
        return tuple(int(i) for i in np.unravel_index(self.flat(place, shape), shape)) if shape else place


class FirstDimensionForAll(Mutant):
    def wrapped(self, i, axis, shape):
        return i + shape[0] if i < 0 else i


class FirstDimensionBounds(Mutant):
    """Each index is checked against the size of axis 0, and clipped where it would leave its own."""

    def place(self, entry, shape, negative):
        place = tuple(self.wrapped(i, axis, shape) if negative else i for axis, i in enumerate(entry))
        if not all(0 <= i < shape[0] for i in place):
            raise Refused(place)
        return tuple(min(i, size - 1) for i, size in zip(place, shape))


class NegativeNotWrapped(Mutant):
    def wrapped(self, i, axis, shape):
        return max(i, 0)


class NegativeByOneMore(Mutant):
    def wrapped(self, i, axis, shape):
        return max(i + shape[axis] - 1, 0) if i < 0 else i


class Clipped(Mutant):
    def place(self, entry, shape, negative):
        return tuple(min(max(self.wrapped(i, a, shape), 0), max(shape[a] - 1, 0)) for a, i in enumerate(entry))


class WrappedModulo(Mutant):
    def place(self, entry, shape, negative):
        return tuple(int(i) % max(shape[a], 1) for a, i in enumerate(entry))


class PastTheEnd(Mutant):
    """The index that equals the size is let in."""

    def in_range(self, place, shape):
        return all(0 <= i <= size for i, size in zip(place, shape))

    def place(self, entry, shape, negative):
        return tuple(min(i, max(size - 1, 0)) for i, size in zip(super().place(entry, shape, negative), shape))


class OffByOne(Mutant):
    def place(self, entry, shape, negative):
        return tuple((i + 1) % size for i, size in zip(super().place(entry, shape, negative), shape))


class LastAxisIgnored(Mutant):
    def place(self, entry, shape, negative):
        place = super().place(entry, shape, negative)
        return place[:-1] + (0,) if place else place


class IndicesTurnedRound(Mutant):
    def place(self, entry, shape, negative):
        return super().place(entry[::-1], shape, negative)


class IndicesAsInt32(Mutant):
    def indices(self, indices):
        return indices.astype(np.int32).astype(object)


class IndicesAsInt8(Mutant):
    def indices(self, indices):
        return indices.astype(np.int8).astype(object)


class FortranReadAsC(Mutant):
    def updates(self, updates):
        return updates.ravel(order="F").reshape(updates.shape)


class UpdatesTurnedRound(Mutant):
    def updates(self, updates):
        return np.flip(updates)


class OneUpdateForAll(Mutant):
    """The first block is broadcast."""

    def updates(self, updates):
        return updates if updates.ndim == 0 or 0 in updates.shape else np.broadcast_to(updates[:1], updates.shape)


class OutputNotCopied(Mutant):
    def output(self, data):
        return np.zeros_like(data)


class OutputOfLastRun(Mutant):
    """Untouched elements are those of a buffer that was used before."""

    def output(self, data):
        return np.roll(data, 1)


class AxisZeroAlways(Mutant):
    def axis(self, axis, rank):
        return 0


class NegativeAxisByOne(Mutant):
    def axis(self, axis, rank):
        return max(axis + rank - 1, 0) if axis < 0 else axis


class StopInclusive(Mutant):
    def span(self, start, stop, step, size):
        return super().span(start, stop + (1 if step > 0 else -1), step, size)


class StepIgnored(Mutant):
    def span(self, start, stop, step, size):
        return super().span(start, stop, 1 if step > 0 else -1, size)


class StepBackwardsAsForwards(Mutant):
    def span(self, start, stop, step, size):
        return super().span(start, stop, step, size) if step > 0 else sorted(super().span(start, stop, step, size))


class StartFromTheEndIgnored(Mutant):
    def span(self, start, stop, step, size):
        return super().span(max(start, 0), stop, step, size)


class StartIgnored(Mutant):
    def span(self, start, stop, step, size):
        length = len(super().span(start, stop, step, size))
        return range(0, size, abs(step))[:length]


class BoundsNotClamped(Mutant):
    def span(self, start, stop, step, size):
        span = range(start + size if start < 0 else start, stop + size if stop < 0 else stop, step)
        if len(span) > size:
            raise Refused(span)
        return span


class BoundsAsInt32(Mutant):
    def span(self, start, stop, step, size):
        narrow = [(value + 2**31) % 2**32 - 2**31 for value in (start, stop, step)]
        if narrow[2] == 0:
            raise Refused(narrow)
        return super().span(*narrow, size)


def descendants(kind):
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


def names(kind):
    """FirstWins -> first wins."""
    return "".join(" " + c.lower() if c.isupper() else c for c in kind.__name__).strip()


def generate(tscatter, directory, seed):
    dtypes = [word for dtype in DTYPES for word in ("--dtype", dtype)]
    floats = [word for dtype in WIDER for word in ("--dtype", dtype)]
    reductions = [word for reduction in ("sum", "sub", "prod", "min", "max") for word in ("--reduction", reduction)]
    suites = [["ScatterNDUpdate-15", "--count", "400", "--errors", *dtypes],
              ["ScatterNDUpdate-15", "--count", "150", "--duplicates", "heavy", *floats, *reductions],
              ["ScatterNDUpdate-3", "--count", "80", "--errors", *dtypes],
              ["ScatterUpdate-3", "--count", "100", "--errors", *dtypes],
              ["SliceScatter-15", "--count", "100", *dtypes]]
    for words in suites:
        words += ["--max-elements", "700"]
    suites.append(["SliceScatter-15", "--count", "4", "--dtype", "float16", "--values", "full"])  # all 65536 patterns
    for number, words in enumerate(suites):
        suite = directory / f"suite-{number}"
        subprocess.run([tscatter, "generate", *words, "--seed", seed, "-o", suite], check=True)
        for text in (suite / "cases.jsonl").read_text().splitlines():
            if not text.startswith("#"):
                yield {"directory": suite, **json.loads(text)}


def loaded(line):
    keys = line.keys() - NOT_OPERANDS - {"directory"}
    return {key: np.load(line["directory"] / line[key]) for key in keys}


def outcome(runtime, line, operands):
    """The array, or None for a refusal."""
    try:
        with np.errstate(all="ignore"):
            return runtime.run(line, operands)
    except (Refused, ValueError, IndexError, OverflowError):
        return None


def is_index_error(line):
    return line.get("expected_error", "").endswith(".c4") and line["op"] != "SliceScatter-15"


def name_of(line):
    return f"{line['directory'].name}/{line['name']}"


class Suite:
    def __init__(self, tscatter, directory, seed):
        self.tscatter, self.directory = tscatter, directory
        cases = [(line, loaded(line)) for line in generate(tscatter, directory, seed)
                 if "expected" in line or is_index_error(line)]
        self.cases = [(line, operands, np.load(line["directory"] / line["expected"])) for line, operands in cases
                      if "expected" in line]
        self.broken = [(line, operands) for line, operands in cases if "expected" not in line]

    def differing(self, kind):
        """Cases and results that are not the bytes of the golden one."""
        for line, operands, expected in self.cases:
            actual = outcome(kind(), line, operands)
            if actual is None or bits(actual).tobytes() != bits(expected).tobytes():
                yield line, actual

    def job(self, line, actual, policy):
        path = self.directory / "actual" / line["directory"].name / f"{line['name']}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, actual)
        operands = {key: str(line["directory"] / line[key]) for key in line.keys() - NOT_OPERANDS - {"directory"}}
        reduction = {"reduction": line["reduction"]} if "reduction" in line else {}
        return {"name": name_of(line), "op": line["op"], **operands, **reduction, **policy, "actual": str(path)}

    def not_legal(self, differing, policy):
        """The names that verify calls not legal, in the order of the cases."""
        jobs = [self.job(line, actual, policy) for line, actual in differing if actual is not None]
        if not jobs:
            return []
        batch = self.directory / "batch.jsonl"
        batch.write_text("".join(json.dumps(job) + "\n" for job in jobs))
        ended = subprocess.run([self.tscatter, "batch", batch, "--json"], capture_output=True, text=True)
        results = [json.loads(text) for text in ended.stdout.splitlines()]
        results = {result["name"]: result for result in results if "state" in result}
        assert len(results) == len(jobs) and ended.returncode in (0, 1), ended.stderr
        failed = [result for result in results.values() if result["state"] == "failed"]
        assert all("not legal" in result["message"] for result in failed), failed[:1]
        return [job["name"] for job in jobs if results[job["name"]]["state"] == "failed"]


def check_reference(suite):
    """The same bytes as tscatter's but for NaN, which sum, sub and prod leave with other bits."""
    for line, operands, expected in suite.cases:
        actual = outcome(Reference(), line, operands)
        assert actual is not None and actual.shape == expected.shape, line["name"]
        same = bits(actual) == bits(expected)
        assert (same | (actual != actual) & (expected != expected)).all(), line["name"]
    for line, operands in suite.broken:
        assert outcome(Reference(), line, operands) is None, line["name"]


def check_right(suite, kind):
    differing = list(suite.differing(kind))
    assert all(actual is not None for _, actual in differing), names(kind)
    failed = suite.not_legal(differing, kind.policy)
    print(f"{'legal' if not failed else 'NOT LEGAL':9}  {len(differing):4} differ  {names(kind)}  {failed[:1] or ''}")
    return not failed


def check_mutant(suite, kind):
    differing = list(suite.differing(kind))
    wrong = suite.not_legal(differing, {})
    refused = [name_of(line) for line, actual in differing if actual is None]
    computed = [name_of(line) for line, operands in suite.broken if outcome(kind(), line, operands) is not None]
    caught = wrong + computed + refused
    print(f"{'caught' if caught else 'NOT CAUGHT':10} {names(kind):26} {len(wrong):4} not legal {len(computed):4} computed "
          f"{len(refused):4} refused  {caught[0] if caught else ''}")
    if not kind.policy:
        return bool(caught)
    allowed = suite.not_legal(differing, kind.policy)
    print(f"{'legal' if not allowed else 'NOT LEGAL':10} with {kind.policy}  {allowed[:1] or ''}")
    return bool(caught) and not allowed


def main():
    tscatter, directory = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    suite = Suite(tscatter, directory, sys.argv[3] if len(sys.argv) > 3 else "11")
    print(f"{len(suite.cases)} legal cases, {len(suite.broken)} with a wrong index")
    check_reference(suite)
    right = [kind for kind in Reference.__subclasses__() if kind is not Mutant]
    mutants = [kind for kind in descendants(Mutant) if kind not in (Swapped, Through)]
    passed = [check_right(suite, kind) for kind in right] + [check_mutant(suite, kind) for kind in mutants]
    print(f"{sum(passed)} of {len(passed)} as they should be: {len(right)} right, {len(mutants)} wrong")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
