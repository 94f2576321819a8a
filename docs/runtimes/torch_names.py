"""Random calls of PyTorch's own names (torch.scatter, …) on PyTorch and on tscatter, bit for bit:
  torch_names.py TSCATTER [--legal N] [--broken N] [--seed N] [--threads N] [--only NAME]… [--page FILE]

Needs torch and numpy. Ends with 1 if the two part for a reason that DIFFERENCES does not have. --page writes the counts into a section of FILE.
"""
from own_names import (  # first: it says what is missing
    Call, Difference, Library, a_mask, floats_of, in_turns, is_near, main, positions, replaced, same_bits, shape_of, some_order, values)
from cases import NotExpressible

import fractions
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")  # what PyTorch calls deprecated and beta

FLOATS, COMPLEX, HALVES = ("float16", "bfloat16", "float32", "float64"), ("complex64", "complex128"), ("float16", "bfloat16")
SIGNED, WIDE = ("int8", "int16", "int32", "int64"), ("uint16", "uint32", "uint64")
DTYPES = ("bool", "uint8", *SIGNED, *FLOATS, *HALVES, *COMPLEX)  # half floats twice: they are rounded most
ATTRIBUTES = ("dim", "reduce", "include_self", "alpha", "accumulate", "start", "end", "step", "offset", "dim1", "dim2")
REDUCES = {"scatter_reduce": ("sum", "prod", "mean", "amax", "amin"), "index_reduce": ("prod", "mean", "amax", "amin")}
ELEMENTS, ROWS = ("scatter", "scatter_add", "scatter_reduce"), ("index_add", "index_copy", "index_fill", "index_reduce")
FROM_THE_END = ("index_fill", "index_put", "put", "select_scatter")
ONLY_INT64 = ("index_copy", "index_fill", "put")


# How PyTorch is called: by the words that jobs have, too.


def tensor_from(array, dtype):
    """bfloat16 is handed over as the int16 that has its bits."""
    array = np.ascontiguousarray(array).reshape(array.shape).copy()
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if dtype == "bfloat16" else torch.from_numpy(array)


def number(tensor):
    return tensor.item() if tensor.dim() == 0 else tensor


def scatter(src=None, value=None, reduce="none", **words):
    """One value for all is a number in PyTorch, and none is no word of its reduce."""
    words |= {} if reduce == "none" else {"reduce": reduce}
    if value is None and src is not None and src.dim() == 0:
        value = src
    words |= {"src": src} if value is None else {"value": number(value)}
    return torch.scatter(**words)


def indexed(tensor, index):
    """A view with the slices of an index taken, and its other items for aten, which has no slices; None is a whole axis."""
    basic = []
    for each in index:
        basic += [each] if isinstance(each, slice) else [slice(None)] * (each.dim() if each is not None and each.dtype == torch.bool else 1)
    part = tensor[tuple(basic)] if any(isinstance(each, slice) for each in index) else tensor
    return part, [None if isinstance(each, slice) else each for each in index]


def index_put(input, index, values, accumulate=False):
    result = input.clone()
    torch.ops.aten.index_put_(*indexed(result, index), values, accumulate)
    return result


CALLS = {
    "put": lambda input, index, source, accumulate=False: input.put(index, source, accumulate),
    "index_put": index_put,
    "scatter": scatter,
    "index_fill": lambda value, **words: torch.index_fill(value=number(value), **words),
    "masked_fill": lambda value, **words: torch.masked_fill(value=number(value), **words),
    "select_scatter": lambda index, **words: torch.select_scatter(index=number(index), **words),
}


def name_of(call):
    return call.op.removeprefix("torch.")


def tensors_of(items):
    if any(isinstance(each, str) for each in items):
        raise NotExpressible("... or None in an index")
    return [tensor_from(each, None) if isinstance(each, np.ndarray) else each for each in items]


def run(call):
    """Of a Call, or of a Case of cases.py."""
    words = {name: tensors_of(value) if isinstance(value, list) else tensor_from(value, call.dtypes[name]) for name, value in call.operands.items()}
    words |= {key: value for key, value in call.line.items() if key in ATTRIBUTES}
    result = CALLS.get(name_of(call), getattr(torch, name_of(call), None))(**words).contiguous()
    return (result.view(torch.int16) if call.dtypes["input"] == "bfloat16" else result).numpy().view(call.operands["input"].dtype)


