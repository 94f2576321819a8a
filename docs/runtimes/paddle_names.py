"""Random calls of PaddlePaddle's own names (paddle.scatter, …) on PaddlePaddle and on tscatter, bit for bit:
  paddle_names.py TSCATTER [--legal N] [--broken N] [--seed N] [--threads N] [--only NAME]… [--page FILE]

Needs paddle and numpy. Ends with 1 if the two part for a reason that DIFFERENCES does not have. --page writes the counts into a section of FILE.
"""
from own_names import Call, Difference, Library, a_mask, in_turns, main, positions, replaced, shape_of, some_order, values  # first: it says what is missing

import operator

import numpy as np
import paddle

paddle.set_device("cpu")

SOME = ("int32", "int64", "float32", "float64")
ALL = ("bool", "uint8", "int8", "int16", *SOME, "float16", "bfloat16", "complex64", "complex128")
DTYPES = {"scatter": SOME, "scatter_nd_add": ("uint8", *SOME), "put_along_axis": ("uint8", "int16", *SOME), "index_add": ("float16", *SOME),
          "index_put": ALL, "index_fill": ALL, "masked_fill": ALL}
BOXES = ("torch.scatter", "torch.scatter_reduce")  # Paddle's put_along_axis with broadcast=False
SEGMENTS = tuple(f"geometric.segment_{word}" for word in ("max", "mean", "min", "sum"))
DTYPES |= {**dict.fromkeys(BOXES, SOME), **dict.fromkeys(SEGMENTS, ("float16", *SOME)), "scatter_nd": ("uint8", *SOME)}
NAMES = tuple(DTYPES)
UPDATES = {"put_along_axis": "values", "index_add": "value", "index_put": "value", "index_fill": "value", "masked_fill": "value", **dict.fromkeys(SEGMENTS, "data")}  # else updates
INDEX = {"put_along_axis": "indices", "index_put": "indices", "masked_fill": "mask", **dict.fromkeys(SEGMENTS, "segment_ids")}  # else index
REDUCE = ("assign", "add", "mul", "multiply", "mean", "amin", "amax")


def name_of(call):
    return call.op.removeprefix("paddle.")


def updates_word(call):
    return UPDATES.get(name_of(call), "updates")


def index_word(call):
    return INDEX.get(name_of(call), "index")


def tensor_from(array):
    """Paddle takes uint16 for the bits of bfloat16, as the calls do."""
    return paddle.to_tensor(np.ascontiguousarray(array).reshape(array.shape))


def run_box(call):
    arr, indices, values = (tensor_from(call.operands[word]) for word in ("input", "index", "src") if word in call.operands)
    word = {"sum": "add", "prod": "mul"}.get(call.line.get("reduce"), call.line.get("reduce", "assign"))
    return np.asarray(paddle.put_along_axis(arr, indices, values, call.line["dim"], word, call.line.get("include_self", True), False).numpy()).view(call.data.dtype)


def run(call):
    if call.op in BOXES:
        return run_box(call)
    words = {name: tuple(map(tensor_from, value)) if isinstance(value, list) else tensor_from(value) for name, value in call.operands.items() if name != "shape"}
    words |= {"shape": call.operands["shape"].tolist()} if "shape" in call.operands else {}
    words |= {key: value for key, value in call.line.items() if key not in ("op", "name")}
    return np.asarray(operator.attrgetter(name_of(call))(paddle)(**words).numpy()).view(call.data.dtype)


# What is drawn.


def how_many(rng):
    return int(rng.choice([rng.integers(0, 7), 40, 300], p=[0.7, 0.2, 0.1]))


def some(rng, dtype, shape):
    return some_order(rng, values(rng, dtype, shape))


def drawn(rng, name, dtype, shape):
    data = "arr" if name == "put_along_axis" else "x"
    return Call({"op": f"paddle.{name}"}, {data: some(rng, dtype, shape)}, {data: dtype, UPDATES.get(name, "updates"): dtype})


def put_index(rng, call, size, shape):
    indices, kind = positions(rng, size, shape, -size)
    call.operands[index_word(call)], call.dtypes[index_word(call)] = indices.reshape(shape if size else indices.shape), kind
    return indices


