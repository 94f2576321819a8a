"""Testing another implementation of an operation: random cases, the verdict, and the smallest case that still fails.

    def mine(data, indices, updates, reduction="none"):
        …
    tscatter.testing.run_suite("ScatterNDUpdate-15", mine, count=200, reduction="sum")
"""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _arrays, _calls, _library, generate, operations, verify
from ._python_text import NoText, value_text
from ._shrink import shrink
from .errors import Error, NotLegal

__all__ = ["Case", "run_suite"]

_ABOUT_THE_CASE = {"op", "name", "expected", "expected_error", "comment", "tags", "dtype"}
_NAN_OF_VERIFY = ("text", "propagate", "ignore", "any")  # other words are those of the policy nan
_GENERATE = {"dtype", "index_dtype", "reduction", "duplicates", "values", "max_rank", "max_elements", "depth", "plain"}


def _row(operation):
    """Of the table of operations; an empty one for a name that only the library knows."""
    return getattr(operations().get(operation), "row", {"operands": [], "attributes": []})


def _names(each):
    """Of an operand or an attribute."""
    return (each["name"], *each["aliases"])


class Case:
    """One call: its operation, its tensors as arrays, its attributes.

    index: the items of an index, if the operation has one; a word among them is the name of a tensor.
    """

    def __init__(
        self, operation: str, tensors: dict[str, np.ndarray], attributes: dict[str, Any], name: str = "", index: tuple[Any, ...] = ()
    ) -> None:
        self.operation = operation
        self.tensors = tensors
        self.attributes = attributes
        self.name = name
        self.index = index

    def arguments(self) -> dict[str, Any]:
        tensors = {name: array for name, array in self.tensors.items() if name not in self._items()}
        if self.index:
            own = next((each["name"] for each in _row(self.operation)["operands"] if each["role"] == "index"), "index")
            tensors[own] = tuple(self.tensors[item] if isinstance(item, str) else item for item in self.index)
        return {**tensors, **self.attributes}

    def keywords(self) -> dict[str, Any]:
        """The arguments as a function takes them: one of PyTorch has no word for no reduction, and `value` for a src of rank 0."""
        given = self.arguments()
        if not self.operation.startswith("torch."):
            return given
        if self.operation == "torch.scatter" and given["src"].ndim == 0:
            given["value"] = given.pop("src").item()
        if given.get("reduce") == "none":
            del given["reduce"]
        return given

    def with_tensors(
        self, tensors: dict[str, np.ndarray], attributes: dict[str, Any] | None = None, index: tuple[Any, ...] | None = None
    ) -> Case:
        attributes = self.attributes if attributes is None else attributes
        return Case(self.operation, tensors, attributes, self.name, self.index if index is None else index)

    def word(self, name: str) -> str:
        """What the case calls an operand or attribute, which has this name in most operations: "index" for "indices"."""
        row = _row(self.operation)
        for each in row["operands"] + row["attributes"]:
            if name in _names(each):
                return next((word for word in _names(each) if word in self.tensors or word in self.attributes), name)
        return name

    def is_required(self, attribute: str) -> bool:
        return not any(attribute in _names(each) and not each["required"] for each in _row(self.operation)["attributes"])

    def _items(self) -> list[str]:
        return [item for item in self.index if isinstance(item, str)]

    def indices(self) -> list[str]:
        """The tensors that have positions."""
        return self._items() or [name for name in (self.word("indices"),) if name in self.tensors]

    def python(self, actual: Any = None) -> str:
        """The case as a few lines of Python."""
        lines = ["import numpy as np", "from numpy import inf, nan", "import tscatter", ""]
        lines += [_assignment(name, array) for name, array in self.tensors.items()]
        if actual is not None:
            lines.append(_assignment("actual", actual))
        if any("ml_dtypes." in line for line in lines):
            lines.insert(1, "import ml_dtypes")
        arguments = ", ".join(self._words())
        if lines[-1].startswith("actual = "):
            return "\n".join(lines + [f'tscatter.assert_legal(actual, "{self.operation}", {arguments})'])
        return "\n".join(lines + [f'tscatter.apply("{self.operation}", {arguments})'])

    def _words(self) -> Iterator[str]:
        """The arguments as Python."""
        yield from (f"{name}={name}" for name in self.tensors if name not in self._items())
        if self.index:
            items = ", ".join(item if isinstance(item, str) else repr(item) for item in self.index)
            yield f"index=({items},)"
        yield from (f"{name}={value!r}" for name, value in self.attributes.items())


def _assignment(name: str, value: Any) -> str:
    try:
        return f"{name} = {value_text(value)}"
    except NoText:
        return f"# {name} has no text: {type(value).__name__}"


class _Failure:
    """What a function made of a case that is not right."""

    def __init__(self, actual=None, verdict=None, error=None):
        self.actual = actual
        self.verdict = verdict
        self.error = error

    @property
    def kind(self):
        return type(self.error)

    def text(self, case, options):
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}\n\n{case.python(self.actual)}"
        tensors, rest = operations()[case.operation].split((), {**case.arguments(), **options}, "verify")
        words = _calls.words("verify", case.operation, {**tensors, "actual": self.actual}, rest)
        return f"{words}\n{case.python(self.actual)}"


