"""The files and commands of docs/scale.md, for tests that run them, and a job for them with its plain result."""
import array
import os
import random
import re
import struct
import subprocess

ROWS, COLUMNS, ENTRIES = 4096, 512, 20000


def blocks(source):
    """The blocks of code on how schedulers run parts and shards, in order."""
    with open(os.path.join(source, "docs/scale.md"), encoding="utf-8") as file:
        section = file.read().split("\n## With a scheduler\n")[1].split("\n## ")[0]
    return re.findall(r"^```\w+\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def block_with(source, words):
    """The one block with these words."""
    found = [block for block in blocks(source) if words in block]
    assert len(found) == 1, (words, len(found))
    return found[0]


def smaller(block, *changes):
    """The block for a job of a test: each change is (pattern, replacement), and must be needed."""
    for pattern, replacement in changes:
        block, count = re.subn(pattern, replacement, block)
        assert count > 0, (pattern, block)
    return block


def write_npy(path, descr, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        values.tofile(file)


def write_operands(folder):
    """w.npy, i.npy, u.npy: sums of numbers of all sizes at few places, so that their order shows. w.npy has 65 units of 128 KiB."""
    draw = random.Random(7)
    write_npy(os.path.join(folder, "w.npy"), "<f4", (ROWS, COLUMNS), array.array("f", bytes(ROWS * COLUMNS * 4)))
    places = [(draw.randrange(ROWS), draw.randrange(COLUMNS)) for _ in range(ENTRIES // 10)]
    indices = array.array("q", [each for _ in range(ENTRIES) for each in draw.choice(places)])
    write_npy(os.path.join(folder, "i.npy"), "<i8", (ENTRIES, 2), indices)
    updates = array.array("f", [draw.uniform(-1, 1) * 10 ** draw.randrange(-6, 7) for _ in range(ENTRIES)])
    write_npy(os.path.join(folder, "u.npy"), "<f4", (ENTRIES,), updates)


CALL = "ScatterNDUpdate-15 -d w.npy -i i.npy -u u.npy -r sum".split()


def plain_result(tscatter, folder):
    """The bytes of the page's job on one machine, in one run."""
    subprocess.run([tscatter, *CALL, "-o", "plain.npy"], cwd=folder, check=True)
    with open(os.path.join(folder, "plain.npy"), "rb") as file:
        return file.read()


def result(folder):
    with open(os.path.join(folder, "out.npy"), "rb") as file:
        return file.read()
