"""Calls that are repeated: whatever a first call does, the next ones of its kind do."""

import threading
import unittest
import unittest.mock

import numpy as np

import tscatter
import tscatter.testing
from tscatter import _plans, _words

try:
    import torch
except ImportError:
    torch = None


class Plans(unittest.TestCase):
    def setUp(self):
        _plans._plans.clear()
        tscatter.scatter_update([1], [0], [2], 0)  # the module has met NumPy then

    def runs(self, function):
        """How many calls of a plan this makes."""
        with unittest.mock.patch.object(_plans.Plan, "run", autospec=True, side_effect=_plans.Plan.run) as run:
            function()
        return run.call_count

    def test_every_operation(self):
        planned = set()
        for name, function in tscatter.operations().items():
            if name == "generic.scatter":
                continue
            for case in tscatter.testing.cases(name, count=12, seed=3, max_elements=200):
                with self.subTest(name, case=case.name):
                    _plans._plans.clear()
                    given = case.call()
                    first = function(**given)
                    again = [function(**given) for _ in range(2)]
                    planned |= {name} if _plans._plans else set()
                    if _words.makes_data(name):
                        self.assertEqual({each.tobytes() for each in again}, {first.tobytes()})
                        continue
                    out = given[case.word("data")].copy()
                    changed = {**given, case.word("data"): out}
                    for _ in range(2):
                        out[...] = given[case.word("data")]
                        self.assertIs(function(**changed, out=out), out)
                    for result in (*again, out):
                        self.assertEqual((result.dtype, result.shape, result.tobytes("A")), (first.dtype, first.shape, first.tobytes("A")))
        lists = {"SliceScatter-15"}  # takes lists, and has no plan with them; its cases have arrays
        lists |= {name for name in tscatter.operations() if _words.makes_data(name)}
        self.assertEqual(planned | lists, set(tscatter.operations()) - {"generic.scatter"})

    def test_other_arrays_of_the_same_shape(self):
        random = np.random.default_rng(5)
        indices, updates = np.array([[1], [1], [3]]), np.float32([1, 2, 4])

        def call():
            data = random.random(4, np.float32)
            shifted = (indices + random.integers(0, 2)) % 4
            want = data.copy()
            np.add.at(want, shifted[:, 0], updates)
            self.assertEqual(tscatter.scatter_nd_update(data, shifted, updates, reduction="sum").tolist(), want.tolist())
            apart = np.empty_like(data)
            self.assertIs(tscatter.scatter_nd_update(data, shifted, updates, reduction="sum", out=apart), apart)
            self.assertEqual(apart.tolist(), want.tolist())

        call()
        self.assertEqual(self.runs(lambda: [call() for _ in range(20)]), 40)

    def test_what_one_plan_does_not_serve(self):
        data, indices = np.zeros(4, np.float32), np.array([1, 2])
        calls = {
            "another value of an attribute": lambda: tscatter.torch.index_add(data, 0, indices, data[:2], alpha=2),
            "another sign of zero": lambda: tscatter.torch.index_add(data, 0, indices, data[:2], alpha=-0.0),
            "a boolean for an integer": lambda: tscatter.torch.index_add(data, 0, indices, data[:2], alpha=True),
            "another dtype": lambda: tscatter.torch.index_add(data.astype(np.float64), 0, indices, np.zeros(2)),
            "another order": lambda: tscatter.torch.index_add(np.zeros((4, 2), order="F"), 0, indices, np.zeros((2, 2))),
            "an operand with gaps": lambda: tscatter.torch.index_add(data, 0, np.zeros(4, np.int64)[::2], data[:2]),
            "a list": lambda: tscatter.torch.index_add(data, 0, [1, 2], data[:2]),
            "other bytes": lambda: tscatter.torch.index_add(data.astype(">f4"), 0, indices, data[:2].astype(">f4")),
        }
        for _ in range(3):
            tscatter.torch.index_add(data, 0, indices, data[:2], alpha=1)
            tscatter.torch.index_add(data, 0, indices, data[:2], alpha=0.0)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for what, call in calls.items():
                try:
                    self.assertEqual(self.runs(call), 0, what)
                except tscatter.Error:
                    self.assertEqual(what, "a boolean for an integer")

    @unittest.mock.patch.object(tscatter._library, "_SHORT_OF_APPLY", 32 << 20)
    def test_large_arrays_have_plans_in_place_only(self):
        """What somebody may want to stop runs in a thread of its own, which a plan does not."""
        data = np.zeros(12 << 20, np.float32)
        indices, updates = np.array([1, 2]), np.ones(2, np.float32)
        for out, calls in ((None, 0), (data[:], 0), (np.empty_like(data), 0), (data, 2)):
            _plans._plans.clear()

            def call():
                return tscatter.at(data)[indices].add(updates, out=out)

            call()
            self.assertEqual(self.runs(lambda: (call(), call())), calls)

    def test_errors_are_the_same(self):
        data, indices, updates = np.zeros(4, np.float32), np.array([[1], [9]]), np.float32([1, 2])
        right = np.array([[1], [3]])
        with self.assertRaises(tscatter.RuleError) as first:
            tscatter.scatter_nd_update(data, indices, updates, out=data)
        for _ in range(2):
            tscatter.scatter_nd_update(data, right, updates, out=data)
        kept = data.copy()

        def fails():
            with self.assertRaises(tscatter.RuleError) as again:
                tscatter.scatter_nd_update(data, indices, updates, out=data)
            self.assertEqual(str(again.exception), str(first.exception))
            self.assertEqual((again.exception.label, again.exception.place), (first.exception.label, first.exception.place))

        self.assertEqual(self.runs(fails), 1)
        self.assertEqual(data.tolist(), kept.tolist())

    def test_memory_that_overlaps(self):
        memory = np.zeros(6, np.float32)
        data, indices, updates = memory[:4], np.array([[1], [3]]), np.float32([1, 2])
        for out in (np.empty(4, np.float32), np.empty(4, np.float32)):
            tscatter.scatter_nd_update(data, indices, updates, out=out)
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update(data, indices, updates, out=memory[2:])
        self.assertEqual(caught.exception.label, "array.a4")
        frozen = np.empty(4, np.float32)
        frozen.flags.writeable = False
        with self.assertRaises(tscatter.UsageError) as caught:
            tscatter.scatter_nd_update(data, indices, updates, out=frozen)
        self.assertEqual(caught.exception.label, "array.a5")

    def test_an_array_that_is_given_twice(self):
        ids = np.array([3, 1, 2, 0])
        for _ in range(3):
            self.assertEqual(tscatter.scatter_update(ids, ids, ids, 0).tolist(), [0, 1, 2, 3])
            self.assertEqual(tscatter.scatter_update(ids.copy(), ids, ids * 2, 0).tolist(), [0, 2, 4, 6])

    def test_threads(self):
        def work(number):
            data, ids = np.full(64, number, np.int64), np.arange(64)
            for _ in range(300):
                result = tscatter.numpy.add.at(data, ids, ids)
                self.assertEqual(int(result.sum()), 64 * number + 2016)

        errors = []

        def guarded(number):
            try:
                work(number)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=guarded, args=(number,)) for number in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(errors, [])

    def test_plans_do_not_pile_up(self):
        for size in range(1, 400):
            for _ in range(2):
                tscatter.numpy.setitem(np.zeros(size), 0, 1)
        self.assertLessEqual(len(_plans._plans), 256)

    def test_an_index(self):
        table, ids = np.zeros((5, 6)), np.array([0, 3])
        for _ in range(3):
            result = tscatter.at(table)[ids, 1:6:2].add(7)
            want = table.copy()
            np.add.at(want, (ids, slice(1, 6, 2)), 7)
            self.assertTrue(np.array_equal(result, want))
        self.assertEqual(self.runs(lambda: tscatter.at(table)[ids, 1:6:2].add(7)), 1)
        self.assertEqual(self.runs(lambda: tscatter.at(table)[ids, 1:5:2].add(7)), 0)
        self.assertEqual(self.runs(lambda: tscatter.at(table)[ids, 1:6:2].mul(7)), 0)
        negated = np.array([-1.0, 2.0, -3.0])
        for _ in range(3):
            values = np.random.default_rng().random(3) - 0.5
            self.assertEqual(tscatter.numpy.setitem(values, "< 0", 0).tolist(), np.maximum(values, 0).tolist())
        self.assertEqual(tscatter.numpy.setitem(negated, "< 0", 0).tolist(), [0, 2, 0])

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_tensors_of_pytorch(self):
        x, index = torch.zeros(5), torch.tensor([1, 1, 4])

        def call():
            src = torch.rand(3)
            result = tscatter.torch.index_add(x, 0, index, src)
            self.assertTrue(torch.equal(result, x.index_add(0, index, src)))

        call()
        self.assertEqual(self.runs(lambda: [call() for _ in range(5)]), 5)
        self.assertEqual(self.runs(lambda: tscatter.torch.index_add(x.double(), 0, index, torch.rand(3).double())), 0)
        with self.assertRaisesRegex(tscatter.UsageError, r"^input: must have memory that can be shared, got Tensor: .*\[array\.a6\]$"):
            tscatter.torch.index_add(x.clone().requires_grad_(), 0, index, torch.rand(3))
        with self.assertRaises(tscatter.UsageError):
            tscatter.torch.index_add(x.to("meta"), 0, index, torch.rand(3))
        weights = torch.ones(5, requires_grad=True)
        for _ in range(3):
            product = (weights * x).sum()  # saves x
            tscatter.torch.index_add(x, 0, index, torch.rand(3), out=x)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                product.backward()
        negative = torch._neg_view(torch.rand(3))
        with self.assertRaisesRegex(TypeError, "negative view"):
            tscatter.torch.index_add(x, 0, index, negative)


if __name__ == "__main__":
    unittest.main()
