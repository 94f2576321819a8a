"""Runs the cases of `tscatter generate` on ONNX's own reference in Python:  onnx_reference_cases.py DIR [--filter GLOB] [-j N]

Needs onnx, ml_dtypes (which it brings along) and numpy. Writes DIR/onnx_reference.jsonl, for `tscatter batch`. Each case becomes
a model of one node (onnx_model.py), evaluated by onnx.reference. It does not check the model first: --check does.
"""
import warnings

from cases import run_cases  # first: it says what is missing

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from onnx_model import call_of


def run(case, arguments):
    warnings.simplefilter("ignore")  # of NumPy: values that overflow, or become NaN, are part of the cases
    call = call_of(case)
    model = call.model()
    if arguments.check == "yes":
        onnx.checker.check_model(model, full_check=True)
    feeds = {name: array.view(ml_dtypes.bfloat16) if call.types[name] == onnx.TensorProto.BFLOAT16 else array
             for name, array in call.inputs.items()}
    output, = ReferenceEvaluator(model).run(None, feeds)
    return call.finish(np.asarray(output).view(case.operands["data"].dtype))


if __name__ == "__main__":
    run_cases("onnx_reference", onnx.__version__, run, [("--check", "no", "yes: refuse what onnx.checker refuses")])
