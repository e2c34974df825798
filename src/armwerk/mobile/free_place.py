"""Where something can be put down without standing in a robot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from armwerk.geometry.shape import Shape

Disc: TypeAlias = tuple[float, float, float]
"""x, y and radius [m]."""
_STEP = 0.01  # [m] between the rings on which is looked
_RINGS, _AROUND = 200, 24


def free_place(x: float, y: float, radius: float, taken: Sequence[Disc]) -> tuple[float, float]:
    """Return the nearest place at which a disc touches no other [m].

    Args:
        x: Where it is wanted [m].
        y: Where it is wanted [m].
        radius: Of the disc [m].
        taken: The others.
    """
    for ring in range(_RINGS):
        for way in range(_AROUND if ring else 1):
            angle = 2 * math.pi * way / _AROUND
            px, py = x + ring * _STEP * math.cos(angle), y + ring * _STEP * math.sin(angle)
            if all(math.hypot(px - a, py - b) > radius + r for a, b, r in taken):
                return px, py
    return x, y


def disc_radius(solids: Sequence[Shape]) -> float:
    """Return the radius of the upright cylinder about the origin around some solids [m]."""
    reach = 0.0
    for solid in solids:
        far = np.abs(solid.bounds[:, :2]).max(axis=0)
        reach = max(reach, float(math.hypot(far[0], far[1])))
    return reach
