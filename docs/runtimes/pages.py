"""Writes docs/runtimes/RUNTIME.md, what each runtime does with generated suites of all operations:
  pages.py TSCATTER WORK [--runtime NAME]… [--count N] [--python PYTHON] [--to FOLDER]

For each operation a suite is generated in WORK, run by RUNTIME_cases.py with PYTHON, and verified. Without --runtime all runtimes that PYTHON has are run. Failures are
grouped by their diagnosis; of each group the page has its smallest case whole: operands, expected, got, why.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import numpy as np

import cases
import own_names

HERE = pathlib.Path(__file__).resolve().parent
TITLES = {"numpy": "NumPy", "onnx_reference": "ONNX's reference", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO",
          "torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
# What else an operation is asked, beside all that it takes: reductions of special values, and sums in which many updates meet.
SMALL = ["--max-elements", "64", "--max-rank", "2"]
SPECIAL = ["--reduction", "min", "--reduction", "max", "--values", "special", "--dtype", "float32", "--dtype", "float16", "--dtype", "bfloat16"]
HEAVY = ["--reduction", "sum", "--duplicates", "heavy", "--max-elements", "64", "--dtype", "float16", "--dtype", "float32"]
REDUCING = ("ScatterNDUpdate-15", "ScatterElementsUpdate-12", "onnx.ScatterND-18", "onnx.ScatterElements-18")
LEFT_OUT = ("generic.", "torch.", "tf.", "jax.", "stablehlo.", "xla.", "paddle.")  # a library's own names have a section that NAME_names.py writes
MOST_GROUPS, MOST_REASONS, WIDTH = 40, 12, 400
STATES = ("legal", "not legal", "refused", "not expressible", "crashed")


class NotThere(Exception):
    """The runtime's script does not run: it is not installed."""


@dataclasses.dataclass
class Failure:
    directory: pathlib.Path
    line: dict
    verdict: dict

    @property
    def reasons(self):
        """Why it is not legal, as `batch --by-word` counts it: what explains most of it, each once."""
        if not self.verdict["elements"]:
            return [self.verdict["summary"].split(",")[0]]
        if not self.verdict["classes"]["wrong"]:
            return ["torn"]
        named = [each for each in self.verdict["diagnosis"]["named"] if each["rank"] == 1]
        return list(dict.fromkeys(without_entries(each["words"]) for each in named)) or ["no explanation was found"]

    def why(self, reason):
        """The reason, what explains as much, and how much of it that is."""
        words = ", or ".join([reason, *(each for each in self.reasons if each != reason)][:3])
        explained = [each["elements"] for each in self.verdict.get("diagnosis", {}).get("named", []) if without_entries(each["words"]) == reason]
        return words + (f" ({explained[0]} of {self.verdict['classes']['wrong']} wrong elements)" if explained else "")

    def shown(self, reason):
        """An element that the reason explains, as far as the verdict says which; else the worst."""
        explained = [each for each in self.verdict["worst"] if without_entries(each["diagnosis"] or "") == reason]
        return (explained or self.verdict["worst"] or [None])[0]

    @property
    def operands(self):
        return {key: cases.read_array(self.directory / value, self.line.get("dtype")) for key, value in self.line.items()
                if cases.is_file(key, value)}

    @property
    def size(self):
        return sum(array.size for array, _ in self.operands.values())


def without_entries(words):
    """A diagnosis without the numbers of entries, so that those of many cases are one."""
    return re.sub(r"\[[^\]]*\]", "[…]", words.split(": ")[0])