# What is drawn.


def drawn(rng, name, dtype, shape, **operands):
    """A call of data of this shape; operands: arrays of data's dtype or, as pairs, of the dtype beside them."""
    call = Call({"op": f"torch.{name}"}, {}, {})
    for key, value in {"input": values(rng, dtype, shape), **operands}.items():
        array, kind = value if isinstance(value, tuple) else (value, dtype)
        call.operands[key] = array if isinstance(array, list) else some_order(rng, array)
        call.dtypes[key] = kind
    return call


def any_dim(rng, call, rank):
    dim = int(rng.integers(rank))
    call.line["dim"] = dim - rank if rng.random() < 0.4 else dim
    return dim


def reduced(rng, name, dtype, line):
    """Draws the words of a reduction; says whether data of this dtype has it."""
    line["reduce"] = str(rng.choice(REDUCES[name]))
    if rng.random() < 0.6:
        line["include_self"] = bool(rng.random() < 0.3)
    return not (line["reduce"] == "mean" and dtype in ("bool", *COMPLEX) or line["reduce"][0] == "a" and dtype in COMPLEX)


def elements(rng, name, dtype):
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    dim = any_dim(rng, call, len(shape))
    long = int(rng.choice([rng.integers(0, 7), 40], p=[0.8, 0.2])) if shape[dim] else 0
    size = [long if axis == dim else int(rng.integers(0 if rng.random() < 0.05 else min(1, length), length + 1)) for axis, length in enumerate(shape)]
    if shape[dim] and len(shape) == 1 and rng.random() < 0.1:
        size = []  # one entry
    index, kind = positions(rng, shape[dim], size)
    call.operands["index"], call.dtypes["index"] = some_order(rng, index.reshape(size)), kind
    if name == "scatter" and rng.random() < 0.3:
        call.operands["value"], call.dtypes["value"] = values(rng, dtype, ()), dtype
    else:
        box = [length + int(rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1])) for length in size or [1]]
        call.operands["src"], call.dtypes["src"] = some_order(rng, values(rng, dtype, box)), dtype
    if name == "scatter" and rng.random() < 0.4:
        call.line["reduce"] = str(rng.choice(["add", "multiply"]))
    return call if name != "scatter_reduce" or reduced(rng, name, dtype, call.line) else elements(rng, name, dtype)


def rows(rng, name, dtype):
    shape = (*shape_of(rng, 1, 3), 40) if rng.random() < 0.15 else shape_of(rng)  # 40: a row fills vectors of the processor
    call = drawn(rng, name, dtype, shape)
    dim = any_dim(rng, call, len(shape))
    many = (int(rng.choice([rng.integers(0, 7), 40, 300], p=[0.7, 0.2, 0.1])),) if shape[dim] else (0,)
    scalar = shape[dim] and rng.random() < 0.1
    index, kind = positions(rng, shape[dim], () if scalar else many, -shape[dim] if name in FROM_THE_END else 0, "int64" if name in ONLY_INT64 else None)
    call.operands["index"], call.dtypes["index"] = index, kind
    if name == "index_fill":
        call.operands["value"], call.dtypes["value"] = values(rng, dtype, ()), dtype
    else:
        source = values(rng, dtype, shape[:dim] + (index.size,) + shape[dim + 1:])
        call.operands["source"], call.dtypes["source"] = some_order(rng, source), dtype
    if name == "index_add" and rng.random() < 0.5:
        call.line["alpha"] = alpha(rng, dtype)
    return call if name != "index_reduce" or reduced(rng, name, dtype, call.line) else rows(rng, name, dtype)


def alpha(rng, dtype):
    if dtype in ("bool", "uint8", *WIDE):
        return int(rng.integers(0, 2 if dtype == "bool" else 4))
    return int(rng.integers(-3, 4)) if dtype in SIGNED or rng.random() < 0.4 else float(np.round(rng.normal(), 3))


