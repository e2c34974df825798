"""What is meant by the words for an arm: library name, file, robot of a package, and its tip.

"puma560", "cell/arm.toml", "robot.urdf#tool0", "robot.urdf#torso..left_tool" (from a link to a
link), "rtb-data:irb140", "robosuite:panda#grip_site" come in; a path with the names of links goes
out.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from armwerk.errors import DescriptionError
from armwerk.robot.formats.urdf_source import is_tree_file
from armwerk.robot.installed import installed_file, is_installed_name

MARK = "#"
"""What stands between a file and the link at which its arm ends."""
_BETWEEN = ".."


@dataclass(frozen=True, slots=True)
class ArmReference:
    """A file and which chain of it is meant.

    Args:
        path: The file, or a name of the library.
        tip: Link, site or group at which the chain ends; None: not said.
        base_link: Link at which it starts; None: not said.
        is_name: Whether it may be a name of the library.
        installed: How it was named, "rtb-data:irb140", as a robot of a package; empty: it was not.
    """

    path: Path
    tip: str | None = None
    base_link: str | None = None
    is_name: bool = False
    installed: str = ""

    @property
    def is_tree(self) -> bool:
        """Whether the file holds a tree of links: URDF, xacro, MJCF."""
        return not self.is_name and is_tree_file(self.path)

    def __str__(self) -> str:
        ends = self.tip or ""
        if self.base_link:
            ends = f"{self.base_link}{_BETWEEN}{ends}"
        return f"{self.path}{MARK}{ends}" if ends else str(self.path)


def arm_reference(
    what: str | Path,
    tip: str | None = None,
    base_link: str | None = None,
    folder: Path | None = None,
) -> ArmReference:
    """Return what is meant by the words for an arm.

    Args:
        what: A name or a file, with "#tip" or "#base..tip" behind it where one is meant.
        tip: The same as behind "#".
        base_link: Likewise.
        folder: In which files are named; None: the one that the program runs in.

    Raises:
        DescriptionError: When tip or base_link are said twice and differ.
        UnsupportedError: When a package that is named is not installed.
        UnknownNameError: When it has no such robot.
    """
    text = str(what)
    around = Path() if folder is None else folder
    if MARK in text and not os.path.exists(around / text):
        text, _, ends = text.rpartition(MARK)
        base, between, last = ends.rpartition(_BETWEEN)
        tip = _once("tip", tip, last or None)
        base_link = _once("base_link", base_link, base if between and base else None)
    if isinstance(what, str) and is_installed_name(text) and not os.path.exists(around / text):
        return ArmReference(installed_file(text), tip, base_link, installed=text)
    is_name = isinstance(what, str) and not Path(text).suffix
    return ArmReference(Path(text) if is_name else around / text, tip, base_link, is_name)


def _once(element: str, one: str | None, two: str | None) -> str | None:
    if one is not None and two is not None and one != two:
        raise DescriptionError(
            "said twice", element=element, value=[one, two], allowed="one of them"
        )
    return two if one is None else one
