"""Every file that can be read as a URDF: URDF itself, xacro and MJCF."""

from __future__ import annotations

from pathlib import Path

from armwerk.robot.formats.mjcf_reader import is_mjcf, urdf_from_mjcf
from armwerk.robot.formats.xacro_reader import expanded
from armwerk.robot.reading import read_text

TREE_ENDINGS = (".urdf", ".xacro", ".mjcf")
"""Of files that hold a tree of links; .xml may hold one too."""
_MARK = "http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro"


def is_tree_file(path: Path) -> bool:
    """Whether a file holds a tree of links: .urdf, .xacro, .mjcf, or .xml with MJCF in it.

    A file that is missing or cannot be read is none, unless its ending says so.
    """
    ending = path.suffix.lower()
    if ending != ".xml":
        return ending in TREE_ENDINGS
    if not path.is_file():  # a pipe would wait for its writer
        return False
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return is_mjcf(stream.read(20_000))
    except OSError:
        return False


def urdf_text(path: str | Path) -> str:
    """Return a file as the text of a URDF.

    Raises:
        DescriptionError: When it cannot be read; says where and why.
        UnsupportedError: For xacro without its package.
    """
    path = Path(path)
    if path.suffix.lower() == ".xacro":
        return expanded(path)
    text = read_text(path)
    if is_mjcf(text):
        return urdf_from_mjcf(path)
    if "<xacro:" in text and any(mark in text for mark in _MARK):
        return expanded(path)
    return text
