"""tensor_files.py TSCATTER COOKBOOK: in an empty folder.

Files that tscatter writes have the bytes of safetensors' own writer, over all dtypes and in any order of writing; what that writes is read back
bit for bit, and float8 as the numbers that ml_dtypes has. Then the cookbook's lines for arrays inside other files, each where its package is there; and
initializers of ONNX models, and float8 of ONNX, against the package onnx.
"""

import contextlib
import importlib.util
import io
import pathlib
import random
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import safetensors.numpy

PROGRAM, COOKBOOK = sys.argv[1:]
PLAIN = "bool uint8 int8 int16 uint16 float16 int32 uint32 float32 complex64 float64 int64 uint64".split()
FLOAT8 = "float8_e5m2 float8_e4m3fn float8_e8m0fnu float8_e4m3fnuz float8_e5m2fnuz".split()
ALL_FLOAT8 = [*FLOAT8, "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz"]  # safetensors has no name of these


def tscatter(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def written(name):
    return pathlib.Path(name).read_bytes()


def all_tensors():
    tensors = {f"t.{name}": np.arange(6).reshape(2, 3).astype(name) for name in PLAIN}
    for name in ["bfloat16", *FLOAT8]:
        tensors[f"t.{name}"] = np.arange(6).reshape(3, 2).astype(getattr(ml_dtypes, name))
    tensors["empty"] = np.zeros((2, 0), np.float32)
    tensors["scalar"] = np.array(7, np.int32)
    tensors['odd "name"\n\x01\x7f\u00e9/\U0001f600'] = np.ones(3, np.uint8)
    return tensors


def check_writer(tensors, metadata):
    """Tensor after tensor, in a random order, beginning with a file that has the metadata."""
    names = list(tensors)
    random.Random(7).shuffle(names)
    safetensors.numpy.save_file(tensors, "all.safetensors", metadata)
    safetensors.numpy.save_file({names[0]: tensors[names[0]]}, "own.safetensors", metadata)
    for count, name in enumerate(names[1:], start=2):
        tscatter("convert", f"all.safetensors:{name}", f"own.safetensors:{name}")
        some = {each: tensors[each] for each in names[:count]}
        safetensors.numpy.save_file(some, "some.safetensors", metadata)
        assert written("own.safetensors") == written("some.safetensors"), name
    tscatter("convert", f"all.safetensors:{names[0]}", f"own.safetensors:{names[0]}")
    assert written("own.safetensors") == written("all.safetensors")
    tscatter("convert", "all.safetensors", "whole.safetensors")
    assert written("whole.safetensors") == written("all.safetensors")


def check_archives(tensors):
    tscatter("convert", "all.safetensors", "all.npz")
    with np.load("all.npz") as archive:
        for name, array in tensors.items():
            assert archive[name].tobytes() == array.tobytes(), name
            assert archive[name].shape == array.shape, name
    plain = {name: array for name, array in tensors.items() if array.dtype.name in PLAIN}
    np.savez("plain.npz", **plain)
    tscatter("convert", "plain.npz", "plain.safetensors")
    assert written("plain.safetensors") == safetensors.numpy.save(plain)


def check_float8():
    codes = np.arange(256, dtype=np.uint8)
    for name in ALL_FLOAT8:
        array = codes.view(getattr(ml_dtypes, name))
        codes.tofile("codes.bin")
        tscatter("convert", f"256x{name}=@codes.bin", "f32.npy", "--to", "float32")
        got, wanted = np.load("f32.npy"), array.astype(np.float32)
        same = (got.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(got) & np.isnan(wanted))
        assert same.all(), (name, codes[~same])
        if name not in FLOAT8:
            continue
        safetensors.numpy.save_file({"x": array}, "f8.safetensors")
        np.save("own.npy", array)
        tscatter("convert", "f8.safetensors:x", "x.npy")
        own = written("own.npy").replace(b"'<f1'", b"'<V1'")  # NumPy writes the first, and does not read it
        assert written("x.npy") == own, name


def numbers_to_round():
    """Random bits, all float8 and what lies around and between them."""
    bits = np.random.default_rng(7).integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    known = [np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name)).astype(np.float32) for name in ALL_FLOAT8]
    middles = [(each[:-1] + each[1:]) / 2 for each in known]
    near = np.concatenate([bits, *known, *middles])
    return np.concatenate([near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))])


