"""Random calls of TensorFlow's own names (tf.tensor_scatter_nd_add, …) on TensorFlow and on tscatter, bit for bit:
  tensorflow_names.py TSCATTER [--legal N] [--broken N] [--seed N] [--threads N] [--only NAME]… [--page FILE]

Needs tensorflow and numpy. Ends with 1 if the two part for a reason that DIFFERENCES does not have. --page writes the counts into a section of FILE.
"""
from own_names import Call, Difference, Library, floats_of, in_turns, main, positions, replaced, shape_of, some_order, values  # first: it says what is missing

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import ml_dtypes
import numpy as np
import tensorflow as tf

COMPLEX = ("complex64", "complex128")
NUMBERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float32", "float64", "float16", "bfloat16", "float16", "bfloat16")  # half floats twice: they are rounded most
SUMS, EXTREMES = ("tensor_scatter_nd_add", "tensor_scatter_nd_sub"), ("tensor_scatter_nd_min", "tensor_scatter_nd_max")
UPDATE = "tensor_scatter_nd_update"
TENSORS = (UPDATE, *SUMS, *EXTREMES)
SORTED = tuple(f"math.segment_{word}" for word in ("max", "mean", "min", "prod", "sum"))
UNSORTED = tuple(f"math.unsorted_segment_{word}" for word in ("max", "mean", "min", "prod", "sqrt_n", "sum"))
SEGMENTS = (*SORTED, *UNSORTED)
NAMES = (*TENSORS, "scatter_nd", *SEGMENTS)
DTYPES = {UPDATE: ("bool", *NUMBERS, *COMPLEX), **dict.fromkeys(SUMS, (*NUMBERS, *COMPLEX)), **dict.fromkeys(EXTREMES, NUMBERS),
          "scatter_nd": ("bool", *NUMBERS, *COMPLEX),
          **{name: (*NUMBERS, *COMPLEX) if name.endswith(("sum", "prod")) else NUMBERS for name in SEGMENTS},
          **dict.fromkeys(("math.unsorted_segment_mean", "math.unsorted_segment_sqrt_n"), ("float16", "bfloat16", "float32", "float64"))}
POLICIES = ("DEFAULT", "ERROR", "IGNORE")


def name_of(call):
    return call.op.removeprefix("tf.")


def function_of(call):
    """Of update only the raw operation has the policy."""
    if name_of(call) == UPDATE and "bad_indices_policy" in call.line:
        return tf.raw_ops.TensorScatterUpdate
    space, _, name = name_of(call).rpartition(".")
    return getattr(tf.math if space else tf, name)


def tensor_from(array, dtype):
    """bfloat16 is held as uint16."""
    return tf.constant(np.ascontiguousarray(array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array).reshape(array.shape))


def run(call):
    """Of a Call, or of a Case of cases.py."""
    words = {name: tensor_from(array, call.dtypes[name]) for name, array in call.operands.items()}
    words |= {key: value for key, value in call.line.items() if key in ("bad_indices_policy", "num_segments")}
    with tf.device("/CPU:0"):
        result = np.asarray(function_of(call)(**words).numpy())
    its = next(name for name in ("tensor", "updates", "data") if name in call.operands)
    return result.view(call.operands[its].dtype)


# What is drawn.


def entries_of(rng, sizes):
    """Coordinates along axes of these sizes."""
    many = [int(rng.choice([rng.integers(0, 7), 40, 300], p=[0.7, 0.2, 0.1]))]
    shape = tuple(many if rng.random() < 0.8 else rng.integers(1, 4, 2))
    if 0 in sizes:
        shape = (*shape[:-1], 0)
    dtype = str(rng.choice(["int64", "int32"]))
    columns = [positions(rng, size, shape, dtype=dtype)[0] for size in sizes]
    return some_order(rng, np.stack(columns, -1)), dtype


