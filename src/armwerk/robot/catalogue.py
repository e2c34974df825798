"""The library of arms that armwerk ships, as data files beside this module."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "library"


def library() -> tuple[str, ...]:
    """Return the names of all shipped arms and assemblies, sorted; opens none of them."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def library_file(name: str) -> Path | None:
    """Return the data file of a library name; None when there is no such name."""
    return FOLDER / f"{name}.toml" if name in library() else None
