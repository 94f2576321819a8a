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
# What is typed, and what the shell makes of it. A blank may follow.
LINES = [
    ("tscatter sho\t", "tscatter show"),
    ("tscatter ScatterNDUpdate-15 -r pr\t", "tscatter ScatterNDUpdate-15 -r prod"),
    ("tscatter compare --max\t", "tscatter compare --max-ulp"),
    ("tscatter show archive.npz:tw\t", "tscatter show archive.npz:two"),
]


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


# The line is completed into an argument of echo, which prints what a command would get.
def check(shell):
    words, start = STARTS[shell]
    terminal = Terminal(words)
    terminal.write(start)
    terminal.write("echo rea''dy\n")
    assert "ready" in terminal.read_until("ready"), f"{shell} does not start"
    time.sleep(0.5)
    for typed, wanted in LINES:
        terminal.write(typed)
        time.sleep(0.5)
        terminal.write("\x01echo '[\x05]'\n")
        shown = printed(terminal.read_until(f"\n[{wanted}", 3))
        assert f"\n[{wanted}" in shown, f"{shell}: {typed!r} became {shown!r}"
    terminal.close()


def check_page():
    page = subprocess.run([PROGRAM, "help", "--format", "man"], capture_output=True, check=True).stdout
    path = os.path.join(FOLDER, "tscatter.1")
    with open(path, "wb") as file:
        file.write(page)
    done = subprocess.run(["man", "-l", "--warnings", "-Tutf8", path], capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert len(done.stdout) > 10000, done.stdout


os.symlink(PROGRAM, os.path.join(FOLDER, "tscatter"))
for member in ("one", "two"):
    subprocess.run([PROGRAM, "convert", "[1]", f"archive.npz:{member}"], cwd=FOLDER, check=True)
shells = [shell for shell in STARTS if shutil.which(shell)]
for shell in shells:
    check(shell)
if shutil.which("man"):
    check_page()
shutil.rmtree(FOLDER)
print("passed in", ", ".join(shells))