def tscatter(arguments, *words):
    done = subprocess.run([arguments.tscatter, *map(str, words)], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(f"tscatter {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def operations(arguments):
    names = [line.split()[0] for line in tscatter(arguments, "ops").splitlines()]
    return [name for name in names if not name.startswith(LEFT_OUT)]


def suites(arguments):
    """Titles and folders. What was generated for the last page is taken again."""
    jobs = []
    for name in operations(arguments):
        jobs += [(name, name, ["--errors", "--seed", 7]), (name, name, ["--seed", 8, *SMALL])]
    for name in REDUCING:
        jobs += [(f"{name}, min and max of special values", name, ["--seed", 9, *SPECIAL, *SMALL]),
                 (f"{name}, sums of many updates", name, ["--seed", 10, *HEAVY])]
    folders = []
    for number, (title, operation, words) in enumerate(jobs):
        folder = arguments.work / f"suite-{number}"
        if not (folder / "cases.jsonl").exists():
            tscatter(arguments, "generate", operation, "--count", arguments.count, *words, "-o", folder)
        folders.append((title, folder))
    return folders


def run_suite(arguments, runtime, directory):
    if arguments.keep and (directory / f"{runtime}.jsonl").exists():
        return
    script = HERE / f"{runtime}_cases.py"
    done = subprocess.run([arguments.python, "-B", script, directory], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise NotThere(" ".join(done.stderr.splitlines()[-1:]))


def outcomes(arguments, runtime, directory):
    """The version; of each case its state, reason and line; failures."""
    lines = (directory / f"{runtime}.jsonl").read_text(encoding="utf-8").splitlines()
    version, rows, failures = lines[0].removeprefix(f"# {runtime} "), [], []
    objects = {}
    for line in lines[1:]:
        if line.startswith("# "):
            state, name, reason = re.fullmatch(r"# (.*?): (\S+?)(?:: (.*))?", line).groups()
            rows.append((state, name, reason or ""))
        else:
            case = json.loads(line)
            objects[case["name"]] = case
    printed = tscatter(arguments, "batch", directory / f"{runtime}.jsonl", "--json") if objects else ""
    for line in printed.splitlines():
        result = json.loads(line)
        if "name" not in result:
            continue
        legal = result["state"] == "passed"
        rows.append(("legal" if legal else "not legal", result["name"], ""))
        if not legal:
            failures.append(Failure(directory, objects[result["name"]], result["verdict"]))
    return version, rows, failures


def value_text(array, dtype):
    if dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    text = " ".join(np.array2string(array, separator=", ", threshold=60, max_line_width=10**6, floatmode="unique").split())
    return f"{dtype} {list(array.shape)}  {text if len(text) <= WIDTH else text[:WIDTH] + ' …'}"


def element_text(row, key):
    """A value; the bits of a NaN that differs from another."""
    return json.dumps(row.get(key)) + (f" {row[key + '_bits']}" if f"{key}_bits" in row else "")


def there_text(element):
    """The element by itself: what it takes to see the fault."""
    steps = element.get("history") or []
    values = ", ".join(element_text(step, "value") for step in steps[:16]) + (", …" if element.get("writers", 0) > len(steps[:16]) else "")
    return f"data {element_text(element, 'data')}, " + (f"updates {values}" if values else "no update")


def smallest_block(failure, reason):
    line, verdict = failure.line, failure.verdict
    words = {key: value for key, value in line.items() if key in ("reduction", "axis", "use_init_val", "mode") and not cases.is_file(key, value)}
    rows = [("operation", " ".join([line["op"], *(f"{key}={json.dumps(value)}" for key, value in words.items())]))]
    rows += [(key, value_text(*each)) for key, each in failure.operands.items()]
    element = failure.shown(reason)
    if element:
        rows += [("at", json.dumps(element["position"])), ("there", there_text(element)), ("expected", element_text(element, "in_order")),
                 ("got", element_text(element, "actual"))]
    rows.append(("verdict", verdict["summary"]))
    rows.append(("why", failure.why(reason)))
    return "```text\n" + "\n".join(f"{name:<11}{text}" for name, text in rows) + "\n```"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows])


def dtype_of(call):
    """Of data, or of what the call makes it from."""
    name = next((name for name in ("data", "updates") if name in call.operands), next(iter(call.operands)))
    return call.operands[name][1]


def words_of(group):
    """The dtypes, reductions and operations of a group, the most frequent first."""
    parts = []
    for name, key in (("dtype", dtype_of), ("reduction", lambda each: each.line.get("reduction", "none")),
                      ("operation", lambda each: each.line["op"])):
        counted = collections.Counter(map(key, group)).most_common()
        parts.append(f"{name} " + ", ".join(f"{word} ({n})" for word, n in counted[:6]) + (", …" if len(counted) > 6 else ""))
    return "; ".join(parts)


def groups_of(failures):
    """One result may have several explanations: a group has all that share one, the largest group first."""
    rest, groups = list(failures), []
    while rest:
        reason, _ = collections.Counter(reason for each in rest for reason in dict.fromkeys(each.reasons)).most_common(1)[0]
        groups.append((reason, [each for each in rest if reason in each.reasons]))
        rest = [each for each in rest if reason not in each.reasons]
    return groups


def groups_section(failures):
    ordered = groups_of(failures)
    if not ordered:
        return ["Every result is legal."]
    parts = [table(("why", "cases"), [(reason, len(group)) for reason, group in ordered])]
    for reason, group in ordered[:MOST_GROUPS]:
        smallest = min(group, key=lambda each: (each.size, each.line["name"]))
        parts += [f"### {reason[0].upper()}{reason[1:]}", f"{len(group)} case{'s' if len(group) != 1 else ''}. {words_of(group)}.", smallest_block(smallest, reason)]
    return parts


def reasons_section(rows, states):
    counted = collections.Counter((state, cases.without_numbers(reason)) for state, _, reason in rows if state in states)
    some = counted.most_common(MOST_REASONS)
    return table(("", "reason", "cases"), [(state, f"`{reason.replace('`', '')}`" if reason else "", n) for (state, reason), n in some])


def counts_table(states, counted):
    return table(("operation", *states), [(title, *(counts[state] for state in states)) for title, counts in counted.items()])


def page(arguments, runtime, folders):
    overview, broken_rows = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    all_rows, failures, version, computed = [], [], "", collections.Counter()
    for title, directory in folders:
        run_suite(arguments, runtime, directory)
        version, rows, failed = outcomes(arguments, runtime, directory)
        broken = {line["name"] for line in cases.read_lines(directory, ["*"]) if "expected_error" in line}
        legal = collections.Counter(state for state, name, _ in rows if name not in broken)
        overview[title] += legal
        if broken:
            broken_rows[title].update("computed" if state.startswith("computed") else state for state, name, _ in rows if name in broken)
        all_rows += [row for row in rows if row[1] not in broken]
        computed.update(state.removeprefix("computed what ").removesuffix(" forbids") for state, _, _ in rows if state.startswith("computed"))
        failures += failed
        print(f"{runtime}: {title}: {dict(legal)}", file=sys.stderr, flush=True)
    parts = [f"# {TITLES[runtime]} {version}",
             f"What {TITLES[runtime]} leaves of generated cases, beside what the operation's text allows. Made by [pages.py](pages.py) with "
             f"[{runtime}_cases.py]({runtime}_cases.py), which says how a case is expressed; NumPy {np.__version__}, Python {platform.python_version()}, {platform.machine()}, CPU. "
             "[testing-a-runtime.md](../testing-a-runtime.md) explains the words, and how to run this again.",
             "## Legal cases", "*Not legal*: no order, tree or wider accumulator leaves it, by the text and, where that is silent, by our decision (`tscatter ops NAME`).",
             counts_table(STATES, overview),
             "## Not legal", *groups_section(failures),
             "## Not run", reasons_section(all_rows, ("refused", "not expressible", "crashed")),
             "## Cases that break a rule", "Refused is right. The rules whose breach is computed: "
             + (", ".join(f"{label} ({n})" for label, n in computed.most_common()) or "none") + ".",
             counts_table(("refused", "computed", "not expressible", "crashed"), broken_rows)]
    path = arguments.to / f"{runtime}.md"
    kept = path.read_text(encoding="utf-8").partition(f"\n{own_names.HEAD}\n")[2] if path.exists() else ""
    path.write_text("\n\n".join(parts) + "\n" + (f"\n{own_names.HEAD}\n{kept}" if kept else ""), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tscatter")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--runtime", action="append", choices=TITLES)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep", action="store_true", help="take the results that stand in WORK, and verify them again")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--to", type=pathlib.Path, default=HERE)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_STATE_HOME"] = str(arguments.work / "state")
    folders = suites(arguments)
    for runtime in arguments.runtime or TITLES:
        try:
            page(arguments, runtime, folders)
        except NotThere as reason:
            print(f"{runtime}: no page: {reason}", file=sys.stderr)
            if arguments.runtime:
                sys.exit(1)


if __name__ == "__main__":
    main()
