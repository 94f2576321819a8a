"""tscatter.at(x)[index].set(values) and its like against NumPy, on arrays and in files.

TSCATTER_SEED draws other calls.
"""

import array
import importlib.util
import operator
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
from test_index import random_data, random_index, some_ones, takes, values

import tscatter

WORDS = {"set": None, "add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
SEED = int(os.environ.get("TSCATTER_SEED", "1"))
ROUND = 300


def read(data, index):
    """What NumPy reads; None if it refuses the index."""
    try:
        return data[index]
    except (IndexError, ValueError):
        return None


def random_call(rng):
    """(word, data, index, updates, what NumPy makes of data)"""
    while True:
        word, data = list(WORDS)[rng.integers(len(WORDS))], random_data(rng)
        index = random_index(rng, data.shape)
        found = read(data, index)
        if found is None or not takes(WORDS[word], data.dtype):
            continue
        updates = values(rng, some_ones(rng, found.shape) if rng.random() < 0.5 else found.shape, data.dtype.newbyteorder("="))
        return word, data, index, updates, changed(word, data, index, np.broadcast_to(updates, found.shape).copy())


def changed(word, data, index, updates):
    result = data.copy(order="K")
    if word == "set":
        result[index] = updates
    else:
        WORDS[word].at(result, index, updates)
    return result


def spelled(rng, index, folder):
    """The index with some of its arrays as lists, as files, and as words; one item alone, not in a tuple."""
    items = tuple(spelled_item(rng, item, f"{folder}/{place}.npy") for place, item in enumerate(index))
    return items[0] if len(items) == 1 and rng.random() < 0.5 else items


def spelled_item(rng, item, path):
    kind = rng.choice(["as it is", "list", "path", "word"])
    if not isinstance(item, np.ndarray):
        return np.int16(item) if kind == "list" and isinstance(item, int) else item
    if kind == "as it is" or (kind == "list" and not item.size):
        return item
    if kind == "list":
        return item.tolist()
    np.save(path, item)
    return pathlib.Path(path) if kind == "path" else f"~~{path}" if item.dtype == bool else path


class AtTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def assertSame(self, got, expected):
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape))
        self.assertEqual(got.tobytes(), expected.tobytes())

    def assertRaisesExactly(self, kind, message, call):
        with self.assertRaises(kind) as raised:
            call()
        self.assertEqual(str(raised.exception), message)


class RandomCalls(AtTest):
    def for_calls(self, check):
        rng = np.random.default_rng(SEED)
        for place in range(ROUND):
            call = random_call(rng)
            with self.subTest(seed=SEED, place=place, word=call[0], index=call[2]):
                check(rng, *call)

    def test_arrays(self):
        def check(rng, word, data, index, updates, expected):
            before = data.copy(order="K")
            place = tscatter.at(data)[spelled(rng, index, self.folder)]
            self.assertSame(place.get(), np.array(data[index], data.dtype))
            self.assertSame(getattr(place, word)(updates), expected)
            self.assertSame(data, before)
            self.assertIs(getattr(place, word)(updates, out=data), data)
            self.assertSame(data, expected)

        self.for_calls(check)

    def test_files_of_numpy(self):
        path = self.path("a.npy")

        def check(rng, word, data, index, updates, expected):
            np.save(path, data)
            found, index = np.array(data[index], data.dtype), spelled(rng, index, self.folder)
            place = tscatter.at(pathlib.Path(path) if rng.random() < 0.5 else path)[index]
            self.assertSame(place.get(), found)
            self.assertEqual(getattr(place, word)(updates)["output"], path)
            self.assertSame(np.load(path), expected)

        self.for_calls(check)

    def test_members_of_safetensors(self):
        file, member = self.path("m.safetensors"), self.path("m.safetensors:w")

        def check(_, word, data, index, updates, expected):
            if data.dtype.kind == "c" or data.dtype.byteorder == ">":
                return
            pathlib.Path(file).unlink(missing_ok=True)
            tscatter.at(data)[...].get(out=member)
            place = tscatter.at(member)[index]
            self.assertSame(place.get(), np.array(data[index], data.dtype))
            getattr(place, word)(updates)
            self.assertSame(tscatter.at(member)[...].get(), expected)

        self.for_calls(check)

    def test_members_of_npz(self):
        file, member = self.path("m.npz"), self.path("m.npz:w")

        def check(_, word, data, index, updates, expected):
            np.savez(file, w=data, v=updates)
            place = tscatter.at(member)[index]
            self.assertSame(place.get(), np.array(data[index], data.dtype))
            self.assertEqual(getattr(place, word)(updates, out=member)["output"], member)
            with np.load(file) as archive:
                self.assertSame(archive["w"], expected)
                self.assertSame(archive["v"], updates)

        self.for_calls(check)


