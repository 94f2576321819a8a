#!/usr/bin/env python3
"""Packs the program twice, compares the bytes, and looks at what was packed and at its bill of materials.

usage: tarball.py TSCATTER SOURCE_FOLDER BUILD_FOLDER
"""
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

PROGRAM, SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:])
SBOM = os.path.join(BUILD, "tscatter.cdx.json")
TIME = 1700000000
# The licences of SPDX that components may have.
LICENCES = {"MIT", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "LGPL-2.1-or-later", "GPL-3.0-or-later WITH GCC-exception-3.1",
            "Apache-2.0 WITH LLVM-exception"}


def printed(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def pack(folder, **variables):
    output = os.path.join(folder, "out")
    command = [sys.executable, os.path.join(SOURCE, "packaging/tarball/make_tarball.py"), PROGRAM, SBOM, SOURCE, output]
    os.makedirs(folder)
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME), **variables})
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=output, check=True)
    return {os.path.basename(path): open(path, "rb").read() for path in glob.glob(output + "/*")}


def check_bill(bill):
    """What the schema of CycloneDX 1.6 wants of the members that are used."""
    assert set(bill) == {"$schema", "bomFormat", "specVersion", "version", "metadata", "components", "dependencies"}, bill.keys()
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    own = bill["metadata"]["component"]
    assert own["type"] == "application" and own["hashes"][0]["alg"] == "SHA-256", own
    assert own["hashes"][0]["content"] == hashlib.sha256(open(PROGRAM, "rb").read()).hexdigest()
    for component in bill["components"]:
        assert set(component) == {"type", "bom-ref", "name", "version", "licenses", "purl"}, component
        assert component["type"] == "library" and re.fullmatch(r"\d+(\.\d+)+", component["version"]), component
        assert re.fullmatch(r"pkg:[a-z]+/[A-Za-z0-9_.%/-]+@[0-9.]+", component["purl"]), component
        assert [each["expression"] for each in component["licenses"]][0] in LICENCES, component
    refs = [component["bom-ref"] for component in bill["components"]]
    assert len(set(refs)) == len(refs) and own["bom-ref"] not in refs, refs
    assert bill["dependencies"] == [{"ref": own["bom-ref"], "dependsOn": refs}], bill["dependencies"]


def check_versions(bill):
    """The bill names what the program says that it is made of."""
    version = printed(PROGRAM, "--version")
    assert bill["metadata"]["component"]["version"] == version.split()[1]
    libraries = dict(each.split() for each in re.search(r"^libraries +(.*)$", version, re.MULTILINE)[1].split(", "))
    listed = {component["name"]: component["version"] for component in bill["components"]}
    assert libraries and libraries.items() <= listed.items(), (libraries, listed)
    assert {"zlib", "xxHash"} <= set(listed), listed


def check_packed(path, folder, bill):
    with tarfile.open(path) as tar:
        entries = tar.getmembers()
        tar.extractall(folder)
    names = [entry.name for entry in entries]
    assert names == sorted(names) and all(entry.isreg() for entry in entries), names
    assert {(entry.mtime, entry.uid, entry.gid, entry.uname) for entry in entries} == {(TIME, 0, 0, "root")}
    root = os.path.join(folder, names[0].split("/")[0])
    assert printed(os.path.join(root, "bin/tscatter"), "--version") == printed(PROGRAM, "--version")
    assert json.load(open(os.path.join(root, "tscatter.cdx.json"), encoding="utf-8")) == bill
    assert open(os.path.join(root, "share/man/man1/tscatter.1"), encoding="utf-8").read().startswith(".TH TSCATTER")
    for component in bill["components"]:
        assert os.path.getsize(os.path.join(root, f"licences/{component['name']}.txt")) > 500, component


def check_changelog():
    """Debian's first line is of the program's version."""
    with open(os.path.join(SOURCE, "packaging/debian/changelog"), encoding="utf-8") as file:
        assert file.readline().startswith(f"tscatter ({printed(PROGRAM, '--version').split()[1]}) "), "packaging/debian/changelog"


check_changelog()
if not os.path.exists("/usr/share/doc/libfmt-dev/copyright"):
    print("skipped: the licences of the libraries are not where Debian has them")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    first = pack(os.path.join(work, "first"), TZ="UTC")
    os.umask(0o077)
    assert pack(os.path.join(work, "second"), TZ="Asia/Tokyo", LC_ALL="C", HOME="/") == first, "packed again, the bytes are others"
    name = next(name for name in first if name.endswith(".tar.gz"))
    assert sorted(first) == ["SHA256SUMS", name.replace(".tar.gz", ".cdx.json"), name], first.keys()
    made = json.loads(first[name.replace(".tar.gz", ".cdx.json")])
    check_bill(made)
    check_versions(made)
    check_packed(os.path.join(work, "first/out", name), os.path.join(work, "unpacked"), made)
print("passed")
