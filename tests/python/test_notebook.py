"""What a notebook shows: reports as tables, and a bar while a call lasts."""

import copy
import html.parser
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

import numpy as np

import tscatter
from tscatter import _library, _notebook

DATA = np.zeros((3, 2), np.float32)
CALL = {"data": DATA, "indices": np.array([[0], [0], [2]]), "updates": np.ones((3, 2), np.float32), "reduction": "sum"}
WRONG = np.float32([[1, 1], [0, 0], [1, 1]])


def words(report):
    """The text of a report's HTML, with | between the cells."""
    text = re.sub(r"</t[hd]>", "|", report._repr_html_())
    return html.unescape(re.sub(r"<[^>]*>", " ", text))


class Balance(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise ValueError(tag)


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assertShows(self, report, *expected):
        parser = Balance()
        parser.feed(report._repr_html_())
        self.assertEqual(parser.open, [])
        for each in expected:
            self.assertIn(each, words(report))

    def test_a_report_is_a_dict(self):
        report = tscatter.verify(WRONG, "ScatterNDUpdate-15", **CALL)
        plain = json.loads(json.dumps(report))
        self.assertEqual(report, plain)
        self.assertEqual((repr(report), str(report)), (repr(plain), str(plain)))
        for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
            self.assertEqual(again, report)
            self.assertEqual(again._repr_html_(), report._repr_html_())

    def test_a_verdict(self):
        report = tscatter.verify(WRONG, "ScatterNDUpdate-15", **CALL)
        self.assertShows(
            report,
            report["summary"],
            "untouched| in-order| reordered| rounded| torn| wrong|",
            "2| 2| 0| 0| 0| 2|",
            "as with the reduction none (as ScatterNDUpdate-4, as onnx.ScatterND-13, as tf.tensor_scatter_nd_update): 2 of the wrong elements",
            "[0, 1]| wrong| 1.0| 2.0| without indices[0]|",
        )
        with self.assertRaises(tscatter.NotLegal) as raised:
            tscatter.assert_legal(WRONG, "ScatterNDUpdate-15", **CALL)
        self.assertEqual(raised.exception.verdict._repr_html_(), report._repr_html_())
        self.assertShows(tscatter.assert_legal(WRONG * np.float32([[2], [1], [1]]), "ScatterNDUpdate-15", **CALL), "legal: all 6 elements")
        self.assertShows(tscatter.verify(WRONG[:2], "ScatterNDUpdate-15", **CALL), "shape differs")

    def test_other_reports(self):
        call = {**CALL, "updates": np.float32([[1, 1], [2, 2], [3, 3]]), "reduction": "none"}
        explained = tscatter.explain("ScatterNDUpdate-15", **call)
        self.assertShows(explained, explained["summary"], "written never| written once|", "output[0, :]| 2|", "[0, 1]| 2|")
        self.assertShows(tscatter.compare(WRONG, DATA), "elements| differing|", "6| 4|", "[0, 0]| 1.0| 0.0| 1|")
        cases = tscatter.generate("ScatterNDUpdate-15", self.folder / "cases", count=3)
        self.assertShows(tscatter.run(cases), "cases| selected| passed| failed|", "3| 3| 3| 0|")
        np.save(self.folder / "a.npy", DATA)
        self.assertShows(tscatter.at(self.folder / "a.npy")[0].set(1), "op| output|", f"numpy.setitem| {self.folder / 'a.npy'}|")
        for name, array in (("x", WRONG), ("y", DATA)):
            (self.folder / name).mkdir()
            np.save(self.folder / name / "a.npy", array)
        report = tscatter.compare(self.folder / "x", self.folder / "y")
        self.assertShows(report, "name| state| reason| message|", "a.npy| failed| values differ|")

    def test_what_comes_from_outside_is_text(self):
        report = tscatter._notebook.Report({"summary": "<script>&", "worst": [{"position": [0], "actual": "<b>"}]})
        self.assertIn("&lt;script&gt;&amp;", report._repr_html_())
        self.assertIn("&lt;b&gt;", report._repr_html_())
        self.assertNotIn("<b>&lt;b", report._repr_html_().replace("<p><b>", ""))

    def test_many_rows_are_cut(self):
        rows = [{"position": [each]} for each in range(1000)]
        shown = words(_notebook.Report({"summary": "", "worst": rows}))
        self.assertEqual((shown.count("["), "and 980 more" in shown), (20, True))

    def test_a_heat_map_is_embedded(self):
        path = self.folder / "map.svg"
        report = tscatter.compare(WRONG, DATA, heatmap=path)
        self.assertIn('src="data:image/svg+xml;base64,', report._repr_html_())
        self.assertShows(tscatter.verify(WRONG, "ScatterNDUpdate-15", heatmap=path, **CALL), "not legal")
        path.write_bytes(b"x" * ((1 << 20) + 1))
        self.assertNotIn("<img", report._repr_html_())
        path.unlink()
        self.assertNotIn("<img", report._repr_html_())
        self.assertNotIn("heatmap", report)


    def test_a_notebook_has_the_heat_map_without_asking(self):
        calls = {
            "verify": lambda actual: tscatter.verify(actual, "ScatterNDUpdate-15", **CALL),
            "compare": lambda actual: tscatter.compare(actual, DATA),
        }
        right = {"verify": tscatter.scatter_nd_update_15(**CALL), "compare": DATA}
        for name, call in calls.items():
            plain = call(WRONG)
            self.assertNotIn("<img", plain._repr_html_())
            with mock.patch.dict(sys.modules, FakeDisplay().modules):
                self.assertEqual(call(WRONG), plain, name)
                self.assertIn('src="data:image/svg+xml;base64,', call(WRONG)._repr_html_())
                self.assertNotIn("<img", call(right[name])._repr_html_())
        with mock.patch.dict(sys.modules, FakeDisplay().modules):
            for name, array in (("x", DATA), ("y", WRONG)):
                (self.folder / name).mkdir()
                np.save(self.folder / name / "a.npy", array)
            self.assertFalse(tscatter.compare(self.folder / "x", self.folder / "y")["passed"])  # folders have none
            self.assertFalse(tscatter.compare(np.float32(1), np.float32(2))["match"])  # of rank 0
            with self.assertRaises(tscatter.RuleError):
                tscatter.verify(WRONG, "ScatterNDUpdate-15", **{**CALL, "indices": [[99]]})


class FakeDisplay:
    """IPython in a kernel. shown: what stands in the cell, one text after the other."""

    def __init__(self, shell="ZMQInteractiveShell", failing=False):
        self.shown = []
        self.failing = failing
        module = types.ModuleType("IPython")
        module.get_ipython = type(shell, (), {})
        module.display = types.ModuleType("IPython.display")
        module.display.HTML, module.display.display = str, self.display
        self.modules = {"IPython": module, "IPython.display": module.display}

    def display(self, text, display_id):
        if self.failing:
            raise RuntimeError("no cell")
        self.update(text)
        return self

    def update(self, text):
        self.shown.append(text)


class Bars(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.array = np.arange(1 << 25, dtype=np.float32)

    def shown(self, display, patience=0.0):
        with mock.patch.dict(sys.modules, display.modules), mock.patch.multiple(_notebook, _PATIENCE=patience, _PAUSE=0.001):
            self.compare()
        return display.shown

    def compare(self):
        self.assertTrue(tscatter.compare(self.array, self.array, threads=1)["match"])

    def test_a_bar_is_drawn_and_erased(self):
        for _ in range(20):  # a busy machine may draw too late
            shown = self.shown(FakeDisplay())
            self.assertEqual(shown[-1:], [""] if shown else [])
            for text in shown[:-1]:
                self.assertRegex(text, r'^<progress( value="(0\.\d{3}|1\.000)")?></progress>( \d+%)?$')
            if any(re.search(r' value="0\.[1-9]', text) for text in shown):
                return
        self.fail(shown)

    def test_a_call_that_ends_soon_shows_nothing(self):
        self.assertEqual(self.shown(FakeDisplay(), patience=60), [])

    def test_nothing_is_shown_outside_of_kernels(self):
        self.assertEqual(self.shown(FakeDisplay("TerminalInteractiveShell")), [])
        code = "import sys, numpy, tscatter; a = numpy.zeros(1 << 22); tscatter.compare(a, a); print('IPython' in sys.modules)"
        ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
        self.assertEqual(ran.stdout, b"False\n")

    def test_a_display_that_fails_does_not_end_the_call(self):
        self.assertEqual(self.shown(FakeDisplay(failing=True)), [])

    def test_an_interrupt_ends_the_call_and_erases_the_bar(self):
        display, shares, library = FakeDisplay(), [0.25, KeyboardInterrupt], _library._library
        compare, stop, is_stopped = library.tsc_compare, library.tsc_stop_raise, threading.Event()

        def compare_when_stopped(*arguments):
            self.assertTrue(is_stopped.wait(60))
            return compare(*arguments)

        def stop_and_tell(each):
            stop(each)
            is_stopped.set()

        fakes = {"tsc_compare": compare_when_stopped, "tsc_stop_raise": stop_and_tell}
        fakes["tsc_stop_progress"] = mock.Mock(side_effect=shares)
        with mock.patch.multiple(library, **fakes), self.assertRaises(KeyboardInterrupt):
            self.shown(display)
        self.assertEqual(display.shown, ['<progress value="0.250"></progress> 25%', ""])

    def test_a_share_that_is_not_known(self):
        bar, display = _notebook.Bar(), FakeDisplay()
        with mock.patch.dict(sys.modules, display.modules):
            bar.show(-1)
            bar.erase()
        self.assertEqual(display.shown, ["<progress></progress>", ""])

    def test_ipython_itself(self):
        try:
            import IPython  # noqa: F401
        except ImportError:
            self.skipTest("IPython is not installed")
        code = (
            "import numpy, IPython.core.interactiveshell as s, tscatter; from tscatter import _notebook as n\n"
            "class ZMQInteractiveShell(s.InteractiveShell): pass\n"
            "shell = ZMQInteractiveShell.instance(); n._PATIENCE = 0; a = numpy.zeros(1 << 24)\n"
            "assert n.in_kernel()\n"
            "from IPython.utils.capture import capture_output\n"
            "for _ in range(20):  # a busy machine may draw too late\n"
            "    with capture_output() as got: tscatter.compare(a, a)\n"
            "    if got.outputs: break\n"
            "print(got.outputs[0].data['text/html'][:9])"
        )
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "IPYTHONDIR": home}
            ran = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True)
        self.assertEqual(ran.stdout, b"<progress\n")


if __name__ == "__main__":
    unittest.main()
