"""run_suite() and the pytest plug-in."""

import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tscatter
import tscatter.testing

try:
    import pytest
except ImportError:
    pytest = None


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

    def test_an_exception_is_a_failure(self):
        def raises(data, indices, updates, reduction):
            if len(updates) > 1:
                raise RuntimeError("not more than one")
            return in_order(data, indices, updates, reduction)

        with self.assertRaisesRegex(tscatter.NotLegal, "RuntimeError: not more than one"):
            tscatter.testing.run_suite("ScatterNDUpdate-15", raises, count=20, dtype="int32", reduction="sum")

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
            self.assertIn("bad: 1 of 2 elements differ", text)
            self.assertIn("[batch.b7]", text)
            self.assertEqual(self.run_pytest(folder, "--tscatter", "-k", "good")[0], 0)
            self.assertIn("no tests ran", self.run_pytest(folder)[1])


if __name__ == "__main__":
    unittest.main()
