"""Names inside the engine, apart from each other whatever a cell calls its things.

MuJoCo has one list of names per kind of element, and in it stand the floor, the border and the
parts of robots beside everything a cell names itself. So every name that comes from a cell gets a
prefix that no name of ours begins with:

    thing/NAME          body, joint and geom of a ball or cuboid
    obstacle/NAME       geom and mesh of a fixed body; obstacle2/NAME is its third convex piece
    floor, border_…     the floor and the four walls round it
    r0, r0_NAME         a robot and its parts
"""

from __future__ import annotations

import re

_OURS = re.compile(r"(?:thing|obstacle\d*)/(.*)", re.DOTALL)


def thing_name(name: str) -> str:
    """Return what the engine calls a ball or cuboid."""
    return f"thing/{name}"


def obstacle_name(name: str, piece: int = 0) -> str:
    """Return what the engine calls a convex piece of a fixed body."""
    return f"obstacle{piece or ''}/{name}"


def spoken_name(name: str) -> str:
    """Return what the cell calls something of the engine; names of ours stay as they are."""
    match = _OURS.fullmatch(name)
    return match[1] if match else name
