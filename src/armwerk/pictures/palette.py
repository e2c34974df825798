"""The colours of the pictures, chosen to stay apart for colour-blind eyes."""

from __future__ import annotations

from typing import TypeAlias

Colour: TypeAlias = tuple[float, float, float]


def colour(text: str) -> Colour:
    """Return the red, green, blue parts, 0 to 1, of a text such as "#56b4e9"."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def mixed(one: Colour, two: Colour, share: float) -> Colour:
    """Return ``one`` with ``share`` (0 to 1) of ``two`` in it."""
    red, green, blue = (a + share * (b - a) for a, b in zip(one, two, strict=True))
    return red, green, blue


WHITE = (1.0, 1.0, 1.0)
INK = colour("#1f2933")
MUTED = colour("#66727f")
LINK = colour("#c3ced8")
REVOLUTE = colour("#2f5d8c")
PRISMATIC = colour("#d98324")
PASSIVE = colour("#7a8793")
BASE = colour("#59646f")
FLOOR = colour("#f3f5f7")
GRID = colour("#d5dbe1")
SHADOW = colour("#dde2e7")
PATH = colour("#c2367b")
FORBIDDEN = colour("#b3261e")
SKY = (colour("#f4f6f8"), colour("#c9d6e2"))  # bottom and top of a cell's background
GROUND = colour("#e4e9ee")

# Okabe and Ito's set without its yellow, which vanishes on white, and with two of Tol's.
SOLUTIONS = tuple(
    colour(text)
    for text in (
        "#0072b2",
        "#d55e00",
        "#009e73",
        "#cc79a7",
        "#56b4e9",
        "#e69f00",
        "#332288",
        "#882255",
        "#8f7a1e",
        "#4d4d4d",
    )
)
AXES = {"x": colour("#d1342f"), "y": colour("#1f8f4e"), "z": colour("#2b59c3")}


def solution_colour(index: int) -> Colour:
    """Return the colour of solution ``index``, counted from 0; paler in the second round."""
    first = SOLUTIONS[index % len(SOLUTIONS)]
    return mixed(first, WHITE, 0.45 * min(index // len(SOLUTIONS), 1))
