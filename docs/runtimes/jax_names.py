"""Random calls of JAX's own names (jax.lax.scatter_add, x.at[…].add, …) on JAX, of StableHLO's names on its reference interpreter, of xla.scatter on XLA, and of all on
tscatter, bit for bit:
  jax_names.py TSCATTER [--legal N] [--broken N] [--seed N] [--threads N] [--only NAME]… [--page FILE]

Needs jax and numpy. Ends with 1 if the two part for a reason that DIFFERENCES does not have. --page writes the counts into a section of FILE.
"""
from own_names import (  # first: it says what is missing
    Call, Difference, Library, a_mask, floats_of, in_turns, is_near, main, replaced, same_bits, shape_of, some_order, values)

import os
import warnings

import jax
import ml_dtypes
import numpy as np

import stablehlo_module

warnings.simplefilter("ignore")  # what JAX calls an unsafe cast
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

FLOATS, COMPLEX = ("float16", "bfloat16", "float32", "float64"), ("complex64", "complex128")
SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *SIGNED, *UNSIGNED, *FLOATS, "float16", "bfloat16", *COMPLEX)  # half floats twice: they are rounded most
MODES = ("drop", "fill", "clip", "promise_in_bounds", "one_hot")
ATTRIBUTES = ("mode", "indices_are_sorted", "unique_indices", "wrap_negative_indices", "allow_negative_indices")
AT = tuple(f"jax.at.{word}" for word in ("add", "max", "min", "multiply", "set", "subtract"))
LAX = tuple(f"jax.lax.scatter{word}" for word in ("", "_add", "_max", "_min", "_mul", "_sub"))
TEXTS = ("stablehlo.scatter", "xla.scatter")
SEGMENTS = tuple(f"jax.ops.segment_{word}" for word in ("max", "min", "prod", "sum"))
BLOCKS = ("jax.lax.dynamic_update_slice", "stablehlo.dynamic_update_slice")
NAMES = (*AT, *LAX, *SEGMENTS, *TEXTS, *BLOCKS)
SUMMING, COMPARING = ("add", "multiply", "subtract", "mul", "sub"), ("max", "min")
DATA_NAMES = {"at": "data", "lax": "operand", "stablehlo": "input", "xla": "operand"}


def word_of(call):
    """What it does with the element that is there: "add", "set", …"""
    last = call.op.rpartition(".")[2].removeprefix("scatter").lstrip("_")
    return call.line.get("update_computation", last or "set")


def data_name_of(op):
    return "operand" if op in BLOCKS else DATA_NAMES[op.split(".")[-2]]


# How JAX is called: by the words that jobs have, too.


def typed(array, dtype):
    return jax.numpy.asarray(array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array)


def plain(result, like):
    return np.asarray(result).view(like.dtype)


def item_of(item):
    """Of an index: None is a whole axis in jobs."""
    words = {"...": Ellipsis, "None": None, "newaxis": None}
    return slice(None) if item is None else words[item] if isinstance(item, str) else item


def words_of(call):
    return {key: value for key, value in call.line.items() if key in ATTRIBUTES}


def at(call):
    place = typed(call.operands["data"], call.dtypes["data"]).at[tuple(item_of(each) for each in call.operands["index"])]
    return plain(getattr(place, word_of(call))(typed(call.operands["updates"], call.dtypes["updates"]), **words_of(call)), call.operands["data"])


def lax(call):
    names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "operand_batching_dims", "scatter_indices_batching_dims")
    numbers = jax.lax.ScatterDimensionNumbers(*(tuple(call.operands.get(name, np.zeros(0, int)).tolist()) for name in names))
    operands = (typed(call.operands[name], call.dtypes[name]) for name in ("operand", "scatter_indices", "updates"))
    return plain(getattr(jax.lax, call.op.rpartition(".")[2])(*operands, numbers, **words_of(call)), call.operands["operand"])


def segments(call):
    words = words_of(call) | {key: value for key, value in call.line.items() if key == "num_segments"}
    data, ids = (typed(call.operands[name], call.dtypes[name]) for name in ("data", "segment_ids"))
    return plain(getattr(jax.ops, call.op.rpartition(".")[2])(data, ids, **words), call.operands["data"])


def block(call):
    names = ("operand", "updates", "indices")
    operand, update, starts = (typed(call.operands[name], call.dtypes[name]) for name in names)
    return plain(jax.lax.dynamic_update_slice(operand, update, starts, **words_of(call)), call.operands["operand"])


