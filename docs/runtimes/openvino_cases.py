"""Runs the cases of `tscatter generate` on OpenVINO:  openvino_cases.py DIR [--nan POLICY]

Needs openvino and numpy. Writes DIR/openvino.jsonl, for `tscatter batch`. Each case becomes a model of one operation, compiled
for the CPU plugin with inference precision f32. data, indices and updates are parameters; axis, start, stop, step and axes
are constants.
"""
import numpy as np
import openvino as ov
from openvino import opset3, opset4, opset15

from cases import NotExpressible, run_cases

TYPES = {"bool": ov.Type.boolean, "bfloat16": ov.Type.bf16, "float16": ov.Type.f16, "float32": ov.Type.f32,
         "float64": ov.Type.f64}
TYPES |= {f"{u}int{bits}": getattr(ov.Type, f"{u or 'i'}{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)}
PARAMETERS = ("data", "indices", "updates")


def type_of(dtype):
    if dtype not in TYPES:
        raise NotExpressible(f"dtype {dtype}")
    return TYPES[dtype]


def operation(case, nodes):
    if case.op == "ScatterUpdate-3":
        return opset3.scatter_update(nodes["data"], nodes["indices"], nodes["updates"], nodes["axis"])
    if case.op == "ScatterNDUpdate-3":
        return opset4.scatter_nd_update(nodes["data"], nodes["indices"], nodes["updates"])
    if case.op == "ScatterNDUpdate-15":
        return opset15.scatter_nd_update(nodes["data"], nodes["indices"], nodes["updates"], case.reduction)
    return opset15.slice_scatter(*(nodes[name] for name in ("data", "updates", "start", "stop", "step")), nodes.get("axes"))


def node(name, array, dtype):
    if name in PARAMETERS:
        return opset15.parameter(list(array.shape), type_of(dtype), name)
    type_of(dtype)
    return opset15.constant(array)


def tensor(array, dtype):
    """bfloat16 is handed over as the uint16 that it is stored in."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    return ov.Tensor(array, ov.Shape(list(array.shape)), type_of(dtype))


def run(case):
    operands, dtypes = case.operands, case.dtypes
    nodes = {name: node(name, array, dtypes[name]) for name, array in operands.items()}
    parameters = [name for name in operands if name in PARAMETERS]
    model = ov.Model([operation(case, nodes)], [nodes[name] for name in parameters])
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": ov.Type.f32})
    inputs = [tensor(operands[name], dtypes[name]) for name in parameters]
    request = compiled.create_infer_request()
    request.infer(inputs)
    return request.get_output_tensor(0).data.view(operands["data"].dtype).copy()


if __name__ == "__main__":
    run_cases("openvino", ov.get_version(), run)
