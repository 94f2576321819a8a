#!/usr/bin/env python3
"""The files of the Python module as they are installed, by the wheel and by python3-tscatter: its sources, type stubs, metadata.

    module_files.py --version 0.1.0 --library libtscatter_c.so --output debian/tmp/usr/lib/python3/dist-packages

The library is only asked for its table of operations, of which the stubs are made: whoever installs the module installs it, too.
"""

import argparse
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODULE = SOURCE / "packaging/python/tscatter"

METADATA = """\
Metadata-Version: 2.1
Name: tscatter
Version: {version}
Summary: Exact scatter operations on tensors, and whether the result of another runtime is legal
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy; extra == "arrays"
Description-Content-Type: text/markdown

{readme}"""

ENTRY_POINTS = """\
[pytest11]
tscatter = tscatter.pytest_plugin
"""


def stubs(library, python):
    """The text of __init__.pyi and of the namespaces' modules, from the library's own table of operations."""
    environment = {**os.environ, "TSCATTER_LIBRARY": str(library), "PYTHONPATH": str(MODULE.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    script = pathlib.Path(__file__).with_name("stubs.py")
    printed = subprocess.run([python, script], env=environment, stdout=subprocess.PIPE, check=True).stdout
    parts = printed.decode().split("\f")
    return dict(part.split("\n", 1) for part in parts if part)


def info_folder(version):
    return f"tscatter-{version}.dist-info"


def module_files(version, library, python=sys.executable):
    """(name, bytes)"""
    for path in sorted(MODULE.glob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield f"tscatter/{path.name}", path.read_bytes()
    for name, text in stubs(library, python).items():
        yield f"tscatter/{name}", text.encode()
    readme = (SOURCE / "README.md").read_text()
    yield f"{info_folder(version)}/METADATA", METADATA.format(version=version, readme=readme).encode()
    yield f"{info_folder(version)}/entry_points.txt", ENTRY_POINTS.encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind in (("version", str), ("library", pathlib.Path), ("output", pathlib.Path)):
        parser.add_argument("--" + name, type=kind, required=True)
    options = parser.parse_args()
    for name, content in module_files(options.version, options.library.resolve()):
        path = options.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