RUN = {"at": at, "lax": lax, "ops": segments, "stablehlo": stablehlo_module.interpreted, "xla": stablehlo_module.compiled}
RUN_BLOCK = dict(zip(BLOCKS, (block, stablehlo_module.interpreted_block)))


def run(call):
    """Of a Call, or of a Case of cases.py."""
    if call.op in BLOCKS:
        return RUN_BLOCK[call.op](call)
    return RUN[call.op.split(".")[-2]](call)


# What is drawn.


def drawn(rng, name, dtype, shape, **operands):
    """A call of data of this shape; operands: arrays of data's dtype or, as pairs, of the dtype beside them."""
    call = Call({"op": name}, {}, {})
    for key, value in {data_name_of(name): values(rng, dtype, shape), **operands}.items():
        array, kind = value if isinstance(value, tuple) else (value, dtype)
        call.operands[key] = array if isinstance(array, list) else some_order(rng, array)
        call.dtypes[key] = kind
    return call


def index_dtype(rng, low, high):
    """One that holds these numbers."""
    dtypes = [each for each in (*SIGNED, *UNSIGNED, "int32", "int64", "int32", "int64") if np.iinfo(each).min <= low and high <= np.iinfo(each).max]
    return str(rng.choice(dtypes))


def entries(rng, low, high, shape):
    """Numbers of [low, high), of a long axis at times only those that one byte holds. Some are drawn from all, some from two: they meet."""
    high = min(high, int(rng.choice([128, 256, 300])))
    few = rng.integers(low, high, 2) if high > low and rng.random() < 0.4 else None
    return np.asarray(rng.choice(few, shape) if few is not None else rng.integers(low, max(high, low + 1), shape))


def far_away(rng, array):
    """One number at an end of its dtype."""
    limits = np.iinfo(array.dtype)
    if array.size and rng.random() < 0.05:
        array.flat[rng.integers(array.size)] = rng.choice(np.array([limits.min, limits.max], array.dtype))
    return array


def any_mode(rng, call):
    if rng.random() < 0.6:
        call.line["mode"] = str(rng.choice(MODES))
    return call.line.get("mode", "drop")


def promises(rng, call, unique):
    if rng.random() < 0.15:
        call.line["indices_are_sorted"] = False
    if rng.random() < 0.3:
        call.line["unique_indices"] = bool(unique and rng.random() < 0.7)


# An index of JAX's `at`.


def slice_of(rng, size):
    ends = [None if rng.random() < 0.4 else int(rng.integers(-size - 1, size + 2)) for _ in range(2)]
    return slice(*ends, (None, 1, 2, -1, -2)[rng.integers(5)])


def positions(rng, size, shape, mode, wraps):
    """Legal ones where JAX is promised that they are."""
    promised = mode == "promise_in_bounds"
    beyond = 0 if promised or rng.random() < 0.5 else 2
    low, high = (-size if wraps or not promised else 0) - beyond, size + beyond
    if rng.random() < 0.3:
        low = 0
    if low >= high:
        shape = (*shape[:-1], 0)
    array = entries(rng, low, high, shape)
    array = array.astype(index_dtype(rng, *((int(array.min()), int(array.max())) if array.size else (0, 0))))
    return array if promised else far_away(rng, array)


def common_shape(rng, shape):
    ones = tuple(1 if rng.random() < 0.3 else size for size in shape)
    return ones[int(rng.integers(0, len(ones) + 1)):] if rng.random() < 0.3 else ones


def item(rng, kind, rest, common, mode, wraps):
    """And the number of axes that it takes; rest: their lengths."""
    if kind == "slice":
        return slice_of(rng, rest[0]), 1
    if kind == "mask":
        taken = int(rng.integers(1, len(rest) + 1))
        return a_mask(rng, rest[:taken]), taken
    if kind == "positions":
        return positions(rng, rest[0], common_shape(rng, common), mode, wraps), 1
    if kind == "integer" and (rest[0] or mode != "promise_in_bounds"):
        return positions(rng, rest[0] or 1, (), mode, wraps), 1
    return None, 1


def items(rng, shape, mode, wraps):
    common = tuple(int(size) for size in rng.integers(1, 4, rng.integers(0, 3)))
    found, axis, dots = [], 0, False
    while axis < len(shape) and not (found and rng.random() < 0.15):
        kind = str(rng.choice(["slice", "whole", "mask", "positions", "integer", "None", "..."], p=[0.12, 0.12, 0.12, 0.44, 0.06, 0.07, 0.07]))
        if kind == "...":
            taken = 0 if dots else int(rng.integers(0, len(shape) - axis + 1))
            found, dots = found if dots else [*found, kind], True
        elif kind == "None":
            found, taken = [*found, kind], 0
        else:
            one, taken = item(rng, kind, shape[axis:], common, mode, wraps)
            found.append(one)
        axis += taken
    if axis < len(shape) and dots:  # it takes the others, too, of which items may have other lengths
        return items(rng, shape, mode, wraps)
    return found


