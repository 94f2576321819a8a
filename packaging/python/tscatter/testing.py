"""Testing a kernel: random cases of an operation, the verdict on what it makes of them, and the smallest case that fails.

    @pytest.mark.parametrize("case", tscatter.testing.cases("torch.scatter_add", count=200, arrays="torch"))
    def test_my_scatter_add(case):
        case.check(my_scatter_add(case.input, case.dim, case.index, case.src))

    tscatter.testing.run_suite("torch.scatter_add", my_scatter_add, count=200, arrays="torch")    # without pytest
"""

from __future__ import annotations

import collections
import difflib
import importlib.util
import json
import numbers
import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from . import _arrays, _calls, _words, generate, operations
from ._cases import SECONDS_TO_SHRINK, Case, Failure, names_of, row_of, skips
from .errors import NotLegal

__all__ = ["Case", "SuiteResult", "cases", "run_suite"]

_ABOUT_THE_CASE = {"op", "name", "expected", "expected_error", "comment", "tags", "dtype"}
_NARROWS = ("dtype", "index_dtype", "reduction", "duplicates", "values", "max_rank", "max_elements", "depth", "plain")
_JUDGES = ("nan", "ftz", "nan_bits", "zeros", "blocks", "policy")
_MOST_TURNS = 64  # so many times as many cases are made to find those that are wanted
_MOST_REASONS = 5  # that are shown with a smallest case


def cases(
    operation: Any,
    count: int = 100,
    seed: int = 0,
    *,
    witness: bool = False,
    large: bool = False,
    errors: bool = False,
    ranks: int | Iterable[int] | None = None,
    arrays: str | Callable[[np.ndarray], Any] | None = None,
    **options: Any,
) -> list[Case]:
    """`count` random cases of an operation, the same for the same seed. As the values of pytest.mark.parametrize each is an item
    with a name of its own, like f16-amax-heavy-axis1-00042.

    witness, large: the operation's witness set or large set instead (docs/generate.md). errors: and as many cases that break one
    rule each, which run() wants to be refused. ranks: of data, one or several. arrays: what makes an array of the function's
    library from one of NumPy, like jax.numpy.asarray; "torch" shares the memory, and takes bfloat16, too.

    options: of generate() (dtype, index_dtype, duplicates, values, max_rank, max_elements, depth, plain; index_dtype is int64 unless it
    is given, and "any" for all); an attribute of the operation (include_self=False, dim=1; of the reduction several in a list); policies
    (oob, negative, extremes, …), which say what the function does; and of verify() (nan, ftz, nan_bits, zeros, blocks).
    """
    name = _calls.operation_name(operation)
    makes, pins, judges = _sorted_out(name, options)
    _require_booleans(witness=witness, large=large, errors=errors)
    if witness or large:
        special = _set_alone("witness" if witness else "large", {**makes, "count": count != 100, "seed": seed != 0, "large": witness and large})
    else:
        special = {"count": count, "seed": seed, **({"errors": True} if errors else {})}
        if _has_indices(name):
            makes.setdefault("index_dtype", "int64")
    if makes.get("index_dtype") == "any":
        del makes["index_dtype"]
    wanted = _Wanted(pins, _ranks(ranks, {} if witness or large else makes), errors, is_any_dtype=makes.get("dtype") is None)
    made = _made(name, {**makes, **special}, wanted, count)
    for case in made:
        case._options, case._arrays = judges, _maker(arrays)
    return made


class SuiteResult:
    """What run_suite() found.

    cases: so many ran. skipped: how many were passed over, by the reason. classes: the elements of all results, as verify() counts
    them. largest_share: of an error bound that a rounded element used, at most 1. hidden_updates: elements of sums whose bound
    exceeds an update, so that its loss would not be seen (values="exact" shows it). refused: broken cases that the function refused.
    failures: (case, what is wrong). stopped: why not all ran, or None. seconds: how long it took.
    """

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.cases = 0
        self.refused = 0
        self.skipped: collections.Counter[str] = collections.Counter()
        self.classes: collections.Counter[str] = collections.Counter()
        self.largest_share = 0.0
        self.hidden_updates = 0
        self.failures: list[tuple[Case, str]] = []
        self.stopped: str | None = None
        self.seconds = 0.0

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        failed = f"{len(self.failures)} not right" if self.failures else "all right"
        parts = [f"{_counted(self.cases, 'case')} of {self.operation}, {failed}"]
        parts += [f"{_counted(self.refused, 'broken case')} refused"] if self.refused else []
        parts += [f"{number} skipped ({reason})" for reason, number in self.skipped.items()]
        elements = ", ".join(f"{number} {word}" for word, number in self.classes.items() if number)
        parts += [f"elements: {elements}"] if elements else []
        parts += [f"largest share of a bound: {self.largest_share:.2g}"] if self.largest_share else []
        parts += [f"in {_counted(self.hidden_updates, 'element')} the bound exceeds an update"] if self.hidden_updates else []
        return "; ".join(parts + ([self.stopped] if self.stopped else []))

    def _add(self, case: Case, failure: Failure | None, verdict: Any) -> None:
        self.cases += 1
        if failure is not None:
            self.failures.append((case, failure.first_line + (f" (why: {failure.why})" if failure.why else "")))
        elif case.rule is not None:
            self.refused += 1
        if verdict is not None:
            self.classes.update(verdict["classes"])
            self.hidden_updates += verdict["hidden_updates"]
            self.largest_share = max(self.largest_share, float(verdict["largest_share"]))


