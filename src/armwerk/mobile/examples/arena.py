"""Pieces of landscape that several example scenes share."""

from __future__ import annotations

import math

import numpy as np

from armwerk.mobile.examples.shapes import Colour, at, block, body, prism
from armwerk.mobile.files.group import MeshGroup, Triangulation

WOOD: Colour = (0.72, 0.58, 0.4)
STONE: Colour = (0.62, 0.62, 0.6)
GRASS: Colour = (0.36, 0.55, 0.32)


def boards(
    length: float, width: float, height: float, *, thick: float = 0.02, gap: float = 0.0
) -> list[MeshGroup]:
    """Return the boards around a rectangle [m], if wanted with a gap in the middle of each end.

    Args:
        length: Along x, inside.
        width: Along y, inside.
        height: Of the boards.
        thick: Of the boards.
        gap: Width of the openings at both ends, as for goals; 0: none.
    """
    side = block(length + 2 * thick, thick, height, WOOD)
    found = [
        body("board left", side, 0.0, (width + thick) / 2),
        body("board right", side, 0.0, -(width + thick) / 2),
    ]
    for name, x in (("east", (length + thick) / 2), ("west", -(length + thick) / 2)):
        if not gap:
            found.append(body(f"board {name}", block(thick, width, height, WOOD), x, 0.0))
            continue
        piece = block(thick, (width - gap) / 2, height, WOOD)
        for label, sign in (("left", 1.0), ("right", -1.0)):
            found.append(body(f"board {name} {label}", piece, x, sign * (width + gap) / 4))
    return found


def corners(length: float, width: float, height: float, cut: float) -> list[MeshGroup]:
    """Return the pieces that round off the corners of a rectangle [m], so that no ball stays."""
    outline = [(0.0, 0.0), (-cut, 0.0), (0.0, -cut)]
    piece = prism(outline, 0.0, height, WOOD)
    found = []
    for name, x, y, turn in (
        ("north east", 1, 1, 0.0),
        ("north west", -1, 1, math.pi / 2),
        ("south west", -1, -1, math.pi),
        ("south east", 1, -1, -math.pi / 2),
    ):
        found.append(body(f"corner {name}", piece, x * length / 2, y * width / 2, 0.0, turn))
    return found


def sharp_prisms(name: str, x: float, y: float, *, height: float = 0.05) -> MeshGroup:
    """Return a pair of prisms, 6 mm apart, whose sharp edges point along -x from the place [m].

    They are so thin that the sensors of a robot that drives straight at them look past both.
    """
    length, apart, wide = 0.05, 0.003, 0.0035
    one = [(0.0, apart), (length, apart), (length, apart + wide)]
    two = [(0.0, -apart), (length, -apart - wide), (length, -apart)]
    pair = tuple(
        MeshGroup(label, np.eye(4), prism(outline, 0.0, height, STONE))
        for label, outline in (("left", one), ("right", two))
    )
    return MeshGroup(name, at(x, y), None, pair)


def hill(
    degrees: tuple[float, ...], run: float, width: float, *, x: float = 0.0, y: float = 0.0
) -> list[MeshGroup]:
    """Return a hill that gets steeper: one wedge-shaped body for each slope, and a top.

    Args:
        degrees: Slopes, one after the other.
        run: How far each goes, along the ground [m].
        width: Across [m].
        x: Where it begins [m].
        y: Its middle [m].
    """
    found: list[MeshGroup] = []
    low = 0.0
    for place, slope in enumerate(degrees):
        high = low + run * math.tan(math.radians(slope))
        found.append(
            MeshGroup(f"slope {slope:g} deg", at(x + place * run, y), _step(run, width, low, high))
        )
        low = high
    found.append(MeshGroup("hill top", at(x + len(degrees) * run, y), _step(run, width, low, low)))
    return found


def _step(run: float, width: float, low: float, high: float) -> Triangulation:
    """Return a body whose top rises from one height to another along x."""
    half = width / 2
    bottom = -0.02  # under the floor, so that the first has no edge of nothing
    vertices = np.array(
        [
            (0, -half, bottom),
            (run, -half, bottom),
            (run, half, bottom),
            (0, half, bottom),
            (0, -half, low),
            (run, -half, high),
            (run, half, high),
            (0, half, low),
        ],
        dtype=np.float64,
    )
    faces = [
        (0, 2, 1),
        (0, 3, 2),
        (4, 5, 6),
        (4, 6, 7),
        (0, 1, 5),
        (0, 5, 4),
        (2, 3, 7),
        (2, 7, 6),
        (1, 2, 6),
        (1, 6, 5),
        (3, 0, 4),
        (3, 4, 7),
    ]
    return Triangulation(vertices, np.array(faces, dtype=np.int64), STONE)