def indexed_shape(shape, index):
    """Of the places that an index names; None where its items do not go together. Positions of an axis of length 0 are outside: NumPy refuses them."""
    here = tuple(np.zeros_like(each) if isinstance(each, np.ndarray) and each.dtype != bool else item_of(each) for each in index)
    try:
        return np.broadcast_to(np.zeros(()), shape)[here].shape
    except IndexError:
        return None


def is_unique(shape, index):
    try:
        places = np.arange(int(np.prod(shape))).reshape(shape)[tuple(item_of(each) for each in index)]
    except (IndexError, OverflowError):
        return False
    return np.unique(places).size == places.size


def at_form(rng, name, dtype):
    shape = shape_of(rng) if rng.random() < 0.95 else (300, *shape_of(rng, 0, 1))
    line = {}
    mode, wraps = (str(rng.choice(MODES)) if rng.random() < 0.6 else None), True
    if rng.random() < 0.3:
        wraps = line["wrap_negative_indices"] = bool(rng.random() < 0.3)
    index = items(rng, shape, mode, wraps)
    result = indexed_shape(shape, index)
    if result is None:
        return at_form(rng, name, dtype)
    small = tuple(1 if rng.random() < 0.2 else size for size in result)[int(rng.integers(0, len(result) + 1)) if rng.random() < 0.3 else 0:]
    call = drawn(rng, name, dtype, shape, index=(index, None), updates=values(rng, dtype, small))
    call.line |= line | ({"mode": mode} if mode else {})
    promises(rng, call, is_unique(shape, index) and wraps)
    return call


# Windows, by dimension numbers.


def split(rng, rank):
    """Axes of data: inserted ones, batching ones and those of windows."""
    kinds = rng.choice(3, rank, p=[0.35, 0.15, 0.5])
    return tuple([axis for axis in range(rank) if kinds[axis] == kind] for kind in range(3))


def put_in(rng, sizes, others):
    """A shape of `others` with `sizes` among them, and their axes in that order."""
    rank = len(sizes) + len(others)
    axes = sorted(int(each) for each in rng.permutation(rank)[:len(sizes)])
    rest, shape = iter(others), [0] * rank
    for axis in range(rank):
        shape[axis] = sizes[axes.index(axis)] if axis in axes else next(rest)
    return tuple(shape), axes


def starts(rng, shape, window, mapped, count, mode):
    """[entry, number] of index vectors, and whether the entries differ, each a window of length 1."""
    columns = []
    for axis in mapped:
        beyond = 0 if mode == "promise_in_bounds" or rng.random() < 0.5 else 2
        columns.append(entries(rng, -beyond, shape[axis] - window[axis] + 1 + beyond, count))
    vectors = np.stack(columns, -1) if columns else np.zeros((count, 0), int)
    alone = all(window[axis] == 1 for axis in mapped) and len({tuple(each) for each in vectors.tolist()}) == count
    return vectors, count < 2 or alone and mode != "clip"


def lists_of(name, shape, update_dims, inserted, batching, batching_axes, mapped):
    first = "operand" if name in LAX else "input"
    return {"update_window_dims": update_dims, "inserted_window_dims": inserted, f"{first}_batching_dims": batching,
            "scatter_indices_batching_dims": batching_axes, "scatter_dims_to_operand_dims": mapped}


def window_sizes(rng, shape, inserted, batching):
    sizes = []
    for axis, length in enumerate(shape):
        whole = length == 0 or rng.random() < 0.4
        sizes.append(1 if axis in (*inserted, *batching) else length if whole else int(rng.integers(1, length + 1)))
    return sizes


