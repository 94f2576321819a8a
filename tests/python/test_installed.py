"""The module as a package installs it: with type stubs, and with the metadata by which pytest finds the plug-in."""

import ast
import importlib.metadata
import os
import pathlib
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
        spaces = {"__init__": tscatter, "onnx": tscatter.onnx, "torch": tscatter.torch, "tf/__init__": tscatter.tf, "numpy/__init__": tscatter.numpy}
        spaces |= {"jax/at": tscatter.jax.at, "jax/lax": tscatter.jax.lax, "stablehlo": tscatter.stablehlo, "xla": tscatter.xla, "paddle/__init__": tscatter.paddle, "paddle/geometric": tscatter.paddle.geometric}
        for space, module in {**spaces, "numpy/add": tscatter.numpy.add, "generic": tscatter.generic}.items():
            stub = ast.parse((self.path / f"tscatter/{space}.pyi").read_text())
            functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
            functions |= {node.targets[0].id for node in stub.body if isinstance(node, ast.Assign)}
            wanted = {name for name, each in vars(module).items() if hasattr(each, "operation")}
            self.assertTrue(wanted)
            self.assertLessEqual(wanted, functions)

    def arguments_in(self, stub):
        """Of each function those that may be given without their names."""
        nodes = reversed(ast.parse((self.path / stub).read_text()).body)
        return {node.name: [each.arg for each in node.args.args] for node in nodes if isinstance(node, ast.FunctionDef)}

    def test_the_order_of_pytorch_s_arguments(self):
        found = self.arguments_in("tscatter/torch.pyi")
        self.assertEqual(found["scatter_reduce"], ["input", "dim", "index", "src", "reduce"])
        self.assertEqual(found["slice_scatter"], ["input", "src", "dim", "start", "end", "step"])
        self.assertEqual(found["masked_fill"], ["input", "mask", "value"])

    def test_the_order_of_tensorflow_s_arguments(self):
        found = self.arguments_in("tscatter/tf/__init__.pyi")
        self.assertEqual(found["tensor_scatter_nd_update"], ["tensor", "indices", "updates"])
        self.assertEqual(found["tensor_scatter_nd_add"], ["tensor", "indices", "updates", "bad_indices_policy"])

    def test_the_order_of_paddle_s_arguments(self):
        found = self.arguments_in("tscatter/paddle/__init__.pyi")
        self.assertEqual(found["scatter"], ["x", "index", "updates", "overwrite"])
        self.assertEqual(found["put_along_axis"], ["arr", "indices", "values", "axis", "reduce", "include_self"])


if __name__ == "__main__":
    unittest.main()
