"""A picture that is kept in memory: what a notebook shows when nobody names a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from armwerk.files import write_bytes


@dataclass(frozen=True, slots=True, repr=False)
class InlinePicture:
    """A picture that was drawn; a notebook shows it, `save` writes it.

    Args:
        png: The bytes of a PNG file.
    """

    png: bytes

    def save(self, path: str | Path) -> Path:
        """Write it to a .png file and return where it is."""
        return write_bytes(Path(path), self.png, "picture", make_folder=True)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<InlinePicture, PNG of {len(self.png) / 1000:.0f} kB; save(path) writes it>"


def drawn_inline(draw: Callable[[Path], object]) -> InlinePicture:
    """Return what a function draws into a file, without the file."""
    with tempfile.TemporaryDirectory(prefix="armwerk-") as folder:
        path = Path(folder) / "picture.png"
        draw(path)
        return InlinePicture(path.read_bytes())
