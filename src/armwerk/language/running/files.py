"""The files that a program may write: those below its folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from armwerk.language.arithmetic import Fault

MOST_OPEN = 16
MOST_BYTES = 10_000_000  # of one file: an endless loop must not fill a disk


class ProgramFolder:
    """Files below a folder, by name.

    Args:
        folder: None: the program may write none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder.resolve()
        self._open: dict[str, int] = {}

    def open(self, name: str, mode: str) -> str:
        """Begin a file, or go on with it, and return what names it from now on.

        Raises:
            Fault: When it lies outside the folder or cannot be written.
        """
        if mode not in {"write", "append"}:
            raise Fault(f"a file cannot be opened to '{mode[:20]}' ('write' or 'append')")
        path = self._path(name)
        if len(self._open) >= MOST_OPEN and str(path) not in self._open:
            raise Fault(f"more than {MOST_OPEN} files are open")
        try:
            if mode == "write":
                path.write_text("", encoding="utf-8")
            size = path.stat().st_size if path.exists() else 0
        except OSError as error:
            raise Fault(f"'{name[:60]}' cannot be written: {error.strerror}") from None
        self._open[str(path)] = size
        return str(path)

    def write(self, handle: str, text: str) -> None:
        """Write text to an open file.

        Raises:
            Fault: When it is not open, full, or cannot be written.
        """
        if handle not in self._open:
            raise Fault("the file is not open")
        data = text.encode("utf-8")
        self._open[handle] += len(data)
        if self._open[handle] > MOST_BYTES:
            raise Fault(f"the file has more than {MOST_BYTES} bytes")
        try:
            with Path(handle).open("ab") as file:
                file.write(data)
        except OSError as error:
            raise Fault(f"the file cannot be written: {error.strerror}") from None

    def close(self, handle: str) -> None:
        """Close a file; closing twice is no mistake."""
        self._open.pop(handle, None)

    def snapshot(self) -> dict[str, int]:
        """Return which files are open, and their lengths [bytes]."""
        return dict(self._open)

    def restore(self, snapshot: dict[str, int]) -> None:
        """Go back to a moment: what was written to open files since then is cut off."""
        self._open = dict(snapshot)
        for handle, length in snapshot.items():
            path = Path(handle)
            if path.is_file() and path.stat().st_size > length:
                os.truncate(path, length)

    def _path(self, name: str) -> Path:
        if self._folder is None:
            raise Fault("this program has no folder to write files in")
        plain = PurePosixPath(name.replace("\\", "/"))
        if not name or plain.is_absolute() or ".." in plain.parts or ":" in name or "\0" in name:
            raise Fault(f"'{name[:60]}' lies outside the program's folder")
        path = (self._folder / plain).resolve()
        if not path.is_relative_to(self._folder):
            raise Fault(f"'{name[:60]}' lies outside the program's folder")
        if path.suffix.lower() == ".irl" or path == self._folder:
            raise Fault(f"'{name[:60]}' cannot be overwritten by a program")
        return path
