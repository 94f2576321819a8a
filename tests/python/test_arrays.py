"""Arrays in memory: of NumPy, ml_dtypes, DLPack and the buffer protocol; what is refused."""

import array
import copy
import ctypes
import errno
import importlib
import importlib.util
import mmap
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import tscatter

try:
    import _testbuffer
except ImportError:
    _testbuffer = None
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import torch
except ImportError:
    torch = None

INDICES = np.array([[2], [0], [2]], dtype=np.int64)


def library_or_skip(name):
    if importlib.util.find_spec(name) is None:
        raise unittest.SkipTest(f"{name} is not installed")
    return importlib.import_module(name)


def pointer(value):
    return value.__array_interface__["data"][0]


class OnGpu:
    """As CuPy has them: an address that is not the processor's, and no way to NumPy."""

    def __dlpack_device__(self):
        return (2, 1)

    def __dlpack__(self, **keywords):
        raise BufferError

    def __array__(self, *arguments, **keywords):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


class Claimed:
    """The memory of an array, with a shape and strides that it may not have."""

    def __init__(self, values, shape, strides):
        self.values = values
        self.__array_interface__ = {**values.__array_interface__, "shape": shape, "strides": strides}


class OnlyValues:
    """What gives an array of its values to NumPy, and no memory; `asked` counts how often."""

    def __init__(self, values):
        self.values, self.asked = values, 0

    def __array__(self, dtype=None, copy=None):
        self.asked += 1
        return self.values


class Packed:
    """An array that only speaks DLPack; `device` and `versions` are what it claims."""

    def __init__(self, values, device=(1, 0), versions=True):
        self.values, self.device, self.versions = values, device, versions

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        if keywords and not self.versions:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.values.__dlpack__(**keywords)