@np.errstate(over="ignore", invalid="ignore")
def check_rounding():
    numbers = numbers_to_round()
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.float64):
        for name in ALL_FLOAT8:
            array = numbers.astype(dtype)
            wanted = array.astype(getattr(ml_dtypes, name)).view(np.uint8)
            safetensors.numpy.save_file({"x": array}, "numbers.safetensors")
            tscatter("convert", "numbers.safetensors:x", "rounded.npy", "--to", name, "--round", "nearest")
            got = np.load("rounded.npy").view(np.uint8)
            wrong = got != wanted
            if name == "float8_e8m0fnu":  # ml_dtypes does not take the nearest to a subnormal number of float32
                wrong &= ~((array > 0) & (array < 2.0**-126))
            assert not wrong.any(), (name, dtype, array[wrong][:9], got[wrong][:9], wanted[wrong][:9])


def check_in_place(tensors):
    before = written("all.safetensors")
    for name in ("t.bool", "t.float32", "t.bfloat16", "t.float8_e5m2"):
        array = tensors[name]
        row = array[1:2].copy()
        safetensors.numpy.save_file({"u": row}, "u.safetensors")
        for word in ("u.safetensors:u",):
            tscatter("ScatterUpdate-3", "-d", f"all.safetensors:{name}", "-i", "[0]", "-u", word, "-a", 0, "--in-place")
        changed = {**tensors, name: np.concatenate([row, array[1:]])}
        assert written("all.safetensors") == safetensors.numpy.save(changed, {"a": "b"}), name
        pathlib.Path("all.safetensors").write_bytes(before)


def make_h5(array):
    import h5py

    with h5py.File("x.h5", "w") as file:
        file["d"] = array


def make_fits(array):
    import astropy.io.fits

    astropy.io.fits.PrimaryHDU(array).writeto("x.fits")


def make_nii(array):
    import nibabel

    nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), "x.nii")


def make_gguf(array):
    import gguf

    writer = gguf.GGUFWriter("x.gguf", "none")
    writer.add_tensor("other", np.zeros(5, np.float32))
    writer.add_tensor("w", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


MAKERS = {"h5py": make_h5, "astropy": make_fits, "nibabel": make_nii, "gguf": make_gguf}


def check_line(package, block):
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    MAKERS[package](array)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(block, {})
    operand = said.getvalue().strip()
    np.save("expected.npy", array)
    tscatter("compare", operand, "expected.npy")
    array[0, 0, 1] = 7
    np.save("expected.npy", array)
    tscatter("ScatterNDUpdate-15", "-d", operand, "-i", "[[0, 0, 1]]", "-u", "[7]", "--in-place")
    tscatter("compare", operand, "expected.npy")
    print(f"{package}: {operand}")


def check_lines():
    blocks = re.findall(r"```python\n(import (\w+).*?)```", pathlib.Path(COOKBOOK).read_text(), re.S)
    assert [package for _, package in blocks] == list(MAKERS), blocks
    for block, package in blocks:
        if importlib.util.find_spec(package) is None:
            print(f"{package}: not here, its line was not run")
            continue
        check_line(package, block)


def check_onnx():
    """Models and tensors of the package onnx, with their values in them and beside them."""
    if importlib.util.find_spec("onnx") is None:
        return print("onnx: not here, its models were not read")
    import onnx
    from onnx import TensorProto, numpy_helper

    numeric = {name: np.arange(6).reshape(2, 3).astype(name) for name in ("bool", "int8", "uint16", "int64", "float16", "float64", "complex64")}
    tensors = [numpy_helper.from_array(array, name) for name, array in numeric.items()]
    tensors += [onnx.helper.make_tensor("typed", TensorProto.INT64, [2], [1, -2]), onnx.helper.make_tensor("int4", TensorProto.INT4, [2], [1, 2])]
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], tensors))
    onnx.save_model(model, "m.onnx")
    onnx.save_model(model, "e.onnx", save_as_external_data=True, location="e.data", size_threshold=0)
    for file in ("m.onnx", "e.onnx"):
        for name, array in numeric.items():
            np.save("expected.npy", array)
            tscatter("compare", f"{file}:{name}", "expected.npy")
            np.save("row.npy", array[:1])
            tscatter("ScatterUpdate-3", "-d", f"{file}:{name}", "-i", "[1]", "-u", "row.npy", "-a", 0, "--in-place")
            read = {each.name: numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer}
            assert np.array_equal(read[name], array[[0, 0]]), (file, name)
        tscatter("compare", f"{file}:typed", "[1, -2]")
    for name in FLOAT8:
        array = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))
        before = numpy_helper.from_array(array).SerializeToString()
        pathlib.Path("f8.pb").write_bytes(before)
        tscatter("convert", "f8.pb", "again.pb")
        assert pathlib.Path("again.pb").read_bytes() == before, name


TENSORS = all_tensors()
# The reference writes more keys in an order that varies.
for METADATA in (None, {"\u00e9\n": "\x01 \U0001f600"}, {"a": "b"}):
    check_writer(TENSORS, METADATA)
check_archives(TENSORS)
check_float8()
check_rounding()
check_in_place(TENSORS)
check_lines()
check_onnx()
