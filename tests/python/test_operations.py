"""Every operation by its function, over arrays, against the goldens of the operations' texts and of generated cases."""

import collections
import enum
import functools
import importlib.util
import inspect
import json
import os
import pathlib
import re
import tempfile
import unittest

import numpy as np

import tscatter

SOURCE = pathlib.Path(__file__).parents[2]
WINDOWS = ("update_window_dims", "inserted_window_dims", "input_batching_dims", "operand_batching_dims", "scatter_indices_batching_dims", "scatter_dims_to_operand_dims")
LISTS = ("shape", "start", "stop", "step", "axes", *WINDOWS)
ASIDE = {"name", "op", "expected", "expected_error", "comment", "tags", "output", "write_indices"}


def tensor(folder, value):
    """A tensor of a job, in memory where it is a .npy."""
    if isinstance(value, str) and value.endswith(".npy"):
        return np.load(folder / value)
    return folder / value if isinstance(value, str) else value


def item_of(folder, value):
    """An item of a job's index."""
    return tensor(folder, value) if str(value).endswith(".npy") else value


def cases_of(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            case = json.loads(line)
            if "op" in case:
                yield case


class Operations(unittest.TestCase):
    def check(self, folder, case):
        function = tscatter.operations()[case["op"]]
        keywords = {name: value for name, value in case.items() if name not in ASIDE}
        roles = {name: each["role"] for each in function.row["operands"] for name in (each["name"], *each["aliases"])}
        for name in keywords:
            if roles.get(name) == "index":
                keywords[name] = tuple(item_of(folder, each) for each in keywords[name])
            elif name in roles:
                keywords[name] = tensor(folder, keywords[name])
        if "expected_error" in case:
            # To Python a number and an array of rank 0 are a list of one for these.
            if any(np.ndim(keywords.get(name, [])) == 0 for name in LISTS if name in roles):
                return
            with self.assertRaises(tscatter.Error) as caught:
                function(**keywords)
            self.assertEqual(caught.exception.label, case["expected_error"])
            return
        result = function(**keywords)
        expected = tensor(folder, case["expected"])
        self.assertTrue(tscatter.compare(result, expected)["match"])

    def check_all(self, path):
        number = 0
        for case in cases_of(path):
            if "expected" in case or "expected_error" in case:
                with self.subTest(case["name"]):
                    self.check(path.parent, case)
                    number += 1
        return number

    def test_the_goldens_of_the_texts(self):
        self.assertGreater(self.check_all(SOURCE / "testdata/spec/cases.jsonl"), 20)

    def test_every_operation_on_generated_cases(self):
        for name in tscatter.operations():
            if not name.startswith("generic."):  # of which each call must say the policies
                dtypes = ["int64", "uint8", "bool"] if "bitwise" in name else ["float32", "float64" if name.endswith(("unsorted_segment_mean", "unsorted_segment_sqrt_n")) else "int64", "float16"]
                with tempfile.TemporaryDirectory() as folder:
                    cases = tscatter.generate(name, folder, count=12, seed=5, errors=True, dtype=dtypes)
                    self.assertEqual(self.check_all(cases), 24)

    def test_against_numpy(self):
        random = np.random.default_rng(7)
        data = random.integers(-99, 99, (50, 3)).astype(np.int32)
        rows = random.integers(0, 50, 400)
        updates = random.integers(-99, 99, (400, 3)).astype(np.int32)
        expected = data.copy()
        np.add.at(expected, rows, updates)
        result = tscatter.scatter_nd_update(data, rows.reshape(-1, 1), updates, reduction="sum")
        np.testing.assert_array_equal(result, expected)

    def test_names(self):
        self.assertIs(tscatter.scatter_nd_update, tscatter.scatter_nd_update_15)
        self.assertEqual(tscatter.onnx.scatter_elements.operation, "onnx.ScatterElements-18")
        for function in (tscatter.slice_scatter, tscatter.onnx.tensor_scatter, tscatter.tosa.scatter, tscatter.torch.slice_scatter):
            parameters = inspect.signature(function).parameters
            self.assertEqual(next(iter(parameters)), "input" if function is tscatter.torch.slice_scatter else "data")
            for name in parameters:
                self.assertIn(f"\n{name}: ", function.__doc__)
        result = tscatter.apply("scatternd-update", data=[1, 2], indices=[[0]], updates=[5])
        self.assertEqual(result.tolist(), [5, 2])

    def test_options_of_numpy(self):
        for dtype in (np.float16, np.dtype("float16"), np.dtype(">f2")):
            self.assertEqual(tscatter.scatter_nd_update([1, 2], [[0]], [5], dtype=dtype).dtype, np.float16)
        result = tscatter.onnx.scatter_elements([[1, 2]], [[1]], [[7]], axis=np.int64(1), threads=np.int32(1))
        self.assertEqual(result.tolist(), [[1, 7]])
        result = tscatter.scatter_elements_update([1.0], [0], [3.0], axis=0, reduction="mean", use_init_val=np.bool_(False))
        self.assertEqual(result.tolist(), [3])
        for rtol in (np.float64(1e-2), np.float32(0.5), np.finfo(np.float32).eps, np.longdouble(0.25)):
            self.assertEqual(tscatter.compare([1.0], [1.0], rtol=rtol)["tolerance"]["rtol"], float(rtol))
        call = {"data": [0, 0], "indices": [[1], [1]], "updates": [5, 6]}
        told = [tscatter.explain("ScatterNDUpdate-15", at=at, **call) for at in ([1], np.array([1]), (np.int64(1),))]
        self.assertEqual(told, told[:1] * 3)

    def test_array_a7_dimension_numbers_are_arrays(self):
        call = {"data": np.zeros(5, np.float32), "indices": np.array([[1]]), "updates": np.ones((1, 2), np.float32), "reduction": "none"}
        call.update(form="window", oob="error", negative="outside", extremes="ieee", accumulate="step", self="keep", unique=False)
        lists = {"update_window_dims": [1], "inserted_window_dims": [], "input_batching_dims": [], "scatter_indices_batching_dims": []}
        lists.update({"scatter_dims_to_operand_dims": [0], "index_vector_dim": 1})
        result = tscatter.generic.scatter(**call, **lists)
        self.assertEqual(result.tolist(), [0, 1, 1, 0, 0])
        arrays = {name: np.array(value, np.int64) for name, value in lists.items()}
        self.assertEqual(tscatter.generic.scatter(**call, **arrays).tolist(), result.tolist())
        arrays["inserted_window_dims"] = np.array([0])
        with self.assertRaises(tscatter.RuleError):
            tscatter.generic.scatter(**call, **arrays)

    def test_a_dry_run_writes_nothing(self):
        data = np.zeros(3)
        for out in (None, data, np.zeros(3), "nowhere.npy"):
            report = tscatter.scatter_nd_update(data, [[1]], [9.0], out=out, dry_run=True, memory="1G")
            self.assertEqual((report["op"], data.tolist()), ("ScatterNDUpdate-15", [0, 0, 0]))
        with self.assertRaises(tscatter.RuleError):
            tscatter.scatter_nd_update(data, [[9]], [9.0], dry_run=True)

    def test_the_help_is_of_python(self):
        for name, function in tscatter.operations().items():
            self.assertRegex(function.__doc__, rf"    {re.escape(function.__module__)}.{function.__name__}\({function.row['positional'][0]}[,)]")
            self.assertNotRegex(function.__doc__, "-d |--[a-z]", name)

    def test_policies(self):
        data = np.zeros(3, np.float32)
        result = tscatter.scatter_nd_update(data, [[9], [1]], [1.0, 2.0], oob="drop-window")
        self.assertEqual(result.tolist(), [0, 2, 0])

    def test_the_policy_self(self):
        data = np.float32([5, 5])
        call = {"data": data, "indices": [[0], [0]], "updates": np.float32([1, 2]), "reduction": "sum"}
        result = tscatter.scatter_nd_update(**call, self="identity")
        self.assertEqual(result.tolist(), [3, 5])
        self.assertTrue(tscatter.verify(result, "ScatterNDUpdate-15", **call, self="identity")["legal"])
        policies = {"form": "nd", "oob": "error", "negative": "outside", "extremes": "ieee", "accumulate": "step", "unique": False}
        self.assertEqual(tscatter.generic.scatter(**call, **policies, self="identity").tolist(), [3, 5])

    def test_bits(self):
        policies = {"form": "nd", "oob": "error", "negative": "outside", "extremes": "data", "accumulate": "step", "unique": False}
        for dtype in (np.bool_, np.int8, np.uint64, ">i4"):
            call = {"data": np.ones(2, dtype), "indices": [[0], [0]], "updates": np.array([1, 0], dtype)}
            for reduction, ufunc in (("and", np.bitwise_and), ("or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor)):
                expected = call["data"].copy()
                ufunc.at(expected, [0, 0], call["updates"])
                result = tscatter.generic.scatter(**call, **policies, reduction=reduction, self="keep")
                self.assertEqual(result.tolist(), expected.tolist())

    def test_the_policy_unique(self):
        call = {"data": np.zeros(2), "indices": [[0], [0]], "updates": [1.0, 2.0]}
        self.assertEqual(tscatter.scatter_nd_update(**call, unique=False).tolist(), [2, 0])
        with self.assertRaises(tscatter.RuleError):
            tscatter.scatter_nd_update(**call, unique=True)
        report = tscatter.verify(np.array([2.0, 0.0]), "ScatterNDUpdate-15", **call, unique=False)
        self.assertEqual(report["overridden"], {"unique": "false"})
        report = tscatter.explain("scatternd-update", **call, unique=False)  # not the name in the table
        self.assertEqual(report["overridden"], {"unique": "false"})

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.npy")
            out = pathlib.Path(folder) / "out.npy"
            np.save(path, np.arange(4.0))
            report = tscatter.scatter_nd_update(path, [[1]], [9], out=out)
            self.assertEqual((report["op"], report["dtype"]), ("ScatterNDUpdate-15", "float64"))
            self.assertEqual(np.load(out).tolist(), [0, 9, 2, 3])
            self.assertEqual(tscatter.scatter_nd_update(path, [[1]], [9]).tolist(), [0, 9, 2, 3])
            tscatter.scatter_nd_update(path, [[2]], [7], in_place=True)
            self.assertEqual(np.load(path).tolist(), [0, 1, 7, 3])

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a b.npy", "k=1.npy", "-", "4xf32=@x", "\udcff.npy"):  # the last: a byte that is not UTF-8
                path = pathlib.Path(folder) / name
                tscatter.scatter_nd_update([1.0, 2.0], [[1]], [9], out=path)
                self.assertEqual(tscatter.scatter_nd_update(path, [[0]], [5]).tolist(), [5, 9])
            for name in ("/no_file", "/no=1/x.npy"):
                with self.assertRaises(tscatter.FileError) as caught:
                    tscatter.scatter_nd_update(name, [[0]], [5])
                self.assertEqual(caught.exception.place, name)
            with self.assertRaisesRegex(ValueError, "null byte"):
                tscatter.scatter_nd_update([1], [[0]], [5], out=os.path.join(folder, "x\0y.npy"))
            self.assertNotIn("x", os.listdir(folder))

    def test_raw_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.bin")
            np.arange(4, dtype=np.float32).tofile(path)
            self.assertEqual(tscatter.scatter_nd_update(f"3xf32=@{path}+4", [[0]], [9]).tolist(), [9, 2, 3])
            tscatter.scatter_nd_update(f"4xf32=@{path}", [[0]], [7], in_place=True)
            self.assertTrue(tscatter.compare(f"2x2xf32=@{path}", np.float32([[7, 1], [2, 3]]))["match"])

    def test_raw_bytes_in_a_dict(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.bin"
            np.arange(6, dtype=">i2").tofile(path)
            data = {"raw": path, "dtype": np.int16, "shape": np.array([2, 2]), "offset": 4, "byte_order": "big", "order": "fortran"}
            updates = {"raw": str(path), "dtype": "i16", "shape": (1, 2), "offset": 8, "byte_order": "big"}
            expected = [[2, 4], [4, 5]]
            # A dtype with a byte order of its own.
            swapped = {**data, "dtype": np.dtype(">i2")}
            self.assertEqual(tscatter.scatter_nd_update_15(swapped, [[1]], updates).tolist(), expected)
            del swapped["byte_order"]
            self.assertEqual(tscatter.scatter_nd_update_15(swapped, [[1]], updates).tolist(), expected)
            with self.assertRaises(tscatter.UsageError):
                tscatter.scatter_nd_update_15({**swapped, "byte_order": "little"}, [[1]], updates)
            self.assertEqual(tscatter.scatter_nd_update_15(data, [[1]], updates).tolist(), expected)
            self.assertTrue(tscatter.verify(np.array(expected, np.int16), "ScatterNDUpdate-15", data=data, indices=[[1]], updates=updates)["legal"])
            self.assertTrue(tscatter.compare(data, np.int16([[2, 4], [3, 5]]))["match"])
            report = tscatter.scatter_nd_update_15(data, [[1]], [[7, 8]], in_place=True)
            self.assertEqual(report["shape"], [2, 2])
            self.assertEqual(np.fromfile(path, ">i2").tolist(), [0, 1, 2, 7, 4, 8])
            for wrong in ({"raw": path}, {**data, "data": [1]}, {**data, "shape": [-1]}):
                with self.assertRaises(tscatter.UsageError) as caught:
                    tscatter.scatter_nd_update_15(wrong, [[1]], updates)
                self.assertEqual((caught.exception.label, caught.exception.place), ("cli.c104", "data"))


class NumPy(unittest.TestCase):
    """NumPy's own calls, in its order of arguments."""

    def test_as_numpy(self):
        ids, mask = np.array([[7], [-9]]), np.array([[True, False, True], [False, True, False]])
        calls = [
            ("put", (np.array([0, -1, 0]), [1, 2])),
            ("put", (ids, [1, 2], "wrap")),
            ("put", (ids, 5, "clip")),
            ("put_along_axis", (np.array([[2, 0]]), [[1], [2]], 1)),
            ("put_along_axis", (np.array([[1], [0]]), 7, -1)),
            ("place", (mask, [1, 2])),
            ("putmask", (mask.ravel(), [1, 2])),
            ("copyto", ([1, 2, 3],)),
        ]
        for name, arguments in calls:
            with self.subTest(name, arguments=arguments):
                expected = np.zeros((2, 3), np.float32)
                getattr(np, name)(expected, *arguments)
                arguments = [np.float32(each) if isinstance(each, list) else each for each in arguments]
                np.testing.assert_array_equal(getattr(tscatter.numpy, name)(np.zeros((2, 3), np.float32), *arguments), expected)
        expected = np.zeros((2, 3), np.float32)
        np.copyto(expected, [1, 2, 3], where=mask)
        result = tscatter.numpy.copyto(dst=np.zeros((2, 3), np.float32), src=np.float32([1, 2, 3]), where=mask)
        np.testing.assert_array_equal(result, expected)
        with self.assertRaisesRegex(tscatter.UsageError, "one of raise, wrap, clip"):
            tscatter.numpy.put(expected, [0], np.float32([1]), mode="Wrap")


class PyTorch(unittest.TestCase):
    """PyTorch's own calls."""

    def setUp(self):
        self.data = np.zeros((2, 3), np.float32)
        self.index = np.array([[2, 2], [0, 1]])
        self.src = np.float32([[1, 2], [3, 4]])

    def test_the_order_of_arguments(self):
        space, row = tscatter.torch, np.array([1])
        calls = [
            ([[0, 0, 2], [3, 4, 0]], space.scatter(self.data, 1, self.index, self.src)),
            ([[0, 0, 3], [3, 4, 0]], space.scatter_add(self.data, 1, self.index, self.src)),
            ([[0, 0, 1.5], [3, 4, 0]], space.scatter_reduce(self.data, 1, self.index, self.src, "mean", include_self=False)),
            ([[0, 0, 0], [2, 4, 6]], space.index_add(self.data, 0, row, np.float32([[1, 2, 3]]), alpha=2)),
            ([[0, 0, 0], [1, 2, 3]], space.index_copy(self.data, 0, row, np.float32([[1, 2, 3]]))),
            ([[0, 0, 0], [7, 7, 7]], space.index_fill(self.data, 0, row, 7)),
            ([[0, 0, 0], [0, 0.5, 1]], space.index_reduce(self.data, -2, row, np.float32([[-1, 0.5, 1]]), "amax")),
            ([[0, 5, 0], [0, 0, 9]], space.index_put(self.data, (np.array([0, 1, 1]), np.array([1, 2, 2])), np.float32([5, 4, 5]), True)),
            ([[8, 0, 0], [0, 0, 9]], space.put(self.data, np.array([0, -1, -1]), np.float32([8, 5, 4]), True)),
            ([[6, 0, 6], [6, 0, 6]], space.masked_fill(self.data, np.array([True, False, True]), 6)),
            ([[0, 1, 2], [0, 0, 0]], space.masked_scatter(self.data, np.array([[True], [False]]), np.arange(4, dtype=np.float32))),
            ([[1, 0, 2], [3, 0, 4]], space.slice_scatter(self.data, self.src, 1, 0, None, 2)),
            ([[0, 0, 1], [0, 0, 2]], space.select_scatter(self.data, np.float32([1, 2]), 1, -1)),
            ([[0, 1, 0], [0, 0, 2]], space.diagonal_scatter(self.data, np.float32([1, 2]), 1, 0, 1)),
        ]
        for number, (expected, result) in enumerate(calls):
            with self.subTest(number):
                self.assertEqual(result.tolist(), expected)

    def test_its_words_and_those_of_other_operations(self):
        call = {"input": self.data, "dim": 1, "index": self.index, "src": self.src}
        wanted = [[0, 0, 3], [3, 4, 0]]
        for name in (tscatter.torch.scatter_add, "torch.scatter_add", "torch.ScatterAdd", "aten.scatter_add"):
            self.assertEqual(tscatter.apply(name, **call).tolist(), wanted)
            self.assertTrue(tscatter.assert_legal(np.float32(wanted), name, **call)["legal"])
            self.assertFalse(tscatter.verify(self.data, name, **call)["legal"])
            self.assertEqual(tscatter.explain(name, **call, at=[0, 2])["op"], "torch.scatter_add")
        result = tscatter.torch.scatter_add(data=self.data, axis=1, indices=self.index, updates=self.src)
        self.assertEqual(result.tolist(), wanted)
        for name, value in (("axis", 0), ("data", self.data)):
            with self.assertRaisesRegex(TypeError, r"scatter_add\(\) got (dim|input) twice"):
                tscatter.torch.scatter_add(**call, **{name: value})
        with self.assertRaisesRegex(TypeError, r"scatter_add\(\) takes 4 arguments without names, got 5"):
            tscatter.torch.scatter_add(self.data, 1, self.index, self.src, "amax")
        with self.assertRaises(tscatter.UsageError):
            tscatter.torch.scatter_reduce(self.data, 1, self.index, self.src, "max")

    def test_what_may_be_none(self):
        call = {"input": self.data, "dim": 1, "index": self.index, "src": self.src}
        self.assertEqual(tscatter.torch.scatter(**call, reduce=None).tolist(), [[0, 0, 2], [3, 4, 0]])
        self.assertEqual(tscatter.torch.scatter_reduce(**call, reduce="sum", include_self=None).tolist(), [[0, 0, 3], [3, 4, 0]])
        result = tscatter.torch.slice_scatter(self.data, self.src, 1, start=None, end=2, step=None)
        self.assertEqual(result.tolist(), [[1, 2, 0], [3, 4, 0]])

    def test_a_number_fills(self):
        for dtype in (np.float16, np.int8, np.complex64, np.bool_):
            data = self.data.astype(dtype)
            for fill in (1, True) if dtype == np.bool_ else (1, 7):
                for words in ({"value": fill}, {"src": fill}):
                    result = tscatter.torch.scatter(data, 1, self.index, **words)
                    self.assertEqual((result.dtype, result.tolist()), (dtype, (np.float32([[0, 0, 1], [1, 1, 0]]) * fill).astype(dtype).tolist()))

    def test_numbers_that_are_not_finite(self):
        mask = np.array([True, False, True])
        for value in (float("inf"), float("-inf"), float("nan"), np.float64("nan")):
            for data in (np.float32([1, 2, 3]), np.complex64([1, 2, 3])):
                np.testing.assert_array_equal(tscatter.torch.masked_fill(data, mask, value), np.where(mask, value, data))

    def test_in_place_is_a_bool(self):
        for value in ("false", 1, "no"):
            with self.assertRaisesRegex(tscatter.UsageError, "in_place: must be True or False"):
                tscatter.torch.put("nowhere.npy", 0, 7, in_place=value)

    def test_complex_numbers_of_python(self):
        data = np.array([1, 2 + 1j, 3], np.complex64)
        self.assertEqual(tscatter.torch.index_fill(data, 0, np.array([1]), 1 - 2j).tolist(), [1, 1 - 2j, 3])
        added = tscatter.torch.index_add(data, 0, np.array([0, 0]), [1j, 2])
        self.assertEqual((added.dtype, added.tolist()), (np.complex64, [3 + 1j, 2 + 1j, 3]))
        infinite = tscatter.torch.index_fill(data, 0, np.array([1]), complex("inf-infj"))
        self.assertEqual(infinite.tolist(), [1, complex("inf-infj"), 3])
        of_lists = tscatter.torch.index_add([[1j, 0], [2, 3]], 0, [1], [[1, 0.5j]])
        self.assertEqual((of_lists.dtype, of_lists.tolist()), (np.complex128, [[1j, 0], [3, 3 + 0.5j]]))
        for real in ([1, 2], np.float32([1, 2])):
            with self.assertRaisesRegex(tscatter.RuleError, "value must have input's dtype (int64|float32), got complex128"):
                tscatter.torch.index_fill(real, 0, [0], 1j)

    def test_an_index_is_a_tuple_or_a_list_of_tensors(self):
        rows, columns = np.array([0, 1]), np.array([2, 0])
        for index in ((rows, columns), [rows, columns], ([0, 1], [2, 0])):
            for word in ("index", "indices"):
                result = tscatter.torch.index_put(self.data, **{word: index}, values=np.float32([5, 6]))
                self.assertEqual(result.tolist(), [[0, 0, 5], [6, 0, 0]])
        self.assertEqual(tscatter.torch.index_put(self.data, [1, 1], 3).tolist(), [[0, 0, 0], [3, 3, 3]])
        mask = np.array([[True, False, False], [False, True, False]])
        self.assertEqual(tscatter.torch.index_put(self.data, (mask,), 3).tolist(), [[3, 0, 0], [0, 3, 0]])

    def test_in_data_s_own_memory_and_on_files(self):
        result = tscatter.torch.scatter_add(self.data, 1, self.index, self.src, out=self.data)
        self.assertIs(result, self.data)
        self.assertEqual(self.data.tolist(), [[0, 0, 3], [3, 4, 0]])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.npy"
            np.save(path, self.data)
            np.save(path.with_name("mask.npy"), [True, False, False])
            report = tscatter.torch.masked_fill(path, path.with_name("mask.npy"), 9, in_place=True)
            self.assertEqual((report["op"], np.load(path).tolist()), ("torch.masked_fill", [[9, 0, 3], [9, 4, 0]]))
            self.assertEqual(tscatter.torch.masked_fill(path, [False, False, True], 1).tolist(), [[9, 0, 1], [9, 4, 1]])

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed")
    def test_its_tensors(self):
        import torch

        data, index, src = (torch.from_numpy(each) for each in (self.data, self.index, self.src))
        for dtype in (torch.float32, torch.bfloat16):
            call = (data.to(dtype), 1, index, src.to(dtype))
            self.assertTrue(torch.equal(tscatter.torch.scatter_add(*call), torch.scatter_add(*call)))
        own = data.clone()
        self.assertIs(tscatter.torch.index_put(own, [torch.tensor([0]), torch.tensor([1])], torch.tensor(5.0), out=own), own)
        self.assertEqual(own.tolist(), [[0, 5, 0], [0, 0, 0]])


class TensorFlow(unittest.TestCase):
    """TensorFlow's own calls."""

    def setUp(self):
        self.tensor = np.zeros(3, np.float32)
        self.indices = np.array([[2], [2], [0]])
        self.updates = np.float32([1, -2, 4])

    def test_the_order_of_arguments(self):
        wanted = {"update": [4, 0, -2], "add": [4, 0, -1], "sub": [-4, 0, 1], "min": [0, 0, -2], "max": [4, 0, 1]}
        for name, expected in wanted.items():
            with self.subTest(name):
                function = getattr(tscatter.tf, f"tensor_scatter_nd_{name}")
                self.assertEqual(function(self.tensor, self.indices, self.updates).tolist(), expected)
                self.assertEqual(function(tensor=self.tensor, indices=self.indices, updates=self.updates).tolist(), expected)
                self.assertEqual(function(data=self.tensor, indices=self.indices, updates=self.updates).tolist(), expected)

    def test_the_policy_of_bad_indices(self):
        bad, add, update = [[0], [7], [-1]], tscatter.tf.tensor_scatter_nd_add, tscatter.tf.tensor_scatter_nd_update
        self.assertEqual(add(self.tensor, bad, self.updates, "IGNORE").tolist(), [1, 0, 0])
        self.assertEqual(update(self.tensor, bad, self.updates, bad_indices_policy="IGNORE").tolist(), [1, 0, 0])
        for words in ({}, {"bad_indices_policy": "DEFAULT"}, {"bad_indices_policy": "ERROR"}, {"bad_indices_policy": None}):
            with self.assertRaisesRegex(tscatter.RuleError, r"indices\[1, 0\] must be in \[0, 3\) for tensor axis 0, got 7"):
                add(self.tensor, bad, self.updates, **words)
        with self.assertRaisesRegex(TypeError, r"tensor_scatter_nd_update\(\) takes 3 arguments without names, got 4"):
            update(self.tensor, bad, self.updates, "IGNORE")
        with self.assertRaises(tscatter.UsageError):
            add(self.tensor, bad, self.updates, "ignore")

    def test_its_names(self):
        call = {"tensor": self.tensor, "indices": self.indices, "updates": self.updates}
        for name in ("tf.tensor_scatter_nd_add", "tensorflow.tensor_scatter_nd_add", "tf.TensorScatterNdAdd", tscatter.tf.tensor_scatter_nd_add):
            self.assertEqual(tscatter.apply(name, **call).tolist(), [4, 0, -1])
            self.assertTrue(tscatter.assert_legal(np.float32([4, 0, -1]), name, **call)["legal"])
            self.assertEqual(tscatter.explain(name, **call, at=[2])["op"], "tf.tensor_scatter_nd_add")

    @unittest.skipIf(importlib.util.find_spec("tensorflow") is None, "TensorFlow is not installed")
    def test_its_tensors(self):
        import tensorflow

        call = tuple(map(tensorflow.constant, (self.tensor, self.indices, self.updates)))
        self.assertEqual(np.asarray(tscatter.tf.tensor_scatter_nd_add(*call)).tolist(), tensorflow.tensor_scatter_nd_add(*call).numpy().tolist())


class Paddle(unittest.TestCase):
    """PaddlePaddle's own calls."""

    def setUp(self):
        self.x = np.float32([9, 9, 9])
        self.index = np.array([1, -2])
        self.updates = np.float32([1, 2])

    def test_the_order_of_arguments(self):
        space = tscatter.paddle
        self.assertEqual(space.scatter(self.x, self.index, self.updates).tolist(), [9, 2, 9])
        self.assertEqual(space.scatter(self.x, self.index, self.updates, True).tolist(), [9, 2, 9])
        self.assertEqual(space.scatter(self.x, self.index, self.updates, False).tolist(), [9, 3, 9])
        self.assertEqual(space.scatter(x=self.x, index=self.index, updates=self.updates, overwrite=False).tolist(), [9, 3, 9])
        self.assertEqual(space.scatter_nd_add(self.x, [[-1], [0], [0]], np.float32([1, 2, 3])).tolist(), [14, 9, 10])
        self.assertEqual(space.index_add(self.x, self.index, 0, self.updates).tolist(), [9, 12, 9])
        self.assertEqual(space.index_add(self.x, self.index, 0, self.updates, alpha=2).tolist(), [9, 15, 9])
        self.assertEqual(space.put_along_axis(self.x, self.index, self.updates, 0, "add").tolist(), [9, 12, 9])
        self.assertEqual(space.put_along_axis(self.x, self.index, self.updates, 0, "amax", include_self=False).tolist(), [9, 2, 9])
        self.assertEqual(space.index_fill(self.x, self.index, 0, 5).tolist(), [9, 5, 9])
        self.assertEqual(space.masked_fill(self.x, [True, False, True], 5).tolist(), [5, 9, 5])

    def test_an_index_is_a_tuple_or_a_list(self):
        x = np.zeros((3, 2), np.float32)
        for indices in ((np.array([2, 0]), np.array([1, -1])), [np.array([2, 0]), np.array([1, -1])]):
            self.assertEqual(tscatter.paddle.index_put(x, indices, self.updates).tolist(), [[0, 2], [0, 0], [0, 1]])
        self.assertEqual(tscatter.paddle.index_put(self.x, (self.index,), self.updates, True).tolist(), [9, 12, 9])

    def test_wrong_words(self):
        with self.assertRaises(tscatter.UsageError):
            tscatter.paddle.scatter(self.x, self.index, self.updates, "sum")
        with self.assertRaises(tscatter.UsageError):
            tscatter.paddle.put_along_axis(self.x, self.index, self.updates, 0, "median")
        with self.assertRaisesRegex(tscatter.RuleError, r"index\[1\] must be in \[-3, 3\) for x axis 0, got 3"):
            tscatter.paddle.scatter(self.x, [0, 3], self.updates)

    def test_its_names(self):
        call = {"x": self.x, "index": self.index, "updates": self.updates, "overwrite": False}
        for name in ("paddle.scatter", "paddlepaddle.scatter", tscatter.paddle.scatter):
            self.assertEqual(tscatter.apply(name, **call).tolist(), [9, 3, 9])
            self.assertTrue(tscatter.assert_legal(np.float32([9, 3, 9]), name, **call)["legal"])
            self.assertEqual(tscatter.explain(name, **call, at=[1])["op"], "paddle.scatter")


class Names(unittest.TestCase):
    def test_every_name_of_data_is_known(self):
        names = {each["name"] for function in tscatter.operations().values() for each in function.row["operands"] if each["role"] == "data"}
        self.assertEqual(names, set(tscatter._arrays.NAMES_OF_DATA))


class Jax(unittest.TestCase):
    """x.at[index].add(values), the scatters of jax.lax, and those of StableHLO and XLA."""

    def setUp(self):
        self.data = np.zeros((3, 2), np.float32)
        self.rows = {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0]}
        self.updates = np.float32([[1, 2], [3, 4]])

    def test_at(self):
        space, ids = tscatter.jax.at, np.array([-1, 2, 7])
        calls = [
            ([[0, 0], [0, 0], [3, 3]], space.add(self.data, ids, np.float32([[1], [2], [4]]))),
            ([[0, 0], [0, 0], [3, 0]], space.add(self.data, (ids, 0), np.float32([1, 2, 4]))),
            ([[0, 0], [0, 0], [2, 4]], space.add(self.data, (ids, slice(None)), np.float32([[1, 2], [1, 2], [9, 9]]))),
            ([[0, 0], [0, 0], [6, 6]], space.set(self.data, ids, np.float32([[1], [2], [6]]), mode="clip")),
            ([[0, 0], [0, 0], [2, 2]], space.set(self.data, ids, np.float32([[1], [2], [4]]), wrap_negative_indices=False)),
            ([[5, 0], [0, 0], [5, 0]], space.max(self.data, (np.array([True, False, True]), 0), 5)),
            ([[-1, -2], [0, 0], [0, 0]], space.min(self.data, (0, Ellipsis), np.float32([-1, -2]))),
            ([[0, -1], [0, -1], [0, -1]], space.subtract(self.data, (slice(None), -1, None), 1)),
            ([[8, 1], [1, 1], [1, 1]], space.multiply(self.data + 1, ([0, 0], [0, 0]), np.float32([2, 4]))),
        ]
        for number, (expected, result) in enumerate(calls):
            with self.subTest(number):
                self.assertEqual(result.tolist(), expected)

    def test_lax(self):
        space, ids = tscatter.jax.lax, np.array([[2], [2]])
        for name, expected in (("scatter", [3, 4]), ("scatter_add", [4, 6]), ("scatter_sub", [-4, -6]), ("scatter_mul", [0, 0]), ("scatter_min", [0, 0]), ("scatter_max", [3, 4])):
            with self.subTest(name):
                self.assertEqual(getattr(space, name)(self.data, ids, self.updates, **self.rows).tolist(), [[0, 0], [0, 0], expected])
        result = space.scatter_add(np.zeros(5, np.float32), [4], np.float32([1, 2]), [0], scatter_dims_to_operand_dims=[0], mode="clip")
        self.assertEqual(result.tolist(), [0, 0, 0, 1, 2])
        with self.assertRaisesRegex(tscatter.RuleError, "operation.o6"):
            space.scatter(self.data, ids, self.updates, **self.rows, unique_indices=True)
        with self.assertRaisesRegex(TypeError, "index_vector_dim"):
            space.scatter(self.data, ids, self.updates, **self.rows, index_vector_dim=1)

    def test_dimension_numbers_and_modes_of_jax_itself(self):
        names = ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "operand_batching_dims")
        numbers = collections.namedtuple("ScatterDimensionNumbers", names)((), (0,), (0,), ())
        mode = enum.Enum("GatherScatterMode", "CLIP FILL_OR_DROP")
        call = np.zeros(4, np.float32), [[1], [1], [9]], np.ones(3, np.float32)
        for kept, expected in ((None, [0, 2, 0, 0]), (mode.FILL_OR_DROP, [0, 2, 0, 0]), (mode.CLIP, [0, 2, 0, 1])):
            for scatter in (tscatter.jax.lax.scatter_add, functools.partial(tscatter.apply, "jax.lax.scatter_add")):
                names = dict(zip(("operand", "scatter_indices", "updates"), call))
                self.assertEqual(scatter(**names, dimension_numbers=numbers, mode=kept).tolist(), expected)
            self.assertEqual(tscatter.jax.lax.scatter_add(*call, numbers, mode=kept).tolist(), expected)
        with self.assertRaisesRegex(TypeError, "dimension_numbers"):
            tscatter.jax.lax.scatter_add(*call, dimension_numbers=1)

    def test_stablehlo_and_xla(self):
        call = {"scatter_indices": [[4]], "updates": np.float32([[1, 2]]), "update_window_dims": [1], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}
        for word in ("update_computation", "reduction"):
            self.assertEqual(tscatter.stablehlo.scatter(np.zeros(5, np.float32), **call, **{word: "add"}).tolist(), [0, 0, 0, 0, 1])
            self.assertEqual(tscatter.xla.scatter(np.zeros(5, np.float32), **call, **{word: "add"}).tolist(), [0, 0, 0, 0, 0])
        with self.assertRaisesRegex(TypeError, "update_computation"):
            tscatter.stablehlo.scatter(np.zeros(5, np.float32), **call)

    def test_arguments_without_names(self):
        self.assertEqual(tscatter.jax.at.add(self.data, 0, 1).tolist(), [[1, 1], [0, 0], [0, 0]])
        self.assertEqual(tscatter.jax.lax.scatter(self.data, [[1]], self.updates[:1], [1], [0], [], [], [0]).tolist(), [[0, 0], [1, 2], [0, 0]])
        self.assertTrue(tscatter.assert_legal(np.float32([[1, 1], [0, 0], [0, 0]]), "jax.at.add", data=self.data, index=[0], updates=np.float32(1))["legal"])


class Keywords(unittest.TestCase):
    """Each call, with a keyword that it does not have."""

    VALUES = (None, False, True, [], [None], {}, "x", 0, 1.5, np.bool_(False), ())

    def refused(self, call, name="colour"):
        for value in self.VALUES:
            with self.subTest(value=value), self.assertRaises(tscatter.UsageError) as caught:
                call(**{name: value})
            self.assertEqual(caught.exception.label, "cli.c2", str(caught.exception))

    def test_cli_c2_every_operation(self):
        for name, function in tscatter.operations().items():
            call = {each["name"]: [0] for each in function.row["operands"] if not each["optional"]}
            call.update({each["name"]: (each["choices"] or [0])[0] for each in function.row["attributes"] if each["required"]})
            with self.subTest(operation=name), tempfile.TemporaryDirectory() as folder:
                self.refused(lambda call=call, **more: function(**call, **more))
                self.refused(lambda call=call, **more: tscatter.verify([0], function, **call, **more))
                self.refused(lambda call=call, **more: tscatter.assert_legal([0], function, **call, **more))
                self.refused(lambda call=call, **more: tscatter.explain(function, **call, **more))
                self.refused(lambda **more: tscatter.generate(function, folder, **more))
                self.assertEqual(os.listdir(folder), [])

    def test_cli_c2_a_keyword_of_another_call(self):
        data, indices, updates = [1.0, 2.0], [[0]], [5.0]
        call = {"data": data, "indices": indices, "updates": updates}
        self.refused(lambda **more: tscatter.scatter_nd_update_15(**call, **more), "include_self")
        self.refused(lambda **more: tscatter.scatter_nd_update_15(**call, **more), "use_init_val")
        self.refused(lambda **more: tscatter.scatter_nd_update_3(**call, **more), "reduction")
        self.refused(lambda **more: tscatter.apply("scatternd-update", **call, **more), "use_init_val")
        self.refused(lambda **more: tscatter.assert_legal(data, "ScatterNDUpdate-15", **call, **more), "use_init_value")
        self.refused(lambda **more: tscatter.verify(data, "ScatterNDUpdate-15", **call, **more), "dry_run")
        self.refused(lambda **more: tscatter.explain("ScatterNDUpdate-15", **call, **more), "ftz")
        self.refused(lambda **more: tscatter.generate("ScatterUpdate-3", "nowhere", **more), "reduction")
        self.refused(lambda **more: tscatter.compare(data, data, **more), "equal_nam")
        self.refused(lambda **more: tscatter.run("cases.jsonl", **more), "fail_fats")

    def test_cli_c120_what_is_for_files(self):
        array, listed = {"data": np.zeros(2)}, {"data": [0.0, 0.0]}
        for name, value in (("format", "npy"), ("compress", True), ("sync", True), ("force", True), ("wait", 5), ("json", True)):
            for call in ({**array, "out": np.zeros(2)}, array, listed):
                with self.subTest(flag=name), self.assertRaises(tscatter.UsageError) as caught:
                    tscatter.scatter_nd_update(**call, indices=[[0]], updates=[5.0], **{name: value})
                self.assertEqual(str(caught.exception), f"{name}: needs an output that is a file, got an array [cli.c120]")

    def test_what_is_known_may_be_left_out(self):
        call = {"data": [1.0, 2.0], "indices": [[0]], "updates": [5.0]}
        self.assertEqual(tscatter.scatter_nd_update(**call, reduction=None, threads=None, dry_run=False, oob=None).tolist(), [5, 2])
        self.assertTrue(tscatter.verify([5.0, 2.0], "ScatterNDUpdate-15", **call, nan=None, ftz=False, unique=None)["legal"])
        self.assertTrue(tscatter.compare([1.0], [1.0], rtol=None, equal_nan=False, heatmap=None)["match"])

    def test_cli_c4_a_flag_that_takes_a_value(self):
        for value in (True, False):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update([1.0], [[0]], [5.0], threads=value)
            self.assertEqual(str(caught.exception), f"threads: must have a value that is not True or False, got {value} [cli.c4]")
        with self.assertRaises(tscatter.UsageError):
            tscatter.scatter_nd_update([1.0], [[0]], [5.0], threads=[])


class MadeData(unittest.TestCase):
    """Operations that make their data: the result has another shape, or dtype, than what is given."""

    def test_the_result_is_as_the_operation_makes_it(self):
        twos = np.array([1, 2, 4], np.float32)
        for result, expected in (
            (tscatter.tf.scatter_nd(np.array([[2], [0], [2]]), twos, [4]), np.array([2, 0, 5, 0], np.float32)),
            (tscatter.tf.math.unsorted_segment_sum(twos, np.array([4, -1, 4]), 5), np.array([0, 0, 0, 0, 5], np.float32)),
            (tscatter.tf.math.segment_mean(twos, np.array([0, 0, 2])), np.array([1.5, 0, 4], np.float32)),
            (tscatter.jax.ops.segment_max(twos, np.array([1, 1, 0])), np.array([4, 2], np.float32)),
            (tscatter.numpy.bincount(np.array([3, 1, 1]), minlength=5), np.array([0, 2, 0, 1, 0])),
            (tscatter.numpy.bincount(np.array([1, 1]), twos[:2]), np.array([0.0, 3.0])),
        ):
            np.testing.assert_array_equal(result, expected)
            self.assertEqual((result.dtype, result.shape), (expected.dtype, expected.shape))

    def test_out_and_a_second_call(self):
        out = np.empty((3, 2))
        for _ in range(2):
            tscatter.tf.math.segment_sum(np.ones((2, 2)), np.array([0, 2]), out=out)
            np.testing.assert_array_equal(out, [[1, 1], [0, 0], [1, 1]])
            self.assertEqual(tscatter.jax.ops.segment_sum(np.ones(3), np.array([5, -1, 0])).shape, (6,))

    def test_arrays_and_lists_leave_the_same(self):
        """Of arrays the shape of the result is known before the call."""
        rows = np.arange(24).reshape(2, 3, 4)
        for data in (rows.astype("f4"), rows.astype("i8"), np.asfortranarray(rows.astype("c8")), rows.astype(">f4"), rows.astype("f2")[:0]):
            ids = np.array([[0, 4, -1], [4, 0, 2]])[:len(data)]
            for count in (5, -1, 3):
                results = []
                for each in (ids, ids.tolist() if ids.size else np.ascontiguousarray(ids).astype("i4")):
                    try:
                        results.append(tscatter.tf.math.unsorted_segment_sum(data, each, count))
                    except tscatter.Error as error:
                        results.append(str(error))
                np.testing.assert_array_equal(*results)
                if count == 5:
                    self.assertEqual([each.dtype for each in results], [data.dtype.newbyteorder("=")] * 2)
                    self.assertEqual([each.shape for each in results], [(5, 4)] * 2)


if __name__ == "__main__":
    unittest.main()