def along_rows(rng, name, dtype):
    """scatter along axis 0; index_add and index_fill along any."""
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    axis = 0 if name == "scatter" else int(rng.integers(len(shape)))
    index = put_index(rng, call, shape[axis], (how_many(rng),))
    if name == "scatter":
        call.line |= {"overwrite": bool(rng.random() < 0.5)} if rng.random() < 0.8 else {}
    else:
        call.line["axis"] = axis - len(shape) if rng.random() < 0.4 else axis
    if name == "index_add" and rng.random() < 0.4:
        call.line["alpha"] = int(rng.choice([2, 3])) if dtype.startswith("int") else float(rng.choice([0.5, 2.0, -1.0]))
    rows = () if name == "index_fill" else (*shape[:axis], index.size, *shape[axis + 1:])
    call.operands[updates_word(call)] = some(rng, dtype, rows)
    return call


def scatter_nd_add(rng, name, dtype):
    shape = shape_of(rng)
    depth = int(rng.integers(1, len(shape) + 1))
    entries = (0,) if 0 in shape[:depth] else (max(how_many(rng), 1),) if rng.random() < 0.8 else tuple(rng.integers(1, 4, 2))
    kind = str(rng.choice(["int64", "int32"]))
    call = drawn(rng, name, dtype, shape)
    columns = [positions(rng, size, entries, -size, kind)[0].reshape(entries) if entries != (0,) else np.zeros(entries, kind) for size in shape[:depth]]
    call.operands["index"], call.dtypes["index"] = some_order(rng, np.stack(columns, -1)), kind
    call.operands["updates"] = some(rng, dtype, entries + shape[depth:])
    return call


def scatter_nd(rng, name, dtype):
    """The same into zeros."""
    call = scatter_nd_add(rng, "scatter_nd_add", dtype)
    shape = np.array(call.operands.pop("x").shape)
    kinds = {word: call.dtypes[word] for word in ("updates", "index")}
    return Call({"op": "paddle.scatter_nd"}, {"updates": call.operands["updates"], "index": call.operands["index"], "shape": shape}, {**kinds, "shape": "int64"})


def segments(rng, name, dtype):
    rows, count = int(rng.choice([1, 2, 5, 40, 300])), int(rng.choice([1, 3, 20]))
    kind = str(rng.choice(["int64", "int32"]))
    data = some(rng, dtype, (rows, *shape_of(rng, 0, 2)))
    return Call({"op": f"paddle.{name}"}, {"data": data, "segment_ids": np.sort(rng.integers(0, count, rows)).astype(kind)}, {"data": dtype, "segment_ids": kind})


def put_along_axis(rng, name, dtype):
    shape = shape_of(rng)
    axis = int(rng.integers(len(shape)))
    call = drawn(rng, name, dtype, shape)
    size = [each if at == axis or each == 0 or rng.random() < 0.75 else 1 for at, each in enumerate(shape)]
    size[axis] = int(rng.choice([rng.integers(0, 7), 40], p=[0.8, 0.2])) if shape[axis] else 0
    if shape[axis]:
        put_index(rng, call, shape[axis], tuple(size))
    else:
        call.operands["indices"], call.dtypes["indices"] = np.zeros(size, "int64"), "int64"
    result = [*shape]
    result[axis] = size[axis]
    narrower = [1 if rng.random() < 0.2 else each for each in result][int(rng.integers(len(shape) + 1)) if rng.random() < 0.3 else 0:]
    call.operands["values"] = some(rng, dtype, tuple(narrower))
    call.line["axis"] = axis - len(shape) if rng.random() < 0.4 else axis
    call.line |= {"reduce": str(rng.choice(REDUCE))} if rng.random() < 0.9 else {}
    call.line |= {"include_self": bool(rng.random() < 0.4)} if rng.random() < 0.7 else {}
    return call


def box(rng, name, dtype):
    """indices may be shorter than arr off the axis, and values longer than indices."""
    shape = shape_of(rng)
    axis = int(rng.integers(len(shape)))
    size = [int(rng.integers(min(each, 1), each + 1)) for each in shape]
    size[axis] = int(rng.choice([rng.integers(0, 7), 40], p=[0.8, 0.2])) if shape[axis] else 0
    call = Call({"op": name, "dim": axis}, {"input": some(rng, dtype, shape)}, {"input": dtype, "src": dtype})
    call.operands["index"], call.dtypes["index"] = np.zeros(size, "int64"), "int64"
    if 0 not in size:
        indices, call.dtypes["index"] = positions(rng, shape[axis], tuple(size))
        call.operands["index"] = indices.reshape(size)
    call.operands["src"] = some(rng, dtype, tuple(each + int(rng.random() < 0.3) for each in size))
    if name == "torch.scatter_reduce":
        call.line |= {"reduce": str(rng.choice(["sum", "prod", "mean", "amin", "amax"])), "include_self": bool(rng.random() < 0.6), "extremes": "data"}
    return call


