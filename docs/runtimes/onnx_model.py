"""A case of `tscatter generate` as an ONNX model of one node.

  onnx.Scatter, onnx.ScatterElements, onnx.ScatterND, onnx.TensorScatter   the same operation, in the opset of its version
  ScatterNDUpdate-3, -4, -15      ScatterND-18; sum, prod, min and max are add, mul, min and max, sub has no counterpart
  ScatterElementsUpdate-3, -12    ScatterElements-18, the same; mean and use_init_val = false have no counterpart
  ScatterUpdate-3                 ScatterND-18 over the axis moved to the front, and back, outside of the model
  SliceScatter-15                 has no counterpart
"""
import dataclasses

from cases import NotExpressible, widened  # first: it says what is missing

import numpy as np
from onnx import TensorProto, helper

REDUCTIONS = {"none": "none", "sum": "add", "prod": "mul", "min": "min", "max": "max"}
TYPES = {"bool": TensorProto.BOOL, "bfloat16": TensorProto.BFLOAT16, "float16": TensorProto.FLOAT16,
         "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "complex64": TensorProto.COMPLEX64,
         "complex128": TensorProto.COMPLEX128}
TYPES |= {f"{u}int{bits}": getattr(TensorProto, f"{u}INT{bits}".upper()) for u in ("", "u") for bits in (8, 16, 32, 64)}
NEWEST = 18  # of ScatterElements and ScatterND


def type_of(dtype):
    if dtype not in TYPES:
        raise NotExpressible(f"dtype {dtype}")
    return TYPES[dtype]


@dataclasses.dataclass
class Call:
    """A node, its inputs in order, and what makes the case's result of its output."""
    node_type: str
    opset: int
    attributes: dict
    inputs: dict
    types: dict
    finish: callable = lambda output: output

    def model(self):
        infos = [helper.make_tensor_value_info(name, self.types[name], array.shape) for name, array in self.inputs.items()]
        output = helper.make_tensor_value_info("output", self.types["data"], self.inputs["data"].shape)
        node = helper.make_node(self.node_type, list(self.inputs), ["output"], **self.attributes)
        graph = helper.make_graph([node], "scatter", infos, [output])
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=helper.find_min_ir_version_for(opsets))


def call(case, node_type, opset, attributes, inputs, finish=lambda output: output):
    types = {name: type_of(array.dtype.name if name == "indices" else case.dtypes[name]) for name, array in inputs.items()}
    return Call(node_type, opset, attributes, inputs, types, finish)


def inputs_of(case, names=("data", "indices", "updates")):
    return {name: case.operands[name] for name in names}


def onnx_call(case, names=("data", "indices", "updates")):
    attributes = {key: case.line[key] for key in ("axis", "mode", "reduction") if key in case.line}
    return call(case, case.name.removeprefix("onnx."), case.version, attributes, inputs_of(case, names))


def tensor_scatter_call(case):
    """past_cache, update and, where the case has them, write_indices."""
    return onnx_call(case, [name for name in ("data", "updates", "indices") if name in case.operands])


def reduction_of(case):
    if case.reduction not in REDUCTIONS:
        raise NotExpressible(f"reduction {case.reduction}")
    return REDUCTIONS[case.reduction]


def nd_call(case):
    inputs = inputs_of(case) | {"indices": widened(case.operands["indices"])}
    return call(case, "ScatterND", NEWEST, {"reduction": reduction_of(case)}, inputs)


def elements_call(case):
    if case.line.get("use_init_val", True) is not True and case.reduction != "none":
        raise NotExpressible("use_init_val = false")
    inputs = inputs_of(case) | {"indices": widened(case.operands["indices"])}
    attributes = {"axis": case.scalar("axis"), "reduction": reduction_of(case)}
    return call(case, "ScatterElements", NEWEST, attributes, inputs)


def rows_call(case):
    """Moves the axis to the front, where ScatterND of depth 1 is ScatterUpdate."""
    data, indices, updates = inputs_of(case).values()
    axis = case.scalar("axis")
    if not -data.ndim <= axis < data.ndim:
        raise NotExpressible("an axis that is none")
    axis %= data.ndim
    entries = [*range(axis, axis + indices.ndim)]
    inputs = {"data": np.moveaxis(data, axis, 0), "indices": widened(indices)[..., np.newaxis],
              "updates": np.moveaxis(updates, entries, [*range(indices.ndim)])}
    return call(case, "ScatterND", NEWEST, {}, inputs, lambda output: np.moveaxis(output, 0, axis))


CALLS = {"onnx.Scatter": onnx_call, "onnx.ScatterElements": onnx_call, "onnx.ScatterND": onnx_call, "onnx.TensorScatter": tensor_scatter_call,
         "ScatterNDUpdate": nd_call, "ScatterElementsUpdate": elements_call, "ScatterUpdate": rows_call}


def call_of(case):
    if case.name not in CALLS:
        raise NotExpressible(case.name)
    return CALLS[case.name](case)
