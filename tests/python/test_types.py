"""The type stubs: what mypy --strict and strict pyright take and refuse, and that the stubs have the words of the library."""

import ast
import doctest
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tscatter
from tscatter import _library
from test_installed import installed_files

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"
TORCH_IS_MISSING = importlib.util.find_spec("torch") is None

HEAD = """\
import array
import pathlib
from typing import Any

import numpy as np
import tscatter.testing
from typing_extensions import assert_type

any_array: Any = None
x: np.ndarray[tuple[int, int], np.dtype[np.int8]] = np.zeros((2, 3), np.int8)
i = np.array([[0]])
case = tscatter.testing.Case("ScatterUpdate-3", {}, {})
print(array.array, pathlib.Path, assert_type)
"""

RIGHT = [
    # The result has the type of data, of out, or is a report.
    "assert_type(tscatter.scatter_nd_update(x, i, x, reduction='sum'), type_of(x))",
    "assert_type(tscatter.scatter_nd_update_15(data=x, indices=i, updates=x, out=None, in_place=False, dry_run=False), type_of(x))",
    "assert_type(tscatter.torch.scatter(x, 0, i, value=1 + 2j), type_of(x))",
    "assert_type(tscatter.numpy.add.at(a=x, index=(i, slice(None), ..., None), updates=[1]), type_of(x))",
    "assert_type(tscatter.apply('ScatterUpdate-3', data=x, indices=i, updates=x, axis=0), type_of(x))",
    "assert_type(tscatter.scatter_update(array.array('f'), i, x, 0).tolist(), list[float])",
    "assert_type(tscatter.scatter_update(bytearray(3), [0], b'x', 0), bytearray)",
    "tscatter.scatter_update([[1, 2]], [0], [3], 0).astype(np.int8)",
    "tscatter.scatter_update('x.npy', pathlib.Path('i.npy'), {'raw': 'u.bin', 'dtype': 'f32', 'shape': [3]}, 0).astype(np.int8)",
    "tscatter.scatter_update(range(3), [0], np.float32(3), 0).astype(np.int8)",
    "assert_type(tscatter.scatter_update('x.npy', i, x, 0, out=x), type_of(x))",
    "assert_type(tscatter.scatter_update(x, i, x, 0, out='y.npy', force=True), dict[str, Any])",
    "assert_type(tscatter.scatter_update('x.npy', i, x, 0, in_place=True, no_journal=True), dict[str, Any])",
    "assert_type(tscatter.scatter_update(x, i, x, 0, dry_run=True), dict[str, Any])",
    "assert_type(tscatter.apply('x', data='x.npy', out='y.npy'), dict[str, Any])",
    "tscatter.scatter_update(any_array, any_array, any_array, 0)",
    # Words, and numbers where a policy takes one.
    "tscatter.scatter_nd_update(x, i, x, self=0.5, memory='2G', threads=np.int32(1))",
    "tscatter.scatter_nd_update(x, i, x, self=1j, extremes='ieee', accumulate='f64', unique=True, oob='modulo')",
    "tscatter.scatter_nd_update(x, i, x, dtype=float, cast='same-kind', missing='nan')",
    "tscatter.scatter_nd_update(x, i, x, dtype=np.dtype('f4'))",
    "tscatter.torch.scatter_reduce(x, 1, i, x, 'amax', include_self=None)",
    "tscatter.torch.slice_scatter(x, x, 0, None, None, step=2)",
    "tscatter.torch.index_add(x, np.int64(0), i, x, alpha=0.5)",
    "tscatter.torch.index_put(x, [i, i], 7, accumulate=True, accumulator='f32')",
    "tscatter.generic.scatter(x, i, x, reduction='xor', form='nd', oob='error', negative='drop')",
    "tscatter.onnx.tensor_scatter(x, x, mode='circular')",
    "assert_type(tscatter.tf.tensor_scatter_nd_add(x, i, x, 'IGNORE'), type_of(x))",
    "assert_type(tscatter.paddle.scatter(x, i, x, False), type_of(x))",
    "tscatter.tf.tensor_scatter_nd_update(tensor=x, indices=i, updates=x, bad_indices_policy='ERROR')",
    # The module's own functions.
    "assert_type(tscatter.verify(x, tscatter.scatter_update, data=x, indices=i, updates=x, axis=0), dict[str, Any])",
    "tscatter.verify(x, 'x', data=x, nan='propagate', ftz=True, nan_bits='any', zeros='kept', blocks='mixed', policy='any', worst=3)",
    "tscatter.assert_legal(x, 'torch.index_add', input=x, dim=0, index=i, source=x, alpha=2, self=0.5)['legal']",
    "tscatter.explain('numpy.setitem', data=x, index=(i, ...), updates=1, at=[1, 2], extremes='ieee')['depends_on_order']",
    "tscatter.compare(x, 'y.npy', rtol=1e-3, atol=np.float32(1), max_ulp=3, equal_nan=True, details=3, html='r.html')",
    "tscatter.generate('x', 'd', count=3, dtype=['f4', np.int8], reduction='sum', duplicates='heavy', layout='onnx', extremes='ieee').name",
    "tscatter.run('a', pathlib.Path('b'), filter=['x'], unreferenced='fail', details=True, junit='j.xml')['summary']",
    "tscatter.operations()['ScatterUpdate-3'](x, i, x, axis=0, out='y.npy', extremes='ieee')",
    "tscatter.operations()['ScatterUpdate-3'].operation.lower()",
    "tscatter.kernels.upper()",
    # tscatter.at
    "assert_type(tscatter.at(x)[0, 1:].set(1), type_of(x))",
    "assert_type(tscatter.at('a.npy')[0, 1:].add(x, sync=True), dict[str, Any])",
    "tscatter.at(pathlib.Path('a.npy'))[i].get().astype(np.int8)",
    "tscatter.at(array.array('f'))[...].max(1.5, self=2).tofile",
    "assert_type(tscatter.at(x)[x].get(out='rows.npy'), dict[str, Any])",
    "assert_type(tscatter.at([1, 2])[0].set(3, out=x), type_of(x))",
    # Exceptions.
    "tscatter.FileError('file', 'file.f1', 'x', 'y').errno",
    "tscatter.NotLegal('x').verdict",
    # tscatter.testing
    "case.python().splitlines()",
]

