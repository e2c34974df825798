"""Files that appear whole or not at all.

A file is written beside its place under a passing name and then renamed, so whoever interrupts or
reads meanwhile finds the old file or the new one, never a half.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from armwerk.errors import DescriptionError


@contextmanager
def replacing(path: str | Path, what: str = "file", *, make_folder: bool = False) -> Iterator[Path]:
    """Give a path to write to; what stands there at the end takes the place of ``path``.

    If the block fails, ``path`` stays as it was. A link stays a link, and a file that is replaced
    keeps its permissions.

    Args:
        path: The file to be made or replaced.
        what: What the file is, for the message ("picture").
        make_folder: Whether a folder that is missing is made.

    Raises:
        DescriptionError: When it cannot be written; says why.
    """
    place = Path(os.path.realpath(path))
    passing = place.with_name(f".{place.stem}-{secrets.token_hex(4)}{place.suffix}")
    try:
        if make_folder:
            place.parent.mkdir(parents=True, exist_ok=True)
        yield passing
        if place.exists():
            shutil.copymode(place, passing)
        os.replace(passing, place)
    except OSError as error:
        raise unwritable(path, error, what) from None
    finally:
        with suppress(OSError):
            passing.unlink()  # gone already when all went well


@contextmanager
def writing(
    path: str | Path, what: str = "file", *, make_folder: bool = False
) -> Iterator[BinaryIO]:
    """Give a stream to write to, for what is too long to be held; see `replacing`.

    Where the system can do that the file has no name until it is whole.
    """
    with replacing(path, what, make_folder=make_folder) as passing:
        unnamed = _unnamed(passing.parent)
        if unnamed is None:
            with passing.open("wb") as stream:
                yield stream
            return
        with os.fdopen(unnamed, "wb") as stream:
            yield stream
            stream.flush()
            _name(unnamed, passing)


def unwritable(path: str | Path, error: OSError, what: str = "file") -> DescriptionError:
    """Return the error that says why a file cannot be written."""
    return DescriptionError(
        f"cannot be written ({error.strerror or error})",
        element=what,
        allowed="a place that exists and may be written to",
        file=path,
    )


def write_bytes(
    path: str | Path,
    content: bytes | memoryview,
    what: str = "file",
    *,
    make_folder: bool = False,
) -> Path:
    """Write a file and return its path; see `replacing`."""
    with replacing(path, what, make_folder=make_folder) as passing:
        _put(passing, content)
    return Path(path)


def _put(passing: Path, content: bytes | memoryview) -> None:
    """Write a file that has no name until it is whole, where the system can do that.

    Who is killed meanwhile then leaves nothing behind, not even under a passing name.
    """
    if not _put_unnamed(passing, content):
        passing.write_bytes(content)


def _put_unnamed(passing: Path, content: bytes | memoryview) -> bool:
    unnamed = _unnamed(passing.parent)
    if unnamed is None:
        return False
    with os.fdopen(unnamed, "wb") as stream:
        stream.write(content)
        stream.flush()
        try:
            _name(unnamed, passing)
        except OSError:
            return False
    return True


def _unnamed(folder: Path) -> int | None:
    """Return an open file without a name; None where there is none that could get one later."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None:
        return None
    try:
        unnamed = os.open(folder, flag | os.O_WRONLY, 0o666)
    except OSError:  # a disk without such files, or no folder
        return None
    if os.path.exists(f"/proc/self/fd/{unnamed}"):
        return unnamed
    os.close(unnamed)  # a system that does not show its open files
    return None


def _name(unnamed: int, path: Path) -> None:
    # the path is absolute, so the folder is not looked at; it makes the link be followed
    os.link(f"/proc/self/fd/{unnamed}", path, src_dir_fd=unnamed, follow_symlinks=True)


def write_text(
    path: str | Path, text: str, what: str = "file", *, make_folder: bool = False
) -> Path:
    """Write a text in UTF-8 with plain line ends and return its path; see `replacing`."""
    return write_bytes(path, text.encode("utf-8"), what, make_folder=make_folder)


def write_texts(folder: str | Path, contents: Mapping[str, str]) -> list[Path]:
    """Write texts into a folder and return their paths, in order.

    All of them are complete under passing names before the first gets its own.

    Args:
        folder: Made when it does not exist.
        contents: Text by file name; names hold no folder.
    """
    paths = [Path(folder) / name for name in contents]
    with ExitStack() as stack:
        for path, text in zip(paths, contents.values(), strict=True):
            passing = stack.enter_context(replacing(path, make_folder=True))
            _put(passing, text.encode("utf-8"))
    return paths
