"""Makes good/: files of the packages onnx and protobuf, which tests/io/pb_files_test.cpp reads.

    python3 -m venv v && v/bin/pip install onnx==1.23.2 && v/bin/python make_pb.py

expected.json has the dtype, the shape and the elements' bytes of each, little-endian and row-major; "written" marks those
that tscatter writes with the same bytes.
"""
import json
import pathlib

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

here = pathlib.Path(__file__).parent
expected = {}


def put(name, tensor, dtype, shape, elements, written=False):
    (here / "good" / name).write_bytes(tensor if isinstance(tensor, bytes) else tensor.SerializeToString())
    expected[name] = {"dtype": dtype, "shape": list(shape), "bytes": elements.hex(), "written": written}


def put_array(name, array, dtype=None):
    put(name, numpy_helper.from_array(array), dtype or array.dtype.name, array.shape, array.tobytes(), True)


numeric = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
           "complex64", "complex128"]
for dtype in numeric:
    put_array(f"raw_{dtype}.pb", np.arange(6).reshape(2, 3).astype(dtype))
put_array("raw_bfloat16.pb", np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16), "bfloat16")
put_array("rank_0.pb", np.array(7, np.int32))
put_array("empty.pb", np.zeros((2, 0), np.float32))
put_array("long_dims.pb", np.zeros((1, 300, 1), np.int8))
named = numpy_helper.from_array(np.array([1, 2], np.float32), "x")
named.doc_string = "after raw_data"
put("named.pb", named, "float32", [2], np.array([1, 2], np.float32).tobytes())

for dtype in numeric:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    tensor = helper.make_tensor("typed", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, array.flatten())
    put(f"typed_{dtype}.pb", tensor, dtype, array.shape, array.tobytes())
array = np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16)
put("typed_bfloat16.pb", helper.make_tensor("typed", TensorProto.BFLOAT16, (2, 3), array.flatten()), "bfloat16", (2, 3), array.tobytes())
negative = np.array([-1, -128, 127], np.int8)
put("typed_negative.pb", helper.make_tensor("n", TensorProto.INT8, (3,), negative), "int8", (3,), negative.tobytes())
for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
    array = np.array([1, -2, 0.5], dtype)
    put_array(f"raw_{array.dtype.name}.pb", array)

# What other writers may do: dims packed, values unpacked, split and mixed, fields in another order, a tensor in two parts.
f32 = np.array([1.5, -2], np.float32)
put("dims_packed.pb", b"\x0a\x02\x01\x02\x10\x01\x4a\x08" + f32.tobytes(), "float32", [1, 2], f32.tobytes())
put("unpacked.pb", b"\x08\x02\x10\x01\x25" + f32[:1].tobytes() + b"\x25" + f32[1:].tobytes(), "float32", [2], f32.tobytes())
put("split.pb", b"\x08\x02\x10\x01\x22\x04" + f32[:1].tobytes() + b"\x25" + f32[1:].tobytes(), "float32", [2], f32.tobytes())
put("other_order.pb", b"\x4a\x08" + f32.tobytes() + b"\x10\x01\x08\x02", "float32", [2], f32.tobytes())
put("last_counts.pb", b"\x10\x07\x4a\x01\x00\x08\x02\x10\x01\x4a\x08" + f32.tobytes(), "float32", [2], f32.tobytes())
put("int64_unpacked.pb", b"\x08\x02\x10\x07\x38\x05\x38" + b"\xff" * 9 + b"\x01", "int64", [2], np.array([5, -1]).tobytes())
put("unknown_fields.pb", b"\xf8\x7f\x05\x08\x02\x10\x01\xfd\x7f\x00\x00\x00\x00\xfa\x7f\x01x\x4a\x08" + f32.tobytes(), "float32", [2], f32.tobytes())
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in expected.items())
(here / "expected.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
