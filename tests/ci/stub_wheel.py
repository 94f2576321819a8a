"""A wheel for tests of what is installed by pip: its program runs the one that was built."""
import os
import subprocess
import zipfile


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.split()[1]


def make_wheel(program, folder):
    """The path of a wheel in `folder` that installs a script tscatter, which runs `program`."""
    version = version_of(program)
    info = f"tscatter-{version}.dist-info"
    path = os.path.join(folder, f"tscatter-{version}-py3-none-any.whl")
    script = zipfile.ZipInfo(f"tscatter-{version}.data/scripts/tscatter")
    script.external_attr = 0o100755 << 16
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(script, f'#!/bin/sh\nexec "{program}" "$@"\n')
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tscatter\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*wheel.namelist(), f"{info}/RECORD"]))
    return path
