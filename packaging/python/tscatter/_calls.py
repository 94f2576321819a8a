"""From Python's arguments to a call of the library, and from its text to a result."""

import contextlib
import difflib
import enum
import json
import math
import numbers
import operator
import os
import re
import tempfile

from . import _arrays, _library, _notebook, _plans, _words
from ._notebook import Report
from .errors import Error, KeywordError, UsageError

_PLAIN_PATH = re.compile(r"/|[A-Za-z_.][^=]*[./]")
_RAW_BYTES = re.compile(r"(\d+x)*\w+=@")
_json_of = json.JSONEncoder(default=str).encode


def _plain(value):
    """Numbers and lists of Python for those of NumPy and others; the name of a dtype, or of a member of an enum."""
    if type(value) in (str, int, bool):
        return value
    if isinstance(value, enum.Enum):  # jax.lax.GatherScatterMode.CLIP
        return value.name.lower().replace("fill_or_drop", "drop")
    if hasattr(value, "tolist") and not isinstance(value, type):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, numbers.Real) and not isinstance(value, int):
        return float(value)
    is_dtype = isinstance(value, type) or hasattr(value, "itemsize")
    return _arrays.dtype_name(value) if is_dtype else value


def _text_of(value):
    """An option's value, made plain, as the command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return file_text(value) if _arrays.is_path(value) else repr(value)


def file_text(path):
    """The name of a file in an option that takes nothing else."""
    return os.fsdecode(path)


def operand_text(path):
    """A path that is not taken for JSON or a literal; or raw bytes, as the command line has them."""
    is_raw = isinstance(path, str) and _RAW_BYTES.match(path)
    path = file_text(path)
    return path if is_raw or _PLAIN_PATH.match(path) else "./" + path


_WRITTEN = ("heatmap", "junit", "html")


def _require_file(name, value):
    """Stdout is the process's: the module prints nothing there."""
    if name in _WRITTEN and _arrays.is_path(value) and file_text(value) == "-":
        message = "must be a file, since stdout is the process's (./- is a file), got -"
        raise UsageError("usage", "cli.c14", name, message)


def options_of(command, operation, keywords):
    """Pairs of names and texts. True is a flag without a value, None and False leave one out, a list repeats it.

    Throws KeywordError for a name that the call does not have, whatever its value.
    """
    pairs = []
    flags = _library.flags(command, operation) if keywords else {}
    for name, value in keywords.items():
        flag = flags.get(name.replace("_", "-"))
        if flag is None or (name == "nan" and command in _OF_POLICIES):
            raise _unknown(command, operation, name, flags)
        value = _plain(value)
        _require_file(name, value)
        pairs.extend((name, text) for text in _texts_of(name, value, flag))
    return pairs


_OF_POLICIES = ("apply", "explain", "generate")  # what verify() calls nan is not what they do


def _unknown(command, operation, name, flags):
    function = next((row["id"] for row in _library.describe()["operations"] if command == "apply" and row["name"] == operation), command)
    words = [word.replace("-", "_") for word in flags]
    nearest = [each for each in difflib.get_close_matches(name, words, 1) if each != name]
    hint = "extremes says what min and max leave of a NaN" if name == "nan" else nearest and f"nearest: {nearest[0]}"
    message = f"got an unexpected keyword argument {name!r}" + (f" ({hint})" if hint else "")
    return KeywordError("usage", "cli.c2", function, message, f"{function}() {message} [cli.c2]")


def _texts_of(name, value, flag):
    if isinstance(value, bool):
        return _texts_of_bool(name, value, flag)
    if value is None:
        return []
    if not isinstance(value, list):
        return [_text_of(value)]
    if not value and flag.is_repeated:  # a list that came out empty is no wish for all
        raise UsageError("usage", "cli.c4", name, "must name at least one, got []")
    return ([",".join(map(_text_of, value))] if name == "at" else list(map(_text_of, value))) or [""]


def _texts_of_bool(name, value, flag):
    if not flag.may_stand_alone:
        raise UsageError("usage", "cli.c4", name, f"must have a value that is not True or False, got {value}")
    if flag.is_boolean:
        return [_text_of(value)]
    return [None] if value else []