class Files(AtTest):
    def setUp(self):
        super().setUp()
        self.data = np.arange(12, dtype=np.float32).reshape(4, 3)
        self.file = self.path("a.npy")
        np.save(self.file, self.data)

    def bytes(self):
        return pathlib.Path(self.file).read_bytes()

    def test_a_refused_index_leaves_the_file(self):
        before = self.bytes()
        place = tscatter.at(self.file)[[0, 9]]
        label = f"numpy.setitem: [0, 9][1] must be in [-4, 4) for axis 0 of {self.file}, got 9 [numpy.setitem.c6]"
        self.assertRaisesExactly(tscatter.RuleError, label, lambda: place.set(1))
        self.assertEqual(self.bytes(), before)
        label = f"numpy.getitem: [0, 9][1] must be in [-4, 4) for axis 0 of {self.file}, got 9 [numpy.getitem.c6]"
        self.assertRaisesExactly(tscatter.RuleError, label, place.get)
        self.assertRaisesExactly(tscatter.RuleError, label, lambda: place.get(out=self.path("b.npy")))
        self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_words_about_data_and_about_files(self):
        np.save(self.path("x.npy"), [5, 1, 9, 1])
        self.assertEqual(tscatter.at(self.file)["> 9"].get().tolist(), [10, 11])
        tscatter.at(self.file)[f"{self.path('x.npy')} < 2", 0].set([np.nan, -1])
        self.assertEqual(tscatter.at(self.file)["isnan"].set(7)["elements_written"], 1)
        self.assertEqual(np.load(self.file)[:, 0].tolist(), [0, 7, 6, -1])
        self.assertEqual(tscatter.at(self.data)[()].get().tolist(), self.data.tolist())

    def test_options_are_those_of_the_operation(self):
        before = self.bytes()
        report = tscatter.at(self.file)[0].add(1, dry_run=True)
        self.assertEqual((report["op"], report["in_place"], report["elements_written"]), ("numpy.add.at", True, 3))
        self.assertEqual(self.bytes(), before)
        tscatter.at(self.file)[[0, 9]].add(1, oob="drop-window", threads=1, memory="1G", sync=True, wait=60)
        self.assertEqual(np.load(self.file)[0].tolist(), [1, 2, 3])
        message = "numpy.setitem() got an unexpected keyword argument 'colour' [cli.c2]"
        self.assertRaisesExactly(tscatter.UsageError, message, lambda: tscatter.at(self.file)[0].set(1, colour="blue"))

    def test_a_result_beside_the_file(self):
        before, other = self.bytes(), self.path("b.npy")
        self.assertEqual(tscatter.at(self.file)[0].mul(2, out=other)["output"], other)
        self.assertEqual(np.load(other)[0].tolist(), [0, 2, 4])
        out = np.empty_like(self.data)
        self.assertIs(tscatter.at(self.file)[0].sub(1, out=out), out)
        self.assertEqual(out[0].tolist(), [-1, 0, 1])
        self.assertEqual(tscatter.at(self.file)[0].set(5, in_place=False)[0].tolist(), [5, 5, 5])
        self.assertEqual(tscatter.at(self.file)[1:, 0].get(out=other)["shape"], [3])
        self.assertEqual(np.load(other).tolist(), [3, 6, 9])
        self.assertEqual(self.bytes(), before)

    def test_reading_into_memory(self):
        out = np.zeros(3, np.float32)
        for x in (self.file, self.data):
            self.assertIs(tscatter.at(x)[1].get(out=out), out)
            self.assertEqual(out.tolist(), [3, 4, 5])
        message = "output: the memory of the result must be float32 [4] in C order, got float32 [3] in C order [array.a3]"
        self.assertRaisesExactly(tscatter.UsageError, message, lambda: tscatter.at(self.data)[:, 0].get(out=out))
        self.assertEqual(tscatter.at(self.data)[1].get(dry_run=True)["shape"], [3])

    def test_raw_bytes(self):
        self.data.tofile(self.path("x.bin"))
        raw = {"raw": self.path("x.bin"), "dtype": "float32", "shape": [4, 3]}
        tscatter.at(raw)[0].max(1.5)
        self.assertEqual(tscatter.at(raw)[0].get().tolist(), [1.5, 1.5, 2])
        self.assertEqual(tscatter.at(f"4x3xf32=@{self.path('x.bin')}")[-1, -1].get().tolist(), 11)

    def test_a_member_of_npz_is_not_changed_in_place(self):
        np.savez(self.path("m.npz"), w=self.data)
        member = self.path("m.npz:w")
        message = (
            "data: must be x.npy, x.pb, x.onnx:name, x.safetensors:name, x.safetensors.index.json:name or 4x3xf32=@path to be changed "
            f'in place, got the member {member} (out="{member}" rewrites the archive) [cli.c30]'
        )
        self.assertRaisesExactly(tscatter.UsageError, message, lambda: tscatter.at(member)[0].set(1))
        with self.assertRaises(tscatter.UsageError) as raised:
            tscatter.at(member)[0].set(1)
        self.assertTrue(raised.exception.message.endswith(f'(out="{member}" rewrites the archive)'), raised.exception.message)
        tscatter.at(member)[0].set(1, out=member)
        self.assertEqual(tscatter.at(member)[0].get().tolist(), [1, 1, 1])


