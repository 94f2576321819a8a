"""The examples of docs/python.md and docs/testing-a-runtime.md print what stands there."""

import doctest
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tscatter
import tscatter.testing

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"
KERNELS = PAGE.with_name("testing-a-runtime.md")


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def what_differs(page, examples):
    """Of examples as in a session of Python, "" if they print what stands there."""
    test = doctest.DocTestParser().get_doctest("\n".join(examples), {}, page.name, str(page), 0)
    lines = []
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=lines.append)
        finally:
            os.chdir(here)
    return "".join(lines)


class Docs(unittest.TestCase):
    maxDiff = None

    def test_examples(self):
        examples = blocks(PAGE, "python")
        self.assertGreaterEqual(len(examples), 5)
        self.assertEqual(what_differs(PAGE, examples), "")


def forgets_duplicates(input, dim, index, source):
    input[index] += source


def forgets_the_last_block(input, dim, index, source):
    whole = len(index) // 16 * 16
    return add(input, dim, index[:whole], source[:whole])


def add(input, dim, index, source):
    return tscatter.torch.index_add(input, dim, index, source)


def adds_data_twice(input, dim, index, source):
    result = add(input, dim, index, source)
    result[index] += input[index]
    return result


def along_the_first_axis(input, dim, index, src):
    try:
        return tscatter.torch.scatter_add(input, 0, index, src)
    except tscatter.RuleError:
        raise unittest.SkipTest("it does not fit") from None


def computed_as(dtype):
    return lambda input, dim, index, source: add(input.astype(dtype), dim, index, source.astype(dtype)).astype(input.dtype)


def flushed(array):
    return np.where(np.abs(array) < np.finfo(array.dtype).tiny, np.copysign(array.dtype.type(0), array), array)


def with_one_nan(**case):
    result = tscatter.torch.index_copy(**case)
    result[np.isnan(result)] = np.nan
    return result


def tears_rows(input, dim, index, source):
    result = tscatter.torch.index_copy(input, dim, index, source)
    result[:, :1] = tscatter.torch.index_copy(input, dim, index[::-1].copy(), source[::-1].copy())[:, :1]
    return result


LIST = {"ranks": 1, "dim": 0, "alpha": 1, "plain": True, "dtype": "float32", "duplicates": "heavy"}
# Words of the table of symptoms: the operation, a kernel of which a report says them, and options.
SYMPTOMS = {
    "without index[": ("index_add", forgets_duplicates, LIST),
    "without index[48] to index[54]": ("index_add", forgets_the_last_block, LIST),
    "no update applied": ("index_add", lambda input, **others: input, LIST),
    "every update twice": ("index_add", lambda input, dim, index, source: add(add(input, dim, index, source), dim, index, source), LIST),
    "data's value twice": ("index_add", adds_data_twice, LIST),
    "as with the reduction none": ("index_add", lambda **case: tscatter.torch.index_copy(**case), LIST),
    "as with include_self=False": ("scatter_reduce", lambda include_self, **case: tscatter.torch.scatter_reduce(include_self=False, **case), {"reduce": "sum", "include_self": True}),
    "as with alpha=1": ("index_add", add, {**LIST, "alpha": 2}),
    "along axis 0": ("scatter_add", along_the_first_axis, {"ranks": 2, "dim": 1}),
    "index off by +1": ("index_add", lambda input, dim, index, source: add(input, dim, (index + 1) % input.shape[0], source), {**LIST, "duplicates": "none"}),
    "computed in int32": ("index_add", computed_as(np.int32), {**LIST, "dtype": "int64", "values": "full"}),
    "computed in float32": ("index_add", computed_as(np.float32), {**LIST, "dtype": "float64", "values": "rounding"}),
    'as with accumulate="step"': ("scatter_add", lambda **case: tscatter.torch.scatter_add(accumulate="step", **case), {"dtype": "float16", "values": "rounding"}),
    'as with extremes="': ("scatter_reduce", lambda **case: tscatter.torch.scatter_reduce(extremes="update", **case), {"reduce": "amax", "values": "special"}),
    "a NaN replaced by the one without payload": ("index_copy", with_one_nan, {"values": "full"}),
    "got 0.0, in order -0.0": ("index_copy", lambda **case: tscatter.torch.index_copy(**case) + np.float32(0), {"values": "special"}),
    "subnormal numbers flushed to zero": ("index_add", lambda input, dim, index, source: flushed(add(flushed(input), dim, index, flushed(source))), {**LIST, "values": "special"}),
    "torn": ("index_copy", tears_rows, {"ranks": 2, "dim": 0, "plain": True, "duplicates": "heavy", "values": "exact"}),
}


