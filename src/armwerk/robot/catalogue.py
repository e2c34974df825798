"""The library of arms and grippers that armwerk ships, as data files beside this module."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "library"
GRIPPERS = FOLDER / "grippers"


def library() -> tuple[str, ...]:
    """Return the names of all shipped arms and assemblies, sorted; opens none of them."""
    return _names(FOLDER)


def grippers() -> tuple[str, ...]:
    """Return the names of all shipped grippers, sorted; opens none of them."""
    return _names(GRIPPERS)


def library_file(name: str) -> Path | None:
    """Return the data file of an arm or a gripper; None when there is no such name."""
    for folder in (FOLDER, GRIPPERS):
        if name in _names(folder):
            return folder / f"{name}.toml"
    return None


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))
