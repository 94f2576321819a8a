"""Runs the cases of `tscatter generate` on TensorFlow:  tensorflow_cases.py DIR [--filter GLOB] [-j N]

Needs tensorflow and numpy. Writes DIR/tensorflow.jsonl, for `tscatter batch`. ScatterNDUpdate and onnx.ScatterND are
tensor_scatter_nd_update, _add, _sub, _min and _max; other operations have no counterpart.
"""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from cases import NotExpressible, run_cases, widened  # first: it says what is missing

import ml_dtypes
import numpy as np
import tensorflow as tf

from places import ND, form_of, reduction_of

NAMES = {"none": "update", "sum": "add", "sub": "sub", "min": "min", "max": "max"}


def typed(case, name):
    array = case.operands[name]
    return tf.constant(array.view(ml_dtypes.bfloat16) if case.dtypes[name] == "bfloat16" else array)


def run(case, _):
    if form_of(case) != ND:
        raise NotExpressible(case.name)
    reduction = reduction_of(case)
    if reduction not in NAMES:
        raise NotExpressible(f"reduction {reduction}")
    function = getattr(tf, f"tensor_scatter_nd_{NAMES[reduction]}")
    with tf.device("/CPU:0"):
        result = function(typed(case, "data"), tf.constant(widened(case.operands["indices"])), typed(case, "updates"))
    return np.asarray(result.numpy()).view(case.operands["data"].dtype)


if __name__ == "__main__":
    run_cases("tensorflow", tf.__version__, run)