def _finite(value):
    """Numbers that JSON does not have, as the program writes them."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _in_other_words(text, words, is_json=False):
    """A text with dtypes in place of those that stand for them."""
    names = "|".join(map(re.escape, words))
    return re.sub(rf"({names})(?!\d)", lambda found: _json_of(words[found[1]])[1:-1] if is_json else words[found[1]], text)


def _complex_dtype_beside(data):
    """Of complex numbers of Python: that of data, if it is an array that has one."""
    name = _arrays.dtype_name(data.dtype) if hasattr(data, "dtype") else ""
    return name if name.startswith("complex") else "complex128"


def _with_parts(value, dtype):
    """Complex numbers of Python as JSON has them: [re, im], and so are all numbers among them."""
    if not _has_complex(value):
        return value
    document = value if isinstance(value, dict) else {"data": value}
    return {"dtype": dtype, **document, "data": _pairs_of(document["data"])}


def _has_complex(value):
    if isinstance(value, dict):
        value = value.get("data")
    return any(map(_has_complex, value)) if isinstance(value, list) else isinstance(value, complex)


def _pairs_of(value):
    if isinstance(value, list):
        return list(map(_pairs_of, value))
    return [value, 0] if not isinstance(value, complex) else [value.real, value.imag]


def _with_byte_order(value):
    """Raw bytes whose dtype has a byte order of its own, which its name has not."""
    order = getattr(value.get("dtype"), "byteorder", "=") if isinstance(value, dict) and "raw" in value else "="
    if order not in ("<", ">"):
        return value
    named = "big" if order == ">" else "little"
    if value.get("byte_order", named) != named:
        raise UsageError("usage", "cli.c104", "byte_order", f"must be that of the dtype, {named}, got {value['byte_order']}")
    return {**value, "byte_order": named}


def _is_word(item):
    """Whether an item of an index is one that the command line has a word for."""
    return item is None or item is ... or isinstance(item, (slice, str)) or _is_integer(item)


def _is_integer(item):
    return isinstance(item, numbers.Integral) and not isinstance(item, bool)


def word_of_item(item):
    if isinstance(item, slice):
        ends = ["" if each is None else str(operator.index(each)) for each in (item.start, item.stop, item.step)]
        return ":".join(ends if item.step is not None else ends[:2])
    return item if isinstance(item, str) else "..." if item is ... else str(item if item is None else operator.index(item))


class Items(tuple):
    """The items of an index."""


def items_of(index, takes_lists=False):
    """takes_lists: whether a list that has tensors is like a tuple of them. Other lists are one item."""
    is_list = takes_lists and isinstance(index, list) and any(map(_is_apart, index))
    return Items(index if isinstance(index, tuple) or is_list else (index,))


def _is_apart(item):
    """Whether it is no number and no list of numbers."""
    return not isinstance(item, (bool, list)) and not _is_integer(item)


class Operands:
    """Tensors of a call: in memory, in files, or written as lists and numbers."""

    def __init__(self, tensors):
        self.arrays = {}
        self.views = {}
        self.options = []
        self.uses_files = False
        self.complex_dtype = _complex_dtype_beside(_arrays.data_of(tensors))
        for name, value in tensors.items():
            self._add_items(value) if isinstance(value, Items) else self._add(name, value)

    def _add(self, name, value, option=None):
        """option: its name among options, where it is no array."""
        option = option or name
        if value is None:
            return
        if _arrays.is_path(value):
            self.options.append((option, operand_text(value)))
            self.uses_files = True
        elif isinstance(value, (dict, list, tuple, int, float, complex)):
            self.uses_files |= isinstance(value, dict) and "raw" in value
            plain = _with_parts(_plain(_with_byte_order(value)), self.complex_dtype)
            is_finite = not isinstance(plain, float) or math.isfinite(plain)
            self.options.append((option, _json_of(_finite(plain)) if is_finite else repr(plain)))
        else:
            self.arrays[name], self.views[name] = _arrays.operand_view(name, value)

    def _add_items(self, items):
        """Those in memory by their places, the others as words."""
        for place, item in enumerate(items):
            if _is_word(item):
                self.options.append(("index", word_of_item(item)))
                self.uses_files |= isinstance(item, str)
            else:
                self._add(f"index{place}" if len(items) > 1 else "index", item, "index")

    def call(self, command, operation, options, make=None):
        """make: as _library.call() has it."""
        words = _arrays.tell_apart(self.views, self.uses_files)
        try:
            code, text = _library.call(command, operation, self.options + options, self.views, self.uses_files, make)
        except Error as error:
            if not words:
                raise
            texts = (_in_other_words(each, words) for each in (error.message, str(error)))
            raise type(error)(error.kind, error.label, error.place, *texts) from None
        if words:
            text = _in_other_words(text, words, ("json", None) in options)
        return code, text


def operation_name(operation):
    """The name of an operation that is given by name, or as the function that applies it."""
    name = getattr(operation, "operation", operation)
    if not isinstance(name, str):
        kind = type(operation).__name__
        raise TypeError(f"operation must be the name of an operation, or the function that applies it, got {kind}")
    return name


def _into_array(name, operands, options, out):
    data = _arrays.data_of(operands.views)
    result = _arrays.empty_like(_arrays.data_of(operands.arrays), data) if out is None else out
    operands.views["output"] = _arrays.required_view("out", result)
    if data is not None and dict(options).get("dtype") is not None:
        _arrays.read_as(operands.views["output"], data, dict(options)["dtype"])
    operands.call(*name, options)
    if out is not None:
        _arrays.mark_as_changed(out)
        return out
    return _arrays.of_library(_arrays.data_of(operands.arrays), result)


def _into_new_array(name, operands, options, data):
    """The library says what the result is. data: an array whose dtype and kind it has; None: the library knows."""
    made = []

    def make(output):
        made.append(_arrays.empty_of(output) if data is None else _arrays.empty(data, output.shape[: output.rank]))
        return made[0]

    operands.call(*name, options, make)
    return made[0] if data is None else _arrays.of_library(data, made[0])


_OF_FILES = ("compress", "force", "format", "json", "sync", "wait")


def _outcome(command, name, operands, options, place, out):
    """The result, or the report of the run. place: options that say where the result goes, if it goes to a file."""
    if _arrays.is_path(out):
        place = [*place, ("output", file_text(out))]
        operands.uses_files = True
    if place or ("dry_run", None) in options:
        return Report(json.loads(operands.call(command, name, options + place + [("json", None)])[1]))
    for flag, _ in options:
        if flag in _OF_FILES:
            raise UsageError("usage", "cli.c120", flag, "needs an output that is a file, got an array")
    data = None if _words.makes_data(name) else _arrays.data_of(operands.arrays)
    if out is None and (command == "get" or data is None):
        return _into_new_array((command, name), operands, options, data)
    return _into_array((command, name), operands, options, out)


def apply(operation, tensors, options, out, in_place, call=None):
    """call: as _plans has it, if it can be repeated."""
    _plans.look_for_libraries()
    if type(in_place).__name__ not in ("bool", "bool_", "NoneType"):
        raise UsageError("usage", "cli.c4", "in_place", f"must be True or False, got {in_place!r}")
    name = operation_name(operation)
    if in_place and out is not None:
        got = file_text(out) if _arrays.is_path(out) else "an array"
        raise UsageError("usage", "cli.c11", "output", f"must be left out when data is changed in place, got {got}")
    operands = Operands(tensors)
    result = _outcome("apply", name, operands, options, [("in_place", None)] if in_place else [], out)
    if call is not None and "output" in operands.views:
        call.keep(name, operands, options)
    return result


def get(tensors, options, out):
    """What an index names, read."""
    return _outcome("get", None, Operands(tensors), options, [], out)


def report(command, operation, tensors, options):
    """(whether there is no difference, the report)."""
    name = None if operation is None else operation_name(operation)
    code, text, picture = _with_picture(command, name, Operands(tensors), options + [("json", None)])
    return code != _library.DIFFERENT, Report(_words.all_in_python(json.loads(text)), picture)


def _with_picture(command, name, operands, options):
    """(code, text, heat map). Where nobody has asked for one it is made for a notebook: of tensors that differ."""
    given = dict(options).get("heatmap")
    is_of_tensors = command == "verify" or (command == "compare" and not operands.uses_files)
    if given is None and is_of_tensors and _notebook.in_kernel():
        with tempfile.TemporaryDirectory(prefix="tscatter") as folder, contextlib.suppress(Error):  # rank 0 has none
            path = os.path.join(folder, "heat.svg")
            code, text = operands.call(command, name, options + [("heatmap", path)])
            return code, text, _notebook.svg_in(path) if code == _library.DIFFERENT else None
    return *operands.call(command, name, options), given


def comparison(tensors, options):
    """The census of two tensors or archives; of two folders, whose pairs have a line each, the report of a batch."""
    code, text, picture = _with_picture("compare", None, Operands(tensors), options + [("json", None)])
    first = json.loads(text[: text.index("\n")])
    return Report(_words.all_in_python(first), picture) if "match" in first else batch_report(code, text)


def words(command, operation, tensors, options):
    return _words.in_python(Operands(tensors).call(command, operation_name(operation), options)[1])


def batch_report(code, text):
    lines = [json.loads(line) for line in text.splitlines()]
    cases = [line for line in lines if "summary" not in line]
    summary = next((line["summary"] for line in lines if "summary" in line), {})
    return Report({"passed": code == 0, "cases": cases, "summary": summary})
