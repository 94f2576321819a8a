"""Kernels as subjects of the judge: a right one passes its suite, and each bug that is planted in it is found, named and made small.

The kernels are in the files beside this one, each with the package that it needs; tests/ci/runtimes.sh runs them:
  python -B triton_kernels.py [--all]        # of PYTHONPATH=packaging/python, TSCATTER_LIBRARY=…; --all: what all cases of a bug say
"""

from __future__ import annotations

import collections
import re
import sys
import textwrap
import time
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

import tscatter.testing

LEFT_OUT = "no update applied|without "  # words for updates that are not in the result


@dataclass(frozen=True)
class Bug:
    """A kernel with one fault.

    why: a pattern of the words that name it, in the verdict of the first case that fails; "" where no explanation is tried for it.
    elements: of the smallest case, at most. count: of cases, among which it is found.
    """

    name: str
    kernel: Callable[..., Any]
    why: str
    options: dict[str, Any] = field(default_factory=dict)  # beside the subject's
    elements: int = 64
    count: int = 12


@dataclass(frozen=True)
class Subject:
    """A right kernel with its faulty twins; options: of run_suite(), what the kernel takes and what its library leaves open."""

    operation: str
    kernel: Callable[..., Any]
    bugs: tuple[Bug, ...]
    options: dict[str, Any]
    count: int = 60
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.operation.partition(".")[2]


def verdict_on(subject: Subject, bug: Bug, **how: Any) -> tscatter.NotLegal:
    try:
        result = tscatter.testing.run_suite(subject.operation, bug.kernel, bug.count, **{**subject.options, **bug.options}, **how)
    except tscatter.NotLegal as error:
        return error
    raise AssertionError(f"{subject}: {bug.name} was not found: {result}")


def first_lines(text: str) -> str:
    """The verdict on the case as it came, without its name."""
    return text.partition("\n\n")[0].partition(": ")[2]


def why(text: str) -> str:
    """What the first lines say: the explanation, or the verdict where they have none."""
    first, _, words = first_lines(text).partition("\nwhy: ")
    return textwrap.shorten(words or first, 120, placeholder=" …")


def elements_of_smallest(text: str) -> int:
    """Of all arrays together. The printed lines are seen to fail by themselves."""
    names: dict[str, Any] = {}
    try:
        exec(text[text.index("import numpy") :], names)
    except tscatter.NotLegal:
        return sum(array.size for name, array in names.items() if isinstance(array, np.ndarray) and name != "actual")
    raise AssertionError(f"the printed lines do not fail:\n{text}")


def found(subject: Subject, bug: Bug) -> str:
    text = str(verdict_on(subject, bug))
    if not re.search(bug.why, first_lines(text)):
        raise AssertionError(f"{subject}: {bug.name} must be named by /{bug.why}/, got:\n{text}")
    elements = elements_of_smallest(text)
    if elements > bug.elements:
        raise AssertionError(f"{subject}: the smallest case of {bug.name} has {elements} elements:\n{text}")
    return f"  planted: {bug.name}: found{'' if bug.why else ', not named'}, smallest case of {elements} elements (why: {why(text)})"


def check(library: str, subject: Subject) -> None:
    result = tscatter.testing.run_suite(subject.operation, subject.kernel, subject.count, **subject.options)
    skipped = sum(result.skipped.values())
    print(f"{library} {subject}: {result.cases} cases, all right" + (f", {skipped} skipped" if skipped else ""))
    for bug in subject.bugs:
        print(found(subject, bug), flush=True)


def count_reasons(library: str, subject: Subject) -> None:
    """How many of a bug's cases are named by its words."""
    for bug in subject.bugs:
        failures = verdict_on(subject, bug, failures="all", shrink=False).result.failures
        others = [text for _, text in failures if not (bug.why and re.search(bug.why, text))]
        print(f"{library} {subject}: {bug.name}: {len(failures) - len(others)} of {len(failures)} cases are named /{bug.why}/")
        for text, number in collections.Counter(re.sub(r"[-+]?\d+", "#", text) for text in others).most_common(4):
            print(f"  {number}: {text}")


def main(library: str, subjects: tuple[Subject, ...]) -> None:
    begin = time.monotonic()
    for subject in subjects:
        (count_reasons if "--all" in sys.argv[1:] else check)(library, subject)
    print(f"{library}: {len(subjects)} kernels and {sum(len(subject.bugs) for subject in subjects)} planted bugs in {time.monotonic() - begin:.1f} s")
