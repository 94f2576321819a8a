#!/usr/bin/env python3
"""Runs the steps of the GitHub Action and of the GitLab template as their services do, with a wheel that pip installs.

usage: services.py TSCATTER SOURCE_FOLDER
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
from stub_wheel import make_wheel

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not there")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
ACTION = os.path.join(SOURCE, "packaging/github-action")
WORK = tempfile.TemporaryDirectory()
CASES = [  # The result of each is [5, 2, 3]. Names are hostile to shells.
    {"name": "rows", "op": "ScatterNDUpdate-15", "data": [1, 2, 3], "indices": [[0]], "updates": [5]},
    {"name": "$(touch bad); `touch bad`", "op": "SliceScatter-15", "data": "data.npz:one two", "updates": [5], "start": 0, "stop": 1, "step": 1},
    {"name": "two words", "op": "torch.masked_fill", "input": [1, 2, 3], "mask": [True, False, False], "value": 5},
    {"name": "it's 50% #1", "op": "torch.index_put", "input": [1, 2, 3], "indices": ["0:1"], "values": [4], "accumulate": True},
]
RIGHT = [5, 2, 3]


def load(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return yaml.safe_load(file)


def new_folder(name):
    path = os.path.join(WORK.name, name)
    os.makedirs(path)
    return path


def write_cases(folder, *expected):
    """The file "my cases.jsonl" with a case for each result that is expected."""
    subprocess.run([PROGRAM, "convert", "[1, 2, 3]", os.path.join(folder, "data.npz:one two")], check=True)
    with open(os.path.join(folder, "my cases.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({**case, "expected": result}) + "\n" for case, result in zip(CASES, expected))


def environment(folder):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": folder, "PIP_NO_INDEX": "1", "XDG_STATE_HOME": os.path.join(folder, "state")}


def run_script(script, folder, variables):
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(shell, cwd=folder, env=variables, capture_output=True, text=True)


class ActionRun:
    """The steps of action.yml in a folder of their own, until one fails: `status`, `out`, `err`."""

    def __init__(self, name, **inputs):
        action = load("packaging/github-action/action.yml")
        self.folder = new_folder(name)
        self.values = {f"inputs.{key}": str(row.get("default", "")) for key, row in action["inputs"].items()}
        for key, value in inputs.items():
            assert f"inputs.{key.replace('_', '-')}" in self.values, key
            self.values[f"inputs.{key.replace('_', '-')}"] = value
        self.files = {name: os.path.join(self.folder, name) for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        self.steps = action["runs"]["steps"]
        assert action["runs"]["using"] == "composite"
        self.status, self.out, self.err = 0, "", ""

    def replaced(self, text):
        assert all(each in self.values for each in re.findall(r"\$\{\{ (.*?) \}\}", text)), text
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.values[found[1]], text)

    def is_wanted(self, step):
        condition = step.get("if", "${{ success() }}")
        known = {"${{ success() }}": self.status == 0,
                 "${{ always() && inputs.problem-matcher == 'true' }}": self.values["inputs.problem-matcher"] == "true"}
        return known[condition]

    def run(self):
        variables = {**environment(self.folder), **self.files, "GITHUB_ACTIONS": "true", "CI": "true",
                     "GITHUB_ACTION_PATH": ACTION, "GITHUB_WORKSPACE": self.folder, "RUNNER_TEMP": self.folder}
        for step in self.steps:
            if not self.is_wanted(step):
                continue
            assert "${{" not in step["run"], "an input in a script is run by the shell"
            given = {key: self.replaced(value) for key, value in step.get("env", {}).items()}
            folder = os.path.join(self.folder, self.replaced(step.get("working-directory", ".")))
            done = run_script(step["run"], folder, {**variables, **given})
            self.status = self.status or done.returncode
            self.out += done.stdout
            self.err += done.stderr
            self.read_outputs(step)
        return self

    def read_outputs(self, step):
        for line in self.lines("GITHUB_OUTPUT"):
            key, value = line.split("=", 1)
            self.values[f"steps.{step.get('id')}.outputs.{key}"] = value

    def lines(self, name):
        path = self.files[name]
        return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []

    def has(self, *path):
        return os.path.exists(os.path.join(self.folder, *path))


def check_action_with_wheel(wheel):
    action = ActionRun("wheel", cases="my cases.jsonl\n", tscatter=wheel, flags="--filter=two words\n--filter=$*\n--filter=it's 50% #1\n")
    write_cases(action.folder, *[RIGHT] * 4)
    action.run()
    assert action.status == 0, action.err
    assert "3 of 4 cases: 3 passed" in action.out, action.out
    assert action.has("tscatter.xml") and action.has("tscatter.html") and not action.has("bad")
    assert action.lines("GITHUB_PATH") == [os.path.join(action.folder, "tscatter/bin")]
    assert "add-matcher" not in action.out


def check_action_with_program():
    action = ActionRun("program", cases="my cases.jsonl", tscatter=PROGRAM, shard="1/2", flags="--details",
                       junit="", html="", working_directory="golden", problem_matcher="true")
    os.makedirs(os.path.join(action.folder, "golden"))
    write_cases(os.path.join(action.folder, "golden"), [0, 2, 3], *[RIGHT] * 3)
    action.run()
    assert action.status == 0 and "3 of 4 cases: 3 passed" in action.out, action.out + action.err
    assert not action.has("golden/tscatter.xml") and not action.has("golden/tscatter.html")
    assert f"::add-matcher::{ACTION}/problem-matcher.json\n" in action.out


def check_failing_action():
    action = ActionRun("failing", cases="my cases.jsonl", tscatter=PROGRAM, problem_matcher="true")
    write_cases(action.folder, [5, 2, 4], *[RIGHT] * 3)
    action.run()
    assert action.status == 1, action.err
    assert re.search("^::error file=my cases.jsonl,line=1,title=rows::.*1 of 3 elements", action.err, re.MULTILINE), action.err
    assert action.lines("GITHUB_STEP_SUMMARY") and action.has("failed/rows.npy") and "add-matcher" in action.out
    check_matcher(action.out)


def check_matcher(shown):
    """The failures that the action printed, the same lines as ctest -V shows them, and another name."""
    with open(os.path.join(ACTION, "problem-matcher.json"), encoding="utf-8") as file:
        pattern = json.load(file)["problemMatcher"][0]["pattern"][0]
    lines = shown.splitlines()
    for begin in ("FAILED   rows  ", "12: FAILED   rows  ", "FAILED   two  blanks: 1  "):
        found = [match for match in (re.search(pattern["regexp"], line.replace("FAILED   rows  ", begin)) for line in lines) if match]
        assert len(found) == 1, found
        place = {name: found[0][pattern[name]] for name in ("file", "line", "message", "code")}
        message = place.pop("message")
        assert "1 of 3 elements" in message and message.endswith("largest at [2]: got 3, expected 4"), message
        assert place == {"file": "my cases.jsonl", "line": "1", "code": "batch.b7"}, place


class GitLabJob:
    """The job .tscatter in a folder of its own, with the wheel installed as its before_script does."""

    def __init__(self, wheel):
        self.folder = new_folder("gitlab")
        self.job = load("packaging/gitlab/tscatter.gitlab-ci.yml")[".tscatter"]
        self.variables = {**environment(self.folder), **self.job["variables"], "CI": "true", "CI_PROJECT_DIR": self.folder,
                          "TSCATTER": wheel, "TSCATTER_CASES": "my cases.jsonl"}
        done = run_script("\n".join([*self.job["before_script"], 'echo "$PATH"']), self.folder, self.variables)
        assert done.returncode == 0, done.stderr
        self.variables["PATH"] = done.stdout.splitlines()[-1]

    def run(self, *expected, **variables):
        write_cases(self.folder, *expected)
        done = run_script("\n".join(self.job["script"]), self.folder, {**self.variables, **variables})
        for path in [self.job["artifacts"]["paths"][0], self.job["artifacts"]["reports"]["junit"]]:
            os.remove(os.path.join(self.folder, path))
        return done


def check_gitlab(wheel):
    job = GitLabJob(wheel)
    done = job.run(*[RIGHT] * 4)
    assert done.returncode == 0 and "4 cases: 4 passed" in done.stdout, done.stdout + done.stderr
    done = job.run(RIGHT, RIGHT, RIGHT, [5, 2, 9])
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout + done.stderr
    done = job.run(*[RIGHT] * 4, TSCATTER_FLAGS="--details\n--filter=two words\n--filter=it's*\n")
    assert done.returncode == 0 and "2 of 4 cases: 2 passed" in done.stdout, done.stdout + done.stderr
    counts = []
    for index in ("1", "2"):
        done = job.run(*[RIGHT] * 4, CI_NODE_INDEX=index, CI_NODE_TOTAL="2")
        counts.append(len(re.findall(r"^ok ", done.stdout, re.MULTILINE)))
    assert sum(counts) == 4 and 4 not in counts, counts


def yaml_blocks(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)]


def check_page():
    """What docs/ci.md gives to the action and takes from the template is there."""
    inputs = load("packaging/github-action/action.yml")["inputs"]
    templates = load("packaging/gitlab/tscatter.gitlab-ci.yml")
    used = []
    for block in yaml_blocks("docs/ci.md"):
        for job in [*block.get("jobs", {}).values(), *(each for each in block.values() if isinstance(each, dict))]:
            for step in job.get("steps", []):
                if step.get("uses", "").split("@")[0].endswith("tscatter/packaging/github-action"):
                    assert set(step["with"]) <= set(inputs), step
                    assert all(key in step["with"] for key, row in inputs.items() if row.get("required")), step
                    used.append("action")
            if "extends" in job:
                template = templates[job["extends"]]
                assert set(job.get("variables", {})) <= set(template["variables"]), job
                used.append("template")
    assert set(used) == {"action", "template"}, used


check_page()
check_action_with_program()
check_failing_action()
probe = subprocess.run([sys.executable, "-c", "import venv, ensurepip"], capture_output=True)
if probe.returncode != 0:
    print("python3 makes no venv here: what installs the wheel is not run")
else:
    built = make_wheel(PROGRAM, WORK.name)
    check_action_with_wheel(built)
    check_gitlab(built)
print("passed")