def window_form(rng, name, dtype):
    shape = shape_of(rng) if rng.random() < 0.95 else (300, *shape_of(rng, 0, 1))
    inserted, batching, inside = split(rng, len(shape))
    if any(shape[axis] == 0 for axis in inserted) and rng.random() < 0.9:
        return window_form(rng, name, dtype)
    window = window_sizes(rng, shape, inserted, batching)
    mapped = [int(axis) for axis in rng.permutation(inserted + inside) if rng.random() < (0.9 if axis in inserted else 0.5)]
    if not mapped and rng.random() < 0.8 and inserted + inside:
        mapped = [int(rng.choice(inserted + inside))]
    free = tuple(int(size) for size in rng.choice([0, 1, 2, 3, 5, 30], rng.integers(0, 3), p=[0.03, 0.2, 0.3, 0.3, 0.1, 0.07]))
    scatter, batching_axes = put_in(rng, [shape[axis] for axis in batching], free)
    mode = str(rng.choice(MODES)) if name in LAX and rng.random() < 0.6 else None
    vectors, unique = starts(rng, shape, window, mapped, int(np.prod(scatter)), mode)
    low, high = (int(vectors.min()), int(vectors.max())) if vectors.size else (0, 0)
    kind = index_dtype(rng, low, high)
    indices = vectors.astype(kind).reshape(*scatter, len(mapped))
    if mode != "promise_in_bounds":
        indices = far_away(rng, indices)
    vector_axis = len(scatter) if name in LAX or rng.random() < 0.4 else int(rng.integers(len(scatter) + 1))
    indices = np.moveaxis(indices, -1, vector_axis)
    update_shape, update_dims = put_in(rng, [window[axis] for axis in inside], scatter)
    shifted = [axis + (axis >= vector_axis) for axis in batching_axes]
    if name not in LAX and len(mapped) == 1 and rng.random() < 0.3:
        indices, vector_axis, shifted = np.squeeze(indices, vector_axis), len(scatter), batching_axes
    call = drawn(rng, name, dtype, shape, scatter_indices=(indices, kind), updates=values(rng, dtype, update_shape))
    for key, numbers in lists_of(name, shape, update_dims, inserted, batching, shifted, mapped).items():
        if numbers or rng.random() < 0.2:
            call.operands[key], call.dtypes[key] = np.array(numbers, np.int64), "int64"
    if name in TEXTS:
        call.operands["index_vector_dim"], call.dtypes["index_vector_dim"] = np.array(vector_axis), "int64"
        call.line["update_computation"] = str(rng.choice(bodies_of(dtype)))
    call.line |= {"mode": mode} if mode else {}
    promises(rng, call, unique and not batching)
    return call


def bodies_of(dtype):
    bits = ("and", "or", "xor") if dtype in ("bool", *SIGNED, *UNSIGNED) else ()
    return ("set", "add", "mul", *(() if dtype == "bool" else ("sub",)), *(() if dtype in COMPLEX else ("min", "max")), *bits)


def segment_form(rng, name, dtype):
    count, rows = int(rng.choice([1, 2, 5, 40])), int(rng.choice([1, 3, 12, 60]))
    low, high = (-2, count + 2) if rng.random() < 0.5 else (0, count)
    ids = np.asarray(rng.integers(low, high, rows))
    kind = index_dtype(rng, low, high)
    call = Call({"op": name}, {"data": some_order(rng, values(rng, dtype, (rows, *shape_of(rng, 0, 2)))), "segment_ids": ids.astype(kind)}, {"data": dtype, "segment_ids": kind})
    if rng.random() < 0.7:
        call.line["num_segments"] = count
        any_mode(rng, call)
        if call.line.get("mode") == "promise_in_bounds":
            call.line["mode"] = "clip"
    promises(rng, call, len({*ids.tolist()}) == ids.size and low == 0)
    return call


def block_form(rng, name, dtype):
    shape = shape_of(rng) if rng.random() < 0.95 else (300, *shape_of(rng, 0, 1))
    block = tuple(int(rng.integers(0 if rng.random() < 0.1 else min(1, size), size + 1)) for size in shape)
    reach = rng.random() < 0.5
    starts = np.array([int(rng.integers(-size - 2, 2 * size + 2) if reach else rng.integers(0, size - length + 1)) for size, length in zip(shape, block)])
    kind = index_dtype(rng, int(starts.min()), int(starts.max()))
    call = drawn(rng, name, dtype, shape, indices=(far_away(rng, starts.astype(kind)), kind), updates=values(rng, dtype, block))
    if name == BLOCKS[0] and rng.random() < 0.4:
        call.line["allow_negative_indices"] = bool(rng.random() < 0.5)
    return call


FORMS = {**dict.fromkeys(BLOCKS, block_form), **dict.fromkeys(SEGMENTS, segment_form), **dict.fromkeys(AT, at_form), **dict.fromkeys((*LAX, *TEXTS), window_form)}


def has_dtype(name, dtype):
    word = name.rpartition(".")[2].removeprefix("scatter_").removeprefix("segment_")
    return not (word in (*SUMMING, "sum", "prod") and dtype == "bool" or word in COMPARING and dtype in COMPLEX)


