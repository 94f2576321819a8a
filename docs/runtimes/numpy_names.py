"""Random calls of NumPy's own names (numpy.put, …) on NumPy and on tscatter, bit for bit:
  numpy_names.py TSCATTER [--legal N] [--broken N] [--seed N] [--only NAME]… [--page FILE]

Needs numpy and ml_dtypes (for bfloat16). Ends with 1 if the two part for a reason that DIFFERENCES does not have. --page writes the counts into a
section of FILE. What has an index (numpy.setitem, numpy.add.at, …) is compared by tests/python/test_index.py.
"""
from own_names import Call, Difference, Library, a_mask, in_turns, main, positions, replaced, shape_of, some_order, values  # first: it says what is missing

import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")  # where values of broken calls are cast

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
INDEX_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
WORDS = {"put": ("a", "ind", "v"), "put_along_axis": ("arr", "indices", "values"), "place": ("arr", "mask", "vals"), "putmask": ("a", "mask", "values"),
         "copyto": ("dst", "where", "src")}  # data, what says the places, and updates
ALL_WORDS = {**WORDS, "bincount": ("x", "weights", "minlength")}
NAMES = tuple(ALL_WORDS)
MASKS = ("place", "putmask")


def name_of(call):
    return call.op.removeprefix("numpy.")


def run(call):
    """Of a Call, or of a Case of cases.py."""
    words = {name: typed(value, call.dtypes[name]) for name, value in call.operands.items()} | {key: call.line[key] for key in ("axis", "mode", "minlength") if key in call.line}
    if name_of(call) == "bincount":
        return np.bincount(words.pop("x"), **words)
    data = words.pop(WORDS[name_of(call)][0]).copy(order="K")
    getattr(np, name_of(call))(data, **words)
    return data.view(call.operands[WORDS[name_of(call)][0]].dtype)


def typed(array, dtype):
    return array.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else array


# What is drawn.


def drawn(rng, name, dtype, shape, places, kind, updates):
    """A call of data of this shape; the places are None or of the dtype `kind`, the updates have this shape."""
    call = Call({"op": f"numpy.{name}"}, {}, {})
    data_word, places_word, updates_word = WORDS[name]
    for word, array, its in ((data_word, values(rng, dtype, shape), dtype), (places_word, places, kind), (updates_word, values(rng, dtype, updates), dtype)):
        if array is not None:
            call.operands[word], call.dtypes[word] = some_order(rng, array), its
    return call