def items(rng, shape):
    """Items of an index: slices, whole axes, masks and positions, in any order; at least one of the last two."""
    common = tuple(int(size) for size in rng.integers(1, 4, rng.integers(0, 3)))
    found, axis = [], 0
    while axis < len(shape) and not (found and rng.random() < 0.15):
        kind = rng.choice(["slice", "whole", "mask", "positions"], p=[0.1, 0.2, 0.15, 0.55])
        taken = 1
        if kind == "slice":
            ends = [None if rng.random() < 0.4 else int(rng.integers(-shape[axis] - 1, shape[axis] + 2)) for _ in range(2)]
            found.append(slice(*ends, rng.choice([None, 1, 2])))
        elif kind == "whole":
            found.append(None)
        elif kind == "mask":
            taken = int(rng.integers(1, len(shape) - axis + 1))
            found.append(a_mask(rng, shape[axis:axis + taken]))
        else:
            ones = tuple(1 if rng.random() < 0.3 else size for size in common)[int(rng.integers(0, len(common) + 1)) if rng.random() < 0.3 else 0:]
            found.append(positions(rng, shape[axis], ones, -shape[axis])[0])
        axis += taken
    return found if any(isinstance(each, np.ndarray) for each in found) else items(rng, shape)


def indexed_shape(shape, index):
    """Of the places that an index names; None where its items do not go together."""
    try:
        return tuple(torch.ops.aten.index(*indexed(torch.empty(shape), tensors_of(index))).shape)
    except IndexError:
        return None


def index_form(rng, name, dtype):
    shape = shape_of(rng)
    index = items(rng, shape)
    result = indexed_shape(shape, index)
    if result is None:
        return index_form(rng, name, dtype)
    small = tuple(1 if rng.random() < 0.2 else size for size in result)[int(rng.integers(0, len(result) + 1)) if rng.random() < 0.3 else 0:]
    call = drawn(rng, name, dtype, shape, index=(index, None), values=values(rng, dtype, small))
    if rng.random() < 0.6:
        call.line["accumulate"] = bool(rng.random() < 0.8)
    return call


def flat(rng, name, dtype):
    shape = shape_of(rng)
    size = int(np.prod(shape))
    index, kind = positions(rng, size, shape_of(rng, 0, 3), -size, "int64")
    source = values(rng, dtype, index.shape if rng.random() < 0.5 else (index.size,))
    call = drawn(rng, name, dtype, shape, index=(index, kind), source=source)
    if rng.random() < 0.6:
        call.line["accumulate"] = bool(rng.random() < 0.8)
    return call


