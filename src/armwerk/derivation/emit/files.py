"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_files(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write texts into a folder, each by one rename; return the paths in order.

    All of them are complete as temporary files before the first gets its name, so whoever
    interrupts finds the old files or the new ones, never a half.

    Args:
        folder: Made when it does not exist.
        contents: Text by file name; names hold no folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting: list[tuple[str, Path]] = []
    try:
        for name, text in contents.items():
            handle, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=folder)
            waiting.append((temporary, folder / name))
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(temporary, 0o666 & ~_umask())  # a temporary file is private by default
        for temporary, path in waiting:
            os.replace(temporary, path)
    finally:
        for temporary, _ in waiting:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
    return [path for _, path in waiting]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
