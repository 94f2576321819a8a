#!/usr/bin/env python3
"""Writes cases.jsonl beside this script: what PyTorch printed for small calls of its own names. Needs NumPy and torch; the tests that read
the cases do not.

    make_torch.py          writes the cases
    make_torch.py --check  compares the results with those of the PyTorch that is installed
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from printed_cases import INF, NAN, Printed, main, of, zeros  # noqa: E402

import torch  # noqa: E402
import torch_names  # noqa: E402

f32, i64, mask = of("float32"), of("int64"), of("bool")
i8, u8, f16, bf16 = of("int8"), of("uint8"), of("float16"), of("bfloat16")
MANY = i64(0, (300,))
ALONE = {"include_self": False}

# Name, operation, why, operands and attributes.
CASES = (
    ("scatter", "scatter", "updates longer than the index are not read", {"input": zeros(2, 4), "index": i64([[3, 0]]), "src": f32([[1, 2, 3], [4, 5, 6]])}, {"dim": 1}),
    ("scatter_last_wins", "scatter", "of duplicates the last is left", {"input": zeros(3), "index": i64([1, 1, 1]), "src": f32([1, 2, 3])}, {"dim": 0}),
    ("scatter_longer_than_data", "scatter", "along dim an index may be longer than data", {"input": zeros(2, 1), "index": i64(0, (2, 3)), "src": f32([[1, 2, 3], [4, 5, 6]])}, {"dim": 1}),
    ("scatter_value", "scatter", "one number for every index", {"input": zeros(2, 3), "index": i64([[2], [0]]), "value": f32(7)}, {"dim": -1}),
    ("scatter_value_add", "scatter", "a number is added as often as it is met", {"input": f32([1, 1, 1]), "index": i64([2, 2]), "value": f32(7)}, {"dim": 0, "reduce": "add"}),
    ("scatter_multiply", "scatter", "", {"input": f32([1, 1, 1]), "index": i64([2, 2]), "src": f32([3, 5])}, {"dim": 0, "reduce": "multiply"}),
    ("scatter_nothing", "scatter", "an index without elements has any rank", {"input": zeros(2, 3), "index": i64([]), "src": f32([[1, 2]])}, {"dim": 1}),
    ("scatter_add", "scatter_add", "updates longer than the index are not read", {"input": zeros(3), "index": i64([2, 2]), "src": f32([1, 3, 9])}, {"dim": 0}),
    ("scatter_add_bfloat16", "scatter_add", "half floats are summed in float32, and rounded once", {"input": bf16(0, (1,)), "index": MANY, "src": bf16(1, (300,))}, {"dim": 0}),
    ("scatter_reduce_mean", "scatter_reduce", "integers floor", {"input": i64([1, 10, 5]), "index": i64([0, 0, 1]), "src": i64([-3, -2, 4])}, {"dim": 0, "reduce": "mean", **ALONE}),
    ("scatter_reduce_mean_int8", "scatter_reduce", "the sum wraps", {"input": i8([1]), "index": i64([0, 0]), "src": i8([100, 100])}, {"dim": 0, "reduce": "mean", **ALONE}),
    ("scatter_reduce_mean_uint8", "scatter_reduce", "255 hits and data: the count wraps to 0, which becomes 1", {"input": u8([100]), "index": i64(0, (255,)), "src": u8(0, (255,))},
     {"dim": 0, "reduce": "mean"}),
    ("scatter_reduce_mean_negative_count", "scatter_reduce", "127 hits and data: the count is -128", {"input": i8([100]), "index": i64(0, (127,)), "src": i8(0, (127,))},
     {"dim": 0, "reduce": "mean"}),
    ("scatter_reduce_mean_of_minus_one", "scatter_reduce", "the count is -1, and the quotient wraps", {"input": i8([-128]), "index": i64(0, (254,)), "src": i8(0, (254,))},
     {"dim": 0, "reduce": "mean"}),
    ("scatter_reduce_mean_bfloat16", "scatter_reduce", "the count 257 is 256 in bfloat16", {"input": bf16([256]), "index": i64(0, (256,)), "src": bf16(0, (256,))}, {"dim": 0, "reduce": "mean"}),
    ("scatter_reduce_sum_bfloat16", "scatter_reduce", "rounded once", {"input": bf16([0]), "index": MANY, "src": bf16(1, (300,))}, {"dim": 0, "reduce": "sum"}),
    ("scatter_reduce_prod_bfloat16", "scatter_reduce", "rounded once", {"input": bf16([1]), "index": i64(0, (20,)), "src": bf16(1.0625, (20,))}, {"dim": 0, "reduce": "prod"}),
    ("scatter_reduce_sum_without_self", "scatter_reduce", "0.0 + -0.0 is 0.0; a place without updates keeps data", {"input": f32([5, -0.0]), "index": i64([0]), "src": f32([-0.0])},
     {"dim": 0, "reduce": "sum", **ALONE}),
    ("scatter_reduce_amax_without_self", "scatter_reduce", "begins with -inf", {"input": f32([5, 6]), "index": i64([0]), "src": f32([-INF])}, {"dim": 0, "reduce": "amax", **ALONE}),
    ("scatter_reduce_amin_without_self", "scatter_reduce", "begins with inf", {"input": f32([5, 6]), "index": i64([0]), "src": f32([INF])}, {"dim": 0, "reduce": "amin", **ALONE}),
    ("scatter_reduce_amax_nan", "scatter_reduce", "NaN stays; of equal zeros data's", {"input": f32([1, -0.0, 0.0]), "index": i64([0, 1, 2]), "src": f32([NAN, 0.0, -0.0])}, {"dim": 0, "reduce": "amax"}),
    ("scatter_reduce_sum_bool", "scatter_reduce", "or", {"input": mask([True, True, False, False]), "index": i64([0, 1, 2, 3]), "src": mask([True, False, True, False])}, {"dim": 0, "reduce": "sum"}),
    ("scatter_reduce_prod_bool", "scatter_reduce", "and", {"input": mask([True, True, False, False]), "index": i64([0, 1, 2, 3]), "src": mask([True, False, True, False])}, {"dim": 0, "reduce": "prod"}),
    ("index_add", "index_add", "", {"input": zeros(3), "index": i64([2, 2]), "source": f32([1, 3])}, {"dim": 0, "alpha": 2}),
    ("index_add_bfloat16", "index_add", "rounded at each step", {"input": bf16([0]), "index": MANY, "source": bf16(1, (300,))}, {"dim": 0}),
    ("index_add_float16_alpha", "index_add", "alpha is rounded to data's dtype, 0.1 to 0.09998", {"input": f16([0]), "index": i64([0]), "source": f16([3])}, {"dim": 0, "alpha": 0.1}),
    ("index_add_rounds_twice", "index_add", "the product is rounded before it is added", {"input": f32([-1]), "index": i64([0]), "source": f32([1 + 2.0**-23])}, {"dim": 0, "alpha": 1 + 2.0**-23}),
    ("index_add_scalar_index", "index_add", "an index of rank 0 is one entry", {"input": zeros(3, 2), "index": i64(1), "source": f32([[1, 2]])}, {"dim": 0}),
    ("index_copy", "index_copy", "of duplicates the last is left", {"input": zeros(3, 2), "index": i64([2, 0, 2]), "source": f32([[1, 2], [3, 4], [5, 6]])}, {"dim": 0}),
    ("index_fill", "index_fill", "a negative index counts from the end", {"input": zeros(2, 3), "index": i64([-1, 0]), "value": f32(7)}, {"dim": 1}),
    ("index_fill_scalar_index", "index_fill", "", {"input": zeros(3, 2), "index": i64(1), "value": f32(2)}, {"dim": 1}),
    ("index_reduce_prod_bfloat16", "index_reduce", "rounded at each step", {"input": bf16([1]), "index": i64(0, (20,)), "source": bf16(1.0625, (20,))}, {"dim": 0, "reduce": "prod"}),
    ("index_reduce_mean_bfloat16", "index_reduce", "sum and count stall at 256", {"input": bf16([0]), "index": MANY, "source": bf16(1, (300,))}, {"dim": 0, "reduce": "mean", **ALONE}),
    ("index_reduce_mean_int8", "index_reduce", "the sum wraps", {"input": i8([1]), "index": i64([0, 0]), "source": i8([100, 100])}, {"dim": 0, "reduce": "mean", **ALONE}),
    ("index_reduce_mean", "index_reduce", "integers floor", {"input": i64([-3]), "index": i64([0]), "source": i64([0])}, {"dim": 0, "reduce": "mean"}),
    ("index_reduce_amin_without_self", "index_reduce", "begins with inf", {"input": f32([5, 6]), "index": i64([0]), "source": f32([INF])}, {"dim": 0, "reduce": "amin", **ALONE}),
    ("index_put", "index_put", "one index of shape [1, 2]; values are broadcast", {"input": zeros(3, 2), "index": [i64([[2, 0]])], "values": f32([[1], [2]])}, {}),
    ("index_put_apart", "index_put", "a whole axis between two indices: their axis goes first", {"input": zeros(2, 3, 2), "index": [i64([0, 1]), None, i64([1, 0])], "values": f32([[1, 2, 3], [4, 5, 6]])}, {}),
    ("index_put_behind", "index_put", "a whole axis in front", {"input": zeros(2, 3), "index": [None, i64([2, 2])], "values": f32([[1, 2], [3, 4]])}, {"accumulate": True}),
    ("index_put_mask", "index_put", "a mask is the places where it is true", {"input": zeros(2, 2), "index": [mask([[True, False], [True, True]])], "values": f32([1, 2, 3])}, {}),
    ("index_put_mask_and_index", "index_put", "", {"input": zeros(2, 2, 2), "index": [mask([[True, False], [False, True]]), i64([1, 0])], "values": f32([1, 2])}, {}),
    ("index_put_accumulate_bfloat16", "index_put", "rounded at each step", {"input": bf16([0]), "index": [MANY], "values": bf16(1, (300,))}, {"accumulate": True}),
    ("index_put_bool", "index_put", "or", {"input": mask([False, False]), "index": [i64([0, 0])], "values": mask([True, True])}, {"accumulate": True}),
    ("put", "put", "positions among all elements; source of another shape", {"input": zeros(2, 2), "index": i64([[3], [-1]]), "source": f32([1, 2])}, {}),
    ("put_accumulate_bfloat16", "put", "rounded at each step", {"input": bf16([0]), "index": MANY, "source": bf16(1, (300,))}, {"accumulate": True}),
    ("masked_fill", "masked_fill", "a mask is broadcast", {"input": zeros(2, 2), "mask": mask([[True], [False]]), "value": f32(7)}, {}),
    ("masked_scatter", "masked_scatter", "values in order; more than trues", {"input": zeros(2, 2), "mask": mask([[True], [False]]), "source": f32([1, 2, 3])}, {}),
    ("slice_scatter", "slice_scatter", "a start from the end, no end", {"input": zeros(5), "src": f32([1, 2])}, {"dim": 0, "start": -4, "step": 2}),
    ("slice_scatter_cut", "slice_scatter", "ends are cut at the axis", {"input": zeros(4), "src": f32([1, 2, 3, 4])}, {"start": -9, "end": 99}),
    ("slice_scatter_nothing", "slice_scatter", "an end before the start", {"input": zeros(4), "src": zeros(0)}, {"start": 3, "end": 1}),
    ("select_scatter", "select_scatter", "a negative index counts from the end", {"input": zeros(2, 3), "index": i64(-1), "src": f32([1, 2])}, {"dim": 1}),
    ("diagonal_scatter", "diagonal_scatter", "", {"input": zeros(2, 4), "src": f32([1, 2])}, {"offset": 2}),
    ("diagonal_scatter_beyond", "diagonal_scatter", "an offset beyond data: no element", {"input": zeros(2, 4), "src": zeros(0)}, {"offset": 9}),
    ("diagonal_scatter_of_rank_3", "diagonal_scatter", "the diagonal is the last axis of src", {"input": zeros(2, 3, 2), "src": f32([[1, 2], [3, 4], [5, 6]])}, {"dim1": 0, "dim2": 2}),
)


if __name__ == "__main__":
    torch.set_num_threads(1)
    calls = [(f"torch.{name}", f"torch.{op}", *rest) for name, op, *rest in CASES]
    main(Printed("torch", "PyTorch's own names", calls, torch_names.run, lambda op: f"PyTorch {torch.__version__}"))
