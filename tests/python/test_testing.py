"""run_suite() and the pytest plug-in."""

import importlib.metadata
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
import warnings

import numpy as np

import tscatter
import tscatter.testing
from tscatter import _shrink, _words

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

try:
    import pytest
except ImportError:
    pytest = None


class Elsewhere:
    """A tensor on a GPU."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        raise BufferError


def in_order(data, indices, updates, reduction="none"):
    result = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        with np.errstate(all="ignore"):
            result[place] = result[place] + updates[at] if reduction == "sum" else updates[at]
    return result


def forgets_duplicates(data, indices, updates, reduction="none"):
    if not indices.size:
        raise unittest.SkipTest
    result = data.copy()
    result[tuple(np.moveaxis(indices, -1, 0))] += updates
    return result


MADE = ("numpy.bincount", "tf.scatter_nd", "tf.math.segment_sum", "tf.math.unsorted_segment_max", "jax.ops.segment_min")


class SuitesWithoutData(unittest.TestCase):
    """Of operations that make what they update."""

    def test_a_right_function(self):
        for name in MADE:
            with self.subTest(name):
                function = lambda name=name, **case: tscatter.apply(name, **case)
                result = tscatter.testing.run_suite(name, function, count=60, errors=True, max_elements=256)
                self.assertEqual((result.cases + sum(result.skipped.values()), result.failures), (120, []))
                self.assertGreater(result.refused, 50)

    def test_lists_of_the_right_dtype_are_not_broken(self):
        function = lambda **case: tscatter.apply("tf.scatter_nd", **case)
        result = tscatter.testing.run_suite("tf.scatter_nd", function, count=200, errors=True, max_elements=256)
        self.assertEqual(list(result.skipped), ["in Python's own lists and numbers nothing is broken"])
        with self.assertRaisesRegex(tscatter.NotLegal, "the function must refuse what breaks tf.scatter_nd: "):
            zeros = lambda indices, updates, shape, **others: np.zeros(shape, updates.dtype)
            tscatter.testing.run_suite("tf.scatter_nd", zeros, count=60, errors=True, failures="all", shrink=False)

    def test_ranks_are_of_what_is_made(self):
        for name, ranks in (("tf.scatter_nd", 2), ("tf.math.unsorted_segment_max", [2, 3]), ("jax.ops.segment_min", 1), ("numpy.bincount", 1)):
            for case in tscatter.testing.cases(name, count=20, ranks=ranks, max_elements=256):
                self.assertIn(tscatter.apply(name, **case.call()).ndim, [ranks] if isinstance(ranks, int) else ranks)

    def test_a_function_that_returns_nothing(self):
        for name in MADE:
            with self.subTest(name), self.assertRaises(tscatter.NotLegal) as caught:
                tscatter.testing.run_suite(name, lambda **case: None, count=3, shrink=False)
            self.assertIn("TypeError: the function must return an array, got NoneType\n", str(caught.exception))

    def test_rows_by_ids_are_left_out(self):
        given = {case.attributes.get("num_segments") for case in tscatter.testing.cases("jax.ops.segment_min", count=60)}
        self.assertIn(None, given)
        self.assertLess(max(each for each in given if each is not None), 2**40)

    def test_the_first_failure_is_shrunk(self):
        def wrong(name, **case):
            result = tscatter.apply(name, **case)
            result[(0,) * result.ndim if result.size else ()] += 1
            return result

        for name in ("tf.scatter_nd", "tf.math.unsorted_segment_max"):
            with self.subTest(name), self.assertRaises(tscatter.NotLegal) as caught:
                tscatter.testing.run_suite(name, lambda name=name, **case: wrong(name, **case), count=20, dtype="int32")
            self.assertRegex(str(caught.exception), r"the smallest case that fails in the same way:\n\nnot legal: 1 of [12] elements? is wrong")


class Suites(unittest.TestCase):
    def test_an_unknown_keyword(self):
        for value in (None, False, True, 3):
            with self.assertRaises(TypeError) as caught:
                tscatter.testing.run_suite("ScatterNDUpdate-15", in_order, count=1, reductions=value)
            message = "a suite of ScatterNDUpdate-15 got an unexpected keyword argument 'reductions' (nearest: reduction)"
            self.assertEqual(str(caught.exception), message)

    def test_a_right_function(self):
        for reduction in ("none", "sum"):
            result = tscatter.testing.run_suite(
                "ScatterNDUpdate-15", in_order, count=40, dtype=["float32", "int32"], reduction=reduction, max_elements=256
            )
            self.assertEqual((result.cases, dict(result.skipped), result.failures), (40, {}, []))
            self.assertEqual(set(result.classes), {"untouched", "in-order", "reordered", "rounded", "torn", "wrong"})
            self.assertGreater(result.classes["in-order"], 40)
            self.assertRegex(str(result), r"^40 cases of ScatterNDUpdate-15, all right; elements: \d+ untouched, \d+ in-order(, \d+ rounded)?$")

    def test_a_function_that_works_in_place(self):
        def in_place(data, indices, updates, reduction):
            data[...] = in_order(data, indices, updates, reduction)

        self.assertEqual(tscatter.testing.run_suite("ScatterNDUpdate-15", in_place, count=20, dtype="float32", reduction="sum").cases, 20)
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("ScatterNDUpdate-15", lambda **case: None, count=3)
        self.assertIn("the function returned nothing: data was judged as it left it\nnot legal: ", str(caught.exception))
        with self.assertRaisesRegex(tscatter.NotLegal, "TypeError: the function must return an array, or change data, got object\n\nimport numpy"):
            tscatter.testing.run_suite("ScatterNDUpdate-15", lambda **case: object(), count=3)

    def test_the_first_failure_is_shrunk(self):
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite(
                "ScatterNDUpdate-15", forgets_duplicates, count=60, seed=2, dtype="float32", reduction="sum", duplicates="heavy"
            )
        text = str(caught.exception)
        code = text[text.index("import numpy") :]
        names = {}
        with self.assertRaises(tscatter.NotLegal):
            exec(code, names)
        self.assertLessEqual(names["updates"].size, 2)
        self.assertLessEqual(names["data"].size, 4)
        self.assertEqual((names["data"].ndim, names["indices"].ndim), (1, 2))
        self.assertLessEqual(len(code.splitlines()), 9)

    def test_the_smallest_case_has_the_fewest_axes(self):
        def adds_along_the_axis(data, indices, updates, axis=0, **others):
            result = data.copy()
            for at in np.ndindex(indices.shape):
                place = list(at)
                place[np.ravel(axis)[0]] = indices[at]
                result[tuple(place)] += 2 * updates[at]
            return result

        for operation in ("ScatterElementsUpdate-12", "onnx.ScatterElements-18"):
            with self.subTest(operation), self.assertRaises(tscatter.NotLegal) as caught:
                reduction = "sum" if operation.startswith("Scatter") else "add"
                tscatter.testing.run_suite(operation, adds_along_the_axis, count=60, seed=3, dtype="int32", reduction=reduction)
            text = str(caught.exception)
            names = {}
            with self.assertRaises(tscatter.NotLegal):
                exec(text[text.index("import numpy") :], names)
            self.assertEqual([names[name].shape for name in ("data", "indices", "updates")], [(2,), (2,), (2,)], text)

    def test_axes_of_one_size_are_cut_together(self):
        case = tscatter.testing.Case(
            "onnx.ScatterElements-18",
            {"data": np.zeros((3,) * 6, np.float32), "indices": np.zeros((3,) * 6, np.int64), "updates": np.ones((3,) * 6, np.float32)},
            {"axis": 2, "reduction": "none"},
        )
        fails = lambda case: not np.array_equal(tscatter.apply(case.operation, **case.call()), case.tensors["data"])
        smallest = _shrink.shrink(case, fails, 20)
        self.assertLessEqual(sum(array.size for array in smallest.tensors.values()), 6, smallest.python())

    def test_indices_are_cut_to_bounds_that_they_can_have(self):
        for indices, wanted in (
            (np.array([0, 4, 9], np.uint32), [0, 2, 2]),
            (np.array([-128, 127], np.int8), [-3, 2]),
            (np.array([2**64 - 1, 1], np.uint64), [2, 1]),
        ):
            bounds = []
            clip = lambda array, low, high, bounds=bounds: bounds.extend((low, high)) or np.minimum(np.maximum(array, array.dtype.type(low)), array.dtype.type(high))
            with unittest.mock.patch.object(np, "clip", clip):
                cut = _shrink._with_indices_below({"indices": indices}, 3)["indices"]
                self.assertEqual((cut.dtype, cut.tolist()), (indices.dtype, wanted))
                _shrink._with_indices_below({"indices": indices}, 1000)
            limits = np.iinfo(indices.dtype)
            self.assertTrue(all(limits.min <= each <= limits.max for each in bounds), bounds)

    def printed(self, case, actual):
        """What the printed lines make."""
        names = {}
        text = case.python(actual)
        with self.assertRaises(tscatter.NotLegal, msg=text):
            exec(text, names)
        return names

    def test_what_is_printed_has_the_same_bits(self):
        half = np.array([0x7E01, 0xFE00, 0x7C00, 0x8000, 0x3C00], np.uint16).view(np.float16)
        pairs = [-0.0, -0.0, np.nan, np.inf, 1.0, -np.inf]
        arrays = [half, half[:2].astype(np.float32), np.float64([np.nan, -np.inf]), half.reshape(5, 1), half[:1].astype(">f2")]
        arrays += [np.array(pairs, np.float32).view(np.complex64), np.array(pairs).view(np.complex128).reshape(3, 1)]
        arrays += [np.array([1 + 2j, 0]), np.array([0x7F800001, 0], np.uint32).view(np.complex64)]
        arrays += [np.array([True]), np.zeros((1, 0), np.float32), np.array([b"x"]), np.array(["é"]), np.array(["2020-01-01"], "M8[D]")]
        arrays += [np.zeros(1, [("a", "f4")]), np.zeros(1, "V3")]
        if ml_dtypes is not None:
            arrays += [np.array([0x7FC1, 0xFFC0, 0x3F80], np.uint16).view(ml_dtypes.bfloat16)]
            arrays += [np.array([0xFF, 1], np.uint8).view(ml_dtypes.float8_e4m3fn), np.array([0xFF, 1], np.uint8).view(ml_dtypes.float8_e5m2)]
        zeros = np.zeros(3, np.int8)
        for array in arrays:
            case = tscatter.testing.Case("ScatterNDUpdate-15", {"data": zeros, "indices": np.array([[0]]), "updates": zeros[:1]}, {})
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                actual = self.printed(case, array)["actual"]
            self.assertEqual((actual.dtype, actual.shape, actual.tobytes()), (array.dtype, array.shape, array.tobytes()), case.python(array))

    def test_results_that_are_printed_otherwise(self):
        zeros = np.zeros(2, np.float32)
        case = tscatter.testing.Case("ScatterNDUpdate-15", {"data": zeros, "indices": np.array([[0]]), "updates": zeros[:1]}, {})
        for actual in ([1, float("nan")], (np.float32(3), 0), 7, memoryview(b"ab")):
            self.printed(case, actual)
        for actual in (np.array([None]), np.ma.array([1.0, 2.0], mask=[True, False]), Elsewhere(), object()):
            text = case.python(actual)
            self.assertIn("\narguments = dict(data=data, indices=indices, updates=updates)  # of the function", text)
            self.assertIn(f"actual = None  # it has no text: {type(actual).__name__}\n", text)
            exec(text, {})

    def test_every_case_that_is_printed_fails(self):
        def spoils(data, indices, updates, **others):
            result = data.copy()
            flat = result.reshape(-1)
            flat[:1] = np.array(7).astype(data.dtype)
            flat[1:2] = np.array(np.nan).astype(data.dtype) if data.dtype.kind in "fcV" else flat[1:2]
            return result

        for dtype in ["float16", "float32", "complex64"] + ["bfloat16"] * (ml_dtypes is not None):
            for seed in range(2):
                with self.assertRaises(tscatter.NotLegal) as caught:
                    tscatter.testing.run_suite("ScatterNDUpdate-15", spoils, seed=seed, dtype=dtype, reduction="none", values="full")
                text = str(caught.exception)
                with self.assertRaises(tscatter.NotLegal, msg=text):
                    exec(text[text.index("import numpy") :], {})

    def test_a_result_that_verify_refuses_is_a_failure(self):
        kinds = {
            "array.a1": (lambda data: np.array([None]), lambda data: np.ma.array(data, mask=True) if data.size else np.array([None])),
            "array.a6": (lambda data: Elsewhere(),),
            "json": (lambda data: [[1], 2], lambda data: [object()]),
        }
        for label, functions in kinds.items():
            for function in functions:
                with self.assertRaises(tscatter.NotLegal) as caught:
                    tscatter.testing.run_suite("ScatterNDUpdate-15", lambda data, function=function, **others: function(data), count=3)
                self.assertRegex(str(caught.exception), rf"case that fails in the same way:\n\nUsageError: .*\[{label}.*\]\n\nimport numpy")
                self.assertIsInstance(caught.exception.__cause__, tscatter.UsageError)
        with self.assertRaises(ValueError):
            tscatter.testing.run_suite("ScatterNDUpdate-15", in_order, count=1, nan="some")

    def test_other_bits_are_options_of_verify(self):
        def with_positive_zeros(data, indices, updates, reduction):
            with np.errstate(invalid="ignore"):  # signalling NaN become quiet
                return in_order(data, indices, updates, reduction) + np.float32(0)

        options = {"count": 40, "dtype": "float32", "reduction": "none", "values": "full"}
        with self.assertRaises(tscatter.NotLegal):
            tscatter.testing.run_suite("ScatterNDUpdate-15", with_positive_zeros, **options)
        result = tscatter.testing.run_suite("ScatterNDUpdate-15", with_positive_zeros, zeros="any", nan_bits="any", **options)
        self.assertEqual((result.cases, result.classes["wrong"]), (40, 0))

    def test_policies_say_what_the_function_does(self):
        seen = []
        policies = {"form": "nd", "oob": "drop-window", "negative": "outside", "accumulate": "step", "self": "keep", "unique": False, "extremes": "ieee"}

        def generic(**case):
            seen.append(set(case))
            return tscatter.apply("generic.scatter", **case, **policies)

        options = {**policies, "reduction": "max", "dtype": "float32"}
        for judging in ({}, {"nan": "any"}):
            self.assertEqual(tscatter.testing.run_suite("generic.scatter", generic, count=5, **options, **judging).cases, 5)
        self.assertEqual(seen[-1], {"reduction", "data", "indices", "updates"})
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("generic.scatter", lambda data, **others: data.copy(), **options)
        text = str(caught.exception)
        with self.assertRaises(tscatter.NotLegal, msg=text):
            exec(text[text.index("import numpy") :], {})
        modulo = lambda **case: tscatter.apply("ScatterNDUpdate-15", **case, oob="modulo")
        tscatter.testing.run_suite("scatternd-update", modulo, count=20, oob="modulo")
        with self.assertRaises(tscatter.NotLegal):
            tscatter.testing.run_suite("ScatterNDUpdate-15", lambda **case: tscatter.apply("ScatterNDUpdate-15", **case), count=20, oob="modulo")

    def test_cases_of_the_indices_that_a_kernel_takes(self):
        seen = []

        def adds_rows(input, dim, index, source, alpha=1):
            seen.append((index.dtype, index.ndim, len(index) > 0 or input.shape[dim] == 0, bool((index >= 0).all())))
            return tscatter.torch.index_add(input, dim, index, source, alpha=alpha)

        result = tscatter.testing.run_suite("torch.index_add", adds_rows, count=60, plain=True, dtype=["float32", "int8"])
        self.assertEqual(result.cases, 60)
        self.assertEqual(set(seen), {(np.dtype(np.int64), 1, True, True)})
        tscatter.testing.run_suite("torch.index_add", adds_rows, count=20, index_dtype="any", plain=True)
        self.assertEqual({dtype for dtype, *_ in seen}, {np.dtype(np.int64), np.dtype(np.int32)})
        depths = set()
        tscatter.testing.run_suite(
            "ScatterNDUpdate-15",
            lambda indices, **case: depths.add(indices.shape[-1]) or tscatter.apply("ScatterNDUpdate-15", indices=indices, **case),
            count=30,
            dtype="float32",
            depth=2,
            index_dtype=["int32", "int64"],
        )
        self.assertEqual(depths, {2})
        with self.assertRaisesRegex(tscatter.Error, r"got torch\.index_add \[generate\.g7\]"):
            tscatter.testing.run_suite("torch.index_add", adds_rows, depth=1)

    def test_an_exception_is_a_failure(self):
        def raises(data, indices, updates, reduction):
            if len(updates) > 1:
                raise RuntimeError("not more than one")
            return in_order(data, indices, updates, reduction)

        with self.assertRaisesRegex(tscatter.NotLegal, "RuntimeError: not more than one"):
            tscatter.testing.run_suite("ScatterNDUpdate-15", raises, count=20, dtype="int32", reduction="sum")

    def failing(self, operation, function, **options):
        """What the printed lines of the smallest case make, and its text."""
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite(operation, function, **options)
        text, names = str(caught.exception), {}
        with self.assertRaises(tscatter.NotLegal, msg=text):
            exec(text[text.index("import numpy") :], names)
        return {name: value for name, value in names.items() if isinstance(value, np.ndarray)}, text

    def test_every_operation_of_pytorch_tensorflow_and_paddle(self):
        """Each is right by itself, and without its last change it is not; the smallest case has few elements."""
        broadcast = "paddle.put_along_axis"  # its values are read several times: its smallest case has more
        for name in (each for each in tscatter.operations() if each.startswith(("torch.", "tf.", "paddle.")) and each != broadcast and not _words.makes_data(each)):
            data = {"torch": "input", "tf": "tensor", "paddle": "x"}[name.partition(".")[0]]

            def is_right(name=name, data=data, **case):
                self.assertIn(data, case)
                return tscatter.apply(name, **case)

            def leaves_one_out(name=name, data=data, **case):
                result = tscatter.apply(name, **case)
                changed = np.flatnonzero(result != case[data])[-1:]
                result.reshape(-1)[changed] = case[data].reshape(-1)[changed]
                return result

            with self.subTest(name):
                self.assertEqual(tscatter.testing.run_suite(name, is_right, count=12, dtype=["float32", "int64"]).cases, 12)
                arrays, text = self.failing(name, leaves_one_out, count=30, seed=4, dtype="int32")
                self.assertLessEqual(max(array.size for array in arrays.values()), 4, text)
                self.assertLessEqual(arrays[data].ndim, 3, text)
                self.assertIn(f'tscatter.assert_legal(actual, "{name}", {data}={data}, ', text)

    def test_pytorch_s_own_words(self):
        seen = []

        def scatter_reduce(input, dim, index, src, reduce, include_self):
            seen.append((type(dim), reduce, type(include_self)))
            return tscatter.torch.scatter_reduce(input, dim, index, src, reduce, include_self=include_self)

        for word in ("reduce", "reduction"):
            tscatter.testing.run_suite("torch.scatter_reduce", scatter_reduce, count=5, dtype="float32", **{word: "amax"})
        self.assertEqual(set(seen), {(int, "amax", bool)})

    def test_the_items_of_an_index(self):
        kinds = set()

        def put(input, indices, values, accumulate=False):
            kinds.update(map(type, indices))
            result = input.copy()
            np.add.at(result, indices, values) if accumulate else result.__setitem__(indices, values)
            return result

        with np.errstate(all="ignore"):
            self.assertEqual(tscatter.testing.run_suite("torch.index_put", put, count=60, dtype="int32").cases, 60)
        self.assertLessEqual({np.ndarray, slice}, kinds)

        def add_without_duplicates(data, index, updates):
            result = data.copy()
            result[index] += updates
            return result

        arrays, text = self.failing("numpy.add.at", add_without_duplicates, count=60, dtype="int32", duplicates="heavy")
        self.assertEqual(arrays["data"].shape, (1,), text)
        self.assertRegex(text, r"index=\((index\d, )*index\d,\)")

    def test_attributes_are_made_simple(self):
        case = tscatter.testing.Case(
            "torch.slice_scatter",
            {"input": np.zeros((6, 9), np.float32), "src": np.ones((6, 3), np.float32)},
            {"dim": -1, "start": -7, "end": 8, "step": 2},
        )
        fails = lambda case: not np.array_equal(tscatter.apply(case.operation, **case.call()), case.tensors["input"])
        smallest = _shrink.shrink(case, fails, 20)
        self.assertEqual({name: array.shape for name, array in smallest.tensors.items()}, {"input": (1,), "src": (1,)})
        self.assertEqual(smallest.attributes, {}, smallest.python())

    def test_cases_can_be_skipped(self):
        def without_floats(data, indices, updates, reduction):
            if data.dtype.kind == "f":
                raise unittest.SkipTest("no floats")
            return in_order(data, indices, updates, reduction)

        options = {"count": 20, "dtype": ["float32", "int32"], "reduction": "sum"}
        result = tscatter.testing.run_suite("ScatterNDUpdate-15", without_floats, **options)
        self.assertEqual((result.cases, dict(result.skipped)), (10, {"no floats": 10}))

        def skips(**arguments):
            raise unittest.SkipTest("not today")

        with self.assertRaises(AssertionError) as caught:
            tscatter.testing.run_suite("ScatterUpdate-3", skips, count=3)
        message = "a suite must run at least one case, got 0 cases of ScatterUpdate-3, all right; 3 skipped (not today)"
        self.assertEqual(str(caught.exception), message)

    def test_an_exception_shrinks_to_the_same_one(self):
        def fails(input, dim, index, source, alpha):
            if input.ndim > 2:
                raise TypeError("rank 3 and more is not supported")
            return tscatter.torch.index_add(input, dim, index, source, alpha=alpha)

        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("torch.index_add", fails, count=50, dtype="float32")
        text = str(caught.exception)
        self.assertEqual(text.count("TypeError: rank 3 and more is not supported"), 2)
        self.assertNotIn("missing", text)
        names = {}
        exec(text[text.index("import numpy") :], names)
        self.assertEqual(names["arguments"]["input"].ndim, 3)


def adds(input, dim, index, src):
    """torch.scatter_add in place, in order."""
    for at in np.ndindex(index.shape):
        place = list(at)
        place[dim] = index[at]
        input[tuple(place)] += src[at]


class Narrowed(unittest.TestCase):
    def test_attributes_and_ranks(self):
        options = {"count": 30, "dtype": "float32", "ranks": [2, 3], "dim": 1, "include_self": False, "reduce": ["amax", "sum"]}
        cases = tscatter.testing.cases("torch.scatter_reduce", **options)
        self.assertEqual(len({case.name for case in cases}), 30)
        self.assertEqual({(case.dim, case.include_self) for case in cases}, {(1, False)})
        self.assertEqual({case.reduce for case in cases}, {"amax", "sum"})
        self.assertEqual({case.input.ndim for case in cases}, {2, 3})
        self.assertEqual({case.index.dtype for case in cases}, {np.dtype(np.int64)})
        self.assertFalse([case.name for case in cases if "axis" in case.name or "include_self" in case.name])
        again = tscatter.testing.cases("torch.scatter_reduce", **options)
        self.assertEqual([case.name for case in cases], [case.name for case in again])
        axes = {case.axis for case in tscatter.testing.cases("ScatterElementsUpdate-12", count=20, axis=-1)}
        self.assertEqual(axes, {-1})
        alphas = {case.alpha for case in tscatter.testing.cases("torch.index_add", count=20, dtype="float32", alpha=0.5)}
        self.assertEqual(alphas, {0.5})
        for name in ("torch.index_put", "torch.put"):
            self.assertEqual({case.accumulate for case in tscatter.testing.cases(name, count=10, accumulate=True)}, {True})
        with self.assertRaises(ValueError) as caught:
            tscatter.testing.cases("torch.scatter_add", count=1, dim=7)
        self.assertEqual(str(caught.exception), "no case of torch.scatter_add among 64 has dim=7")

    def test_what_a_function_receives(self):
        for case in tscatter.testing.cases("ScatterUpdate-3", count=12, seed=1):
            self.assertIs(type(case.axis), int)
        for case in tscatter.testing.cases("SliceScatter-15", count=12):
            self.assertTrue(all(type(each) is int for each in case.start + case.stop + case.step))
        self.assertEqual({type(case.index) for case in tscatter.testing.cases("torch.select_scatter", count=5)}, {int})
        for case in tscatter.testing.cases("torch.scatter_reduce", witness=True, dim=1, include_self=False):
            self.assertEqual((case.rule, case.dim, case.include_self), (None, 1, False))
        self.assertTrue(any(case.rule for case in tscatter.testing.cases("torch.scatter_reduce", witness=True, errors=True)))
        (case,) = tscatter.testing.cases("numpy.add.at", count=1, seed=3)
        self.assertIs(type(case.index), tuple)
        with self.assertRaises(AttributeError) as caught:
            case.indexes
        self.assertEqual(str(caught.exception), "a case of numpy.add.at has no indexes (nearest: index)")

    def test_what_is_refused(self):
        for options, message in (
            ({"dtype": []}, "dtype must name at least one, got []"),
            ({"reduce": ()}, "reduce must name at least one, got ()"),
            ({"include_self": "false"}, "include_self must be True or False, got 'false'"),
            ({"dim": "1"}, "dim must be an integer, got '1'"),
            ({"dim": True}, "dim must be an integer, got True"),
            ({"errors": "no"}, "errors must be True or False, got 'no'"),
            ({"witness": 1}, "witness must be True or False, got 1"),
            ({"nan": "foo"}, "nan must be one of text, propagate, ignore, any, got 'foo'"),
            ({"witness": True, "dtype": "int8"}, "dtype is for random cases: leave it out beside witness=True"),
            ({"large": True, "seed": 3}, "seed is for random cases: leave it out beside large=True"),
            ({"ranks": []}, "ranks must have one that is at most max_rank, got []"),
            ({"ranks": 3, "max_rank": 2}, "ranks must have one that is at most max_rank, got [3]"),
        ):
            with self.assertRaises((TypeError, ValueError)) as caught:
                tscatter.testing.cases("torch.scatter_reduce", **options)
            self.assertEqual(str(caught.exception), message)
        for options, message in (
            ({"seconds": 0}, "seconds must be a number above 0, got 0"),
            ({"seconds": float("nan")}, "seconds must be a number above 0, got nan"),
            ({"shrink": "no"}, "shrink must be True or False, got 'no'"),
        ):
            with self.assertRaises((TypeError, ValueError)) as caught:
                tscatter.testing.run_suite("torch.scatter_add", adds, **options)
            self.assertEqual(str(caught.exception), message)
        self.assertEqual({case.include_self for case in tscatter.testing.cases("torch.scatter_reduce", count=20, include_self=None)}, {True, False})

    def test_what_check_refuses(self):
        (case,) = tscatter.testing.cases("torch.scatter_add", count=1)
        with self.assertRaises(tscatter.KeywordError):
            case.check(case.input, zero="any")
        case.reset()
        with self.assertRaises(ValueError) as caught:
            case.check()
        self.assertEqual(str(caught.exception), "check() without a result needs an array that the case has handed out")
        broken = tscatter.testing.cases("ScatterUpdate-3", count=1, errors=True)[-1]
        with self.assertRaisesRegex(ValueError, r"^a case that breaks a rule has no legal result: use case\.run\(function\), got scatter_update_3: "):
            broken.check(broken.data)

    def test_broken_cases_are_handed_out_as_they_are(self):
        for name in ("ScatterUpdate-3", "ScatterElementsUpdate-3", "ScatterElementsUpdate-12", "SliceScatter-15"):
            result = tscatter.testing.run_suite(name, lambda name=name, **case: tscatter.apply(name, **case), count=16, errors=True)
            self.assertEqual(result.refused, result.cases - 16)
            self.assertGreater(result.refused, 11)

        def none_of_text(array):
            if array.dtype.kind not in "biufcV":
                raise TypeError("no such array")
            return array

        skipped = set()
        for case in tscatter.testing.cases("torch.index_add", count=40, dtype="float32", arrays=none_of_text, errors=True):
            try:
                case.run(lambda **given: tscatter.apply("torch.index_add", **given))
            except unittest.SkipTest as error:
                skipped.add(str(error))
        self.assertEqual(skipped, {"the library has no such array: TypeError: no such array"})

    def test_the_arrays_of_a_case(self):
        (case,) = tscatter.testing.cases("torch.scatter_add", count=1, seed=6, dtype="int32")
        self.assertIs(case.input, case.input)
        before = case.input.copy()
        adds(**case.arguments)
        self.assertFalse(np.array_equal(case.input, before))
        self.assertTrue(case.check()["legal"])
        self.assertTrue(np.array_equal(case.input, before))
        case.input[...] = 77
        self.assertTrue(np.array_equal(case.arguments["input"], before))  # a call begins with new arrays
        with self.assertRaises(tscatter.NotLegal) as caught:
            case.check()
        self.assertIn("the function returned nothing: input was judged as it left it\nnot legal", str(caught.exception))
        self.assertIs(caught.exception.case, case)
        self.assertTrue(case.run(adds)["legal"])
        with self.assertRaises(tscatter.NotLegal) as caught:
            case.run(lambda input, **others: input)
        self.assertIn("the smallest case that fails in the same way:", str(caught.exception))

    def test_the_words_of_pytest(self):
        names = [case.__name__ for case in tscatter.testing.cases("torch.scatter_reduce", count=300, dtype="float16", reduce="amax", include_self=True)]
        self.assertEqual(len(set(names)), 300)
        self.assertEqual(names[6], "f16-amax-heavy-rounding-rank2-axis1-longer-axis-00006")

    def test_broken_cases(self):
        checked = lambda **case: tscatter.apply("ScatterUpdate-3", **case)
        result = tscatter.testing.run_suite("ScatterUpdate-3", checked, count=20, errors=True)
        self.assertEqual((result.cases, result.refused), (40, 20))
        unchecked = lambda **case: tscatter.apply("ScatterUpdate-3", oob="drop-window", **case)
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("ScatterUpdate-3", unchecked, count=20, errors=True)
        self.assertRegex(str(caught.exception), r"^error-c4-[a-z-]+-\d+: ComputedThough: the function must refuse what breaks "
                                                r"scatter_update_3: indices.* \[scatter_update_3\.c4\], got a result\n\nimport numpy")

    def test_the_other_sets(self):
        result = tscatter.testing.run_suite("ScatterNDUpdate-15", lambda **case: tscatter.apply("ScatterNDUpdate-15", **case), witness=True)
        self.assertGreater(result.cases, 5)
        for case in tscatter.testing.cases("onnx.ScatterElements-18", large=True)[:1]:
            self.assertGreater(case.data.size, 2**31)
            case.data[0, 0] += 1
            self.assertEqual(case.data[0, 0], case.tensors["data"][0, 0] + 1)

    def test_updates_that_a_bound_hides(self):
        def any_order(input, dim, index, src):
            order = np.random.default_rng(3).permutation(index.shape[dim])
            adds(input, dim, np.take(index, order, dim), np.take(src, order, dim))

        with np.errstate(all="ignore"):
            options = {"count": 40, "dtype": "float16", "duplicates": "heavy", "values": "rounding", "max_elements": 500, "accumulate": "step"}
            result = tscatter.testing.run_suite("torch.scatter_add", any_order, **options)
        self.assertGreater(result.hidden_updates, 0)
        self.assertIn(f"; in {result.hidden_updates} elements the bound exceeds an update", str(result))
        self.assertGreater(result.largest_share, 0)

    def test_the_end_of_the_time(self):
        slow = lambda **case: time.sleep(0.2) or adds(**case)
        result = tscatter.testing.run_suite("torch.scatter_add", slow, count=50, dtype="int32", max_elements=64, seconds=0.1)
        self.assertEqual((result.cases, result.stopped), (1, "stopped after 0.1 s, with 49 of 50 cases left"))

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "torch is not installed")
    def test_tensors_of_pytorch(self):
        import torch

        dtypes = ["float32", "int64", *(["bfloat16"] if ml_dtypes else [])]
        seen = set()

        def scatter(input, dim, index, src):
            seen.add(input.dtype)
            return torch.scatter(input, dim, index, src) if input.ndim and index.numel() else input

        options = {"count": 30, "dtype": dtypes, "reduce": "none", "arrays": "torch", "duplicates": "none"}
        result = tscatter.testing.run_suite("torch.scatter", lambda **case: scatter(**case) if "src" in case else torch.scatter(**case), **options)
        self.assertEqual(result.cases, 30)
        self.assertLessEqual(seen, {torch.float32, torch.int64, torch.bfloat16})
        self.assertGreater(len(seen), 1)


def is_stuck(input, dim, index, src):
    """Forgets the seventh update."""
    result = input.copy()
    for number, at in enumerate(np.ndindex(index.shape)):
        place = list(at)
        place[dim] = index[at]
        result[tuple(place)] += 0 if number == 6 else src[at]
    return result


class Reports(unittest.TestCase):
    """What a failure says."""

    options = {"count": 60, "seed": 3, "dtype": ["float32", "int64"], "max_elements": 300}

    def caught(self, function, **options):
        with np.errstate(all="ignore"), self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("torch.scatter_add", function, **{**self.options, **options})
        return caught.exception

    def test_the_reason_comes_first_and_stays(self):
        error = self.caught(is_stuck)
        lines = str(error).splitlines()
        self.assertRegex(lines[0], r"^[\w-]+-\d{5}: not legal: \d+ of \d+ elements (is|are) wrong, worst at ")
        self.assertRegex(lines[1], r"^why: without index\[[0-9, ]*\]$")
        self.assertEqual(lines[2:5], ["", "the smallest case that fails in the same way:", ""])
        self.assertRegex(lines[6], r"^why: without index\[[0-9, ]*\]$")
        names = {}
        with self.assertRaises(tscatter.NotLegal):
            exec(str(error)[str(error).index("import numpy") :], names)
        self.assertLessEqual(names["src"].size, 8)
        self.assertEqual(len(set(names["src"].ravel().tolist()) - {0}), names["src"].size, names["src"])
        self.assertEqual(error.result.cases, len(error.result.failures) + error.result.cases - 1)

    def test_values_tell_the_updates_apart(self):
        def forgets(input, dim, index, src):
            result = input.copy()
            for at in np.ndindex(index.shape):
                place = list(at)
                place[dim] = index[at]
                result[tuple(place)] = input[tuple(place)] + src[at]
            return result

        text = str(self.caught(forgets, duplicates="heavy"))
        names = {}
        with self.assertRaises(tscatter.NotLegal):
            exec(text[text.index("import numpy") :], names)
        self.assertEqual(sorted(names["src"].tolist()), [1, 2], text)
        self.assertNotEqual(names["input"].tolist(), [0], text)

    def test_all_failures(self):
        def fails_twice(input, dim, index, src):
            if input.dtype == np.float32:
                raise RuntimeError("no floats")
            return is_stuck(input, dim, index, src)

        error = self.caught(fails_twice, failures="all")
        first, second, *_ = str(error).split("\n")
        self.assertRegex(first, r"^60 cases of torch\.scatter_add, \d+ not right; elements: ")
        self.assertEqual(error.result.cases, 60)
        self.assertEqual(len(re.findall(r"(?m)^[\w-]+-\d{5} and \d+ other cases?: RuntimeError: no floats$", str(error))), 1)
        self.assertGreaterEqual(str(error).count("the smallest case that fails in the same way:"), 2)
        with self.assertRaisesRegex(ValueError, "failures must be first or all, got 'some'"):
            tscatter.testing.run_suite("torch.scatter_add", adds, failures="some")

    def test_without_shrinking(self):
        error = self.caught(is_stuck, shrink=False)
        self.assertNotIn("the smallest case", str(error))
        case = error.case
        self.assertIn(f"{case.name}: not legal", str(error))

    def test_a_case_that_is_too_long_to_print(self):
        for dtype in ("float32", *(["bfloat16"] if ml_dtypes else [])):
            text = str(self.caught(lambda input, **others: input, shrink=False, dtype=dtype, ranks=2, values="exact", max_elements=2000))
            code = text[text.index("import numpy") :]
            self.assertLess(len(code), 1000)
            path = pathlib.Path(re.search(r"np\.load\('(.*\.npz)'\)", code)[1])
            self.addCleanup(path.unlink)
            names = {}
            with self.assertRaises(tscatter.NotLegal):
                exec(code, names)
            self.assertEqual(names["input"].dtype.name, dtype)


def plug_in():
    """The words that load the plug-in: none where it is installed, since pytest finds it there."""
    try:
        importlib.metadata.distribution("tscatter")
    except importlib.metadata.PackageNotFoundError:
        return ["-p", "tscatter.pytest_plugin"]
    return []


@unittest.skipIf(pytest is None, "pytest is not installed")
class PlugIn(unittest.TestCase):
    def run_pytest(self, folder, *words):
        command = [sys.executable, "-m", "pytest", *plug_in(), *(() if "cacheprovider" in words else ("-p", "no:cacheprovider")), "-v", *words, folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder)
        return done.returncode, done.stdout.decode()

    def test_items(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = pathlib.Path(folder) / "cases.jsonl"
            job = '"op": "ScatterNDUpdate-3", "data": [1, 2], "indices": [[1]], "updates": [5]'
            cases.write_text(
                f'{{"name": "good", {job}, "expected": [1, 5]}}\n'
                f'{{"name": "bad", {job}, "expected": [1, 6]}}\n'
                f'{{"name": "known", {job}, "expected": [1, 6], "xfail": "a known one"}}\n'
                f'{{"name": "left-out", {job}, "expected": [1, 6], "skip": "not today"}}\n'
            )
            code, text = self.run_pytest(folder, "--tscatter")
            self.assertEqual(code, 1)
            for words in ("cases.jsonl::good PASSED", "cases.jsonl::bad FAILED", "cases.jsonl::known XFAIL"):
                self.assertIn(words, text)
            self.assertIn("cases.jsonl::left-out SKIPPED", text)
            self.assertIn("bad: values differ: 1 of 2 elements", text)
            self.assertIn("[batch.b7]", text)
            self.assertEqual(self.run_pytest(folder, "--tscatter", "-k", "good")[0], 0)
            self.assertIn("no tests ran", self.run_pytest(folder)[1])

    def test_why(self):
        with tempfile.TemporaryDirectory() as folder:
            job = '"op": "ScatterNDUpdate-15", "data": [0, 0], "indices": [[1], [1]], "updates": [5, 2], "reduction": "sum"'
            (pathlib.Path(folder) / "cases.jsonl").write_text(f'{{"name": "lost", {job}, "actual": [0, 2]}}\n')
            text = self.run_pytest(folder, "--tscatter")[1]
            self.assertRegex(text, r"lost: not legal: 1 of 2 elements is wrong.*\nwhy: without indices\[0\], or as with the reduction none")

    def test_cases_as_items(self):
        lines = """
            import pytest, tscatter, tscatter.testing
            cases = tscatter.testing.cases("torch.scatter_add", count=12, seed=1, dtype=["float32", "int64"], max_elements=100)

            @pytest.mark.parametrize("case", cases)
            def test_right(case):
                case.input[...] = tscatter.torch.scatter_add(**case.arguments)
                case.check(None)

            @pytest.mark.parametrize("case", cases)
            def test_wrong(case):
                before = case.input
                before[...] = 0  # the next test has its own
                case.check(before)

            @pytest.mark.parametrize("case", cases)
            def test_again(case):
                case.check(tscatter.torch.scatter_add(**case.arguments))

            def test_skips():
                def kernel(input, **others):
                    if input.dtype.kind == "f":
                        pytest.skip("no floats")
                    return tscatter.torch.scatter_add(input, **others)

                result = tscatter.testing.run_suite("torch.scatter_add", kernel, count=12, dtype=["float32", "int64"])
                assert dict(result.skipped) == {"no floats": 6}, result
        """
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_kernel.py").write_text(textwrap.dedent(lines))
            code, text = self.run_pytest(folder)
            self.assertRegex(text, r"test_right\[f32-unique-reversed-rounding-rank3-axis0-negative-axis-of-data-shape-00000\] PASSED")
            self.assertRegex(text, r"\d+ failed, \d+ passed")
            self.assertEqual(re.findall(r"(test_right|test_again|test_skips)\S* FAILED", text), [])
            self.assertGreater(len(re.findall(r"test_wrong\S* FAILED", text)), 6)
            self.assertNotIn("tscatter/_cases.py", text)
            self.assertIn("case.check(before)", text)
            self.assertIn("E       why: ", text)
            code, text = self.run_pytest(folder, "-k", "i64 and test_right")
            self.assertIn("6 passed, 31 deselected", text)
            words = ["-p", "cacheprovider", "-k", "test_wrong"]
            first = re.search(r"(\d+) failed", self.run_pytest(folder, *words)[1])[1]
            again = self.run_pytest(folder, "--lf", *words)[1]
            self.assertIn(f"{first} failed", again)
            self.assertNotIn(" passed", again)
            if importlib.util.find_spec("xdist"):
                self.assertIn("12 passed", self.run_pytest(folder, "-n", "2", "-k", "test_right")[1])

    def test_a_file_without_cases(self):
        for content in ("", "# none\n"):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "cases.jsonl").write_text(content)
                code, text = self.run_pytest(folder, "--tscatter")
                self.assertEqual(code, 2, text)
                self.assertRegex(text, r"_ ERROR collecting cases\.jsonl _+\n.*cases\.jsonl: .* \[[a-z]+\.[a-z0-9]+\]\n=+ ")
                self.assertNotIn("Traceback", text)
                self.assertNotIn(".py:", text)


if __name__ == "__main__":
    unittest.main()
