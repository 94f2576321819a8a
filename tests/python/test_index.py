"""Random indices against NumPy itself: a[index] = values and ufunc.at, byte for byte, through tscatter batch.

A normal run compares 2,000 calls, a whole one (TSCATTER_WHOLE in the environment) 100,000. TSCATTER_SEED draws others.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import tscatter

OPERATIONS = {
    "numpy.setitem": None,
    "numpy.add.at": np.add,
    "numpy.subtract.at": np.subtract,
    "numpy.multiply.at": np.multiply,
    "numpy.minimum.at": np.minimum,
    "numpy.maximum.at": np.maximum,
    "numpy.bitwise_and.at": np.bitwise_and,
    "numpy.bitwise_or.at": np.bitwise_or,
    "numpy.bitwise_xor.at": np.bitwise_xor,
}
BITWISE = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)
DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
ROUND = 2000


def takes(ufunc, dtype):
    """Whether the operation has this dtype: NumPy subtracts no bool, tscatter orders no complex numbers."""
    if ufunc is np.subtract:
        return dtype.kind != "b"
    if ufunc in BITWISE:
        return dtype.kind in "bui"
    return dtype.kind != "c" or ufunc not in (np.minimum, np.maximum)


def values(rng, shape, dtype):
    # Small integers: every sum and product is exact, and no zero has a sign that minimum and maximum treat differently.
    return rng.integers(0, 2 if dtype.kind == "b" else 9, shape).astype(dtype)


def some_ones(rng, shape):
    """A shape that broadcasts to `shape`: some axes are 1, some of the first are left out."""
    ones = tuple(1 if rng.random() < 0.4 else size for size in shape)
    return ones[int(rng.integers(0, len(shape) + 1)):]


def random_slice(rng, size):
    def end():
        return None if rng.random() < 0.4 else int(rng.integers(-size - 2, size + 3))

    return slice(end(), end(), [None, 1, 2, -1, -2, 3][rng.integers(6)])


def random_mask(rng, shape, one_place):
    mask = rng.random(shape) < 0.4
    if one_place and mask.size:
        mask[:] = False
        mask.flat[rng.integers(mask.size)] = True
    return mask


def positions(rng, size, broadcast):
    shape = broadcast if rng.random() < 0.6 else some_ones(rng, broadcast)
    drawn = rng.integers(-size, size, shape).astype(["i1", "i2", "i4", "i8"][rng.integers(4)])
    return np.asfortranarray(drawn) if rng.random() < 0.2 else drawn


def random_index(rng, shape):
    """Items of every kind. NumPy may refuse what comes out: the caller draws again."""
    broadcast = tuple(int(size) for size in rng.integers(1, 4, rng.integers(0, 3)))
    items, axis = [], 0
    while axis < len(shape) and not (items and rng.random() < 0.1):
        kind = rng.choice(["slice", "integer", "none", "dots", "mask", "positions"], p=[0.26, 0.12, 0.08, 0.08, 0.1, 0.36])
        if kind == "none":
            items.append(None)
            continue
        taken = int(rng.integers(1, len(shape) - axis + 1)) if kind in ("dots", "mask") else 1
        if kind == "dots" and not any(item is Ellipsis for item in items):
            items.append(Ellipsis)
        elif kind == "mask":
            items.append(random_mask(rng, shape[axis:axis + taken], rng.random() < 0.5))
        elif kind == "integer" and shape[axis]:
            items.append(int(rng.integers(-shape[axis], shape[axis])))
        elif kind == "positions" and shape[axis]:
            items.append(positions(rng, shape[axis], broadcast))
        else:
            items.append(random_slice(rng, shape[axis]))
            taken = 1
        axis += taken
    return tuple(items)


def random_data(rng):
    shape = tuple(int(size) for size in rng.integers(0 if rng.random() < 0.05 else 1, 6, rng.integers(1, 5)))
    data = values(rng, shape, np.dtype(DTYPES[rng.integers(len(DTYPES))]))
    if rng.random() < 0.3:
        data = np.asfortranarray(data)
    return data.astype(data.dtype.newbyteorder(">")) if rng.random() < 0.2 else data


def random_call(rng):
    """(operation, data, index, updates, expected) of a call that NumPy takes."""
    while True:
        operation = list(OPERATIONS)[rng.integers(len(OPERATIONS))]
        ufunc, data = OPERATIONS[operation], random_data(rng)
        index = random_index(rng, data.shape)
        if not index or not takes(ufunc, data.dtype):
            continue
        try:
            shape = data[index].shape
        except (IndexError, ValueError):
            continue
        updates = values(rng, some_ones(rng, shape) if rng.random() < 0.5 else shape, data.dtype.newbyteorder("="))
        expected = data.copy(order="K")
        # NumPy 2.4 walks in another order, and ufunc.at reads beyond values, where they broadcast to an index of several axes.
        repeated = np.broadcast_to(updates, shape).copy()
        if ufunc is None:
            expected[index] = repeated
        else:
            ufunc.at(expected, index, repeated)
        return operation, data, index, updates, expected


def word(item):
    """A basic item as a job writes it."""
    if item is None or item is Ellipsis:
        return "None" if item is None else "..."
    if isinstance(item, slice):
        ends = [item.start, item.stop] + ([] if item.step is None else [item.step])
        return ":".join("" if end is None else str(end) for end in ends)
    return item


def write_case(folder, name, call):
    operation, data, index, updates, expected = call
    case = {"name": name, "op": operation, "index": []}
    for role, array in (("data", data), ("updates", updates), ("expected", expected)):
        case[role] = f"{name}.{role}.npy"
        np.save(os.path.join(folder, case[role]), array)
    for place, item in enumerate(index):
        if isinstance(item, np.ndarray):
            file = f"{name}.index{place}.npy"
            np.save(os.path.join(folder, file), item)
            item = file
        else:
            item = word(item)
        case["index"].append(item)
    return json.dumps(case)


class RandomIndices(unittest.TestCase):
    def test_the_bytes_are_those_of_numpy(self):
        first = int(os.environ.get("TSCATTER_SEED", "1"))
        for seed in range(first, first + (50 if "TSCATTER_WHOLE" in os.environ else 1)):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                self.compare(folder, np.random.default_rng(seed))

    def test_calls_over_arrays(self):
        rng = np.random.default_rng(int(os.environ.get("TSCATTER_SEED", "1")))
        for place in range(500):
            operation, data, index, updates, expected = random_call(rng)
            with self.subTest(place=place, operation=operation, index=index):
                function = tscatter.operations()[operation]
                before = data.copy(order="K")
                self.assertEqual(function(data, index, updates).tobytes(), expected.tobytes())
                self.assertEqual(data.tobytes(), before.tobytes())
                function(data, index, updates, out=data)
                self.assertEqual(data.tobytes(), expected.tobytes())

    def test_items_of_python(self):
        folder = self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else "."
        data = np.zeros((3, 4), np.float32)
        self.assertEqual(tscatter.numpy.add.at(data, [0, 0], 1)[0].tolist(), [2] * 4)
        self.assertEqual(tscatter.numpy.setitem(data, (np.int8(-1), slice(None, None, 2)), [5, 6])[2].tolist(), [5, 0, 6, 0])
        self.assertEqual(tscatter.numpy.setitem(data, np.array(1), 7)[1].tolist(), [7] * 4)
        self.assertEqual(tscatter.numpy.setitem(data, ("...", "[1, 3]"), 7).sum(), 42)
        self.assertEqual(tscatter.numpy.setitem(data, (None, ...), 1).sum(), 12)
        path = pathlib.Path(folder) / "ids.npy"
        np.save(path, [2, 2])
        self.assertEqual(tscatter.numpy.subtract.at(data, (path, 0), 1)[2, 0], -2)
        path.unlink()
        with self.assertRaisesRegex(tscatter.RuleError, r"index\[1\] must be in \[-3, 3\) for axis 0 of data, got 9"):
            tscatter.numpy.setitem(data, np.array([0, 9]), 1)
        with self.assertRaisesRegex(TypeError, "index1 must be"):
            tscatter.numpy.setitem(data, (0, object()), 1)

    def compare(self, folder, rng):
        lines = [write_case(folder, f"c{place}", random_call(rng)) for place in range(ROUND)]
        path = os.path.join(folder, "cases.jsonl")
        with open(path, "w", encoding="utf-8") as cases:
            cases.write("\n".join(lines) + "\n")
        ran = subprocess.run([os.environ["TSCATTER_PROGRAM"], "batch", path], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout[-4000:] + ran.stderr[-2000:])
        self.assertIn(f"{ROUND:,} cases: {ROUND:,} passed", ran.stdout)


if __name__ == "__main__":
    unittest.main()
