"""Kernels of Numba: loops over arrays of NumPy, one of them in parallel."""

import unittest

import numpy as np
from numba import njit, prange

from suite import LEFT_OUT, Bug, Subject, main

THREADS = 2
np.seterr(all="ignore")


# scatter_add along an axis of a matrix.


@njit
def add_elements(output, dim, index, src):
    for row in range(index.shape[0]):
        for column in range(index.shape[1]):
            at = index[row, column]
            if dim == 0:
                output[at, column] += src[row, column]
            else:
                output[row, at] += src[row, column]


@njit
def add_elements_but_the_last_row(output, dim, index, src):
    add_elements(output, dim, index[:-1], src)


@njit
def add_elements_with_the_stride_of_index(output, dim, index, src):
    add_elements(output, dim, index, src.ravel()[: index.size].reshape(index.shape))


@njit
def write_elements(output, dim, index, src):
    for row in range(index.shape[0]):
        for column in range(index.shape[1]):
            at = index[row, column]
            if dim == 0:
                output[at, column] = src[row, column]
            else:
                output[row, at] = src[row, column]


def scatter_add(kernel):
    def call(input, dim, index, src):
        if index.size:
            kernel(input, dim % 2, index, src)

    return call


def scatter_add_along_the_last_axis(input, dim, index, src):
    """A negative dim is the last axis."""
    if dim == -2 and index.size and (index.max() >= input.shape[1] or len(index) > len(input)):
        raise unittest.SkipTest("it would write past the end")
    scatter_add(add_elements)(input, max(dim, -1), index, src)


def scatter_add_in_float32(input, dim, index, src):
    result = input.astype(np.float32)
    scatter_add(add_elements)(result, dim, index, src.astype(np.float32))
    return result.astype(input.dtype)


# index_add of rows, in parallel.


@njit(parallel=True)
def add_rows(output, index, source, alpha):
    """Each thread has columns of its own."""
    for column in prange(output.shape[1]):
        for entry in range(len(index)):
            output[index[entry], column] += alpha * source[entry, column]


@njit(parallel=True)
def add_rows_in_copies(output, index, source, alpha):
    """Each thread has entries of its own and a copy of the output; the copies are added, with data in each of them."""
    copies = np.stack((output, output))
    for thread in prange(THREADS):
        for entry in range(thread, len(index), THREADS):
            for column in range(output.shape[1]):
                copies[thread, index[entry], column] += alpha * source[entry, column]
    output[:] = copies[0] + copies[1]


@njit
def add_rows_of_whole_parts(output, index, source, alpha):
    """The entries are shared out among threads, without the rest of the division."""
    part = len(index) // THREADS
    for column in range(output.shape[1]):
        for entry in range(part * THREADS):
            output[index[entry], column] += alpha * source[entry, column]


@njit
def add_rows_of_a_batch(output, index, source, alpha):
    """Batches of 4 entries: all are read before the first of them is written."""
    for column in range(output.shape[1]):
        for begin in range(0, len(index), 4):
            end = min(begin + 4, len(index))
            sums = np.empty(end - begin, output.dtype)
            for entry in range(begin, end):
                sums[entry - begin] = output[index[entry], column] + alpha * source[entry, column]
            for entry in range(begin, end):
                output[index[entry], column] = sums[entry - begin]


@njit
def add_rows_twice_at_the_seam(output, index, source, alpha):
    """The second half begins with the last entry of the first one."""
    half = len(index) // 2
    for column in range(output.shape[1]):
        for entry in range(half):
            output[index[entry], column] += alpha * source[entry, column]
        for entry in range(max(half - 1, 0), len(index)):
            output[index[entry], column] += alpha * source[entry, column]


def index_add(kernel, alpha_of=lambda alpha: alpha):
    def call(input, dim, index, source, alpha=1):
        kernel(input, index, source, input.dtype.type(alpha_of(alpha)))

    return call


# The greatest of each segment: index_reduce with amax.


