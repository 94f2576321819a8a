"""Each row of the table From NumPy in docs/indexing.md: the command leaves what the line leaves.

  indexing.py TSCATTER docs/indexing.md
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
        "other": random.random((6, 5)),
    }


def left_by(line):
    names = {"np": np} | arrays()
    exec(line, names)
    return names["a"]


def main(program, page):
    rows = re.findall(r"^\| `(.+?)` \| `tscatter (.+)` \|$", page.read_text(), re.MULTILINE)
    wrong = [] if len(rows) > 20 else [f"{page}: must have the table From NumPy, got {len(rows)} rows"]
    with tempfile.TemporaryDirectory() as directory:
        for name, array in arrays().items():
            np.save(f"{directory}/{name}.npy", array)
        for line, command in rows:
            run = subprocess.run(f"'{program}' {command} -o out.npy", shell=True, cwd=directory, capture_output=True, text=True)
            if run.returncode != 0:
                wrong.append(f"{command}: {run.stderr.strip()}")
                continue
            got, wanted = np.load(f"{directory}/out.npy"), left_by(line)
            if got.dtype != wanted.dtype or not np.array_equal(got, wanted, equal_nan=True):
                wrong.append(f"{command}: must leave what {line} leaves")
    print("\n".join(wrong) or f"{len(rows)} rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
