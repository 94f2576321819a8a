"""Small calls of a library's own names, and what it printed, as golden cases: what make_torch.py and make_jax.py share."""

import dataclasses
import json
import pathlib
import sys
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "docs" / "runtimes"))

import numpy as np  # noqa: E402
from own_names import Call, floats_of, is_word, word_of  # noqa: E402

INF, NAN = float("inf"), float("nan")


def array(dtype, data, shape=None):
    """shape: of an operand that is filled with one number."""
    values = np.array(data) if shape is None else np.full(shape, data)
    if dtype == "bfloat16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), dtype
    return values.astype(dtype), dtype


def of(dtype):
    return lambda data, shape=None: array(dtype, data, shape)


def zeros(*shape):
    return array("float32", 0, shape)


def plain(number):
    """Numbers that JSON does not have, by name."""
    if isinstance(number, list):
        return [plain(each) for each in number]
    if not isinstance(number, float) or np.isfinite(number):
        return number
    return "NaN" if np.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def inline(values, dtype):
    return {"dtype": dtype, "shape": list(values.shape), "data": plain(floats_of(values, dtype).tolist())}


def item_word(item):
    return word_of(item) if is_word(item) else inline(*item)


def line_of(library, name, op, why, operands, attributes):
    arrays = {key: [each if is_word(each) else each[0] for each in value] if isinstance(value, list) else value[0] for key, value in operands.items()}
    call = Call({"op": op, **attributes}, arrays, {key: None if isinstance(value, list) else value[1] for key, value in operands.items()})
    expected = inline(library.run(call), call.dtype)
    words = {key: [item_word(each) for each in value] if isinstance(value, list) else inline(*value) for key, value in operands.items()}
    comment = f"{library.title(op)} printed {json.dumps(expected['data'])}" + (f": {why}" if why else "")
    return {"name": name, "op": op, **words, **attributes, "expected": expected, "comment": comment}


@dataclasses.dataclass
class Printed:
    name: str  # of the folder, and of the script make_NAME.py
    owner: str  # of the names: "PyTorch's own names"
    cases: list  # name, operation, why, operands and attributes
    run: typing.Callable  # of a call: the library's result
    title: typing.Callable  # of an operation: who printed it, with the version


def main(library):
    """Writes the cases; with --check compares the results with those of the library that is installed."""
    lines = [line_of(library, *case) for case in library.cases]
    path = HERE / library.name / "cases.jsonl"
    if sys.argv[1:] != ["--check"]:
        head = (f"# What {library.owner} leave of small calls, as golden cases: tscatter batch testdata/{library.name}/cases.jsonl\n"
                f"# Made by make_{library.name}.py: each comment says what the library printed, and what the case is for.\n")
        path.write_text(head + "".join(f"{json.dumps(line)}\n" for line in lines))
        return
    there = [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]
    for old, new in zip(there, lines, strict=True):
        if {**old, "comment": ""} != {**new, "comment": ""}:
            sys.exit(f"{old['name']}: {library.title(old['op'])} prints {new['expected']}, in {path.name} stands {old['expected']}")
    print(f"{len(lines)} cases are what {library.title(lines[0]['op'])} prints")
