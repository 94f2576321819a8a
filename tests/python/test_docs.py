"""The examples of docs/python.md print what stands there."""

import doctest
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


class Docs(unittest.TestCase):
    def test_examples(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 5)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", str(PAGE), 0)
        self.maxDiff = None
        lines = []
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
                runner.run(test, out=lines.append)
            finally:
                os.chdir(here)
        self.assertEqual("".join(lines), "")


class TestingARuntime(unittest.TestCase):
    def test_the_first_example(self):
        page = PAGE.with_name("testing-a-runtime.md").read_text()
        code = re.search(r"^    venv/bin/python - <<'END'\n(.*?)^    END$", page, re.MULTILINE | re.DOTALL)[1]
        exec(textwrap.dedent(code), {})


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
        self.assertEqual(self.refused([], text="# none\n"), "numpy_cases.py: error: DIR/cases.jsonl must have a case, got none")
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
