"""From a case that fails to the smallest one that still does: fewer entries, smaller dims, fewer axes, simpler values."""

import itertools
import time

import numpy as np

_MOST_SETS = 512  # of axes that are cut together
_MOST_SINGLE = 24  # elements, or positions along an axis, that are tried one by one


def _keeps(size):
    """Which positions of an axis are tried alone: halves first, then all but one."""
    half = size // 2
    if half:
        yield np.arange(half)
        yield np.arange(half, size)
    if 2 < size <= _MOST_SINGLE:
        for left_out in range(size):
            yield np.delete(np.arange(size), left_out)


def _alike(names, axes):
    """The same axis of several operands."""
    for axis in sorted({axis for name, axis in axes}):
        for number in range(len(names), 1, -1):
            yield from ([(name, axis) for name in some] for some in itertools.combinations(names, number))


def _any_of_each(axes):
    """At most one axis of each operand, few first."""
    by_name = {}
    for name, axis in axes:
        by_name.setdefault(name, [None]).append((name, axis))
    choices = itertools.islice(itertools.product(*by_name.values()), _MOST_SETS)
    return sorted(([each for each in some if each] for some in choices), key=len)


def _axes(case):
    """Sets of axes of one size that may belong together: one of an operand, or one of each of several."""
    by_size = {}
    for name, array in case.tensors.items():
        for axis, size in enumerate(array.shape):
            if size > 1:
                by_size.setdefault(size, []).append((name, axis))
    for size, axes in sorted(by_size.items(), reverse=True):
        names = list(dict.fromkeys(name for name, _ in axes))
        alike = [some for some in _alike(names, axes) if set(some) <= set(axes)]
        for some in alike + [some for some in _any_of_each(axes) if some and some not in alike]:
            yield size, some


def _cut(case, axes, keep):
    tensors = dict(case.tensors)
    for name, axis in axes:
        tensors[name] = np.ascontiguousarray(np.take(tensors[name], keep, axis=axis))
    return tensors


def _below(indices, size):
    limits = np.iinfo(indices.dtype)
    return np.clip(indices, max(-size, limits.min), min(size - 1, limits.max)).astype(indices.dtype)


def _with_indices_below(tensors, size, names=("indices",)):
    """names: of the tensors that have positions. None if there are none."""
    clipped = {name: _below(tensors[name], size) for name in names if name in tensors and tensors[name].dtype.kind in "iu"}
    return {**tensors, **clipped} if clipped else None


def _with_updates_cut(case):
    """With fewer updates along one of their axes, where no tensor of places says how many there are: of a slice, of a diagonal."""
    name = case.word("updates")
    places = [case.tensors[each] for each in (*case.indices(), case.word("mask")) if each in case.tensors]
    if any(array.ndim for array in places) or name not in case.tensors:
        return
    for axis, size in enumerate(case.tensors[name].shape):
        for fewer in range(min(size, _MOST_SINGLE)):
            yield case.with_tensors(_cut(case, [(name, axis)], np.arange(fewer)))