class Kinds(AtTest):
    def test_lists_and_buffers(self):
        self.assertEqual(tscatter.at([1, 2, 3])[[0, 0]].add(5).tolist(), [11, 2, 3])
        self.assertEqual(tscatter.at([1, 2, 3])[1:].get().tolist(), [2, 3])
        numbers = array.array("h", [1, 2, 3])
        self.assertEqual(tscatter.at(numbers)[0].set(9), array.array("h", [9, 2, 3]))
        self.assertSame(tscatter.at(numbers)[1:].get(), np.int16([2, 3]))

    def test_values_are_cast_within_a_kind(self):
        data = np.zeros(2, np.float16)
        self.assertEqual(tscatter.at(data)[0].set(np.float64(1.5)).tolist(), [1.5, 0])
        self.assertEqual(tscatter.at(data)[:].set(np.float64([1, 2])).tolist(), [1, 2])
        message = "numpy.setitem: updates must have data's dtype float16 (cast=\"same-kind\"), got float64 [numpy.setitem.c8]"
        for call in (
            lambda: tscatter.at(data)[:].set(np.float64([1, 2]), cast="no"),
            lambda: tscatter.numpy.setitem(data, slice(None), np.float64([1, 2])),
        ):
            self.assertRaisesExactly(tscatter.RuleError, message, call)
        message = "updates: updates must be of a dtype that casts to int32 by same-kind (cast=\"unsafe\"), got float64 [cast.k1]"
        self.assertRaisesExactly(tscatter.RuleError, message, lambda: tscatter.at(np.int32([0]))[:].set(np.float64([1.5])))

    def test_an_operand_with_gaps_is_copied_with_a_warning_about_the_caller(self):
        for call in (lambda place: place.get(), lambda place: place.set(0)):
            with self.assertWarns(tscatter.StridedCopyWarning) as warned:
                call(tscatter.at(np.zeros((4, 4))[:, ::2])[0])
            self.assertEqual(warned.filename, __file__)

    @unittest.skipIf(importlib.util.find_spec("ml_dtypes") is None, "ml_dtypes is not installed")
    def test_dtypes_of_ml_dtypes(self):
        import ml_dtypes

        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            data = np.arange(4).astype(getattr(ml_dtypes, name))
            member = self.path(f"{name}.safetensors:w")
            tscatter.at(data)[...].get(out=member)
            tscatter.at(member)[[0, 0]].set(data[2:])
            self.assertSame(tscatter.at(member)[:2].get(), data[[3, 1]])
            self.assertSame(tscatter.at(data)[1:].get(), data[1:])

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed")
    def test_tensors_of_pytorch(self):
        import torch

        data = torch.arange(6, dtype=torch.bfloat16).reshape(3, 2)
        self.assertTrue(torch.equal(tscatter.at(data)[torch.tensor([0, 2])].get(), data[torch.tensor([0, 2])]))
        self.assertEqual(tscatter.at(data)[torch.tensor([0, 0]), 1].add(1).tolist(), [[0, 3], [2, 3], [4, 5]])
        self.assertEqual(tscatter.at(data)[::-1].get().tolist(), [[4, 5], [2, 3], [0, 1]])