def masked(rng, name, dtype):
    shape = shape_of(rng)
    ones = tuple(1 if rng.random() < 0.25 else size for size in shape)[int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.3 else 0:]
    mask = np.asarray(a_mask(rng, ones))
    trues = int(np.broadcast_to(mask, shape).sum())
    if name == "masked_fill":
        return drawn(rng, name, dtype, shape, mask=(mask, "bool"), value=values(rng, dtype, ()))
    more = trues + int(rng.choice([0, 1, 5], p=[0.6, 0.2, 0.2]))
    source = values(rng, dtype, (2, (more + 1) // 2) if rng.random() < 0.3 else (more,))
    return drawn(rng, name, dtype, shape, mask=(mask, "bool"), source=source)


def slice_form(rng, name, dtype):
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    dim = any_dim(rng, call, len(shape))
    if dim == 0 and rng.random() < 0.5:
        del call.line["dim"]
    for word in ("start", "end"):
        if rng.random() < 0.7:
            call.line[word] = int(rng.choice([rng.integers(-shape[dim] - 3, shape[dim] + 4), 2**63 - 1], p=[0.95, 0.05]))
    if rng.random() < 0.5:
        call.line["step"] = int(rng.integers(1, 4))
    taken = len(range(shape[dim])[slice(call.line.get("start"), call.line.get("end"), call.line.get("step"))])
    call.operands["src"], call.dtypes["src"] = some_order(rng, values(rng, dtype, shape[:dim] + (taken,) + shape[dim + 1:])), dtype
    return call


def select(rng, name, dtype):
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    dim = any_dim(rng, call, len(shape))
    if shape[dim] == 0:
        return select(rng, name, dtype)
    kind = str(rng.choice(["int64", "int64", *SIGNED, "uint8", *WIDE]))
    call.operands["index"] = np.array(rng.integers(-shape[dim] if kind in SIGNED else 0, shape[dim]), kind)
    call.operands["src"] = some_order(rng, values(rng, dtype, shape[:dim] + shape[dim + 1:]))
    call.dtypes |= {"index": kind, "src": dtype}
    return call


def diagonal(rng, name, dtype):
    shape = shape_of(rng, 2)
    call = drawn(rng, name, dtype, shape)
    if rng.random() < 0.7:
        call.line["offset"] = int(rng.integers(-5, 6))
    if len(shape) > 2 or rng.random() < 0.5:
        first, second = (int(each) for each in rng.permutation(len(shape))[:2])
        call.line |= {"dim1": first - (len(shape) if rng.random() < 0.4 else 0), "dim2": second - (len(shape) if rng.random() < 0.4 else 0)}
    words = {key: value for key, value in call.line.items() if key != "op"}
    taken = tuple(torch.empty(shape).diagonal(**words).shape)
    call.operands["src"], call.dtypes["src"] = some_order(rng, values(rng, dtype, taken)), dtype
    return call


FORMS = {**dict.fromkeys(ELEMENTS, elements), **dict.fromkeys(ROWS, rows), "index_put": index_form, "put": flat, "masked_fill": masked,
         "masked_scatter": masked, "slice_scatter": slice_form, "select_scatter": select, "diagonal_scatter": diagonal}
NAMES = tuple(FORMS)


def legal_call(rng, name):
    wide = ("uint16", "uint32", "uint64") if rng.random() < 0.05 else DTYPES
    return FORMS[name](rng, name, str(rng.choice(wide)))


# What is broken. Each function changes a legal call, and says whether it is broken now.


def data_axis(call):
    """The axis of the indices, or None where they count all elements."""
    return None if name_of(call) == "put" else int(call.line.get("dim", 0)) % max(call.data.ndim, 1)


def size_of(call):
    axis = data_axis(call)
    return call.data.size if axis is None else call.data.shape[axis]


def index_out_of_range(rng, call, at):
    """`at`: the first number beyond, of the size and of the lowest legal index."""
    parts = call.operands["index"] if isinstance(call.operands["index"], list) else [call.operands["index"]]
    some = [(place, each) for place, each in enumerate(parts) if isinstance(each, np.ndarray) and each.dtype.kind == "i" and each.size]
    if not some or call.data.size == 0:
        return False
    if len(parts) > 1:  # which axis a position is of depends on the items before it: beyond all of them
        size = max(call.data.shape)
    else:
        size = size_of(call)
    array = some[0][1].copy()
    array.flat[rng.integers(array.size)] = at(size, -size if name_of(call) in FROM_THE_END else 0)
    if isinstance(call.operands["index"], list):
        call.operands["index"][some[0][0]] = array
    else:
        call.operands["index"] = array
    return True


def above(rng, call):
    return index_out_of_range(rng, call, lambda size, low: size + int(rng.integers(0, 3)))


def below(rng, call):
    return index_out_of_range(rng, call, lambda size, low: low - 1)


def updates_of(call):
    return next((name for name in ("src", "source", "values", "value") if name in call.operands), None)


def updates_of_another_dtype(rng, call):
    other = "int32" if call.dtype != "int32" else "int64"
    call.dtypes[updates_of(call)] = other
    return replaced(call, updates_of(call), np.zeros(call.operands[updates_of(call)].shape, other))


def index_of_dtype(other):
    def change(rng, call):
        if isinstance(call.operands["index"], list):
            call.operands["index"] = [each.astype(other) if isinstance(each, np.ndarray) else each for each in call.operands["index"]]
            return all(each.size for each in call.operands["index"] if isinstance(each, np.ndarray))
        call.dtypes["index"] = other
        return replaced(call, "index", call.operands["index"].astype(other)) and call.operands["index"].size > 0
    return change


def another_rank(name):
    def change(rng, call):
        return call.operands["index"].size > 0 and call.operands[name].ndim == call.data.ndim and replaced(call, name, call.operands[name][np.newaxis])
    return change


def matrix_of_indices(rng, call):
    index = call.operands["index"]
    return index.size > 0 and replaced(call, "index", index.reshape(1, -1))


def index_longer_off_the_axis(rng, call):
    axes = [axis for axis in range(call.data.ndim) if axis != data_axis(call)]
    if not axes or size_of(call) == 0:
        return False
    axis = int(rng.choice(axes))
    shape = [max(1, size) for size in call.operands["index"].shape]
    shape[axis] = call.data.shape[axis] + 1
    if "src" in call.operands:
        replaced(call, "src", values(rng, call.dtype, shape))
    return replaced(call, "index", np.zeros(shape, call.operands["index"].dtype))


def updates_smaller_than_index(rng, call):
    shape = list(call.operands["index"].shape)
    if "src" not in call.operands or min(shape, default=0) < 2:
        return False
    shape[rng.integers(len(shape))] -= 1
    return replaced(call, "src", values(rng, call.dtype, shape))


def resized(by):
    """Updates whose length along one axis is wrong."""
    def change(rng, call):
        name = updates_of(call)
        shape = list(call.operands[name].shape)
        if not shape or min(shape) < 1 or "index" in call.operands and call.operands["index"].size == 0:
            return False
        axis = int(rng.integers(len(shape)))
        shape[axis] += by
        return replaced(call, name, values(rng, call.dtype, shape))
    return change


def attribute(name, value):
    def change(rng, call):
        call.line[name] = value(call) if callable(value) else value
        return True
    return change


def without(name):
    def change(rng, call):
        where = call.line if name in call.line else call.operands
        return where.pop(updates_of(call) if name == "updates" else name, None) is not None
    return change


def data_of_rank_0(rng, call):
    call.line |= {"dim": 0} if "dim" in call.line else {}
    return replaced(call, "input", values(rng, call.dtype, ()))


def word_without_meaning(word, *dtypes):
    def change(rng, call):
        call.line["reduce"] = word
        return call.dtype in dtypes
    return change


def too_many_indices(rng, call):
    return replaced(call, "index", [np.zeros(1, np.int64)] * (call.data.ndim + 1)) and replaced(call, "values", values(rng, call.dtype, (1,)))


def no_index(rng, call):
    return call.data.size > 0 and replaced(call, "index", [None]) and replaced(call, "values", values(rng, call.dtype, ()))


def mask_of_another_shape(rng, call):
    return replaced(call, "index", [np.ones(call.data.shape[0] + 1, bool)]) and replaced(call, "values", values(rng, call.dtype, ()))


def indices_that_do_not_broadcast(rng, call):
    if call.data.ndim < 2 or min(call.data.shape[:2]) == 0:
        return False
    return replaced(call, "index", [np.zeros(2, np.int64), np.zeros(3, np.int64)]) and replaced(call, "values", values(rng, call.dtype, ()))


def values_that_do_not_broadcast(rng, call):
    shape = indexed_shape(call.data.shape, call.operands["index"])
    return min(shape, default=0) > 0 and replaced(call, "values", values(rng, call.dtype, (*shape[:-1], shape[-1] + 2)))


def values_of_a_larger_rank(rng, call):
    shape = indexed_shape(call.data.shape, call.operands["index"])
    return replaced(call, "values", values(rng, call.dtype, (1, *shape)))


def mask_of_dtype(dtype):
    def change(rng, call):
        call.dtypes["mask"] = dtype
        return replaced(call, "mask", call.operands["mask"].astype(dtype))
    return change


def larger_mask(rng, call):
    shape = call.data.shape
    if call.data.size == 0:
        return False
    if "source" in call.operands:
        replaced(call, "source", values(rng, call.dtype, (2 * call.data.size,)))
    return replaced(call, "mask", a_mask(rng, (2, *shape)))


def mask_that_does_not_broadcast(rng, call):
    return call.data.ndim > 0 and replaced(call, "mask", a_mask(rng, (*call.data.shape[:-1], call.data.shape[-1] + 2)))


def too_few_values(rng, call):
    trues = int(np.broadcast_to(call.operands["mask"], call.data.shape).sum())
    return trues > 0 and replaced(call, "source", values(rng, call.dtype, (trues - 1,)))


def value_of_rank_1(rng, call):
    return replaced(call, "value", values(rng, call.dtype, (1,)))


def other_number_of_updates(rng, call):
    size = call.operands["index"].size
    return size > 0 and replaced(call, "source", values(rng, call.dtype, (size + int(rng.choice([-1, 1])),)))


def index_of_nothing(rng, call):
    replaced(call, "input", values(rng, call.dtype, (0, 3)))
    return call.operands["index"].size > 0


def the_same_axis(rng, call):
    call.line |= {"dim1": 0, "dim2": int(rng.choice([0, -call.data.ndim]))}
    return True


def vector_data(rng, call):
    for word in ("dim1", "dim2"):
        call.line.pop(word, None)
    return replaced(call, "input", values(rng, call.dtype, (3,)))


ABOVE, BELOW = "an index at or beyond the end", "an index below the first"
WITH_DIM = (*ELEMENTS, *ROWS, "slice_scatter", "select_scatter")
WITH_INDEX = (*ELEMENTS, *ROWS, "index_put", "put")
EXACT = ("index_add", "index_copy", "index_reduce", "slice_scatter", "select_scatter", "diagonal_scatter")
BROKEN = (
    (ABOVE, (*WITH_INDEX, "select_scatter"), above),
    (BELOW, (*WITH_INDEX, "select_scatter"), below),
    ("updates of another dtype", NAMES, updates_of_another_dtype),
    ("indices of float32", (*WITH_INDEX, "select_scatter"), index_of_dtype("float32")),
    ("indices of int16", WITH_INDEX, index_of_dtype("int16")),
    ("indices of int32", ONLY_INT64, index_of_dtype("int32")),
    ("indices of uint8", ("index_put",), index_of_dtype("uint8")),
    ("data of rank 0", NAMES, data_of_rank_0),
    ("an index of another rank", ELEMENTS, another_rank("index")),
    ("a matrix of indices", ROWS, matrix_of_indices),
    ("updates of another rank", ELEMENTS, lambda rng, call: "src" in call.operands and another_rank("src")(rng, call)),
    ("updates of another rank", EXACT[:3], another_rank("source")),
    ("updates of another rank", EXACT[3:], lambda rng, call: replaced(call, "src", call.operands["src"][np.newaxis])),
    ("an index longer than data off the axis", ELEMENTS, index_longer_off_the_axis),
    ("updates smaller than the index", ELEMENTS, updates_smaller_than_index),
    ("updates too small", EXACT, resized(-1)),
    ("updates too large", EXACT, resized(1)),
    ("a dim beyond the rank", WITH_DIM, attribute("dim", lambda call: call.data.ndim)),
    ("a dim below the rank", WITH_DIM, attribute("dim", lambda call: -call.data.ndim - 1)),
    ("a dim beyond the rank", ("diagonal_scatter",), attribute("dim1", lambda call: call.data.ndim)),
    ("no dim", (*ELEMENTS, *ROWS, "select_scatter"), without("dim")),
    ("no index", (*WITH_INDEX, "select_scatter"), without("index")),
    ("no mask", ("masked_fill", "masked_scatter"), without("mask")),
    ("no updates", NAMES, without("updates")),
    ("an unknown word of reduce", ("scatter", *REDUCES), attribute("reduce", "median")),
    ("a word that is not documented", ("scatter_reduce",), attribute("reduce", "max")),
    ("a word of reduce of another operation", ("scatter_reduce",), attribute("reduce", "add")),
    ("a word of reduce of another operation", ("scatter", "index_reduce"), attribute("reduce", "sum")),
    ("a mean of bool", tuple(REDUCES), word_without_meaning("mean", "bool")),
    ("a mean of complex numbers", tuple(REDUCES), word_without_meaning("mean", *COMPLEX)),
    ("a maximum of complex numbers", tuple(REDUCES), word_without_meaning("amax", *COMPLEX)),
    ("no word of reduce", tuple(REDUCES), without("reduce")),
    ("too many indices", ("index_put",), too_many_indices),
    ("no index but whole axes", ("index_put",), no_index),
    ("a mask of another shape", ("index_put",), mask_of_another_shape),
    ("indices that do not broadcast", ("index_put",), indices_that_do_not_broadcast),
    ("values that do not broadcast", ("index_put",), values_that_do_not_broadcast),
    ("values of a larger rank", ("index_put",), values_of_a_larger_rank),
    ("another number of updates", ("put",), other_number_of_updates),
    ("data without elements", ("put",), index_of_nothing),
    ("a mask of integers", ("masked_fill", "masked_scatter"), mask_of_dtype("int64")),
    ("a mask of uint8", ("masked_fill", "masked_scatter"), mask_of_dtype("uint8")),
    ("a mask larger than data", ("masked_fill", "masked_scatter"), larger_mask),
    ("a mask that does not broadcast", ("masked_fill", "masked_scatter"), mask_that_does_not_broadcast),
    ("fewer values than trues", ("masked_scatter",), too_few_values),
    ("a value of rank 1", ("masked_fill", "index_fill"), value_of_rank_1),
    ("step 0", ("slice_scatter",), attribute("step", 0)),
    ("a negative step", ("slice_scatter",), attribute("step", -1)),
    ("one axis twice", ("diagonal_scatter",), the_same_axis),
    ("data of rank 1", ("diagonal_scatter",), vector_data),
)


def broken_call(rng, name, number):
    return in_turns(rng, name, number, BROKEN, lambda: FORMS[name](rng, name, str(rng.choice(DTYPES))))


# Why the two part.


def is_float(outcome):
    return outcome.call.dtype in FLOATS + COMPLEX


def is_masked_fill(call):
    """index_put of one value where masks are the only items is masked_fill in PyTorch, which takes a number."""
    arrays = [each for each in call.operands.get("index", []) if isinstance(each, np.ndarray)] if name_of(call) == "index_put" else []
    return bool(arrays) and all(each.dtype == bool for each in arrays) and call.operands["values"].size == 1


def computes(call):
    """Whether values go through arithmetic, float32 or a number; else their bits are kept."""
    return (name_of(call) in (*ELEMENTS, "index_add", "index_reduce") or call.line.get("accumulate", False) or "value" in call.operands
            or is_masked_fill(call))


def is_nan_alone(outcome):
    return is_float(outcome) and computes(outcome.call) and not outcome.unlike().any()


def saying(text, *names, dtypes):
    """A legal call that PyTorch refuses with these words."""
    return lambda outcome: (not outcome.call.broken and text in outcome.refusal and outcome.call.dtype in dtypes
                            and (not names or name_of(outcome.call) in names))


def broken_by(*words, names=NAMES):
    return lambda outcome: outcome.call.broken in words and name_of(outcome.call) in names


def casts(outcome):
    return outcome.call.broken == "updates of another dtype" and (name_of(outcome.call) in CASTING or is_masked_fill(outcome.call))


def arrays_of(call):
    for value in call.operands.values():
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, np.ndarray))


