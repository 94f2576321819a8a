"""The module as a package installs it: with type stubs, and with the metadata by which pytest finds the plug-in."""

import ast
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tscatter

SCRIPT = pathlib.Path(__file__).parents[2] / "packaging/wheel/module_files.py"


def installed_files(folder):
    library = os.environ["TSCATTER_LIBRARY"]
    command = [sys.executable, SCRIPT, "--version", tscatter.__version__, "--library", library, "--output", folder]
    subprocess.run(command, check=True)


@unittest.skipUnless("TSCATTER_LIBRARY" in os.environ, "the library is not named")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        installed_files(cls.folder.name)

    def test_it_is_imported_from_there(self):
        code = "import tscatter, sys; print(tscatter.__file__); assert 'numpy' not in sys.modules"
        environment = {**os.environ, "PYTHONPATH": self.folder.name}
        printed = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(printed.decode().strip(), str(self.path / "tscatter/__init__.py"))

    def test_pytest_finds_the_plug_in(self):
        (found,) = importlib.metadata.distributions(name="tscatter", path=[self.folder.name])
        self.assertEqual(found.version, tscatter.__version__)
        points = [(point.group, point.name, point.value) for point in found.entry_points]
        self.assertEqual(points, [("pytest11", "tscatter", "tscatter.pytest_plugin")])

    def test_each_function_has_a_stub(self):
        for space, module in (("__init__", tscatter), ("onnx", tscatter.onnx), ("torch", tscatter.torch)):
            stub = ast.parse((self.path / f"tscatter/{space}.pyi").read_text())
            functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
            wanted = {name for name in vars(module) if name.startswith("scatter_")}
            self.assertTrue(wanted)
            self.assertLessEqual(wanted, functions)

    def test_the_order_of_pytorch_s_arguments(self):
        stub = ast.parse((self.path / "tscatter/torch.pyi").read_text())
        found = {node.name: [each.arg for each in node.args.args] for node in reversed(stub.body) if isinstance(node, ast.FunctionDef)}
        self.assertEqual(found["scatter_reduce"], ["input", "dim", "index", "src", "reduce"])
        self.assertEqual(found["slice_scatter"], ["input", "src", "dim", "start", "end", "step"])
        self.assertEqual(found["masked_fill"], ["input", "mask", "value"])

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_a_type_checker_takes_the_hints(self):
        right = [
            "tscatter.scatter_nd_update(x, x, x, reduction='sum', memory='2G', dry_run=True)",
            "tscatter.scatter_nd_update(x, x, x, dtype=float)",
            "tscatter.testing.run_suite('ScatterUpdate-3', lambda **case: None, count=3, dtype='float32')['cases'] + 1",
            "tscatter.testing.Case('ScatterUpdate-3', {}, {}).python().splitlines()",
            "tscatter.verify(x, tscatter.scatter_update, data=x)['legal']",
            "tscatter.torch.scatter_reduce(x, 1, x, x, 'amax', include_self=None)",
            "tscatter.torch.slice_scatter(x, x, 0, None, None, step=2)",
            "tscatter.torch.index_put(x, (x, slice(None), ...), 7, accumulate=True)",
            "tscatter.torch.scatter(x, 0, x, value=1 + 2j)",
        ]
        wrong = [
            "tscatter.scatter_nd_update(x, x, x, reduction='sun')",
            "tscatter.testing.run_suite('ScatterUpdate-3', 3)",
            "tscatter.testing.run_suite('ScatterUpdate-3', print) + 1",
            "tscatter.torch.scatter_reduce(x, 1, x, x, 'max')",
            "tscatter.torch.scatter_add(x, x, x, index=1)",
        ]
        self.assertEqual(self.complaints(right), set())
        self.assertEqual(self.complaints(wrong), {3, 4, 5, 6, 7})

    def complaints(self, lines):
        """The numbers of the lines that mypy does not take, which begin with 3."""
        file = self.path / "hints.py"
        file.write_text("import tscatter.testing\nx: object = None\n" + "\n".join(lines) + "\n")
        words = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.10", "--cache-dir", self.path / "cache", file]
        environment = {**os.environ, "MYPYPATH": self.folder.name, "PYTHONPATH": ""}
        printed = subprocess.run(words, env=environment, stdout=subprocess.PIPE, cwd=self.folder.name).stdout.decode()
        self.assertRegex(printed, "Success|Found")
        return {int(line) for line in re.findall(r"hints\.py:(\d+): error", printed)}


if __name__ == "__main__":
    unittest.main()