def move_outside(rng, indices, sizes):
    """Some coordinates; the entries of which some are negative, or at or beyond the end."""
    for at in np.ndindex(indices.shape):
        if rng.random() < 0.2:
            indices[at] = rng.choice([-1, -sizes[at[-1]], sizes[at[-1]], sizes[at[-1]] + 7, 2**31 - 1, -(2**31)])


def drawn(rng, name, dtype):
    shape = shape_of(rng)
    depth = int(rng.integers(1, len(shape) + 1))
    indices, kind = entries_of(rng, shape[:depth])
    call = Call({"op": f"tf.{name}"}, {"tensor": some_order(rng, values(rng, dtype, shape)), "indices": indices}, {"tensor": dtype, "indices": kind, "updates": dtype})
    call.operands["updates"] = some_order(rng, values(rng, dtype, indices.shape[:-1] + shape[depth:]))
    if rng.random() < 0.6:
        call.line["bad_indices_policy"] = str(rng.choice(POLICIES))
    if call.line.get("bad_indices_policy") == "IGNORE":
        move_outside(rng, indices, shape)
    return call


def drawn_scatter_nd(rng, name, dtype):
    call = drawn(rng, name, dtype)
    shape = call.operands.pop("tensor").shape
    call.operands = {"updates": call.operands["updates"], "indices": call.operands["indices"], "shape": np.array(shape, call.dtypes["indices"])}
    call.dtypes = {"updates": dtype, "indices": call.dtypes["indices"], "shape": call.dtypes["indices"]}
    return call


def drawn_segments(rng, name, dtype):
    """Sorted ids, or ids of any rank, some of them negative."""
    segments = int(rng.choice([1, 2, 5, 40]))
    shape = (int(rng.choice([0, 1, 3, 12, 60], p=[0.05, 0.15, 0.3, 0.3, 0.2])),) if name in SORTED else shape_of(rng, 0, 2)
    ids = np.asarray(rng.integers(0, segments, shape))
    kinds = ("int32", "int64", "int16") if name.endswith(("unsorted_segment_sum", "unsorted_segment_mean", "unsorted_segment_sqrt_n")) else ("int32", "int64")
    kind = str(rng.choice(kinds))
    if name in SORTED:
        ids = np.sort(ids)
    elif rng.random() < 0.5:
        ids = np.where(rng.random(shape) < 0.2, -1 - ids, ids)
    call = Call({"op": f"tf.{name}"}, {"data": some_order(rng, values(rng, dtype, (*shape, *shape_of(rng, 0, 2)))), "segment_ids": ids.astype(kind)}, {"data": dtype, "segment_ids": kind})
    if name in UNSORTED:
        call.line["num_segments"] = segments
    return call


def legal_call(rng, name):
    form = drawn_segments if name in SEGMENTS else drawn_scatter_nd if name == "scatter_nd" else drawn
    return form(rng, name, str(rng.choice(DTYPES[name])))


# What is broken. Each function changes a legal call, and says whether it is broken now.


def index_out_of_range(at):
    """`at`: a number out of range, of the size."""
    def change(rng, call):
        indices = call.operands["indices"]
        if indices.size == 0 or call.line.get("bad_indices_policy") == "IGNORE":
            return False
        place = tuple(int(rng.integers(size)) for size in indices.shape)
        indices[place] = at(call.data.shape[place[-1]], rng)
        return True
    return change


def indices_of(dtype):
    def change(rng, call):
        call.dtypes["indices"] = dtype
        return replaced(call, "indices", call.operands["indices"].astype(dtype))
    return change


def of_dtype(*dtypes):
    """Tensor and updates, of a dtype that the operation does not have."""
    def change(rng, call):
        dtype = str(rng.choice(dtypes))
        for name in ("tensor", "updates"):
            call.dtypes[name] = dtype
            replaced(call, name, values(rng, dtype, call.operands[name].shape))
        return True
    return change


def updates_of_another_dtype(rng, call):
    other = "int32" if call.dtype != "int32" else "int64"
    call.dtypes["updates"] = other
    return replaced(call, "updates", np.zeros(call.operands["updates"].shape, other))


