"""The node tests that `tscatter generate --layout onnx` writes, against ONNX's own packages:  node_tests.py TSCATTER DIR

Every model passes the checker, every .pb has the bytes of numpy_helper.from_array, and the results are those of ONNX's reference
and of ONNX Runtime, bit for bit, except where explanation() knows why not. Then tscatter runs ONNX's own node tests of the scatter
operations. Prints what was counted; exit code 1 if something is not explained.
"""
import collections
import ctypes
import ctypes.util
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx.reference
from onnx import numpy_helper

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

class Case:
    def __init__(self, folder):
        self.name = folder.name
        self.model = onnx.load(folder / "model.onnx")
        data_set = folder / "test_data_set_0"
        self.inputs = [self.read(data_set / f"input_{i}.pb") for i in range(len(self.model.graph.input))]
        self.output = self.read(data_set / "output_0.pb")
        attributes = {each.name: onnx.helper.get_attribute_value(each) for each in self.model.graph.node[0].attribute}
        self.reduction = attributes.get("reduction", b"none").decode()

    @staticmethod
    def read(file):
        tensor = onnx.load_tensor(file)
        array = numpy_helper.to_array(tensor)
        if numpy_helper.from_array(array, tensor.name).SerializeToString() != file.read_bytes():
            raise SystemExit(f"{file}: not the bytes of numpy_helper.from_array")
        return array

    @property
    def dtype(self):
        return self.output.dtype

    @property
    def has_nan(self):
        with np.errstate(all="ignore"):
            return any(each.dtype.kind not in "biu" and bool(np.isnan(each.astype(np.complex128)).any()) for each in self.inputs)

    def differs_in_zeros(self, result):
        """Only in the signs of zeros."""
        with np.errstate(all="ignore"):
            one, other = self.output.astype(np.float64), result.astype(np.float64)
        return self.dtype.kind not in "biuc" and bool(((one == other) | (np.isnan(one) & np.isnan(other))).all())

    def feeds(self):
        return dict(zip([each.name for each in self.model.graph.input], self.inputs))

    def agrees(self, result):
        """Bit for bit, but for which NaN an arithmetic operation makes."""
        if result.dtype != self.dtype or result.shape != self.output.shape:
            return False
        if result.tobytes() == self.output.tobytes():
            return True
        if self.dtype.kind in "biu" or self.reduction == "none":
            return False
        parts = [each.astype(np.complex128) if each.dtype.kind == "c" else each.astype(np.float64) for each in (result, self.output)]
        if self.dtype.kind == "c":
            parts = [each.view(np.float64) for each in parts]
        nan = np.isnan(parts[0]) & np.isnan(parts[1])
        return bool((nan | (parts[0].view(np.int64) == parts[1].view(np.int64))).all())


def by_reference(case):
    return np.asarray(onnx.reference.ReferenceEvaluator(case.model).run(None, case.feeds())[0])


def by_runtime(case):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # refusals come as exceptions
    options.intra_op_num_threads = 1  # duplicates in order
    session = onnxruntime.InferenceSession(case.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    types = {each.name: each.type.tensor_type.elem_type for each in case.model.graph.input}
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
        (array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array).copy(), types[name]) for name, array in case.feeds().items()}
    result, = session.run_with_ort_values(["output"], values)
    if case.dtype != ml_dtypes.bfloat16:
        return result.numpy()
    count = int(np.prod(result.shape()))  # NumPy has no bfloat16 of its own: as it lies in memory
    memory = (ctypes.c_uint16 * count).from_address(result.data_ptr()) if count else []
    return np.array(memory, np.uint16).view(ml_dtypes.bfloat16).reshape(result.shape())


def products(function, variant, x, y):
    """Two complex factors rounded at each step, and with one product of each part fused with the sum; `variant` says which one."""
    a, b, c, d = (function.restype(each).value for each in (x.real, x.imag, y.real, y.imag))
    ac, bd, ad, bc = (function(*each, -0.0) for each in ((a, c), (b, d), (a, d), (b, c)))  # keeps the signs of zeros
    yield complex(function(1, ac, -bd), function(1, ad, bc))
    yield complex(function(a, c, -bd) if variant & 1 else function(-b, d, ac), function(a, d, bc) if variant & 2 else function(b, c, ad))


def factors_of(case, places):
    """Of each of these elements of ScatterND the value in data, and its updates in order."""
    data, indices, updates = case.inputs
    numbers = np.arange(data.size).reshape(data.shape)
    factors = {place: [data.reshape(-1)[place]] for place in places}
    for entry in np.ndindex(indices.shape[:-1]):
        written = numbers[tuple(indices[entry])]
        for place in np.intersect1d(written, places):
            factors[place].append(np.asarray(updates[entry])[written == place][0])
    return factors.values()


def same_elements(one, other):
    parts = [np.ascontiguousarray(each).reshape(-1).view(np.float32 if each.dtype == np.complex64 else np.float64).reshape(-1, 2) for each in (one, other)]
    words = [each.view(np.int32 if each.dtype == np.float32 else np.int64) for each in parts]
    return ((words[0] == words[1]) | (np.isnan(parts[0]) & np.isnan(parts[1]))).all(axis=1)


