#!/usr/bin/env python3
"""Writes cases.jsonl beside this script: what JAX printed for small calls of its own names, StableHLO's reference interpreter of stablehlo.scatter, and XLA of xla.scatter.
Needs NumPy and jax; the tests that read the cases do not.

    make_jax.py          writes the cases
    make_jax.py --check  compares the results with those of the JAX that is installed
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from printed_cases import INF, NAN, Printed, array, main, of, zeros  # noqa: E402

import jax  # noqa: E402
import jax_names  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

f32, i64, mask = of("float32"), of("int64"), of("bool")
i8, u8, u16, i32, bf16, f16, c64 = of("int8"), of("uint8"), of("uint16"), of("int32"), of("bfloat16"), of("float16"), of("complex64")
MANY = i64(0, (300,))


def at(word, why, data, index, updates, name="", **attributes):
    return f"jax.at.{word}{name and '_' + name}", f"jax.at.{word}", why, {"data": data, "index": index, "updates": updates}, attributes


def windows(data_name, data, indices, updates, dims, vector=None):
    """dims: update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, batching dims of data and of indices."""
    first = "operand" if vector is None else "input"
    names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", f"{first}_batching_dims", "scatter_indices_batching_dims")
    lists = {name: array("int64", numbers) for name, numbers in zip(names, dims) if numbers}
    return {data_name: data, "scatter_indices": indices, "updates": updates, **lists, **({} if vector is None else {"index_vector_dim": i64(vector)})}


def lax(word, why, data, indices, updates, *dims, name="", **attributes):
    op = f"jax.lax.scatter{word and '_' + word}"
    return f"{op}{name and '_' + name}", op, why, windows("operand", data, indices, updates, dims), attributes


def text(space, body, why, data, indices, updates, *dims, vector, name):
    operands = windows("input" if space == "stablehlo" else "operand", data, indices, updates, dims, vector)
    return f"{space}.scatter_{name}", f"{space}.scatter", why, operands, {"update_computation": body}


def block(space, why, data, update, starts, name="", **attributes):
    op = f"{space}.dynamic_update_slice"
    return f"{op}{name and '_' + name}", op, why, {"operand": data, "updates": update, "indices": starts}, attributes


ROWS = ([], [0], [0])  # of a vector: each index entry is one place
CASES = (
    at("add", "negative indices count from the end, once; what is outside is dropped", zeros(3), [i64([-1, 2, 7])], f32([1, 2, 4])),
    at("add", "half floats are rounded at each step", bf16([0]), [MANY], bf16(1, (300,)), name="bfloat16"),
    at("add", "clip takes the nearest", zeros(2), [i64([5, -1, 0])], f32([1, 2, 4]), name="clip", mode="clip", wrap_negative_indices=False),
    at("add", "without wrap_negative_indices a negative index is outside", zeros(3), [i64([-1, 0])], f32([1, 2]), name="no_wrap", wrap_negative_indices=False),
    at("set", "positions apart: their axis goes first", zeros(2, 3, 2), [i64([0, 1]), None, i64([1, 0])], f32([[1, 2, 3], [4, 5, 6]]), name="apart"),
    at("set", "of duplicates the last is left", zeros(3), [i64([1, 1, 1])], f32([1, 2, 3]), name="last_wins"),
    at("set", "a slice from the end, and an axis of length 1", zeros(4), [slice(None, None, -2), "None"], f32([[1], [2]]), name="slice"),
    at("multiply", "a mask with positions; values are broadcast", f32([[1, 1], [1, 1]]), [mask([True, False]), i64([0, 0])], f32(3), name="mask"),
    at("subtract", "integers wrap", u8([0, 1]), ["...", i64([0])], u8([1]), name="uint8"),
    at("max", "NaN stays", f32([[1, NAN]]), [i64(0)], f32([NAN, 1]), name="nan"),
    at("min", "an integer; -0.0 is less than 0.0", zeros(2, 2), [i64(-1)], f32([-0.0, 1]), name="zeros"),
    at("add", "one is outside", zeros(3), [u16([2, 9])], f32([1, 2]), name="uint16_positions"),
    block("jax.lax", "a negative start counts from the end, then the block is moved inside", zeros(5), f32([1, 2]), i64([-1])),
    block("jax.lax", "further from the end: at the begin", zeros(5), f32([1, 2]), i32([-7]), name="before"),
    block("jax.lax", "negative starts are not allowed: the block is moved to 0", zeros(2, 5), f32([[1, 2]]), i64([9, -1]), name="no_wrap", allow_negative_indices=False),
    block("stablehlo", "a negative start does not count from the end", zeros(5), f32([1, 2]), i64([-1]), name="before"),
    block("stablehlo", "past the end: the block is moved inside", bf16(0, (2, 5)), bf16([[1, 2]]), u16([1, 200]), name="past"),
    lax("", "of duplicates the last is left", zeros(3), i64([[1], [1]]), f32([1, 2]), *ROWS),
    lax("", "a negative index is outside", zeros(3), i64([[-1], [0]]), f32([1, 2]), *ROWS, name="negative"),
    lax("add", "a window that is not inside data is dropped whole", zeros(5), i64([4]), f32([1, 2]), [0], [], [0]),
    lax("add", "clip moves the window in", zeros(5), i64([4]), f32([1, 2]), [0], [], [0], name="clip", mode="clip"),
    lax("add", "half floats are rounded at each step", f16([2048]), i64(0, (300, 1)), f16(1, (300,)), *ROWS, name="float16"),
    lax("add", "batching axes of data and indices", zeros(2, 3), i64([[[0], [2]], [[1], [1]]]), f32([[1, 2], [3, 4]]), [], [1], [1], [0], [0], name="batching"),
    lax("mul", "index vectors that name the axes in another order", f32(1, (2, 3)), i64([[2, 0], [1, 1]]), f32([5, 7]), [], [0, 1], [1, 0]),
    lax("sub", "windows of rows between the axes of entries", zeros(3, 2), i64([[2], [0]]), f32([[1, 3], [2, 4]]), [0], [0], [0]),
    lax("min", "-0.0 is less than 0.0, and NaN stays", zeros(2), i64([[0], [1]]), f32([-0.0, NAN]), *ROWS),
    lax("max", "NaN stays", f32([1, NAN]), i64([[0], [1]]), f32([NAN, 1]), *ROWS),
    lax("max", "or", mask([True, False, False]), i64([[0], [1]]), mask([False, True]), *ROWS, name="bool"),
    text("stablehlo", "add", "what a window has outside data is dropped, element by element", zeros(5), i64([[4], [-1]]), f32([[1, 9], [9, 2]]), [1], [], [0], vector=1, name="outside"),
    text("stablehlo", "set", "row-major order of updates", zeros(3), i64([[0], [1]]), f32([[1, 2], [3, 4]]), [0], [], [0], vector=1, name="order"),
    text("stablehlo", "add", "index vectors without numbers: all entries at 0", zeros(3), i64(0, (3, 0)), f32([1, 2, 3]), [], [0], [], vector=1, name="no_numbers"),
    text("stablehlo", "mul", "an entry is one number", f32([2, 3]), i64([1, 1]), f32([5, 7]), *ROWS, vector=1, name="scalars"),
    text("stablehlo", "xor", "", i32([5, 6, 7]), i64([[0], [0], [2]]), i32([1, 2, 3]), *ROWS, vector=1, name="xor"),
    text("stablehlo", "add", "or", mask([True, False, False]), i64([[0, 1]]), mask([True, True]), *ROWS, vector=0, name="add_bool"),
    text("stablehlo", "max", "NaN stays; -0.0 is less than 0.0", f32([1, -0.0]), i64([[0], [1]]), f32([NAN, 0.0]), *ROWS, vector=1, name="max"),
    text("xla", "add", "a window that is not inside data is dropped whole", zeros(5), i64([[4], [-1], [0]]), f32([[1, 9], [9, 2], [3, 4]]), [1], [], [0], vector=1, name="outside"),
    text("xla", "add", "complex numbers", c64([1j, 2]), i64([[0], [0]]), c64([1 + 1j, 2]), *ROWS, vector=1, name="complex64"),
    text("xla", "and", "index vectors along the first axis", u8([255, 15]), i64([[0, 1]]), u8([129, 12]), *ROWS, vector=0, name="and"),
    text("xla", "min", "infinity", f32([INF, -INF]), i64([[0], [1]]), f32([1, 1]), *ROWS, vector=1, name="min"),
)


def title(op):
    if op.startswith("stablehlo."):
        return f"StableHLO {stablehlo.get_current_version()}'s interpreter"
    return f"{'XLA of jaxlib' if op.startswith('xla.') else 'JAX'} {jax.__version__}"


if __name__ == "__main__":
    main(Printed("jax", "the own names of JAX, StableHLO and XLA", CASES, jax_names.run, title))