def deeper_than_tensor(rng, call):
    indices = call.operands["indices"]
    more = np.zeros((*indices.shape[:-1], call.data.ndim + 1), indices.dtype)
    return replaced(call, "indices", more) and replaced(call, "updates", values(rng, call.dtype, indices.shape[:-1]))


def resized(by):
    """Updates whose length along one axis is wrong."""
    def change(rng, call):
        shape = list(call.operands["updates"].shape)
        axis = int(rng.integers(len(shape)))
        shape[axis] += by
        return shape[axis] >= 0 and replaced(call, "updates", values(rng, call.dtype, shape))
    return change


def policy(word):
    def change(rng, call):
        call.line["bad_indices_policy"] = word
        return True
    return change


def without(name):
    return lambda rng, call: call.operands.pop(name, None) is not None


def tensor_of_rank_0(rng, call):
    return replaced(call, "tensor", values(rng, call.dtype, ()))


def id_of(number):
    """The first id."""
    def change(rng, call):
        ids = call.operands["segment_ids"].copy()
        if ids.size == 0 or call.operands["data"].size == 0:
            return False
        ids.flat[0] = number(call)
        return replaced(call, "segment_ids", ids)
    return change


def descending(rng, call):
    ids = call.operands["segment_ids"][::-1].copy()
    return ids.size > 1 and ids[0] > ids[-1] and call.operands["data"].size > 0 and replaced(call, "segment_ids", ids)


def ids_of_dtype(dtype):
    def change(rng, call):
        call.dtypes["segment_ids"] = dtype
        return replaced(call, "segment_ids", np.abs(call.operands["segment_ids"]).astype(dtype))
    return change


def longer_data(rng, call):
    shape = call.operands["data"].shape
    if call.operands["segment_ids"].ndim == 0 or call.operands["segment_ids"].size == 0:
        return False
    return replaced(call, "data", values(rng, call.dtype, (shape[0] + 1, *shape[1:])))


def number_of_segments(count):
    def change(rng, call):
        call.line["num_segments"] = count
        return True
    return change


def shape_of_float32(rng, call):
    call.dtypes["shape"] = "float32"
    return replaced(call, "shape", call.operands["shape"].astype("float32"))


BROKEN = (
    ("an index at or beyond the end", TENSORS, index_out_of_range(lambda size, rng: size + int(rng.integers(0, 3)))),
    ("a negative index", TENSORS, index_out_of_range(lambda size, rng: -1 - int(rng.integers(0, size + 1)))),
    ("indices of float32", TENSORS, indices_of("float32")),
    ("indices of int16", TENSORS, indices_of("int16")),
    ("indices of uint8", TENSORS, indices_of("uint8")),
    ("indices of rank 0", TENSORS, lambda rng, call: replaced(call, "indices", np.zeros((), np.int64))),
    ("more coordinates than axes", TENSORS, deeper_than_tensor),
    ("a tensor of rank 0", TENSORS, tensor_of_rank_0),
    ("updates of another dtype", TENSORS, updates_of_another_dtype),
    ("updates of another rank", TENSORS, lambda rng, call: replaced(call, "updates", call.operands["updates"][np.newaxis])),
    ("updates of rank 0", TENSORS, lambda rng, call: replaced(call, "updates", values(rng, call.dtype, ()))),
    ("updates too small", TENSORS, resized(-1)),
    ("updates too large", TENSORS, resized(1)),
    ("no indices", TENSORS, without("indices")),
    ("no updates", TENSORS, without("updates")),
    ("an unknown policy", TENSORS, policy("DROP")),
    ("a policy in small letters", TENSORS, policy("ignore")),
    ("bool", (*SUMS, *EXTREMES), of_dtype("bool")),
    ("complex numbers", EXTREMES, of_dtype(*COMPLEX)),
    ("an id at or beyond the end", UNSORTED, id_of(lambda call: call.line["num_segments"])),
    ("a negative id", SORTED, id_of(lambda call: -1)),
    ("ids that descend", SORTED, descending),
    ("ids of float32", SEGMENTS, ids_of_dtype("float32")),
    ("ids of uint8", SEGMENTS, ids_of_dtype("uint8")),
    ("no ids", SEGMENTS, without("segment_ids")),
    ("data of another length", SEGMENTS, longer_data),
    ("a negative number of segments", UNSORTED, number_of_segments(-1)),
    ("a shape of rank 2", ("scatter_nd",), lambda rng, call: replaced(call, "shape", call.operands["shape"][np.newaxis])),
    ("a negative size", ("scatter_nd",), lambda rng, call: replaced(call, "shape", -1 - call.operands["shape"])),
    ("a shape of float32", ("scatter_nd",), shape_of_float32),
    ("no shape", ("scatter_nd",), without("shape")),
)


