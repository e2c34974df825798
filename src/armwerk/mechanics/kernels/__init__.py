"""Compiled kernels: plain loops over one packed array per arm, made ready by numba.

Every kernel has its argument types written down, so a call either fits or raises ``TypeError``;
nothing is compiled behind the user's back. Results are kept on disk (``cache=True``), and
``python -m armwerk.mechanics.warm`` makes them all at once. What is packed where in the arrays is
said in `armwerk.mechanics.chain`.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def _drop_stale(folder: Path) -> None:
    """Remove cached kernels older than any source here.

    numba looks only at the file a kernel stands in, and would go on using what the kernel took
    from another file before that was changed.
    """
    with suppress(OSError):
        changed = max(source.stat().st_mtime for source in folder.glob("*.py"))
        for index in folder.glob("__pycache__/*.nbi"):
            if index.stat().st_mtime < changed:
                index.unlink(missing_ok=True)


def _find_a_place(folder: Path) -> None:
    """Let numba keep its results in a temporary folder when it can write nowhere else.

    Without a place to write it refuses to compile at all.
    """
    with suppress(OSError, RuntimeError):
        places = (folder / "__pycache__", folder, Path.home() / ".cache", Path.home())
        if "NUMBA_CACHE_DIR" in os.environ or any(os.access(place, os.W_OK) for place in places):
            return
    os.environ.setdefault("NUMBA_CACHE_DIR", tempfile.mkdtemp(prefix="armwerk-numba-"))


_drop_stale(Path(__file__).parent)
_find_a_place(Path(__file__).parent)
