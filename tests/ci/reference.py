"""The operations in NumPy, entry by entry as docs/ops.md defines them: for mutants.py, whose wrong and reordered implementations change a
part of it, and for the goldens of testdata/golden. Nothing is shared with tscatter.
"""
import collections

import numpy as np


class Refused(Exception):
    """A rule is broken."""


LOOPS = {"ScatterUpdate": "scatter_update", "ScatterNDUpdate": "scatter_nd", "ScatterElementsUpdate": "scatter_elements", "SliceScatter": "slice_scatter",
         "onnx.Scatter": "scatter_elements", "onnx.ScatterElements": "scatter_elements", "onnx.ScatterND": "scatter_nd_elements",
         "onnx.TensorScatter": "tensor_scatter", "tosa.scatter": "tosa_scatter"}
KNOBS = {"ScatterNDUpdate-3": {"negative": False}, "ScatterNDUpdate-4": {"negative": False}, "ScatterElementsUpdate-3": {"negative": False},
         "ScatterElementsUpdate-12": {"family": "update"}}


class Reference:
    """In the order of the index entries."""
    legal, policy = True, {}

    def combine(self, x, u, reduction):
        if reduction == "none":
            return u
        if reduction in ("min", "max"):
            return np.where(u < x if reduction == "min" else u > x, u, x)
        if x.dtype == bool:
            return {"sum": np.logical_or, "sub": np.logical_xor, "prod": np.logical_and}[reduction](x, u)
        return {"sum": np.add, "sub": np.subtract, "prod": np.multiply}[reduction](x, u)

    def fold(self, x, terms, reduction):
        for u in terms:
            x = self.combine(x, u, reduction)
        return x

    def indices(self, indices):
        return indices.astype(object)

    def wrapped(self, i, axis, shape):
        return i + shape[axis] if i < 0 else i

    def in_range(self, place, shape):
        return all(0 <= i < size for i, size in zip(place, shape))

    def place(self, entry, shape, negative):
        place = tuple(self.wrapped(i, axis, shape) if negative else i for axis, i in enumerate(entry))
        if not self.in_range(place, shape):
            raise Refused(place)
        return place

    def updates(self, updates):
        return updates

    def output(self, data):
        return data.copy()

    def axis(self, axis, rank):
        return axis + rank if axis < 0 else axis

    def span(self, start, stop, step, size):
        return range(*slice(start, stop, step).indices(size))

    def scatter_nd(self, data, indices, updates, reduction="none", negative=True):
        depth, out = indices.shape[-1], self.output(data)
        entries = self.indices(indices).reshape(int(np.prod(indices.shape[:-1])), depth)
        blocks = self.updates(updates).reshape((len(entries),) + data.shape[depth:])
        terms = collections.defaultdict(list)
        for entry, block in zip(entries, blocks):
            terms[self.place(tuple(entry), data.shape[:depth], negative)].append(block)
        for place, blocks in terms.items():
            out[place] = self.fold(data[place], blocks, reduction)
        return out

    def scatter_update(self, data, indices, updates, axis):
        axis = self.axis(int(axis.flat[0]), data.ndim)
        entries = range(axis, axis + indices.ndim)
        rows = np.moveaxis(self.updates(updates), entries, range(indices.ndim))
        out = self.scatter_nd(np.moveaxis(data, axis, 0), indices[..., np.newaxis], rows, negative=False)
        return np.ascontiguousarray(np.moveaxis(out, 0, axis))

    def slice_scatter(self, data, updates, start, stop, step, axes=None):
        positions, out = [range(size) for size in data.shape], self.output(data)
        axes = range(start.size) if axes is None else axes.tolist()
        for axis, *bounds in zip(axes, start.tolist(), stop.tolist(), step.tolist()):
            axis = self.axis(axis, data.ndim)
            positions[axis] = self.span(*bounds, data.shape[axis])
        out[np.ix_(*[np.array(p, int) for p in positions])] = self.updates(updates)
        return out

    def extreme(self, x, u, reduction, family):
        """min or max of two elements; x is the old one."""
        if family == "propagate" and (x != x or u != u):
            return x if x != x else u
        if family == "update":
            x, u = u, x
        return u if (u < x if reduction == "min" else u > x) else x

    def met(self, data, start, terms, reduction, family):
        """What the updates of one element leave of its start; a mean divides by all that count."""
        x = start
        for u in terms:
            x = self.extreme(x, u, reduction, family) if reduction in ("min", "max") else self.combine(x, u, "sum" if reduction == "mean" else reduction)
        return data.dtype.type(x)

    def start(self, data, value, reduction, use_init_val):
        if use_init_val or reduction == "none":
            return value
        limits = np.finfo(data.dtype) if data.dtype.kind == "f" else np.iinfo(data.dtype)
        return data.dtype.type({"prod": 1, "min": limits.max, "max": limits.min}.get(reduction, 0))

    def written(self, data, terms, reduction, use_init_val, family):
        """`terms` has the updates of each element that is written."""
        out = self.output(data)
        for place, each in terms.items():
            total = self.met(data, self.start(data, data[place], reduction, use_init_val), each, reduction, family)
            hits = len(each) + bool(use_init_val)
            if reduction == "mean":
                total = total / data.dtype.type(hits) if data.dtype.kind == "f" else int(total) // hits
            out[place] = total
        return out

    def scatter_elements(self, data, indices, updates, axis=0, reduction="none", use_init_val=True, negative=True, family="data"):
        axis, terms = self.axis(int(np.asarray(axis).flat[0]), data.ndim), collections.defaultdict(list)
        for at in np.ndindex(indices.shape):
            place = list(at)
            place[axis] = self.wrapped(int(indices[at]), axis, data.shape) if negative else int(indices[at])
            if not self.in_range(place, data.shape):
                raise Refused(place)
            terms[tuple(place)].append(updates[at])
        return self.written(data, terms, reduction, use_init_val, family)

    def scatter_nd_elements(self, data, indices, updates, reduction="none"):
        """ScatterND element by element; a NaN stays in min and max."""
        depth, terms = indices.shape[-1], collections.defaultdict(list)
        for entry in np.ndindex(indices.shape[:-1]):
            place = self.place(tuple(indices[entry].tolist()), data.shape[:depth], True)
            for rest in np.ndindex(data.shape[depth:]):
                terms[place + rest].append(updates[entry + rest])
        return self.written(data, terms, reduction, True, "propagate")

    def tensor_scatter(self, data, updates, indices=None, axis=-2, mode="linear"):
        axis, out = self.axis(axis, data.ndim), self.output(data)
        for at in np.ndindex(updates.shape):
            place = list(at)
            place[axis] += 0 if indices is None else int(indices[at[0]])
            if mode == "circular":
                place[axis] %= data.shape[axis]
            elif not self.in_range(place, data.shape):
                raise Refused(place)
            out[tuple(place)] = updates[at]
        return out

    def tosa_scatter(self, data, indices, updates):
        out = self.output(data)
        for n, w in np.ndindex(indices.shape):
            place = (n, int(indices[n, w]))
            if not self.in_range(place, data.shape):
                raise Refused(place)
            out[place] = updates[n, w]
        return out

    def run(self, line, operands):
        name = line["op"].rsplit("-", 1)[0]
        attributes = {key: line[key] for key in ("axis", "reduction", "use_init_val", "mode") if key in line}
        if "reduction" in attributes:
            attributes["reduction"] = {"add": "sum", "mul": "prod"}.get(line["reduction"], line["reduction"])
        return getattr(self, LOOPS[name])(**(attributes | operands), **KNOBS.get(line["op"], {}))
