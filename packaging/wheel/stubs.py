"""Prints the type stubs of the functions that tscatter makes from the table of operations, a file after each form feed."""

import inspect
import pathlib
import re
import types

import tscatter
from tscatter import _operations

# Where the names come from that stubs have.
IMPORTS = {
    "os": (),
    "pathlib": (),
    "collections.abc": ("Callable",),
    "typing": ("Any", "Generic", "Literal", "Optional", "Protocol", "SupportsIndex", "TypedDict", "Union", "overload"),
    "numpy": ("ndarray",),
    "typing_extensions": ("Required", "Unpack"),
}

# What a call is given besides its tensors and attributes, and what it then returns. `data` has the type that stands first.
_NEW = "out: None = ..., in_place: No = ..., dry_run: No = ..."
_ANY_PLACE = "out: Union[Writable, Path, None] = ..., in_place: Flag = ..., dry_run: "
RESULTS = (
    ("ndarray[S, D]", _NEW, "ndarray[S, D]"),
    ("Like", _NEW, "Like"),
    ("Values", _NEW, "ndarray[Any, Any]"),
    ("Operand", "out: Out, in_place: No = ..., dry_run: No = ...", "Out"),
    ("Operand", "out: Path, in_place: No = ..., dry_run: Flag = ...", "Report"),
    ("Operand", "out: None = ..., in_place: Literal[True], dry_run: Flag = ...", "Report"),
    ("Operand", f"{_ANY_PLACE}Literal[True]", "Report"),
    ("Operand", f"{_ANY_PLACE}Flag = ...", "Any"),
)
# With another name of a parameter.
RESULTS_OF_ALIASES = (("Array", _NEW, "Array"), RESULTS[-1])

_TYPES = {"boolean": "bool", "integer": "SupportsIndex", "number": "Number"}
_OTHER_NAMES_OF_POLICIES = {"accumulate": ("accumulator",)}


def python_name(each):
    return _operations.python_name(each.get("key", each["name"]))


def names_of(each):
    others = _OTHER_NAMES_OF_POLICIES.get(each["name"], ()) if "key" in each else each["aliases"]
    return [python_name(each), *map(_operations.python_name, others)]


def typed(each):
    """The type of an operand, an attribute or a policy that is given."""
    if "role" in each:
        return "Index" if each["role"] == "index" else "Operand"
    if each["type"] in _TYPES:
        return _TYPES[each["type"]]
    words = f"Literal[{', '.join(map(repr, each['choices']))}]"
    return f"Union[{words}, Number]" if each["help"].endswith("or a number") else words


def or_none(kind):
    return f"Optional[{kind}]"


def union(kinds):
    """Of words one Literal; an item of an index may be any operand."""
    words = dict.fromkeys(word for kind in kinds if kind.startswith("Literal[") for word in kind[len("Literal[") : -1].split(", "))
    others = [kind for kind in dict.fromkeys(kinds) if not kind.startswith("Literal[") and (kind != "Operand" or "Index" not in kinds)]
    some = ([f"Literal[{', '.join(words)}]"] if words else []) + others
    return some[0] if len(some) == 1 else f"Union[{', '.join(some)}]"


def kinds_of(all_of_them):
    """By each name all types that it has among the operations."""
    kinds = {}
    for each in all_of_them:
        for name in names_of(each):
            kinds.setdefault(name, []).append(typed(each))
    return kinds


def class_stub(name, base, fields):
    """fields: types by name."""
    lines = [f"    {field}: {kind}" for field, kind in fields.items()]
    return "\n".join([f"class {name}({base}, total=False):", *(lines or ["    pass"]), ""]) + "\n"


class Function:
    """The parts of the stub of one function."""

    def __init__(self, name, function):
        self.name = name
        self.row = function.row
        self.named = {python_name(each): each for each in self.row["operands"] + self.row["attributes"]}
        self.positional = list(map(_operations.python_name, self.row["positional"]))
        self.parameters = function.__signature__.parameters
        self.options = "".join(word.capitalize() for word in name.split("_")) + "Options"

    def stub(self):
        results = [self.overload({}, *each) for each in RESULTS]
        for name in self.positional:
            if self.is_required(name):
                aliases = names_of(self.named[name])[1:]
                results += [self.overload({name: alias}, *each) for alias in aliases for each in RESULTS_OF_ALIASES]
        return class_stub(self.options, "RunOptions", self.keywords()) + "".join(results)

    def is_required(self, name):
        return self.parameters[name].default is inspect.Parameter.empty

    def keywords(self):
        """What has a name only, with its other names; and the other names of what may be left out."""
        fields = {}
        for name, each in self.named.items():
            if name not in self.positional:
                fields.update(dict.fromkeys(names_of(each), self.kind_of_keyword(each)))
            elif not self.is_required(name):
                fields.update(dict.fromkeys(names_of(each)[1:], or_none(typed(each))))
        if "update_window_dims" in self.named:
            fields.update(DIMS)
        for policy in self.row["policies"]:
            fields.update((name, or_none(typed(policy))) for name in names_of(policy) if name not in self.named)
        return fields

    def kind_of_keyword(self, each):
        """Of one that is required and has several names, a type cannot say that one of them is."""
        if not each.get("required"):
            return or_none(typed(each))
        return f"Required[{typed(each)}]" if len(names_of(each)) == 1 else typed(each)

    def overload(self, names, data, place, result):
        """names: what stands for the names of parameters."""
        words = [self.parameter(name, names.get(name, name), data) for name in self.positional]
        options = f"    **options: Unpack[{self.options}],"
        return f"@overload\ndef {self.name}(\n    {', '.join(words)}, *, {place},\n{options}\n) -> {result}: ...\n"

    def parameter(self, name, word, data):
        kind = data if self.named[name].get("role") == "data" else typed(self.named[name])
        if self.is_required(name):
            return f"{word}: {kind}"
        return f"{word}: {or_none(kind)} = {self.parameters[name].default!r}"