WRONG = [
    "tscatter.scatter_nd_update(x, i)",
    "tscatter.scatter_nd_update(x, i, x, x)",
    "tscatter.scatter_nd_update(x, i, object())",
    "tscatter.scatter_nd_update(x, i, x, colour='blue')",
    "tscatter.scatter_nd_update(x, i, x, reduction='sun')",
    "tscatter.scatter_nd_update(x, i, x, self='half')",
    "tscatter.scatter_nd_update(x, i, x, divisor='exact')",
    "tscatter.scatter_nd_update(x, i, x, unique='yes')",
    "tscatter.scatter_nd_update(x, i, x, cast='some')",
    "tscatter.scatter_nd_update(x, i, x, memory=2)",
    "tscatter.scatter_nd_update(x, i, x, out=[1])",
    "tscatter.scatter_nd_update(x, i, x, dry_run=True).tolist()",
    "tscatter.scatter_nd_update(x, i, x, out='y.npy').tolist()",
    "tscatter.scatter_nd_update(x, i, x)['shape_of_result'].keys()",
    "tscatter.scatter_nd_update_3(x, i, x, reduction='sum')",
    "tscatter.numpy.setitem(x, i)",
    "tscatter.torch.scatter_reduce(x, 1, i, x, 'max')",
    "tscatter.torch.scatter_reduce(x, 1, i, x)",
    "tscatter.torch.scatter_add(x, x, x, index=1)",
    "tscatter.tf.tensor_scatter_nd_add(x, i, x, 'ignore')",
    "tscatter.tf.tensor_scatter_nd_update(x, i, x, 'IGNORE')",
    "tscatter.torch.scatter_add(x, 'dim', i, x)",
    "tscatter.generic.scatter(x, i, x)",
    "tscatter.apply('ScatterUpdate-3', data=x, colour='blue')",
    "tscatter.apply(3, data=x)",
    "tscatter.verify(x, 'ScatterUpdate-3', data=x, nan='ieee')",
    "tscatter.verify(x, 'ScatterUpdate-3', data=x, zeros='some')",
    "tscatter.verify(x, data=x)",
    "tscatter.assert_legal(x, 'ScatterUpdate-3', data=x, at=[1])",
    "tscatter.explain('ScatterUpdate-3', data=x, ftz=True)",
    "tscatter.compare(x, x, rtol='small')",
    "tscatter.compare(x, x, equal_nam=True)",
    "tscatter.generate('ScatterUpdate-3', 'd', values='nice')",
    "tscatter.generate('ScatterUpdate-3')",
    "tscatter.run('cases.jsonl', fail_fats=True)",
    "tscatter.run(3)",
    "tscatter.at(x).set(1)",
    "tscatter.at(x)[0].set()",
    "tscatter.at(array.array('f'))[...].max(1.5)['op']",
    "tscatter.testing.run_suite('ScatterUpdate-3', 3)",
]

