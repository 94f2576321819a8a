"""Runs the cases of `tscatter generate` on OpenVINO:  openvino_cases.py DIR [--filter GLOB] [-j N] [--device NAME] [--precision DTYPE]

Needs openvino and numpy, for operations of ONNX also onnx. Writes DIR/openvino.jsonl, for `tscatter batch`. Each case becomes a
model of one operation, compiled with one inference precision. data, indices and updates are parameters; axis, start, stop, step
and axes are constants. An operation of ONNX is a model of one node (onnx_model.py), read by OpenVINO's own front end.
"""
import io

from cases import NotExpressible, run_cases  # first: it says what is missing

import numpy as np
import openvino as ov
from openvino import opset3, opset4, opset12, opset15

TYPES = {"bool": ov.Type.boolean, "bfloat16": ov.Type.bf16, "float16": ov.Type.f16, "float32": ov.Type.f32,
         "float64": ov.Type.f64}
TYPES |= {f"{u}int{bits}": getattr(ov.Type, f"{u or 'i'}{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)}
PARAMETERS = ("data", "indices", "updates")
ENTRIES = ("data", "indices", "updates", "axis")
SLICE = ("data", "updates", "start", "stop", "step")


def type_of(dtype):
    if dtype not in TYPES:
        raise NotExpressible(f"dtype {dtype}")
    return TYPES[dtype]


# What makes the operation, given the case and the nodes of its operands.
OPERATIONS = {
    "ScatterUpdate-3": lambda case, nodes: opset3.scatter_update(*(nodes[name] for name in ENTRIES)),
    "ScatterNDUpdate-3": lambda case, nodes: opset4.scatter_nd_update(*(nodes[name] for name in PARAMETERS)),
    "ScatterNDUpdate-4": lambda case, nodes: opset4.scatter_nd_update(*(nodes[name] for name in PARAMETERS)),
    "ScatterNDUpdate-15": lambda case, nodes: opset15.scatter_nd_update(*(nodes[name] for name in PARAMETERS), case.reduction),
    "ScatterElementsUpdate-3": lambda case, nodes: opset3.scatter_elements_update(*(nodes[name] for name in ENTRIES)),
    "ScatterElementsUpdate-12": lambda case, nodes: opset12.scatter_elements_update(
        *(nodes[name] for name in ENTRIES), case.reduction, case.line.get("use_init_val", True)),
    "SliceScatter-15": lambda case, nodes: opset15.slice_scatter(*(nodes[name] for name in SLICE), nodes.get("axes")),
}


def node(name, array, dtype):
    if name in PARAMETERS:
        return opset15.parameter(list(array.shape), type_of(dtype), name)
    type_of(dtype)
    return opset15.constant(array)


def tensor(array, dtype):
    """bfloat16 is handed over as the uint16 that it is stored in."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    return ov.Tensor(array, ov.Shape(list(array.shape)), type_of(dtype))


def own_model(case):
    if case.op not in OPERATIONS:
        raise NotExpressible(case.op)
    nodes = {name: node(name, array, case.dtypes[name]) for name, array in case.operands.items()}
    names = [name for name in case.operands if name in PARAMETERS]
    return ov.Model([OPERATIONS[case.op](case, nodes)], [nodes[name] for name in names]), names


def onnx_model(case):
    from onnx_model import call_of
    call = call_of(case)
    for name in call.inputs:
        type_of(case.dtypes[name])
    return ov.Core().read_model(io.BytesIO(call.model().SerializeToString())), list(call.inputs)


def evaluated(model, inputs, like):
    """By the reference implementations, in which a model is folded, too."""
    output = ov.Tensor(like.element_type, like.shape)
    if not model.evaluate([output], inputs):
        raise RuntimeError("no reference implementation for this")
    return output.data


def inferred(model, inputs, arguments):
    precision = {"INFERENCE_PRECISION_HINT": type_of(arguments.precision)}
    request = ov.Core().compile_model(model, arguments.device, precision).create_infer_request()
    request.infer(inputs)
    return request.get_output_tensor(0).data


def run(case, arguments):
    model, names = onnx_model(case) if case.op.startswith("onnx.") else own_model(case)
    inputs = [tensor(case.operands[name], case.dtypes[name]) for name in names]
    is_reference = arguments.device == "reference"
    output = evaluated(model, inputs, inputs[0]) if is_reference else inferred(model, inputs, arguments)
    return output.view(case.operands["data"].dtype).copy()


if __name__ == "__main__":
    run_cases("openvino", ov.get_version(), run,
              [("--device", "CPU", "a plugin, or reference: OpenVINO's reference implementations"), ("--precision", "float32", "the inference precision, as a dtype")])