def module_stubs(module):
    """Its functions, each operation once under the name that has its version."""
    functions = {name: each for name, each in sorted(vars(module).items()) if isinstance(each, _operations.OperationFunction)}
    yield from (Function(name, each).stub() for name, each in functions.items() if name == each.__name__)
    yield from (f"{name} = {each.__name__}\n" for name, each in functions.items() if name != each.__name__)


def spaces_of(module):
    names = {name for name, each in vars(module).items() if isinstance(each, types.ModuleType)}
    return sorted(name for name in names if is_made(getattr(module, name), f"{module.__name__}.{name}"))


def is_made(module, name):
    """Whether it is one of the modules that are made of the operations' names."""
    return module.__name__ == name and getattr(module, "__file__", None) is None


def space_files(module, folder=""):
    """(name of a file, text) of the modules below one."""
    for space in spaces_of(module):
        inner = getattr(module, space)
        below = spaces_of(inner)
        path = f"{folder}{space}/__init__.pyi" if below else f"{folder}{space}.pyi"
        yield path, with_imports("".join(module_stubs(inner)), "." * path.count("/"), below)
        yield from space_files(inner, f"{folder}{space}/")


def shared_types():
    """And what the calls take that are not made for one operation."""
    rows = [each.row for each in tscatter.operations().values()]
    operands = [each for row in rows for each in row["operands"]]
    attributes = [each for row in rows for each in row["attributes"]]
    policies = kinds_of(each for row in rows for each in row["policies"])
    call = kinds_of([each for each in operands if each["role"] != "data"] + attributes)
    shared = {name: policies.pop(name) for name in call.keys() & policies.keys()}  # an attribute of one operation, a policy of others
    call.update((name, call[name] + kinds) for name, kinds in shared.items())
    data = kinds_of(each for each in operands if each["role"] == "data")
    names_of_data = {name: kinds for name, kinds in data.items() if name != "data"}
    yield source("types.pyi")
    yield f"\nReduction = {union([typed(each) for each in attributes if each['type'] == 'reduction'])}\n\n"
    yield class_stub("Policies", "TypedDict", optional(policies))
    yield class_stub("AllPolicies", "Policies", optional(shared))
    yield class_stub("Call", "Policies", {**optional({**names_of_data, **call}), **DIMS})
    yield class_stub("ApplyArguments", "Call, RunOptions", {})
    yield class_stub("IndexOptions", "AllPolicies, RunOptions", {})
    yield class_stub("ReportArguments", "Call", {"data": "Optional[Operand]", **REPORT})
    yield class_stub("VerifyArguments", "ReportArguments", VERIFY)
    yield class_stub("ExplainArguments", "ReportArguments", EXPLAIN)


def optional(kinds):
    return {name: or_none(union(some)) for name, some in kinds.items()}


DIMS = {"dims": "Optional[str]"}  # dimension numbers as one text

# Options of verify() and explain().
REPORT = {
    "dtype": "DType",
    "missing": 'Optional[Literal["nan"]]',
    "cast": 'Optional[Literal["no", "safe", "same-kind", "unsafe"]]',
    "worst": "Int",
    "threads": "Int",
}
VERIFY = {
    "nan": 'Optional[Literal["text", "propagate", "ignore", "any"]]',
    "ftz": "Flag",
    "nan_bits": 'Optional[Literal["kept", "any"]]',
    "zeros": 'Optional[Literal["kept", "any"]]',
    "blocks": 'Optional[Literal["whole", "mixed"]]',
    "policy": 'Optional[Literal["any"]]',
    "heatmap": "Optional[Path]",
    "force": "Flag",
}
EXPLAIN = {"at": "Union[str, Operand, None]"}


def source(name):
    return pathlib.Path(__file__).with_name(name).read_text()


def with_imports(text, dots="", spaces=()):
    """dots: from the file's folder to the package's."""
    words = set(re.findall(r"\w+", text))
    shared = re.findall(r"^(?:class )?(\w+)(?:\(| =)", "".join(shared_types()), re.MULTILINE)
    lines = [f"import {module}" for module, names in IMPORTS.items() if not names and f"{module}." in text]
    for module, names in {**IMPORTS, f".{dots}_types": sorted(shared)}.items():
        used = ", ".join(name for name in names if name in words)
        lines += [f"from {module} import {used}"] if used else []
    lines += [f"from . import {space} as {space}" for space in spaces]
    return "\n".join(lines) + f"\n\n{text}"


def main():
    own = source("own_functions.pyi") + "\n" + "".join(module_stubs(tscatter))
    files = {"__init__.pyi": with_imports(own, spaces=spaces_of(tscatter)), "_types.pyi": "".join(shared_types())}
    for name, text in {**files, **dict(space_files(tscatter))}.items():
        print(f"\f{name}\n{text}", end="")


main()
