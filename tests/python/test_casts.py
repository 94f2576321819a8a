"""--cast beside NumPy itself: which casts it allows, and what values become. With ml_dtypes, its dtypes, too."""

import unittest
import warnings

import numpy as np

import tscatter

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
POLICIES = ("no", "safe", "same_kind", "unsafe")


def random_values(random, dtype, count):
    """Any bits for integers; for floats numbers of all sizes, specials and middles."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0, 256, (count, dtype.itemsize), np.uint8).view(dtype)[:, 0]
    if dtype.kind == "c":
        part = np.float32 if dtype.itemsize == 8 else np.float64
        return (random_values(random, part, count) + 1j * random_values(random, part, count)).astype(dtype)
    with np.errstate(all="ignore"):
        numbers = random.standard_normal(count) * 10.0 ** random.integers(-9, 9, count)
        numbers[::7] = np.rint(numbers[::7] * 2) / 2
        numbers[1::97] = [np.inf, -np.inf, np.nan, 0.0, -0.0, 65519.99, 65520, 1e300][random.integers(0, 8)]
        return numbers.astype(dtype)


def defined(values, to):
    """Those whose cast C defines."""
    to = np.dtype(to)
    if to.kind not in "iu" or values.dtype.kind in "biu":
        return values
    limits = np.iinfo(to)
    real = values.real.astype(np.float64)
    return values[np.isfinite(real) & (np.trunc(real) >= limits.min) & (np.trunc(real) < float(limits.max))]


def cast(updates, to, policy):
    data = np.zeros(updates.shape, to)
    return tscatter.scatter_update_3(data=data, indices=np.arange(len(updates)), updates=updates, axis=0, cast=policy)


class Casts(unittest.TestCase):
    def check_values(self, values, to):
        values = defined(values, to)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = values.astype(to)
        got = cast(values, to, "unsafe")
        self.assertEqual(got.dtype, wanted.dtype)
        # Equal bits, but for those of a NaN.
        self.assertEqual(np.nan_to_num(got.astype(np.complex128)).tobytes(), np.nan_to_num(wanted.astype(np.complex128)).tobytes())

    def test_allowed(self):
        for source in NAMES:
            for to in NAMES:
                for policy in POLICIES:
                    with self.subTest(source=source, to=to, policy=policy):
                        updates = np.ones(2, source)
                        if np.can_cast(source, to, policy):
                            self.assertEqual(cast(updates, to, policy).tolist(), np.ones(2, to).tolist())
                            continue
                        with self.assertRaises(tscatter.RuleError) as caught:
                            cast(updates, to, policy)
                        label = "scatter_update_3.c7" if policy == "no" else "cast.k1"
                        self.assertEqual(caught.exception.label, label)

    def test_values(self):
        random = np.random.default_rng(20261127)
        for source in NAMES:
            for to in NAMES:
                with self.subTest(source=source, to=to):
                    self.check_values(random_values(random, source, 3000), to)

    def test_byte_order(self):
        values = np.arange(-4, 4, dtype=">i2")
        for to in (">f4", "<f4", ">i8", "<f2"):
            got = cast(values, to, "same_kind")
            self.assertEqual(got.dtype, np.dtype(to))
            self.assertEqual(got.tolist(), values.tolist())

    @unittest.skipIf(ml_dtypes is None, "needs ml_dtypes")
    def test_ml_dtypes(self):
        random = np.random.default_rng(7)
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            dtype = getattr(ml_dtypes, name)
            for other in ("float16", "float32", "float64", "int8", "uint8"):
                with self.subTest(name=name, other=other):
                    numbers = random_values(random, other, 3000)
                    # float64 to ml_dtypes is rounded twice there, by way of float32.
                    numbers = numbers.astype(np.float32).astype(other) if other == "float64" else numbers
                    self.check_values(numbers, dtype)
                    if other.startswith("float"):
                        self.check_values(numbers.astype(dtype), other)


if __name__ == "__main__":
    unittest.main()
