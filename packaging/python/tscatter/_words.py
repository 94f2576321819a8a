"""What the library says in the words of the command line, as Python has them: out=…, not --output."""

import functools
import re

from . import _library

_FLAG = re.compile(r"--([a-z][a-z0-9-]*)(?:[ =]([a-z0-9_.+-]*[a-z0-9])(?![\w/]))?")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$")
_COMMANDS = (
    (re.compile(r"tscatter convert IN OUT --to (\w+)"), r'x.astype("\1")'),
    (re.compile(r"tscatter ops (\S+) (has|lists)"), r"tscatter.operations()"),
    (re.compile(r"see tscatter ops\b( \S+)?"), "see tscatter.operations()"),
    (re.compile(r"see tscatter (\S+) --help"), "see help() of the function"),
)
_OTHER_WORDS = {"dtype", "to", "cast", "round", "missing", "format", "layout", "duplicates", "values", "zeros", "nan-bits", "blocks", "nan", "policy"}


@functools.lru_cache(maxsize=None)
def _table():
    """({flag: its words}, flags that take no value) of all operations and commands."""
    words, switches = {}, set()
    for row in _library.describe()["operations"]:
        for each in row["attributes"] + row["policies"]:
            for name in {each["name"], each.get("key", each["name"]), *each.get("aliases", ())}:
                words.setdefault(name.replace("_", "-"), set()).update(each["choices"])
    for command, operation in (("apply", "ScatterNDUpdate-15"), ("verify", "ScatterNDUpdate-15"), ("generate", "ScatterNDUpdate-15"), ("compare", None), ("run", None)):
        switches |= {name for name, flag in _library.flags(command, operation).items() if flag.is_switch}
    return words, switches


def _keyword(found):
    """--include-self false -> include_self=False; --oob drop -> oob="drop"; --force -> force=True; --output -> output"""
    flag, value = found[1], found[2]
    name = flag.replace("-", "_")
    words, switches = _table()
    if value in ("true", "false") and value in words.get(flag, ("true", "false")):
        return f"{name}={value == 'true'}"
    if value is not None and _NUMBER.match(value):
        return f"{name}={value}"
    if value in ("inf", "-inf") or value is not None and (value in words.get(flag, ()) or (flag in _OTHER_WORDS and value in _values())):
        return f'{name}="{value}"'
    rest = found[0][2 + len(flag) :]
    return (f"{name}=True" if flag in switches else name) + rest


@functools.lru_cache(maxsize=None)
def _values():
    """Of the flags that are no operation's."""
    dtypes = set(_library.describe()["dtypes"])
    return dtypes | set("no safe same-kind unsafe nearest nan npy raw json onnx none some heavy exact rounding swamp special full kept any mixed whole text propagate ignore".split())


def in_python(text):
    """A message, a report's words."""
    if "--" not in text and "tscatter " not in text:
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
