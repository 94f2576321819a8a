#!/usr/bin/env python3
"""Makes good/, bad/ and expected.json beside this script. Needs NumPy 2 and ml_dtypes; the tests need neither.

good/      files that tscatter reads. good/resaved/ has what NumPy 2 writes for the same array, where that differs.
bad/       files that tscatter refuses, named after the label of the rule that they break.
expected.json
           good: file, dtype, shape, order and the re-saved file; bad: file, label and message; names: what numpy.dtype
           makes of a text (on 64-bit Linux), null if it is refused
"""

import gzip
import io
import json
import pathlib
import shutil

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
GOOD = HERE / "good"
BAD = HERE / "bad"
RESAVED = GOOD / "resaved"

good_rows = []
bad_rows = []
name_rows = []


def saved(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def framed(text, version=1, data=b""):
    """A .npy file around a header's text, which is taken as it is: no padding, no line break."""
    header = text if isinstance(text, bytes) else text.encode("utf8" if version == 3 else "latin1")
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def padded(text, version=1, data=b""):
    """The same, aligned to 64 bytes and ended by a line break, as NumPy does."""
    front = 10 if version == 1 else 12
    encoded = text.encode("utf8" if version == 3 else "latin1")
    padding = 64 - (front + len(encoded) + 1) % 64
    return framed(encoded + b" " * padding + b"\n", version, data)


def dtype_text(dtype):
    if dtype.kind in "biufc" and dtype.itemsize <= (16 if dtype.kind == "c" else 8):
        return dtype.name
    descr = np.lib.format.dtype_to_descr(dtype)
    return descr if isinstance(descr, str) else repr(descr)


def good(name, content, dtype=None, shape=None, order=None, same=False):
    """`same`: NumPy by itself does not know the dtype; the file is what NumPy with ml_dtypes writes."""
    (GOOD / f"{name}.npy").write_bytes(content)
    row = {"file": f"good/{name}.npy", "resaved": f"good/{name}.npy"}
    if same:
        row |= {"dtype": dtype, "shape": shape, "order": order}
    else:
        array = np.load(io.BytesIO(content), allow_pickle=False, max_header_size=1 << 21)
        row["dtype"] = dtype or dtype_text(array.dtype)
        row["shape"] = list(array.shape)
        row["order"] = "c" if array.flags.c_contiguous else "fortran"
        if saved(array) != content:
            (RESAVED / f"{name}.npy").write_bytes(saved(array))
            row["resaved"] = f"good/resaved/{name}.npy"
    good_rows.append(row)


def bad(label, name, message, content):
    file = f"bad/{label.removeprefix('npy.')}_{name}.npy"
    (HERE / file).write_bytes(content)
    bad_rows.append({"file": file, "label": label, "message": message})


def values(dtype, count):
    """Distinct bytes, so that nothing that is turned or moved stays unseen."""
    raw = np.arange(1, count * dtype.itemsize + 1, dtype=np.uint8).tobytes()
    if dtype.kind == "b":
        raw = bytes(i % 2 for i in range(count))
    return np.frombuffer(raw, dtype=dtype, count=count)


def make_numeric():
    codes = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
    for code in codes:
        for mark, order_name in (("<", "le"), (">", "be")):
            dtype = np.dtype(mark + code)
            if dtype.itemsize == 1 and mark == ">":
                continue
            table = values(dtype, 6).reshape(2, 3)
            good(f"{code}_{order_name}_c", saved(table))
            good(f"{code}_{order_name}_fortran", saved(np.asfortranarray(table)))


def make_shapes():
    for rank in range(5):
        shape = (2, 3, 4, 2)[:rank]
        array = np.arange(int(np.prod(shape)), dtype="<i4").reshape(shape)
        good(f"rank{rank}", saved(array))
        good(f"rank{rank}_fortran", saved(np.asfortranarray(array)))
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
        good("zero_" + "x".join(map(str, shape)), saved(np.zeros(shape, "<f4")))
    good("zero_times_huge", padded("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1152921504606846975), }"))
    good("long_axis", saved(np.zeros(1234, "|i1")))
    rank64 = "(" + ", ".join(["1"] * 64) + ")"
    good("rank64", padded("{'descr': '|u1', 'fortran_order': False, 'shape': " + rank64 + ", }", data=b"\x07"))
    five = np.arange(5, dtype="<i2").tobytes()
    text = "{'descr': '<i2', 'fortran_order': True, 'shape': %s, }"
    good("fortran_flag_5", padded(text % "(5,)", data=five))
    good("fortran_flag_1x5", padded(text % "(1, 5)", data=five))
    good("fortran_flag_5x1", padded(text % "(5, 1)", data=five))
    good("fortran_flag_rank0", padded(text % "()", data=five[:2]))
    good("fortran_flag_0x5", padded(text % "(0, 5)"))


def make_headers():
    data = np.arange(6, dtype="<f4").tobytes()
    usual = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    for version in (1, 2, 3):
        good(f"version_{version}", padded(usual, version, data))
    good("no_line_break", framed(usual, 1, data))
    good("no_padding", framed(usual + "\n", 1, data))
    good("alignment_16", framed(usual + " " * 10 + "\n", 1, data))  # before NumPy 1.14
    good("python2", padded("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }", 1, data))
    good("python2_rank1", padded("{'descr': '<f4', 'fortran_order': False, 'shape': (6L,), }", 1, data))
    good("python2_unicode", padded("{u'descr': u'<f4', u'fortran_order': False, u'shape': (2L, 3L)}", 1, data))
    good("python2_record", padded('{u"descr": [(u\'a\', U"<f4"), (u\'b\', u\'|S3\')], "fortran_order": False, "shape": (1L,)}', 1, data[:7]))
    for name, descr in (("mark_word", "float32"), ("letter", "<f"), ("descr_escaped", "\\x3cf4")):
        good(name, padded(usual.replace("<f4", descr), 1, data))
    good("two_arrays", padded(usual, 1, data) + saved(np.arange(3)))
    good("other_key_order", padded("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", 1, data))
    good("other_quotes", padded('{"descr": "<f4", \'fortran_order\': False, "shape": (2, 3)}', 1, data))
    good("no_spaces", padded("{'descr':'<f4','fortran_order':False,'shape':(2,3)}", 1, data))
    good("many_spaces", padded(" { 'descr' :\t'<f4' ,\n'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } ", 1, data))
    good("parenthesised", padded("{'descr': ('<f4'), 'fortran_order': False, 'shape': ((2), 3)}", 1, data))
    for name, descr in (("equals", "=f4"), ("bar", "|f4"), ("none", "f4")):
        good(f"mark_{name}", padded(usual.replace("<f4", descr), 1, data))
    good("bar_bool", padded("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", 1, b"\x00\x02"))
    good("big_int8", padded("{'descr': '>i1', 'fortran_order': False, 'shape': (2,), }", 1, b"\x00\x02"))


def make_opaque():
    for mark, order_name in (("<", "le"), (">", "be")):
        for code in ("U3", "M8[ns]", "M8[25s]", "M8[D]", "m8[us]", "m8"):
            dtype = np.dtype(mark + code)
            name = code.replace("[", "_").replace("]", "")
            good(f"{name}_{order_name}", saved(np.zeros(3, dtype)))
        for code in ("f16", "c32"):
            good(f"{code}_{order_name}", saved(np.frombuffer(bytes(range(96)), mark + code).reshape(-1)))
    good("S3", saved(np.array([b"a", b"bcd", b""])))
    good("V1", saved(np.frombuffer(b"abc", "V1")))
    good("V2", saved(np.frombuffer(b"abcdef", "V2")))
    good("V5", saved(np.frombuffer(b"abcdefghij", "V5")))
    good("S3_fortran", saved(np.asfortranarray(np.array([[b"a", b"bcd"], [b"e", b"fg"]], "S3"))))
    brain = np.array([[1, 2, 3], [4, 5, 6]], ml_dtypes.bfloat16)
    good("bfloat16", saved(brain))  # <V2, which NumPy without ml_dtypes reads as |V2
    good("bfloat16_fortran", saved(np.asfortranarray(brain)))
    good("float8_e4m3fn", saved(np.array([1, 2, 3], ml_dtypes.float8_e4m3fn)))  # <V1
    good("float8_e5m2", saved(np.array([1, 2, 3], ml_dtypes.float8_e5m2)), "<f1", [3], "c", same=True)


def make_records():
    inner = [("x", "<f4"), ("y", ">i2", (2,))]
    for name, fields in (
        ("record", [("a", "<f4"), ("b", "|S3")]),
        ("record_nested", [("p", inner), ("q", "|u1", (2, 3)), ("r", inner, (2,))]),
        ("record_subarray_1", [("a", "<f8", (1,))]),
        ("record_quote", [("it's", "<f4"), ("b c", "<M8[ms]")]),
        ("record_latin1", [("größe", "<f4"), ("ÿ", "<i2")]),
        ("record_utf8", [("重さ", "<f4"), ("π", "<i2"), ("😀", "|b1")]),
        ("record_big", [("a", ">f4"), ("b", ">U2")]),
    ):
        good(name, saved(np.zeros(2, np.dtype(fields))))
    inner = np.dtype([("x", "|u1"), ("y", "<f8")], align=True)
    aligned = np.dtype([("a", "|u1"), ("b", "<f4"), ("p", inner), ("c", "|i1")], align=True)
    good("record_aligned", saved(np.zeros(2, aligned)))
    named = "{{'descr': [('a', '<f4'), {}], 'fortran_order': False, 'shape': (2,), }}"
    for name, field in (
        ("bytes", "('b', '|S0')"), ("text", "('b', '>U0')"), ("void", "('b', '|V0')"), ("padding", "('', '|V0')"),
        ("record", "('b', [('c', '|S0')])"), ("no_fields", "('b', [])"), ("records", "('b', [('c', '<f4', (0,))], (2,))"),
    ):
        good(f"record_zero_width_{name}", padded(named.format(field), 1, bytes(8)))
    good("record_titles", saved(np.zeros(2, [(("the first", "a"), "<f4"), (("größe", "b"), "|u1", (2,))])))
    for name, word in (("quotes", "it's \"x\""), ("backslash", "C:\\new"), ("controls", "\a\b\t\n\r\x1b\x7f"),
                       ("blanks", "a\xa0b\xad\u200b\u3000"), ("beyond", "\U000e0001")):
        good(f"record_escape_{name}", saved(np.zeros(2, [(word, "<f4")])))
    for name, word in (("upper_case", "\\xA0\\u200B"), ("printed", "\\xfc\\x27"), ("long", "\\u0041\\U00000009")):
        good(f"record_escape_{name}", padded("{'descr': [('a" + word + "', '<f4')], 'fortran_order': False, 'shape': (1,), }", 1, bytes(4)))
    good("record_names_of_types", padded("{'descr': [('a', '<d'), ('b', '>h'), ('c', '<datetime64[ns]'), ('d', 'S')], "
                                         "'fortran_order': False, 'shape': (1,), }", 1, bytes(18)))
    good("record_empty_shape", padded("{'descr': [('a', '<f4', ())], 'fortran_order': False, 'shape': (1,), }", 1, bytes(4)))
    wide = np.zeros(1, np.dtype([(f"a_rather_long_field_name_{i:04}", "|u1") for i in range(1600)]))
    good("record_wide_version_2", saved(wide))


def header(descr="'<f4'", order="False", shape="(2,)", tail="}"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {tail}"


def make_names():
    words = [c for c in map(chr, range(33, 127)) if c not in "'\\\\"]
    words += [m + c for m in "<>=|" for c in "?bBhHiIlLqQpPnNefdgFDGcSaUVMmOT"]
    words += """bool bool_ bool8 byte ubyte short ushort intc uintc int int_ intp long longlong uint uintp ulong ulonglong half single
        double float float_ longdouble float128 float80 csingle cdouble complex complex_ clongdouble complex256 bytes bytes_ str str_
        string_ unicode unicode_ void void0 object object_ datetime64 timedelta64 datetime64[ns] timedelta64[25s] datetime64[]
        <datetime64[ns] >timedelta64 M[ns] <M[ns] float32[ns] <float32 =float64 |int8 Float32 FLOAT32 <int bfloat16 float8_e4m3fn
        int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 int128 float8 b1 S3 a3
        """.split()
    for word in words:
        try:
            dtype = np.dtype(word)
        except (TypeError, SyntaxError):
            dtype = None
        is_of_numpy = dtype is not None and dtype.type.__module__ != "ml_dtypes"
        usable = is_of_numpy and dtype.itemsize > 0 and not dtype.hasobject
        name_rows.append({"text": word, "dtype": dtype_text(dtype) if usable else None})


def make_bad_front():
    must_begin = "a .npy file must begin with \\x93NUMPY, got "
    raw = "a .npy file must begin with \\x93NUMPY (raw bytes are read as SHAPExDTYPE=@FILE), got other bytes"
    bad("npy.f1", "empty", must_begin + "an empty file", b"")
    bad("npy.f1", "magic_cut", raw, b"\x93NUMP")
    bad("npy.f1", "raw", raw, np.arange(6, dtype="f4").tobytes())
    bad("npy.f1", "wrong_first_byte", raw, b"\x92" + padded(header(), 1, bytes(8))[1:])
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123456\n"
    bad("npy.f1", "git_lfs", must_begin + "a Git LFS pointer (git lfs pull fetches the file)", pointer)
    page = b"<!DOCTYPE html>\n<html><title>Sign in</title></html>\n"
    bad("npy.f1", "html", must_begin + "an HTML page (a download that failed may leave one)", page)
    bad("npy.f1", "gzip", must_begin + "a gzip file (gunzip unpacks it)", gzip.compress(saved(np.zeros(3)), mtime=0))
    bad("npy.f1", "pickle", must_begin + "a pickle (numpy.save writes the array that pickle.load gives)", b"\x80\x04\x95\x0b\0\0\0\0\0\0\0K\x01.")
    bad("npy.f1", "zip", must_begin + "a zip archive (named x.npz, the .npy files in it are read as x.npz:name)", b"PK\x03\x04" + bytes(20))
    for name, text, begin in (
        ("text", b"hello, world\n", "hello, world"),
        ("text_long", b"  \n" + b"ab " * 40 + b"\n", "ab " * 20 + "a..."),
        ("text_utf8", "größe\r\nx".encode(), "größe"),
        ("text_cut", ("a" + "é" * 40).encode(), "a" + "é" * 31 + "..."),
        ("text_control", b"\x1b[31mred\n", "\\x1b[31mred"),
        ("text_quotes", b'"a"', '"a"'),
    ):
        bad("npy.f1", name, must_begin + f'a text file that begins "{begin}"', text)
    versions = "the format version must be 1.0, 2.0 or 3.0, got "
    for major, minor in ((0, 0), (1, 1), (2, 1), (4, 0), (255, 255)):
        content = bytearray(padded(header(), 1, bytes(8)))
        content[6:8] = bytes([major, minor])
        bad("npy.f2", f"version_{major}_{minor}", f"{versions}{major}.{minor}", bytes(content))
    whole = "the header must be whole, got "
    full = padded(header(), 2, bytes(8))
    for size in (6, 7, 8, 9, 11):
        bad("npy.f3", f"cut_at_{size}", f"{whole}{size} bytes", full[:size])
    bad("npy.f3", "cut_at_12", f"{whole}0 of 116 bytes", full[:12])
    bad("npy.f3", "cut_in_text", f"{whole}18 of 116 bytes", full[:30])
    bad("npy.f3", "cut_one_short", f"{whole}115 of 116 bytes", full[:127])
    bad("npy.f3", "cut_at_9_version_1", f"{whole}9 bytes", padded(header())[:9])
    most = "the header must be at most 1048576 bytes long, got "
    bad("npy.f3", "over_1_mib", most + "1048577", b"\x93NUMPY\x02\x00" + (1048577).to_bytes(4, "little") + b"{}")
    bad("npy.f3", "length_all_ones", most + "4294967295", b"\x93NUMPY\x03\x00\xff\xff\xff\xff{}")
    bad("npy.f3", "length_1_mib", f"{whole}2 of 1048576 bytes", b"\x93NUMPY\x02\x00" + (1 << 20).to_bytes(4, "little") + b"{}")


def bad_text(name, got, text, version=1):
    bad("npy.f4", name, "the header must be a Python dict as np.save writes it, got " + got, framed(text, version, bytes(8)))


def make_bad_text():
    bad_text("empty", "an early end at character 1", "")
    bad_text("spaces", "an early end at character 4", "   ")
    bad_text("comment", "'#' at character 1", "# hello\n" + header())
    bad_text("comment_inside", "a key that is no string at character 57", header(tail="# c\n}"))
    bad_text("hex_number", "'x' in a number at character 53", header(shape="(0x2,)"))
    bad_text("float_number", "'.' in a number at character 53", header(shape="(2.0,)"))
    bad_text("exponent", "'e' in a number at character 53", header(shape="(2e0,)"))
    bad_text("underscore", "'_' in a number at character 53", header(shape="(1_0,)"))
    bad_text("leading_zero", "the number '02' at character 52", header(shape="(02,)"))
    bad_text("number_over_int64", "the number '9223372036854775808' at character 52", header(shape="(9223372036854775808,)"))
    bad_text("minus_alone", "the number '-' at character 52", header(shape="(-,)"))
    bad_text("repeated_key", "the key 'shape' twice at character 64", header(tail="'shape': (2,)}"))
    for name, escape in (("octal", "\\0"), ("bell", "\\a"), ("short", "\\x4g"), ("no_hex", "\\xg0"), ("beyond", "\\U00110000"), ("sign", "\\u-041")):
        bad_text(f"escape_{name}", "an escape in a string at character 13", header(descr=f"'<{escape}f4'"))
    bad_text("escape_at_end", "an escape in a string at character 12", "{'descr': '\\")
    bad_text("bare_dtype", "the word 'float32' at character 11", header(descr="float32"))
    bad_text("bare_dtype_numpy", "the word 'numpy' at character 11", header(descr="numpy.float32"))
    bad_text("none", "the word 'None' at character 11", header(descr="None"))
    bad_text("lower_case_false", "the word 'false' at character 35", header(order="false"))
    bad_text("after_the_end", "more after the value at character 59", header() + " {}")
    bad_text("no_end", "an early end at character 57", header(tail=""))
    bad_text("string_without_end", "a string without an end at character 66", "{'descr': '<f4, " + "x" * 49)
    bad_text("string_over_lines", "a string without an end at character 14", "{'descr': '<f\n4'}")
    bad_text("no_colon", "a key without a colon at character 10", "{'descr' '<f4'}")
    bad_text("no_comma", "''' instead of a comma at character 17", "{'descr': '<f4' 'shape': (2,)}")
    bad_text("number_key", "a key that is no string at character 2", "{1: 2}")
    bad_text("tuple_no_comma", "'3' instead of a comma at character 54", header(shape="(2 3)"))
    bad_text("comma_first", "',' at character 52", header(shape="(,)"))
    bad_text("two_commas", "',' at character 54", header(shape="(2,,)"))
    bad_text("unicode_bytes", "the word 'ub' at character 11", header(descr="ub'<f4'"))
    bad_text("raw_string", "the word 'r' at character 11", header(descr="r'<f4'"))
    bad_text("byte_string", "the word 'b' at character 11", header(descr="b'<f4'"))
    bad_text("set", "a key that is no string at character 52", header(shape="{2}"))
    bad_text("deep", "too deep a nesting at character 34", "[" * 1000)
    bad_text("deep_descr", "too deep a nesting at character 43", "{'descr': " + "(" * 1000)
    bad_text("zero_byte", "'\\x00' at character 1", "\0" * 64)
    keys = "the header must be a dict of descr, fortran_order and shape, got other keys"
    for name, text in (
        ("no_dict", "('<f4', False, (2,))"),
        ("empty_dict", "{}"),
        ("no_shape", "{'descr': '<f4', 'fortran_order': False}"),
        ("no_descr", "{'fortran_order': False, 'shape': (2,)}"),
        ("no_order", "{'descr': '<f4', 'shape': (2,)}"),
        ("one_key_more", header(tail="'x': 1}")),
        ("other_case", header().replace("shape", "Shape")),
    ):
        bad("npy.f4", name, keys, framed(text, 1, bytes(8)))
    order = "fortran_order must be True or False, got something else"
    bad("npy.f4", "order_number", order, framed(header(order="0"), 1, bytes(8)))
    bad("npy.f4", "order_text", order, framed(header(order="'False'"), 1, bytes(8)))
    utf8 = "a header of version 3.0 must be UTF-8, got other bytes"
    bad("npy.f4", "no_utf8", utf8, framed(header(descr="[('\xfc', '<f4')]").encode("latin1"), 3, bytes(8)))
    bad("npy.f4", "utf8_surrogate", utf8, framed(header().encode() + b"\xed\xa0\x80", 3, bytes(8)))
    bad("npy.f4", "utf8_overlong", utf8, framed(header().encode() + b"\xc0\xa0", 3, bytes(8)))


def bad_descr(name, got, descr, version=1):
    message = "descr must name a dtype of fixed size, got " + got
    bad("npy.f5", name, message, framed(header(descr=descr), version, bytes(8)))


def make_bad_descr():
    for name, text in (
        ("object", "|O"), ("object_8", "|O8"), ("text_zero", "|S0"), ("unicode_zero", "<U0"), ("void_zero", "|V0"),
        ("empty", ""), ("mark_only", "<"), ("word_of_ml_dtypes", "bfloat16"), ("marked_word", "<float32"), ("word_of_zero", "bytes"), ("letter_of_zero", "S"),
        ("float3", "<f3"), ("float0", "<f0"), ("int16_bytes", "<i16"), ("negative", "<f-4"), ("trailing", "<f4x"),
        ("spaces", " <f4"), ("two_marks", "<<f4"), ("comma", "<f4,<f4"), ("repeat", "2<f4"), ("date_4", "<M4[s]"),
        ("date_no_unit", "<M8[]"), ("date_bad_unit", "<M8[q]"), ("date_zero", "<M8[0s]"), ("date_open", "<M8[s"),
        ("date_huge", "<M8[99999999999999999999s]"), ("unit_on_float", "<f4[s]"), ("size_overflow", "|S99999999999999999999"),
        ("size_over_2_gib", "|V2147483649"), ("string_dtype", "|T16"),
    ):
        bad_descr(name, f"'{text}'", f"'{text}'")
    bad_descr("number", "a descr that is neither a string nor a list", "4")
    bad_descr("dict", "a descr that is neither a string nor a list", "{'names': ['a'], 'formats': ['<f4']}")
    bad_descr("subarray", "a subarray", "('<f4', (2,))")
    bad_descr("empty_record", "a record of size 0", "[]")
    bad_descr("record_of_zero_size", "a record of size 0", "[('a', '<f4', (0,))]")
    bad_descr("zero_width_only", "a record of size 0", "[('a', '|S0'), ('b', [])]")
    bad_descr("zero_width_with_shape", "a field with a wrong shape", "[('a', '<f4'), ('b', '|S0', (2,))]")
    bad_descr("name_of_three", "a field whose name is no string", "[(('a', 'b', 'c'), '<f4')]")
    bad_descr("name_number", "a field whose name is no string", "[(1, '<f4')]")
    bad_descr("title_number", "a field whose name is no string", "[((1, 'a'), '<f4')]")
    bad_descr("title_empty", "a field without a name", "[(('', 'a'), '<f4')]")
    bad_descr("title_is_name", "the field 'a' twice", "[('a', '<f4'), (('a', 'b'), '<f4')]")
    bad_descr("empty_name", "a field without a name", "[('', '<f4')]")
    bad_descr("padding_with_shape", "a field without a name", "[('a', '|u1'), ('', '|V3', (1,)), ('b', '<f4')]")
    bad_descr("name_twice", "the field 'a' twice", "[('a', '<f4'), ('a', '<i4')]")
    bad_descr("object_field", "'|O'", "[('a', '<f4'), ('b', '|O')]")
    bad_descr("nested_object_field", "'|O'", "[('a', [('b', '|O')])]")
    bad_descr("field_no_tuple", "a field that is not (name, dtype) or (name, dtype, shape)", "['<f4']")
    bad_descr("field_of_4", "a field that is not (name, dtype) or (name, dtype, shape)", "[('a', '<f4', (1,), 2)]")
    bad_descr("field_dtype_number", "a field whose dtype is neither a string nor a record", "[('a', 4)]")
    bad_descr("field_shape_number", "a field whose shape is no tuple", "[('a', '<f4', 2)]")
    bad_descr("field_shape_negative", "a field with a wrong shape", "[('a', '<f4', (-1,))]")
    bad_descr("field_shape_overflow", "a field with a wrong shape", "[('a', '<f4', (4294967296, 4294967296))]")
    bad_descr("record_over_2_gib", "a record of over 2 GiB", "[('a', '<f4', (2147483648,))]")
    bad_descr("control_in_name", "a control character in a field's name", "[('a\x01', '<f4')]")


def bad_shape(name, message, shape, descr="'<f4'"):
    bad("npy.f6", name, message, framed(header(descr=descr, shape=shape), 1, bytes(8)))


def make_bad_shape():
    for name, shape in (("number", "2"), ("parenthesised", "(2)"), ("list", "[2]"), ("text", "'2'")):
        bad_shape(name, "shape must be a tuple of sizes, got something else", shape)
    for name, shape in (("text_inside", "('2',)"), ("bool_inside", "(True,)"), ("tuple_inside", "((2,),)")):
        bad_shape(name, "shape must be a tuple of sizes, got something else in it", shape)
    bad_shape("negative", "sizes in shape must not be negative, got -1", "(-1,)")
    bad_shape("negative_beside_zero", "sizes in shape must not be negative, got -2", "(0, -2)")
    bad_shape("rank_65", "shape must have at most 64 axes, got 65", "(" + "1, " * 65 + ")")
    most = "the array must have at most 2^63 - 1 bytes, got shape "
    bad_shape("elements_overflow", most + "[4294967296, 4294967296]", "(4294967296, 4294967296)", "'|u1'")
    bad_shape("bytes_overflow", most + "[2305843009213693952]", "(2305843009213693952,)")
    bad_shape("overflow_beside_zero", most + "[0, 4294967296, 4294967296]", "(0, 4294967296, 4294967296)")
    bad_shape("record_bytes_overflow", most + "[9223372036854775807]", "(9223372036854775807,)", "'|V3'")


def make_bad_data():
    shape = header(shape="(4, 8)")
    for size in (0, 1, 96, 127):
        bad("npy.f7", f"ends_after_{size}", f"data ends after {size} of 128 bytes", padded(shape, 1, bytes(size)))
    huge = header(descr="'|u1'", shape="(9223372036854775807,)")
    bad("npy.f7", "huge", "data ends after 5 of 9223372036854775807 bytes", padded(huge, 1, bytes(5)))
    more = "the file must end with the data, got {} bytes more"
    bad("npy.f8", "one_byte_more", more.format(1), padded(shape, 1, bytes(129)))
    bad("npy.f8", "begins_as_another", more.format(5), padded(shape, 1, bytes(128)) + b"\x93NUMP")
    bad("npy.f8", "later_another", more.format(257), padded(shape, 1, bytes(129)) + padded(shape, 1, bytes(128)))
    bad("npy.f8", "nothing_expected", more.format(4), padded(header(shape="(0,)"), 1, bytes(4)))


def main():
    for folder in (GOOD, BAD):
        shutil.rmtree(folder, ignore_errors=True)
    RESAVED.mkdir(parents=True)
    BAD.mkdir()
    for make in (make_numeric, make_shapes, make_headers, make_opaque, make_records, make_names):
        make()
    for make in (make_bad_front, make_bad_text, make_bad_descr, make_bad_shape, make_bad_data):
        make()
    rows = [f'  "{kind}": [\n    ' + ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in table) + "\n  ]"
            for kind, table in (("good", good_rows), ("bad", bad_rows), ("names", name_rows))]
    (HERE / "expected.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
