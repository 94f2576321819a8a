#!/usr/bin/env python3
"""Makes the operands, cases.jsonl and the goldens beside this script, and checks the goldens. Needs NumPy 2 and ml_dtypes;
the tests do not.

    make_golden.py TSCATTER          operands by NumPy, goldens by tscatter batch --update-golden, then the check
    make_golden.py TSCATTER --check  the check alone

The check computes each golden once more, by tests/ci/reference.py, and compares bits, dtype, byte order and memory
order.
"""

import json
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "ci"))
from reference import Reference  # noqa: E402
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

random = np.random.default_rng(20241121)
numpy_result = Reference().run
arrays = {}  # the word of a file or member: what is in it
cases = []
results = {}  # the word of a golden: what it must be


def values(dtype, shape, order="C"):
    dtype = np.dtype(dtype)
    if dtype.kind in "iub" and dtype != bool:
        limits = np.iinfo(dtype)
        made = random.integers(limits.min, limits.max, shape, dtype.newbyteorder("="), endpoint=True)
    elif dtype.kind == "M":
        made = random.integers(0, 20000, shape)
    elif dtype.kind == "U":
        made = np.array(random.integers(100, 1000, shape), dtype=str)
    elif dtype == bool:
        made = random.integers(0, 2, shape)
    elif dtype.kind == "c":
        made = random.integers(-9, 10, shape) + 1j * random.integers(-9, 10, shape)
    else:
        made = random.integers(-40, 41, shape) / 8 + random.integers(-3, 4, shape) / 1024
    return np.asarray(made, dtype=dtype, order=order)


def slices_of(data, start, stop, step, axes):
    slices = [slice(None)] * data.ndim
    for a, b, c, axis in zip(start, stop, step, axes):
        slices[axis] = slice(int(a), int(b), int(c))
    return tuple(slices)


def case(name, op, operands, archive=None, **more):
    """An operand is a NumPy array, which becomes a file, or what stands in the line itself."""
    line = {"name": name, "op": op}
    ending = f"{name}.{{}}.npy" if archive is None else f"{archive}.npz:{name}_{{}}"
    for key, value in operands.items():
        line[key] = ending.format(key) if isinstance(value, np.ndarray) else value
        if isinstance(value, np.ndarray):
            arrays[line[key]] = value
    line.update(more)
    if operands["data"].dtype == BFLOAT16:
        line["dtype"] = "bfloat16"
    line["expected"] = f"{name}.expected.npy" if archive is None else f"{archive}_expected.npz:{name}"
    with np.errstate(over="ignore", invalid="ignore"):
        result = numpy_result(line, {key: np.asarray(value) for key, value in operands.items()})
    results[line["expected"]] = np.array(result, order="F" if operands["data"].flags.fnc else "C")
    cases.append(line)


def nd_case(name, data, indices, reduction=None, op="ScatterNDUpdate-15", made=values, **more):
    indices = np.asarray(indices)
    updates = made(data.dtype, indices.shape[:-1] + data.shape[indices.shape[-1]:])
    if reduction is not None:
        more["reduction"] = reduction
    case(name, op, {"data": data, "indices": indices, "updates": updates}, **more)


def scatter_case(name, data, indices, axis, **more):
    indices = np.asarray(indices)
    at = np.asarray(axis).item() % data.ndim
    updates = values(data.dtype, data.shape[:at] + indices.shape + data.shape[at + 1:])
    operands = {"data": data, "indices": indices, "updates": updates, "axis": axis}
    case(name, "ScatterUpdate-3", operands, **more)


def slice_case(name, data, start, stop, step, axes, **more):
    updates = values(data.dtype, data[slices_of(data, start, stop, step, axes)].shape)
    operands = {"data": data, "updates": updates, "start": start, "stop": stop, "step": step, "axes": axes}
    case(name, "SliceScatter-15", operands, **more)


def elements_case(name, op, data, indices, axis, made=values, **more):
    """The axis of OpenVINO's operations is an operand, that of ONNX's an attribute."""
    operands = {"data": data, "indices": indices, "updates": made(data.dtype, indices.shape)}
    if op.startswith("onnx."):
        case(name, op, operands, axis=axis, **more)
    else:
        case(name, op, operands | {"axis": axis}, **more)


def with_nan(dtype, shape):
    """values() of which some are NaN, 0 of both signs and infinite."""
    array = values(dtype, shape)
    for place, value in zip((1, 3, 4, 6, 9, 11), (np.nan, -0.0, np.inf, 0.0, np.nan, -np.inf)):
        array.flat[place] = value
    return array


def positions(dtype, shape, low, size):
    return random.integers(low, size, shape).astype(dtype)


