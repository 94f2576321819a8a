#!/usr/bin/env python3
"""Completes command lines in the shells that are there, on a terminal, and looks at what they show; man formats the page.

usage: completion.py TSCATTER
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp()
ENVIRONMENT = {
    "PATH": f"{FOLDER}:{os.environ['PATH']}",
    "HOME": FOLDER,
    "TERM": "xterm",
    "PS1": "$ ",
}
# What each shell is told before the first line.
STARTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(tscatter completion bash)\n"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u; source <(tscatter completion zsh)\n"),
    "fish": (["fish", "--no-config", "-i"], "tscatter completion fish | source\n"),
}
# The same, with the script where the shell looks for it; they try the first lines only.
INSTALLED = {
    "zsh": (["zsh", "-f", "-i"], f"fpath=({FOLDER}/installed $fpath); autoload -U compinit; compinit -u\n"),
    "fish": (["fish", "--no-config", "-i"], f"set fish_complete_path {FOLDER}/installed\n"),
}
FILES = {"zsh": "_tscatter", "fish": "tscatter.fish"}
# What is typed, and the words that the shell then has.
LINES = [
    ("tscatter sho\t", ["show"]),
    ("tscatter ScatterNDUpdate-15 -r pr\t", ["ScatterNDUpdate-15", "-r", "prod"]),
    ("tscatter ScatterNDUpdate-15 --reduction=pr\t", ["ScatterNDUpdate-15", "--reduction=prod"]),
    ("tscatter scatterel\t3\t", ["ScatterElementsUpdate-3"]),
    ("tscatter verify slice\t", ["verify", "SliceScatter-15"]),
    ("tscatter compare --max\t", ["compare", "--max-ulp"]),
    ("tscatter ops --rule memo\t", ["ops", "--rule", "memory.m1"]),
    ("tscatter compare --dtype float6\t", ["compare", "--dtype", "float64"]),
    ("tscatter show archive.npz:tw\t", ["show", "archive.npz:two"]),
    ("tscatter show archive.npz:th\t", ["show", "archive.npz:the third"]),
    ("tscatter ScatterUpdate-3 --data=archive.npz:tw\t", ["ScatterUpdate-3", "--data=archive.npz:two"]),
    ("tscatter show two\\ w\t", ["show", "two words.npy"]),
    ("tscatter show two\t", ["show", "two words.npy"]),
    ("tscatter show 'two w\t", ["show", "two words.npy"]),
    ('tscatter show "two w\t', ["show", "two words.npy"]),
    ("tscatter show odd\t", ["show", "odd $(x)&'.npy"]),
    ("tscatter show dee\tin\t", ["show", "deep/inner.npy"]),
    ("tscatter ScatterUpdate-3 --data=deep/in\t", ["ScatterUpdate-3", "--data=deep/inner.npy"]),
    ("tscatter show ~/deep/in\t", ["show", f"{FOLDER}/deep/inner.npy"]),
    ("tscatter run jo\t", ["run", "job.json"]),
    ("tscatter batch cas\t", ["batch", "cases.jsonl"]),
    ("tscatter batch cases.jsonl --filter ad\t", ["batch", "cases.jsonl", "--filter", "add rows"]),
    ("tscatter batch cases.jsonl --filter st\t", ["batch", "cases.jsonl", "--filter", "star\\*"]),
    ("tscatter batch cases.jsonl --tag sl\t", ["batch", "cases.jsonl", "--tag", "slow"]),
    ("tscatter show ~/archive.npz:tw\t", ["show", f"{FOLDER}/archive.npz:two"]),
    ("tscatter show model.safetensors:layer.1.w\t", ["show", "model.safetensors:layer.1.weight"]),
    ("tscatter show shards.safetensors.index.json:lay\tb\t", ["show", "shards.safetensors.index.json:layer.1.bias"]),
    ("tscatter show 4xf32=@ra\t", ["show", "4xf32=@raw.bin"]),
    ("tscatter batch ~/cases.jsonl --filter ad\t", ["batch", f"{FOLDER}/cases.jsonl", "--filter", "add rows"]),
    ("tscatter verify --case\tx cas\t", ["verify", "--case", "x", "cases.jsonl"]),
    ("tscatter convert two\tx.npy --to float8_e8\t", ["convert", "two words.npy", "x.npy", "--to", "float8_e8m0fnu"]),
    ("tscatter sho x\x02\x02\t", ["show", "x"]),
    ("./tscatter sho\t", ["show"]),
    ("~/tscatter sho\t", ["show"]),
]
CASES = """{"name": "add rows", "tags": ["slow"]}
{"name": "star*"}
"""


INDEX = '{"weight_map": {"layer.1.weight": "shard.safetensors", "layer.1.bias": "shard.safetensors"}}'


class Terminal:
    def __init__(self, words):
        child, self.master = pty.fork()
        if child == 0:
            os.chdir(FOLDER)
            os.execvpe(words[0], words, ENVIRONMENT)
        self.child = child

    def write(self, text):
        os.write(self.master, text.encode())

    # What is shown until it ends in `end`, or until time is up.
    def read_until(self, end, seconds=20):
        shown = b""
        until = time.monotonic() + seconds
        while end not in printed(shown.decode(errors="replace")) and time.monotonic() < until:
            if select.select([self.master], [], [], 0.2)[0]:
                shown += os.read(self.master, 65536)
                if b"\x1b[c" in shown or b"\x1b[0c" in shown:  # fish asks what the terminal is
                    os.write(self.master, b"\x1b[?62c")
        return shown.decode(errors="replace")

    def close(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.master)


# Without what moves the cursor or sets a mode.
def printed(shown):
    return re.sub(r"\x1b\][^\x07]*\x07|\x1b\([A-Z0-9]|\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", shown)


# Types the line, and waits so long behind each part. The words of it are printed, each in brackets, by a command that is put before it.
def shown_words(terminal, typed, pause):
    for part in re.findall(r"[^\t]*\t", typed):
        terminal.write(part)
        time.sleep(pause)
    terminal.write("\x01printf '{%s}' \x05 ; echo e''nd\n")
    return printed(terminal.read_until("}end", 5 + pause))


# What went wrong. A machine that is busy gets more time.
def check(shell, starts, lines):
    words, start = starts[shell]
    terminal = Terminal(words)
    terminal.write(start)
    terminal.write("echo rea''dy\n")
    assert "ready" in terminal.read_until("ready", 60), f"{shell} does not start"
    time.sleep(0.5)
    failed = []
    for typed, wanted in lines:
        line = "".join(f"{{{word}}}" for word in wanted)
        for pause in (0.3, 1, 4):
            shown = shown_words(terminal, typed, pause)
            if re.search(r"tscatter\}" + re.escape(line) + "end", shown):
                break
            terminal.write("\x03")  # out of a quote that stayed open
            terminal.read_until("nothing of this", pause)  # what comes late
        else:
            failed.append(f"{shell}: {typed!r} became {shown!r}, not {line}")
    terminal.close()
    return failed


def check_page():
    page = subprocess.run([PROGRAM, "help", "--format", "man"], capture_output=True, check=True).stdout
    path = os.path.join(FOLDER, "tscatter.1")
    with open(path, "wb") as file:
        file.write(page)
    done = subprocess.run(["man", "-l", "--warnings", "-Tutf8", path], capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert len(done.stdout) > 10000, done.stdout


os.symlink(PROGRAM, os.path.join(FOLDER, "tscatter"))
for member in ("one", "two", "the third"):
    subprocess.run([PROGRAM, "convert", "[1]", f"archive.npz:{member}"], cwd=FOLDER, check=True)
for name in ("model", "shard"):
    for member in ("layer.1.weight", "layer.1.bias"):
        subprocess.run([PROGRAM, "convert", "1xf32=1", f"{name}.safetensors:{member}"], cwd=FOLDER, check=True)
os.mkdir(os.path.join(FOLDER, "deep"))
for path, content in {"two words.npy": "", "odd $(x)&'.npy": "", "deep/inner.npy": "", "job.json": "", "cases.jsonl": CASES,
                      "raw.bin": "", "shards.safetensors.index.json": INDEX}.items():
    with open(os.path.join(FOLDER, path), "w", encoding="utf-8") as file:
        file.write(content)
os.mkdir(os.path.join(FOLDER, "installed"))
for shell, name in FILES.items():
    with open(os.path.join(FOLDER, "installed", name), "wb") as file:
        subprocess.run([PROGRAM, "completion", shell], stdout=file, check=True)
failures = []
missing = []
for shell in STARTS:
    if not shutil.which(shell):
        missing.append(shell)
        continue
    failures += check(shell, STARTS, LINES)
    if shell in INSTALLED:
        failures += check(shell, INSTALLED, LINES[:2])
    print(f"{shell}: {len(LINES)} lines")
assert not failures, "\n".join(failures)
if shutil.which("man"):
    check_page()
else:
    missing.append("man")
shutil.rmtree(FOLDER)
if missing:
    print("not there, and so not tried:", *missing)
    sys.exit(77)
print("passed")
