"""Where a ROS package lies on this machine, without ROS.

The name of a package and a file that mentions it come in, folders that may be it go out, the best
first. Robots as they are found in downloads and installed packages rarely keep the name of their
folder, so what the package calls itself counts too, and at last every folder around the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_VARIABLES = {"ROS_PACKAGE_PATH": "", "AMENT_PREFIX_PATH": "share"}
_NEIGHBOURS = 200  # folders beside one that are looked into for a package's own name


def package_folders(name: str, near: Path) -> Iterator[Path]:
    """Yield folders that may be a package, the best first.

    Args:
        name: Of the package.
        near: A file that mentions it.
    """
    around = [*near.absolute().parents]
    for folder in around:
        if folder.name == name:
            yield folder
        if (folder / name).is_dir():
            yield folder / name
    for variable, below in _VARIABLES.items():
        for place in os.environ.get(variable, "").split(os.pathsep):
            folder = Path(place) / below / name
            if place and folder.is_dir():
                yield folder
    for folder in around:
        if _calls_itself(folder, name):
            yield folder
    for folder in around[:4]:
        beside = sorted(path for path in folder.iterdir() if path.is_dir())[:_NEIGHBOURS]
        yield from (path for path in beside if _calls_itself(path, name))
    yield from around


def _calls_itself(folder: Path, name: str) -> bool:
    """Whether the folder has a package.xml with that name."""
    try:
        text = (folder / "package.xml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    found = _NAME.search(text)
    return found is not None and found.group(1) == name
