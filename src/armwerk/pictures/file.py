"""Writing a figure to a file: by its ending, whole or not at all, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from armwerk.errors import DescriptionError
from armwerk.files import replacing

FORMATS = ("png", "svg")
_DPI = 150
_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "armwerk"},
}


def picture_path(path: str | Path) -> Path:
    """Return the path when its ending names a picture format, before anything is computed.

    Raises:
        DescriptionError: For any other ending, or when ``path`` is a folder.
    """
    path = Path(path)
    if path.suffix.lower().lstrip(".") not in FORMATS:
        raise DescriptionError(
            "unknown picture format",
            element=f"picture '{path}'",
            value=path.suffix,
            allowed=" or ".join(f".{name}" for name in FORMATS),
        )
    if path.is_dir():
        raise DescriptionError("is a folder", element=f"picture '{path}'", allowed="a file name")
    return path


@contextmanager
def figure(width: float, height: float) -> Iterator[Figure]:
    """Give a figure of the house's style, ``width`` by ``height`` [inch]; no global state stays."""
    with mpl.rc_context(
        {"font.family": "DejaVu Sans", "svg.hashsalt": "armwerk", "svg.fonttype": "path"}
    ):
        drawn = Figure(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(drawn)
        yield drawn


def write(drawn: Figure, path: str | Path) -> Path:
    """Write a figure and return where it is; the folder is made when it is missing.

    The file appears under its name only when it is complete.

    Raises:
        DescriptionError: When the ending is unknown or the file cannot be written.
    """
    path = picture_path(path)
    ending = path.suffix.lower().lstrip(".")
    with replacing(path, "picture", make_folder=True) as passing:
        drawn.savefig(passing, format=ending, dpi=_DPI, metadata=_NO_DATE[ending])
    return path
