#!/usr/bin/env python3
"""Writes cases.jsonl beside this script: what PaddlePaddle printed for small calls of its own names. Needs NumPy and paddle; the tests that
read the cases do not.

    make_paddle.py          writes the cases
    make_paddle.py --check  compares the results with those of the PaddlePaddle that is installed
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from printed_cases import INF, NAN, Printed, main, of, zeros  # noqa: E402

import paddle  # noqa: E402
import paddle_names  # noqa: E402

f32, i64, u8, i16, f16, mask = of("float32"), of("int64"), of("uint8"), of("int16"), of("float16"), of("bool")
NINES = f32([9, 9, 9])
ALONE = {"include_self": False}


def along(why, arr, indices, values, reduce, **attributes):
    return "put_along_axis", why, {"arr": arr, "indices": indices, "values": values}, {"axis": 0, "reduce": reduce, **attributes}


def segment(word, why, data, ids, name=""):
    return f"geometric.segment_{word}{name and '_' + name}", f"geometric.segment_{word}", why, {"data": data, "segment_ids": ids}, {}


# Name, operation, why, operands and attributes.
CASES = (
    segment("sum", "a segment without rows is 0", f32([[1, 2], [3, 4], [5, 6]]), i64([0, 0, 2])),
    segment("sum", "a sum begins with 0", f32([-0.0]), i64([0]), "zero"),
    segment("mean", "integers are cut", i64([-3, 0, 5]), i64([0, 0, 2])),
    segment("mean", "2049 hits of float16: the sum and the count are 2048", f16(1, (2049,)), i64(0, (2049,)), "float16"),
    segment("max", "a NaN that comes first goes, a later one stays", f32([NAN, 1, 2, NAN]), i64([0, 0, 1, 1])),
    segment("min", "a segment without rows is 0, one of -0.0 keeps its sign", f32([-0.0, 5]), i64([0, 2])),
    ("scatter_nd", "scatter_nd", "a negative index counts from the end", {"updates": f32([1, 2, 4]), "index": i64([[1], [-1], [1]]), "shape": i64([4])}, {}),
    ("scatter_nd_rows", "scatter_nd", "into zeros: -0.0 is 0.0 there", {"updates": f32([[-0.0, 8]]), "index": i64([[1]]), "shape": i64([3, 2])}, {}),
    ("scatter", "scatter", "of duplicates the last is left; a negative index counts from the end", {"x": NINES, "index": i64([1, 1, -1]), "updates": f32([1, 2, 3])}, {}),
    ("scatter_sum", "scatter", "the rows that are written first become 0", {"x": NINES, "index": i64([1, 1]), "updates": f32([1, 2])}, {"overwrite": False}),
    ("scatter_sum_of_zeros", "scatter", "0.0 + -0.0 is 0.0, and a NaN of x does not count", {"x": f32([NAN, NAN, NAN]), "index": i64([0, 1]), "updates": f32([-0.0, 2])}, {"overwrite": False}),
    ("scatter_rows", "scatter", "", {"x": zeros(3, 2), "index": i64([2, 0]), "updates": f32([[1, 2], [3, 4]])}, {"overwrite": True}),
    ("scatter_nothing", "scatter", "an index without elements leaves x", {"x": NINES, "index": i64([]), "updates": f32([])}, {"overwrite": False}),
    ("scatter_nd_add", "scatter_nd_add", "updates of one element are all added", {"x": NINES, "index": i64([[-1], [0], [0]]), "updates": f32([1, 2, 3])}, {}),
    ("scatter_nd_add_negative_zero", "scatter_nd_add", "-0.0 + -0.0 is -0.0", {"x": f32([-0.0, 0]), "index": i64([[0], [1]]), "updates": f32([-0.0, -0.0])}, {}),
    ("scatter_nd_add_rows", "scatter_nd_add", "", {"x": zeros(2, 3), "index": i64([[1], [1]]), "updates": f32([[1, 2, 3], [4, 5, 6]])}, {}),
    ("scatter_nd_add_order", "scatter_nd_add", "rounded at each step, in order", {"x": f32([0]), "index": i64(0, (4, 1)), "updates": f32([1e8, 1, -1e8, 1])}, {}),
    ("put_along_axis", "put_along_axis", "indices and values are broadcast off the axis", {"arr": zeros(2, 3), "indices": i64([[1, -3]]), "values": f32([[1], [2]])}, {"axis": 1}),
    ("put_along_axis_last", *along("of duplicates the last is left", zeros(3), i64([1, 1]), f32([1, 2]), "assign")),
    ("put_along_axis_add", *along("", NINES, i64([1, 1]), f32([1, 2]), "add")),
    ("put_along_axis_add_alone", *along("", NINES, i64([1, 1]), f32([1, 2]), "add", **ALONE)),
    ("put_along_axis_mul", *along("", NINES, i64([1, 1]), f32([2, 3]), "mul")),
    ("put_along_axis_multiply", *along("another word", NINES, i64([1, 1]), f32([2, 3]), "multiply", **ALONE)),
    ("put_along_axis_mean", *along("integers are rounded down", i64([1, 10, 5]), i64([0, 0, 1]), i64([-3, -2, 4]), "mean", **ALONE)),
    ("put_along_axis_mean_int16", *along("-568 / 257", i16([200]), i64(0, (256,)), i16(-3, (256,)), "mean")),
    ("put_along_axis_mean_uint8", *along("the sum wraps", u8([200, 200, 9]), i64([0, 0, 1]), u8([100, 100, 200]), "mean")),
    ("put_along_axis_mean_count", *along("256 hits and arr: the count 257 is 1 in uint8", u8([200]), i64(0, (256,)), u8(1, (256,)), "mean")),
    ("put_along_axis_amin", *along("a NaN of values is passed over, one of arr stays", f32([9, 1, NAN]), i64([0, 1, 1, 2]), f32([NAN, NAN, 3, 1]), "amin")),
    ("put_along_axis_amax", *along("of equal zeros arr's stays", f32([-0.0, 0, 1]), i64([0, 1, 2]), f32([0, -0.0, NAN]), "amax")),
    ("put_along_axis_amin_alone", *along("", f32([-9, 3]), i64([0, 1]), f32([INF, -INF]), "amin", **ALONE)),
    ("put_along_axis_amax_alone", *along("integers, too, begin with the least", i64([1, 10, 5]), i64([0, 0, 1]), i64([-3, -2, 4]), "amax", **ALONE)),
    ("index_add", "index_add", "", {"x": zeros(3), "index": i64([-1, -1]), "value": f32([1, 3])}, {"axis": 0, "alpha": 2}),
    ("index_add_float16", "index_add", "rounded at each step: 0 + 3000 x 1 stays at 2048", {"x": f16([0]), "index": i64(0, (3000,)), "value": f16(1, (3000,))}, {"axis": 0}),
    ("index_add_float16_alpha", "index_add", "the product is rounded to float16", {"x": f16([0]), "index": i64([0]), "value": f16([3])}, {"axis": 0, "alpha": 0.5}),
    ("index_add_columns", "index_add", "", {"x": zeros(2, 3), "index": i64([-1, 0]), "value": f32([[1, 2], [3, 4]])}, {"axis": -1}),
    ("index_put", "index_put", "one index of shape [1, 2]; value is broadcast", {"x": zeros(3, 2), "indices": [i64([[2, 0]])], "value": f32([[1], [2]])}, {}),
    ("index_put_accumulate", "index_put", "", {"x": NINES, "indices": [i64([1, 1])], "value": f32([1, 2])}, {"accumulate": True}),
    ("index_put_mask", "index_put", "a mask is the places where it is true", {"x": zeros(3, 2), "indices": [mask([[True, False], [True, True], [False, False]])], "value": f32([1, 2, 3])}, {}),
    ("index_fill", "index_fill", "", {"x": zeros(2, 3), "index": i64([-1, 0]), "value": f32(7)}, {"axis": 1}),
    ("masked_fill", "masked_fill", "a mask is broadcast", {"x": zeros(2, 2), "mask": mask([[True], [False]]), "value": f32(7)}, {}),
)


if __name__ == "__main__":
    calls = [(f"paddle.{name}", f"paddle.{op}", *rest) for name, op, *rest in CASES]
    main(Printed("paddle", "PaddlePaddle's own names", calls, paddle_names.run, lambda op: f"PaddlePaddle {paddle.__version__}"))
