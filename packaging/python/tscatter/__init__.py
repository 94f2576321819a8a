"""tscatter: exact scatter operations on arrays and tensor files, and whether the result of another runtime is legal.

    tscatter.assert_legal(actual, "ScatterNDUpdate-15", data=data, indices=indices, updates=updates, reduction="sum")
    y = tscatter.scatter_nd_update_15(data, indices, updates, reduction="sum")
    tscatter.scatter_nd_update_15(data, indices, updates, reduction="sum", out=data)    # in data's own memory

Tensors are arrays of NumPy or ml_dtypes, tensors of PyTorch and others in the memory of the processor (DLPack), buffers
(array.array, bytes), paths ("x.npy", "x.npz:name"), lists and numbers. docs/python.md has more.
"""

import pathlib
import sys
import sysconfig

from . import _at, _calls, _library, _operations
from .errors import (
    Error,
    FileError,
    FormatError,
    InternalError,
    KeywordError,
    NotLegal,
    RuleError,
    StridedCopyWarning,
    UsageError,
)

__version__ = _library.version
__all__ = [
    "Error",
    "FileError",
    "FormatError",
    "InternalError",
    "KeywordError",
    "NotLegal",
    "RuleError",
    "StridedCopyWarning",
    "UsageError",
    "apply",
    "assert_legal",
    "at",
    "binary",
    "compare",
    "explain",
    "generate",
    "kernels",
    "operations",
    "run",
    "verify",
]

_description = _library.describe()
_functions = _operations.install(__name__, _description["operations"])
_names_of_operands = _operations.names_of_operands(_description["operations"])

# The instructions that the kernels use: "avx2" or "portable".
kernels = _description["kernels"]


def __dir__():
    return sorted({*__all__, "__version__", "testing"})


def operations():
    """The names of the operations, each with the function that applies it."""
    return dict(_functions)


def _split(command, operation, keywords):
    name = _calls.operation_name(operation)
    if name in _functions:
        return _functions[name].split((), keywords, command)
    tensors = {name: value for name, value in keywords.items() if name in _names_of_operands}
    rest = {name: value for name, value in keywords.items() if name not in _names_of_operands}
    if "index" in tensors:
        tensors["index"] = _calls.items_of(tensors["index"])
    return tensors, _calls.options_of(command, name, rest)


def apply(operation, /, *, out=None, in_place=False, **arguments):
    """Applies an operation by its name, as the command line has it: apply("ScatterNDUpdate-15", data=…, indices=…, …).

    arguments: operands, attributes and policies by name, and dtype and threads. out, in_place and what is returned: as of
    the operation's function.
    """
    tensors, options = _split("apply", operation, arguments)
    return _calls.apply(operation, tensors, options, out, in_place)


def at(x, /):
    """NumPy's index on arrays and on files: at(x)[index].set(values), .add, .sub, .mul, .min, .max, and .get().

    x: an array, of which a new one is made, unless `out` is given; a list; or a path, whose tensor is changed in place. The
    index is an item or a tuple of items: an integer, a slice, ..., None, positions, a mask, a path, or a word as on the command
    line ("isnan", "x.npy < 7"). Values are cast to x's dtype within a kind. docs/python.md
    """
    return _at.At(x)


def verify(actual, operation, /, **arguments):
    """Whether `actual` is legal for some order of the updates: the report of docs/verify.md, a dict with "legal".

    arguments: the operands and attributes of the call, and nan ("text", "propagate", "ignore", "any"), ftz (True: subnormal
    numbers may be zero), nan_bits and zeros ("kept", or "any": of NaN, of -0 and +0), blocks ("whole", or "mixed"), worst (how many
    elements are listed; 5), threads.
    """
    tensors, options = _split("verify", operation, arguments)
    return _calls.report("verify", operation, {**tensors, "actual": actual}, options)[1]


def assert_legal(actual, operation, /, **arguments):
    """Raises NotLegal, an AssertionError with the census and a diagnosis, unless verify() says that `actual` is legal.

    Arguments as of verify(), whose report is returned, and is in the exception's `verdict`.
    """
    __tracebackhide__ = True
    tensors, options = _split("verify", operation, arguments)
    tensors["actual"] = actual
    is_legal, verdict = _calls.report("verify", operation, tensors, options)
    if not is_legal:
        raise NotLegal(_calls.words("verify", operation, tensors, options).rstrip(), verdict)
    return verdict


def explain(operation, /, **arguments):
    """Who writes what, and whether the order matters: the report of docs/explain.md, a dict.

    arguments: the operands and attributes of the call, and at (a position, whose history is told), worst (5), threads.
    """
    tensors, options = _split("explain", operation, arguments)
    return _calls.report("explain", operation, tensors, options)[1]


def compare(actual, expected, /, **options):
    """The differences between two tensors: the census of docs/compare.md, a dict. Of two folders: a report like that of run().

    options: rtol, atol, max_ulp (without one: bit for bit), equal_nan, tolerances (a path, or JSON by dtype), threads; of tensors
    dtype, worst (5), heatmap (a path); of folders list, details, junit, html.
    """
    tensors = {"actual": actual, "expected": expected}
    return _calls.comparison(tensors, _calls.options_of("compare", None, options))


def generate(operation, folder, /, **options):
    """Writes random cases with their results into the folder. Returns the path of its cases.jsonl. docs/generate.md

    options: count (100), seed (0), dtype, index_dtype and reduction (a name, or several in a list), duplicates, values,
    max_rank, max_elements, depth, plain (True: one list of index entries, none negative or out of range), errors (True: add as
    many cases that break one rule each), layout ("npy", "onnx", "mlir").
    """
    name, folder = _calls.operation_name(operation), _calls.file_text(folder)
    _library.call("generate", name, [("output", folder), *_calls.options_of("generate", name, options)], {})
    return pathlib.Path(folder) / "cases.jsonl"


def run(*cases, **options):
    """Runs the cases of files and folders, and compares them with their goldens: the report of docs/batch.md.

    Returns a dict: "passed" (whether nothing failed), "cases" (a dict for each), "summary". options: the flags of `tscatter
    batch`, with _ for -: filter, tag, fail_fast, threads, junit, html, update_golden, ….
    """
    pairs = [("cases", _calls.file_text(each)) for each in cases] + _calls.options_of("run", None, options) + [("json", None)]
    code, text = _library.call("run", None, pairs, {})
    return _calls.batch_report(code, text)


def binary():
    """The path of the program `tscatter` that came with this package."""
    scripts = pathlib.Path(__file__).parents[1] / ".." / ".." / ".." / "bin"
    folders = [scripts, pathlib.Path(sysconfig.get_path("scripts")), pathlib.Path(sys.prefix) / "bin"]
    user = sysconfig.get_path("scripts", "posix_user")
    for folder in [*folders, pathlib.Path(user)]:
        path = folder / "tscatter"
        if path.is_file():
            return str(path.resolve())
    raise FileNotFoundError("the program tscatter is not beside this package: " + ", ".join(map(str, folders)))
