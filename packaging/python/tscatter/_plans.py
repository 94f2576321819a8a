"""Calls that are repeated with arrays of the same dtypes and shapes: after the first one neither words nor JSON are on their way.

A key says everything about a call but the addresses of its arrays. The first call of a key goes the long way, which checks all; its
plan is kept, and the next ones hand over addresses alone.
"""

import ctypes
import struct
import sys

from . import _arrays, _library

_MOST_PLANS = 256
_PLAIN = frozenset([int, bool, str, type(None), type(...)])

_plans = {}
_numpy_array = None
_torch_tensor = None
_torch_is_changed = None
_from_buffer, _address_of = ctypes.c_char.from_buffer, ctypes.addressof


def look_for_libraries():
    """Their types, once they have been imported."""
    global _numpy_array, _torch_tensor, _torch_is_changed
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    _numpy_array = getattr(numpy, "ndarray", None)
    if _torch_tensor is None and hasattr(torch, "Tensor"):
        _torch_tensor, _torch_is_changed = torch.Tensor, _arrays.torch_is_changed()


def _add(key, arrays, value):
    """Whether the key can say what the value is, which is no array of NumPy."""
    kind = type(value)
    if kind in _PLAIN:
        key += (kind, value)
    elif kind is _torch_tensor and kind is not type(None):
        if not value.is_cpu or value.requires_grad or value.is_neg():
            return False
        dtype = value.dtype
        if dtype.is_complex and value.is_conj():
            return False
        try:
            key += (dtype, value.shape, value.stride())
        except RuntimeError:  # a sparse one has no strides
            return False
        arrays.append(value)
    elif kind is float:
        key.append(value.hex())  # -0.0 is not 0.0
    elif kind is slice:
        return all(_add(key, arrays, each) for each in (value.start, value.stop, value.step))
    elif isinstance(value, tuple):  # the items of an index
        key += (tuple, len(value))
        return _add_all(key, arrays, value)
    else:
        return False
    return True


def _add_all(key, arrays, values):
    for each in values:
        if type(each) is _numpy_array:
            key += (each.dtype, each.shape, each.strides)
            arrays.append(each)
        elif not _add(key, arrays, each):
            return False
    return True


def _address(array):
    if type(array) is not _numpy_array:
        return array.data_ptr()
    try:
        return _address_of(_from_buffer(array))
    except (TypeError, ValueError):  # read-only, empty, or without gaps in Fortran order alone
        return array.__array_interface__["data"][0]


class Call:
    """A call that has a key."""

    __slots__ = ("arrays", "has_out", "key")

    def __init__(self, key, arrays, has_out):
        self.key = key
        self.arrays = arrays  # in the order in which they were given, the one for the result last
        self.has_out = has_out

    def keep(self, operation, operands, options):
        """Makes a plan of a call that has succeeded, if the next one can be told from this one by its addresses alone."""
        views, given = operands.views, self.arrays[:-1] if self.has_out else self.arrays
        places = {name: _places_of(array, given) for name, array in operands.arrays.items()}
        is_whole = len(places) == len(given) and all(len(each) == 1 for each in places.values())
        is_plain = not operands.uses_files and not any(view.fields for view in views.values())
        data = _arrays.data_of(places)
        is_in_place = self.has_out and self.arrays[-1] is self.arrays[0]
        if not (is_whole and is_plain and data and (is_in_place or _library.is_short("apply", views))) or any(name == "dtype" for name, _ in options):
            return
        order = [places[name][0] if name in places else -1 for name in views]
        if len(_plans) >= _MOST_PLANS:
            _plans.pop(next(iter(_plans)), None)
        _plans[self.key] = Plan(_library.Plan(operation, operands.options + options, views), order, data[0])


def _places_of(array, given):
    return [place for place, each in enumerate(given) if each is array]


def find(operation, values, keywords, out):
    """(the plan of a call, its arrays), or (None, the call, for keep()), or (None, None): it has something that no key can say, like a
    list, a path object, or an array of another library."""
    key, arrays = [operation, len(values), *keywords], []
    if not (_add_all(key, arrays, values) and _add_all(key, arrays, keywords.values())):
        return None, None
    if out is not None:
        kind = type(out)
        if arrays and out is arrays[0]:  # data itself, mostly
            arrays.append(out)
            key.append("itself")
        elif (kind is not _numpy_array and kind is not _torch_tensor) or not _add_all(key, arrays, (out,)):
            return None, None
        key.append(kind is not _numpy_array or out.flags.writeable)
    key = tuple(key)
    plan = _plans.get(key)
    return (None, Call(key, arrays, out is not None)) if plan is None else (plan, arrays)


class Plan:
    """order: of the library's tensors, which array each is (-1: the last one, for the result). data: which array is data."""

    __slots__ = ("_data", "_order", "_pack", "_run")

    def __init__(self, plan, order, data):
        self._run = plan.run
        self._order = order
        self._data = data
        self._pack = struct.Struct(f"{len(order)}P").pack

    def run(self, arrays, out):
        if out is None:
            out = _empty_like(arrays[self._data])
            arrays.append(out)
        addresses = [_address(array) for array in arrays]
        self._run(self._pack(*[addresses[each] for each in self._order]))
        if type(out) is _torch_tensor and _torch_is_changed is not None:
            _torch_is_changed(out)
        return out


def _empty_like(data):
    if type(data) is _torch_tensor:
        return sys.modules["torch"].empty_like(data)
    return sys.modules["numpy"].empty_like(data)