class Results(unittest.TestCase):
    def setUp(self):
        self.data = np.arange(4, dtype=np.float32)
        self.updates = np.array([10, 20, 30], dtype=np.float32)
        self.expected = np.array([20, 1, 42, 3], dtype=np.float32)

    def scatter(self, data, updates=None, **keywords):
        updates = self.updates if updates is None else updates
        return tscatter.scatter_nd_update_15(data, INDICES, updates, reduction="sum", **keywords)

    def test_a_new_array(self):
        before = self.data.copy()
        result = self.scatter(self.data)
        np.testing.assert_array_equal(result, self.expected)
        np.testing.assert_array_equal(self.data, before)
        self.assertEqual(result.dtype, self.data.dtype)

    def test_a_new_array_of_a_file_is_as_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.npy")
            records = np.zeros(4, [("a", "<i4"), ("b", ">f4", (2,))])
            for data, updates in [
                (np.arange(6, dtype=">f4").reshape(2, 3), np.full((1, 3), 9, ">f4")),
                (np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.full((1, 3), 9.0)),
                (np.arange(4).astype("<M8[ns]"), np.array([7], "<M8[ns]")),
                (np.array([b"a", b"bc", b"d", b""]), np.array([b"xy"])),
                (records, np.array([(1, (2, 3))], records.dtype)),
            ]:
                np.save(path, data)
                expected = data.copy(order="K")
                expected[1:2] = updates
                np.save(os.path.join(folder, "updates.npy"), updates)
                result = tscatter.scatter_nd_update_15(path, [[1]], os.path.join(folder, "updates.npy"))
                self.assertEqual(result.dtype, data.dtype)
                self.assertEqual(result.flags.c_contiguous, data.flags.c_contiguous)
                np.testing.assert_array_equal(result, expected)
                self.assertEqual(sorted(os.listdir(folder)), ["data.npy", "updates.npy"])

    def test_memory_that_cannot_be_made(self):
        with self.assertRaises(MemoryError):  # of NumPy: more than there is
            tscatter.tf.scatter_nd([[0]], np.zeros(1), [1 << 57])
        np.testing.assert_array_equal(tscatter.tf.scatter_nd([[1]], np.ones(1), [3]), [0, 1, 0])

    def test_out_is_written_without_a_copy(self):
        out = np.empty_like(self.data)
        address = pointer(out)
        self.assertIs(self.scatter(self.data, out=out), out)
        self.assertEqual(pointer(out), address)
        np.testing.assert_array_equal(out, self.expected)

    def test_data_is_changed_in_its_own_memory(self):
        address = pointer(self.data)
        self.assertIs(self.scatter(self.data, out=self.data), self.data)
        self.assertEqual(pointer(self.data), address)
        np.testing.assert_array_equal(self.data, self.expected)

    def test_fortran_order_is_kept(self):
        data = np.asfortranarray(np.arange(6.0).reshape(2, 3))
        result = tscatter.scatter_update_3(data, [1], np.full((2, 1), 9.0), axis=1)
        self.assertTrue(result.flags.f_contiguous)
        np.testing.assert_array_equal(result, [[0, 9, 2], [3, 9, 5]])

    def test_the_other_byte_order_is_kept(self):
        data = self.data.astype(">f4")
        result = self.scatter(data)
        self.assertEqual(result.dtype, np.dtype(">f4"))
        np.testing.assert_array_equal(result, self.expected)

    def test_strides_are_copied_with_a_warning(self):
        wide = np.repeat(self.data, 2)
        with self.assertWarnsRegex(tscatter.StridedCopyWarning, "^data is neither in C nor in Fortran order"):
            result = self.scatter(wide[::2])
        np.testing.assert_array_equal(result, self.expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.scatter(self.data)

    def test_a_result_is_not_copied(self):
        wide = np.zeros(8, dtype=np.float32)
        with self.assertRaises(tscatter.UsageError) as caught:
            self.scatter(self.data, out=wide[::2])
        self.assertEqual(caught.exception.label, "array.a2")

    def test_empty_and_of_rank_zero(self):
        empty = np.zeros((0, 3), dtype=np.float32)
        self.assertEqual(tscatter.scatter_nd_update_3(empty, np.zeros((0, 1), np.int64), empty).shape, (0, 3))
        data = np.float32([5])
        np.testing.assert_array_equal(tscatter.scatter_nd_update_3(data, np.int64([0]), np.array(7, np.float32)), [7])

    def test_opaque_dtypes(self):
        for dtype in ("<M8[ns]", "S3", "<U2"):
            data = np.zeros(3, dtype=dtype)
            updates = np.ones(1, dtype=dtype)
            result = tscatter.scatter_nd_update_15(data, [[1]], updates)
            self.assertEqual(result.dtype, data.dtype)
            self.assertEqual(result[1], updates[0])

    def test_lists_and_numbers(self):
        result = tscatter.scatter_update_3([[0, 0], [0, 0]], [1], [[3], [4]], axis=1)
        self.assertEqual(result.tolist(), [[0, 3], [0, 4]])
        result = tscatter.scatter_nd_update_15(np.zeros(2), [[0], [1]], [float("nan"), float("-inf")])
        self.assertEqual(str(result), "[ nan -inf]")
        self.assertEqual(tscatter.scatter_nd_update_15([1, 2], [[0]], [5], dtype="float16").dtype, np.float16)
        result = tscatter.scatter_nd_update_15(self.data, [np.array([0]), [np.int64(3)]], [np.float32("inf"), np.int8(7)])
        self.assertEqual(result.tolist(), [float("inf"), 1, 2, 7])
        one = {"start": np.int32(1), "stop": np.int64(2), "step": 1, "axes": np.int32(0)}
        self.assertEqual(tscatter.slice_scatter_15([1, 2, 3], [7], **one).tolist(), [1, 7, 3])

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_ml_dtypes_by_name(self):
        data = self.data.astype(ml_dtypes.bfloat16)
        result = self.scatter(data, self.updates.astype(ml_dtypes.bfloat16))
        self.assertEqual(result.dtype, ml_dtypes.bfloat16)
        np.testing.assert_array_equal(result.astype(np.float32), self.expected)
        data = self.data.astype(ml_dtypes.float8_e4m3fn)
        updates = np.array([1, 2, 3]).astype(ml_dtypes.float8_e4m3fn)
        result = tscatter.scatter_nd_update_15(data, INDICES, updates)
        np.testing.assert_array_equal(result.astype(np.float32), [2, 1, 3, 3])
        with self.assertRaises(tscatter.RuleError):
            tscatter.scatter_nd_update_15(data, INDICES, updates, reduction="sum")
        with self.assertRaises(tscatter.RuleError) as caught:
            tscatter.scatter_nd_update_15(data, INDICES, updates.astype(ml_dtypes.float8_e5m2))
        self.assertEqual(caught.exception.label, "scatter_nd_update_15.c7")

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_float8_in_memory_and_in_files(self):
        data = self.data.astype(ml_dtypes.float8_e4m3fn)
        with tempfile.TemporaryDirectory() as folder:
            file = folder + "/x.safetensors:x"
            tscatter.scatter_nd_update_15(data, [[1]], data[3:], out=file)
            result = tscatter.scatter_nd_update_15(file, [[0]], data[2:3])
            self.assertEqual(result.dtype, data.dtype)
            np.testing.assert_array_equal(result.astype(np.float32), [2, 3, 2, 3])
            self.assertEqual(tscatter.compare(data, file, atol=1)["beyond"], 1)
            self.assertTrue(tscatter.compare(tscatter.scatter_nd_update_15(file, [[1]], data[3:]), file)["match"])
            with self.assertRaises(tscatter.RuleError) as caught:
                tscatter.scatter_nd_update_15(file, [[0]], data[:1].astype(ml_dtypes.float8_e5m2))
            self.assertEqual(caught.exception.label, "scatter_nd_update_15.c7")

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_each_float8_is_known(self):
        for name in filter(lambda name: name.startswith("float8_"), dir(ml_dtypes)):
            ones = np.ones(2).astype(getattr(ml_dtypes, name))
            twos = np.array([1, 2]).astype(ones.dtype)
            self.assertEqual(tscatter.compare(ones, twos, atol=1)["beyond"], 0, name)
            self.assertEqual(tscatter.scatter_nd_update_15(ones, [[1]], twos[1:]).tolist(), twos.tolist(), name)

    @unittest.skipIf(not hasattr(np.ndarray, "__dlpack__"), "this NumPy has no DLPack")
    def test_dlpack_is_read(self):
        for versions in (True, False):
            np.testing.assert_array_equal(self.scatter(Packed(self.data, versions=versions), Packed(self.updates)), self.expected)

    @unittest.skipIf(np.lib.NumpyVersion(np.__version__) < "2.1.0", "this NumPy does not say in DLPack what may be written")
    def test_dlpack(self):
        for versions in (True, False):
            out = np.empty_like(self.data)
            result = self.scatter(Packed(self.data, versions=versions), Packed(self.updates), out=Packed(out))
            np.testing.assert_array_equal(result.values, self.expected)
        np.testing.assert_array_equal(self.scatter(Packed(self.data)), self.expected)

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_negative_views_are_refused(self):
        negative = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
        mask = torch.tensor([True, False])
        with self.assertRaisesRegex(TypeError, "resolve_neg"):
            tscatter.torch.masked_fill(torch.zeros(2), mask, negative[0])
        with self.assertRaisesRegex(TypeError, "resolve_neg"):
            tscatter.torch.masked_fill(torch.zeros(2), mask, 1, out=torch._neg_view(torch.ones(2)))
        result = tscatter.torch.masked_fill(torch.zeros(2), mask, negative[0].resolve_neg())
        self.assertEqual(result.tolist(), [-2, 0])

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_torch(self):
        data = torch.arange(4, dtype=torch.bfloat16)
        result = self.scatter(data, torch.tensor([10, 20, 30], dtype=torch.bfloat16))
        self.assertEqual(result.dtype, torch.bfloat16)
        self.assertEqual(result.tolist(), self.expected.tolist())
        address = data.data_ptr()
        self.scatter(data, torch.tensor([10, 20, 30], dtype=torch.bfloat16), out=data)
        self.assertEqual((data.data_ptr(), data.tolist()), (address, self.expected.tolist()))

    def test_buffers(self):
        data = array.array("f", self.data)
        result = tscatter.scatter_nd_update_15(data, [[2]], array.array("f", [5]))
        self.assertEqual((result.tolist(), data.tolist()), ([0, 1, 5, 3], [0, 1, 2, 3]))
        raw = bytearray(4)
        tscatter.scatter_nd_update_15(raw, [[1]], b"\x07", out=raw)
        self.assertEqual(raw, b"\x00\x07\x00\x00")
        raw.append(0)  # the buffer was released
        values = (ctypes.c_int32 * 2)(1, 2)
        tscatter.scatter_nd_update_15(values, [[0]], [9], out=values)
        self.assertEqual(list(values), [9, 2])

    def test_buffers_with_gaps(self):
        wide = array.array("f", np.repeat(self.data, 2))
        for data in (memoryview(wide)[::2], memoryview(np.repeat(self.data, 2))[::2], memoryview(np.repeat(self.data, 2).astype("=f4")[::2])):
            with self.assertWarnsRegex(tscatter.StridedCopyWarning, "^data is neither in C nor in Fortran order"):
                result = self.scatter(data)
            self.assertIsInstance(result, memoryview)
            self.assertEqual(result.tolist(), self.expected.tolist())
        swapped = memoryview(np.repeat(self.data, 2).astype(">f4"))[::2]
        with self.assertWarns(tscatter.StridedCopyWarning):
            self.assertEqual(self.scatter(swapped).tolist(), self.expected.tolist())
        with self.assertWarns(tscatter.StridedCopyWarning):
            result = tscatter.scatter_nd_update_15(memoryview(b"abcdef")[::-2], [[1]], memoryview(b"xyz")[::3])
        self.assertEqual(bytes(result), b"fxb")

    @unittest.skipIf(not hasattr(np, "from_dlpack"), "this NumPy does not read DLPack")
    def test_gaps_in_what_is_no_array(self):
        wide = np.repeat(self.data, 2)
        interface = type("Interface", (), {"__array_interface__": wide[::2].__array_interface__, "keeps": wide})()
        for data in (Packed(wide[::2]), interface):
            with self.assertWarnsRegex(tscatter.StridedCopyWarning, "^data is neither in C nor in Fortran order"):
                result = self.scatter(data)
            np.testing.assert_array_equal(result, self.expected)
            with self.assertWarnsRegex(tscatter.StridedCopyWarning, "^updates is neither"):
                tscatter.scatter_nd_update_15(self.data, [[0], [1], [2], [3]], data)

    def test_results_of_other_buffers(self):
        values = (ctypes.c_float * 4)(*self.data)
        result = self.scatter(values)
        self.assertIs(type(result), type(values))
        self.assertEqual((list(result), list(values)), (self.expected.tolist(), self.data.tolist()))
        rows = ((ctypes.c_int32 * 2) * 2)((1, 2), (3, 4))
        result = tscatter.scatter_nd_update_15(rows, [[1]], np.int32([[7, 8]]))
        self.assertEqual([list(row) for row in result], [[1, 2], [7, 8]])
        with mmap.mmap(-1, 4) as mapped:
            mapped[:] = b"abcd"
            result = tscatter.scatter_nd_update_15(mapped, [[1]], b"x")
            self.assertEqual((bytes(result), mapped[:]), (b"axcd", b"abcd"))
        for data in (np.zeros((0, 3), np.float32), np.asfortranarray(np.arange(6.0).reshape(2, 3)), self.data.astype(">f4")):
            result = tscatter.scatter_nd_update_15(memoryview(data), np.zeros((0, 1), np.int64), data[:0])
            np.testing.assert_array_equal(np.asarray(result), data)

    def test_records_that_are_read_as_bfloat16(self):
        bits = np.array([0x0000, 0x3F80, 0x4000, 0x4040], np.uint16)  # 0, 1, 2, 3
        expected = np.array([0x41A0, 0x3F80, 0x4228, 0x4040], np.uint16).tolist()  # 20, 1, 42, 3
        updates = np.array([0x4120, 0x41A0, 0x41F0], np.uint16)
        self.assertEqual(self.scatter(bits, updates, dtype="bf16").tolist(), expected)
        for dtype in ("V2", "u2", "<V2"):
            data = bits.view(dtype)
            for out in (None, np.empty_like(data)):
                result = self.scatter(data, updates.view(dtype), dtype="bfloat16", out=out)
                self.assertEqual((result.dtype, result.view(np.uint16).tolist()), (data.dtype, expected))
        data = bits.view("V2")
        self.assertIs(self.scatter(data, updates.view("V2"), dtype="bfloat16", out=data), data)
        self.assertEqual(data.view(np.uint16).tolist(), expected)
        with self.assertRaises(tscatter.UsageError) as caught:
            self.scatter(self.data, dtype="bfloat16")
        self.assertEqual(caught.exception.label, "cli.c7")

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_records_into_bfloat16(self):
        data = np.array([0x3F80, 0x4000], np.uint16).view("V2")
        out = np.zeros(2, ml_dtypes.bfloat16)
        tscatter.scatter_nd_update_15(data, [[0]], np.array([7], ml_dtypes.bfloat16), dtype="bfloat16", out=out)
        self.assertEqual(out.tolist(), [7, 2])


class Refused(unittest.TestCase):
    def setUp(self):
        self.data = np.arange(4, dtype=np.float32)
        self.updates = np.array([10, 20, 30], dtype=np.float32)

    def refused(self, kind, label, text, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual((caught.exception.label, str(caught.exception)), (label, text))
        return caught.exception

    def test_a_rule(self):
        error = self.refused(
            tscatter.RuleError,
            "scatter_nd_update_15.c4",
            "scatter_nd_update_15: indices[1, 0] must be in [-4, 4) for data axis 0, got 9 [scatter_nd_update_15.c4]",
            lambda: tscatter.scatter_nd_update_15(self.data, [[0], [9]], self.updates[:2]),
        )
        self.assertEqual((error.kind, error.place), ("rule", "scatter_nd_update_15"))
        self.assertEqual(error.message, "indices[1, 0] must be in [-4, 4) for data axis 0, got 9")
        self.assertIsInstance(error, ValueError)

    def test_a_dtype_and_a_shape(self):
        with self.assertRaises(tscatter.RuleError) as caught:
            tscatter.scatter_nd_update_15(self.data, INDICES, self.updates.astype(np.float64))
        self.assertTrue(caught.exception.label.startswith("scatter_nd_update_15."))
        with self.assertRaises(tscatter.RuleError):
            tscatter.scatter_nd_update_15(self.data, INDICES, self.updates[:2])
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update_15(np.array([None]), INDICES, self.updates)
        self.assertEqual(caught.exception.label, "array.a1")

    def test_records_with_objects(self):
        data = np.zeros(2, [("a", "O")])
        error = self.refused(
            tscatter.UsageError,
            "array.a1",
            "data: a dtype must be one of fixed size, like float32 or <M8[ns], got [('a', '|O')] [array.a1]",
            lambda: tscatter.scatter_nd_update_15(data, [[0]], data[:1]),
        )
        self.assertEqual(error.place, "data")
        nested = np.zeros(2, [("n", "i4"), ("x", [("y", "O", (2,))])])
        without_dtype = type("Interface", (), {"__array_interface__": nested.__array_interface__, "keeps": nested})()
        beside = np.zeros(2, {"names": ["a", "b"], "formats": ["O", "i2"], "offsets": [0, 8], "itemsize": 16})
        for each in (nested, without_dtype, nested[:1][0], beside, np.array([None])):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.compare(each, each)
            self.assertEqual(caught.exception.label, "array.a1")

        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update_15(np.zeros(2, [("a", "f8")]), [[0]], data[:1])
        self.assertEqual((caught.exception.label, caught.exception.place), ("array.a1", "updates"))

    def test_records_of_other_fields(self):
        data, updates = np.zeros(2, [("a", "f4")]), np.ones(1, [("b", "i4")])
        label = "scatter_nd_update_15.c7"
        for operand, text in (
            (updates, "[('b', '<i4')]"),
            (np.ones(1, [("a", ">f4")]), "[('a', '>f4')]"),
            (np.ones(1, [("a", "f4"), ("b", "i4")]), "[('a', '<f4'), ('b', '<i4')]"),
            (np.zeros(1, "V4"), "|V4"),
            (np.zeros(1, "S4"), "|S4"),
        ):
            self.refused(
                tscatter.RuleError,
                label,
                f"scatter_nd_update_15: updates must have data's dtype [('a', '<f4')], got {text} [{label}]",
                lambda operand=operand: tscatter.scatter_nd_update_15(data, [[0]], operand),
            )
        self.refused(
            tscatter.RuleError,
            label,
            f"scatter_nd_update_15: updates must have data's dtype |V4, got [('b', '<i4')] [{label}]",
            lambda: tscatter.scatter_nd_update_15(np.zeros(2, "V4"), [[0]], updates),
        )
        self.refused(
            tscatter.UsageError,
            "array.a3",
            "output: the memory of the result must be [('a', '<f4')] [2] in C order, got [('b', '<i4')] [2] in C order [array.a3]",
            lambda: tscatter.scatter_nd_update_15(data, [[0]], data[:1], out=np.zeros(2, updates.dtype)),
        )
        self.assertEqual(tscatter.scatter_nd_update_15(data, [[1]], np.ones(1, data.dtype)).tolist(), [(0,), (1,)])

    def test_reports_of_records(self):
        one, other = np.zeros(2, [("a", "f4")]), np.zeros(2, [('b"', "i4")])
        report = tscatter.compare(one, other)
        self.assertEqual((report["match"], report["dtype"]), (False, {"actual": "[('a', '<f4')]", "expected": "[('b\"', '<i4')]"}))
        self.assertTrue(tscatter.compare(one, one.copy())["match"])
        with self.assertRaisesRegex(tscatter.NotLegal, r"^not legal: dtype differs: got \[\('b\"', '<i4'\)\], expected \[\('a', '<f4'\)\]"):
            tscatter.assert_legal(other, "ScatterNDUpdate-15", data=one, indices=[[0]], updates=one[:1])

    def test_unknown_names(self):
        self.refused(
            tscatter.UsageError,
            "cli.c4",
            "reduction: must be one of none, sum, sub, prod, min, max (nearest: sum), got sun [cli.c4]",
            lambda: tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, reduction="sun"),
        )
        for call, label in (
            (lambda: tscatter.apply("ScatterNDUpdat", data=self.data), "cli.c1"),
            (lambda: tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, colour="blue"), "cli.c2"),
            (lambda: tscatter.scatter_nd_update_15(self.data, INDICES), "cli.c3"),
        ):
            with self.assertRaises(tscatter.UsageError) as caught:
                call()
            self.assertEqual(caught.exception.label, label)
        with self.assertRaises(TypeError):
            tscatter.scatter_nd_update_15(self.data, INDICES, object())
        with self.assertRaises(TypeError):
            tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, 3)

    def test_memory_of_a_result(self):
        scatter = lambda out: tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, out=out)
        read_only = np.zeros(4, np.float32)
        read_only.flags.writeable = False
        long = np.zeros(7, np.float32)
        for out, label in (
            (np.zeros(4), "array.a3"),
            (np.zeros(3, np.float32), "array.a3"),
            (self.data[1:], "array.a4"),
            (self.updates, "array.a4"),
            (read_only, "array.a5"),
            (b"four" * 4, "array.a5"),
        ):
            with self.assertRaises(tscatter.UsageError) as caught:
                scatter(out)
            self.assertEqual(caught.exception.label, label)
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update_15(long[:4], INDICES, long[4:], out=long[1:5])
        self.assertEqual(caught.exception.label, "array.a4")
        np.testing.assert_array_equal(self.data, np.arange(4))

    def test_a_result_beside_a_change_in_place(self):
        out = np.zeros(4, np.float32)
        for data, result, got in ((self.data, out, "an array"), ("x.npy", out, "an array"), ("x.npy", "y.npy", "y.npy")):
            self.refused(
                tscatter.UsageError,
                "cli.c11",
                f"output: must be left out when data is changed in place, got {got} [cli.c11]",
                lambda data=data, result=result: tscatter.scatter_nd_update_15(data, INDICES, self.updates, out=result, in_place=True),
            )

    def test_what_no_operation_is(self):
        call = {"data": self.data, "indices": INDICES, "updates": self.updates}
        text = "^operation must be the name of an operation, or the function that applies it, got "
        for kind, wrong in (
            ("NoneType", lambda: tscatter.apply(None, **call)),
            ("int", lambda: tscatter.apply(3)),
            ("ndarray", lambda: tscatter.verify("ScatterNDUpdate-15", self.data)),
            ("ndarray", lambda: tscatter.assert_legal("ScatterNDUpdate-15", self.data, **call)),
            ("NoneType", lambda: tscatter.explain(None, **call)),
            ("ndarray", lambda: tscatter.generate(self.data, "q")),
        ):
            with self.assertRaisesRegex(TypeError, text + kind):
                wrong()
        self.assertEqual(tscatter.apply(np.str_("ScatterNDUpdate-15"), **call).tolist(), [20, 1, 30, 3])

    def test_a_result_in_a_read_only_dlpack_tensor(self):
        read_only = np.zeros(4, np.float32)
        read_only.flags.writeable = False
        try:
            read_only.__dlpack__(max_version=(1, 0))
        except (AttributeError, BufferError, TypeError):
            self.skipTest("this NumPy does not export it")
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, out=Packed(read_only))
        self.assertEqual(caught.exception.label, "array.a5")

    def test_array_a5_a_dlpack_tensor_that_cannot_say_whether_it_is_read_only(self):
        """As JAX and TensorFlow share arrays that nobody may change."""
        out = np.zeros(4, np.float32)
        self.refused(
            tscatter.UsageError,
            "array.a5",
            "output: the memory of a result must be writable, got memory that is read-only [array.a5]",
            lambda: tscatter.scatter_nd_update_15(self.data, INDICES, self.updates, out=Packed(out, versions=False)),
        )
        self.assertEqual(out.tolist(), [0, 0, 0, 0])
        self.assertEqual(tscatter.scatter_nd_update_15(Packed(self.data, versions=False), [[0]], [5]).tolist(), [5, 1, 2, 3])

    @unittest.skipIf(_testbuffer is None, "this Python has no buffers of records")
    def test_array_a1_records_in_a_buffer(self):
        for form in ("hi", "HI", "bh", "2i", "qn", "ef"):
            records = _testbuffer.ndarray([struct.unpack(form, bytes(struct.calcsize(form)))], shape=[1], format=form)
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update_15([0, 0], [[0]], records, reduction="sum")
            self.assertEqual((caught.exception.label, caught.exception.place), ("array.a1", "updates"), form)

    def test_tensor_t1_a_size_that_64_bits_do_not_hold(self):
        for shape, strides in (((1 << 70,), None), ((0, 1 << 64), None), ((1, 2), (1 << 65, 4)), ((-(1 << 70),), None)):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update_15(Claimed(self.data, shape, strides), INDICES, self.updates)
            self.assertEqual(caught.exception.label, "tensor.t1")

    def test_an_array_interface_without_an_address(self):
        claimed = Claimed(self.data, (4,), None)
        claimed.__array_interface__["data"] = None
        with self.assertRaisesRegex(TypeError, "an array interface must have an address"):
            tscatter.scatter_nd_update_15(claimed, INDICES, self.updates)

    def test_a_tensor_on_a_gpu(self):
        self.refused(
            tscatter.UsageError,
            "array.a6",
            "data: must be in the memory of the CPU, got cuda:1 [array.a6]",
            lambda: tscatter.scatter_nd_update_15(OnGpu(), INDICES, self.updates),
        )
        for data, updates, out in (
            (OnGpu(), self.updates, self.data),
            (self.data, OnGpu(), None),
            (self.data, self.updates, OnGpu()),
            (self.data, Packed(self.updates, device=(2, 1)), None),
        ):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update_15(data, INDICES, updates, out=out)
            self.assertEqual(caught.exception.label, "array.a6")

    def test_elements_that_a_mask_hides(self):
        masked = np.ma.array(self.data, mask=[False, True, False, False])
        self.refused(
            tscatter.UsageError,
            "array.a1",
            "data: a dtype must be one of fixed size, like float32 or <M8[ns], got masked elements [array.a1]",
            lambda: tscatter.scatter_nd_update_15(masked, INDICES, self.updates),
        )
        result = tscatter.scatter_nd_update_15(np.ma.array(self.data), [[0]], [5])
        self.assertEqual(result.tolist(), [5, 1, 2, 3])

    def test_what_no_number_is(self):
        for value in (object(), "one"):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update_15(self.data, [[0]], [value])
            self.assertEqual(caught.exception.label, "json.f2")