class Words(AtTest):
    def test_without_an_index(self):
        for word in (*WORDS, "get"):
            given = "" if word == "get" else "values"
            message = f"tscatter.at(x) must be followed by an index: write tscatter.at(x)[index].{word}({given})"
            self.assertRaisesExactly(TypeError, message, lambda word=word: getattr(tscatter.at("a.npy"), word)(1))

    def test_an_assignment(self):
        def assign():
            tscatter.at("a.npy")[0] = 1

        message = "tscatter.at(x)[index] must not be assigned to: write tscatter.at(x)[index].set(values)"
        self.assertRaisesExactly(TypeError, message, assign)

    def test_words_of_other_libraries(self):
        place = tscatter.at(np.zeros(3))[0]
        self.assertRaisesExactly(AttributeError, "tscatter.at(x)[index] has no subtract: use sub", lambda: place.subtract(1))
        self.assertRaisesExactly(AttributeError, "tscatter.at(x)[index] has no apply", lambda: place.apply(abs))

    def test_an_assignment_with_an_operator(self):
        for operator_of, word in ((operator.iadd, "add"), (operator.isub, "sub"), (operator.imul, "mul")):
            message = f"tscatter.at(x)[index] is no array: write tscatter.at(x)[index].{word}(values)"
            self.assertRaisesExactly(TypeError, message, lambda apart=operator_of: apart(tscatter.at(np.zeros(3))[0], 1))

    def test_what_is_no_tensor(self):
        message = "data must be an array, a path, a list, a number or a dict with data or raw, got object"
        self.assertRaisesExactly(TypeError, message, lambda: tscatter.at(object())[0].set(1))

    def test_texts(self):
        x = np.zeros((3, 2), np.float32)
        self.assertEqual(repr(tscatter.at(x)), "tscatter.at(<float32 [3, 2]>)")
        self.assertEqual(repr(tscatter.at(pathlib.Path("a.npy"))), "tscatter.at('a.npy')")
        place = tscatter.at("a.npy")[1, ::2, None, ..., [0, 1], np.array([1]), "isnan"]
        self.assertEqual(repr(place), "tscatter.at('a.npy')[1, ::2, None, ..., [0, 1], <int64 [1]>, 'isnan']")
        self.assertEqual(repr(tscatter.at([1, 2])[()]), "tscatter.at([1, 2])[...]")
        self.assertIn("numpy.add.at", tscatter.at(x)[0].add.__doc__)
        self.assertEqual(tscatter._at.AtIndex.add.__qualname__, "AtIndex.add")

    def test_a_report_is_a_dict(self):
        report = tscatter.at([1, 2])[0].set(3, dry_run=True)
        self.assertIsInstance(report, dict)
        self.assertEqual(pickle.loads(pickle.dumps(report)), report)


if __name__ == "__main__":
    unittest.main()
