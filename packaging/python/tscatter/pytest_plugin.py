"""pytest --tscatter: each case of cases.jsonl is an item. docs/python.md"""

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("tscatter")
    group.addoption("--tscatter", action="store_true", help="run the cases of files that end in cases.jsonl")


def pytest_collect_file(file_path, parent):
    if parent.config.getoption("--tscatter") and file_path.name.endswith("cases.jsonl"):
        return CasesFile.from_parent(parent, path=file_path)
    return None


def _words_of(error):
    """What tscatter itself says is wrong with a file; None of anything else."""
    import tscatter

    return str(error) if isinstance(error, tscatter.Error) else None


class CasesFile(pytest.File):
    """The cases of one file. They are run together, when the first result is wanted."""

    _results = None

    def collect(self):
        import tscatter

        for case in tscatter.run(self.path, list=True)["cases"]:
            yield Case.from_parent(self, name=case["name"], line=case["line"])

    def repr_failure(self, excinfo):
        return _words_of(excinfo.value) or super().repr_failure(excinfo)

    def result(self, name):
        if self._results is None:
            import tscatter

            wanted = [item.name for item in self.session.items if item.parent is self]
            options = {} if any(set("*?[\\") & set(each) for each in wanted) else {"filter": wanted}
            report = tscatter.run(self.path, unreferenced="ignore", **options)
            self._results = {case["name"]: case for case in report["cases"]}
        return self._results[name]


class CaseFailed(Exception):
    """A case that did not do what it should."""


class Case(pytest.Item):
    def __init__(self, *, line, **keywords):
        super().__init__(**keywords)
        self.line = line

    def runtest(self):
        result = self.parent.result(self.name)
        state = result["state"]
        message = result.get("message", state)
        label = result.get("label")
        text = f"{message} [{label}]" if label and f"[{label}]" not in message else message
        if state in ("skipped", "not_run", "resumed"):
            pytest.skip(text)
        if state == "xfailed":
            pytest.xfail(text)
        if state not in ("passed", "updated", "written"):
            raise CaseFailed(text)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, CaseFailed):
            result = self.parent.result(self.name)
            named = result.get("verdict", {}).get("diagnosis", {}).get("named", [])
            why = ", or ".join(each["words"] for each in named if each["rank"] == 1)
            lines = [f"{self.name}: {excinfo.value}", why and f"why: {why}", result.get("repeat") and f"again: {result['repeat']}"]
            return "\n".join(filter(None, lines))
        return _words_of(excinfo.value) or super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, self.line - 1, self.name
