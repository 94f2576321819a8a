#!/usr/bin/env python3
"""Runs what docs/scale.md has for GNU parallel, Snakemake and Dask, where they are. The bytes must be those of one run.

usage: schedulers.py TSCATTER SOURCE_FOLDER
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
import scale_page

TSCATTER = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
PARTS = 12
PATH = os.environ["PATH"]
PYTHON = os.environ.get("TSCATTER_PYTHON") or sys.executable


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


def block(words):
    return scale_page.smaller(scale_page.block_with(SOURCE, words), (r"\b256\b", str(PARTS)))


def run_parallel(folder):
    if shutil.which("parallel") is None or "GNU" not in run(folder, "parallel", "--version"):
        return "GNU parallel is not there"
    with open(os.path.join(folder, "nodes"), "w", encoding="ascii") as file:
        file.write(":\n")
    run(folder, "bash", "-euc", block("seq 256"))


def run_snakemake(folder):
    command = [PYTHON, "-m", "snakemake", "--cores", "2", "finish"]
    if subprocess.run([PYTHON, "-c", "import snakemake"], capture_output=True).returncode != 0:
        return f"{PYTHON} has no snakemake"
    with open(os.path.join(folder, "Snakefile"), "w", encoding="utf-8") as file:
        file.write(block("rule finish"))
    run(folder, *command)
    assert "Nothing to be done" in run(folder, *command), "a second call computes parts again"


def run_dask(folder):
    if subprocess.run([PYTHON, "-c", "import dask.distributed"], capture_output=True).returncode != 0:
        return f"{PYTHON} has no dask.distributed"
    script = scale_page.smaller(block("dask.distributed"), (r"(?m)^client = Client\(\)", "if __name__ == '__main__':\n  client = Client(n_workers=2)"),
                                (r"(?m)^(client\.gather|subprocess)", r"  \1"))
    with open(os.path.join(folder, "job.py"), "w", encoding="utf-8") as file:
        file.write(script)
    run(folder, PYTHON, "job.py")


ran = 0
for engine in (run_parallel, run_snakemake, run_dask):
    with tempfile.TemporaryDirectory() as work:
        os.makedirs(os.path.join(work, "bin"))
        os.symlink(TSCATTER, os.path.join(work, "bin/tscatter"))
        os.environ["PATH"] = f"{work}/bin:{PATH}"
        scale_page.write_operands(work)
        plain = scale_page.plain_result(TSCATTER, work)
        name = engine.__name__[4:]
        reason = engine(work)
        if reason is not None:
            print(f"{name}: skipped: {reason}")
            continue
        assert scale_page.result(work) == plain, f"{name}: other bytes than one run"
        print(f"{name}: {PARTS} parts, the bytes of one run")
        ran += 1
print("passed" if ran else "skipped")
sys.exit(0 if ran else 77)