def run_suite(
    operation: Any,
    function: Callable[..., Any],
    count: int = 100,
    seed: int = 0,
    *,
    failures: str = "first",
    shrink: bool = True,
    seconds: float | None = None,
    **options: Any,
) -> SuiteResult:
    """Calls the function with the arguments of `count` random cases by the operation's own names (input=…, dim=…, index=…, src=…),
    and verifies what it returns, or what it left in data if it returns nothing.

    Raises NotLegal at the first failure, or after the last case ("all": a reason is told once), with the verdict, and with the
    smallest case that fails for the same reason, as Python (shrink=False: with the case as it is); its `result` is what is returned
    otherwise. An exception is a failure; unittest.SkipTest and pytest.skip() pass over a case; if all are passed over, the suite
    fails. seconds: no case is begun later.

    options: of cases().
    """
    __tracebackhide__ = True
    if failures not in ("first", "all"):
        raise ValueError(f"failures must be first or all, got {failures!r}")
    _require_booleans(shrink=shrink)
    if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
        raise ValueError(f"seconds must be a number above 0, got {seconds!r}")
    result = SuiteResult(_calls.operation_name(operation))
    found: list[tuple[Case, Failure]] = []
    suite = cases(operation, count, seed, **options)
    begin = time.monotonic()
    for number, case in enumerate(suite):
        if seconds is not None and time.monotonic() - begin > seconds:
            result.stopped = f"stopped after {seconds} s, with {len(suite) - number} of {len(suite)} cases left"
            break
        try:
            failure, verdict = case.outcome(function, {})
        except skips() as reason:
            result.skipped[str(reason) or type(reason).__name__] += 1
            continue
        result._add(case, failure, verdict)
        if failure is not None:
            found.append((case, failure))
            if failures == "first":
                break
    result.seconds = time.monotonic() - begin
    if found:
        raise _not_legal(result, found, function, shrink) from found[0][1].error
    if not result.cases:
        raise AssertionError(f"a suite must run at least one case, got {result}")
    return result