def _with_a_smaller_shape(case):
    """Where an operand has the sizes of what the call makes: with one of them smaller, and updates cut along an axis, or none."""
    name, updates = case.word("shape"), case.word("updates")
    for axis, size in enumerate(case.tensors.get(name, ())):
        for fewer in {size // 2, size - 1} - {-1}:
            tensors = {**case.tensors, name: case.tensors[name].copy()}
            tensors[name][axis] = fewer
            for along, length in enumerate(tensors[updates].shape):
                if length == size:
                    yield case.with_tensors({**tensors, updates: np.take(tensors[updates], np.arange(fewer), axis=along)})
            yield case.with_tensors(_with_indices_below(tensors, max(fewer, 1), case.indices()) or tensors)


def _smaller(case):
    yield from _with_a_smaller_shape(case)
    data, indices = case.word("data"), case.indices()
    for size, axes in _axes(case):
        for keep in _keeps(size):
            smaller = case.with_tensors(_cut(case, axes, keep))
            yield smaller
            if any(name == data for name, _ in axes):
                yield from _with_updates_cut(smaller)
                clipped = _with_indices_below(smaller.tensors, len(keep), indices)
                if clipped is not None:
                    yield case.with_tensors(clipped)


def _squeezed(array):
    """The array, and what it is without one of its axes of size 1."""
    yield array
    for axis, size in enumerate(array.shape):
        if size == 1:
            yield np.squeeze(array, axis)


def _indices_of_fewer_axes(indices):
    yield from _squeezed(indices)
    if indices.ndim and indices.shape[-1] > 1:  # perhaps coordinates: without those of one axis
        for axis in range(indices.shape[-1]):
            yield np.delete(indices, axis, -1)


def _axes_beside(axis):
    """An axis, and its number where one before it (from the end: behind it) is gone."""
    yield axis
    yield axis + np.where(np.asarray(axis) < 0, 1, -1).astype(np.asarray(axis).dtype)


def _fewer_items(items):
    """The items of an index, and what they are without one that is no tensor."""
    yield items
    for place, item in enumerate(items):
        if not isinstance(item, str):
            yield items[:place] + items[place + 1 :]


def _of_fewer_axes(case):
    """With one axis less of data, of other operands, or of several that belong together."""
    makers = {case.word(name): _squeezed for name in ("data", "updates", "mask")}
    makers.update(dict.fromkeys(case.indices(), _indices_of_fewer_axes))
    makers.update(dict.fromkeys((case.word("axis"), "dim1", "dim2"), _axes_beside))
    given = {**case.tensors, **case.attributes}
    names = [name for name in makers if name in given]
    for items, *some in itertools.product(_fewer_items(case.items), *(makers[name](given[name]) for name in names)):
        if items == case.items and all(np.shape(new) == np.shape(given[name]) for name, new in zip(names, some)):
            continue
        changed = dict(zip(names, some))
        tensors = {name: np.asarray(changed.get(name, old)).copy() for name, old in case.tensors.items()}
        attributes = {name: int(changed[name]) if name in changed else old for name, old in case.attributes.items()}
        yield case.with_tensors(tensors, attributes, items)


def _powers(array):
    """1, 2, 4, …: every sum of some of them tells which they are. Counted where the dtype has too few."""
    counted = np.arange(1, array.size + 1, dtype=np.float64)
    return 2 ** (counted - 1) if array.size <= _powers_of(array.dtype) else counted


def _powers_of(dtype):
    """How many powers of two have an exact sum."""
    return {"b": 1, "i": 8 * dtype.itemsize - 1, "u": 8 * dtype.itemsize}.get(dtype.kind, 3 if dtype.itemsize < 2 else 8)


def _numbers(array, has_meaning):
    """Simpler values for a whole tensor, the simplest first. has_meaning: of an update, which nothing tells from another if it is 0."""
    if array.dtype.kind not in "biufcV" or array.dtype.names:
        return
    counted = np.arange(1, array.size + 1).reshape(array.shape)
    plain = (np.zeros(array.shape), np.ones(array.shape), counted)
    powers = _powers(array)
    for values in (powers.reshape(array.shape), powers[::-1].reshape(array.shape), counted) if has_meaning else plain:
        with np.errstate(all="ignore"):
            yield values.astype(array.dtype)


def _simpler_elements(array, has_meaning):
    if array.size > _MOST_SINGLE or array.dtype.names:
        return
    for position in np.ndindex(array.shape):
        for value in (1, 2, 4, 8, 0) if has_meaning else (0, 1):
            changed = array.copy()
            with np.errstate(all="ignore"):
                changed[position] = np.array(value).astype(array.dtype)
            yield changed


def _simpler_together(case):
    """Data and updates at once: a lost update is told from other faults where all their values differ."""
    data, updates = case.word("data"), case.word("updates")
    old = [case.tensors.get(name) for name in (data, updates)]
    if any(array is None or not array.size or array.dtype.kind not in "iufcV" or array.dtype.names for array in old):
        return
    both = np.concatenate([array.ravel() for array in reversed(old)])
    for values in (_powers(both), np.concatenate([_powers(old[1])[::-1], _powers(both)[old[1].size :]])):
        with np.errstate(all="ignore"):
            parts = [part.astype(array.dtype) for part, array in zip(np.split(values, [old[1].size]), reversed(old))]
        new = [part.reshape(array.shape) for part, array in zip(reversed(parts), old)]
        if sum(map(_cost, new)) < sum(map(_cost, old)):
            yield case.with_tensors({**case.tensors, data: new[0], updates: new[1]})


def _simpler(case):
    yield from _simpler_together(case)
    updates = case.word("updates")
    for name in (case.word("data"), updates, *case.indices(), case.word("mask")):
        array = case.tensors.get(name)
        if array is None:
            continue
        has_meaning = name == updates
        for candidate in itertools.chain(_numbers(array, has_meaning), _simpler_elements(array, has_meaning)):
            if _cost(candidate, has_meaning) < _cost(array, has_meaning):
                yield case.with_tensors({**case.tensors, name: candidate})
    yield from _simpler_attributes(case)


def _simpler_attributes(case):
    """With attributes that are numbers closer to 0, and those that may be left out left out."""
    for name, value in case.attributes.items():
        may_be_left_out = not case.is_required(name)
        if isinstance(value, (bool, int, float)) and (may_be_left_out or case.makes_data()):
            others = {key: each for key, each in case.attributes.items() if key != name}
            smaller = () if isinstance(value, bool) or abs(value) < 2 else ({**others, name: int(value / 2)},)
            for attributes in (*[others][: int(may_be_left_out)], *smaller):
                simpler = case.with_tensors(case.tensors, attributes)
                yield simpler
                yield from _with_updates_cut(simpler)


def _cost(array, has_meaning=False):
    """How hard the values are to read: zeros cost nothing, ones little, whole numbers less than others.

    has_meaning: small whole numbers cost least, each once; a zero, or a number that stands twice, tells less.
    """
    with np.errstate(all="ignore"):
        values = np.asarray(array).astype(np.complex128 if array.dtype.kind == "c" else np.float64).ravel()
        cost = np.full(values.shape, 40.0)
        whole = np.isfinite(values) & (np.abs(values) < 1e6) & (values == np.round(values.real))
        cost[whole] = 2 + 0.01 * np.minimum(np.abs(values[whole]), 100)
        if has_meaning:
            cost[values == 0] = 4
            return cost.sum() + 3 * (values.size - np.unique(values).size)
        cost[values == 1] = 1
        cost[values == 0] = 0
    return cost.sum()


def shrink(case, still_fails, seconds):
    """`still_fails`: whether a case fails as the first one did. REQUIRES: the case does."""
    deadline = time.monotonic() + seconds
    for candidates in (_smaller, _of_fewer_axes, _simpler, _smaller, _of_fewer_axes):
        improved = True
        while improved and time.monotonic() < deadline:
            improved = False
            for smaller in candidates(case):
                if time.monotonic() >= deadline:
                    break
                if smaller.is_valid() and still_fails(smaller):
                    case = smaller
                    improved = True
                    break
    # The last call is that of the case that is returned.
    still_fails(case)
    return case