class Values(unittest.TestCase):
    """What has no memory to share gives its values."""

    def setUp(self):
        self.data = np.zeros(4, np.float32)
        self.indices = np.array([[0], [2]])
        self.updates = np.float32([5, 6])
        self.expected = [5, 0, 6, 0]

    def check(self, as_values):
        """as_values: what makes of a 1-d array what is given."""
        scatter = tscatter.scatter_nd_update_15
        self.assertEqual(scatter(self.data, self.indices, as_values(self.updates)).tolist(), self.expected)
        result = scatter(as_values(self.data), self.indices, self.updates)
        self.assertIs(type(result), np.ndarray)
        self.assertEqual((result.dtype, result.tolist()), (np.float32, self.expected))
        self.assertEqual(self.data.tolist(), [0, 0, 0, 0])
        item = as_values(np.array([0, 2]))
        self.assertEqual(tscatter.numpy.setitem(self.data, item, 7).tolist(), [7, 0, 7, 0])
        self.assertEqual(tscatter.numpy.setitem(np.zeros((3, 2)), (item, 1), 7).tolist(), [[0, 7], [0, 0], [0, 7]])
        self.assertEqual(tscatter.torch.index_put(self.data, [item], 7).tolist(), [7, 0, 7, 0])
        self.assertTrue(tscatter.compare(as_values(self.updates), self.updates)["match"])
        call = {"data": self.data, "indices": self.indices, "updates": self.updates}
        self.assertTrue(tscatter.verify(as_values(np.float32(self.expected)), "ScatterNDUpdate-15", **call)["legal"])
        kind = type(as_values(self.data)).__name__
        message = f"the memory of a result must be writable (give an array, or a path), got {kind}, which only gives its values"
        self.refused("output", "array.a5", message, lambda: scatter(self.data, self.indices, self.updates, out=as_values(self.data)))

    def refused(self, place, label, message, call):
        with self.assertRaises(tscatter.UsageError) as caught:
            call()
        self.assertEqual(str(caught.exception), f"{place}: {message} [{label}]")

    def refused_value(self, value, message):
        """As an operand that is read."""
        self.refused("updates", "array.a1", message, lambda: tscatter.scatter_nd_update_15(self.data, self.indices, value))

    def test_an_object_with_an_array(self):
        self.check(OnlyValues)
        data = OnlyValues(self.data)
        tscatter.scatter_nd_update_15(data, self.indices, self.updates)
        self.assertEqual(data.asked, 1)
        with self.assertWarnsRegex(tscatter.StridedCopyWarning, "^updates is neither in C nor in Fortran order"):
            tscatter.scatter_nd_update_15(self.data, self.indices, OnlyValues(np.repeat(self.updates, 2)[::2]))
        self.refused_value(OnlyValues(np.array([None, 1])), "a dtype must be one of fixed size, like float32 or <M8[ns], got |O")
        masked = OnlyValues(np.ma.array(self.updates, mask=[True, False]))
        self.refused_value(masked, "a dtype must be one of fixed size, like float32 or <M8[ns], got masked elements")

    def test_a_range(self):
        result = tscatter.scatter_update_3(range(4), range(1, 3), range(7, 9), 0)
        self.assertEqual((type(result), result.dtype, result.tolist()), (np.ndarray, np.int64, [0, 7, 8, 3]))
        self.assertEqual(tscatter.numpy.setitem(self.data, range(0, 4, 2), 7).tolist(), [7, 0, 7, 0])
        result = tscatter.slice_scatter_15(self.data, self.updates, range(1), range(2, 3), [1], axes=range(1))
        self.assertEqual(result.tolist(), [5, 6, 0, 0])
        self.assertEqual(tscatter.scatter_update_3(self.data, range(0), np.zeros(0, np.float32), 0).tolist(), [0, 0, 0, 0])
        message = "the memory of a result must be writable, got memory that is read-only"
        self.refused("output", "array.a5", message, lambda: tscatter.scatter_update_3([1], [0], range(1), 0, out=range(1)))

    def test_numbers_of_numpy(self):
        self.assertEqual(tscatter.numpy.setitem(self.data, np.int64(1), np.float32(7)).tolist(), [0, 7, 0, 0])
        self.assertEqual(tscatter.scatter_nd_update_15(self.data, list(self.indices), list(self.updates)).tolist(), self.expected)
        self.assertEqual(tscatter.scatter_nd_update_15(self.data, self.indices, [np.array(5), np.array([6])[0]]).tolist(), self.expected)
        one = np.float32(3)
        message = "the memory of a result must be writable, got memory that is read-only"
        self.refused("output", "array.a5", message, lambda: tscatter.torch.masked_fill(np.array(one), np.array(True), 7, out=one))

    def test_columns_and_tables_of_pandas(self):
        pandas = library_or_skip("pandas")
        self.check(pandas.Series)
        self.check(pandas.Index)
        self.check(lambda values: pandas.Series(values, dtype={"f": "Float32", "i": "Int64"}[values.dtype.kind]))
        table = pandas.DataFrame({"a": self.updates, "b": self.updates})
        self.assertEqual(tscatter.scatter_update_3(table, [1], [[7, 8]], 0).tolist(), [[5, 5], [7, 8]])
        self.assertEqual(tscatter.scatter_update_3(np.zeros((2, 2), np.float32), [0, 1], table, 0).tolist(), [[5, 5], [6, 6]])
        mask = pandas.Series([True, False, True, False])
        self.assertEqual(tscatter.numpy.setitem(self.data, mask, 7).tolist(), [7, 0, 7, 0])
        nan = pandas.Series([float("nan"), 1], dtype="f4")
        self.assertEqual(str(tscatter.scatter_nd_update_15(self.data, self.indices, nan)), "[nan  0.  1.  0.]")

    def test_what_pandas_has_no_numbers_for(self):
        pandas = library_or_skip("pandas")
        fixed = "a dtype must be one of fixed size, like float32"
        one = "a table must have one dtype in all columns (x.astype('float64') has one)"
        self.refused_value(pandas.Series([1, "a"], dtype=object), f"{fixed} (x.astype('float32') has one), got object")
        mixed = pandas.DataFrame({"a": [1, 2], "b": [1, 2], "c": [1.5, 2]})
        self.refused_value(mixed, f"{one}, got int64 in column a and float64 in column c")
        self.refused_value(pandas.DataFrame([["a", "b"]], dtype=object), f"{fixed} (x.astype('float32') has one), got object")
        self.refused_value(pandas.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype="Int64"), f"{fixed} (x.astype('int64') has one), got Int64")
        missing = "a value must not be missing (x.fillna(0) has all)"
        for dtype in ("Int64", "Float32", "category"):
            self.refused_value(pandas.Series([1, None], dtype=dtype), f"{missing}, got 1 missing")
        self.refused_value(pandas.DataFrame({"a": [1, None], "b": [None, None]}, dtype="Int64"), f"{missing}, got 3 missing")

    def test_columns_and_tables_of_polars(self):
        polars = library_or_skip("polars")
        self.check(polars.Series)
        table = polars.DataFrame({"a": self.updates, "b": self.updates})
        self.assertEqual(tscatter.scatter_update_3(table, [1], [[7, 8]], 0).tolist(), [[5, 5], [7, 8]])
        fixed = "a dtype must be one of fixed size, like float32 (x.cast(polars.Float32) has one)"
        one = "a table must have one dtype in all columns (x.cast(polars.Float64) has one), got Int64 in column a and Float64 in column b"
        self.refused_value(polars.DataFrame({"a": [1], "b": [1.5]}), one)
        self.refused_value(polars.Series([{"a": 1, "b": 1.5}]), one)
        short = polars.DataFrame({"a": [1], "b": [2]}, schema={"a": polars.UInt8, "b": polars.UInt16})
        unsigned = "a table must have one dtype in all columns (x.cast(polars.UInt16) has one), got UInt8 in column a and UInt16 in column b"
        self.refused_value(short, unsigned)
        self.refused_value(polars.Series([[1], [2, 3]]), f"{fixed}, got List(Int64)")
        for missing in (polars.Series([1.5, None]), polars.DataFrame({"a": [1, 2], "b": [None, 2]})):
            self.refused_value(missing, "a value must not be missing (x.fill_null(0) has all), got 1 missing")

    def test_columns_and_tables_of_pyarrow(self):
        pyarrow = library_or_skip("pyarrow")
        self.check(lambda values: pyarrow.chunked_array([values[:1], values[1:]]))
        column = pyarrow.array(self.updates)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(tscatter.scatter_nd_update_15(self.data, self.indices, column).tolist(), self.expected)
            mask = pyarrow.array([True, False, True, False])  # has no DLPack
            self.assertEqual(tscatter.torch.masked_fill(self.data, mask, 7).tolist(), [7, 0, 7, 0])
            self.refused_value(pyarrow.array([1.5, None]), "a value must not be missing (x.fill_null(0) has all), got 1 missing")
            mixed = pyarrow.table({"a": [1], "b": [1.5]})
            self.refused_value(mixed, "a table must have one dtype in all columns, got int64 in column a and double in column b")
            self.refused_value(pyarrow.table({"a": [1, None]}), "a value must not be missing, got 1 missing")

    def test_no_library_is_imported(self):
        code = (
            "import sys, array, tscatter\n"
            "class Values:\n"
            "    def __array__(self, dtype=None, copy=None):\n"
            "        import numpy\n"
            "        return numpy.array([5])\n"
            "print(tscatter.scatter_nd_update_15([1, 2], [[1]], Values()).tolist())\n"
            "print([name for name in ('pandas', 'polars', 'pyarrow', 'torch', 'jax') if name in sys.modules])\n"
        )
        printed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(printed.decode(), "[1, 5]\n[]\n")