def _failure(case, function, options):
    """None if the function's result is legal."""
    try:
        # The function gets copies: it may work in place.
        copies = case.with_tensors({name: array.copy() for name, array in case.tensors.items()})
        actual = function(**copies.keywords())
        if not isinstance(actual, (list, tuple, int, float)) and _arrays.view_of(actual) is None:
            raise TypeError(f"the function must return an array, got {type(actual).__name__}")
    except unittest.SkipTest:
        raise
    except Exception as error:  # whatever the function raises is its failure
        return _Failure(error=error)
    try:
        verdict = verify(actual, case.operation, **case.arguments(), **options)
    except Error as error:
        if error.place.lstrip("-") != "actual":
            raise
        return _Failure(actual, error=error)  # no result of this operation, whatever it is
    return None if verdict["legal"] else _Failure(actual, verdict)


def _array(folder, value, dtype):
    if not isinstance(value, str):
        return np.array(value, dtype=np.int64)
    return _arrays.with_dtype(np.load(os.path.join(folder, value)), dtype)


def _item(word):
    """An item of an index as Python has it."""
    if word in ("...", "None"):
        return ... if word == "..." else None
    numbers = [int(each) if each else None for each in str(word).split(":")]
    return slice(*numbers) if len(numbers) > 1 else numbers[0]


def _case(folder, line):
    row = operations()[line["op"]].row
    names = {name for operand in row["operands"] for name in _names(operand)}
    has_items = any(operand["role"] == "index" for operand in row["operands"])
    items = line.get("index", []) if has_items else []
    index = tuple(f"index{place}" if str(item).endswith(".npy") else _item(item) for place, item in enumerate(items))
    files = {n: v for n, v in line.items() if n in names and not (items and n == "index")}
    files.update({name: item for name, item in zip(index, items) if isinstance(name, str)})
    tensors = {name: _array(folder, value, line.get("dtype", "")) for name, value in files.items()}
    attributes = {n: v for n, v in line.items() if n not in names and n not in _ABOUT_THE_CASE}
    return Case(line["op"], tensors, attributes, line["name"], index)


def _cases(folder, lines):
    for line in lines:
        if line and not line.startswith("#"):
            yield _case(folder, json.loads(line))


def _sorted_out(operation, options):
    """(options of generate(), options of verify()). Each case has its policies.

    The reduction has any of its names in the operation.
    """
    reductions = {name: each["name"] for each in _row(operation)["attributes"] if each["type"] == "reduction" for name in _names(each)}
    flags = {each["key"]: each["name"] for function in operations().values() for each in function.row["policies"]}
    makes, judges = {}, {}
    for name, value in options.items():
        if name == "nan" and value not in _NAN_OF_VERIFY:
            makes[name] = value
        elif name in _GENERATE or name in flags or name in reductions:
            makes[reductions.get(name, flags.get(name, name))] = value
        else:
            judges[name] = value
    return makes, judges


def _require_known(operation, judges):
    flags = _library.flags("verify", operation)
    for name in judges:
        if name.replace("_", "-") not in flags:
            raise TypeError(f"run_suite() has no option {name!r}")


def run_suite(operation: Any, function: Callable[..., Any], count: int = 100, seed: int = 0, **options: Any) -> dict[str, int]:
    """Generates `count` cases, calls the function with arrays by the operation's own names (data=…, indices=…, updates=…,
    reduction=…; of PyTorch's input=…, dim=…, index=…, src=…), and verifies the results. An index is a tuple of items.

    The first result that is not legal, or the first exception, is shrunk to the smallest case that still fails, and raised as
    NotLegal with the verdict and the case as Python. unittest.SkipTest from the function passes over a case.

    options: of generate() (dtype, index_dtype, reduction, duplicates, values, max_rank, max_elements, depth, plain), of verify() (nan, ftz,
    nan_bits, zeros, blocks), and policies, which the function is given, too (the one of min and max as extremes). Returns {"cases": …, "skipped": …}.
    """
    name = _calls.operation_name(operation)
    makes, judges = _sorted_out(name, options)
    _require_known(name, judges)
    skipped = 0
    with tempfile.TemporaryDirectory(prefix="tscatter") as folder:
        path = generate(operation, folder, count=count, seed=seed, **makes)
        lines = path.read_text().splitlines()
        for case in _cases(folder, lines):
            try:
                failure = _failure(case, function, judges)
            except unittest.SkipTest:
                skipped += 1
                continue
            if failure is not None:
                _raise_smallest(case, failure, function, judges)
    return {"cases": count, "skipped": skipped}


def _raise_smallest(case, failure, function, judges):
    found = [failure]

    def still_fails(smaller):
        try:
            again = _failure(smaller, function, judges)
        except unittest.SkipTest:
            return False
        if again is None or again.kind is not failure.kind:
            return False
        found[0] = again
        return True

    smallest = shrink(case, still_fails)
    text = found[0].text(smallest, judges)
    raise NotLegal(f"{case.name} fails; the smallest case that still does:\n\n{text}", found[0].verdict) from found[0].error
