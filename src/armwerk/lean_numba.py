"""numba without what it looks for and armwerk does not need; importing this module loads it.

numba loads coverage where test tools are installed, and yaml for settings in a file of the current
folder: together a twentieth of a second of every command. They are hidden from the thread that
loads numba while it does so, and from nobody else.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

SPARED = ("coverage", "yaml")
_SETTINGS = ".numba_config.yaml"  # which numba reads in the current folder


class _Hiding:
    """Tells one thread that modules are not installed; Python asks it before all other finders."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names, self._thread = names, threading.get_ident()

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Refuse a hidden module; leave all others to those who come after.

        Raises:
            ModuleNotFoundError: For a hidden one.
        """
        if name in self._names and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Hide modules from this thread, unless they are loaded already."""
    hiding = _Hiding(frozenset(names))
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)


def load() -> None:
    """Load numba, if nobody has done so."""
    names = [name for name in SPARED if name != "yaml" or not Path(_SETTINGS).exists()]
    with hidden(*names):
        import_module("numba")


load()
