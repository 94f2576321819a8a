"""PyTorch's own operations on the processor, and what is written by hand in their place."""

import unittest
import warnings

import torch

from suite import LEFT_OUT, Bug, Subject, main

warnings.simplefilter("ignore")  # scatter_reduce and index_reduce are called beta

# NaN with other bits: half floats go through float32, also where nothing is written, and the processor signs some.
TENSORS = {"arrays": "torch", "nan_bits": "any"}
NUMBERS = {**TENSORS, "dtype": ["int8", "uint8", "int32", "int64", "float16", "float32", "float64"]}
ALL = {**TENSORS, "dtype": ["bool", "complex64", *NUMBERS["dtype"]]}


def item(value):
    return value.item() if isinstance(value, torch.Tensor) else value


# Of several updates of one place one stays: an index that is read, changed and written.


def index_add_by_index(input, dim, index, source, alpha=1):
    place = (slice(None),) * (dim % input.ndim) + (index,)
    input[place] = input[place] + alpha * source


def index_put_by_index(input, indices, values, accumulate=False):
    place = tuple(indices)
    input[place] = input[place] + values if accumulate else values


def scatter_add_by_gather(input, dim, index, src):
    if index.numel():
        read = src[tuple(slice(size) for size in index.shape)]
        input.scatter_(dim, index, input.gather(dim, index) + read)


def index_put(input, indices, values, accumulate=False):
    """PyTorch takes slices of an index by itself, and hands over views; None is a whole axis."""
    if any(isinstance(each, slice) and each != slice(None) for each in indices):
        raise unittest.SkipTest("a part of an axis")
    return torch.ops.aten.index_put(input, [None if isinstance(each, slice) else each for each in indices], values, accumulate)


def index_add_alpha_twice(input, dim, index, source, alpha=1):
    return torch.index_add(input, dim, index, alpha * source, alpha=alpha)


def index_copy_of_8_bits(input, dim, index, source):
    return torch.index_copy(input, dim, index.to(torch.uint8).to(torch.int64), source)


def without(word, function):
    return lambda **case: function(**{name: value for name, value in case.items() if name != word})


def from_zero(input, dim, index, src, reduce, include_self=True):
    """Of what reduces without data's value."""
    if not include_self and index.numel():
        input.scatter_(dim, index, 0)
    return torch.scatter_reduce(input, dim, index, src, reduce)


def index_reduce(input, dim, index, source, reduce, include_self=True):
    if input.dtype.itemsize == 2 and not source.numel() > source.shape[dim]:
        raise unittest.SkipTest("PyTorch fails on rows of one half float")
    return torch.index_reduce(input, dim, index, source, reduce, include_self=include_self)


def index_fill(input, dim, index, value):
    return torch.index_fill(input, dim, index, item(value))


def index_fill_but_the_last(input, dim, index, value):
    return index_fill(input, dim, index.flatten()[:-1], value)


def masked_scatter_by_a_sum(input, mask, source):
    """The sum counts the place itself, too."""
    mask = mask.expand(input.shape)
    places = mask.flatten().cumsum(0).clamp(max=source.numel() - 1)
    return torch.where(mask, source.flatten()[places].reshape(input.shape), input) if source.numel() else input


def slice_scatter_from_zero(input, src, dim=0, start=None, end=None, step=1):
    return torch.slice_scatter(input, src, dim, 0, src.shape[dim] * step, step)


FROM_ZERO = {
    "sum": (),  # which is right
    "prod": (Bug("from 0", from_zero, "as with self=0"),),
    "mean": (Bug("0 counted", from_zero, "the sum, divided by one too many"),),
    "amax": (Bug("from 0", from_zero, "as with self=0"),),
    "amin": (Bug("from 0", from_zero, "as with self=0"),),
}

SUBJECTS = (
    Subject("torch.scatter", torch.scatter, (Bug("reduce left out", without("reduce", torch.scatter), "as with the reduction none"),), ALL),
    Subject("torch.scatter_add", torch.scatter_add, (Bug("lost update", scatter_add_by_gather, LEFT_OUT),), ALL),
    *(
        Subject(
            "torch.scatter_reduce",
            torch.scatter_reduce,
            (Bug("include_self ignored", without("include_self", torch.scatter_reduce), 'as with include_self=True'), *bugs),
            {**NUMBERS, "reduce": reduce},
            count=40,
            name=f"scatter_reduce with {reduce}",
        )
        for reduce, bugs in FROM_ZERO.items()
    ),
    Subject(
        "torch.index_add",
        torch.index_add,
        (Bug("lost update", index_add_by_index, LEFT_OUT), Bug("alpha twice", index_add_alpha_twice, "every update twice")),
        NUMBERS,  # complex: PyTorch multiplies by alpha as a complex number, also by 1, and of infinities this makes NaN
    ),
    *(
        Subject(
            "torch.index_reduce",
            index_reduce,
            (Bug("include_self ignored", without("include_self", index_reduce), 'as with include_self=True'),),
            # Of 0.0 and -0.0 the update stays where rows fill a vector of the processor, else data's value. bool and complex: not in PyTorch.
            {**NUMBERS, "reduce": reduce, "plain": True, "zeros": "any"},
            count=40,
            name=f"index_reduce with {reduce}",
        )
        for reduce in ("prod", "mean", "amax", "amin")
    ),
    Subject(
        "torch.index_copy",
        torch.index_copy,
        (Bug("index of 8 bits", index_copy_of_8_bits, "index cut to uint8", elements=700, count=60),),
        {**ALL, "plain": True},
    ),
    Subject("torch.index_fill", index_fill, (Bug("the last entry left out", index_fill_but_the_last, LEFT_OUT),), ALL),
    Subject(
        "torch.index_put",
        index_put,
        (
            Bug("lost update", index_put_by_index, LEFT_OUT),
            Bug("accumulate left out", without("accumulate", index_put), "as with the reduction none"),
        ),
        {**ALL, "plain": True},
    ),
    Subject(
        "torch.masked_scatter",
        torch.masked_scatter,
        (Bug("source off by one", masked_scatter_by_a_sum, r"the updates of the entry \+1 from it"),),
        ALL,
    ),
    # "the start not heeded" is only tried for SliceScatter.
    Subject("torch.slice_scatter", torch.slice_scatter, (Bug("start left out", slice_scatter_from_zero, ""),), ALL),
)

if __name__ == "__main__":
    main("torch", SUBJECTS)