class TestingAKernel(unittest.TestCase):
    maxDiff = None

    def test_examples_of_python(self):
        examples = [block for block in blocks(KERNELS, "python") if block.startswith(">>> ")]
        self.assertGreaterEqual(len(examples), 1)
        self.assertEqual(what_differs(KERNELS, examples), "")

    @unittest.skipIf(importlib.util.find_spec("torch") is None or importlib.util.find_spec("pytest") is None, "torch or pytest is not installed")
    def test_examples_of_pytest(self):
        """A block begins with the name of its file; one of the same name goes on in it."""
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks(KERNELS, "python"):
                if not block.startswith(">>> "):
                    name = re.match(r"# (test_\w+\.py)\n", block)[1]
                    with open(os.path.join(folder, name), "a") as file:
                        file.write(block)
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, env={**os.environ, "COLUMNS": "80", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
        printed = "\n".join(line.rstrip() for line in done.stdout.decode().splitlines())
        shown = [block for block in blocks(KERNELS, "text") if block.startswith("$ pytest ")]
        self.assertGreaterEqual(len(shown), 2)
        for block in shown:
            self.show(block, printed)
        failed = re.findall(r"^FAILED \S+::(\w+\[\S+\])", printed, re.MULTILINE)
        self.assertEqual([each for each in failed if not re.match(r"test_my_scatter_add\[.*-(some|heavy)-", each)], [])

    def show(self, block, printed):
        """Each part between lines of … is printed, one after the other."""
        _, text = block.split("\n", 1)
        place = 0
        for part in re.split("^…\n", text, flags=re.MULTILINE):
            place = printed.find("\n" + part.rstrip("\n"), place)
            self.assertGreaterEqual(place, 0, f"{part}is not in\n{printed}")

    def test_symptoms(self):
        page = KERNELS.read_text()
        for words, (name, kernel, options) in SYMPTOMS.items():
            with self.subTest(words), np.errstate(all="ignore"):
                self.assertIn(words, page[page.index("## Symptoms") :])
                options = {"count": 12, "dtype": "float32", "max_elements": 1000, "failures": "all", "shrink": False, **options}
                with self.assertRaises(tscatter.NotLegal) as caught:
                    tscatter.testing.run_suite(f"torch.{name}", lambda alpha=1, **case: kernel(**case), **options)
                self.assertIn(words, "\n".join(reason for _, reason in caught.exception.result.failures))


class Runtimes(unittest.TestCase):
    """What the scripts of docs/runtimes cannot use is one line, not a traceback."""

    def refused(self, words, missing=(), text=None, script="numpy_cases.py"):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                (pathlib.Path(folder) / "cases.jsonl").write_text(text)
            path = PAGE.parent / "runtimes" / script
            hidden = "".join(f"sys.modules[{name!r}] = None; " for name in missing)
            code = f"import runpy, sys; {hidden}sys.path.insert(0, {str(path.parent)!r}); sys.argv = [{script!r}, *sys.argv[1:]]; "
            command = [sys.executable, "-B", "-c", code + f"runpy.run_path({str(path)!r}, run_name='__main__')", folder, *words]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, b"")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr.decode())
            return done.stderr.decode().strip().replace(folder, "DIR")

    @unittest.skipIf(importlib.util.find_spec("ml_dtypes") is None, "ml_dtypes is not installed")
    def test_cases_that_are_none(self):
        wanted = "must be an object of JSON with a name without / and an op, got"
        for line in ("x", '{"op": "ScatterUpdate-3"}', "[1]", "null", '{"name": "a/b", "op": "ScatterUpdate-3"}', '{"name": "a"}'):
            printed = self.refused([], text=f"# a comment\n\n{line}\n")
            self.assertEqual(printed, f"numpy_cases.py: error: DIR/cases.jsonl:3 {wanted} {line}")
        self.assertEqual(self.refused([], text="# none\n"), "numpy_cases.py: error: DIR/cases.jsonl has no case")
        printed = self.refused([])
        self.assertEqual(printed, "numpy_cases.py: error: DIR must have a cases.jsonl, as tscatter generate writes it, got DIR")
        text = '{"name": "a", "op": "ScatterUpdate-3"}\n'
        for name in ("a/b", "", "..", "cases"):
            printed = self.refused(["--name", name], text=text)
            self.assertEqual(printed, f"numpy_cases.py: error: --name must be a name without / other than cases, got {name}".strip())
        self.assertIn("--filter must leave at least one case, got ['b']", self.refused(["--filter", "b"], text=text))

    def test_a_runtime_that_is_missing(self):
        for script, name in (("torch_cases.py", "torch"), ("numpy_cases.py", "ml_dtypes"), ("openvino_cases.py", "openvino"), ("jax_cases.py", "jax")):
            printed = self.refused([], missing=[name], script=script)
            self.assertEqual(printed, f"{script}: error: needs {name}, which this Python does not have")


if __name__ == "__main__":
    unittest.main()