def index_put(rng, name, dtype):
    """Positions along the first axes, at times a mask of them."""
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    depth = int(rng.integers(1, len(shape) + 1))
    if rng.random() < 0.2:
        mask = a_mask(rng, shape[:depth])
        call.operands["indices"], result = [mask], (int(mask.sum()), *shape[depth:])
    else:
        entries = (0,) if 0 in shape[:depth] else (how_many(rng),) if rng.random() < 0.7 else (2, 3)
        kind = str(rng.choice(["int64", "int32"]))
        call.operands["indices"] = [positions(rng, size, entries, -size, kind)[0].reshape(entries) if size else np.zeros(entries, kind) for size in shape[:depth]]
        result = entries + shape[depth:]
    narrower = [1 if rng.random() < 0.2 else each for each in result][int(rng.integers(len(result) + 1)) if rng.random() < 0.3 else 0:]
    call.operands["value"] = some(rng, dtype, tuple(narrower))
    call.line |= {"accumulate": bool(rng.random() < 0.6)} if rng.random() < 0.8 else {}
    return call


def masked_fill(rng, name, dtype):
    shape = shape_of(rng)
    call = drawn(rng, name, dtype, shape)
    call.operands["mask"], call.dtypes["mask"] = np.asarray(a_mask(rng, tuple(1 if rng.random() < 0.25 else size for size in shape)[int(rng.integers(len(shape))) if rng.random() < 0.3 else 0:])), "bool"
    call.operands["value"] = values(rng, dtype, ())
    return call


FORMS = {**dict.fromkeys(BOXES, box), **dict.fromkeys(SEGMENTS, segments), "scatter_nd": scatter_nd, "scatter_nd_add": scatter_nd_add, "put_along_axis": put_along_axis, "index_put": index_put, "masked_fill": masked_fill}


def legal_call(rng, name):
    return FORMS.get(name, along_rows)(rng, name, str(rng.choice(DTYPES[name])))


# What is broken. Each function changes a legal call, and says whether it is broken now.


def index_out_of_range(at):
    """`at`: a number out of range, of the size."""
    def change(rng, call):
        indices = call.operands[index_word(call)].copy()
        if indices.size == 0 or call.data.size == 0:
            return False
        place = tuple(int(rng.integers(size)) for size in indices.shape)
        axis = place[-1] if name_of(call) == "scatter_nd_add" else call.line.get("axis", call.line.get("dim", 0))
        indices[place] = at(call.data.shape[axis], rng)
        return replaced(call, index_word(call), indices)
    return change


def coordinate_out_of_range(at):
    """The same of scatter_nd, which makes data."""
    def change(rng, call):
        index = call.operands["index"].copy()
        if index.size == 0 or 0 in call.operands["shape"] or call.data.size == 0:
            return False
        place = tuple(int(rng.integers(size)) for size in index.shape)
        index[place] = at(int(call.operands["shape"][place[-1]]), rng)
        return replaced(call, "index", index)
    return change


def an_id(number):
    def change(rng, call):
        ids = call.operands["segment_ids"].copy()
        ids[0] = number
        return ids.size > 1 and call.data.size > 0 and replaced(call, "segment_ids", ids)
    return change


def one_more_row(rng, call):
    return call.data.size > 0 and replaced(call, "data", values(rng, call.dtype, (call.data.shape[0] + 1, *call.data.shape[1:])))


def index_of(dtype):
    def change(rng, call):
        call.dtypes[index_word(call)] = dtype
        return replaced(call, index_word(call), call.operands[index_word(call)].astype(dtype)) and call.operands[index_word(call)].size > 0 and call.data.size > 0
    return change


def updates_of_another_dtype(rng, call):
    other = "int32" if call.dtype != "int32" else "int64"
    call.dtypes[updates_word(call)] = other
    return call.operands[updates_word(call)].size > 0 and call.data.size > 0 and replaced(call, updates_word(call), np.ones(call.operands[updates_word(call)].shape, other))


def resized(by):
    """Updates whose length along the first axis is wrong."""
    def change(rng, call):
        shape = list(call.operands["updates"].shape)
        shape[0] += by
        return call.data.size > 0 and shape[0] > 0 and replaced(call, "updates", values(rng, call.dtype, shape))
    return change


def index_shaped(shape):
    def change(rng, call):
        index = call.operands["index"]
        return index.size > 1 and replaced(call, "index", index.reshape(shape))
    return change


def with_rank(rng, call):
    updates = call.operands[updates_word(call)]
    return updates.size > 0 and replaced(call, updates_word(call), updates[np.newaxis])