def writes_nothing(outcome):
    return outcome.call.broken in (ABOVE, BELOW) and same_bits(outcome.theirs, outcome.call.data)


def is_empty_reduction(outcome):
    return outcome.call.broken in ("a maximum of complex numbers", "a mean of bool") and any(each.size == 0 for each in arrays_of(outcome.call))


def is_tie_of_zeros(outcome):
    places = outcome.unlike()
    return name_of(outcome.call) == "index_reduce" and not any(floats_of(each, outcome.call.dtype)[places].any() for each in (outcome.ours, outcome.theirs))


def is_infinite_complex(outcome):
    """Each element that differs met an infinity or NaN, which alpha, a complex number, makes NaN."""
    return name_of(outcome.call) == "index_add" and outcome.call.dtype in COMPLEX and not np.isfinite(floats_of(outcome.theirs, None)[outcome.unlike()]).any()


def is_another_of_several(outcome):
    return torch.get_num_threads() > 1 and name_of(outcome.call) in ("index_copy", "index_put", "put") and outcome.legal


def is_complex_product(outcome):
    return outcome.call.dtype in COMPLEX and outcome.call.line.get("reduce") in ("multiply", "prod") and is_near(outcome)


def fused(call):
    """index_add with one rounding of input + alpha * source, of half floats to float32 first; in float64, where products of float32 are exact."""
    data, source = (np.moveaxis(held(floats_of(call.operands[name], call.dtype)), call.line["dim"], 0).copy() for name in ("input", "source"))
    alpha = rounded(np.array(call.line["alpha"], np.float64), call.dtype)
    for place, row in zip(call.operands["index"].reshape(-1), source):
        data[place] = rounded(sum_of_product(data[place], alpha, row).astype(data.dtype), call.dtype)
    return np.moveaxis(data, 0, call.line["dim"])