OF_TORCH = [
    "assert_type(tscatter.scatter_nd_update(t, i, t), torch.Tensor)",
    "assert_type(tscatter.torch.scatter_add(t, 0, j, t), torch.Tensor)",
    "assert_type(tscatter.torch.scatter_add(input=x, dim=0, index=j, src=t, out=t), torch.Tensor)",
    "assert_type(tscatter.torch.index_fill(t, 0, j, 1.5, dtype=torch.bfloat16), torch.Tensor)",
    "assert_type(tscatter.torch.index_put(t, (j, slice(None), ...), 7, accumulate=True), torch.Tensor)",
    "assert_type(tscatter.at(t)[j].get(), torch.Tensor)",
    "assert_type(tscatter.torch.scatter_add(t, 0, j, t, out='y.npy'), dict[str, Any])",
]


class AsAProgram(ast.NodeTransformer):
    """Examples as lines of a program: a value is printed, and a function says Any of what it does not say.

    NumPy's own types do not take np.float32 of a list.
    """

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Call):
            node.value = ast.Call(ast.Name("print"), [node.value], [])
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        for each in (*node.args.args, *node.args.kwonlyargs):
            each.annotation = each.annotation or ast.Name("Any")
        node.returns = node.returns or ast.Name("Any")
        return self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) == "np.float32" and isinstance(node.args[0], ast.List):
            return ast.Call(ast.parse("np.array").body[0].value, [node.args[0], node.func], [])
        return node


def program_of(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    examples = doctest.DocTestParser().get_examples("\n".join(blocks))
    trees = [AsAProgram().visit(ast.parse(each.source)) for each in examples]
    return "from typing import Any\n" + "".join(ast.unparse(ast.fix_missing_locations(tree)) + "\n" for tree in trees)


def files_of(page):
    """The blocks of a page that are parts of a file of pytest."""
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in blocks if not block.startswith(">>>")]


def with_any(found):
    """A function whose arguments have no types, with the type that says nothing."""
    names = [name.strip() for name in found[2].split(",") if name.strip()]
    return f"{found[1]}({', '.join(f'{name}: Any' for name in names)}) -> Any:"


def with_types(lines):
    return [re.sub(r"type_of\(x\)", "np.ndarray[tuple[int, int], np.dtype[np.int8]]", line) for line in lines]