def legal_call(rng, name):
    return FORMS[name](rng, name, str(rng.choice([each for each in DTYPES if has_dtype(name, each)])))


# What is broken. Each function changes a legal call, and says whether it is broken now.


def with_dtype(*dtypes):
    """A call of the same shapes, of a dtype for which the operation is not defined."""
    def change(rng, call):
        dtype = str(rng.choice(dtypes))
        for key in (data_name_of(call.op), "updates"):
            replaced(call, key, values(rng, dtype, call.operands[key].shape))
            call.dtypes[key] = dtype
        return True
    return change


def body_without_meaning(words, dtypes):
    def change(rng, call):
        call.line["update_computation"] = str(rng.choice(words))
        return with_dtype(*dtypes)(rng, call)
    return change


def updates_of_another_dtype(rng, call):
    other = "int32" if call.dtype != "int32" else "int64"
    call.dtypes["updates"] = other
    return replaced(call, "updates", np.zeros(call.operands["updates"].shape, other))


def data_of_rank_0(rng, call):
    if call.op in AT:
        replaced(call, "index", ["..."])
    else:
        for key in list(call.operands):
            if key.endswith("dims"):
                del call.operands[key]
        replaced(call, "scatter_indices", np.zeros(0, call.operands["scatter_indices"].dtype))
        if "index_vector_dim" in call.operands:
            replaced(call, "index_vector_dim", np.array(0))
    replaced(call, "updates", values(rng, call.dtype, ()))
    return replaced(call, data_name_of(call.op), values(rng, call.dtype, ()))


def without(name):
    return lambda rng, call: call.operands.pop(name, None) is not None


def attribute(name, value):
    def change(rng, call):
        call.line[name] = value
        return True
    return change


def each_item(change):
    """Changes the first array of an index that `change` changes: it returns None for others."""
    def changed(rng, call):
        for place, each in enumerate(call.operands["index"]):
            new = change(rng, each) if isinstance(each, np.ndarray) else None
            if new is not None:
                call.operands["index"] = [*call.operands["index"][:place], new, *call.operands["index"][place + 1:]]
                return True
        return False
    return changed


def floats(rng, array):
    return array.astype(np.float32) if array.dtype != bool else None


def longer_mask(rng, array):
    return np.concatenate([array, np.ones((1, *array.shape[1:]), bool)]) if array.dtype == bool else None


def too_many_items(rng, call):
    index = [None] * call.data.ndim + [np.zeros(1, np.int64)]
    return replaced(call, "index", index) and replaced(call, "updates", values(rng, call.dtype, ()))


def two_ellipses(rng, call):
    return replaced(call, "index", ["...", "..."]) and replaced(call, "updates", values(rng, call.dtype, ()))


def step_0(rng, call):
    return replaced(call, "index", [slice(None, None, 0)]) and replaced(call, "updates", values(rng, call.dtype, ()))


def indices_that_do_not_broadcast(rng, call):
    index = [np.zeros(2, np.int64), np.zeros(3, np.int64)]
    return call.data.ndim > 1 and min(call.data.shape[:2]) > 0 and replaced(call, "index", index) and replaced(call, "updates", values(rng, call.dtype, ()))


def resized_values(rng, call):
    shape = indexed_shape(call.data.shape, call.operands["index"])
    return min(shape, default=0) > 0 and replaced(call, "updates", values(rng, call.dtype, (*shape[:-1], shape[-1] + 2)))


def values_of_a_larger_rank(rng, call):
    shape = indexed_shape(call.data.shape, call.operands["index"])
    return replaced(call, "updates", values(rng, call.dtype, (1, *shape)))


def float_indices(rng, call):
    call.dtypes["scatter_indices"] = "float32"
    return replaced(call, "scatter_indices", call.operands["scatter_indices"].astype(np.float32))


def rank_0_indices(rng, call):
    return replaced(call, "scatter_indices", np.zeros((), call.operands["scatter_indices"].dtype)) and call.op in LAX


def numbers(call, name):
    return call.operands[name].tolist() if name in call.operands else []


def some_list(rng, call, least=1):
    names = [name for name in call.operands if name.endswith("dims") and call.operands[name].size >= least]
    return str(rng.choice(names)) if names else None


def dims_outside(rng, call):
    name = some_list(rng, call)
    if name is None:
        return False
    array = call.operands[name].copy()
    array[-1] = rng.choice([-1, 9])
    return replaced(call, name, array)