def broken_call(rng, name, number):
    return in_turns(rng, name, number, BROKEN, lambda: legal_call(rng, name))


# Why the two part.


def has_entries_of_nothing(outcome):
    return not outcome.call.broken and outcome.call.data.size == 0 and "specified for empty output" in outcome.refusal


def is_nan_alone(outcome):
    computes = name_of(outcome.call) not in (UPDATE, *EXTREMES) or name_of(outcome.call) in EXTREMES and outcome.call.dtype == "bfloat16"
    return computes and not outcome.unlike().any()


def meets_in_lanes(outcome):
    """Extremes of sorted segments where a column has a NaN, or zeros."""
    if name_of(outcome.call) not in ("math.segment_max", "math.segment_min"):
        return False
    numbers = floats_of(outcome.call.data, outcome.call.dtype)
    return bool((np.isnan(numbers) | (numbers == 0)).any())


def is_zero_of_minus_zeros(outcome):
    if name_of(outcome.call) not in ("math.segment_sum", "math.segment_mean"):
        return False
    places = outcome.unlike()
    return not any(floats_of(each, outcome.call.dtype)[places].any() for each in (outcome.ours, outcome.theirs))


def is_infinite_product(outcome):
    """Of complex numbers."""
    if name_of(outcome.call) not in ("math.segment_prod", "math.unsorted_segment_prod") or outcome.call.dtype not in COMPLEX:
        return False
    return not (np.isfinite(outcome.theirs) & np.isfinite(outcome.ours))[outcome.unlike().any(-1)].any()


DIFFERENCES = (
    Difference("different", "a product of complex numbers with infinities or NaN: TensorFlow recovers infinities as C does, tscatter multiplies parts", is_infinite_product),
    Difference("different", "a NaN, or zeros of both signs, in an extreme of sorted segments: which stays depends on TensorFlow's vector lanes", meets_in_lanes),
    Difference("different", "many rows of a sorted segment are added up, or multiplied, in another order", lambda outcome: name_of(outcome.call) in SORTED and outcome.legal),
    Difference("different", "the sum of several -0.0 in a sorted segment is 0.0 in TensorFlow, of a single one -0.0; tscatter's is -0.0", is_zero_of_minus_zeros),
    Difference("different", "NaN with other bits: a sum of tscatter has one NaN, TensorFlow's the bits of the NaN that it met, of bfloat16 its sign, also in min and max, where rows fill a vector of the processor; x86 signs a new one", is_nan_alone),
    Difference("library refuses", "TensorFlow refuses entries where tensor has no elements, also where there is nothing to write, or the entries are to be ignored", has_entries_of_nothing),
)

PAGE = """ A tensor has rank 1 to 4 and at times no elements, in all dtypes that the operation has, with NaN, infinities and both zeros; few or many updates meet; \
with IGNORE one coordinate in five is out of range. Numbers of float32, float64 and bfloat16 are not subnormal: \
TensorFlow takes those for zeros where it computes, which `verify --ftz` allows."""


def set_threads(threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)


if __name__ == "__main__":
    main(Library("tensorflow", "TensorFlow", tf.__version__, NAMES, legal_call, broken_call, run, DIFFERENCES, set_threads, PAGE))
