#!/usr/bin/env python3
"""Packs a program with its manual page, completion scripts, licences and bill of materials: ./dev tarball calls it.

usage: make_tarball.py PROGRAM SBOM SOURCE_FOLDER OUTPUT_FOLDER [MACHINE STARTED]

PROGRAM of another MACHINE is started by STARTED.
The same program makes the same bytes: SOURCE_DATE_EPOCH is the time of each file (default: that of the last commit). Writes
tscatter-VERSION-linux-MACHINE.tar.gz, the bill of materials beside it, and SHA256SUMS of both.
"""
import gzip
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import tarfile

# Each component's package of Debian that has the text of its licence; {} is the compiler's first number.
LICENCES = {
    "CLI11": "libcli11-dev",
    "fmt": "libfmt-dev",
    "glibc": "libc6-dev",
    "libgcc": "gcc-{}-base",
    "libstdc++": "gcc-{}-base",
    "nlohmann_json": "nlohmann-json3-dev",
    "spdlog": "libspdlog-dev",
    "xxHash": "libxxhash-dev",
    "zlib": "zlib1g-dev",
}
# What the program prints, and where it lies.
PRINTED = {
    "share/man/man1/tscatter.1": ["help", "--format", "man"],
    "share/bash-completion/completions/tscatter": ["completion", "bash"],
    "share/zsh/site-functions/_tscatter": ["completion", "zsh"],
    "share/fish/vendor_completions.d/tscatter.fish": ["completion", "fish"],
}


def printed(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def time_of_sources(source):
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or printed("git", "-c", f"safe.directory={source}", "-C", source, "log", "-1", "--format=%ct"))


def licence_of(component):
    package = LICENCES[component["name"]].format(component["version"].split(".")[0])
    return read(f"/usr/share/doc/{package}/copyright")


def bill_of(sbom, program):
    """The bill that CMake wrote, with the program's checksum."""
    bill = json.loads(read(sbom))
    bill["metadata"]["component"]["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(program).hexdigest()}]
    return bill


def contents_of(program, bill, source, started):
    """Each file's bytes, by its path."""
    files = {path: printed(started, *words) for path, words in PRINTED.items()}
    files["bin/tscatter"] = read(program)
    for name in ("README.md", "CHANGELOG.md"):
        files[name] = read(os.path.join(source, name))
    for component in bill["components"]:
        files[f"licences/{component['name']}.txt"] = licence_of(component)
    files["tscatter.cdx.json"] = json.dumps(bill, indent=2).encode() + b"\n"
    return files


def packed(files, folder, time):
    tar_bytes = io.BytesIO()
    with tarfile.open(fileobj=tar_bytes, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(files):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mtime = len(files[path]), time
            entry.mode = 0o755 if path.startswith("bin/") else 0o644
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(files[path]))
    return gzip.compress(tar_bytes.getvalue(), mtime=0)


def main(program, sbom, source, output, machine, started):
    bill = bill_of(sbom, read(program))
    version = bill["metadata"]["component"]["version"]
    assert printed(started, "--version").split()[1].decode() == version, "the program is of another version than the bill of materials"
    name = f"tscatter-{version}-linux-{machine}"
    files = contents_of(program, bill, source, started)
    outputs = {f"{name}.tar.gz": packed(files, name, time_of_sources(source)), f"{name}.cdx.json": files["tscatter.cdx.json"]}
    os.makedirs(output, exist_ok=True)
    sums = ""
    for path in sorted(outputs):
        write(os.path.join(output, path), outputs[path])
        sums += f"{hashlib.sha256(outputs[path]).hexdigest()}  {path}\n"
    write(os.path.join(output, "SHA256SUMS"), sums.encode())


if len(sys.argv) not in (5, 7):
    sys.exit(__doc__)
paths = [os.path.abspath(path) for path in sys.argv[1:5]]
main(*paths, *(sys.argv[5:] or (platform.machine(), paths[0])))