def make_element_cases():
    twelve = "ScatterElementsUpdate-12"
    elements_case("elements_12_none_float16", twelve, values("<f2", (4, 5)), positions("<i4", (4, 7), -5, 5), 1, reduction="none")
    elements_case("elements_12_sum_bfloat16_fortran", twelve, values(BFLOAT16, (4, 5), "F"), positions("<i8", (6, 5), -4, 4), np.array([0]), reduction="sum")
    elements_case("elements_12_mean_int32_big_endian", twelve, values(">i4", (3, 4, 2)) // 1000, positions(">i8", (3, 9, 2), -4, 4), -2, reduction="mean")
    elements_case("elements_12_mean_float64", twelve, values("<f8", (3, 4)), positions("i1", (8, 4), -3, 3), 0, reduction="mean", archive="elements")
    elements_case("elements_12_max_float32_nan", twelve, with_nan("<f4", (3, 5)), positions("<i4", (3, 12), 0, 5), 1, with_nan, reduction="max")
    elements_case("elements_12_min_float32_without_data", twelve, values("<f4", (3, 5)), positions("<u8", (2, 5), 0, 3), 0, reduction="min", use_init_val=False)
    elements_case("elements_12_prod_uint16_without_data", twelve, values("<u2", (6,)), positions("<i4", (9,), -6, 6), 0, reduction="prod", use_init_val=False,
                  archive="elements")
    elements_case("elements_3_int64_big_endian_fortran", "ScatterElementsUpdate-3", values(">i8", (4, 3, 2), "F"), positions(">u4", (4, 2, 1), 0, 3), 1)
    elements_case("elements_3_dates", "ScatterElementsUpdate-3", values("<M8[D]", (2, 6)), positions("u1", (2, 6), 0, 6), -1, archive="elements")


def make_onnx_cases():
    elements_case("onnx_elements_18_max_float32_big_endian_nan", "onnx.ScatterElements-18", with_nan(">f4", (3, 5)), positions(">i4", (3, 12), -5, 5), 1, with_nan,
                  reduction="max")
    elements_case("onnx_elements_16_add_int8_fortran", "onnx.ScatterElements-16", values("i1", (4, 3, 2), "F"), positions("<i8", (4, 3, 7), -2, 2), -1, reduction="add")
    elements_case("onnx_elements_11_strings", "onnx.ScatterElements-11", values("<U3", (5, 2)), positions("<i4", (3, 2), -5, 5), 0, archive="onnx")
    elements_case("onnx_scatter_9_bool", "onnx.Scatter-9", values("?", (2, 6)), positions("<i8", (2, 3), -6, 6), 1, archive="onnx")
    nd_case("onnx_nd_18_min_float64_nan", with_nan("<f8", (4, 3)), positions("<i8", (6, 1), -4, 4), "min", op="onnx.ScatterND-18", made=with_nan)
    nd_case("onnx_nd_16_mul_float16_fortran", values("<f2", (4, 3, 2), "F"), positions(">i8", (5, 2), -2, 3), "mul", op="onnx.ScatterND-16")
    nd_case("onnx_nd_13_uint8", values("u1", (4, 3)), positions("<i8", (2, 3, 2), -3, 3), op="onnx.ScatterND-13", archive="onnx")
    data = values("<f2", (3, 5, 2))
    case("onnx_tensor_scatter_linear_float16", "onnx.TensorScatter-24",
         {"data": data, "updates": values(data.dtype, (3, 2, 2)), "indices": np.array([3, 0, 2])})
    data = values(">f4", (3, 2, 4), "F")
    case("onnx_tensor_scatter_circular_big_endian_fortran", "onnx.TensorScatter-24",
         {"data": data, "updates": values(data.dtype, (3, 2, 3), "F"), "indices": np.array([3, 9, -2])}, axis=-1, mode="circular")
    data = values(BFLOAT16, (2, 3, 4))
    case("onnx_tensor_scatter_without_indices", "onnx.TensorScatter-24", {"data": data, "updates": values(data.dtype, (2, 2, 4))}, archive="onnx")


def make_tosa_cases():
    for name, dtype, order, index_dtype, archive in (("float32_big_endian_fortran", ">f4", "F", "<i4", None), ("bfloat16", BFLOAT16, "C", "<i8", None),
                                                     ("bool", "?", "C", "<i4", "tosa"), ("int16", "<i2", "C", ">i4", "tosa")):
        indices = np.array([random.permutation(5)[:3] for _ in range(2)], dtype=index_dtype)
        data = values(dtype, (2, 5, 3), order)
        case(f"tosa_{name}", "tosa.scatter", {"data": data, "indices": indices, "updates": values(data.dtype, (2, 3, 3), order)}, archive)


def make_cases():
    rows = np.array([[4], [-1], [0], [4], [4], [-5]], dtype="<i4")
    elements = np.array([[[0, 1], [3, 2]], [[0, 1], [-1, -1]], [[0, 1], [2, 0]]], dtype=">i8")
    nd_case("nd_15_none_float16", values("<f2", (5, 3)), rows, "none")
    nd_case("nd_15_sum_float16", values("<f2", (5, 3)), rows, "sum")
    nd_case("nd_15_sum_bfloat16", values(BFLOAT16, (5, 3)), rows, "sum")
    nd_case("nd_15_sub_bfloat16_fortran", values(BFLOAT16, (5, 3), "F"), rows, "sub")
    nd_case("nd_15_prod_float32_big_endian", values(">f4", (4, 3)), elements, "prod")
    nd_case("nd_15_min_float64_fortran", values("<f8", (4, 3, 2), "F"), elements, "min")
    nd_case("nd_15_max_int64_big_endian", values(">i8", (5, 3)), rows, "max")
    nd_case("nd_15_sum_uint8_wraps", values("u1", (5, 3)), rows.astype("<i8"), "sum")
    nd_case("nd_15_sub_int16_big_endian_fortran", values(">i2", (5, 3), "F"), rows.astype(">i8"), "sub")
    nd_case("nd_15_prod_int32", values("<i4", (4, 3)), elements, "prod")
    nd_case("nd_15_prod_complex64", values("<c8", (4, 3)), elements, "prod")
    nd_case("nd_15_sum_complex128_fortran", values("<c16", (5, 3), "F"), rows, "sum", archive="nd_15")
    nd_case("nd_15_min_uint64", values("<u8", (5, 3)), rows, "min", archive="nd_15")
    nd_case("nd_15_max_float16_big_endian", values(">f2", (5, 3)), rows, "max", archive="nd_15")
    nd_case("nd_15_none_dates", values("<M8[D]", (5, 3)), rows, "none", archive="nd_15")
    positive = np.array([[4, 0], [1, 1], [4, 0]], dtype="<i4")
    nd_case("nd_3_uint32_big_endian_fortran", values(">u4", (5, 3), "F"), positive, op="ScatterNDUpdate-3")
    nd_case("nd_3_strings", values("<U3", (5, 2, 2)), positive, op="ScatterNDUpdate-3")
    nd_case("nd_3_bool_elements", values("?", (5, 3)), positive, op="ScatterNDUpdate-3", archive="others")
    scatter_case("scatter_float16_axis_1", values("<f2", (3, 5)), np.array([[4, 0], [2, 0]], dtype="<u2"), np.array([1]))
    scatter_case("scatter_bfloat16_last_axis", values(BFLOAT16, (3, 5)), np.array(2, dtype="<i8"), -1)
    scatter_case("scatter_int32_fortran", values("<i4", (4, 3, 2), "F"), np.array([3, 1, 3], dtype=">i4"), 0)
    scatter_case("scatter_float64_big_endian", values(">f8", (2, 4)), np.array([3, 3, 0]), np.array(-1, dtype="i1"),
                 archive="others")
    slice_case("slice_float64_big_endian", values(">f8", (4, 5)), np.array([3, 0]), np.array([0, 5]),
               np.array([-1, 2]), np.array([0, 1]))
    slice_case("slice_complex64_fortran", values("<c8", (4, 5), "F"), [1], [99], [3], [-1])
    slice_case("slice_float16", values("<f2", (6, 4)), np.array([0], dtype="u1"), [6], [2], [0])
    slice_case("slice_int8", values("i1", (3, 7)), [-1, 2], [-99, 3], [-2, 1], [1, 0], archive="others")
    make_element_cases()
    make_onnx_cases()
    make_tosa_cases()
    # What NumPy computes, compared with a golden.
    arrays["numpy.actual.npy"] = results["nd_15_sum_float16.expected.npy"]
    line = next(dict(each) for each in cases if each["name"] == "nd_15_sum_float16")
    cases.append(line | {"name": "numpy_as_actual", "actual": "numpy.actual.npy", "rtol": 0})


def write_operands():
    for old in (*HERE.glob("*.npy"), *HERE.glob("*.npz")):
        old.unlink()
    archives = {}
    for word, array in arrays.items():
        stored = array.view("V2") if array.dtype == BFLOAT16 else array
        if ":" in word:
            archive, member = word.split(":")
            archives.setdefault(archive, {})[member] = stored
        else:
            np.save(HERE / word, stored)
    for archive, members in archives.items():
        np.savez(HERE / archive, **members)
    text = "# Golden cases of files, made and checked by make_golden.py: tscatter batch testdata/golden/cases.jsonl\n"
    (HERE / "cases.jsonl").write_text(text + "".join(json.dumps(line) + "\n" for line in cases))


def loaded(word):
    if ":" not in word:
        return np.load(HERE / word)
    archive, member = word.split(":")
    return np.load(HERE / archive)[member]


def check_goldens():
    for word, result in results.items():
        golden = loaded(word)
        stored = result.view("V2") if result.dtype == BFLOAT16 else result
        assert golden.dtype == stored.dtype and golden.dtype.str == stored.dtype.str, (word, golden.dtype, stored.dtype)
        assert golden.flags.f_contiguous == stored.flags.f_contiguous, (word, "memory order")
        assert golden.tobytes() == stored.tobytes(), (word, golden, stored)
    print(f"{len(results)} goldens are what NumPy makes of their operands")


make_cases()
if sys.argv[2:] != ["--check"]:
    write_operands()
    command = [sys.argv[1], "batch", HERE / "cases.jsonl", "--update-golden", "--force", "-q"]
    subprocess.run(command, check=True)
check_goldens()