def held(values):
    return values if values.dtype == np.float64 else values.astype(np.float32)


def rounded(values, dtype):
    if dtype == "bfloat16":
        return torch.from_numpy(np.array(values, np.float32)).to(torch.bfloat16).float().numpy()
    return held(np.asarray(values).astype(dtype))


def sum_of_product(data, alpha, row):
    if data.dtype == np.float32:
        return data.astype(np.float64) + np.float64(alpha) * row.astype(np.float64)
    return np.vectorize(exact_sum, otypes=[np.float64])(data, alpha, row)


def exact_sum(x, alpha, y):
    if not np.isfinite([x, alpha, y]).all() or 0 in (x, alpha, y):
        return x + alpha * y
    return float(fractions.Fraction(float(x)) + fractions.Fraction(float(alpha)) * fractions.Fraction(float(y)))


def is_fused(outcome):
    """Each element is what one rounding leaves, or two: half floats have one only in a whole vector."""
    call = outcome.call
    if call.dtype not in FLOATS or call.line.get("alpha", 1) == 1:
        return False
    with np.errstate(all="ignore"):
        once, theirs = fused(call), held(floats_of(outcome.theirs, call.dtype))
    return bool(((theirs == once) | (theirs != theirs) & (once != once) | ~outcome.unlike()).all())


