"""Frames that go along a curve, for orientations related to the path.

On an arc the frame turns about the circle's axis. On other curves it follows the tangent without
turning about it (rotation-minimising): ω = p' × p''. That has no jump at points of inflection and
is defined on straight stretches, as the Frenet frame is not; on a plane curve both are the same up
to sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import rotation_exp
from armwerk.motion.curves.arc import Arc
from armwerk.motion.curves.curve import Curve
from armwerk.motion.curves.line import Line
from armwerk.motion.curves.point import Point
from armwerk.motion.path.orientation import PathFrame

_GAUSS = (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0)
STEP = 0.02
"""[rad] the frame turns by between two knots at most: the method's error goes with the fifth power
of it."""
_MAX_KNOTS = 4000


@dataclass(frozen=True, slots=True, eq=False)
class ArcFrame:
    """F(s) = exp(s axis / radius).

    Args:
        rate: Axis over radius [1/m]. Shape (3,).
    """

    rate: Array

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return F and ω, ω', ω''. Shapes (m, 3, 3)."""
        rates = np.zeros((len(s), 3, 3))
        rates[:, 0] = self.rate
        return rotation_exp(s[:, None] * self.rate), rates


@dataclass(frozen=True, slots=True, eq=False)
class TangentFrame:
    """dF/ds = [p' × p'']× F, from a table of knots and one Magnus step from the nearest.

    Args:
        curve: What it follows.
        knots: Arc lengths of the table [m]. Shape (k,).
        frames: F there. Shape (k, 3, 3).
    """

    curve: Curve
    knots: Array
    frames: Array

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return F and ω, ω', ω''. Shapes (m, 3, 3)."""
        s = np.clip(s, 0.0, self.curve.length)
        piece = np.clip(np.searchsorted(self.knots, s, "right") - 1, 0, len(self.knots) - 1)
        start = self.knots[piece]
        frame = _step(self.curve, start, s - start) @ self.frames[piece]
        return frame, self._rates(s)

    def _rates(self, s: Array) -> Array:
        given = self.curve.evaluate(s)
        # the fourth derivative of the curve, which only the jerk needs, by differences
        h = 1e-4 * self.curve.length
        low, high = np.maximum(s - h, 0.0), np.minimum(s + h, self.curve.length)
        change = self.curve.evaluate(high)[:, 3] - self.curve.evaluate(low)[:, 3]
        fourth = change / (high - low)[:, None]
        tangent, bend, third = given[:, 1], given[:, 2], given[:, 3]
        return np.stack(
            [
                np.cross(tangent, bend),
                np.cross(tangent, third),
                np.cross(bend, third) + np.cross(tangent, fourth),
            ],
            axis=1,
        )


def path_frame(curve: Curve) -> PathFrame | None:
    """Return the frame that goes along a curve; None where it does not turn."""
    if isinstance(curve, Line | Point):
        return None
    if isinstance(curve, Arc):
        return ArcFrame(curve.axis / curve.radius)
    coarse = curve.evaluate(np.linspace(0.0, curve.length, 65))
    largest = float(np.linalg.norm(coarse[:, 2], axis=1).max())
    cells = int(np.clip(math.ceil(largest * curve.length / STEP), 16, _MAX_KNOTS))
    knots = np.linspace(0.0, curve.length, cells + 1)
    steps = _step(curve, knots[:-1], np.diff(knots))
    frames = np.empty((cells + 1, 3, 3))
    frames[0] = np.eye(3)
    for k in range(cells):
        frames[k + 1] = steps[k] @ frames[k]
    return TangentFrame(curve, knots, frames)


def _step(curve: Curve, start: Array, h: Array) -> Array:
    """Return the turn of the frame from ``start`` over ``h``, to the fourth order. (m, 3, 3)."""
    rates = []
    for node in _GAUSS:
        given = curve.evaluate(start + node * h)
        rates.append(np.cross(given[:, 1], given[:, 2]))
    mean = 0.5 * h[:, None] * (rates[0] + rates[1])
    bend = math.sqrt(3.0) / 12.0 * (h**2)[:, None] * np.cross(rates[0], rates[1])
    return np.asarray(rotation_exp(mean - bend))