class NeverWritten(unittest.TestCase):
    """Memory that may not be changed."""

    def check(self, out, values=None):
        data = np.float32([1, 2, 3, 4])
        before = np.array(out if values is None else values).tobytes()
        for given in (data, out):
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.scatter_nd_update_15(given, [[1]], np.float32([9]), out=out)
            self.assertEqual(
                str(caught.exception), "output: the memory of a result must be writable, got memory that is read-only [array.a5]"
            )
        self.assertEqual(np.array(out if values is None else values).tobytes(), before)

    def test_array_a5_memory_of_python(self):
        values = np.zeros(4, np.float32)
        self.check(memoryview(values).toreadonly())
        self.check(memoryview(bytes(16)).cast("f"))
        read_only = values[:]
        read_only.flags.writeable = False
        self.check(read_only)
        self.check(np.frombuffer(bytes(16), np.float32))
        self.check(np.broadcast_to(np.float32([1, 2, 3, 4]), 4))
        with tempfile.TemporaryFile() as file:
            file.write(bytes(16))
            file.flush()
            with mmap.mmap(file.fileno(), 16, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as whole, whole.cast("f") as view:
                self.check(view)

    def test_array_a5_memory_of_other_libraries(self):
        values = np.float32([1, 2, 3, 4])
        if importlib.util.find_spec("polars"):
            import polars

            column = polars.Series(values)
            self.check(column.to_numpy(), column)
        if importlib.util.find_spec("pandas"):
            import pandas

            array = pandas.Series(values).to_numpy()
            if not array.flags.writeable:  # since pandas 3
                self.check(array)
        if importlib.util.find_spec("pyarrow"):
            import pyarrow

            column = pyarrow.array(values)
            self.check(column)
            self.check(column.to_numpy())
            self.check(memoryview(pyarrow.py_buffer(bytes(16))).cast("B").cast("f"))
        if importlib.util.find_spec("jax"):
            import jax.numpy

            array = jax.numpy.asarray(values)
            self.check(array)
            self.check(np.asarray(array))
            self.check(memoryview(array))
            result = tscatter.scatter_nd_update_15(array, [[1]], np.float32([9]))
            self.assertEqual((type(result), result.tolist(), array.tolist()), (type(array), [1, 9, 3, 4], [1, 2, 3, 4]))


class Files(unittest.TestCase):
    """The exceptions of files are those of open(), too."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "x.npy")
        np.save(self.file, np.zeros(2, np.float32))

    def scatter(self, data, **keywords):
        return tscatter.scatter_nd_update_15(data, [[0]], [5.0], **keywords)

    def raised(self, kind, number, place, call):
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertIsInstance(error, tscatter.FileError)
        self.assertIsInstance(error, tscatter.Error)
        self.assertEqual((error.kind, error.errno, error.place, error.filename), ("file", number, place, place))
        self.assertEqual(error.strerror, os.strerror(number))
        self.assertEqual(str(error), f"{place}: {error.message} [{error.label}]")
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            self.assertIs(type(again), type(error))
            self.assertEqual((str(again), again.errno, again.label, again.message), (str(error), number, error.label, error.message))
        return error

    def test_file_f1_a_file_that_is_not_there(self):
        error = self.raised(FileNotFoundError, errno.ENOENT, "nowhere.npy", lambda: self.scatter("nowhere.npy"))
        self.assertEqual(error.label, "file.f1")
        nowhere = os.path.join(self.folder, "nowhere", "x.npy")
        for call in (
            lambda: self.scatter(nowhere),
            lambda: self.scatter(nowhere, in_place=True),
            lambda: self.scatter(self.file, out=nowhere),
            lambda: self.scatter({"raw": nowhere, "dtype": "f32", "shape": [2]}),
            lambda: tscatter.compare(self.file, nowhere),
            lambda: tscatter.run(nowhere),
        ):
            self.raised(FileNotFoundError, errno.ENOENT, nowhere, call)
        with self.assertRaises(FileNotFoundError):
            self.scatter(os.path.join(self.folder, "nowhere.npz:a"))

    def test_file_f2_a_directory(self):
        self.raised(IsADirectoryError, errno.EISDIR, self.folder, lambda: self.scatter(self.folder))
        self.raised(IsADirectoryError, errno.EISDIR, self.folder, lambda: self.scatter(self.file, out=self.folder))
        below = os.path.join(self.file, "x.npy")
        self.raised(NotADirectoryError, errno.ENOTDIR, below, lambda: self.scatter(below))

    @unittest.skipIf(os.geteuid() == 0 and not hasattr(os, "seteuid"), "nothing is forbidden to root")
    def test_file_f1_a_file_that_may_not_be_read(self):
        os.chmod(self.file, 0)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        if os.geteuid() == 0:
            os.seteuid(65534)
            self.addCleanup(os.seteuid, 0)
        self.raised(PermissionError, errno.EACCES, self.file, lambda: self.scatter(self.file))
        out = os.path.join(self.folder, "y.npy")
        self.raised(PermissionError, errno.EACCES, out, lambda: self.scatter([1.0], out=out))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_file_f5_a_full_disk(self):
        error = self.raised(OSError, errno.ENOSPC, "/dev/full", lambda: self.scatter(self.file, out="/dev/full"))
        self.assertIs(type(error), tscatter.FileError)

    def test_a_reason_of_its_own(self):
        np.savez(os.path.join(self.folder, "x.npz"), a=np.zeros(2))
        with self.assertRaises(tscatter.FileError) as caught:
            self.scatter(os.path.join(self.folder, "x.npz:permission denied"))
        self.assertIs(type(caught.exception), tscatter.FileError)
        self.assertEqual((caught.exception.label, caught.exception.errno, caught.exception.filename), ("npz.z13", None, None))


class WithoutNumPy(unittest.TestCase):
    def test_the_module_needs_none(self):
        code = (
            "import sys; sys.modules['numpy'] = None\n"
            "import array, tscatter\n"
            "print(tscatter.scatter_nd_update_15(array.array('i', [1, 2]), [[1]], [5]).tolist())\n"
            "print(tscatter.verify([1, 5], 'ScatterNDUpdate-15', data=[1, 2], indices=[[1]], updates=[5])['legal'])\n"
            "import ctypes, mmap, warnings; warnings.simplefilter('ignore')\n"
            "halves = memoryview(array.array('i', [1, 0, 2, 0]))[::2]\n"
            "print(tscatter.scatter_nd_update_15(halves, [[1]], [5]).tolist())\n"
            "print(list(tscatter.scatter_nd_update_15((ctypes.c_int * 2)(1, 2), [[1]], [5])))\n"
            "print(tscatter.scatter_nd_update_15(mmap.mmap(-1, 2), [[1]], [5]).tolist())\n"
            "print(tscatter.scatter_nd_update_15(array.array('q', [1, 2]), [[1]], range(5, 6)).tolist())\n"
        )
        printed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(printed.decode(), "[1, 5]\nTrue\n[1, 5]\n[1, 5]\n[0, 5]\n[1, 5]\n")


if __name__ == "__main__":
    unittest.main()