def a_dim_twice(rng, call):
    name = some_list(rng, call, 2)
    if name is None:
        return False
    array = call.operands[name].copy()
    array[1] = array[0]
    return replaced(call, name, array)


def unsorted_dims(rng, call):
    name = "update_window_dims"
    return len(numbers(call, name)) > 1 and replaced(call, name, call.operands[name][::-1].copy())


def a_dim_less(rng, call):
    name = some_list(rng, call)
    return name is not None and replaced(call, name, call.operands[name][:-1])


def inserted_and_batching(rng, call):
    name = "operand_batching_dims" if call.op in LAX else "input_batching_dims"
    if not numbers(call, "inserted_window_dims") or not numbers(call, name):
        return False
    array = call.operands[name].copy()
    array[0] = call.operands["inserted_window_dims"][0]
    return replaced(call, name, array)


def batching_sizes(rng, call):
    axes = numbers(call, "scatter_indices_batching_dims")
    if not axes:
        return False
    indices = call.operands["scatter_indices"]
    return replaced(call, "scatter_indices", np.concatenate([indices, np.take(indices, [0], axes[0])], axes[0])) if indices.size else False


def updates_resized(by):
    def change(rng, call):
        """Along an axis of the entries."""
        updates, inside = call.operands["updates"], numbers(call, "update_window_dims")
        axes = [axis for axis in range(updates.ndim) if axis not in inside]
        if not axes or min(updates.shape) < 1:
            return False
        shape = list(updates.shape)
        shape[int(rng.choice(axes))] += by
        return replaced(call, "updates", values(rng, call.dtype, shape))
    return change


def window_larger_than_data(rng, call):
    inside = numbers(call, "update_window_dims")
    if not inside:
        return False
    shape = list(call.operands["updates"].shape)
    shape[inside[-1]] = max(call.data.shape) + 1
    return replaced(call, "updates", values(rng, call.dtype, shape))


def updates_of_another_rank(rng, call):
    return replaced(call, "updates", call.operands["updates"][np.newaxis])


def vector_dim_outside(rng, call):
    return replaced(call, "index_vector_dim", np.array(rng.choice([-1, call.operands["scatter_indices"].ndim + 1])))


def dims_that_descend(rng, call):
    names = [name for name in call.operands if name.startswith("inserted") or name.endswith("batching_dims") and not name.startswith("scatter")]
    long = [name for name in names if call.operands[name].size > 1]
    for name in long + ["scatter_indices_batching_dims"] * any(name.endswith("batching_dims") for name in long):
        replaced(call, name, call.operands[name][::-1].copy())
    return bool(long)