def pyright():
    """The command; None if it is not installed."""
    for name in ("basedpyright", "pyright"):
        path = shutil.which(name, path=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")]))
        if path:
            return path
    return None


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "TSCATTER_LIBRARY" not in os.environ:
            raise unittest.SkipTest("the library is not named")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        installed_files(cls.path / "installed")
        cls.stubs = sorted(cls.path.glob("installed/**/*.pyi"))


class Checked:
    """What each type checker says. complaints(): the texts of the lines of a program that it refuses."""

    def test_the_stubs(self):
        self.assertEqual(self.errors(self.stubs), [])

    def test_the_examples_of_the_page(self):
        self.assertEqual(self.complaints(program_of(PAGE)), [])

    @unittest.skipIf(TORCH_IS_MISSING or importlib.util.find_spec("pytest") is None, "PyTorch or pytest is not installed")
    def test_the_files_of_the_pages(self):
        blocks = [block for page in (PAGE, PAGE.with_name("testing-a-runtime.md")) for block in files_of(page)]
        self.assertGreaterEqual(len(blocks), 4)
        for block in blocks:
            typed = re.sub(r"^(def \w+)\((.*)\):$", with_any, block, flags=re.MULTILINE)
            head = "from typing import Any\n"
            head += "" if "import pytest" in block else "import pytest\nimport tscatter.testing\nused = (pytest, tscatter.testing)\n"
            names = "cases: Any = None\nmy_scatter_add: Any = None\n" if "cases = " not in block else ""
            self.assertEqual(self.complaints(head + names + typed), [])

    def test_what_is_right(self):
        self.assertEqual(self.complaints(HEAD + "\n".join(with_types(RIGHT)) + "\n"), [])

    def test_what_is_wrong(self):
        self.assertEqual(self.complaints(HEAD + "\n".join(WRONG) + "\n"), WRONG)

    @unittest.skipIf(TORCH_IS_MISSING, "PyTorch is not installed")
    def test_tensors_of_pytorch(self):
        head = HEAD + "import torch\nt = torch.zeros(3)\nj = torch.tensor([0])\n"
        self.assertEqual(self.complaints(head + "\n".join(OF_TORCH) + "\n"), [])
        wrong = "assert_type(tscatter.scatter_nd_update(x, i, t), torch.Tensor)"
        self.assertEqual(self.complaints(f"{head}{wrong}\n"), [wrong])

    def complaints(self, program):
        file = self.path / "program.py"
        file.write_text(program)
        lines = program.splitlines()
        return [lines[number - 1] for number in sorted({number for path, number, _ in self.errors([file]) if path == str(file)})]


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
class Mypy(Checked, Stubs):
    def errors(self, files):
        words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.path / "cache", "--hide-error-context", *files]
        environment = {**os.environ, "MYPYPATH": str(self.path / "installed"), "PYTHONPATH": ""}
        printed = subprocess.run(words, env=environment, stdout=subprocess.PIPE, cwd=self.path).stdout.decode()
        self.assertRegex(printed, "Success|Found")
        found = re.findall(r"^(.*?):(\d+): error: (.*)$", printed, re.MULTILINE)
        return [(str(self.path / path), int(line), text) for path, line, text in found]


