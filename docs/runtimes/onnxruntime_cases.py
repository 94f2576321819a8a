"""Runs the cases of `tscatter generate` on ONNX Runtime:  onnxruntime_cases.py DIR [--filter GLOB] [-j N] [--nan POLICY]

Needs onnxruntime, onnx and numpy. Writes DIR/onnxruntime.jsonl, for `tscatter batch`. Each case becomes a model of one node
(onnx_model.py), on the CPU provider with its default options.
"""
import ctypes

from cases import run_cases  # first: it says what is missing

import numpy as np
import onnxruntime

from onnx_model import call_of


def ort_value(array, onnx_type):
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(contiguous, onnx_type)


def to_numpy(output, dtype):
    """The output as it lies in memory: bfloat16 as uint16."""
    if output.data_type() != "tensor(bfloat16)":
        return output.numpy()
    values = int(np.prod(output.shape()))
    memory = (ctypes.c_uint16 * values).from_address(output.data_ptr()) if values else []
    return np.array(memory, dtype).reshape(output.shape())


def run(case, _):
    call = call_of(case)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # refusals come as exceptions
    session = onnxruntime.InferenceSession(call.model().SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = {name: ort_value(array, call.types[name]) for name, array in call.inputs.items()}
    output, = session.run_with_ort_values(["output"], values)
    return call.finish(to_numpy(output, case.operands["data"].dtype))


if __name__ == "__main__":
    run_cases("onnxruntime", onnxruntime.__version__, run)
