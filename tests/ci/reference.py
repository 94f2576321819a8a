"""The operations in NumPy, entry by entry as docs/ops.md defines them: for mutants.py, whose wrong and reordered implementations change a
part of it, and for the goldens of testdata/golden. Nothing is shared with tscatter.
"""
import collections

import numpy as np


class Refused(Exception):
    """A rule is broken."""


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

    def run(self, line, operands):
        if line["op"] == "SliceScatter-15":
            return self.slice_scatter(**operands)
        if line["op"] == "ScatterUpdate-3":
            return self.scatter_update(**operands)
        return self.scatter_nd(**operands, reduction=line.get("reduction", "none"), negative=line["op"] == "ScatterNDUpdate-15")
