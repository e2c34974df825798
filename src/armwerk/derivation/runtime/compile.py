"""Compiles generated source with numba, or loads what was compiled before.

Generated code is kept, so that it is made once per user and machine:

    <cache>/closed_form/<key>/kernels.py       the generated source
    <cache>/closed_form/<key>/__pycache__/     what numba compiled from it
    <cache>/closed_form/<key>/*.code           the same, to be run without numba
    <cache>/closed_form/<key>/manifest.json    digests of all
    <cache>/sources/<key>.py                   a source that has not been compiled yet
    <cache>/arms/<key>.json                    which of them belongs to an arm, or why there is none

An entry is built in a folder of its own and put in place by one rename, so an interrupted build
leaves nothing behind that counts, and of two processes that build at once the first wins. An entry
that does not fit its manifest is thrown away.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from armwerk.caching import cache_folder
from armwerk.compiled import use_numba
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.kept_code import KeptKernels, keep_code
from armwerk.derivation.runtime.names import undefined_names
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.files import write_text
from armwerk.machine_code import machine
from armwerk.native_call import is_possible

Progress = Callable[[str], None]
_log = logging.getLogger(__name__)
MANIFEST = "manifest.json"
SOURCE = "kernels.py"
_FORM = 2  # of an entry: which files it has
_ABANDONED = 24 * 3600.0  # [s] after which an unfinished build is nobody's


_loaded: dict[Path, Kernels] = {}
"""By entry; machine code once loaded is never given back, so every entry is loaded once."""


def kernels_for(source: str, progress: Progress | None = None) -> tuple[str, Kernels]:
    """Return the key and the kernels of a generated source, compiled now or earlier.

    Raises:
        UnsupportedError: When the source uses a name that it does not define.
    """
    key = source_key(source)
    found = load_kernels(key)
    if found is not None:
        return key, found
    refuse_undefined_names(source)
    tell(progress, "compiling the inverse kinematics")
    with new_entry(key) as folder:
        (folder / SOURCE).write_text(source, encoding="utf-8")
        try:
            kernels = _module(key, folder)
            with contextlib.suppress(OSError):
                keep_code(folder, kernels)
        except RuntimeError as error:
            # Ctrl-C within a call that LLVM makes back to Python is lost there; what is
            # seen of it is that a function was not compiled
            if "no compiled object" in str(error):
                raise KeyboardInterrupt from error
            raise
    return key, kernels


def source_key(source: str) -> str:
    """Return under which key the kernels of a source are kept."""
    return digest(source, machine(), _FORM)


def refuse_undefined_names(source: str) -> None:
    """Raise an `UnsupportedError` for a source that uses a name it does not define."""
    unknown = undefined_names(source)
    if unknown:
        raise UnsupportedError(f"generated code uses undefined names: {', '.join(unknown)}")


def keep_source(source: str) -> None:
    """Keep a source until it is compiled; silently not where nothing can be written."""
    with contextlib.suppress(DescriptionError):
        write_text(_source_file(source_key(source)), source, make_folder=True)


def read_source(key: str) -> str | None:
    """Return a source that is kept; None when it is not there or damaged."""
    try:
        source = _source_file(key).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return source if source_key(source) == key else None


def _source_file(key: str) -> Path:
    return cache_folder() / "sources" / f"{key}.py"


def load_kernels(key: str) -> Kernels | None:
    """Return the kernels of an entry of the cache; None when it is not there or damaged."""
    folder = find_entry(key)
    if folder is None:
        return None
    without = "numba" not in sys.modules and is_possible()
    known = _loaded.get(folder)
    if known is not None and (without or not isinstance(known, KeptKernels)):
        return known
    if without:
        with contextlib.suppress(OSError, ValueError, KeyError, RuntimeError):
            _loaded[folder] = kept = cast(
                Kernels, KeptKernels(folder, lambda: _module(key, folder))
            )
            return kept
    try:
        _loaded[folder] = kernels = _module(key, folder)
    except Exception:  # whatever is wrong with it, it can be made again
        _log.warning("generated code %s in the cache is damaged; making it again", key)
        return None
    return kernels


def _module(key: str, folder: Path) -> Kernels:
    use_numba()
    name = f"armwerk_closed_form_{key}"
    spec = importlib.util.spec_from_file_location(name, folder / SOURCE)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {folder / SOURCE}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    finally:
        sys.dont_write_bytecode = keep
    return cast(Kernels, module)


def tell(progress: Progress | None, text: str) -> None:
    """Say what takes long, to the log and to whoever asked."""
    _log.info(text)
    if progress is not None:
        progress(text)


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
