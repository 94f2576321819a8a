"""Kernels of Triton, run by its interpreter on tensors of PyTorch in the processor's memory."""

import os
import warnings

os.environ["TRITON_INTERPRET"] = "1"  # before the import

import torch
import triton
import triton.language as tl

from suite import LEFT_OUT, Bug, Subject, main

BLOCK = 64

warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, in which the interpreter computes: an infinity, a NaN


# index_add along dim 0: an element of source for each lane.


@triton.jit
def add_rows(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    tl.atomic_add(output + rows * columns + lanes % columns, alpha * tl.load(source + lanes, mask), mask)


@triton.jit
def add_rows_without_atomic(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    place = output + rows * columns + lanes % columns
    tl.store(place, tl.load(place, mask) + alpha * tl.load(source + lanes, mask), mask)


@triton.jit
def add_rows_but_the_last_lane(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count - 1
    rows = tl.load(index + lanes // columns, mask)
    tl.atomic_add(output + rows * columns + lanes % columns, alpha * tl.load(source + lanes, mask), mask)


@triton.jit
def add_rows_alpha_twice(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    tl.atomic_add(output + rows * columns + lanes % columns, alpha * (alpha * tl.load(source + lanes, mask)), mask)


@triton.jit
def add_rows_of_columns(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    """Source is read as if its columns were contiguous."""
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    values = tl.load(source + lanes % columns * (count // columns) + lanes // columns, mask)
    tl.atomic_add(output + rows * columns + lanes % columns, alpha * values, mask)


@triton.jit
def add_rows_into_columns(output, index, source, count, columns, alpha, height, BLOCK: tl.constexpr):
    """Output is written as if its columns were contiguous."""
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    tl.atomic_add(output + lanes % columns * height + rows, alpha * tl.load(source + lanes, mask), mask)


@triton.jit
def add_rows_of_8_bits(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask).to(tl.uint8)
    tl.atomic_add(output + rows.to(tl.int32) * columns + lanes % columns, alpha * tl.load(source + lanes, mask), mask)


@triton.jit
def add_rows_at_8_bits(output, index, source, count, columns, alpha, BLOCK: tl.constexpr):
    """An offset overflows, as one of 32 bits does in 2^32 elements."""
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lanes < count
    rows = tl.load(index + lanes // columns, mask)
    offset = (rows * columns + lanes % columns).to(tl.uint8)
    tl.atomic_add(output + offset.to(tl.int32), alpha * tl.load(source + lanes, mask), mask)


def index_add(kernel, blocks=triton.cdiv, **words):
    def launch(input, dim, index, source, alpha=1):
        if source.numel():
            more = {word: function(input) for word, function in words.items()}
            kernel[(blocks(source.numel(), BLOCK),)](input, index, source, source.numel(), source.shape[1], alpha, **more, BLOCK=BLOCK)

    return launch


# scatter_reduce with amax: an element of index for each lane.


@triton.jit
def fill(output, index, width, output_width, index_width, count, value, DIM: tl.constexpr, BLOCK: tl.constexpr):
    """What reduces without data's value begins with `value`."""
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = lanes // index_width, lanes % index_width
    at = tl.load(index + lanes, lanes < count)
    place = at * output_width + column if DIM == 0 else row * output_width + at
    tl.store(output + place, value, lanes < count)


@triton.jit
def maximum(output, index, src, src_width, output_width, index_width, count, DIM: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = lanes // index_width, lanes % index_width
    at = tl.load(index + lanes, lanes < count)
    place = at * output_width + column if DIM == 0 else row * output_width + at
    tl.atomic_max(output + place, tl.load(src + row * src_width + column, lanes < count), lanes < count)


@triton.jit
def maximum_without_atomic(output, index, src, src_width, output_width, index_width, count, DIM: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = lanes // index_width, lanes % index_width
    at = tl.load(index + lanes, lanes < count)
    place = output + (at * output_width + column if DIM == 0 else row * output_width + at)
    value = tl.load(src + row * src_width + column, lanes < count)
    tl.store(place, tl.maximum(tl.load(place, lanes < count), value), lanes < count)


def lowest(dtype):
    return float("-inf") if dtype.is_floating_point else torch.iinfo(dtype).min


def amax(kernel=maximum, begin=lowest, width=lambda src, index: src.shape[1]):
    def launch(input, dim, index, src, reduce, include_self=True):
        if not index.numel():
            return
        words = {"DIM": dim % 2, "BLOCK": BLOCK}
        sizes = (width(src, index), input.shape[1], index.shape[1], index.numel())
        grid = (triton.cdiv(index.numel(), BLOCK),)
        if not include_self and begin is not None:
            fill[grid](input, index, *sizes, begin(input.dtype), **words)
        kernel[grid](input, index, src, *sizes, **words)

    return launch


# index_copy of rows: a program for each tile of columns, in which the entries follow each other.


@triton.jit
def copy_rows(output, index, source, entries, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    for entry in range(entries):
        row = tl.load(index + entry)
        tl.store(output + row * columns + column, tl.load(source + entry * columns + column, mask), mask)


@triton.jit
def copy_rows_some_backwards(output, index, source, entries, columns, BLOCK: tl.constexpr):
    """Each tile has an order of its own, as if each entry had a program."""
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    for turn in range(entries):
        entry = turn if tl.program_id(0) % 2 == 0 else entries - 1 - turn
        row = tl.load(index + entry)
        tl.store(output + row * columns + column, tl.load(source + entry * columns + column, mask), mask)


@triton.jit
def copy_rows_but_the_last_column(output, index, source, entries, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns - 1
    for entry in range(entries):
        row = tl.load(index + entry)
        tl.store(output + row * columns + column, tl.load(source + entry * columns + column, mask), mask)


@triton.jit
def copy_the_next_row(output, index, source, entries, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    for entry in range(entries):
        row = tl.load(index + entry)
        after = (entry + 1) % entries
        tl.store(output + row * columns + column, tl.load(source + after * columns + column, mask), mask)


def index_copy(kernel, tile=8):
    def launch(input, dim, index, source):
        if source.numel():
            kernel[(triton.cdiv(source.shape[1], tile),)](input, index, source, source.shape[0], source.shape[1], BLOCK=tile)

    return launch


def too_few_blocks(size, block):
    return max(size // block, 1)


SUBJECTS = (
    Subject(
        "torch.index_add",
        index_add(add_rows),
        (
            Bug("lost update", index_add(add_rows_without_atomic), LEFT_OUT),
            Bug("mask off by one", index_add(add_rows_but_the_last_lane), LEFT_OUT),
            Bug("a block too few", index_add(add_rows, too_few_blocks), LEFT_OUT, elements=200),
            Bug("alpha twice", index_add(add_rows_alpha_twice), "every update twice"),
            Bug("alpha left out", lambda alpha=1, **case: index_add(add_rows)(**case), "as with alpha=1"),
            Bug("source's stride", index_add(add_rows_of_columns), "updates read in the other memory order"),
            Bug("output's stride", index_add(add_rows_into_columns, height=len), ""),
            Bug("index of 8 bits", index_add(add_rows_of_8_bits), "index cut to uint8", elements=700),
            Bug("offset of 8 bits", index_add(add_rows_at_8_bits), "", elements=700),
        ),
        {"arrays": "torch", "ranks": 2, "dim": 0, "plain": True, "dtype": ["float32", "int32"], "max_elements": 1024},
        count=50,
    ),
    Subject(
        "torch.scatter_reduce",
        amax(),
        (
            Bug("lost update", amax(maximum_without_atomic), LEFT_OUT),
            Bug("include_self ignored", amax(begin=None), 'as with include_self=True'),
            Bug("from 0", amax(begin=lambda dtype: 0), "as with self=0"),
            # The interpreter, as a GPU, compares a float's bits as an integer: a NaN with a sign is less than all.
            Bug("a NaN with a sign", amax(), f"{LEFT_OUT}|as with extremes=", {"values": "special"}),
            Bug("src's stride", amax(width=lambda src, index: index.shape[1]), ""),
        ),
        {"arrays": "torch", "ranks": 2, "reduce": "amax", "dtype": ["float32", "int32"], "values": "exact", "max_elements": 1024},
        count=50,
        name="scatter_reduce with amax",
    ),
    Subject(
        "torch.index_copy",
        index_copy(copy_rows),
        (
            Bug("torn rows", index_copy(copy_rows_some_backwards), "torn"),
            Bug("mask off by one", index_copy(copy_rows_but_the_last_column), LEFT_OUT),
            Bug("the next row", index_copy(copy_the_next_row), r"the updates of the entry \+1 from it"),
        ),
        {"arrays": "torch", "ranks": 2, "dim": 0, "plain": True, "dtype": ["float32", "int64"], "max_elements": 1024},
        count=40,
    ),
)

if __name__ == "__main__":
    main("triton", SUBJECTS)