def repeated(rng, count):
    """A shape of values for so many places: as many, fewer, more, or none where that writes nothing."""
    many = int(rng.choice([count, rng.integers(1, count + 2), count + rng.integers(0, 4)], p=[0.3, 0.5, 0.2]))
    return () if rng.random() < 0.1 else (many // 2, 2) if many and many % 2 == 0 and rng.random() < 0.3 else (many,)


def an_index_dtype(rng, size, low):
    kind = str(rng.choice(INDEX_DTYPES))
    limits = np.iinfo(kind)
    return kind if limits.min <= low and size <= limits.max else "int64"


def put(rng, name, dtype):
    shape = shape_of(rng)
    size = int(np.prod(shape))
    mode = str(rng.choice(["", "raise", "wrap", "clip"]))
    far = 1 if mode in ("", "raise") else int(rng.choice([1, 3]))
    low, high = -size * far, size * far
    kind = an_index_dtype(rng, high, low if rng.random() < 0.7 else 0)
    kind = "int64" if kind == "uint64" else kind
    some = shape_of(rng, 0, 3) if size else (0,)
    ind, kind = positions(rng, max(high, 1), some, low if kind.startswith("i") else 0, kind) if size else (np.zeros(some, kind), kind)
    call = drawn(rng, name, dtype, shape, ind, kind, (0,) if size and rng.random() < 0.05 else repeated(rng, ind.size))
    call.line |= {"mode": mode} if mode else {}
    return call


def narrower(rng, shape):
    """A shape that is broadcast to this one, at times with an axis of length 1 in front."""
    ones = tuple(1 if rng.random() < 0.25 else size for size in shape)[int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.3 else 0:]
    return (1, *shape) if rng.random() < 0.05 else ones


def put_along_axis(rng, name, dtype):
    shape = shape_of(rng)
    axis = int(rng.integers(len(shape)))
    result = [int(rng.choice([rng.integers(0, 7), 40], p=[0.8, 0.2])) if at == axis and size else size for at, size in enumerate(shape)]
    kind = an_index_dtype(rng, shape[axis], -shape[axis] if rng.random() < 0.7 else 0)
    size = [1 if at != axis and rng.random() < 0.25 else each for at, each in enumerate(result)]
    if shape[axis]:
        indices = positions(rng, shape[axis], size, -shape[axis] if kind.startswith("i") else 0, kind)[0].reshape(size)
    else:
        indices = np.zeros(size, kind)
    call = drawn(rng, name, dtype, shape, indices, kind, narrower(rng, tuple(result)))
    call.line["axis"] = axis - len(shape) if rng.random() < 0.4 else axis
    return call


def masked(rng, name, dtype):
    shape = shape_of(rng)
    size = int(np.prod(shape))
    mask = a_mask(rng, shape if rng.random() < 0.7 else (size,))
    return drawn(rng, name, dtype, shape, mask, "bool", repeated(rng, size if name == "putmask" else int(mask.sum())))


def copyto(rng, name, dtype):
    shape = shape_of(rng)
    where = None if rng.random() < 0.15 else np.asarray(a_mask(rng, tuple(1 if rng.random() < 0.25 else size for size in shape)))
    return drawn(rng, name, dtype, shape, where, "bool", narrower(rng, shape))


def bincount(rng, name, dtype):
    kind = str(rng.choice([each for each in INDEX_DTYPES if each != "uint64"]))
    x = np.asarray(rng.integers(0, int(rng.choice([1, 3, 100])), int(rng.choice([0, 1, 5, 300]))), kind)
    call = Call({"op": f"numpy.{name}"}, {"x": x}, {"x": kind})
    if x.size and rng.random() < 0.7:
        its = dtype if np.can_cast(np.dtype(dtype if dtype != "bfloat16" else "float32"), "float64", "safe") and dtype != "bfloat16" else "float32"
        call.operands["weights"], call.dtypes["weights"] = values(rng, its, x.shape), its
    if rng.random() < 0.5:
        call.line["minlength"] = int(rng.choice([0, 2, 130]))
    return call


FORMS = {"bincount": bincount, "put": put, "put_along_axis": put_along_axis, "place": masked, "putmask": masked, "copyto": copyto}


def legal_call(rng, name):
    return FORMS[name](rng, name, str(rng.choice(DTYPES)))


# What is broken. Each function changes a legal call, and says whether it is broken now.


def words_of(call):
    return WORDS[name_of(call)]


def places_of(call):
    return call.operands[words_of(call)[1]]


def index_out_of_range(rng, call, at):
    """`at`: the number, of the size."""
    indices = places_of(call).astype("int64")
    if not indices.size or not call.data.size or call.line.get("mode", "raise") != "raise" or call.operands[words_of(call)[2]].size == 0:
        return False
    size = call.data.size if name_of(call) == "put" else call.data.shape[call.line["axis"]]
    indices.flat[rng.integers(indices.size)] = at(size)
    call.dtypes[words_of(call)[1]] = "int64"
    return replaced(call, words_of(call)[1], indices)


def above(rng, call):
    return index_out_of_range(rng, call, lambda size: size + int(rng.integers(0, 3)))


def below(rng, call):
    return index_out_of_range(rng, call, lambda size: -size - 1)


def of_dtype(which, dtype):
    """The places, or the updates, with another dtype."""
    def change(rng, call):
        word = words_of(call)[which]
        if word not in call.operands or call.dtypes[word] == dtype:
            return False
        call.dtypes[word] = dtype
        return replaced(call, word, call.operands[word].astype(dtype))
    return change


def without(which):
    return lambda rng, call: call.operands.pop(words_of(call)[which], None) is not None


def attribute(name, value):
    def change(rng, call):
        call.line[name] = value(call) if callable(value) else value
        return True
    return change


def no_axis(rng, call):
    return call.line.pop("axis", None) is not None


def data_of_rank_0(rng, call):
    """With places for it."""
    data, places, updates = words_of(call)
    if places in call.operands:
        replaced(call, places, np.zeros((), call.operands[places].dtype))
    call.line |= {"axis": 0} if "axis" in call.line else {}
    return replaced(call, updates, values(rng, call.dtype, ())) and replaced(call, data, values(rng, call.dtype, ()))


def index_of_nothing(rng, call):
    return places_of(call).size > 0 and replaced(call, "a", values(rng, call.dtype, (0, 3)))


def another_rank(rng, call):
    return replaced(call, "indices", call.operands["indices"][np.newaxis])


def index_of_another_length(rng, call):
    axes = [at for at, size in enumerate(call.data.shape) if size > 1 and at != call.line["axis"] % call.data.ndim]
    shape = list(call.operands["indices"].shape)
    if not axes or call.data.shape[call.line["axis"]] == 0:
        return False
    shape[rng.choice(axes)] += 1
    if any(shape[at] == 1 for at in axes):
        return False
    replaced(call, "values", values(rng, call.dtype, ()))
    return all(shape) and replaced(call, "indices", np.zeros(shape, call.dtypes["indices"])) and any(shape[at] not in (1, call.data.shape[at]) for at in axes)


def longer_index_where_arr_is_1(rng, call):
    axes = [at for at, size in enumerate(call.data.shape) if size == 1 and at != call.line["axis"] % call.data.ndim]
    shape = list(call.operands["indices"].shape)
    if not axes or call.data.shape[call.line["axis"]] == 0:
        return False
    shape[axes[0]] = 3
    replaced(call, "values", values(rng, call.dtype, ()))
    return replaced(call, "indices", np.zeros(shape, call.dtypes["indices"]))


def updates_that_do_not_broadcast(rng, call):
    shape = list(call.data.shape)
    if "axis" in call.line:
        shape[call.line["axis"]] = call.operands["indices"].shape[call.line["axis"]]
    shape[-1] += 2
    return replaced(call, words_of(call)[2], values(rng, call.dtype, shape))


def where_that_does_not_broadcast(rng, call):
    call.dtypes["where"] = "bool"
    return replaced(call, "where", a_mask(rng, (*call.data.shape[:-1], call.data.shape[-1] + 2)))


def mask_of_another_size(rng, call):
    return replaced(call, "mask", a_mask(rng, (call.data.size + int(rng.choice([1, 2])),)))


def no_values(rng, call):
    has_places = call.data.size > 0 if name_of(call) == "putmask" else call.operands["mask"].any()
    return has_places and replaced(call, words_of(call)[2], values(rng, call.dtype, (0,)))


OTHER_DTYPE, RANK_0, LONGER, INTEGERS, NOTHING = ("updates of another dtype", "data of rank 0", "an index longer than data where data is 1 long",
                                                  "a mask of integers", "no values to repeat")
INDEXED = ("put", "put_along_axis")
OLD = tuple(WORDS)  # those with data
BROKEN = (
    ("an index at or beyond the end", INDEXED, above),
    ("an index below the first", INDEXED, below),
    (OTHER_DTYPE, OLD, lambda rng, call: of_dtype(2, "int32" if call.dtype != "int32" else "int64")(rng, call)),
    ("indices of float32", INDEXED, lambda rng, call: places_of(call).size > 0 and of_dtype(1, "float32")(rng, call)),
    ("indices of bool", INDEXED, lambda rng, call: call.data.size > 1 and places_of(call).size > 0 and call.data.shape[call.line.get("axis", 0)] > 1 and of_dtype(1, "bool")(rng, call)),
    ("indices of uint64", ("put",), lambda rng, call: places_of(call).size > 0 and call.line.get("mode") in ("wrap", "clip") and of_dtype(1, "uint64")(rng, call)),
    (RANK_0, OLD, data_of_rank_0),
    ("no places", (*INDEXED, *MASKS), without(1)),
    ("no updates", OLD, without(2)),
    ("an unknown mode", ("put",), attribute("mode", "ignore")),
    ("a mode in capitals", ("put",), attribute("mode", "Clip")),
    ("data without elements", ("put",), index_of_nothing),
    ("no axis", ("put_along_axis",), no_axis),
    ("an axis beyond the rank", ("put_along_axis",), attribute("axis", lambda call: call.data.ndim)),
    ("an axis below the rank", ("put_along_axis",), attribute("axis", lambda call: -call.data.ndim - 1)),
    ("an index of another rank", ("put_along_axis",), another_rank),
    ("an index of another length off the axis", ("put_along_axis",), index_of_another_length),
    (LONGER, ("put_along_axis",), longer_index_where_arr_is_1),
    ("updates that do not broadcast", ("put_along_axis", "copyto"), updates_that_do_not_broadcast),
    ("a mask that does not broadcast", ("copyto",), where_that_does_not_broadcast),
    ("where of integers", ("copyto",), of_dtype(1, "int64")),
    ("a mask of another size", MASKS, mask_of_another_size),
    (INTEGERS, MASKS, of_dtype(1, "int64")),
    (NOTHING, MASKS, no_values),
    ("a negative number", ("bincount",), lambda rng, call: call.operands["x"].size > 0 and call.dtypes["x"].startswith("i") and replaced(call, "x", -1 - call.operands["x"])),
    ("numbers of rank 2", ("bincount",), lambda rng, call: call.operands["x"].size > 0 and call.operands.pop("weights", None) is None and replaced(call, "x", call.operands["x"][np.newaxis])),
    ("numbers of float32", ("bincount",), lambda rng, call: call.operands["x"].size > 0 and call.dtypes.update(x="float32") is None and replaced(call, "x", call.operands["x"].astype("float32"))),
    ("weights of another length", ("bincount",), lambda rng, call: "weights" in call.operands and replaced(call, "weights", call.operands["weights"][1:])),
    ("complex weights", ("bincount",), lambda rng, call: "weights" in call.operands and call.dtypes.update(weights="complex64") is None and replaced(call, "weights", call.operands["weights"].astype("complex64"))),
    ("a negative minlength", ("bincount",), attribute("minlength", -1)),
    ("no numbers", ("bincount",), lambda rng, call: call.operands.pop("weights", None) is not None and call.operands.pop("x") is not None and call.operands.update(weights=np.zeros(3)) is None and call.dtypes.update(weights="float64") is None),
)


def broken_call(rng, name, number):
    return in_turns(rng, name, number, BROKEN, lambda: legal_call(rng, name))


# Why the two part.


def broken_by(*words, names=NAMES):
    return lambda outcome: outcome.call.broken in words and name_of(outcome.call) in names


DIFFERENCES = (
    Difference("different", "NaN with other bits: a sum of tscatter has one NaN", lambda outcome: name_of(outcome.call) == "bincount" and not outcome.unlike().any()),
    Difference("tscatter refuses", "data of rank 0; tscatter takes the same data of shape [1]", broken_by(RANK_0)),
    Difference("tscatter refuses", "NumPy casts updates, of some names also to a dtype that does not hold them; `--cast` does here", broken_by(OTHER_DTYPE)),
    Difference("tscatter refuses", "NumPy takes bools for the positions 0 and 1", broken_by("indices of bool", names=("put",))),
    Difference("tscatter refuses", "where arr is 1 long off the axis, NumPy broadcasts it to a longer index, and writes to it several times", broken_by(LONGER)),
    Difference("tscatter refuses", "NumPy takes numbers for a mask", broken_by(INTEGERS)),
    Difference("tscatter refuses", "putmask without values writes nothing in NumPy", broken_by(NOTHING, names=("putmask",))),
)

PAGE = """ Data has rank 1 to 4 and at times no elements, in all dtypes that both have; indices of all integer dtypes are negative, too, and with wrap and clip beyond either end. \
Not drawn: an index like 2^63 - 1 with wrap, for which NumPy takes as many steps as it is times as long as data, and does not end."""

if __name__ == "__main__":
    main(Library("numpy", "NumPy", np.__version__, NAMES, legal_call, broken_call, run, DIFFERENCES, lambda threads: None, PAGE))
