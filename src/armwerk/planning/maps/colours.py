"""Which bodies are hit where, as colours: one for each body, mixed where several are hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.pictures.palette import INK, WHITE, mixed, solution_colour

_FINEST = 1500  # values along an axis that a picture can still show
_IMPOSSIBLE = (0.86, 0.87, 0.88)
_DARKER = 0.28  # share of ink where several bodies are hit at once


@dataclass(frozen=True, eq=False)
class Painted:
    """A map as a picture.

    Args:
        image: Red, green, blue, 0 to 1. Shape (ny, nx, 3), or (nz, ny, nx, 3).
        shares: Share of the cells in which each body is hit.
        several: Share of the cells in which more than one is.
    """

    image: Array
    shares: list[float]
    several: float


def painted(space: Any) -> Painted:
    """Return the colours of a map's cells, of a very fine map those of a coarser one."""
    coarse = _coarse(space)
    count = np.zeros(coarse.cells.shape, np.uint16)
    light = np.zeros((*coarse.cells.shape, 3), np.float32)
    shares = []
    for number in range(len(space.bodies)):
        hit = coarse.hit_by(number)
        count += hit
        light[hit] += body_colour(number)
        shares.append(float(hit.mean()))
    image = np.ones_like(light)
    one = count > 0
    image[one] = light[one] / count[one, None]
    many = count > 1
    image[many] = (1 - _DARKER) * image[many] + _DARKER * np.array(INK, np.float32)
    if coarse.impossible is not None:
        image[coarse.impossible] = _IMPOSSIBLE
    return Painted(image.astype(np.float64), shares, float(many.mean()))


def body_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of a body, counted from 0."""
    return mixed(solution_colour(number), WHITE, 0.12)


def _coarse(space: Any) -> Any:
    from armwerk.planning.mapping import cspace

    counts = [axis.count for axis in space.axes]
    if max(counts) <= _FINEST:
        return space
    asked = space.asked()
    asked["shape"] = tuple(-(-count // -(-count // _FINEST)) for count in counts)
    return cspace(space.arm, space.bodies, **asked)
