"""Runs the cases of `tscatter generate` on NumPy:  numpy_cases.py DIR [--filter GLOB] [-j N]

Needs numpy and ml_dtypes (for bfloat16). Writes DIR/numpy.jsonl, for `tscatter batch`. Without a reduction data[place] = updates
(places.py), else the ufunc's at(). Cases of numpy.put, numpy.bincount and the others of numpy_names.py are run as they are.
"""
from cases import NotExpressible, run_cases  # first: it says what is missing

import ml_dtypes
import numpy as np

import numpy_names
from places import opened, place_of, reduction_of, require_initial_value

UFUNCS = {"sum": np.add, "sub": np.subtract, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def typed(case, name):
    array = case.operands[name]
    return array.view(ml_dtypes.bfloat16) if case.dtypes[name] == "bfloat16" else array


def run(case, _):
    np.seterr(all="ignore")
    if case.op.startswith("numpy.") and numpy_names.name_of(case) in numpy_names.NAMES:
        return numpy_names.run(case)
    require_initial_value(case)
    data, updates, reduction = typed(case, "data").copy(), typed(case, "updates"), reduction_of(case)
    if reduction != "none" and reduction not in UFUNCS:
        raise NotExpressible(f"reduction {reduction}")
    if reduction == "none":
        opened(case, data)[place_of(case)] = updates
    else:
        UFUNCS[reduction].at(opened(case, data), place_of(case), updates)
    return data.view(case.operands["data"].dtype)


if __name__ == "__main__":
    run_cases("numpy", np.__version__, run)