@unittest.skipIf(pyright() is None, "neither basedpyright nor pyright is installed")
class Pyright(Checked, Stubs):
    def errors(self, files):
        settings = {"typeCheckingMode": "strict", "extraPaths": [str(self.path / "installed")], "include": list(map(str, files))}
        (self.path / "pyrightconfig.json").write_text(json.dumps(settings))
        words = [pyright(), "--outputjson", "--pythonpath", sys.executable, "--project", self.path]
        printed = subprocess.run(words, stdout=subprocess.PIPE, cwd=self.path).stdout
        report = json.loads(printed)
        self.assertGreater(report["summary"]["filesAnalyzed"], 0)
        found = [each for each in report["generalDiagnostics"] if each["severity"] == "error"]
        return [(each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in found]


class Words(Stubs):
    """The words in the stubs are those of the library."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.classes, cls.functions = {}, {}
        for path in ("__init__.pyi", "_types.pyi"):
            for node in ast.parse((cls.path / "installed/tscatter" / path).read_text()).body:
                if isinstance(node, ast.ClassDef):
                    cls.classes[node.name] = node
                if isinstance(node, ast.FunctionDef):
                    cls.functions[node.name] = node

    def fields(self, name):
        """The types of a TypedDict by names, as texts."""
        found = {}
        for base in self.classes[name].bases:
            found.update(self.fields(base.id) if base.id in self.classes else {})
        found.update((node.target.id, ast.unparse(node.annotation)) for node in self.classes[name].body if isinstance(node, ast.AnnAssign))
        return found

    def keywords(self, function):
        arguments = self.functions[function].args
        found = {each.arg: ast.unparse(each.annotation) for each in arguments.kwonlyargs}
        if arguments.kwarg:
            found.update(self.fields(re.fullmatch(r"Unpack\[(\w+)\]", ast.unparse(arguments.kwarg.annotation))[1]))
        return found

    def flags(self, command, operation):
        names = {name.replace("-", "_") for name in _library.flags(command, operation)}
        return names - {"json", "output", "in_place", "dry_run", "actual"} - ({"nan"} if command != "verify" else set())

    def test_each_public_name_has_a_stub(self):
        text = (self.path / "installed/tscatter/__init__.pyi").read_text()
        for name in tscatter.__all__:
            self.assertRegex(text, rf"(?m)^(class |def |){name}\b")

    def test_each_function_has_the_keywords_of_the_library(self):
        names = list(tscatter.operations())
        for function in ("verify", "explain", "generate"):
            wanted = set().union(*(self.flags(function, name) for name in names))
            found = set(self.keywords(function))
            self.assertEqual(wanted - found, set(), function)
            self.assertEqual(found - wanted, set(), function)
        self.assertEqual(set(self.keywords("compare")), self.flags("compare", None))
        self.assertEqual(set(self.keywords("run")) - {"dry_run"}, self.flags("run", None))

    def test_each_operation_has_the_keywords_of_the_library(self):
        for name, function in tscatter.operations().items():
            space, _, _ = function.row["id"].rpartition(".")
            folder = self.path / "installed/tscatter" / space.replace(".", "/")
            path = folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")
            found = self.keywords_in(path, function.__name__)
            self.assertEqual(found - {"out", "in_place", "dry_run"}, self.flags("apply", name), name)

    def keywords_in(self, path, function):
        found = set()
        body = ast.parse(path.read_text()).body
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                found |= {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
                (options,) = re.findall(r"\w+Options", ast.unparse(node.args.kwarg.annotation))
        (fields,) = [node.body for node in body if isinstance(node, ast.ClassDef) and node.name == options]
        return found | {node.target.id for node in fields if isinstance(node, ast.AnnAssign)} | set(self.fields("RunOptions"))

    def test_cli_c4_words_are_those_of_the_library(self):
        call = {"data": [1.0], "indices": [[0]], "updates": [1.0]}
        calls = {
            "verify": lambda **more: tscatter.verify([1.0], "ScatterNDUpdate-15", **call, **more),
            "explain": lambda **more: tscatter.explain("ScatterNDUpdate-15", **call, **more),
            "compare": lambda **more: tscatter.compare([1.0], [1.0], **more),
            "generate": lambda **more: tscatter.generate("ScatterElementsUpdate-12", self.path / "cases", **more),
            "run": lambda **more: tscatter.run(self.path, **more),
        }
        for function, run in calls.items():
            for name, kind in self.keywords(function).items():
                words = re.findall(r"'([\w-]+)'", kind)
                if words and name in self.flags(function, None if function in ("compare", "run") else "ScatterNDUpdate-15") - {"reduction"}:
                    self.same_words(name, words, run)
        apply = lambda **more: tscatter.scatter_nd_update(**call, out=self.path / "y.npy", **more)
        for name, kind in self.fields("RunOptions").items():
            words = re.findall(r"'([\w-]+)'", kind)
            if words:
                self.same_words(name, words, apply)

    def test_the_help_has_the_words(self):
        for name, function in tscatter.operations().items():
            told = dict(re.findall(r"^(\w+): (.*(?:\n    .*)*)", function.__doc__.partition("\n\nReturns")[0], re.MULTILINE))
            for each in function.row["attributes"] + function.row["policies"]:
                words = "True or False" if each["type"] == "boolean" else ", ".join(map(repr, each["choices"]))
                self.assertIn(words, " ".join(told[each.get("key", each["name"]).replace("-", "_")].split()), name)
            self.assertLessEqual(max(map(len, function.__doc__.partition("\n\nReturns")[0].splitlines()[1:])), 100)
        told = tscatter.scatter_nd_update_15.__doc__
        self.assertIn("is there: 'none', 'sum', 'sub', 'prod',\n    'min', 'max' (default 'none')\n", told)
        self.assertIn("\n    same with infinities, or a number: 'keep', 'identity', 'infinite', or a number\n", told)

    def same_words(self, name, words, run):
        with self.assertRaises(tscatter.UsageError) as caught:
            run(**{name: "nothing-of-this-name"})
        listed = re.search(r"must be one of (.*?)( \(or a number\)| \(nearest: .*\))?, got", caught.exception.message)[1]
        self.assertEqual(words, listed.split(", "), name)


if __name__ == "__main__":
    unittest.main()
