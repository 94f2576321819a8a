"""What the library says in the words of the command line, as Python has them: out=…, not --output."""

import functools
import re

from . import _library

_FLAG = re.compile(r"--([a-z][a-z0-9-]*)(?:[ =]([a-z0-9_.+-]*[a-z0-9])(?![\w/]))?")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$")
_ANY = "ScatterNDUpdate-15"  # whose switches all operations have
_COMMANDS = (
    (re.compile(r"tscatter convert IN OUT --to (\w+)"), r'x.astype("\1")'),
    (re.compile(r"tscatter ops (\S+) (has|lists)"), r"tscatter.operations()"),
    (re.compile(r"see tscatter ops\b( \S+)?"), "see tscatter.operations()"),
    (re.compile(r"see tscatter (\S+) --help"), "see help() of the function"),
    (re.compile(r" \(see tscatter help operands\)"), ""),
    (re.compile(r"\(-o may name it"), "(out may name it"),
    (re.compile(r"\(-o (.+) rewrites the archive\)"), r'(out="\1" rewrites the archive)'),
    (re.compile(r"tscatter set 'DATA\[INDEX\]' VALUES --in-place"), "tscatter.at(DATA)[INDEX].set(VALUES)"),
)
# Flags that are no operation's, with their words; those of dtypes have the dtypes.
_WORDS_OF_FLAGS = {
    "cast": "no safe same-kind unsafe",
    "round": "nearest",
    "missing": "nan",
    "format": "npy raw json",
    "layout": "npy onnx mlir",
    "duplicates": "none some heavy",
    "values": "exact rounding swamp special full",
    "nan": "text propagate ignore any",
    "nan-bits": "kept any",
    "zeros": "kept any",
    "blocks": "whole mixed",
    "policy": "any",
}
_FLAGS_OF_DTYPES = ("dtype", "index-dtype", "to")
_COMMANDS_WITH_FLAGS = (("apply", _ANY), ("verify", _ANY), ("generate", _ANY), ("compare", None), ("run", None))


@functools.lru_cache(maxsize=None)
def _table():
    """({flag: its words}, flags that take no value) of all operations and commands."""
    words = {flag: set(some.split()) for flag, some in _WORDS_OF_FLAGS.items()}
    description = _library.describe()
    words.update((flag, set(description["dtypes"])) for flag in _FLAGS_OF_DTYPES)
    for row in description["operations"]:
        for each in row["attributes"] + row["policies"]:
            for name in {each["name"], each.get("key", each["name"]), *each.get("aliases", ())}:
                words.setdefault(name.replace("_", "-"), set()).update(each["choices"])
    flags = (flag for of in _COMMANDS_WITH_FLAGS for flag in _library.flags(*of).items())
    return words, {name for name, flag in flags if flag.is_switch}


def _keyword(found):
    """--include-self false -> include_self=False; --oob drop -> oob="drop"; --force -> force=True; --output -> output"""
    flag, value = found[1], found[2]
    name = flag.replace("-", "_")
    words, switches = _table()
    if value in ("true", "false") and value in words.get(flag, ("true", "false")):
        return f"{name}={value == 'true'}"
    if value is not None and _NUMBER.match(value):
        return f"{name}={value}"
    if value in ("inf", "-inf") or value in words.get(flag, ()):
        return f'{name}="{value}"'
    rest = found[0][2 + len(flag) :]
    return (f"{name}=True" if flag in switches else name) + rest


def words_of_flag(name):
    """Of a flag that is no operation's; () if it has others than words, or none."""
    return tuple(_WORDS_OF_FLAGS.get(name.replace("_", "-"), "").split())


def in_python(text):
    """A message, a report's words."""
    if not any(each in text for each in ("--", "tscatter ", "(-o ")):
        return text
    for command, words in _COMMANDS:
        text = command.sub(words, text)
    return _FLAG.sub(_keyword, text)


def all_in_python(value):
    """The texts of a report."""
    if isinstance(value, str):
        return in_python(value)
    if isinstance(value, list):
        return [all_in_python(each) for each in value]
    if isinstance(value, dict):
        return {name: all_in_python(each) for name, each in value.items()}
    return value


@functools.lru_cache(maxsize=None)
def _makers():
    rows = _library.describe()["operations"]
    return {_folded(row["name"]) for row in rows if all(operand["role"] not in ("data", "index") for operand in row["operands"])}


def _folded(operation):
    """Without a package: tf.math.segment_sum is tf.segment_sum."""
    parts = operation.lower().replace("-", "").replace("_", "").split(".")
    return f"{parts[0]}.{parts[-1]}"


def makes_data(operation):
    """Whether the operation makes its data: its result is as none of its operands."""
    return operation is not None and _folded(operation) in _makers()
