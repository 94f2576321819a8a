#!/usr/bin/env python3
"""Makes good/, bad/, written/ and expected.json beside this script. Needs NumPy 2; the tests do not.

good/      archives that tscatter reads, most of them by NumPy and Python's zipfile.
bad/       archives that tscatter refuses, named after the label of the rule that they break.
written/   what tscatter writes, to the byte, put together here from the zip format's description and read back by
           NumPy and zipfile.
expected.json
           good: file and members, each with name, dtype, shape, order and its bytes in hexadecimal, or a reason why it
           is none; bad: file, member, label and message
"""

import io
import json
import pathlib
import shutil
import struct
import warnings
import zipfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
GOOD = HERE / "good"
BAD = HERE / "bad"
WRITTEN = HERE / "written"

good_rows = []
bad_rows = []


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


class Entry:
    """A member, with every field of its two headers open to be set wrong."""

    def __init__(self, name, data=b"", method=0, **fields):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.packed = deflated(data) if method == 8 else data
        self.fields = dict(method=method, flags=0, crc=zlib.crc32(data), packed_size=len(self.packed), size=len(data),
                           extra=b"", disk=0, offset=None)
        self.fields |= {"local_extra": b"", "local_name": self.name, "descriptor": b"", "comment": b""}
        for key, value in fields.items():
            if key == "packed":
                self.packed = value
                self.fields["packed_size"] = len(value)
            else:
                self.fields[key] = value
        for key in ("method", "flags", "crc", "packed_size", "size"):
            self.fields.setdefault("local_" + key, self.fields[key])

    def local(self):
        f = self.fields
        return struct.pack("<IHHHHHIIIHH", f.get("local_signature", 0x04034B50), 20, f["local_flags"], f["local_method"], 0, 33,
                           f["local_crc"], f["local_packed_size"], f["local_size"], len(f["local_name"]),
                           len(f["local_extra"])) + f["local_name"] + f["local_extra"] + self.packed + f["descriptor"]

    def record(self, offset):
        f = self.fields
        offset = offset if f["offset"] is None else f["offset"]
        return struct.pack("<IHHHHHHIIIHHHHHII", f.get("signature", 0x02014B50), 0x314, 20, f["flags"], f["method"], 0, 33,
                           f["crc"], f["packed_size"], f["size"], len(self.name), len(f["extra"]), len(f["comment"]), f["disk"],
                           0, 0o600 << 16, offset) + self.name + f["extra"] + f["comment"]


def archive(entries, prefix=b"", shifted=True, comment=b"", zip64=False, tail=b"", after=b"", locator=None, wide=None, **end):
    """`shifted`: offsets count from the file's begin, not from behind the prefix. `wide`: changes of the zip64 record."""
    body = b""
    records = b""
    base = len(prefix) if shifted else 0
    for entry in entries:
        records += entry.record(base + len(body))
        body += entry.local()
    records += tail
    fields = dict(disk=0, directory_disk=0, here=len(entries), total=len(entries), size=len(records), offset=base + len(body))
    real = dict(fields)
    fields |= end
    wide_end = b""
    if zip64:
        w = real | (wide or {})
        wide_end = struct.pack("<IQHHIIQQQQ", w.get("signature", 0x06064B50), 44, 45, 45, w["disk"], w["directory_disk"], w["here"],
                               w["total"], w["size"], w["offset"])
        where = base + len(body) + len(records) if locator is None else locator
        wide_end += struct.pack("<IIQI", 0x07064B50, w.get("locator_disk", 0), where, w.get("disks", 1))
        fields |= dict(here=0xFFFF, total=0xFFFF, size=0xFFFFFFFF, offset=0xFFFFFFFF) | end
    last = struct.pack("<IHHHHIIH", 0x06054B50, fields["disk"], fields["directory_disk"], fields["here"], fields["total"],
                       fields["size"], fields["offset"], len(comment)) + comment
    return prefix + body + records + wide_end + last + after


