"""verify, assert_legal, explain, compare, generate, run: the program's JSON as objects."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock

import numpy as np

import tscatter


class Reports(unittest.TestCase):
    def setUp(self):
        self.call = {"data": np.zeros(2, np.float32), "indices": [[0], [0], [0]], "updates": [1, 2, 4], "reduction": "sum"}

    def test_a_legal_result(self):
        verdict = tscatter.assert_legal(np.float32([7, 0]), "ScatterNDUpdate-15", **self.call)
        self.assertEqual((verdict["legal"], verdict["classes"]["untouched"]), (True, 1))

    def test_a_wrong_result(self):
        with self.assertRaises(AssertionError) as caught:
            tscatter.assert_legal(np.float32([5, 0]), tscatter.scatter_nd_update_15, **self.call)
        text = str(caught.exception)
        self.assertTrue(text.startswith("not legal: 1 of 2 elements is wrong, worst at [0]: got 5.0, in order 7.0"))
        self.assertIn("class", text)
        self.assertFalse(caught.exception.verdict["legal"])

    def test_other_bits(self):
        call = {"data": np.ones(2, np.float32), "indices": [[0]], "updates": np.float32([-0.0])}
        with self.assertRaises(tscatter.NotLegal) as caught:
            tscatter.assert_legal(np.float32([0, 1]), "ScatterNDUpdate-15", **call)
        self.assertIn("(1 would be legal with zeros=\"any\")", str(caught.exception))
        verdict = tscatter.assert_legal(np.float32([0, 1]), "ScatterNDUpdate-15", zeros="any", nan_bits="kept", **call)
        self.assertEqual(verdict["rounded_by"]["other zero"], 1)
        with self.assertRaises(tscatter.UsageError):
            tscatter.verify(np.float32([0, 1]), "ScatterNDUpdate-15", nan_bits="some", **call)

    def test_dropped_entries(self):
        call = {"data": np.zeros(2), "indices": [[0], [5]], "updates": [1, 2], "oob": "drop-window"}
        report = tscatter.verify(np.array([1.0, 0.0]), "ScatterNDUpdate-15", **call)
        self.assertEqual((report["legal"], report["dropped"]), (True, 1))

    def test_the_same_as_the_program(self):
        verdict = tscatter.verify([5, 0], "ScatterNDUpdate-15", **self.call)
        words = "-d 2xf32=0 -i [[0],[0],[0]] -u [1,2,4] -r sum".split()
        for command, report in (
            (["verify", "ScatterNDUpdate-15", *words, "--actual", "[5,0]"], verdict),
            (["explain", "ScatterNDUpdate-15", *words, "--at", "0"], None),
        ):
            program = [os.environ["TSCATTER_PROGRAM"], *command, "--json"]
            printed = json.loads(subprocess.run(program, stdout=subprocess.PIPE).stdout)
            self.assertEqual(report or tscatter.explain("ScatterNDUpdate-15", at=[0], **self.call), printed)

    def test_compare(self):
        self.assertTrue(tscatter.compare([1.0, 2.0], np.array([1.0, 2.001]), rtol=1e-2)["match"])
        self.assertFalse(tscatter.compare([1.0], np.array([2.0]))["match"])
        self.assertFalse(tscatter.compare(np.float32([1]), np.float64([1]))["match"])
        nan = np.array([np.nan])
        self.assertTrue(tscatter.compare(nan, -nan, equal_nan=True)["match"])

    def test_compare_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            for side, last in (("out", 2.0), ("golden", 2.5)):
                os.mkdir(os.path.join(folder, side))
                np.save(os.path.join(folder, side, "x.npy"), np.float32([1, last]))
            sides = [os.path.join(folder, side) for side in ("out", "golden")]
            report = tscatter.compare(*sides)
            self.assertEqual((report["passed"], report["summary"]["failed"]), (False, 1))
            self.assertEqual((report["cases"][0]["name"], report["cases"][0]["reason"]), ("x.npy", "values differ"))
            self.assertTrue(tscatter.compare(*sides, tolerances='{"float32": {"rtol": 0.5}}')["passed"])
            self.assertEqual([each["name"] for each in tscatter.compare(*sides, list=True)["cases"]], ["x.npy"])
            with self.assertRaises(ValueError):
                tscatter.compare(*sides, heatmap=os.path.join(folder, "x.svg"))

    def test_generate_and_run(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = tscatter.generate("ScatterNDUpdate-15", folder, count=6, seed=1, dtype=["f16", "i32"])
            report = tscatter.run(cases)
            self.assertTrue(report["passed"])
            self.assertEqual((len(report["cases"]), report["summary"]["passed"]), (6, 6))
            as_bytes = tscatter.generate("ScatterNDUpdate-15", os.fsencode(folder) + b"/more", count=1)
            self.assertEqual((str(as_bytes), as_bytes.exists()), (os.path.join(folder, "more", "cases.jsonl"), True))
            golden = next(cases.parent.rglob("*expected*"))
            golden.unlink()
            report = tscatter.run(cases, threads=1)
            self.assertFalse(report["passed"])
            self.assertEqual([case["state"] for case in report["cases"]].count("failed"), 1)
            with self.assertRaises(tscatter.UsageError) as caught:
                tscatter.run(cases, filter="nothing")
            self.assertEqual(caught.exception.label, "cli.c41")

    def test_an_option_that_takes_a_value(self):
        nothing = np.zeros(2)
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)
            try:
                cases = tscatter.generate("ScatterNDUpdate-15", "g", count=1)
                for flag, call in (
                    ("heatmap", lambda: tscatter.compare(nothing, nothing + 1, heatmap=True)),
                    ("worst", lambda: tscatter.verify([5, 0], "ScatterNDUpdate-15", worst=True, **self.call)),
                    ("memory", lambda: tscatter.scatter_nd_update(nothing, [[0]], [1.0], memory=True)),
                    ("max_rank", lambda: tscatter.generate("ScatterNDUpdate-15", "h", max_rank=True)),
                    ("junit", lambda: tscatter.run(cases, junit=True)),
                ):
                    with self.assertRaises(tscatter.UsageError) as caught:
                        call()
                    self.assertEqual(str(caught.exception), f"{flag}: must have a value that is not True or False, got True [cli.c4]")
                self.assertEqual(os.listdir(), ["g"])
            finally:
                os.chdir(here)
            self.assertTrue(tscatter.run(os.path.join(folder, cases), details=True, fail_fast=True)["passed"])
        self.assertTrue(tscatter.compare([np.nan], nothing[:1] * np.nan, equal_nan=True)["match"])
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.compare(nothing, nothing, colour=True)
        self.assertEqual(caught.exception.label, "cli.c2")

    def test_a_report_on_stdout(self):
        nothing = np.zeros(2)
        for flag, call in (
            ("heatmap", lambda: tscatter.compare(nothing, nothing, heatmap="-")),
            ("heatmap", lambda: tscatter.verify(nothing, "ScatterNDUpdate-15", heatmap=pathlib.Path("-"), **self.call)),
            ("junit", lambda: tscatter.run("nowhere", junit="-")),
            ("html", lambda: tscatter.run("nowhere", html="-")),
        ):
            with self.assertRaises(tscatter.UsageError) as caught:
                call()
            self.assertEqual(str(caught.exception), f"{flag}: must be a file, since stdout is the process's (./- is a file), got - [cli.c14]")

    def test_a_nan_that_is_computed_has_any_bits(self):
        infinity, negated = np.float32([np.inf]), np.array([0xFFC00000], np.uint32).view(np.float32)
        for index in (slice(None), 0, ..., None, [0], np.array([True])):
            for name in ("numpy.add.at", "numpy.subtract.at"):
                updates = -infinity if name == "numpy.add.at" else infinity
                self.assertTrue(tscatter.verify(negated, name, data=infinity, index=index, updates=updates[0])["legal"], (name, index))
                self.assertFalse(tscatter.verify(infinity, name, data=infinity, index=index, updates=updates[0])["legal"])
            self.assertFalse(tscatter.verify(negated, "numpy.setitem", data=infinity, index=index, updates=-negated[0])["legal"])
        table = np.full((4, 6), np.inf, np.float32)
        actual = table.copy()
        actual[::2, 1:5:3] = negated
        call = {"data": table, "index": (slice(None, None, 2), slice(1, 5, 3)), "updates": np.float32(-np.inf)}
        self.assertEqual(tscatter.verify(actual, "numpy.add.at", **call)["classes"]["rounded"], 4)

    def test_nothing_is_flushed_where_nothing_is_subnormal(self):
        call = {"input": np.float32([-0.0, 5]), "dim": 0, "index": np.array([0, 1]), "src": np.float32([0.0, 7]), "reduce": "amin"}
        verdict = tscatter.verify(np.float32([0.0, 5]), "torch.scatter_reduce", **call)
        self.assertEqual([each["kind"] for each in verdict["diagnosis"]["named"]], ["policy"])
        self.assertFalse(tscatter.verify(np.float32([0.0, 5]), "torch.scatter_reduce", ftz=True, **call)["legal"])
        call["input"] = np.float32([1e-42, 5])
        self.assertTrue(tscatter.verify(np.float32([-0.0, 5]), "torch.scatter_reduce", ftz=True, **call)["legal"])

    def test_errors_survive_pickling(self):
        with self.assertRaises(tscatter.RuleError) as caught:
            tscatter.scatter_nd_update([1], [[5]], [1])
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.label), (str(caught.exception), "scatter_nd_update_15.c4"))

    def test_other_threads_run_meanwhile(self):
        data = np.zeros(1 << 24, np.float32)
        indices = np.random.default_rng(0).integers(0, data.size, (1 << 21, 1))
        updates = np.ones(len(indices), np.float32)
        seen = []
        is_over = threading.Event()
        counter = threading.Thread(target=lambda: [seen.append(0) or time.sleep(1e-3) for _ in iter(is_over.is_set, True)])
        counter.start()
        most, calls = 0, 0
        while most < 2 and calls < 20:  # a busy machine may run the other thread too late
            before = len(seen)
            tscatter.scatter_nd_update(data, indices, updates, reduction="sum", out=data)
            most, calls = max(most, len(seen) - before), calls + 1
        is_over.set()
        counter.join()
        self.assertGreater(most, 1)
        self.assertEqual(data.sum(dtype=np.float64), calls * len(indices))


class Signals(unittest.TestCase):
    def test_ctrl_c_while_a_call_begins(self):
        library, thread = tscatter._library._library, tscatter._library._thread
        start, free = thread.start_new_thread, library.tsc_stop_free
        has_ended = threading.Event()
        alive = []

        def interrupted(run, arguments):
            start(lambda: (run(*arguments), has_ended.set()), ())
            raise KeyboardInterrupt

        def freed(stop):
            alive.append(not has_ended.wait(1))
            library.tsc_stop_raise(stop)
            has_ended.wait()
            free(stop)

        with tempfile.TemporaryDirectory() as folder:
            patch = unittest.mock.patch.object
            with patch(thread, "start_new_thread", interrupted), patch(library, "tsc_stop_free", freed):
                with self.assertRaises(KeyboardInterrupt):
                    tscatter.generate("ScatterNDUpdate-15", folder, count=100000, values="full")
        self.assertEqual(alive, [False])

    @unittest.mock.patch.object(tscatter._library, "_SHORT_OF_APPLY", 32 << 20)
    def test_which_calls_have_a_thread_of_their_own(self):
        thread = tscatter._library._thread
        small, large = np.zeros(4, np.float32), np.zeros(9 << 20, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            raw = {"raw": os.path.join(folder, "x.bin"), "dtype": np.float32, "shape": [4]}
            small.tofile(raw["raw"])
            for data, keywords, threads in (
                (small, {}, 0),
                ([0, 0], {}, 0),
                (large, {}, 1),
                (large, {"out": large}, 0),
                (raw, {}, 1),
                (small, {"out": os.path.join(folder, "x.npy")}, 1),
            ):
                with unittest.mock.patch.object(thread, "start_new_thread", wraps=thread.start_new_thread) as start:
                    tscatter.scatter_nd_update_15(data, [[1]], [2], **keywords)
                self.assertEqual(start.call_count, threads, (type(data), keywords.keys()))

    def test_ctrl_c_ends_a_call(self):
        code = textwrap.dedent(
            """
            import signal, sys, tscatter
            signal.signal(signal.SIGINT, signal.default_int_handler)  # of a job in the background it is ignored
            print("ready", flush=True)
            try:
                tscatter.generate("ScatterNDUpdate-15", sys.argv[1], count=100000, values="full")
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            """
        )
        folder = tempfile.TemporaryDirectory()
        child = subprocess.Popen([sys.executable, "-c", code, folder.name], stdout=subprocess.PIPE)
        with folder, child:
            self.assertEqual(child.stdout.readline(), b"ready\n")
            time.sleep(0.5)
            begin = time.monotonic()
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.stdout.read(), b"interrupted\n")
            self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(child.returncode, 0)


if __name__ == "__main__":
    unittest.main()
