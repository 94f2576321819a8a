"""Runs the cases of `tscatter generate` on TensorFlow:  tensorflow_cases.py DIR [--filter GLOB] [-j N]

Needs tensorflow and numpy. Writes DIR/tensorflow.jsonl, for `tscatter batch`. ScatterNDUpdate and onnx.ScatterND are
tensor_scatter_nd_update, _add, _sub, _min and _max; cases of tf.tensor_scatter_nd_add, tf.scatter_nd, tf.math.segment_sum and the others are run as
they are (tensorflow_names.py); other operations have no counterpart.
"""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from cases import NotExpressible, run_cases, widened  # first: it says what is missing

import numpy as np
import tensorflow as tf

import tensorflow_names
from places import ND, form_of, reduction_of
from tensorflow_names import tensor_from

NAMES = {"none": "update", "sum": "add", "sub": "sub", "min": "min", "max": "max"}


def typed(case, name):
    return tensor_from(case.operands[name], case.dtypes[name])


def run(case, _):
    if case.op.startswith("tf."):
        return tensorflow_names.run(case)
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
