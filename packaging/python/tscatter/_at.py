"""tscatter.at(x)[index].set(values): NumPy's index on arrays and on files."""

import os
import reprlib

from . import _arrays, _calls, _plans

# The words of the command line, and the operations that they stand for.
_OPERATIONS = {
    "set": "numpy.setitem",
    "add": "numpy.add.at",
    "sub": "numpy.subtract.at",
    "mul": "numpy.multiply.at",
    "min": "numpy.minimum.at",
    "max": "numpy.maximum.at",
}
_MEANINGS = {
    "set": "x[index] = values; of a place that is named twice the last value stays.",
    "add": "Adds values at the index, as numpy.add.at: a place that is named twice takes every value.",
    "sub": "Subtracts values at the index, as numpy.subtract.at: a place that is named twice takes every value.",
    "mul": "Multiplies by values at the index, as numpy.multiply.at: a place that is named twice takes every value.",
    "min": "The smaller of x and values at the index, as numpy.minimum.at.",
    "max": "The larger of x and values at the index, as numpy.maximum.at.",
}
_OTHER_WORDS = {"subtract": "sub", "multiply": "mul", "minimum": "min", "maximum": "max"}
_IN_PLACE = {"__iadd__": "add", "__isub__": "sub", "__imul__": "mul"}
_REST = """

out: an array like x, x itself, or a path. options: as of the operation; cast is "same-kind" when nothing is said.
Returns the result, a new array or `out`; of a path, which is changed in place unless `out` is given, the report of the run."""


def _text(value):
    """A tensor or an item of an index in a few words."""
    if _arrays.is_path(value):
        return repr(os.fspath(value))
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"<{_arrays.dtype_name(value.dtype)} {list(value.shape)}>"
    if isinstance(value, slice) or value is None or value is ...:
        return _calls.word_of_item(value)
    return reprlib.repr(value)


def _is_file(value):
    return _arrays.is_path(value) or (isinstance(value, dict) and "raw" in value)


class At:
    """What tscatter.at(x) returns: an index follows."""

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __repr__(self):
        return f"tscatter.at({_text(self._x)})"

    def __getitem__(self, index):
        return AtIndex(self._x, _calls.items_of(index) or _calls.items_of(...))

    def __setitem__(self, index, values):
        raise TypeError("tscatter.at(x)[index] must not be assigned to: write tscatter.at(x)[index].set(values)")


class AtIndex:
    """What tscatter.at(x)[index] returns: nothing is read or written until one of its functions is called."""

    __slots__ = ("_items", "_x")

    def __init__(self, x, items):
        self._x = x
        self._items = items

    def __repr__(self):
        return f"tscatter.at({_text(self._x)})[{', '.join(map(_text, self._items))}]"

    def __getattr__(self, name):
        hint = f": use {_OTHER_WORDS[name]}" if name in _OTHER_WORDS else ""
        raise AttributeError(f"tscatter.at(x)[index] has no {name}{hint}")

    def _tensors(self):
        return {"data": self._x, "index": self._items}

    def get(self, *, out=None, **options):
        """x[index], read.

        out: a path or an array that takes it. options: the flags of `tscatter get`.
        Returns the result, a new array or `out`; of a path as `out` the report of the run.
        """
        return _calls.get(self._tensors(), _calls.options_of("get", None, options), out)


def _writer(word):
    name = _OPERATIONS[word]

    def write(self, values, /, *, out=None, **options):
        plan, call = _plans.find(word, (self._x, self._items, values), options, out)
        if plan is not None:
            return plan.run(call, out)
        in_place = options.pop("in_place", _is_file(self._x) and out is None)
        pairs = _calls.options_of("apply", name, {"cast": "same-kind", **options})
        return _calls.apply(name, {**self._tensors(), "updates": values}, pairs, out, in_place, call)

    write.__doc__ = _MEANINGS[word] + _REST
    return write


def _refusal(word, arguments):
    def refuse(self, *_, **__):
        raise TypeError(f"tscatter.at(x) must be followed by an index: write tscatter.at(x)[index].{word}({arguments})")

    refuse.__doc__ = f"Raises a TypeError: write tscatter.at(x)[index].{word}({arguments})."
    return refuse


def _refusal_in_place(word):
    def refuse(self, _):
        raise TypeError(f"tscatter.at(x)[index] is no array: write tscatter.at(x)[index].{word}(values)")

    return refuse


def _put(place, word, function):
    function.__name__, function.__qualname__ = word, f"{place.__name__}.{word}"
    setattr(place, word, function)


for _word in _OPERATIONS:
    _put(AtIndex, _word, _writer(_word))
    _put(At, _word, _refusal(_word, "values"))
_put(At, "get", _refusal("get", ""))
for _name, _word in _IN_PLACE.items():
    _put(AtIndex, _name, _refusal_in_place(_word))
