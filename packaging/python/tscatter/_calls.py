"""From Python's arguments to a call of the library, and from its text to a result."""

import json
import math
import os
import re
import tempfile

from . import _arrays, _library


_PLAIN_PATH = re.compile(r"[A-Za-z_./][^=]*[./]")


def text_of(value):
    """An option's value as the command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value if isinstance(value, str) else repr(value)


def path_text(path):
    """A path that is not taken for JSON or a literal."""
    path = os.fspath(path)
    return path if _PLAIN_PATH.match(path) else "./" + path


def options_of(keywords, switches_take_values=()):
    """Pairs of names and values. True is a flag without a value, None and False leave one out, a list repeats it."""
    pairs = []
    for name, value in keywords.items():
        if name in switches_take_values and isinstance(value, bool):
            pairs.append((name, text_of(value)))
        elif name == "at" and isinstance(value, (list, tuple)):
            pairs.append((name, ",".join(str(index) for index in value)))
        elif isinstance(value, (list, tuple)):
            pairs.extend((name, text_of(each)) for each in value)
        elif value is True:
            pairs.append((name, None))
        elif value is not None and value is not False:
            pairs.append((name, text_of(value)))
    return pairs


def _finite(value):
    """Numbers that JSON does not have, as the program writes them."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


class Operands:
    """Tensors of a call: in memory, in files, or written as lists and numbers."""

    def __init__(self, tensors):
        self.arrays = {}
        self.views = {}
        self.options = []
        for name, value in tensors.items():
            self._add(name, value)

    def _add(self, name, value):
        if value is None:
            return
        if _arrays.is_path(value):
            self.options.append((name, path_text(value)))
        elif isinstance(value, (dict, list, tuple, int, float)):
            self.options.append((name, json.dumps(_finite(value))))
        elif _arrays.is_array(value):
            self.arrays[name], self.views[name] = _arrays.operand_view(name, value)
        else:
            raise TypeError(f"{name} must be an array, a path, a list, a number or a dict with data, got {type(value).__name__}")

    def call(self, command, operation, options):
        return _library.call(command, operation, self.options + options, self.views, not self.options)


def operation_name(operation):
    """The name of an operation that is given by name, or as the function that applies it."""
    return getattr(operation, "operation", operation)


def _into_array(name, operands, options, out):
    result = _arrays.empty_like(operands.arrays["data"]) if out is None else out
    operands.views["output"] = _arrays.view_of(result)
    operands.call("apply", name, options)
    return result


def _into_new_array(name, operands, options):
    """Data is a file, a list or a number: the result's dtype and order are known when it is written."""
    import numpy

    with tempfile.TemporaryDirectory(prefix="tscatter") as folder:
        path = os.path.join(folder, "result.npy")
        _, text = operands.call("apply", name, options + [("output", path), ("json", None)])
        result = numpy.load(path)
        if json.loads(text)["dtype"] == "bfloat16":
            import ml_dtypes

            result = result.view(ml_dtypes.bfloat16)
        return result


def apply(operation, tensors, options, out, in_place):
    name = operation_name(operation)
    operands = Operands(tensors)
    data = tensors.get("data")
    if in_place or (out is not None and _arrays.is_path(out)):
        place = [("in_place", None)] if in_place else []
        if out is not None:
            place.append(("output", os.fspath(out)))
        _, text = operands.call("apply", name, options + place + [("json", None)])
        return json.loads(text)
    if out is None and not _arrays.is_array(data):
        return _into_new_array(name, operands, options)
    return _into_array(name, operands, options, out)


def report(command, operation, tensors, options):
    """(whether there is no difference, the report)."""
    code, text = Operands(tensors).call(command, operation_name(operation), options + [("json", None)])
    return code != _library.DIFFERENT, json.loads(text)


def words(command, operation, tensors, options):
    return Operands(tensors).call(command, operation_name(operation), options)[1]


def batch_report(code, text):
    lines = [json.loads(line) for line in text.splitlines()]
    cases = [line for line in lines if "summary" not in line]
    summary = next((line["summary"] for line in lines if "summary" in line), {})
    return {"passed": code == 0, "cases": cases, "summary": summary}
