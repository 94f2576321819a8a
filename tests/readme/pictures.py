"""The pictures of a page show what the program prints and draws today.

A console block after the line <!-- picture: NAME.svg --> is shown as a terminal; any other picture, ![…](NAME.svg), is a file
that a command of the page writes. Without --write it fails where a picture is another one than it would write.

  pictures.py TSCATTER PAGE.md [--write]
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SIZE, ADVANCE, LINE, PAD, BAR = 14, 8.6, 20, 18, 34  # no monospace font is wider than 0.61 of its size
PLAIN, PROMPT, COMMAND = 'fill="#d6deeb"', 'fill="#8b98a9"', 'fill="#ffffff" font-weight="bold"'
COLOURS = {"": PLAIN, "0": PLAIN, "1;31": 'fill="#ff8a80" font-weight="bold"', "32": 'fill="#7ee08a"', "33": 'fill="#f2cc60"'}


def steps_of(page):
    """The commands of the console blocks, each with the name of the picture that shows it, or nothing."""
    blocks = re.findall(r"^(?:<!-- picture: (\S+) -->\n)?```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [(name, command) for name, block in blocks for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE)]


def run(program, command, directory, shown):
    """Its output, with colours where it is shown."""
    leave_out = {"CI", "GITHUB_ACTIONS", "NO_COLOR", "TERM"}
    environment = {name: value for name, value in os.environ.items() if name not in leave_out}
    environment |= {"LC_ALL": "C", "XDG_STATE_HOME": f"{directory}.state", "TSCATTER_UNDER_TEST": program}
    flags = " --color always" if shown else ""
    script = f'tscatter() {{ "$TSCATTER_UNDER_TEST" "$@"{flags}; }}\n{command}'
    ran = subprocess.run(["sh", "-c", script], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    return ran.stdout


def spans(line):
    """The line's pieces with their colours; a colour that the table does not have is an error."""
    pieces = re.split(r"\x1b\[([0-9;]*)m", line)
    return [(PLAIN, pieces[0])] + [(COLOURS[code], text) for code, text in zip(pieces[1::2], pieces[2::2])]


def terminal(title, lines):
    """The picture of a window with these lines, each a list of pieces."""
    width = round(2 * PAD + ADVANCE * max(sum(len(text) for _, text in line) for line in lines))
    height = BAR + LINE * len(lines) + PAD
    dots = "".join(f'<circle cx="{PAD + 4 + 20 * i}" cy="17" r="6" fill="{c}"/>' for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    rows = []
    for number, line in enumerate(lines, 1):
        row = "".join(f"<tspan {colour}>{html.escape(text, quote=False)}</tspan>" for colour, text in line if text)
        rows += [f'<text x="{PAD}" y="{BAR + LINE * number - 4}" xml:space="preserve">{row}</text>\n'] if row else []
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'style="font:{SIZE}px ui-monospace,Menlo,Consolas,\'DejaVu Sans Mono\',monospace"><title>{html.escape(title)}</title>\n'
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#161b22" stroke="#4a5563"/>\n'
            f"{dots}\n{''.join(rows)}</svg>\n")


def pictures_of(program, page):
    """The text of each picture of the page by its name."""
    shown, names = {}, re.findall(r"^!\[[^]]*\]\(([\w-]+\.svg)\)$", page, re.MULTILINE)
    with tempfile.TemporaryDirectory() as parent:
        here = pathlib.Path(parent, "here")
        here.mkdir()
        for name, command in steps_of(page):
            output = run(program, command, here, name)
            if name:
                typed = [[(PROMPT, "  " if number else "$ "), (COMMAND, line)] for number, line in enumerate(command.split("\n"))]
                shown.setdefault(name, []).extend(typed + [spans(line) for line in output.splitlines()])
        terminals = {name: terminal(lines[0][1][1], lines) for name, lines in shown.items()}
        drawn = {path.name: path.read_text() for path in here.glob("*.svg")}
        return {name: (drawn | terminals).get(name) for name in names}


def main(program, page, write):
    pictures = pictures_of(os.path.abspath(program), page.read_text())
    missing = [name for name, text in pictures.items() if text is None]
    if missing or not pictures:
        sys.exit(f"{page}: its commands must make its pictures, got none of {', '.join(missing) or 'any name'}")
    old = {name: page.with_name(name).read_text() if page.with_name(name).exists() else "" for name in pictures}
    changed = [name for name, text in pictures.items() if old[name] != text]
    for name in changed:
        if write:
            page.with_name(name).write_text(pictures[name])
        print(f"{page.with_name(name)}: {'written' if write else 'is not what it would be today: pictures.py --write, and look at it'}")
    print(f"{len(pictures)} pictures, {len(changed)} changed")
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["--write"]))
