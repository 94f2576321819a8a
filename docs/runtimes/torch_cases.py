"""Runs the cases of `tscatter generate` on PyTorch:  torch_cases.py DIR [--filter GLOB] [-j N]

Needs torch and numpy. Writes DIR/torch.jsonl, for `tscatter batch`.

  ScatterElementsUpdate, onnx.ScatterElements    scatter, scatter_reduce with include_self = use_init_val
  ScatterNDUpdate, onnx.ScatterND                index_put, for sums with accumulate; other reductions have no counterpart
  ScatterUpdate-3                                index_put
  SliceScatter-15                                data[start:stop:step] = updates; steps below 1 have no counterpart
  torch.scatter and the others                   as they are
"""
from cases import NotExpressible, run_cases, widened  # first: it says what is missing

import numpy as np
import torch

import torch_names
from places import ELEMENTS, ROWS, axis_of, closed, form_of, opened, place_of, reduction_of
from torch_names import tensor_from

REDUCES = {"sum": "sum", "prod": "prod", "min": "amin", "max": "amax", "mean": "mean"}


def tensor_of(case, name):
    return tensor_from(case.operands[name], case.dtypes[name])


def index_of(part):
    return torch.from_numpy(np.array(widened(part))) if isinstance(part, np.ndarray) else part


def put(case, data, updates, reduction):
    if reduction not in ("none", "sum"):
        raise NotExpressible(f"reduction {reduction}")
    place = tuple(index_of(part) for part in place_of(case))
    if form_of(case) == ROWS or any(isinstance(part, slice) for part in place):
        if any(isinstance(part, slice) and (part.step or 1) < 1 for part in place):
            raise NotExpressible("a step below 1")
        data[place] = updates
        return data
    return closed(case, opened(case, data).index_put(place, updates, accumulate=reduction == "sum"))


def scattered(case, data, updates, reduction):
    index = index_of(case.operands["indices"])
    if reduction == "none":
        return data.scatter(axis_of(case), index, updates)
    if reduction not in REDUCES:
        raise NotExpressible(f"reduction {reduction}")
    include_self = case.line.get("use_init_val", True) is True
    return data.scatter_reduce(axis_of(case), index, updates, REDUCES[reduction], include_self=include_self)


def run(case, _):
    torch.set_num_threads(1)
    if case.op.startswith("torch."):
        return torch_names.run(case)
    data, updates, reduction = tensor_of(case, "data"), tensor_of(case, "updates"), reduction_of(case)
    function = scattered if form_of(case) == ELEMENTS else put
    result = function(case, data, updates, reduction).contiguous()
    like = case.operands["data"]
    return (result.view(torch.int16) if case.dtypes["data"] == "bfloat16" else result).numpy().view(like.dtype)


if __name__ == "__main__":
    run_cases("torch", torch.__version__, run)
