"""Names inside the engine, apart from each other whatever a cell calls its things.

MuJoCo has one list of names per kind of element, and in it stand the floor, the border and the
parts of robots beside everything a cell names itself. So every name that comes from a cell gets a
prefix that no name of ours begins with:

    thing/NAME          body, joint and geom of a thing; thing2/NAME is the third piece of one
    obstacle/NAME       geom and mesh of a fixed body; obstacle2/NAME is its third convex piece
    floor, border_…     the floor and the four walls round it
    r0, r0_NAME         a robot and its parts
    mobile/NAME         a mobile robot; mobile2/NAME is its third piece
"""

from __future__ import annotations

import re

_OURS = re.compile(r"(?:thing\d*|obstacle\d*)/(.*)", re.DOTALL)
_MOBILE = re.compile(r"mobile\w*/(.*)", re.DOTALL)


def thing_name(name: str, piece: int = 0) -> str:
    """Return what the engine calls a thing, or a further piece of one that has several."""
    return f"thing{piece or ''}/{name}"


def obstacle_name(name: str, piece: int = 0) -> str:
    """Return what the engine calls a convex piece of a fixed body."""
    return f"obstacle{piece or ''}/{name}"


def mobile_name(name: str, piece: int | str = 0) -> str:
    """Return what the engine calls a mobile robot, or a piece of it."""
    return f"mobile{piece or ''}/{name}"


def mobile_of(name: str) -> str:
    """Return which mobile robot something of the engine belongs to; empty: to none."""
    match = _MOBILE.fullmatch(name)
    return match[1] if match else ""


def spoken_name(name: str) -> str:
    """Return what the cell calls something of the engine; names of ours stay as they are."""
    match = _OURS.fullmatch(name)
    return match[1] if match else name
