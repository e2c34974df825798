"""The words of an environment file, and how each directive is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

NUMBERED = ("ROBOT", "CONTROLLER", "CONFIG", "MANIPULATOR", "GRIPPER")

USAGE: dict[str, str] = {
    "NUMBER": "name value",
    "STRING": "name text",
    "DEBUGNAME": "name",
    "MASS": "kg",
    "DENSITY": "kg/m³",
    "FRICTION": "coefficient",
    "BOUNCE": "share",
    "MULTIROBOT": "count",
    "ROBOT": "x y angle",
    "CONTROLLER": "class",
    "CONFIG": "text",
    "MANIPULATOR": "class",
    "GRIPPER": "class",
    "TRIGGERPROCESSOR": "instance class",
    "TPCONFIG": "text",
    "BORDER": "minx miny maxx maxy",
    "TILE": "columns rows colour",
    "BOTTOMPAINT": "colour alpha shape ENDSLICK",
    "STEP": "height colour shape ENDSTEP",
    "SLOPE": "height1 height2 x|y colour RECT… ENDSLOPE",
    "SLICE": "bottom top colour shape ENDSLICE",
    "WEDGE": "upper1 upper2 lower1 lower2 x|y colour RECT… ENDWEDGE",
    "CONVEYOR": (
        "instance RUN|STOP height1 height2 x|y speed tomiddlespeed colour RECT… ENDCONVEYOR"
    ),
    "SPHERE": "x y z radius colour",
    "BALL": "x y z radius resistance bounce colour",
    "CUBOID": "x y z sizex sizey sizez colour",
    "TRIGGER": "kind instance text x y radius height colour (or x1 y1 x2 y2 height colour)",
}
ADDITIONS = ("MASS", "DENSITY", "FRICTION", "BOUNCE")  # to the file of the source, by armwerk
SHAPES: dict[str, str] = {
    "RECT": "x y sizex sizey",
    "CIRCLE": "x y radius",
    "POLY": "n x1 y1 … xn yn",
}
ENDS: dict[str, tuple[str, ...]] = {
    "BOTTOMPAINT": ("ENDSLICK", "ENDBOTTOMPAINT"),
    "STEP": ("ENDSTEP",),
    "SLOPE": ("ENDSLOPE",),
    "SLICE": ("ENDSLICE",),
    "WEDGE": ("ENDWEDGE",),
    "CONVEYOR": ("ENDCONVEYOR",),
}
BODIES = (*ENDS, "SPHERE", "BALL", "CUBOID")
ALL_ENDS = frozenset(end for ends in ENDS.values() for end in ends)

_WITH_NUMBER = re.compile(rf"({'|'.join(NUMBERED)})([0-9]*)")
_LONGEST = 40  # a longer word is no misspelling, and comparing it would take long
_MOST_KNOWN = 500


def split(word: str) -> tuple[str, str]:
    """Return directive and robot number: ``ROBOT3`` is ROBOT and 3; no number: an empty text."""
    match = _WITH_NUMBER.fullmatch(word)
    return (match[1], match[2]) if match else (word, "")


def is_directive(word: str) -> bool:
    """Say whether a word begins a directive."""
    return split(word)[0] in USAGE


def _shortened(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


_NEAR = {short for name in (*USAGE, *(f"{n}0" for n in NUMBERED)) for short in _shortened(name)}


def is_nearly_directive(word: str) -> bool:
    """Say whether a word is a directive, or one with a letter wrong, missing or too many.

    Asked for every line after a mistake, so it compares sets of shortened words; that costs the
    length of the word and no more.
    """
    if len(word) > _LONGEST:
        return False
    word = word.upper()
    if is_directive(word) or word in _NEAR:
        return True
    return any(is_directive(short) or short in _NEAR for short in _shortened(word))


def is_reserved(word: str) -> bool:
    """Say whether a word means something in the file, so that no variable may have its name.

    Additions do not count: files from elsewhere may have variables of these names.
    """
    if word in ADDITIONS:
        return False
    return is_directive(word) or word in SHAPES or word in ALL_ENDS


def closest(word: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Return the word that was probably meant, whatever its case; None: nothing is close."""
    names = {name.upper(): name for name in list(known)[:_MOST_KNOWN]}
    if len(word) > _LONGEST:
        return None
    found = get_close_matches(word.upper(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint to put behind a message, or an empty text."""
    close = closest(word, known)
    return f"; did you mean '{close}'?" if close else ""
