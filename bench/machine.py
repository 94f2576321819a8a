"""What the benchmark has to know of the machine, and an XFS of its own."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

MIB = 1 << 20


def processor_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def file_system(directory: Path) -> str:
    best, name = "", "unknown file system"
    for line in Path("/proc/mounts").read_text().splitlines():
        _, point, kind, *_ = line.split()
        inside = point == "/" or f"{directory.resolve()}/".startswith(f"{point}/")
        if inside and len(point) >= len(best):
            best, name = point, kind
    return name


def mount_xfs(directory: Path, size: int, stack: contextlib.ExitStack) -> tuple[str, Path]:
    """("", where) or (why not, …). Unmounted and removed when the stack is left."""
    if os.geteuid() != 0:
        return "mounting takes root", directory
    maker = shutil.which("mkfs.xfs") or shutil.which("mkfs.xfs", path="/usr/sbin:/sbin")
    if not maker:
        return "no mkfs.xfs (package xfsprogs)", directory
    image = directory / "xfs.img"
    stack.callback(lambda: image.unlink(missing_ok=True))
    with image.open("wb") as file:
        file.truncate(max(size, 1024 * MIB))
    made = subprocess.run(
        [maker, "-q", "-f", "-m", "reflink=1", str(image)],
        check=False,
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        return "mkfs.xfs failed", directory
    point = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=directory)))
    mounted = subprocess.run(
        ["mount", "-o", "loop", str(image), str(point)], check=False, capture_output=True, text=True
    )
    if mounted.returncode != 0:
        return "a loop device cannot be mounted here", directory
    stack.callback(lambda: subprocess.run(["umount", str(point)], check=False))
    return "", point
