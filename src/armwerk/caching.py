"""Where what has been computed once is kept for this user."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
