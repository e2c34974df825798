"""Where generated code is kept, so that it is made once per user and machine.

    <cache>/closed_form/<key>/kernels.py       the generated source
    <cache>/closed_form/<key>/__pycache__/     what numba compiled from it
    <cache>/closed_form/<key>/manifest.json    digests of both
    <cache>/arms/<key>.json                    which entry belongs to an arm, or why there is none

An entry is built in a folder of its own and put in place by one rename, so an interrupted build
leaves nothing behind that counts, and of two processes that build at once the first wins. An entry
that does not fit its manifest is thrown away.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from armwerk.errors import DescriptionError
from armwerk.files import write_text

MANIFEST = "manifest.json"
SOURCE = "kernels.py"
_ABANDONED = 24 * 3600.0  # [s] after which an unfinished build is nobody's


def cache_folder() -> Path:
    """Return the user's cache folder: $ARMWERK_CACHE, else the system's place for caches."""
    chosen = os.environ.get("ARMWERK_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "armwerk"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "armwerk"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armwerk"


def digest(*parts: object) -> str:
    """Return a key that changes with any of the parts."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:32]


def find_entry(key: str) -> Path | None:
    """Return the folder of a finished, undamaged entry; None when there is none."""
    folder = _entries() / key
    try:
        expected = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if expected == _digests(folder):
            return folder
    except (OSError, ValueError):
        pass
    return None


@contextlib.contextmanager
def new_entry(key: str) -> Iterator[Path]:
    """Give a folder to build an entry in; it is put in place when the block ends well.

    Where nothing can be written the folder is a temporary one, and nothing is kept.
    """
    home = _entries()
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        _sweep(home)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=home))
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="armwerk-"))
    try:
        yield folder
        if folder.parent == home:
            (folder / MANIFEST).write_text(json.dumps(_digests(folder)), encoding="utf-8")
            _put_in_place(folder, home / key)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_note(key: str) -> object:
    """Return what is known about an arm, or None."""
    try:
        note: object = json.loads(
            (cache_folder() / "arms" / f"{key}.json").read_text(encoding="utf-8")
        )
        return note
    except (OSError, ValueError):
        return None


def write_note(key: str, content: dict[str, str]) -> None:
    """Keep what is known about an arm; silently not where nothing can be written."""
    folder = cache_folder() / "arms"
    with contextlib.suppress(DescriptionError):
        write_text(folder / f"{key}.json", json.dumps(content), make_folder=True)


def _entries() -> Path:
    return cache_folder() / "closed_form"


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.suffix != ".pyc"  # Python's own, made and checked by the interpreter
    }


def _put_in_place(folder: Path, place: Path) -> None:
    with contextlib.suppress(OSError):
        if place.exists() and find_entry(place.name) is None:
            broken = Path(tempfile.mkdtemp(prefix=".broken-", dir=place.parent))
            os.replace(place, broken / "entry")
            shutil.rmtree(broken, ignore_errors=True)
        os.rename(folder, place)  # fails when another process was first; its entry is as good


def _sweep(home: Path) -> None:
    """Remove builds that were cut off long ago."""
    for path in home.glob(".*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                shutil.rmtree(path, ignore_errors=True)
