"""Which bodies are hit where, as colours: one for each body, mixed where several are hit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.palette import INK, WHITE, mixed, solution_colour
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.filling import fill, request_of

IMPOSSIBLE = (0.86, 0.87, 0.88)
"""Colour of cells in which a closed chain cannot close."""
SEVERAL = (0.42, 0.45, 0.48)
"""Colour that stands in legends for cells in which several bodies are hit."""
_FINEST = 1500  # values along an axis that a picture can still show
_DARKER = 0.28  # fraction of ink where several bodies are hit at once


@dataclass(frozen=True, eq=False)
class Painted:
    """A map as a picture.

    Args:
        image: Red, green, blue, 0 to 1. Shape (ny, nx, 3), or (nz, ny, nx, 3).
        fractions: Fraction of the cells in which each body is hit.
        several: Fraction of the cells in which more than one is.
    """

    image: Array
    fractions: list[float]
    several: float


def painted(space: MapData) -> Painted:
    """Return the colours of a map's cells, of a very fine map those of a coarser one."""
    request = request_of(space)
    impossible = space.impossible
    if max(axis.count for axis in space.axes) > _FINEST:
        coarse = (replace(axis, count=_coarse(axis.count)) for axis in space.axes)
        request = replace(request, grid=tuple(coarse))
        impossible = None if impossible is None else fill(replace(request, bodies=())).impossible
    shape = tuple(axis.count for axis in reversed(request.grid))  # (ny, nx) or (nz, ny, nx)
    count = np.zeros(shape, np.uint16)
    light = np.zeros((*shape, 3), np.float32)
    fractions = []
    for number, body in enumerate(space.bodies):
        hit = fill(replace(request, bodies=(body,))).cells > 0
        count += hit
        light[hit] += body_colour(number)
        fractions.append(float(hit.mean()))
    image = np.ones_like(light)
    one = count > 0
    image[one] = light[one] / count[one, None]
    many = count > 1
    image[many] = (1 - _DARKER) * image[many] + _DARKER * np.array(INK, np.float32)
    if impossible is not None:
        image[impossible] = IMPOSSIBLE
    return Painted(image.astype(np.float64), fractions, float(many.mean()))


def body_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of a body, counted from 0."""
    return mixed(solution_colour(number), WHITE, 0.12)


def _coarse(count: int) -> int:
    """Return how many values a picture shows of ``count``."""
    return -(-count // -(-count // _FINEST))