GROWING = ("a mask larger than data", "a mask that does not broadcast")
CASTING = ("scatter", "index_fill", "masked_fill", "slice_scatter", "select_scatter", "diagonal_scatter")
DIFFERENCES = (
    Difference("different", "NaN with other bits: in PyTorch half floats go through float32, also where nothing is written, and one value for all through a number; x86 signs some NaN", is_nan_alone),
    Difference("different", "half floats are summed in float32 where data has rank 2 or more, dim is its first or last axis, index is int64 and alpha 1: as `--accumulator f32`",
               None, {"accumulator": "f32"}, ("torch.index_add",)),
    Difference("different", "input + alpha * source is rounded once where data has rank 2 or more; tscatter rounds the product first, as PyTorch does for rank 1", is_fused),
    Difference("different", "the count of a mean does not stall where data has rank 2 or more, dim is its first or last axis and index is int64: as `--divisor dtype`",
               None, {"divisor": "dtype"}, ("torch.index_reduce",)),
    Difference("different", "of 0.0 and -0.0 the update stays where rows fill a vector of the processor, else data's value", is_tie_of_zeros),
    Difference("different", "an infinity or NaN among complex numbers: PyTorch multiplies by alpha as a complex number, also by 1", is_infinite_complex),
    Difference("different", "a product of complex numbers is rounded once less: the processor's fused instructions", is_complex_product),
    Difference("different", "with several threads any of the updates of a place stays, or their sums have another order", is_another_of_several),
    Difference("library refuses", "PyTorch has no uint16, uint32 and uint64 there, or only for some ranks and attributes", saying("not implemented for", dtypes=WIDE)),
    Difference("library refuses", "PyTorch has no bool and no complex numbers where data has rank 1, or include_self is false",
               saying("not implemented for", "index_reduce", dtypes=("bool", *COMPLEX))),
    Difference("library refuses", "an internal assertion of PyTorch, for half floats whose rows have one element", saying("INTERNAL ASSERT FAILED", "index_reduce", dtypes=HALVES)),
    Difference("tscatter refuses", "data of rank 0; tscatter takes the same data of shape [1]", broken_by("data of rank 0")),
    Difference("tscatter refuses", "PyTorch casts updates, also to a dtype that does not hold them", casts),
    Difference("tscatter refuses", "PyTorch does not look at indices where nothing is written: an axis of length 0, a slice or a mask that takes nothing", writes_nothing),
    Difference("tscatter refuses", "PyTorch's functions grow data to the shape of the mask; its methods with _ refuse", broken_by(*GROWING)),
    Difference("tscatter refuses", "PyTorch does not look at the dtype of a reduction where nothing is written", is_empty_reduction),
    Difference("tscatter refuses", "PyTorch takes uint8 for a mask, with a warning", broken_by("indices of uint8")),
    Difference("tscatter refuses", "PyTorch takes max and min for amax and amin; its text does not have them", broken_by("a word that is not documented")),
    Difference("tscatter refuses", "tscatter has no mean of complex numbers", broken_by("a mean of complex numbers")),
    Difference("library refuses", "an internal assertion of PyTorch, or a mask it does not find, where an index has only whole axes", broken_by("no index but whole axes")),
)


PAGE = """ Data has rank 1 to 4 and at times no elements, in all dtypes that both have, with NaN, infinities and both zeros; few or many updates meet; \
dims, offsets and positions are negative, too. An index of index_put has positions, masks and whole axes; its slices are taken by PyTorch before."""

if __name__ == "__main__":
    main(Library("torch", "PyTorch", torch.__version__, NAMES, legal_call, broken_call, run, DIFFERENCES, torch.set_num_threads, PAGE))
