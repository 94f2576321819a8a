"""Where a case of `tscatter generate` writes, as an index that NumPy, JAX and PyTorch take: opened(case, data)[place_of(case)].

  ScatterUpdate-3                                                     data[:, indices], as many : as the axis says
  ScatterNDUpdate-3, -4, -15, onnx.ScatterND                          data[newaxis][zeros, indices[..., 0], indices[..., 1], …], so that depth 0 has a place, too
  ScatterElementsUpdate-3, -12, onnx.Scatter, onnx.ScatterElements    data[i, indices, k], with indices along the axis
  SliceScatter-15                                                     data[start:stop:step]
"""
import numpy as np

from cases import NotExpressible

ROWS, ND, ELEMENTS, SLICE = "rows", "nd", "elements", "slice"
FORMS = {"ScatterUpdate": ROWS, "ScatterNDUpdate": ND, "onnx.ScatterND": ND, "ScatterElementsUpdate": ELEMENTS,
         "onnx.ScatterElements": ELEMENTS, "onnx.Scatter": ELEMENTS, "SliceScatter": SLICE}
REDUCTIONS = {"add": "sum", "mul": "prod"}


def form_of(case):
    if case.name not in FORMS:
        raise NotExpressible(case.name)
    return FORMS[case.name]


def reduction_of(case):
    return REDUCTIONS.get(case.reduction, case.reduction)


def axis_of(case):
    axis = case.scalar("axis") if "axis" in case.operands else case.line.get("axis", 0)
    rank = case.operands["data"].ndim
    if not -rank <= axis < rank:
        raise NotExpressible("an axis that is none")
    return axis % rank


def indices_of(case):
    indices = case.operands["indices"]
    if indices.dtype.kind not in "iu":
        raise NotExpressible("indices of no integer dtype")
    return indices


def nd_place(case):
    indices = indices_of(case)
    if indices.ndim == 0:
        raise NotExpressible("indices of rank 0")
    return np.zeros(indices.shape[:-1], np.int64), *(indices[..., k] for k in range(indices.shape[-1]))


def elements_place(case):
    indices = indices_of(case)
    place = list(np.indices(indices.shape, sparse=True))
    place[axis_of(case)] = indices
    return tuple(place)


def slice_place(case):
    data, lists = case.operands["data"], {name: case.operands.get(name) for name in ("start", "stop", "step", "axes")}
    axes = range(lists["start"].size) if lists["axes"] is None else lists["axes"]
    place = [slice(None)] * data.ndim
    for k, axis in enumerate(axes):
        start, stop, step = (int(lists[name][k]) for name in ("start", "stop", "step"))
        place[int(axis)] = slice(start, stop, step)
    return tuple(place)


PLACES = {ROWS: lambda case: (slice(None),) * axis_of(case) + (indices_of(case),), ND: nd_place,
          ELEMENTS: elements_place, SLICE: slice_place}


def opened(case, data):
    return data[None] if form_of(case) == ND else data


def closed(case, result):
    return result[0] if form_of(case) == ND else result


def place_of(case):
    return PLACES[form_of(case)](case)


def require_initial_value(case):
    if case.line.get("use_init_val", True) is not True and case.reduction != "none":
        raise NotExpressible("use_init_val = false")
