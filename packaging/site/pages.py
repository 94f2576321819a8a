"""The pages of the site, and how mkdocs reads them.

  pages.py TSCATTER TO     puts the repository's pages and those made from the program into the folder TO
  pages.py --check         looks for links of the repository's pages that lead nowhere

As a hook of mkdocs it gives headings the anchors that GitHub gives them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs", "bench/results"]
LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^()\s]+)\)")


def slug(text, separator="-"):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def for_site(page, text):
    """The text of a page without its links to files that are no pages, and with lists that begin after an empty line."""

    def keep(link):
        target = link[2].partition("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        path = os.path.relpath((ROOT / page).parent.joinpath(target).resolve(), ROOT)
        is_page = path.endswith((".md", ".svg")) and any(path == each or path.startswith(each + "/") for each in PAGES)
        return link[0] if is_page else link[1]

    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            line = LINK.sub(keep, line)
            begins = re.match(r"([-*]|\d+\.) |\|", line)
            if begins and lines and lines[-1] and not re.match(r"([-*]|\d+\.) |\||\s", lines[-1]):
                lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def output(program, *words):
    ran = subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, encoding="utf-8", env={**os.environ, "COLUMNS": "100"})
    return ran.stdout


def block(text):
    return f"```\n{text.rstrip()}\n```\n"


def names(text):
    """The first words of indented lines in two columns: of `tscatter ops`, and of a block of `tscatter --help`."""
    return re.findall(r"^ {0,2}([A-Za-z][\w.-]*)  +\S", text, re.MULTILINE)


def write_reference(program, folder):
    """Commands, operations and rules, as the program prints them."""
    help_text = output(program, "--help")
    blocks = dict(re.findall(r"^(\S.*)\n((?:  .*\n)+)", help_text, re.MULTILINE))
    commands = names(blocks["NumPy's indexing"]) + names(blocks["Commands"])
    page = "# Commands\n\nWhat `tscatter --help` prints, and the help of each command.\n\n" + block(help_text)
    page += "".join(f"\n## {name}\n\n{block(output(program, name, '--help'))}" for name in commands)
    (folder / "commands.md").write_text(page, encoding="utf-8")

    page = "# Operation by operation\n\nWhat `tscatter ops NAME` prints. [Operations](../docs/ops.md) explains the forms.\n"
    page += "".join(f"\n## {name}\n\n{block(output(program, 'ops', name))}" for name in names(output(program, "ops")))
    (folder / "operations.md").write_text(page, encoding="utf-8")

    page = "# Rules\n\nThe label at the end of a message names the rule that is broken.\n"
    rows = re.findall(r"^  (\S+\.\w+\d+)  +((?:.*\n)(?:    .*\n)*)", output(program, "help", "rules"), re.MULTILINE)
    before = ""
    for label, rule in rows:
        family = label.rpartition(".")[0]
        if family != before:
            page += f"\n## {family}\n\n| label | rule |\n| --- | --- |\n"
        before = family
        page += f"| {label} | {' '.join(rule.split()).replace('|', chr(92) + '|').replace('<', '&lt;')} |\n"
    (folder / "rules.md").write_text(page, encoding="utf-8")


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Of a page's headings, the second one with the same text ends in -1."""
    seen, found = {}, set()
    for heading in re.findall(r"^#+ +(.*)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE):
        name = slug(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found


def dead_links(page):
    for target in re.findall(r"\]\(([^()\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            yield f"{page.relative_to(ROOT)}: {target} leads nowhere"


def check():
    pages = [file for each in PAGES for file in ([ROOT / each] if each.endswith(".md") else sorted((ROOT / each).rglob("*.md")))]
    dead = [line for page in pages for line in dead_links(page)]
    print("\n".join([*dead, f"{len(pages)} pages, {len(dead)} dead links"]))
    return 1 if dead else 0


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    program, to = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(to, ignore_errors=True)
    for each in PAGES:
        path = ROOT / each
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            place = to / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".md":
                text = file.read_text(encoding="utf-8")
                place.write_text(for_site(file.relative_to(ROOT), text), encoding="utf-8")
            elif file.suffix == ".svg":
                shutil.copyfile(file, place)
    shutil.copyfile(ROOT / "packaging/site/site.css", to / "site.css")
    (to / "reference").mkdir()
    write_reference(program, to / "reference")


if __name__ == "__main__":
    main()
