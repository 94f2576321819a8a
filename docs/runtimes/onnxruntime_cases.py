"""Runs the cases of `tscatter generate` on ONNX Runtime:  onnxruntime_cases.py DIR [--nan POLICY]

Needs onnxruntime, onnx and numpy. Writes DIR/onnxruntime.jsonl, for `tscatter batch`. Each case becomes a model of one
ScatterND of opset 18, on the CPU provider with its default options.

  ScatterNDUpdate-3, -15   ScatterND; sum, prod, min and max are add, mul, min and max, sub has no counterpart
  ScatterUpdate-3          ScatterND over the axis moved to the front, and back, outside of the model
  SliceScatter-15          has no counterpart
"""
import ctypes

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from cases import NotExpressible, run_cases, widened

REDUCTIONS = {"none": "none", "sum": "add", "prod": "mul", "min": "min", "max": "max"}
TYPES = {"bool": TensorProto.BOOL, "bfloat16": TensorProto.BFLOAT16, "float16": TensorProto.FLOAT16,
         "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "complex64": TensorProto.COMPLEX64,
         "complex128": TensorProto.COMPLEX128}
TYPES |= {f"{u}int{bits}": getattr(TensorProto, f"{u}INT{bits}".upper()) for u in ("", "u") for bits in (8, 16, 32, 64)}


def type_of(dtype):
    if dtype not in TYPES:
        raise NotExpressible(f"dtype {dtype}")
    return TYPES[dtype]


def scatter_nd_model(inputs, types, reduction):
    infos = [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in inputs.items()]
    output = helper.make_tensor_value_info("output", types["data"], inputs["data"].shape)
    node = helper.make_node("ScatterND", list(inputs), ["output"], reduction=REDUCTIONS[reduction])
    graph = helper.make_graph([node], "scatter", infos, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def ort_value(array, onnx_type):
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(contiguous, onnx_type)


def scatter_nd(data, indices, updates, dtypes, reduction):
    inputs = {"data": data, "indices": widened(indices), "updates": updates}
    types = {name: type_of(dtypes[name]) for name in ("data", "updates")}
    types["indices"] = type_of(inputs["indices"].dtype.name)
    model = scatter_nd_model(inputs, types, reduction).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # refusals come as exceptions
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    values = {name: ort_value(array, types[name]) for name, array in inputs.items()}
    output, = session.run_with_ort_values(["output"], values)
    return to_numpy(output, data.dtype)


def to_numpy(output, dtype):
    """The output as it lies in memory: bfloat16 as uint16."""
    if output.data_type() != "tensor(bfloat16)":
        return output.numpy()
    values = int(np.prod(output.shape()))
    memory = (ctypes.c_uint16 * values).from_address(output.data_ptr()) if values else []
    return np.array(memory, dtype).reshape(output.shape())


def scatter_update(data, indices, updates, axis, dtypes):
    """Moves the axis to the front, where ScatterND of depth 1 is ScatterUpdate."""
    if axis.size != 1 or axis.ndim > 1 or axis.dtype.kind not in "iu" or not -data.ndim <= int(axis.flat[0]) < data.ndim:
        raise NotExpressible("an axis that is none")
    axis = int(axis.flat[0]) % data.ndim
    front = np.moveaxis(data, axis, 0)
    entries = [*range(axis, axis + indices.ndim)]
    rows = np.moveaxis(updates, entries, [*range(indices.ndim)])
    return np.moveaxis(scatter_nd(front, indices[..., np.newaxis], rows, dtypes, "none"), 0, axis)


def run(case):
    if case.reduction not in REDUCTIONS:
        raise NotExpressible(f"reduction {case.reduction}")
    if case.op == "SliceScatter-15":
        raise NotExpressible("SliceScatter")
    if case.op == "ScatterUpdate-3":
        return scatter_update(**case.operands, dtypes=case.dtypes)
    return scatter_nd(**case.operands, dtypes=case.dtypes, reduction=case.reduction)


if __name__ == "__main__":
    run_cases("onnxruntime", onnxruntime.__version__, run)
