"""The workloads of the benchmark: what they are, their files, and the in-order result of each.

  python3 bench/workloads.py make DIR NAME --scale 1      writes the operands that are missing
  python3 bench/workloads.py pair DIR DTYPE --scale 1     writes compare-DTYPE-a.npy, -same.npy and -other.npy
  python3 bench/workloads.py lay DIR NAME LAYOUT          writes the same operands, otherwise laid out,
                                                          into DIR/LAYOUT (fortran, big-endian)
  python3 bench/workloads.py check DIR NAME FILE          exits with 1 when FILE is not the result

The same files come out each time. NumPy is imported only where it is used: bench.py reads this
module and must stay small, since the memory of a parent can show in what the kernel reports of its
children.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path


OPERATIONS = {
    "nd": "ScatterNDUpdate-15",
    "axis": "ScatterUpdate-3",
    "elements": "ScatterElementsUpdate-12",
    "slice": "SliceScatter-15",
}


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    kind: str  # one of OPERATIONS
    shape: tuple[int, ...]
    dtype: str = "float32"
    entries: tuple[int, ...] = ()  # shape of indices, without the axis of the coordinates
    depth: int = 1  # nd: coordinates of an index entry
    places: int = 0  # entries fall on so many different rows; 0: on any
    axis: int = 0
    reduction: str = "none"
    slices: tuple[slice, ...] = ()  # of the first axes
    goal: float | None = None  # ratio to cp, on two cores

    @property
    def operation(self) -> str:
        return OPERATIONS[self.kind]

    @property
    def index_entries(self) -> int:
        return product(self.entries) if self.entries else 0

    @property
    def updates_shape(self) -> tuple[int, ...]:
        if self.kind == "nd":
            return self.entries + self.shape[self.depth :]
        if self.kind == "axis":
            return self.shape[: self.axis] + self.entries + self.shape[self.axis + 1 :]
        if self.kind == "elements":
            return self.entries
        sliced = tuple(len(range(*s.indices(n))) for s, n in zip(self.slices, self.shape))
        return sliced + self.shape[len(sliced) :]

    @property
    def indices_shape(self) -> tuple[int, ...]:
        return self.entries + (self.depth,) if self.kind == "nd" else self.entries

    def lists(self) -> dict[str, str]:
        """start, stop and step of a slice, as the command line takes them."""
        return {
            key: ",".join(str(getattr(s, key)) for s in self.slices)
            for key in ("start", "stop", "step")
        }

    def data_file(self, directory: Path) -> Path:
        shape = "x".join(map(str, self.shape))
        return directory / f"data-{shape}-{self.dtype}.npy"

    def indices_file(self, directory: Path) -> Path:
        return directory / f"{self.name}-indices.npy"

    def updates_file(self, directory: Path) -> Path:
        return directory / f"{self.name}-updates.npy"

    def copied_files(self, directory: Path) -> list[Path]:
        """What cp copies in comparison: data; where updates and indices are as large, all."""
        files = [self.data_file(directory)]
        if self.kind == "elements":
            files += [self.indices_file(directory), self.updates_file(directory)]
        return files

    def arguments(self, directory: Path, data: Path | None = None) -> list[str]:
        """The command line of tscatter, without its output."""
        words = [self.operation, "-d", str(data or self.data_file(directory))]
        if self.kind != "slice":
            words += ["-i", str(self.indices_file(directory))]
        words += ["-u", str(self.updates_file(directory))]
        if self.kind in ("axis", "elements"):
            words += ["-a", str(self.axis)]
        if self.kind == "slice":
            for key, values in self.lists().items():
                words += [f"--{key}", values]
        if self.reduction != "none":
            words += ["-r", self.reduction]
        return words

    def memory_arguments(self, directory: Path) -> list[str]:
        """The same for bench/memory.cpp."""
        words = [f"operation={self.operation}", f"data={self.data_file(directory)}"]
        if self.kind != "slice":
            words.append(f"indices={self.indices_file(directory)}")
        words.append(f"updates={self.updates_file(directory)}")
        if self.kind in ("axis", "elements"):
            words.append(f"axis={self.axis}")
        if self.kind == "slice":
            words += [f"{key}={values}" for key, values in self.lists().items()]
        if self.reduction != "none":
            words.append(f"reduction={self.reduction}")
        return words


def product(sizes) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def table(scale: float = 1.0) -> list[Workload]:
    """The workloads that are compared with cp. `scale` shrinks data and index entries alike."""

    def scaled(size: int, least: int = 8) -> int:
        return max(least, int(size * scale))

    rows = scaled(4096)
    slice_shape = (rows, 32768)
    return [
        Workload(
            "nd-update",
            "ScatterNDUpdate, [1000,256,10,15] f32, indices [25,125,3]",
            "nd",
            (scaled(1000), 256, 10, 15),
            entries=(25, scaled(125)),
            depth=3,
            goal=0.65,
        ),
        Workload(
            "axis-update",
            "ScatterUpdate axis 1, [1000,256,10,15] f32, indices [125,20], updates 1.5 GB",
            "axis",
            (scaled(1000), 256, 10, 15),
            entries=(125, 20),
            axis=1,
            goal=0.9,
        ),
        Workload(
            "scalars-none",
            "16,777,216 random scalars into 1 GiB f32, none",
            "nd",
            (scaled(2**28),),
            entries=(scaled(2**24),),
            goal=1.1,
        ),
        Workload(
            "scalars-sum",
            "16,777,216 random scalars into 1 GiB f32, sum",
            "nd",
            (scaled(2**28),),
            entries=(scaled(2**24),),
            reduction="sum",
            goal=1.1,
        ),
        Workload(
            "rows-f16-sum",
            "50,000 rows on 5,000 places of [200000,1024] f16, sum",
            "nd",
            (scaled(200_000), 1024),
            "float16",
            entries=(scaled(50_000),),
            places=scaled(5_000),
            reduction="sum",
            goal=1.0,
        ),
        Workload(
            "rows-none",
            "50,000 random rows into [262144,1024] f32, none",
            "nd",
            (scaled(262_144), 1024),
            entries=(scaled(50_000),),
            goal=0.9,
        ),
        Workload(
            "slice-steps",
            "SliceScatter steps 2,2 on [4096,32768] f32",
            "slice",
            slice_shape,
            slices=(slice(0, rows, 2), slice(0, 32768, 2)),
            goal=1.0,
        ),
        Workload(
            "slice-rows",
            "SliceScatter rows 1024:3072 of [4096,32768] f32",
            "slice",
            slice_shape,
            slices=(slice(rows // 4, rows * 3 // 4, 1),),
            goal=0.7,
        ),
        Workload(
            "scalars-i64-max",
            "8,388,608 random scalars into 512 MiB int64, max",
            "nd",
            (scaled(2**26),),
            "int64",
            entries=(scaled(2**23),),
            reduction="max",
            goal=1.2,
        ),
        *elements(scaled(8192)),
    ]


def elements(size: int) -> list[Workload]:
    """An index for each element of a square. The goals are ratios to cp of all three operands."""
    return [
        Workload(
            f"elements-{title.replace(' ', '-')}-axis-{axis}",
            f"ScatterElementsUpdate axis {axis}, all of [8192,8192] {title}",
            "elements",
            (size, size),
            dtype,
            entries=(size, size),
            axis=axis,
            reduction=reduction,
            goal=goal,
        )
        for title, dtype, reduction, axis, goal in (
            ("f32 none", "float32", "none", 0, 1.5),
            ("f32 sum", "float32", "sum", 0, 1.5),
            ("f32 sum", "float32", "sum", 1, 1.5),
            ("f32 mean", "float32", "mean", 0, 2.0),
            ("f16 sum", "float16", "sum", 0, 2.0),
        )
    ]


def sparse(scale: float = 1.0) -> Workload:
    """1,000 rows of 4 KiB in 1 GiB: for the clone and for the work in place."""
    return Workload(
        "sparse-rows",
        "1,000 rows of 4 KiB in 1 GiB f32",
        "nd",
        (max(256, int(262_144 * scale)), 1024),
        entries=(1000,),
        goal=0.1,
    )


def sparse_small() -> Workload:
    """The same number of rows in a small file."""
    return Workload(
        "sparse-rows-small",
        "1,000 rows of 4 KiB in 1 MiB f32",
        "nd",
        (256, 1024),
        entries=(1000,),
    )


def tiny() -> Workload:
    return Workload("tiny", "4 scalars into [8] f32, none", "nd", (8,), entries=(4,))


def curve(scale: float = 1.0) -> list[Workload]:
    """1 to 16 million index entries into one data file."""
    return [
        Workload(
            f"curve-{millions}m-{reduction}",
            f"{millions} million random scalars into 1 GiB f32, {reduction}",
            "nd",
            (max(8, int(2**28 * scale)),),
            entries=(max(8, int(millions * 1_000_000 * scale)),),
            reduction=reduction,
        )
        for reduction in ("none", "sum")
        for millions in (1, 2, 4, 8, 16)
    ]


def laid_out() -> list[tuple[str, str]]:
    """Workloads of the table, and the layouts in which their operands are measured too."""
    return [
        ("nd-update", "fortran"),
        ("axis-update", "fortran"),
        ("rows-f16-sum", "fortran"),
        ("slice-steps", "fortran"),
        ("scalars-sum", "big-endian"),
        ("rows-f16-sum", "big-endian"),
        ("scalars-i64-max", "big-endian"),
        ("slice-rows", "big-endian"),
    ]


def by_name(name: str, scale: float) -> Workload:
    every = [*table(scale), sparse(scale), sparse_small(), tiny(), *curve(scale)]
    return {workload.name: workload for workload in every}[name]


# Making


def write_npy(path: Path, dtype: str, shape: tuple[int, ...], values) -> None:
    """values(generator, begin, count): elements from `begin` on, in row-major order."""
    import numpy as np

    generator = np.random.default_rng(zlib.crc32(path.name.encode()))
    unfinished = path.with_suffix(".part")
    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    with unfinished.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        count, piece = product(shape), 2**22
        for begin in range(0, count, piece):
            values(generator, begin, min(piece, count - begin)).astype(dtype).tofile(file)
    unfinished.rename(path)


def random_elements(dtype: str):
    import numpy as np

    if np.issubdtype(np.dtype(dtype), np.integer):
        return lambda generator, _, count: generator.integers(-(2**62), 2**62, count)
    return lambda generator, _, count: generator.random(count, np.float32)


def random_coordinates(workload: Workload):
    import numpy as np

    if workload.kind in ("axis", "elements"):
        sizes = [workload.shape[workload.axis]]
    else:
        sizes = list(workload.shape[: workload.depth])
    if workload.places:
        step = sizes[0] // workload.places
        return lambda generator, _, count: generator.integers(0, workload.places, count) * step

    def coordinates(generator, begin, count):
        if len(sizes) == 1:
            return generator.integers(0, sizes[0], count)
        axes = np.arange(begin, begin + count) % len(sizes)
        return generator.integers(0, np.array(sizes)[axes], count)

    return coordinates


def make(workload: Workload, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    data = workload.data_file(directory)
    if not data.exists():
        write_npy(data, workload.dtype, workload.shape, random_elements(workload.dtype))
    indices = workload.indices_file(directory)
    if workload.kind != "slice" and not indices.exists():
        write_npy(indices, "int64", workload.indices_shape, random_coordinates(workload))
    updates = workload.updates_file(directory)
    if updates.exists():
        write_again(updates)
    else:
        elements = random_elements(workload.dtype)
        write_npy(updates, workload.dtype, workload.updates_shape, elements)


def write_again(path: Path) -> None:
    """So that the page cache holds the file as NumPy's writes leave it, in large pieces, and not as
    the disk gave it back some day. Mapped files are read by these pieces."""
    unfinished = path.with_suffix(".part")
    with path.open("rb") as old, unfinished.open("wb", buffering=0) as new:
        while piece := old.read(2**24):
            new.write(piece)
    unfinished.rename(path)


def lay(workload: Workload, directory: Path, layout: str) -> None:
    import numpy as np

    into = directory / layout
    into.mkdir(exist_ok=True)
    files = [workload.data_file, workload.updates_file]
    files += [workload.indices_file] if workload.kind != "slice" else []
    for file in files:
        array = np.load(file(directory), mmap_mode="r")
        if layout == "fortran":
            array = np.asfortranarray(array)
        else:
            array = array.astype(array.dtype.newbyteorder(">"))
        np.save(file(into), array)


# The result


def expected(workload: Workload, directory: Path):
    """What the loop over the index entries, one after another, leaves."""
    import numpy as np

    output = np.ascontiguousarray(np.load(workload.data_file(directory)))  # rows must be a view
    updates = np.load(workload.updates_file(directory), mmap_mode="r")
    if workload.kind == "slice":
        output[workload.slices] = updates
        return output
    indices = np.load(workload.indices_file(directory))
    if workload.kind == "elements":
        write_elements(workload, output, indices, updates)
        return output
    if workload.kind == "axis":
        destinations = indices.reshape(-1)
        before = workload.shape[: workload.axis]
        updates = updates.reshape(*before, destinations.size, *workload.shape[workload.axis + 1 :])
        written, writers = last_writers(destinations, workload.shape[workload.axis])
        whole = (slice(None),) * workload.axis
        output[(*whole, written)] = updates[(*whole, writers)]
        return output
    sizes = workload.shape[: workload.depth]
    destinations = np.ravel_multi_index(tuple(indices.reshape(-1, workload.depth).T), sizes)
    rows = output.reshape(product(sizes), -1)
    updates = updates.reshape(destinations.size, -1)
    if workload.reduction == "none":
        written, writers = last_writers(destinations, len(rows))
        rows[written] = updates[writers]
        return output
    step = {"sum": np.add, "max": np.maximum}[workload.reduction]
    # The first writers of all rows, then the second ones, and so on.
    for written, writers in rounds(destinations):
        rows[written] = step(rows[written], updates[writers])
    return output


def write_elements(workload: Workload, output, indices, updates) -> None:
    """Writes the updates of one position along the axis at a time: they fall on different elements."""
    import numpy as np

    moved = [np.moveaxis(array, workload.axis, 0) for array in (output, indices, updates)]
    into, places, values = moved
    writers = np.ones(into.shape, np.int32)
    across = np.arange(into.shape[1])
    for place, value in zip(places, values):
        if workload.reduction == "none":
            into[place, across] = value
        else:
            into[place, across] += value
        writers[place, across] += 1
    if workload.reduction == "mean":
        into[...] = into / writers.astype(workload.dtype)


def last_writers(destinations, count: int):
    import numpy as np

    last = np.full(count, -1)
    np.maximum.at(last, destinations, np.arange(destinations.size))
    written = np.flatnonzero(last >= 0)
    return written, last[written]


def rounds(destinations):
    """Yields (destinations, entries) in which no destination comes twice, so that each destination
    meets its entries in order."""
    import numpy as np

    order = np.argsort(destinations, kind="stable")
    while order.size:
        grouped = destinations[order]
        first = np.ones(order.size, bool)
        first[1:] = grouped[1:] != grouped[:-1]
        yield grouped[first], order[first]
        order = order[~first]


def check(workload: Workload, directory: Path, result: Path) -> str | None:
    """None, or how the file differs from the expected result."""
    import numpy as np

    want = expected(workload, directory)
    got = np.load(result, mmap_mode="r")
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"is {got.dtype} {got.shape}, expected {want.dtype} {want.shape}"
    bits = np.dtype(f"u{want.itemsize}")
    want, got = want.reshape(-1).view(bits), got.reshape(-1).view(bits)
    piece = 2**22
    for begin in range(0, want.size, piece):
        differs = want[begin : begin + piece] != got[begin : begin + piece]
        if differs.any():
            return f"differs from element {begin + int(np.argmax(differs))} on"
    return None


def make_pair(directory: Path, dtype: str, scale: float) -> None:
    """A file of 1 GiB, the same again, and one that differs from it in every element."""
    import numpy as np

    columns = 1024
    rows = max(int((1 << 30) * scale) // (columns * np.dtype(dtype).itemsize), 1)
    files = {
        name: np.lib.format.open_memmap(
            directory / f"compare-{dtype}-{name}.npy", "w+", dtype, (rows, columns)
        )
        for name in ("a", "same", "other")
    }
    random = np.random.default_rng(zlib.crc32(dtype.encode()))
    for begin in range(0, rows, 8192):
        part = slice(begin, begin + 8192)
        shape = files["a"][part].shape
        if np.dtype(dtype).kind == "f":
            values = random.standard_normal(shape, dtype="float32").astype(dtype)
            apart = random.uniform(1.01, 1.1, shape)
            other = (values.astype("float64") * apart).astype(dtype)
            other = np.where(other == values, values + 1, other).astype(dtype)
        else:
            values = random.integers(-(1 << 60), 1 << 60, shape, dtype)
            other = values ^ random.integers(1, 100, shape, dtype)
        files["a"][part] = files["same"][part] = values
        files["other"][part] = other


def main() -> int:
    parser = argparse.ArgumentParser(description="make or check the operands of one workload")
    parser.add_argument("task", choices=["make", "lay", "pair", "check"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("name")
    parser.add_argument("result", type=Path, nargs="?")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    if options.task == "pair":
        make_pair(options.directory, options.name, options.scale)
        return 0
    workload = by_name(options.name, options.scale)
    if options.task == "make":
        make(workload, options.directory)
        return 0
    if options.task == "lay":
        lay(workload, options.directory, str(options.result))
        return 0
    difference = check(workload, options.directory, options.result)
    if difference:
        print(f"{options.result.name} {difference}", file=sys.stderr)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
