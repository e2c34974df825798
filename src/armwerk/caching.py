"""Where what has been computed once is kept for this user."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class SameObject(Generic[Kept]):
    """A key that equals only one of the very same object, however dear it is to compare those.

    For caches of what is made of descriptions, which do not change. The object lives as long as
    the key.

    Args:
        value: The object.
    """

    __slots__ = ("value",)

    def __init__(self, value: Kept) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


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
