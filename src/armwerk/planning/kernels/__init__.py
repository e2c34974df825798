"""Compiled loops of the planning room; arrays in, arrays out, nothing checked.

Maps are filled line by line: along a line one joint runs, from line to line the other one. A pose
of an arm part is the product of a transform that belongs to the line and one that belongs to the
place on it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import armwerk.collision.kernels


def _drop_stale(folder: Path, others: Path) -> None:
    """Remove kernels kept on disk that are older than any source they were made from.

    numba looks only at the file a kernel stands in, and would go on using what the kernel took
    from another file before that was changed.
    """
    with suppress(OSError):
        sources = [*folder.glob("*.py"), *others.glob("*.py")]
        changed = max(source.stat().st_mtime for source in sources)
        for index in folder.glob("__pycache__/*.nbi"):
            if index.stat().st_mtime < changed:
                index.unlink(missing_ok=True)


_drop_stale(Path(__file__).parent, Path(armwerk.collision.kernels.__file__).parent)
