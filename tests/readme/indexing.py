"""Each row of the table From NumPy in docs/indexing.md: the command leaves what the line leaves. Each command of the table
Common tasks in docs/cookbook.md runs.

  indexing.py TSCATTER docs/indexing.md docs/cookbook.md
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np


def arrays():
    random = np.random.default_rng(1)
    a = random.normal(size=(6, 5)).astype(np.float32) * 9
    a[2, 3] = np.nan
    mask = random.random((6, 5)) < 0.5
    return {
        "a": a,
        "ids": np.array([4, 0, -1]),
        "cols": np.array([1, 3, 0]),
        "rows": random.normal(size=(3, 5)).astype(np.float32),
        "part": random.normal(size=(6, 3)).astype(np.float32),
        "pairs": random.normal(size=3).astype(np.float32),
        "grid": random.normal(size=(3, 3)).astype(np.float32),
        "row": random.normal(size=5).astype(np.float32),
        "col": random.normal(size=6).astype(np.float32),
        "mask": mask,
        "trues": random.normal(size=int(mask.sum())).astype(np.float32),
        "rowmask": np.array([True, False, False, True, True, False]),
        "colmask": np.array([False, True, False, False, True]),
        "other": random.random((6, 5)),
        "b": random.normal(size=(6, 5)).astype(np.float32),
        "block": random.normal(size=(2, 3)).astype(np.float32),
        "far": np.array([3, 170, -1, 6]),
        "n": np.arange(5),
        "r": np.arange(6),
        "groups": np.array([7, 0, 7, 3, 0, 7]),
        "weights": random.normal(size=6),
        "top": np.array([[4, 0], [1, 2], [0, 1], [2, 4], [3, 0], [1, 0]]),
        "best": random.normal(size=(6, 2)).astype(np.float32),
        "flags": np.arange(6, dtype=np.uint8),
        "cache": random.normal(size=(2, 3, 8, 4)).astype(np.float16),
        "pos": np.array([5, 0]),
        "new": random.normal(size=(2, 3, 2, 4)).astype(np.float16),
        "changes": np.array([(5, 1.5), (0, -2), (5, 4)], [("id", "i8"), ("value", "f8")]),
        "x": np.array([(3, 1, 1.5), (0, 4, -2), (3, 1, 0.25)], [("row", "i8"), ("col", "i8"), ("value", "f8")]),
    }


def write(directory, name, array):
    if array.dtype.names:
        np.savetxt(f"{directory}/{name}.csv", array, fmt="%g", delimiter=",", header=",".join(array.dtype.names), comments="")
    else:
        np.save(f"{directory}/{name}.npy", array)


def left_by(line):
    """The array that the line changes: the first that it names."""
    names = {"np": np} | arrays()
    exec(line, names)
    return names[re.match(r"(?:np\.[\w.]+\()?(\w+)", line)[1]]


def rows_of(page):
    return re.findall(r"^\| `(.+?)` \| `(tscatter .+)` \|$", page.read_text().replace(r"\|", "|"), re.MULTILINE)


def tasks_of(page):
    table = re.search(r"^## Common tasks\n.*?(?=^## )", page.read_text().replace(r"\|", "|"), re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| [^`].*? \| `(tscatter .+?)`[^`]* \|$", table[0] if table else "", re.MULTILINE)


def run(program, command, directory):
    """What is wrong; out.npy has the result."""
    shell = f"{command} -o out.npy".replace("tscatter ", f"'{program}' ")
    ran = subprocess.run(shell, shell=True, cwd=directory, capture_output=True, text=True)
    return [] if ran.returncode == 0 else [f"{command}: {ran.stderr.strip()}"]


def main(program, indexing, cookbook):
    rows, tasks = rows_of(indexing), tasks_of(cookbook)
    wrong = [] if len(rows) > 20 else [f"{indexing}: must have the table From NumPy, got {len(rows)} rows"]
    wrong += [] if len(tasks) > 10 else [f"{cookbook}: must have the table Common tasks, got {len(tasks)} rows"]
    with tempfile.TemporaryDirectory() as directory:
        for name, array in arrays().items():
            write(directory, name, array)
        for line, command in rows:
            failure = run(program, command, directory)
            wrong += failure
            if failure:
                continue
            got, wanted = np.load(f"{directory}/out.npy"), left_by(line)
            if got.dtype != wanted.dtype or not np.array_equal(got, wanted, equal_nan=True):
                wrong.append(f"{command}: must leave what {line} leaves")
        for command in tasks:
            wrong += run(program, command, directory)
    print("\n".join(wrong) or f"{len(rows)} rows, {len(tasks)} tasks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