WINDOWS = (*LAX, *TEXTS)
OF_BOOL = tuple(name for name in NAMES if not has_dtype(name, "bool"))
OF_COMPLEX = tuple(name for name in NAMES if not has_dtype(name, "complex64"))
OLD = tuple(name for name in NAMES if name not in (*SEGMENTS, *BLOCKS))
OLD_OF_BOOL, OLD_OF_COMPLEX = (tuple(name for name in names if name in OLD) for names in (OF_BOOL, OF_COMPLEX))
BROKEN = (
    ("updates of another dtype", (*AT, *LAX, "xla.scatter"), updates_of_another_dtype),  # StableHLO's interpreter ends the process
    ("data of rank 0", OLD, data_of_rank_0),
    ("data of bool", OLD_OF_BOOL, with_dtype("bool")),
    ("complex numbers", OLD_OF_COMPLEX, with_dtype(*COMPLEX)),
    ("an unknown mode", (*AT, *LAX), attribute("mode", "wrap")),
    ("no updates", OLD, without("updates")),
    ("no index", AT, without("index")),
    ("no indices", WINDOWS, without("scatter_indices")),
    ("positions of float32", AT, each_item(floats)),
    ("a mask longer than data", AT, each_item(longer_mask)),
    ("too many items", AT, too_many_items),
    ("two ellipses", AT, two_ellipses),
    ("step 0", AT, step_0),
    ("indices that do not broadcast", AT, indices_that_do_not_broadcast),
    ("values that do not broadcast", AT, resized_values),
    ("values of a larger rank", AT, values_of_a_larger_rank),
    ("indices of float32", WINDOWS, float_indices),
    ("indices of rank 0", LAX, rank_0_indices),
    ("a dimension number outside", WINDOWS, dims_outside),
    ("an axis twice", WINDOWS, a_dim_twice),
    ("update_window_dims that do not ascend", WINDOWS, unsorted_dims),
    ("inserted or batching dims that do not ascend", WINDOWS, dims_that_descend),
    ("a dimension number less", WINDOWS, a_dim_less),
    ("an axis inserted and batching", WINDOWS, inserted_and_batching),
    ("batching axes of other lengths", WINDOWS, batching_sizes),
    ("updates with an entry less", WINDOWS, updates_resized(-1)),
    ("updates with an entry more", WINDOWS, updates_resized(1)),
    ("a window longer than data", WINDOWS, window_larger_than_data),
    ("updates of another rank", WINDOWS, updates_of_another_rank),
    ("an index_vector_dim outside", TEXTS, vector_dim_outside),
    ("a body that is none", TEXTS, attribute("update_computation", "nothing")),
    ("no body", TEXTS, lambda rng, call: call.line.pop("update_computation", None) is not None),
    ("and, or or xor of floats", TEXTS, body_without_meaning(("and", "or", "xor"), FLOATS)),
    ("min or max of complex numbers", TEXTS, body_without_meaning(("min", "max"), COMPLEX)),
    ("a difference of bool", TEXTS, body_without_meaning(("sub",), ("bool",))),
    ("a negative number of segments", SEGMENTS, lambda rng, call: call.line.update(num_segments=-1) is None),
    ("ids of float32", SEGMENTS, lambda rng, call: call.dtypes.update(segment_ids="float32") is None and replaced(call, "segment_ids", call.operands["segment_ids"].astype("float32"))),
    ("no block", BLOCKS, without("updates")),
    ("no starts", BLOCKS, without("indices")),
    ("a block of another dtype", BLOCKS[:1], updates_of_another_dtype),
    ("a block that is larger than data", BLOCKS, lambda rng, call: replaced(call, "updates", values(rng, call.dtype, [size + 1 for size in call.data.shape]))),
    ("a block of another rank", BLOCKS, updates_of_another_rank),
    ("starts of float32", BLOCKS, lambda rng, call: call.dtypes.update(indices="float32") is None and replaced(call, "indices", call.operands["indices"].astype("float32"))),
    ("a start too many", BLOCKS, lambda rng, call: replaced(call, "indices", np.zeros(call.data.ndim + 1, call.operands["indices"].dtype))),
    ("data of another length", SEGMENTS, lambda rng, call: call.operands["segment_ids"].size > 1 and replaced(call, "data", values(rng, call.dtype, (call.data.shape[0] + 1, *call.data.shape[1:])))),
)


def broken_call(rng, name, number):
    return in_turns(rng, name, number, BROKEN, lambda: legal_call(rng, name))


# Why the two part.


def is_nan_alone(outcome):
    return outcome.call.dtype in FLOATS + COMPLEX and not outcome.unlike().any()


def broken_by(*words, names=NAMES):
    return lambda outcome: outcome.call.broken in words and outcome.call.op in names


def writes_nothing(*words):
    """JAX returns before it looks."""
    def holds(outcome):
        call = outcome.call
        if call.broken not in words or call.op not in AT:
            return False
        return 0 in (call.data.size, call.operands["updates"].size, *(indexed_shape(call.data.shape, call.operands["index"]) or ()))
    return holds


def positions_of(call):
    return [each for each in call.operands["index"] if isinstance(each, np.ndarray) and each.dtype != bool] if call.op in AT else [call.operands["indices" if call.op in BLOCKS else "scatter_indices"]]


def is_narrowed(outcome):
    """Positions beyond int32: 2**32 is 0."""
    ends = np.iinfo(np.int32)
    return outcome.call.op in AT and any(not ends.min <= int(end) <= ends.max for each in positions_of(outcome.call) if each.size for end in (each.min(), each.max()))


def is_read_as_signed(outcome):
    return outcome.call.op.startswith("stablehlo.") and any(each.size and int(each.max()) > np.iinfo(each.dtype.name.removeprefix("u")).max for each in positions_of(outcome.call))


def is_complex_product(outcome):
    return outcome.call.dtype in COMPLEX and word_of(outcome.call) in ("mul", "multiply") and is_near(outcome)


def is_without_numbers(outcome):
    return outcome.call.op in (*LAX, "xla.scatter") and not numbers(outcome.call, "scatter_dims_to_operand_dims")


def is_by_entry(outcome):
    """Where an entry's updates do not lie together."""
    inside, rank = numbers(outcome.call, "update_window_dims"), outcome.call.operands["updates"].ndim
    return outcome.call.op in (*LAX, "xla.scatter") and outcome.legal and inside != list(range(rank - len(inside), rank))