def good(name, content, readable=True):
    (GOOD / f"{name}.npz").write_bytes(content)
    members = []
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        for info in file.infolist():
            data = file.read(info)
            member = {"name": info.filename.removesuffix(".npy"), "file_name": info.filename}
            try:
                array = np.load(io.BytesIO(data), allow_pickle=False)
            except (EOFError, ValueError):
                member["tensor"] = False
            else:
                order = "c" if array.flags.c_contiguous else "fortran"
                member |= {"tensor": True, "shape": list(array.shape), "order": order,
                           "dtype": array.dtype.name if array.dtype.kind in "biufc" else array.dtype.str,
                           "hex": array.tobytes(order="C" if order == "c" else "F").hex()}
            members.append(member)
    good_rows.append({"file": f"good/{name}.npz", "members": members})


def bad(label, name, message, content, member=None):
    file = f"bad/{label.removeprefix('npz.')}_{name}.npz" if label.startswith("npz.") else f"bad/{label.replace('.', '_')}_{name}.npz"
    (HERE / file).write_bytes(content)
    bad_rows.append({"file": file, "member": member, "label": label, "message": message})


class Stream(io.RawIOBase):
    """A file that cannot be sought in, as a pipe."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data)
        return len(data)


def streamed(method):
    stream = Stream()
    with zipfile.ZipFile(stream, "w", method) as file:
        for name, array in (("a", np.arange(6, dtype="<i4").reshape(2, 3)), ("b", np.float64(0.5))):
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = method
            with file.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array))
    return stream.content


def saved(save, **arrays):
    buffer = io.BytesIO()
    save(buffer, **arrays)
    return buffer.getvalue()


def zipped(members, mode=zipfile.ZIP_STORED, comment=b""):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", mode) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data, mode)
        file.comment = comment
    return buffer.getvalue()


A = np.arange(1, 7, dtype="<f4").reshape(2, 3)
B = np.array([-1, 2**40], dtype=">i8")
F = np.asfortranarray(np.arange(6, dtype="<u2").reshape(2, 3))
NPY_A = npy(A)
NPY_B = npy(B)


def make_good():
    arrays = {"a": A, "b": B, "f": F, "scalar": np.array(True), "text": np.array(["ab", "c"]), "none": np.zeros((0, 3))}
    good("savez", saved(np.savez, **arrays))
    good("savez_compressed", saved(np.savez_compressed, **arrays, zeros=np.zeros(5000, "<i2")))
    good("streamed_stored", streamed(zipfile.ZIP_STORED))
    good("streamed_deflated", streamed(zipfile.ZIP_DEFLATED))
    good("no_zip64", archive([Entry("a.npy", NPY_A), Entry("b.npy", NPY_B, 8)]))
    good("descriptor_without_signature", archive([
        Entry("a.npy", NPY_A, flags=8, local_crc=0, local_packed_size=0, local_size=0,
              descriptor=struct.pack("<III", zlib.crc32(NPY_A), len(NPY_A), len(NPY_A))), Entry("b.npy", NPY_B)]))
    good("empty", archive([]))
    good("zip64_end", archive([Entry("a.npy", NPY_A)], zip64=True))
    wide = struct.pack("<HHQQQ", 1, 24, len(NPY_A), len(NPY_A), 0)
    good("zip64_record", archive([Entry("a.npy", NPY_A, extra=struct.pack("<HH", 0xCAFE, 2) + b"xx" + wide, size=0xFFFFFFFF,
                                        packed_size=0xFFFFFFFF, offset=0xFFFFFFFF, local_size=len(NPY_A),
                                        local_packed_size=len(NPY_A))]))
    good("zip64_local", archive([Entry("a.npy", NPY_A, local_size=0xFFFFFFFF, local_packed_size=0xFFFFFFFF,
                                       local_extra=struct.pack("<HHQQ", 1, 16, len(NPY_A), len(NPY_A)))]))
    entries = [Entry("a.npy", NPY_A), Entry("b.npy", NPY_B, 8)]
    good("prefix", archive(entries, prefix=b"#!/bin/sh\nexit 1\n", shifted=False))
    good("prefix_shifted", archive(entries, prefix=b"#!/bin/sh\nexit 1\n"))
    good("prefix_zip64", archive(entries, prefix=b"#!/bin/sh\nexit 1\n", shifted=False, zip64=True))
    good("comment", zipped([("a.npy", NPY_A)], comment=b"made by hand"))
    good("member_comment", archive([Entry("a.npy", NPY_A, comment=b"first", extra=struct.pack("<HH", 7, 0))]))
    good("folder", zipped([("run/", b""), ("run/a.npy", NPY_A)]))
    good("utf8_names", zipped([("größe.npy", NPY_A), ("数.npy", NPY_B)]))
    good("cp437_names", archive([Entry("gr\u00f6\u00dfe.npy".encode("cp437"), NPY_A)]))
    good("colon", zipped([("a:b.npy", NPY_A), (".npz:c.npy", NPY_B)]))
    good("bare_names", zipped([("a", NPY_A), ("a.npy", NPY_B), ("b", NPY_B)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        good("twice", zipped([("a.npy", NPY_A), ("b.npy", NPY_A), ("a.npy", NPY_B)]))
    good("twice_in_two_encodings", archive([Entry("ö.npy", NPY_A, flags=0x800), Entry("ö.npy".encode("cp437"), NPY_B)]))
    good("others", zipped([("a.npy", NPY_A), ("notes.txt", b"hello"), ("nothing", b""), ("object.npy", npy(np.array([{}])))]))


def make_bad_ends():
    a = Entry("a.npy", NPY_A)
    whole = archive([a])
    no_end = "a .npz file must end with the end record of a zip archive, got "
    bad("npz.z1", "empty", no_end + "an empty file", b"")
    bad("npz.z1", "text", no_end + 'a text file that begins "hello, this is no archive at all"', b"hello, this is no archive at all")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123456\n"
    bad("npz.z1", "git_lfs", no_end + "a Git LFS pointer (git lfs pull fetches the file)", pointer)
    bad("npz.z1", "npy", no_end + "a .npy file", NPY_A)
    bad("npz.z1", "cut", no_end + "an archive that is cut", whole[:-1])
    bad("npz.z1", "longer", no_end + "an archive with bytes after it", whole + b"x")
    disks = "an archive must be in one piece, got several"
    bad("npz.z2", "disk", disks, archive([a], disk=1))
    bad("npz.z2", "directory_disk", disks, archive([a], directory_disk=1))
    bad("npz.z2", "entries_here", disks, archive([a], here=0))
    bad("npz.z2", "record_disk", disks, archive([Entry("a.npy", NPY_A, disk=2)]))
    bad("npz.z2", "locator", disks, archive([a], zip64=True, wide={"disks": 2}))
    place = "the zip64 end record must stand before its locator, got "
    bad("npz.z3", "signature", place + "other bytes", archive([a], zip64=True, wide={"signature": 0}))
    bad("npz.z3", "no_place", place + "no place for it", struct.pack("<IIQI", 0x07064B50, 0, 0, 1) + archive([]))
    bad("npz.z3", "figures", "the zip64 end record must agree with the end record, got other figures",
        archive([a], zip64=True, here=1, total=2))
    bad("npz.z3", "locator", "the locator must say where the zip64 end record is, got byte 7",
        archive([a], zip64=True, locator=7))
    bad("npz.z4", "size", "the directory must lie inside the file, got 1000 bytes at 0", archive([], size=1000))
    bad("npz.z4", "offset", "the directory must lie inside the file, got 51 bytes at 900", archive([a], offset=900))
    bad("npz.z4", "long", "the directory must be at most 8388608 bytes long, got 8388609", archive([], size=8388609))
    bad("npz.z4", "zip64", "the directory must lie inside the file, got 51 bytes at 18446744073709551615",
        archive([a], zip64=True, wide={"offset": 2**64 - 1}))
    bad("npz.z5", "many", "the directory must have a whole record for each member, got 51 bytes for 40000",
        archive([a], here=40000, total=40000))
    bad("npz.z5", "zip64_many", "the directory must have a whole record for each member, got 51 bytes for 1152921504606846976",
        archive([a], zip64=True, wide={"here": 2**60, "total": 2**60}))
    bad("npz.z5", "signature", "a record of the directory must begin with PK\\x01\\x02, got other bytes",
        archive([Entry("a.npy", NPY_A, signature=0)]))
    bad("npz.z5", "cut", "a record of the directory must be whole, got 5 bytes",
        archive([a]).replace(struct.pack("<HHHH", 5, 0, 0, 0), struct.pack("<HHHH", 6, 0, 0, 0)))
    bad("npz.z5", "cut_front", "a record of the directory must be whole, got 41 bytes",
        archive([a], here=2, total=2, tail=b"x" * 41))
    bad("npz.z5", "more", "the directory must end after 1 records, got 3 bytes more", archive([a], tail=b"xyz"))
    left = "a record's zip64 field must have what the record leaves to it, got "
    bad("npz.z6", "none", left + "0 bytes", archive([Entry("a.npy", NPY_A, size=0xFFFFFFFF, local_size=len(NPY_A))]))
    bad("npz.z6", "short", left + "7 bytes",
        archive([Entry("a.npy", NPY_A, size=0xFFFFFFFF, extra=struct.pack("<HH", 1, 7) + b"1234567")]))
    bad("npz.z6", "cut", left + "0 bytes", archive([Entry("a.npy", NPY_A, size=0xFFFFFFFF, extra=struct.pack("<HH", 1, 9) + b"12345678")]))
    bad("npz.z6", "huge", "a number of a zip64 field must be below 2^63, got 9223372036854775808",
        archive([Entry("a.npy", NPY_A, size=0xFFFFFFFF, extra=struct.pack("<HHQ", 1, 8, 2**63))]))
    bad("npz.z6", "local", left + "0 bytes", archive([Entry("a.npy", NPY_A, local_size=0xFFFFFFFF)]), "a")


def make_bad_members():
    a = Entry("a.npy", NPY_A)
    for bit in (0, 6, 13):
        flags = 1 << bit
        bad("npz.z7", f"bit_{bit}", "a member must not be encrypted, got an encrypted one", archive([Entry("a.npy", NPY_A, flags=flags)]), "a")
    anew, unpacked = "numpy.savez(FILE, **dict(numpy.load(FILE))) stores all", "7z x unpacks it"
    for method, name, advice, got in (
        (1, "shrunk", unpacked, "method 1"), (9, "deflate64", unpacked, "Deflate64"), (12, "bzip2", anew, "bzip2"), (14, "lzma", anew, "LZMA"),
        (93, "zstd", anew, "Zstandard"), (95, "xz", unpacked, "xz"), (65535, "last", unpacked, "method 65535"),
    ):
        bad("npz.z8", name, f"a member must be stored or deflated ({advice}), got {got}",
            archive([Entry("a.npy", NPY_A, method=method)]), "a")
    where = f"the member a.npy must lie before the directory at byte {35 + len(NPY_A)}, got "
    bad("npz.z9", "long", where + "1000 bytes at 0", archive([Entry("a.npy", NPY_A, packed_size=1000)]))
    bad("npz.z9", "offset", where + f"{len(NPY_A)} bytes at 4294967294", archive([Entry("a.npy", NPY_A, offset=0xFFFFFFFE)]))
    bad("npz.z9", "overflow", where + "9223372036854775807 bytes at 0",
        archive([Entry("a.npy", NPY_A, packed_size=0xFFFFFFFF, extra=struct.pack("<HHQ", 1, 8, 2**63 - 1))]))
    local = "the header before a member's bytes must agree with the directory, got "
    bad("npz.z10", "signature", local + "no header", archive([Entry("a.npy", NPY_A, local_signature=0)]), "a")
    bad("npz.z10", "name", local + "another name", archive([Entry("a.npy", NPY_A, local_name=b"b.npy")]), "a")
    bad("npz.z10", "method", local + "method 8", archive([Entry("a.npy", NPY_A, local_method=8)]), "a")
    bad("npz.z10", "flags", local + "other flags", archive([Entry("a.npy", NPY_A, local_flags=8)]), "a")
    bad("npz.z10", "size", local + "another size", archive([Entry("a.npy", NPY_A, local_size=1)]), "a")
    bad("npz.z10", "packed_size", local + "another packed size", archive([Entry("a.npy", NPY_A, local_packed_size=1)]), "a")
    bad("npz.z10", "crc", local + "another checksum", archive([Entry("a.npy", NPY_A, local_crc=1)]), "a")
    b = Entry("b.npy", NPY_B)
    bad("npz.z11", "same", "the member a.npy must not overlap another, got one that begins at byte 0",
        archive([a, Entry("b.npy", NPY_B, offset=0)]).replace(b"\0", b"\0"))
    bad("npz.z11", "inside", "the member a.npy must not overlap another, got one that begins at byte 100",
        archive([a, Entry("b.npy", NPY_B, offset=100)]))
    bad("npz.z11", "extra", f"the member must end before byte {35 + len(NPY_A)}, got {len(NPY_A)} bytes at 39",
        archive([Entry("a.npy", NPY_A[:-4], packed_size=len(NPY_A), size=len(NPY_A), local_extra=b"1234"), b]), "a")
    bad("npz.z13", "near", "a member must be one of weights, bias (nearest: weights), got wieghts",
        zipped([("weights.npy", NPY_A), ("bias.npy", NPY_B)]), "wieghts")
    bad("npz.z13", "many", "a member must be one of the 9 that there are (nearest: part8), got part88",
        zipped([(f"part{i}.npy", NPY_A[:80] + NPY_A[80:]) for i in range(9)]), "part88")
    bad("npz.z13", "none", "a member must be one of the 0 that there are, got a", archive([]), "a")


def make_bad_contents():
    crc = zlib.crc32(NPY_A)
    sums = f"the bytes must have the checksum 00000001 that the directory says, got {crc:08x}"
    bad("npz.z14", "stored", sums, archive([Entry("a.npy", NPY_A, crc=1)]), "a")
    bad("npz.z14", "deflated", sums, archive([Entry("a.npy", NPY_A, 8, crc=1)]), "a")
    size = len(NPY_A)
    become = f"the deflated bytes must become the {size} bytes that the directory says, got "
    packed = deflated(NPY_A)
    bad("npz.z15", "stored", f"a stored member must take the {size} bytes that the directory says, got {size - 1}",
        archive([Entry("a.npy", NPY_A, packed=NPY_A[:-1])]), "a")
    bad("npz.z15", "more", become + "more", archive([Entry("a.npy", NPY_A, 8, packed=deflated(NPY_A + b"x"))]), "a")
    bad("npz.z15", "less", become + f"{size - 1}", archive([Entry("a.npy", NPY_A, 8, packed=deflated(NPY_A[:-1]))]), "a")
    unended = zlib.compressobj(9, zlib.DEFLATED, -15)
    bad("npz.z15", "no_end", become + "no end",
        archive([Entry("a.npy", NPY_A, 8, packed=unended.compress(NPY_A) + unended.flush(zlib.Z_SYNC_FLUSH))]), "a")
    bad("npz.z15", "cut", become + "0", archive([Entry("a.npy", NPY_A, 8, packed=packed[:1])]), "a")
    bad("npz.z15", "broken", "the deflated bytes must be well-formed, got invalid block type",
        archive([Entry("a.npy", NPY_A, 8, packed=b"\x07" + packed[1:])]), "a")
    bad("npz.z15", "not_deflated", "the deflated bytes must be well-formed, got invalid stored block lengths",
        archive([Entry("a.npy", NPY_A, 8, packed=b"\x00" * len(packed))]), "a")
    bad("npz.z16", "more", "nothing must follow the end of the deflated bytes, got 4 bytes more",
        archive([Entry("a.npy", NPY_A, 8, packed=packed + b"more")]), "a")
    most = 1032 * len(packed)
    bad("npz.z17", "ratio", f"{len(packed)} deflated bytes can become at most {most}, got a member of {most + 1}",
        archive([Entry("a.npy", NPY_A, 8, size=most + 1)]), "a")
    wide = struct.pack("<HHQ", 1, 8, 2**40 + 1)
    bad("npz.z17", "size", "a deflated member must be at most 1099511627776 bytes long, got 1099511627777",
        archive([Entry("a.npy", NPY_A, 8, size=0xFFFFFFFF, extra=wide, local_extra=struct.pack("<HHQQ", 1, 16, 2**40 + 1, 1))]), "a")
    other = "a member that is read must be a .npy, which begins with \\x93NUMPY, got "
    bad("npz.z18", "bytes", other + "other bytes", zipped([("a.npy", b"\x01\x02\x03")]), "a")
    bad("npz.z18", "text", other + 'a text file that begins "hello"', zipped([("a.txt", b"hello")]), "a.txt")
    bad("npz.z18", "deflated", other + 'a text file that begins "' + "hello" * 9 + '"', zipped([("a.txt", b"hello" * 9)], zipfile.ZIP_DEFLATED), "a.txt")
    bad("npz.z18", "empty", other + "an empty one", zipped([("a.npy", b"")]), "a")
    zeros = npy(np.zeros(3000, "u1"))
    bomb = zeros[:128].replace(b"(3000,)", b"(200,) ") + zeros[128:]
    for method, name in ((0, "stored"), (8, "deflated")):
        bad("npy.f8", "two_" + name, f"the file must end with the data, got {len(NPY_B)} bytes more", archive([Entry("a.npy", NPY_A + NPY_B, method)]), "a")
        bad("npy.f8", name, "the file must end with the data, got 2800 bytes more", archive([Entry("a.npy", bomb, method)]), "a")
        bad("npy.f7", name, "data ends after 23 of 24 bytes", archive([Entry("a.npy", NPY_A[:-1], method)]), "a")
        bad("npy.f5", name, "descr must name a dtype of fixed size, got '|O'", archive([Entry("a.npy", npy(np.array([{}])), method)]), "a")


def local_header(name, data, offset):
    """As tscatter writes it: sizes in a zip64 field, and a field of padding up to a multiple of 64."""
    wide = struct.pack("<HHQQ", 1, 16, len(data), len(data))
    at = offset + 30 + len(name) + len(wide)
    padding = b""
    if at % 64:
        zeros = -(at + 6) % 64
        padding = struct.pack("<HHH", 0xD935, 2 + zeros, 64) + bytes(zeros)
    flags = 0 if name.isascii() else 0x800
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, flags, 0, 0, 33, zlib.crc32(data), 0xFFFFFFFF, 0xFFFFFFFF, len(name),
                       len(wide + padding)) + name + wide + padding


def written(members, kept=b"", kept_records=(), order=None, comment=b""):
    """Members behind bytes that are kept; `order`: of the records in the directory."""
    body = kept
    records = list(kept_records)
    for name, data in members:
        name = name.encode()
        flags = 0 if name.isascii() else 0x800
        records.append(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x32D, 45, flags, 0, 0, 33, zlib.crc32(data), len(data), len(data),
                                   len(name), 0, 0, 0, 0, 0o600 << 16, len(body)) + name)
        body += local_header(name, data, len(body)) + data
    if order:
        records = [records[i] for i in order]
    directory = b"".join(records)
    return body + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(records), len(records), len(directory), len(body),
                                          len(comment)) + comment


def make_written():
    def check(name, content, arrays):
        (WRITTEN / f"{name}.npz").write_bytes(content)
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            assert file.testzip() is None
        with np.lib.npyio.NpzFile(io.BytesIO(content)) as file:  # np.load wants no prefix
            assert file.files == list(arrays)
            for key, array in arrays.items():
                assert np.array_equal(file[key], array) and file[key].dtype == array.dtype, key

    one = written([("a.npy", NPY_A)])
    check("one", one, {"a": A})
    check("two", written([("a.npy", NPY_A), ("größe.npy", NPY_B)]), {"a": A, "größe": B})
    # The first member of prefix_shifted.npz is replaced: what it took is gone, its place in the directory stays.
    first, second = Entry("a.npy", NPY_A), Entry("b.npy", NPY_B, 8)
    prefix = b"#!/bin/sh\nexit 1\n"
    kept = prefix + second.local()
    check("replaced", written([("a.npy", NPY_B)], kept, [second.record(len(prefix))], order=[1, 0]), {"a": B, "b": B})
    comment = b"made by hand"
    old = (GOOD / "comment.npz").read_bytes()
    with zipfile.ZipFile(io.BytesIO(old)) as file:
        begin = file.start_dir
    record = old[begin:old.rindex(b"PK\5\6", 0, len(old) - len(comment))]
    check("commented", written([("b.npy", NPY_B)], old[:begin], [record], comment=comment), {"a": A, "b": B})


def main():
    for folder in (GOOD, BAD, WRITTEN):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    make_good()
    make_bad_ends()
    make_bad_members()
    make_bad_contents()
    make_written()
    (HERE / "expected.json").write_text(json.dumps({"good": good_rows, "bad": bad_rows}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
