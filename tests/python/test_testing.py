"""run_suite() and the pytest plug-in."""

import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import tscatter
import tscatter.testing
from tscatter import _shrink

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


class Suites(unittest.TestCase):
    def test_an_unknown_keyword(self):
        for value in (None, False, True, 3):
            with self.assertRaisesRegex(TypeError, r"run_suite\(\) has no option 'shrink'"):
                tscatter.testing.run_suite("ScatterNDUpdate-15", in_order, count=1, shrink=value)

    def test_a_right_function(self):
        for reduction in ("none", "sum"):
            counts = tscatter.testing.run_suite(
                "ScatterNDUpdate-15", in_order, count=40, dtype=["float32", "int32"], reduction=reduction, max_elements=256
            )
            self.assertEqual(counts, {"cases": 40, "skipped": 0})

    def test_a_function_that_forgets_to_return(self):
        with self.assertRaisesRegex(tscatter.NotLegal, "the function must return an array, got NoneType\n\nimport numpy"):
            tscatter.testing.run_suite("ScatterNDUpdate-15", lambda **case: None, count=3)

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
            self.assertEqual([names[name].shape for name in ("data", "indices", "updates")], [(1,), (1,), (1,)], text)

    def test_axes_of_one_size_are_cut_together(self):
        case = tscatter.testing.Case(
            "onnx.ScatterElements-18",
            {"data": np.zeros((3,) * 6, np.float32), "indices": np.zeros((3,) * 6, np.int64), "updates": np.ones((3,) * 6, np.float32)},
            {"axis": 2, "reduction": "none"},
        )
        fails = lambda case: not np.array_equal(tscatter.apply(case.operation, **case.arguments()), case.tensors["data"])
        smallest = _shrink.shrink(case, fails)
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
            self.assertIn(f"# actual has no text: {type(actual).__name__}\n", text)
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
                self.assertRegex(str(caught.exception), rf"case that still does:\n\nUsageError: .*\[{label}.*\]\n\nimport numpy")
                self.assertIsInstance(caught.exception.__cause__, tscatter.UsageError)
        with self.assertRaises(tscatter.UsageError):
            tscatter.testing.run_suite("ScatterNDUpdate-15", in_order, count=1, nan="some")

    def test_other_bits_are_options_of_verify(self):
        def with_positive_zeros(data, indices, updates, reduction):
            with np.errstate(invalid="ignore"):  # signalling NaN become quiet
                return in_order(data, indices, updates, reduction) + np.float32(0)

        options = {"count": 40, "dtype": "float32", "reduction": "none", "values": "full"}
        with self.assertRaises(tscatter.NotLegal):
            tscatter.testing.run_suite("ScatterNDUpdate-15", with_positive_zeros, **options)
        counts = tscatter.testing.run_suite("ScatterNDUpdate-15", with_positive_zeros, zeros="any", nan_bits="any", **options)
        self.assertEqual(counts, {"cases": 40, "skipped": 0})

    def test_policies_are_given_to_all(self):
        seen = []

        def generic(data, indices, updates, **policies):
            seen.append(policies)
            return tscatter.apply("generic.scatter", data=data, indices=indices, updates=updates, **policies)

        policies = {"form": "nd", "oob": "drop-window", "negative": "outside", "accumulate": "step", "self": "keep", "unique": False}
        for extremes in ({"nan": "ieee"}, {"extremes": "ieee", "nan": "any"}):
            options = {**policies, **extremes, "reduction": "max", "dtype": "float32"}
            counts = tscatter.testing.run_suite("generic.scatter", generic, count=5, **options)
            self.assertEqual(counts, {"cases": 5, "skipped": 0})
            self.assertEqual(seen[-1], {**policies, "extremes": "ieee", "reduction": "max"})
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.testing.run_suite("generic.scatter", lambda data, **others: data.copy(), **options)
        text = str(caught.exception)
        with self.assertRaises(tscatter.NotLegal, msg=text):
            exec(text[text.index("import numpy") :], {})
        del seen[:]
        tscatter.testing.run_suite("scatternd-update", lambda **case: seen.append(case) or tscatter.apply("ScatterNDUpdate-15", **case), count=4, oob="modulo")
        self.assertEqual({case["oob"] for case in seen}, {"modulo"})

    def test_cases_of_the_indices_that_a_kernel_takes(self):
        seen = []

        def adds_rows(input, dim, index, source, alpha=1):
            seen.append((index.dtype, index.ndim, len(index) > 0 or input.shape[dim] == 0, bool((index >= 0).all())))
            return tscatter.torch.index_add(input, dim, index, source, alpha=alpha)

        counts = tscatter.testing.run_suite("torch.index_add", adds_rows, count=60, plain=True, index_dtype="int64", dtype=["float32", "int8"])
        self.assertEqual(counts, {"cases": 60, "skipped": 0})
        self.assertEqual(set(seen), {(np.dtype(np.int64), 1, True, True)})
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

    def test_every_operation_of_pytorch(self):
        """Each is right by itself, and without its last change it is not; the smallest case has one element."""
        for name in (each for each in tscatter.operations() if each.startswith("torch.")):

            def is_right(name=name, **case):
                self.assertIn("input", case)
                return tscatter.apply(name, **case)

            def leaves_one_out(name=name, **case):
                result = tscatter.apply(name, **case)
                changed = np.flatnonzero(result != case["input"])[-1:]
                result.reshape(-1)[changed] = case["input"].reshape(-1)[changed]
                return result

            with self.subTest(name):
                counts = tscatter.testing.run_suite(name, is_right, count=30, dtype=["float32", "int64"])
                self.assertEqual(counts, {"cases": 30, "skipped": 0})
                arrays, text = self.failing(name, leaves_one_out, count=60, seed=4, dtype="int32")
                self.assertEqual({array.size for array in arrays.values()}, {1}, text)
                self.assertLessEqual(arrays["input"].ndim, 2, text)
                self.assertIn(f'tscatter.assert_legal(actual, "{name}", input=input, ', text)

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
            counts = tscatter.testing.run_suite("torch.index_put", put, count=60, dtype="int32")
        self.assertEqual(counts, {"cases": 60, "skipped": 0})
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
        fails = lambda case: not np.array_equal(tscatter.apply(case.operation, **case.arguments()), case.tensors["input"])
        smallest = _shrink.shrink(case, fails)
        self.assertEqual({name: array.shape for name, array in smallest.tensors.items()}, {"input": (1,), "src": (1,)})
        self.assertEqual(smallest.attributes, {}, smallest.python())

    def test_cases_can_be_skipped(self):
        def skips(**arguments):
            raise unittest.SkipTest

        self.assertEqual(tscatter.testing.run_suite("ScatterUpdate-3", skips, count=3), {"cases": 3, "skipped": 3})


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
        command = [sys.executable, "-m", "pytest", *plug_in(), "-p", "no:cacheprovider", "-v", *words, folder]
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
