"""A function for each operation, made from the table of operations."""

import functools
import inspect
import sys
import textwrap
import types

from . import _calls, _plans

_FLAGS = "memory ('2G': at most), dry_run, cast and missing (of updates and tables); of files sync, wait, force, format, compress, no_journal"
_LARGEST = 2**63 - 1
_DIMENSION_LISTS = (
    "update_window_dims",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
    "operand_batching_dims",
    "scatter_indices_batching_dims",
)
_RUN = {
    "out": "where the result goes: an array of data's dtype, shape and order, data itself, or a path; None: a new array",
    "in_place": "change data's own file, writing only what is touched",
    "dtype": "dtype of data that is a list or a number, and how to read records of 1 and 2 bytes ('bfloat16')",
    "threads": "workers; None: all cores",
}


class OperationFunction:
    """Applies one operation. See its __doc__, and docs/ops.md for the rules."""

    def __init__(self, row):
        self.operation = row["name"]
        self.row = row
        self.__name__ = self.__qualname__ = row["id"].rpartition(".")[2]
        self.__module__ = module_name(row)
        self.__doc__ = docstring(row)
        self.__signature__ = signature(row)
        self._positional = row["positional"]
        self._roles = {operand["name"]: operand["role"] for operand in row["operands"]}
        named = row["operands"] + row["attributes"]
        self._aliases = {alias: each["name"] for each in named for alias in each["aliases"]}

    def __repr__(self):
        return f"<operation {self.operation}>"

    def __call__(self, /, *values, out=None, in_place=False, **keywords):
        plan, call = (None, None) if in_place else _plans.find(self.operation, values, keywords, out)
        if plan is not None:
            return plan.run(call, out)
        tensors, rest = self.split(values, keywords, "apply")
        return _calls.apply(self.operation, tensors, rest, out, in_place, call)

    def split(self, values, keywords, command):
        """(operands by name, options of the command). values: what was given without names."""
        if len(values) > len(self._positional):
            raise TypeError(f"{self.__name__}() takes {len(self._positional)} arguments without names, got {len(values)}")
        given = dict(zip(self._positional, values))
        for name in [name for name, value in (given | keywords).items() if hasattr(value, "scatter_dims_to_operand_dims")]:
            numbers = given.pop(name, None) or keywords.pop(name)  # jax.lax.ScatterDimensionNumbers
            keywords.update((each, list(getattr(numbers, each))) for each in _DIMENSION_LISTS if getattr(numbers, each, ()))
        for name, value in keywords.items():
            word = self._aliases.get(name, name)
            if word in given:
                raise TypeError(f"{self.__name__}() got {word} twice")
            given[word] = value
        tensors = {name: self._operand(name, value) for name, value in given.items() if name in self._roles}
        rest = {name: value for name, value in given.items() if name not in self._roles}
        return tensors, _calls.options_of(command, self.operation, rest)

    def _operand(self, name, value):
        if self._roles[name] != "index":
            return value
        return _calls.items_of(value, takes_lists=self.row["id"].startswith(("torch.", "paddle.")))


def module_name(row):
    space = row["id"].rpartition(".")[0]
    return f"tscatter.{space}" if space else "tscatter"


def python_name(name):
    return name.replace("-", "_")


def _parameters(row):
    """(name, kind, default, what it is) of each parameter but those of every operation."""
    first, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    named = {python_name(each["name"]): each for each in row["operands"] + row["attributes"]}
    for name in row["positional"]:
        yield name, first, _default_of(named[name]), _help_of(named[name])
    for each in row["attributes"]:
        name = python_name(each["name"])
        if name not in row["positional"]:
            yield name, keyword, _default_of(each), _help_of(each)
    for each in row["policies"]:
        yield python_name(each["key"]), keyword, None, _help_of(each)
    for name, text in _RUN.items():
        yield name, keyword, False if name == "in_place" else None, text
    yield "flags", inspect.Parameter.VAR_KEYWORD, inspect.Parameter.empty, _FLAGS


def _help_of(each):
    """With the words that may be given as Python has them: 'none', 'sum', …; True or False."""
    text, choices, is_boolean = each["help"], each.get("choices"), each.get("type") == "boolean"
    if not choices:
        return text
    words = "True or False" if is_boolean else ", ".join(map(repr, choices))
    listed = f": {' or '.join(choices) if is_boolean else ', '.join(choices)}"
    default = each.get("default")
    if default is not None:
        text = text.replace(f"(default {default})", f"(default {value_of(each)!r})")
    if listed in text:
        return text.replace(listed, f": {words}")
    return f"{text}: {words}" + (", or a number" if text.endswith("or a number") else "")


def _default_of(each):
    """Of an operand or an attribute."""
    if each.get("required") or each.get("optional") is False:
        return inspect.Parameter.empty
    return None if "role" in each else value_of(each)


def value_of(attribute):
    """The default; None for the largest integer, which means: as far as it goes."""
    text = attribute["default"]
    read = {"boolean": lambda text: text == "true", "integer": int, "number": _number}.get(attribute["type"], str)
    return None if text == str(_LARGEST) else read(text)


def _number(text):
    return int(text) if text.lstrip("-").isdigit() else float(text)


def signature(row):
    unique = {}
    for name, kind, default, _ in _parameters(row):
        unique.setdefault(name, inspect.Parameter(name, kind, default=default))
    return inspect.Signature(list(unique.values()))


def docstring(row):
    lines = [f"{row['name']}: {row['summary']}.", ""]
    for name, _, default, text in _parameters(row):
        end = "" if default in (inspect.Parameter.empty, None) or "default" in text else f" (default {default})"
        lines += _wrapped(f"{name}: {text}{end}")
    lines += ["", "Returns the result, an array like data; the report of the run if it goes to a file.", ""]
    return "\n".join([*lines, f"    {call(row)}", ""])


@functools.lru_cache(maxsize=None)  # operations have most of their lines in common
def _wrapped(text):
    return textwrap.wrap(text, 100, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def call(row):
    """A call with what must be given."""
    required = [each for each in _parameters(row) if each[2] is inspect.Parameter.empty and each[0] != "flags"]
    words = [name if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD else f"{name}=…" for name, kind, _, _ in required]
    return f"{module_name(row)}.{row['id'].rpartition('.')[2]}({', '.join(words)})"


def names_of_operands(rows):
    """Of all operations, with the other names."""
    return {name for row in rows for each in row["operands"] for name in (each["name"], *each["aliases"])}


def _space(root, name):
    """The module ROOT.NAME; tscatter.numpy.add in tscatter.numpy."""
    first, _, rest = name.partition(".")
    full = f"{root}.{first}"
    if full not in sys.modules:
        module = types.ModuleType(full, f"The operations of {full.partition('.')[2]}.")
        module.__all__ = []
        sys.modules[full] = module
        setattr(sys.modules[root], first, module)
    return _space(full, rest) if rest else sys.modules[full]


def install(root, rows):
    """Puts the functions into their modules; without a version the newest one is meant. Returns them by the name."""
    functions = {}
    for row in rows:
        function = OperationFunction(row)
        functions[row["name"]] = function
        space, _, name = row["id"].rpartition(".")
        module = _space(root, space) if space else sys.modules[root]
        versionless = name.rstrip("0123456789").rstrip("_")
        for each in {name, versionless}:
            setattr(module, each, function)
            module.__all__.append(each)
    return functions