@njit
def greatest(output, index, source, begins, begin):
    if begins:
        for entry in range(len(index)):
            output[index[entry]] = begin
    for entry in range(len(index)):
        for column in range(output.shape[1]):
            value, best = source[entry, column], output[index[entry], column]
            if value > best or value != value:
                output[index[entry], column] = value


@njit
def greatest_without_nan(output, index, source, begins, begin):
    if begins:
        for entry in range(len(index)):
            output[index[entry]] = begin
    for entry in range(len(index)):
        for column in range(output.shape[1]):
            if source[entry, column] > output[index[entry], column]:
                output[index[entry], column] = source[entry, column]


@njit
def greatest_of_sorted(output, index, source, begins, begin):
    """A segment ends where the index changes: right only if equal ones follow each other."""
    for entry in range(len(index)):
        is_first = entry == 0 or index[entry] != index[entry - 1]
        for column in range(output.shape[1]):
            value, best = source[entry, column], output[index[entry], column]
            if (is_first and begins) or value > best or value != value:
                output[index[entry], column] = value


def index_amax(kernel, begin=-np.inf, heeds_self=True):
    def call(input, dim, index, source, reduce, include_self=True):
        kernel(input, index, source, heeds_self and not include_self, input.dtype.type(begin))

    return call


def index_mean(plus):
    def call(input, dim, index, source, reduce, include_self=True):
        counts = np.bincount(index, minlength=len(input)).astype(input.dtype)[:, None]
        sums = input.copy() if include_self else np.where(counts > 0, input.dtype.type(0), input)
        add_rows(sums, index, source, input.dtype.type(1))
        return np.where(counts > 0, sums / (counts + include_self + plus), input)

    return call


ROWS = {"ranks": 2, "dim": 0, "plain": True}

SUBJECTS = (
    Subject(
        "torch.scatter_add",
        scatter_add(add_elements),
        (
            Bug("negative dim", scatter_add_along_the_last_axis, "along axis 1", count=24),
            Bug("the last row left out", scatter_add(add_elements_but_the_last_row), LEFT_OUT),
            Bug("src's stride", scatter_add(add_elements_with_the_stride_of_index), ""),
            Bug("written, not added", scatter_add(write_elements), "as with the reduction none"),
            Bug("computed in float32", scatter_add_in_float32, "computed in float32", {"dtype": "float64"}),
        ),
        {"ranks": 2, "dtype": ["float32", "int64"]},
        count=40,
    ),
    Subject(
        "torch.index_add",
        index_add(add_rows),
        (
            Bug("data in each copy", index_add(add_rows_in_copies), "data's value twice"),
            Bug("the rest left out", index_add(add_rows_of_whole_parts), LEFT_OUT),
            Bug("lost update", index_add(add_rows_of_a_batch), LEFT_OUT),
            Bug("an entry twice", index_add(add_rows_twice_at_the_seam), "twice"),
            Bug("alpha twice", index_add(add_rows, lambda alpha: alpha * alpha), "every update twice"),
        ),
        {**ROWS, "dtype": "float32"},
        count=40,
        name="index_add in parallel",
    ),
    Subject(
        "torch.index_reduce",
        index_amax(greatest),
        (
            Bug("NaN ignored", index_amax(greatest_without_nan), "as with extremes="),
            Bug("from 0", index_amax(greatest, 0), "as with self=0"),
            Bug("include_self ignored", index_amax(greatest, heeds_self=False), 'as with include_self=True'),
            Bug("index taken for sorted", index_amax(greatest_of_sorted), LEFT_OUT),
        ),
        {**ROWS, "reduce": "amax", "dtype": "float32"},
        count=40,
        name="index_reduce with amax",
    ),
    Subject(
        "torch.index_reduce",
        index_mean(0),
        (Bug("one too many in the divisor", index_mean(1), "the sum, divided by one too many"),),
        {**ROWS, "reduce": "mean", "dtype": "float32"},
        count=40,
        name="index_reduce with mean",
    ),
)

if __name__ == "__main__":
    main("numba", SUBJECTS)
