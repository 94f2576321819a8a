"""Prints the type stubs of the functions that tscatter makes from the table of operations, a file after each form feed."""

import inspect
import pathlib

import tscatter
from tscatter import _operations

HEAD = """\
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, overload

Tensor = Any  # an array, a tensor with DLPack, a buffer
Operand = Union[Tensor, str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any], complex, bool]
Report = dict[str, Any]
"""


def typed(name, row):
    for each in row["attributes"] + row["policies"]:
        if _operations.python_name(each["name"]) == name:
            kind = {"boolean": "bool", "integer": "int", "number": "float"}.get(each["type"])
            return kind or "Literal[" + ", ".join(map(repr, each["choices"])) + "]"
    return {
        "out": "Union[Tensor, str, os.PathLike[str]]",
        "in_place": "bool",
        "dtype": "Any",  # a name, or what NumPy takes for a dtype
        "threads": "int",
    }.get(name, "Operand")


def parameter(each, row, name):
    if each.kind is inspect.Parameter.VAR_KEYWORD:
        return f"**{name}: Any"
    kind = typed(each.name, row)
    if each.default is inspect.Parameter.empty:
        return f"{name}: {kind}"
    is_attribute = any(_operations.python_name(other["name"]) == each.name for other in row["attributes"])
    kind = f"Union[{kind}, None]" if each.default is None or is_attribute else kind
    return f"{name}: {kind} = {each.default!r}"


def spellings(function):
    """No other names; and each of the others that a parameter which must be given has, alone."""
    rows = function.row["operands"] + function.row["attributes"]
    aliases = {_operations.python_name(each["name"]): each["aliases"] for each in rows}
    yield {}
    for each in function.__signature__.parameters.values():
        if each.default is inspect.Parameter.empty:
            yield from ({each.name: _operations.python_name(alias)} for alias in aliases.get(each.name, ()))


def function_stub(name, function):
    stubs = [one_stub(name, function, names) for names in spellings(function)]
    return "".join(stubs if len(stubs) == 1 else (f"@overload\n{each}" for each in stubs))


def one_stub(name, function, names):
    """names: what stands for the names of parameters."""
    words, seen_keyword = [], False
    for each in function.__signature__.parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not seen_keyword:
            words.append("*")
            seen_keyword = True
        words.append(parameter(each, function.row, names.get(each.name, each.name)))
    return f"def {name}({', '.join(words)}) -> Any: ...\n"


def module_stubs(module):
    for name in sorted(vars(module)):
        if isinstance(getattr(module, name), _operations.OperationFunction):
            yield function_stub(name, getattr(module, name))


def own_stubs():
    """The functions and exceptions that are written by hand."""
    source = pathlib.Path(__file__).with_name("own_functions.pyi")
    return source.read_text()


def main():
    spaces = sorted({name.partition(".")[0] for name in tscatter.operations() if "." in name})
    head = HEAD + "".join(f"from . import {space} as {space}\n" for space in spaces)
    print(f"\f__init__.pyi\n{head}\n{own_stubs()}\n{''.join(module_stubs(tscatter))}", end="")
    for space in spaces:
        print(f"\f{space}.pyi\n{HEAD}\n{''.join(module_stubs(getattr(tscatter, space)))}", end="")


main()