def _not_legal(result: SuiteResult, found: list[tuple[Case, Failure]], function: Callable[..., Any], shrink: bool) -> NotLegal:
    """One reason after the other, each with one case of it, the smallest."""
    by_reason: dict[str, list[tuple[Case, Failure]]] = {}
    for each in found:
        by_reason.setdefault(each[1].reason, []).append(each)
    shown = list(by_reason.values())[:_MOST_REASONS]
    seconds = SECONDS_TO_SHRINK / len(shown) if shrink else 0
    texts = []
    for some in shown:
        others = f" and {_counted(len(some) - 1, 'other case')}" if len(some) > 1 else ""
        case, failure = some[0]
        texts.append(f"{case.name}{others}: {case.report(failure, function, {}, seconds)}")
    if len(by_reason) > len(shown):
        texts.append(f"and {_counted(len(by_reason) - len(shown), 'other reason')}")
    if len(found) > 1:
        texts.insert(0, str(result))
    return NotLegal("\n\n".join(texts), found[0][1].verdict, found[0][0], result)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def _require_booleans(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False, got {value!r}")


def _set_alone(name: str, others: dict[str, Any]) -> dict[str, Any]:
    """A set of cases that is not drawn."""
    for word, value in others.items():
        if value:
            raise ValueError(f"{word} is for random cases: leave it out beside {name}=True")
    return {name: True}


def _has_indices(operation: str) -> bool:
    return any(each["name"] in ("indices", "index") for each in row_of(operation)["operands"])


def _sorted_out(operation: str, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """(options of generate(), attributes that are given, options of verify())."""
    row = row_of(operation)
    named = {word: each for each in row["operands"] + row["attributes"] for word in names_of(each)}
    policies = {each["key"] for function in operations().values() for each in function.row["policies"]}
    makes: dict[str, Any] = {}
    pins: dict[str, Any] = {}
    judging: dict[str, Any] = {}
    for name, value in options.items():
        each = named.get(name, {})
        if each.get("type") == "reduction":
            makes[each["name"]] = _not_empty(name, value)
        elif each and each.get("role") not in ("data", "updates", "index", "mask") and name not in ("indices", "index"):
            if value is not None:  # its default
                pins[each["name"]] = _of_type(name, value, each)
        elif name in _NARROWS or name in policies:
            makes[name] = _not_empty(name, value)
        elif name in _JUDGES:
            _require_word(name, value)
            judging[name] = value
        else:
            raise TypeError(_unknown(operation, name, [*named, *_NARROWS, *policies, *_JUDGES]))
    return makes, pins, judging


def _not_empty(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple, set, frozenset)) and not value:
        raise ValueError(f"{name} must name at least one, got {value!r}")
    return value


def _of_type(name: str, value: Any, each: dict[str, Any]) -> Any:
    """The value of an attribute or of an axis; a text is none of a boolean or a number."""
    kind = each.get("type", "integer")
    is_boolean = isinstance(value, (bool, np.bool_))
    number = {"integer": numbers.Integral, "number": numbers.Number}.get(kind, ())
    takes_list = each.get("role") == "list" and isinstance(value, (list, tuple))
    is_word = kind == "word" and value in each["choices"]
    if takes_list or is_word or (is_boolean if kind == "boolean" else isinstance(value, number) and not is_boolean):
        return value
    words = {"boolean": "True or False", "integer": "an integer", "number": "a number"}
    wanted = words.get(kind, "one of " + ", ".join(each.get("choices", ())))
    raise TypeError(f"{name} must be {wanted}, got {value!r}")


def _require_word(name: str, value: Any) -> None:
    words = _words.words_of_flag(name)
    if words and value is not None and value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}")


def _unknown(operation: str, name: str, words: list[str]) -> str:
    nearest = difflib.get_close_matches(name, words, 1)
    hint = f" (nearest: {nearest[0]})" if nearest else ""
    return f"a suite of {operation} got an unexpected keyword argument {name!r}{hint}"


def _ranks(ranks: int | Iterable[int] | None, makes: dict[str, Any]) -> frozenset[int] | None:
    if ranks is None:
        return None
    wanted = frozenset([ranks] if isinstance(ranks, int) else ranks)
    if not wanted or min(wanted) > makes.setdefault("max_rank", max(wanted, default=0)):
        raise ValueError(f"ranks must have one that is at most max_rank, got {sorted(wanted)}")
    return wanted


class _Wanted:
    """Which of the generated cases are taken, and with which attributes."""

    def __init__(self, pins: dict[str, Any], ranks: frozenset[int] | None, errors: bool, is_any_dtype: bool) -> None:
        self.pins = pins
        self.ranks = ranks
        self.errors = errors
        # NumPy alone has no bfloat16: who asks for it must have ml_dtypes, who asks for all dtypes gets those that are there.
        self.is_without_extensions = is_any_dtype and importlib.util.find_spec("ml_dtypes") is None

    def may_take(self, line: dict[str, Any]) -> bool:
        """By the words of a case's name, before its arrays are read."""
        if "expected_error" in line and not self.errors:  # of a witness set
            return False
        if self.is_without_extensions and _arrays.is_extension_name(line.get("dtype", "")):
            return False
        rank = re.search(r"-rank-(\d+)", line["name"])
        return self.ranks is None or rank is None or "expected_error" in line or int(rank[1]) in self.ranks

    def taken(self, case: Case) -> Case | None:
        """The case with the attributes; None if it is not wanted, or would not be legal with them."""
        if case.rule is not None:
            return case
        if self.ranks is not None and not case.makes_data() and case.tensors[case.word("data")].ndim not in self.ranks:
            return None
        for word in self.pins:
            case.name = re.sub(rf"-{'axis' if word == 'dim' else word}-?[^-]+(-negative-axis)?(-axis-as-list)?", "", case.name)
        return case if all(self._has(case, word, value) for word, value in self.pins.items()) else self._changed(case)

    def _has(self, case: Case, word: str, value: Any) -> bool:
        given = {**case.tensors, **case.attributes}
        return word in given and bool(np.array_equal(given[word], value))

    def _changed(self, case: Case) -> Case | None:
        tensors = {word: np.asarray(value) for word, value in self.pins.items() if word in case.tensors}
        attributes = {word: value for word, value in self.pins.items() if word not in case.tensors}
        changed = case.with_tensors({**case.tensors, **tensors}, {**case.attributes, **attributes})
        return changed if changed.is_valid() else None


