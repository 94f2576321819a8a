"""A case: one call of an operation with its tensors, and whether what a function made of it is legal."""

from __future__ import annotations

import difflib
import os
import re
import sys
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _arrays, _calls, apply, operations, verify
from ._python_text import assignments
from ._shrink import shrink
from .errors import Error, NotLegal


def row_of(operation: str) -> dict[str, Any]:
    """Of the table of operations; an empty one for a name that only the library knows."""
    return getattr(operations().get(operation), "row", {"operands": [], "attributes": [], "policies": []})


def names_of(each: dict[str, Any]) -> tuple[str, ...]:
    """Of an operand or an attribute."""
    return (each["name"], *each["aliases"])


def skips() -> tuple[type[BaseException], ...]:
    """What a function raises to pass over a case."""
    outcomes = sys.modules.get("_pytest.outcomes")
    return (unittest.SkipTest,) if outcomes is None else (unittest.SkipTest, outcomes.Skipped)


class Failure:
    """What a function made of a case that is not right: a result with its verdict, or an exception."""

    def __init__(self, actual: Any = None, verdict: Any = None, error: Exception | None = None, note: str = "") -> None:
        self.actual = actual
        self.verdict = verdict
        self.error = error
        self.note = note

    @property
    def first_line(self) -> str:
        if self.error is not None:
            return f"{type(self.error).__name__}: {self.error}"
        return str(self.verdict["summary"])

    @property
    def why(self) -> str:
        """What explains the wrong elements, as words; "" where nothing is known to."""
        named = _first_named(self.verdict)
        words = [each["words"] for each in named[:_MOST_NAMED]] + ([f"{len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else [])
        wrong = self.verdict["classes"]["wrong"] if named else 0
        share = f" (of {named[0]['elements']} of {wrong} wrong elements)" if named and named[0]["elements"] < wrong else ""
        return ", or ".join(words) + share

    @property
    def diagnosis(self) -> frozenset[str]:
        """The kinds of the explanations, without the places that they name; of an exception its type."""
        if self.error is not None:
            return frozenset([re.sub(r"[-+]?[0-9]+", "", self.first_line)])
        return frozenset(_kind(each) for each in _first_named(self.verdict))

    @property
    def reason(self) -> str:
        """The first of the kinds: of several failures those that have one reason."""
        return next(iter(self.diagnosis), "") if self.error is not None else next(map(_kind, _first_named(self.verdict)), "")

    def is_as(self, first: Failure) -> bool:
        """Whether nothing else explains it than the first one: a case too small is explained by every fault."""
        if type(self.error) is not type(first.error):
            return False
        return self.diagnosis <= first.diagnosis and bool(self.diagnosis) == bool(first.diagnosis)


SECONDS_TO_SHRINK = 20
_MOST_NAMED = 3  # explanations in a line


def _first_named(verdict: Any) -> list[dict[str, Any]]:
    named = (verdict or {}).get("diagnosis", {}).get("named", [])
    return [each for each in named if each["rank"] == 1]


def _kind(explanation: dict[str, Any]) -> str:
    """of "without indices[2, 0] to indices[2, 4]" and of "without indices[1]" the same"""
    kind = explanation["kind"].replace("entries", "entry")
    return kind if kind == "without-entry" else f"{kind}: {re.sub(r'[-+]?[0-9]+', '', explanation['words'])}"


class Case:
    """One call: its operation, its tensors, its attributes. The operation's own words are its members: case.data, case.dim, ….

    The arrays may be written to: each is a copy, the same one until check(), run(), or the next test of pytest. items: of an operation that has an index its
    items; a word among them is the name of a tensor. rule: the label of the rule that the case breaks, if it does.
    """

    def __init__(
        self,
        operation: str,
        tensors: dict[str, np.ndarray],
        attributes: dict[str, Any],
        name: str = "",
        items: tuple[Any, ...] = (),
        rule: str | None = None,
        options: dict[str, Any] | None = None,
        arrays: Callable[[np.ndarray], Any] | None = None,
    ) -> None:
        self.operation = operation
        self.tensors = tensors
        self.attributes = attributes
        self.name = name
        self.items = items
        self.rule = rule
        self._options = options or {}  # of verify()
        self._arrays = arrays
        self._given: dict[str, Any] | None = None
        self._test: str | None = None  # that has the arrays which were handed out

    def __repr__(self) -> str:
        return f"<case {self.name} of {self.operation}>"

    @property
    def __name__(self) -> str:
        """What pytest calls the item."""
        return self.name

    def __getattr__(self, word: str) -> Any:
        if not word.startswith("_"):
            given = self._present()
            if self.word(word) in given:
                return given[self.word(word)]
            nearest = difflib.get_close_matches(word, given, 1)
            hint = f"nearest: {nearest[0]}" if nearest else f"it has {', '.join(given)}"
            raise AttributeError(f"a case of {self.operation} has no {word} ({hint})")
        raise AttributeError(word)

    @property
    def arguments(self) -> dict[str, Any]:
        """The call as a function of the operation's library takes it: arrays, integers, tuples. The arrays are new ones.

        Policies are left out: they say what the function does. A function of PyTorch gets no word for no reduction, and `value` for
        a src of rank 0.
        """
        self.reset()
        return dict(self._present())

    def reset(self) -> None:
        """The next arrays are as generated, whatever was written into the last ones. So they are in each test of pytest."""
        self._given = None

    def _present(self) -> dict[str, Any]:
        """The arguments that were handed out last, in this test."""
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        if self._given is None or test != self._test:
            self._given, self._test = self._handed_out(), test
        return self._given

    def check(self, actual: Any = None, /, **options: Any) -> dict[str, Any]:
        """Raises NotLegal unless `actual` is legal; returns verify()'s report. Without `actual` (or None, what a function returns
        that works in place) the array of data is judged that the case has handed out. options: as of verify()."""
        __tracebackhide__ = True
        if self.rule is not None:
            raise ValueError(f"a case that breaks a rule has no legal result: use case.run(function), got {self._broken()}")
        if actual is None and self._given is None:
            raise ValueError("check() without a result needs an array that the case has handed out")
        failure, verdict = self._judged(actual, options)
        self.reset()
        if failure is not None:
            raise NotLegal(self.text(failure, options), failure.verdict, self) from failure.error
        return verdict

    def run(self, function: Callable[..., Any], /, **options: Any) -> dict[str, Any] | None:
        """Calls function(**arguments) and checks what it returns. Of a case that breaks a rule: that it raises; returns None then.

        NotLegal has the smallest case that fails for the same reason, which check() cannot look for.
        """
        __tracebackhide__ = True
        failure, verdict = self.outcome(function, options)
        if failure is not None:
            raise NotLegal(self.report(failure, function, options, SECONDS_TO_SHRINK), failure.verdict, self) from failure.error
        return verdict

    def report(self, failure: Failure, function: Callable[..., Any], options: dict[str, Any], seconds: float) -> str:
        """What is wrong, why, and the smallest case for which it is so. seconds: to look for it; 0: the case itself."""
        if not seconds or self.rule is not None or any(isinstance(array, np.memmap) for array in self.tensors.values()):
            return self.text(failure, options)
        last = [failure]

        def still_fails(smaller: Case) -> bool:
            try:
                again, _ = smaller.outcome(function, options)
            except skips():
                return False
            if again is None or not again.is_as(failure):
                return False
            last[0] = again
            return True

        smallest = shrink(self, still_fails, seconds)
        why = f"why: {failure.why}\n" if failure.why else ""
        return f"{failure.first_line}\n{why}\nthe smallest case that fails in the same way:\n\n{smallest.text(last[0], options)}"

    def outcome(self, function: Callable[..., Any], options: dict[str, Any]) -> tuple[Failure | None, Any]:
        """(None if it is right, the verdict of a legal case). Raises what passes over the case."""
        arguments = self._arguments_for_function()
        try:
            actual = function(**arguments)
        except skips():
            raise
        except Exception as error:  # whatever the function raises is its failure, or its refusal
            return (Failure(error=error) if self.rule is None else None), None
        if self.rule is not None:
            self._skip_what_python_mends()
            return Failure(error=ComputedThough(f"the function must refuse what breaks {self._broken()}, got a result")), None
        failure, verdict = self._judged(actual, options)
        self.reset()
        return failure, verdict

    def _arguments_for_function(self) -> dict[str, Any]:
        try:
            return self.arguments
        except Exception as error:
            if self.rule is None:
                raise
            raise unittest.SkipTest(f"the library has no such array: {type(error).__name__}: {error}") from error

    def _skip_what_python_mends(self) -> None:
        """A list has no dtype, and a number may stand for a list of one."""
        try:
            apply(self.operation, **{**self.call(), **self._handed_out()})
        except (Error, TypeError):
            return
        raise unittest.SkipTest("in Python's own lists and numbers nothing is broken")

    def python(self, actual: Any = None) -> str:
        """The case as lines of Python that run. Arrays that would be too long to read are saved, and loaded by these lines."""
        arrays = {**self.tensors, **({} if actual is None else {"actual": actual})}
        lines, has_actual = assignments(arrays, self.name or "case")
        words = ", ".join(self._words())
        if not has_actual:
            return "\n".join([*lines, f"arguments = dict({words})  # of the function"])
        return "\n".join([*lines, f'tscatter.assert_legal(actual, "{self.operation}", {words})'])

    def text(self, failure: Failure, options: dict[str, Any]) -> str:
        """What went wrong, and the case as Python."""
        if failure.error is not None:
            words = failure.first_line + "\n"
        else:
            tensors, rest = self.split("verify", self._judging(options))
            words = _calls.words("verify", self.operation, {**tensors, "actual": failure.actual}, rest)
        return f"{failure.note}{words}\n{self.python(failure.actual)}"

    def call(self) -> dict[str, Any]:
        """The arguments as tscatter's functions take them, as generated."""
        tensors = {name: array for name, array in self.tensors.items() if name not in self._places()}
        if self.items:
            tensors[self._index_word()] = tuple(self.tensors[item] if isinstance(item, str) else item for item in self.items)
        return {**tensors, **self.attributes}

    def split(self, command: str, options: dict[str, Any]) -> Any:
        return operations()[self.operation].split((), {**self.call(), **options}, command)

    def makes_data(self) -> bool:
        """Whether no operand is what is updated: the call makes it."""
        return all(each["role"] != "data" for each in row_of(self.operation)["operands"])

    def is_valid(self) -> bool:
        try:
            apply(self.operation, **self.call())
        except (Error, TypeError):
            return False
        return True

    def with_tensors(
        self, tensors: dict[str, np.ndarray], attributes: dict[str, Any] | None = None, items: tuple[Any, ...] | None = None
    ) -> Case:
        attributes = self.attributes if attributes is None else attributes
        items = self.items if items is None else items
        return Case(self.operation, tensors, attributes, self.name, items, self.rule, self._options, self._arrays)

    def word(self, name: str) -> str:
        """What the case calls an operand or attribute, which has this name in most operations: "index" for "indices"."""
        row = row_of(self.operation)
        for each in row["operands"] + row["attributes"]:
            if name in names_of(each):
                return next((word for word in names_of(each) if word in self.tensors or word in self.attributes), name)
        return name

    def is_required(self, attribute: str) -> bool:
        return not any(attribute in names_of(each) and not each["required"] for each in row_of(self.operation)["attributes"])

    def indices(self) -> list[str]:
        """The tensors that have positions."""
        return self._places() or [name for name in (self.word("indices"),) if name in self.tensors]

    def _handed_out(self) -> dict[str, Any]:
        row = row_of(self.operation)
        policies = {word for each in row["policies"] for word in (each["name"], each["key"])}
        given = {name: self._plain(name, value) for name, value in self.call().items() if name not in policies}
        if self.operation.startswith("torch.") and given.get("reduce") == "none":
            del given["reduce"]
        if self.operation == "torch.scatter" and self.tensors["src"].ndim == 0:
            given["value"] = self.tensors["src"].item()
            del given["src"]
        if self.operation == "torch.select_scatter":
            given["index"] = int(self.tensors["index"])
        return given

    def _plain(self, name: str, value: Any) -> Any:
        """An argument as a function takes it: an axis is an integer, a list of axes a list."""
        array = self._arrays or (lambda given: given)
        if isinstance(value, tuple):
            return tuple(array(each.copy()) if isinstance(each, np.ndarray) else each for each in value)
        if not isinstance(value, np.ndarray):
            return value
        role = next((each["role"] for each in row_of(self.operation)["operands"] if name in names_of(each)), "")
        is_axis = role == "integers" and name not in self.indices() and value.shape in ((), (1,))
        if role == "list" and value.ndim == 1 and value.dtype.kind in "iu":
            return value.tolist()
        if is_axis and value.dtype.kind in "iu":
            return int(value.reshape(()))
        return array(_copy(value))

    def _judged(self, actual: Any, options: dict[str, Any]) -> tuple[Failure | None, Any]:
        note = ""
        or_change = "" if self.makes_data() else f", or change {self.word('data')}"
        if actual is None and or_change:
            note = f"the function returned nothing: {self.word('data')} was judged as it left it\n"
            actual = self._present()[self.word("data")]
        try:
            if not isinstance(actual, (list, tuple, int, float)) and _arrays.view_of(actual) is None:
                raise TypeError(f"the function must return an array{or_change}, got {type(actual).__name__}")
        except Exception as error:  # there is no way to its memory
            return Failure(error=error), None
        try:
            verdict = verify(actual, self.operation, **self.call(), **self._judging(options))
        except Error as error:
            if error.place.lstrip("-") != "actual":
                raise
            return Failure(actual, error=error), None  # no result of this operation, whatever it is
        return (None if verdict["legal"] else Failure(actual, verdict, note=note)), verdict

    def _judging(self, options: dict[str, Any]) -> dict[str, Any]:
        return {**self._options, **options}

    def _broken(self) -> str:
        try:
            apply(self.operation, **self.call())
        except (Error, TypeError) as error:
            return str(error)
        return str(self.rule)

    def _index_word(self) -> str:
        return next((each["name"] for each in row_of(self.operation)["operands"] if each["role"] == "index"), "index")

    def _places(self) -> list[str]:
        return [item for item in self.items if isinstance(item, str)]

    def _words(self) -> Iterator[str]:
        """The arguments as Python."""
        yield from (f"{name}={name}" for name in self.tensors if name not in self._places())
        if self.items:
            items = ", ".join(item if isinstance(item, str) else repr(item) for item in self.items)
            yield f"{self._index_word()}=({items},)"
        yield from (f"{name}={value!r}" for name, value in {**self.attributes, **self._options}.items())


class ComputedThough(Exception):
    """A function has a result where a rule is broken."""


def _copy(array: np.ndarray) -> np.ndarray:
    """Of a large file a private view, of which only what is written takes memory."""
    if isinstance(array, np.memmap):
        return np.memmap(array.filename, array.dtype, "c", array.offset, array.shape, "F" if array.flags.fnc else "C")
    return array.copy()

