"""Runs the cases of `tscatter generate` on JAX:  jax_cases.py DIR [--filter GLOB] [-j N] [--mode MODE]

Needs jax and numpy. Writes DIR/jax.jsonl, for `tscatter batch`. Each case is data.at[place].set (add, subtract, multiply, min, max) of
updates (places.py), with 64-bit types switched on. Cases of jax.at.add, jax.lax.scatter, jax.ops.segment_sum, stablehlo.scatter, xla.scatter and the others are run as they are (jax_names.py).
"""
from cases import NotExpressible, run_cases  # first: it says what is missing

import jax
import ml_dtypes
import numpy as np

import jax_names
from places import closed, opened, place_of, reduction_of, require_initial_value

METHODS = {"none": "set", "sum": "add", "sub": "subtract", "prod": "multiply", "min": "min", "max": "max"}


def typed(case, name):
    array = case.operands[name]
    return jax.numpy.asarray(array.view(ml_dtypes.bfloat16) if case.dtypes[name] == "bfloat16" else array)


def run(case, arguments):
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    if case.op.startswith(("jax.", "stablehlo.", "xla.")):
        return jax_names.run(case)
    require_initial_value(case)
    reduction = reduction_of(case)
    if reduction not in METHODS:
        raise NotExpressible(f"reduction {reduction}")
    at = opened(case, typed(case, "data")).at[place_of(case)]
    result = getattr(at, METHODS[reduction])(typed(case, "updates"), mode=None if arguments.mode == "default" else arguments.mode)
    return np.asarray(closed(case, result)).view(case.operands["data"].dtype)


if __name__ == "__main__":
    run_cases("jax", jax.__version__, run, [("--mode", "default", "what becomes of indices that are out of range: drop, clip, …")])
