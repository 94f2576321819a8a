"""Arrays as Python that makes them again, to the last bit."""

import ctypes
import functools
import os
import re
import sys
import tempfile
import warnings

import numpy as np

from . import _arrays, _calls

_MOST_PRINTED = 100  # elements of all arrays of a case
_MOST_SAVED = 64 << 20  # bytes


class NoText(Exception):
    """No Python makes this value again: it has objects or masked elements, or is not in memory."""


def is_extension(dtype):
    """Whether a dtype of NumPy is one of ml_dtypes."""
    return dtype.type.__module__.partition(".")[0] == "ml_dtypes"


def assignments(arrays, name):
    """(lines of Python that make the arrays, whether `actual` is among them). What is too long to read is saved in NAME.npz."""
    is_long = sum(map(_size, arrays.values())) > _MOST_PRINTED
    texts = {}
    saved = {}
    for each, value in arrays.items():
        try:
            if is_long and _size(value) > 1:
                saved[each] = _that_can_be_saved(value)
            texts[each] = _loaded_text(each, saved[each]) if each in saved else value_text(value)
        except NoText as error:
            texts[each] = f"None  # it has no text: {str(error) or type(value).__name__}"
    lines = ["import numpy as np", "from numpy import inf, nan", "import tscatter", ""]
    if saved:
        lines.append(f"case = np.load({_saved(saved, name)!r})")
    lines += [f"{each} = {text}" for each, text in texts.items()]
    if any("ml_dtypes." in line for line in lines):
        lines.insert(1, "import ml_dtypes")
    return lines, "actual" in texts and not texts["actual"].startswith("None")


def _size(value):
    return value.size if isinstance(value, np.ndarray) else len(value) if hasattr(value, "__len__") else 1


def _that_can_be_saved(value):
    array = as_array(value)
    if array.dtype.hasobject:
        raise NoText
    if array.nbytes > _MOST_SAVED:
        raise NoText(f"{array.nbytes} bytes of {array.dtype.name} {list(array.shape)}")
    return array


def _loaded_text(name, array):
    return f'case["{name}"]' + (f".view({_dtype_text(array.dtype)})" if is_extension(array.dtype) else "")


@functools.lru_cache(maxsize=None)
def _folder():
    """Of this process."""
    return tempfile.mkdtemp(prefix="tscatter-")


def _saved(arrays, name):
    path = os.path.join(_folder(), re.sub(r"[^\w.-]", "_", name) + ".npz")
    np.savez(path, **arrays)
    return path


def value_text(value):
    """Of an array of any library, a list or a number. Throws NoText."""
    if not isinstance(value, (list, tuple, int, float)):
        return array_text(as_array(value))
    plain = _calls._plain(value)
    if not _is_of_numbers(plain):
        raise NoText
    return repr(plain)


def _is_of_numbers(value):
    return all(map(_is_of_numbers, value)) if isinstance(value, list) else isinstance(value, (int, float))


def as_array(value):
    """An array of NumPy for one of any library. Throws NoText."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            view = _arrays.operand_view("actual", value)[1]
        if view.device is not None:
            raise NoText
        if isinstance(value, np.ndarray) and view.dtype != "masked elements":
            return np.asarray(value)
        return _with_bytes_of(view)
    except (AttributeError, BufferError, ImportError, RuntimeError, TypeError, ValueError):
        raise NoText from None


def _with_bytes_of(view):
    names = vars(sys.modules["ml_dtypes"]) if "ml_dtypes" in sys.modules else {}
    dtype = np.dtype(names.get(view.dtype, view.dtype))
    if not view.byte_size:
        return np.zeros(view.shape, dtype)
    return np.ndarray(view.shape, dtype, ctypes.string_at(view.address, view.byte_size), strides=view.strides)


def array_text(array):
    """Throws NoText."""
    dtype = array.dtype
    if dtype.hasobject or not dtype.itemsize:
        raise NoText
    if _is_plain(array):
        with np.errstate(invalid="ignore"):
            values = array.astype(np.float32) if is_extension(dtype) else array
        return f"np.array({values.tolist()}, dtype={_dtype_text(dtype)})" + ("" if array.size else f".reshape({array.shape})")
    shape = "" if array.ndim == 1 else f".reshape({array.shape})"
    flat = np.ascontiguousarray(array).reshape(-1)
    if dtype.kind == "c":
        parts = flat.view(f"{dtype.byteorder}f{dtype.itemsize // 2}")
        return f"{array_text(parts)}.view({_dtype_text(dtype)}){shape}"
    if (dtype.kind == "f" or is_extension(dtype)) and dtype.itemsize <= 8:
        bits = flat.view(f"{dtype.str[0] if dtype.str[0] == '>' else '='}u{dtype.itemsize}")
        return f"np.array([{', '.join(map(hex, bits.tolist()))}], dtype={_dtype_text(bits.dtype)}).view({_dtype_text(dtype)}){shape}"
    if not array.size:
        return f"np.zeros({array.shape}, dtype={_dtype_text(dtype)})"
    return f"np.frombuffer(bytes.fromhex({flat.tobytes().hex()!r}), dtype={_dtype_text(dtype)}){shape}"


def _is_plain(array):
    """Whether the values of its elements, as Python writes them, have their bits."""
    dtype = array.dtype
    if dtype.kind == "c":
        parts = np.array([array.real, array.imag])
        return dtype.itemsize <= 16 and bool(np.isfinite(parts).all()) and not np.signbit(parts[parts == 0]).any()
    if is_extension(dtype) or (dtype.kind == "f" and dtype.itemsize <= 8):
        with np.errstate(invalid="ignore"):  # a NaN that signals
            values = array.astype(np.float64)
        values[np.isnan(values)] = np.nan
        return np.array(values.tolist(), dtype).tobytes() == array.tobytes()
    return dtype.kind in "biu"


def _dtype_text(dtype):
    if is_extension(dtype):
        return f"ml_dtypes.{dtype.name}"
    if dtype.names:
        return _descr_text(dtype)
    if dtype.kind == "b":
        return "np.bool_"
    is_plain = dtype.kind in "iu" or (dtype.kind == "f" and dtype.itemsize <= 8) or (dtype.kind == "c" and dtype.itemsize <= 16)
    return f"np.{dtype.name}" if is_plain and dtype.isnative else repr(dtype.str)


def _descr_text(dtype):
    try:
        descr = dtype.descr
    except ValueError:  # fields that overlap
        raise NoText from None
    if np.dtype(descr) != dtype:
        raise NoText
    return repr(descr)