class _Folder:
    """A directory that is removed when nothing needs its files any more."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="tscatter-")
        weakref.finalize(self, shutil.rmtree, self.path, True)


def _made(operation: str, options: dict[str, Any], wanted: _Wanted, count: int) -> list[Case]:
    """More are made until there are enough that are wanted."""
    turns = 1
    while True:
        if "count" in options:
            options["count"] = count * turns
        folder = _Folder()
        path = generate(operation, folder.path, **options)
        found = [case for case in map(wanted.taken, _read(folder, path, wanted)) if case is not None]
        legal, broken = [case for case in found if case.rule is None], [case for case in found if case.rule is not None]
        if len(legal) >= count or "count" not in options or turns >= _MOST_TURNS:
            break
        turns *= 4
    if not legal:
        given = ", ".join(f"{word}={value!r}" for word, value in wanted.pins.items())
        given += f"{', ' if given else ''}ranks={sorted(wanted.ranks)}" if wanted.ranks else ""
        raise ValueError(f"no case of {operation} among {count * turns} has {given}")
    return legal[:count] + broken[:count] if "count" in options else found


def _read(folder: _Folder, path: Any, wanted: _Wanted) -> Iterator[Case]:
    lines = (json.loads(line) for line in path.read_text().splitlines() if line and not line.startswith("#"))
    yield from (_case(folder, line) for line in lines if wanted.may_take(line))


def _case(folder: _Folder, line: dict[str, Any]) -> Case:
    row = row_of(line["op"])
    names = {name for operand in row["operands"] for name in names_of(operand)}
    has_items = any(operand["role"] == "index" for operand in row["operands"])
    own = next((operand["name"] for operand in row["operands"] if operand["role"] == "index"), "index")
    given = line.get(own, line.get("index", [])) if has_items else []
    items = tuple(f"index{place}" if str(item).endswith(".npy") else _item(item) for place, item in enumerate(given))
    files = {n: v for n, v in line.items() if n in names and not (items and n in (own, "index"))}
    files.update({name: item for name, item in zip(items, given) if isinstance(name, str)})
    tensors = {name: _array(folder.path, value, line.get("dtype", "")) for name, value in files.items()}
    attributes = {n: v for n, v in line.items() if n not in names and n not in _ABOUT_THE_CASE}
    case = Case(line["op"], tensors, attributes, _readable(row["id"], line["name"]), items, line.get("expected_error"))
    if any(isinstance(array, np.memmap) for array in tensors.values()):
        case._folder = folder  # which lives as long as the case
    return case


def _readable(identity: str, name: str) -> str:
    """scatter_update_3-00042-f16-none-heavy-duplicates-axis-1-i64 -> f16-none-heavy-axis1-00042"""
    name = name.replace(identity + "-", "", 1)
    name = re.sub(r"^(error-)?(\d+)-(.*)$", r"\1\3-\2", name)
    name = re.sub(r"-(rank|axis|depth)-(\d+)", r"-\1\2", name).replace("-duplicates", "")
    return re.sub(r"-i64(-\d+)?$", r"\1", name)


def _array(folder: str, value: Any, dtype: str) -> np.ndarray:
    if not isinstance(value, str):
        return np.array(value, dtype=np.int64)
    path = os.path.join(folder, value)
    is_large = os.path.getsize(path) > 1 << 28
    return _arrays.with_dtype(np.load(path, mmap_mode="c" if is_large else None), dtype)


def _item(word: Any) -> Any:
    """An item of an index as Python has it."""
    if word in ("...", "None"):
        return ... if word == "..." else None
    numbers = [int(each) if each else None for each in str(word).split(":")]
    return slice(*numbers) if len(numbers) > 1 else numbers[0]


def _maker(arrays: Any) -> Callable[[np.ndarray], Any] | None:
    if arrays == "torch":
        return _torch_array
    if arrays is not None and not callable(arrays):
        raise ValueError(f"arrays must be a function or 'torch', got {arrays!r}")
    return arrays


def _torch_array(array: np.ndarray) -> Any:
    """A tensor of PyTorch over the array's memory."""
    import torch

    if array.dtype.type.__module__.partition(".")[0] != "ml_dtypes":
        return torch.from_numpy(array)
    bits = torch.from_numpy(array.view(f"u{array.itemsize}"))
    return bits.view(getattr(torch, array.dtype.name))
