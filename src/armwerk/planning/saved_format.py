"""Which endings the files of maps and reaches may have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from armwerk.errors import DescriptionError


def known_format(path: str | Path, endings: Sequence[str]) -> Path:
    """Return the path of a file to write when its ending names a format.

    Raises:
        DescriptionError: For any other ending, or when it is a folder.
    """
    path = Path(path)
    if path.suffix.lower() not in endings:
        raise DescriptionError(
            "unknown format",
            element=f"file '{path}'",
            value=path.suffix,
            allowed=", ".join(endings),
        )
    if path.is_dir():
        raise DescriptionError("is a folder", element=f"file '{path}'", allowed="a file name")
    return path
