#!/usr/bin/env python3
"""Puts the program, the library for C, the Python module and the bill of materials into a wheel. The same input gives the same bytes.

    make_wheel.py --version 0.1.0 --program tscatter --library libtscatter_c.so --sbom tscatter.cdx.json --tag manylinux_2_28_x86_64 --output dist/

--python names a Python that can load the library, where this one cannot.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import time
import zipfile

from module_files import SOURCE, info_folder, module_files

# What is linked into the program, by the Debian package that has its licence.
LINKED = ("libcli11-dev", "libfmt-dev", "libspdlog-dev", "libxxhash-dev", "nlohmann-json3-dev", "zlib1g-dev")

WHEEL = """\
Wheel-Version: 1.0
Generator: make_wheel.py
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""


def licences():
    gcc = subprocess.run(["gcc", "-dumpversion"], capture_output=True, check=True, text=True).stdout
    for package in (*LINKED, f"gcc-{gcc.split('.')[0].strip()}-base"):  # of libgcc
        path = pathlib.Path("/usr/share/doc") / package / "copyright"
        if path.exists():
            yield f"licenses/{package}", path.read_bytes()
    zig = os.environ.get("TSCATTER_ZIG")
    for library in ("libcxx", "libcxxabi", "libunwind") if zig else ():
        path = pathlib.Path(zig).parent / "lib" / library / "LICENSE.TXT"
        if path.exists():
            yield f"licenses/{library}", path.read_bytes()


def members(options):
    """(name, bytes, whether it is a program), without RECORD."""
    info = info_folder(options.version)
    for name, content in module_files(options.version, options.library, options.python):
        yield name, content, False
    yield "tscatter/libtscatter_c.so", options.library.read_bytes(), True
    yield "tscatter/include/tscatter.h", (SOURCE / "app/c/tscatter.h").read_bytes(), False
    yield f"tscatter-{options.version}.data/scripts/tscatter", options.program.read_bytes(), True
    yield f"{info}/WHEEL", WHEEL.format(tag=options.tag).encode(), False
    yield f"{info}/sboms/tscatter.cdx.json", options.sbom.read_bytes(), False
    for name, text in licences():
        yield f"{info}/{name}", text, False


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write(path, files, date, record):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        lines = ""
        for name, content, is_program in files:
            wheel.writestr(entry(name, date, is_program), content)
            lines += record_line(name, content)
        wheel.writestr(entry(record, date, False), lines + f"{record},,\n")


def entry(name, date, is_program):
    info = zipfile.ZipInfo(name, date)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (0o100755 if is_program else 0o100644) << 16
    return info


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind in (("version", str), ("program", pathlib.Path), ("library", pathlib.Path), ("sbom", pathlib.Path), ("tag", str), ("output", pathlib.Path)):
        parser.add_argument("--" + name, type=kind, required=True)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    options.library = options.library.resolve()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))  # 1980, where zip's time begins
    date = time.gmtime(max(epoch, 315532800))[:6]
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"tscatter-{options.version}-py3-none-{options.tag}.whl"
    files = sorted(members(options), key=lambda file: ("dist-info" in file[0], file[0]))
    write(path, files, date, f"{info_folder(options.version)}/RECORD")
    print(path)


if __name__ == "__main__":
    main()