def is_too_narrow(*names):
    """The dtype of the indices does not hold the length of an axis."""
    return lambda outcome: outcome.call.op in names and any(max(outcome.call.data.shape) > np.iinfo(each.dtype).max for each in positions_of(outcome.call))


def of_segments(outcome):
    """NaN of other bits, or products of complex numbers that are a few roundings apart."""
    return outcome.call.op in SEGMENTS and (not outcome.unlike().any() or outcome.call.dtype in COMPLEX and outcome.legal)


def has_negatives_alone(outcome):
    call = outcome.call
    return call.op in SEGMENTS and not call.broken and "num_segments" not in call.line and bool((call.operands["segment_ids"] < 0).all())


def has_no_elements(outcome):
    call = outcome.call
    return call.op in SEGMENTS and call.broken == "data of another length" and call.data.size == 0


def of_others(difference):
    """For names with data."""
    return Difference(difference.state, difference.reason, difference.holds and (lambda outcome: outcome.call.op not in SEGMENTS and difference.holds(outcome)), difference.policies, difference.names)


OTHER_DIFFERENCES = (
    Difference("different", "NaN with other bits: either of two NaN may stay, x86 signs some, and half floats go through float32", is_nan_alone),
    Difference("different", "a product of complex numbers is rounded once less: the processor's fused instructions", is_complex_product),
    Difference("different", "JAX narrows positions to int32, without a look at what is lost: 2**32 is 0", is_narrowed),
    Difference("different", "XLA drops an index whose dtype does not hold the length of data's axis: 200 of 300 in uint8", is_too_narrow(*LAX, "xla.scatter")),
    Difference("different", "the interpreter reads unsigned indices as signed: it drops 200 of 300 in ui8, and 40,000 of 70,000 in ui16", is_read_as_signed),
    Difference("different", "index vectors without numbers, whose windows begin at 0: XLA takes another place for each", is_without_numbers),
    Difference("different", "XLA goes through updates entry by entry, where tscatter and the interpreter go in row-major order", is_by_entry),
    Difference("library refuses", "JAX's positions are of a dtype that does not hold the length of data's axis", is_too_narrow(*AT)),
    Difference("tscatter refuses", "data of rank 0; tscatter takes the same data of shape [1]", broken_by("data of rank 0")),
    Difference("tscatter refuses", "`clip` cannot move an index into an axis of length 0; JAX writes nothing",
               lambda outcome: outcome.call.line.get("mode") == "clip" and 0 in outcome.call.data.shape and not outcome.call.broken),
    Difference("tscatter refuses", "JAX casts updates", broken_by("updates of another dtype", names=(*AT, *LAX))),
    Difference("tscatter refuses", "JAX does not look at the mode, at bool and at leading axes of values where nothing is written",
               writes_nothing("an unknown mode", "data of bool", "values of a larger rank")),
    Difference("tscatter refuses", "complex numbers have no order in tscatter; the others compare real parts, then imaginary ones",
               broken_by("complex numbers", "min or max of complex numbers")),
    Difference("library refuses", "tscatter takes inserted_window_dims and batching dims in any order", broken_by("inserted or batching dims that do not ascend")),
    Difference("library refuses", "the difference of bool is xor in tscatter", broken_by("a difference of bool")),
)

DIFFERENCES = (Difference("different", "NaN with other bits in a segment, or its complex numbers rounded otherwise", of_segments),
               Difference("library refuses", "without num_segments JAX refuses ids that are all less than -1; tscatter leaves no rows", has_negatives_alone),
               Difference("tscatter refuses", "JAX does not compare the lengths of data and ids where data has no elements", has_no_elements), *(of_others(each) for each in OTHER_DIFFERENCES))

PAGE = """ `stablehlo.scatter` runs on StableHLO's reference interpreter and `xla.scatter` is compiled by XLA, both in jaxlib, from the same text ([stablehlo_module.py](stablehlo_module.py)). \
Data has rank 1 to 4 and at times no elements or a long axis, in all dtypes that both have, with NaN, infinities and both zeros; few or many updates meet; indices are of every integer dtype, negative and outside, too, but where \
`promise_in_bounds` says that they are not. An index of `at` has positions, masks, integers, slices, `None` and `...`; windows have inserted and batching axes, and axes of updates and of index vectors in any order."""



def set_threads(count):
    os.environ["NPROC"] = str(count)


if __name__ == "__main__":
    main(Library("jax", "JAX", jax.__version__, NAMES, legal_call, broken_call, run, DIFFERENCES, set_threads, PAGE))
