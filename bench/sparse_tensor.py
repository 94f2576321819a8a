"""A tensor of 10 GB between two small ones in a sparse safetensors file, and rows to be written into it."""

from __future__ import annotations

import json
import random
from pathlib import Path

WIDTH = 2048  # of a row, in float32


class SparseTensor:
    def __init__(self, directory: Path, scale: float) -> None:
        self.directory = directory
        self.rows = max(int(1_250_000 * scale), 2000)
        self.ids = random.Random(7).sample(range(self.rows), 1000)
        self.title = f"1,000 rows of 8 KiB into {self.rows * WIDTH * 4 / 1e9:.1f} GB f32"
        self.file = directory / "sparse.safetensors"

    def header(self) -> bytes:
        """The big tensor begins at an odd byte."""
        end = 7 + self.rows * WIDTH * 4
        text = json.dumps(
            {
                "front": {"dtype": "U8", "shape": [7], "data_offsets": [0, 7]},
                "embed": {"dtype": "F32", "shape": [self.rows, WIDTH], "data_offsets": [7, end]},
                "back": {"dtype": "U8", "shape": [7], "data_offsets": [end, end + 7]},
            }
        ).encode()
        return len(text).to_bytes(8, "little") + text

    def begin(self) -> int:
        return len(self.header()) + 7

    def make(self) -> None:
        with open(self.file, "wb") as file:
            file.write(self.header() + b"before.")
            file.truncate(self.begin() + self.rows * WIDTH * 4)
            file.seek(0, 2)
            file.write(b"behind.")
        ids = b"".join(i.to_bytes(8, "little") for i in self.ids)
        (self.directory / "sparse-ids.bin").write_bytes(ids)
        (self.directory / "sparse-rows.bin").write_bytes(b"".join(map(self.row, range(1000))))

    def row(self, number: int) -> bytes:
        return random.Random(number).randbytes(WIDTH * 4)

    def words(self) -> list[str]:
        ids = f"1000xi64=@{self.directory}/sparse-ids.bin"
        rows = f"1000x{WIDTH}xf32=@{self.directory}/sparse-rows.bin"
        data = f"{self.file}:embed"
        return ["ScatterUpdate-3", "-d", data, "-i", ids, "-u", rows, "-a", "0", "--in-place"]

    def what_is_wrong(self) -> str:
        """Header and neighbours are what they were, rows are there, and what lies between is still a hole."""
        with open(self.file, "rb") as file:
            if file.read(self.begin()) != self.header() + b"before.":
                return "the header or the tensor before was changed"
            for number, place in enumerate(self.ids):
                file.seek(self.begin() + place * WIDTH * 4)
                if file.read(WIDTH * 4) != self.row(number):
                    return f"row {place} is not what was written"
            file.seek(-7, 2)
            if file.read() != b"behind.":
                return "the tensor behind was changed"
        if self.file.stat().st_blocks * 512 > 100_000_000:
            return "more than the rows was written"
        return ""
