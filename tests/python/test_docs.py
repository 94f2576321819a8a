"""The examples of docs/python.md print what stands there."""

import doctest
import os
import pathlib
import re
import tempfile
import textwrap
import unittest

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


class Docs(unittest.TestCase):
    def test_examples(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 5)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", str(PAGE), 0)
        self.maxDiff = None
        lines = []
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
                runner.run(test, out=lines.append)
            finally:
                os.chdir(here)
        self.assertEqual("".join(lines), "")


class TestingARuntime(unittest.TestCase):
    def test_the_first_example(self):
        page = PAGE.with_name("testing-a-runtime.md").read_text()
        code = re.search(r"^    venv/bin/python - <<'END'\n(.*?)^    END$", page, re.MULTILINE | re.DOTALL)[1]
        exec(textwrap.dedent(code), {})


if __name__ == "__main__":
    unittest.main()
