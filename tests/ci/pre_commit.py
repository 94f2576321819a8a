#!/usr/bin/env python3
"""Commits right and wrong goldens in a repository that has the hook of packaging/pre-commit, with a wheel that pip installs.

usage: pre_commit.py TSCATTER SOURCE_FOLDER
TSCATTER_PRE_COMMIT names a pre-commit that is not in the path.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
from stub_wheel import make_wheel, version_of

PROGRAM = os.path.abspath(sys.argv[1])
HOOKS = os.path.join(os.path.abspath(sys.argv[2]), "packaging/pre-commit")
PRE_COMMIT = shutil.which(os.environ.get("TSCATTER_PRE_COMMIT", "pre-commit"))
CASE = '{"name": "rows", "op": "ScatterNDUpdate-15", "data": [1, 2, 3], "indices": [[0]], "updates": [5], "expected": "rows.npy"}\n'
CONFIGURATION = """repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: tscatter-goldens
        args: [golden/cases.jsonl]
        additional_dependencies: ["tscatter @ file://{wheel}"]
"""


def check_versions():
    with open(os.path.join(HOOKS, "pyproject.toml"), encoding="utf-8") as file:
        versions = re.findall(r'^version = "(.*)"$|"tscatter==(.*)"', file.read(), re.MULTILINE)
    assert [own or wanted for own, wanted in versions] == [version_of(PROGRAM)] * 2, versions


def check_pattern():
    with open(os.path.join(HOOKS, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
        pattern = re.search(r"files: (.*)", file.read())[1]
    for name in ("cases.jsonl", "a/x.npy", "x.npz", "x.pb", "x.safetensors", "x.safetensors.index.json",
                 "x.safetensors.fp16.index.json", "x.safetensors.index.fp16.json"):
        assert re.search(pattern, name), name
    for name in ("README.md", "x.json", "x.npy.txt", "x.index.fp16.json"):
        assert not re.search(pattern, name), name


class Repository:
    def __init__(self, path):
        self.path = path
        # Isolated builds fetch setuptools; pre-commit's own environment has it, or the test is skipped.
        self.variables = {**os.environ, "HOME": os.path.dirname(path), "XDG_STATE_HOME": path + ".state", "PRE_COMMIT_HOME": path + ".cache",
                          "PIP_DISABLE_PIP_VERSION_CHECK": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
                          **{f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
        self.run("git", "init", "-q")

    def run(self, *words):
        os.makedirs(self.path, exist_ok=True)
        done = subprocess.run(words, cwd=self.path, env=self.variables, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def commit_all(self):
        self.run("git", "add", "-A")
        return subprocess.run(["git", "commit", "-q", "-m", "a change"], cwd=self.path, env=self.variables, capture_output=True, text=True)


def can_install(error):
    return not re.search(r"No matching distribution|Could not find a version|NewConnectionError|Temporary failure", error)


def check_hook(folder):
    hooks = Repository(os.path.join(folder, "hooks"))
    shutil.copytree(HOOKS, hooks.path, dirs_exist_ok=True)
    assert hooks.commit_all().returncode == 0
    project = Repository(os.path.join(folder, "project"))
    project.write(".pre-commit-config.yaml", CONFIGURATION.format(
        hooks=hooks.path, revision=hooks.run("git", "rev-parse", "HEAD"), wheel=make_wheel(PROGRAM, folder)))
    project.write("golden/cases.jsonl", CASE)
    project.run(PRE_COMMIT, "install")
    project.run(PROGRAM, "convert", "[5, 2, 3]", "golden/rows.npy")
    first = project.commit_all()
    if not can_install(first.stdout + first.stderr):
        print("skipped: pip cannot install what builds the hook's package")
        sys.exit(77)
    assert first.returncode == 0, first.stdout + first.stderr
    project.run(PROGRAM, "convert", "[5, 2, 4]", "golden/rows.npy")
    wrong = project.commit_all()
    assert wrong.returncode == 1 and "1 of 3 elements" in wrong.stdout + wrong.stderr, wrong
    project.run(PROGRAM, "convert", "[5, 2, 3]", "golden/rows.npy")
    project.write("golden/left.npy", "")
    lost = project.commit_all()
    assert lost.returncode == 1 and "left.npy" in lost.stdout + lost.stderr, lost
    os.remove(os.path.join(project.path, "golden/left.npy"))
    project.write("golden/cases.jsonl", CASE.replace("rows.npy", "rows.safetensors:y"))
    os.remove(os.path.join(project.path, "golden/rows.npy"))
    project.run(PROGRAM, "convert", "[5, 2, 3]", "golden/rows.safetensors:y")
    assert project.commit_all().returncode == 0
    project.run(PROGRAM, "convert", "[5, 2, 4]", "golden/rows.safetensors:y")
    wrong = project.commit_all()
    assert wrong.returncode == 1 and "1 of 3 elements" in wrong.stdout + wrong.stderr, wrong
    project.run(PROGRAM, "convert", "[5, 2, 3]", "golden/rows.safetensors:y")
    project.write("notes.txt", "no golden")
    other = project.commit_all()
    assert other.returncode == 0 and "Skipped" in other.stdout + other.stderr, other


check_versions()
check_pattern()
if PRE_COMMIT is None:
    print("skipped: pre-commit is not there")
    sys.exit(77)
with tempfile.TemporaryDirectory() as work:
    check_hook(work)
print("passed")