def index_of_rank_0(rng, call):
    """With updates as tscatter takes them."""
    axis = call.line.get("axis", 0)
    shape = list(call.data.shape)
    shape[axis] = 1
    return call.data.size > 0 and replaced(call, "index", np.zeros((), np.int64)) and replaced(call, updates_word(call), values(rng, call.dtype, shape))


def deeper_than_x(rng, call):
    index = call.operands["index"]
    more = np.zeros((*index.shape[:-1], call.data.ndim + 1), index.dtype)
    return index.size > 0 and replaced(call, "index", more) and replaced(call, "updates", values(rng, call.dtype, index.shape[:-1]))


def attribute(name, value):
    def change(rng, call):
        call.line[name] = value(call) if callable(value) else value
        return True
    return change


def without(word):
    return lambda rng, call: call.operands.pop(word(call), None) is not None


def no_axis(rng, call):
    return call.line.pop("axis", None) is not None


def mask_that_does_not_broadcast(rng, call):
    return replaced(call, "mask", a_mask(rng, (*call.data.shape[:-1], call.data.shape[-1] + 2))) and call.data.shape[-1] > 1


def mask_of_integers(rng, call):
    call.dtypes["mask"] = "int64"
    return replaced(call, "mask", call.operands["mask"].astype("int64"))


def value_that_does_not_broadcast(rng, call):
    updates = call.operands[updates_word(call)]
    return updates.size > 1 and updates.shape[-1] > 1 and call.data.size > 0 and replaced(call, updates_word(call), values(rng, call.dtype, (*updates.shape[:-1], updates.shape[-1] + 1)))


BEYOND, BELOW, NUMBERS = "an axis beyond the rank", "an axis below the rank", "a mask of numbers"
LONGER, COLUMN, RANK_0, CAST = "updates longer than index", "an index of shape [n, 1]", "an index of rank 0", "updates of another dtype"
RANK_2 = "ids of rank 2"
OWN = tuple(name for name in NAMES if name not in (*BOXES, *SEGMENTS, "scatter_nd"))
ROWS, AXIS = ("scatter", "index_add"), ("put_along_axis", "index_add", "index_fill")
CHECKED = ("scatter", "scatter_nd_add", "put_along_axis", *BOXES, "index_add")  # index_put and index_fill write outside x
BROKEN = (
    ("an index at or beyond the end", CHECKED, index_out_of_range(lambda size, rng: size + int(rng.integers(0, 3)))),
    ("an index below the first", CHECKED, index_out_of_range(lambda size, rng: -size - 1 - int(rng.integers(0, 3)))),
    ("a coordinate at or beyond the end", ("scatter_nd",), coordinate_out_of_range(lambda size, rng: size + int(rng.integers(0, 3)))),
    ("a coordinate below the first", ("scatter_nd",), coordinate_out_of_range(lambda size, rng: -size - 1 - int(rng.integers(0, 3)))),
    ("a negative size", ("scatter_nd",), lambda rng, call: replaced(call, "shape", np.array([-1, *call.operands["shape"][1:]]))),
    ("a negative id", SEGMENTS, an_id(-1)),
    ("ids that do not ascend", SEGMENTS, an_id(99)),
    ("a row without an id", SEGMENTS, one_more_row),
    (RANK_2, SEGMENTS, lambda rng, call: call.data.size > 0 and replaced(call, "segment_ids", call.operands["segment_ids"][np.newaxis])),
    ("an index of float32", (*CHECKED, "index_fill", "scatter_nd", *SEGMENTS), index_of("float32")),
    ("an index of int16", (*CHECKED, "index_fill", "scatter_nd", *SEGMENTS), index_of("int16")),
    (CAST, OWN, updates_of_another_dtype),
    ("updates shorter than index", ("scatter", "scatter_nd_add"), resized(-1)),
    (LONGER, ("scatter",), resized(1)),
    ("more updates than entries", ("scatter_nd_add",), resized(1)),
    ("updates of another rank", (*ROWS, "scatter_nd_add"), with_rank),
    ("an index of shape [1, n]", ROWS, index_shaped((1, -1))),
    (COLUMN, ROWS, index_shaped((-1, 1))),
    (RANK_0, ROWS, index_of_rank_0),
    ("more coordinates than axes", ("scatter_nd_add",), deeper_than_x),
    ("no index", NAMES, without(index_word)),
    ("no updates", (*OWN, "scatter_nd"), without(updates_word)),
    ("no axis", AXIS, no_axis),
    (BEYOND, AXIS, attribute("axis", lambda call: call.data.ndim)),
    (BELOW, AXIS, attribute("axis", lambda call: -call.data.ndim - 1)),
    ("an unknown reduction", ("put_along_axis",), attribute("reduce", "median")),
    ("values that do not broadcast", ("put_along_axis",), value_that_does_not_broadcast),
    ("a mask that does not broadcast", ("masked_fill",), mask_that_does_not_broadcast),
    (NUMBERS, ("masked_fill",), mask_of_integers),
)