def is_fused(case, result):
    """Whether each element that is not ours is a product of its factors of which some steps are fused, all in one way: NumPy fuses
    what it multiplies in vectors, and not the rest."""
    if case.model.graph.node[0].op_type != "ScatterND" or result.shape != case.output.shape or result.dtype != case.dtype:
        return False
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), "fmaf" if case.dtype == np.complex64 else "fma")
    function.restype = ctypes.c_float if case.dtype == np.complex64 else ctypes.c_double
    function.argtypes = [function.restype] * 3
    places = np.flatnonzero(~same_elements(case.output, result))
    factors = list(factors_of(case, places))
    values = np.ascontiguousarray(result).reshape(-1)[places]
    return any(all(leaves(function, variant, each, value) for each, value in zip(factors, values)) for variant in range(4))


def leaves(function, variant, factors, value):
    reached = {str(factors[0]): factors[0]}  # by their digits, for which one NaN is any
    for factor in factors[1:]:
        made = [value for each in reached.values() for value in products(function, variant, each, factor)]
        reached = {str(each): each for each in made[:4096]}
    all_reached = np.array(list(reached.values()), value.dtype)
    return bool(same_elements(all_reached, np.full_like(all_reached, value)).any())


def with_another_value(case, result):
    """The same with one element changed that is not ours: nothing explains that."""
    changed = np.ascontiguousarray(result).copy()
    place = np.flatnonzero(~same_elements(case.output, result))[0]
    value = changed.reshape(-1)[place]
    changed.reshape(-1)[place] = value * 1.125 if np.isfinite(value) and value != 0 else 0.375
    return changed


def explanation(who, case, result):
    """Why another result is no bug here, in words of docs/runtimes/findings.md; "" if that is not known."""
    if case.reduction in ("min", "max") and case.differs_in_zeros(result):
        return "zeros of both signs in min and max"
    if who == "runtime" and case.reduction in ("min", "max") and case.has_nan:
        return "NaN in min and max"
    if who == "reference" and case.reduction == "mul" and case.dtype.kind == "c" and is_fused(case, result):
        if is_fused(case, with_another_value(case, result)):
            raise SystemExit(f"{case.name}: fused products explain any value")
        return "complex products are fused"
    return ""


def attempt(who, run, case):
    try:
        with np.errstate(all="ignore"):
            result = run(case)
    except Exception as error:  # whatever it throws is its refusal
        text = re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", " ".join(str(error).split()))
        return "refuses", f"{case.dtype.name} {case.reduction}: {text[:100]}"
    if case.agrees(result):
        return "agrees", ""
    why = explanation(who, case, result)
    return ("differs, explained", why) if why else ("differs", case.name)


def check(tscatter, directory):
    runs = {"reference": by_reference} | ({"runtime": by_runtime} if onnxruntime else {})
    counts, reasons, unexplained = collections.Counter(), collections.Counter(), []
    for folder in sorted(each for each in directory.iterdir() if each.is_dir()):
        case = Case(folder)
        onnx.checker.check_model(case.model, full_check=True)
        for who, run in runs.items():
            state, reason = attempt(who, run, case)
            counts[who, state] += 1
            if state == "differs":
                unexplained.append(f"{who}: {reason}")
            elif reason:
                reasons[who, reason] += 1
    for (who, state), n in sorted(counts.items()):
        print(f"{directory.name}: {who} {state}: {n}")
    for (who, reason), n in sorted(reasons.items()):
        print(f"    {n:4} {who}: {reason}")
    return unexplained


def write_own_tests(directory):
    """ONNX's node tests of scatter operations, as its test runner stores them."""
    from onnx.backend.test.case.node import collect_testcases

    names = []
    for test in collect_testcases(None):
        if not any(each.op_type in ("Scatter", "ScatterElements", "ScatterND", "TensorScatter") for each in test.model.graph.node):
            continue
        folder = directory / test.name
        folder.mkdir(parents=True)
        onnx.save(test.model, folder / "model.onnx")
        for number, (inputs, outputs) in enumerate(test.data_sets):
            data_set = folder / f"test_data_set_{number}"
            data_set.mkdir()
            for kind, arrays, values in (("input", inputs, test.model.graph.input), ("output", outputs, test.model.graph.output)):
                for i, array in enumerate(arrays):
                    tensor = numpy_helper.from_array(np.asarray(array), values[i].name)
                    (data_set / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())
        names.append(test.name)
    return names


def main():
    tscatter, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__ if onnxruntime else 'none'}")
    unexplained = []
    for suite in sorted(directory.iterdir()):
        unexplained += check(tscatter, suite)
    names = write_own_tests(directory / "own")
    run = subprocess.run([tscatter, "batch", str(directory / "own")], capture_output=True, text=True, check=False)
    print(f"ONNX's own node tests: {len(names)}\n{run.stdout}{run.stderr}")
    for each in unexplained:
        print(f"not explained: {each}")
    sys.exit(1 if unexplained or run.returncode != 0 or not names else 0)


if __name__ == "__main__":
    main()