def broken_call(rng, name, number):
    return in_turns(rng, name, number, BROKEN, lambda: legal_call(rng, name))


# Why the two part.


def broken_by(*words, names=NAMES):
    return lambda outcome: outcome.call.broken in words and name_of(outcome.call) in names


def is_nan_alone(outcome):
    return not outcome.unlike().any()


def is_first_update(outcome):
    """Where data does not count, and the first update is -0.0 or NaN."""
    if outcome.call.line.get("include_self", True) or outcome.ours.shape != outcome.theirs.shape:
        return False
    places = outcome.unlike()
    ours, theirs = outcome.ours[places], outcome.theirs[places]
    if outcome.call.line.get("reduce") in ("amin", "amax"):
        return bool(np.isnan(theirs).all())
    return bool(((ours == 0) & (theirs == 0)).all())


def has_no_entries(outcome):
    return not outcome.call.broken and name_of(outcome.call) in ("scatter_nd", "scatter_nd_add") and outcome.call.operands["index"].size == 0


def is_axis_of_nothing(outcome):
    is_one = outcome.call.broken in (BEYOND, BELOW) and name_of(outcome.call) in ("index_add", "index_fill")
    return is_one and (outcome.call.data.size == 0 or outcome.call.operands["index"].size == 0)


def is_longer_index(outcome):
    """Of put_along_axis: longer than arr along the axis."""
    if outcome.call.broken or name_of(outcome.call) != "put_along_axis":
        return False
    shape, indices, axis = outcome.call.data.shape, outcome.call.operands["indices"].shape, outcome.call.line["axis"]
    return indices[axis] > shape[axis]


DIFFERENCES = (
    Difference("different", "NaN with other bits: a sum of tscatter has one NaN; x86 signs a new one", is_nan_alone),
    Difference("different", "where arr's value does not count, in Paddle the first update replaces it: a lone -0.0 stays, and a NaN that comes first does; tscatter begins with the identity", is_first_update),
    Difference("different", "where indices is longer than arr along axis, Paddle broadcasts nothing: it writes the first positions off the axis alone", is_longer_index),
    Difference("library refuses", "without index entries Paddle adds updates to x, and refuses those that do not broadcast to it", has_no_entries),
    Difference("library refuses", "the same, where values does not broadcast to indices", is_longer_index),
    Difference("tscatter refuses", "Paddle reads the first of longer updates", broken_by(LONGER)),
    Difference("tscatter refuses", "Paddle takes an index of shape [n, 1] for a vector: reshape it", broken_by(COLUMN, names=("scatter",))),
    Difference("library refuses", "one index may have rank 0 in tscatter", broken_by(RANK_0)),
    Difference("tscatter refuses", "Paddle does not look at the axis where there is nothing to write", is_axis_of_nothing),
    Difference("tscatter refuses", "Paddle casts updates", broken_by(CAST)),
    Difference("tscatter refuses", "Paddle takes numbers for a mask", broken_by(NUMBERS)),
    Difference("tscatter refuses", "of ids of rank 2 Paddle looks at the first row alone", broken_by(RANK_2)),
)

PAGE = """ Data has rank 1 to 4 and at times no elements, in all dtypes that Paddle's CPU kernels have, which are few; tscatter takes the others, too. \
An index is int32 or int64, and often negative. Not drawn, as Paddle then reads or writes outside its tensors, or ends the process: an index out of range in index_put and index_fill; \
fewer rows than index in index_add; indices longer than arr off the axis; a mean of 255 uint8 beside arr's own; segments without ids. tscatter's put_along_axis has no `broadcast`: \
with `broadcast=False` Paddle's, where indices may be shorter than arr and values longer than indices, is compared with torch.scatter, and with torch.scatter_reduce and the policy `extremes` data."""


def set_threads(threads):
    paddle.set_num_threads(threads) if hasattr(paddle, "set_num_threads") else None


if __name__ == "__main__":
    main(Library("paddle", "PaddlePaddle", paddle.__version__, NAMES, legal_call, broken_call, run, DIFFERENCES, set_threads, PAGE))
