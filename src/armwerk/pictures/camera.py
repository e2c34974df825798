"""A pinhole camera: points in space to points on paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera that looks at ``target`` with the world's z axis upright in the picture.

    Args:
        target: The point looked at, world [m]. Shape (3,).
        distance: From the eye to the target [m].
        azimuth: Direction from target to eye, about z from the x axis [rad].
        elevation: Of the eye above the horizontal [rad].
    """

    target: Array
    distance: float
    azimuth: float
    elevation: float

    @property
    def frame(self) -> Array:
        """Rows: right and up in the picture, and towards the eye. Shape (3, 3)."""
        ca, sa = np.cos(self.azimuth), np.sin(self.azimuth)
        ce, se = np.cos(self.elevation), np.sin(self.elevation)
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    @property
    def eye(self) -> Array:
        """Where the camera stands, world [m]. Shape (3,)."""
        return np.asarray(self.target + self.distance * self.frame[2], dtype=np.float64)

    def project(self, points: Array) -> Array:
        """Return picture coordinates, in metres at the target's depth. (m, 3) to (m, 2)."""
        seen = (np.asarray(points, dtype=np.float64) - self.target) @ self.frame.T
        scale = self.distance / np.maximum(self.distance - seen[..., 2:], 1e-3 * self.distance)
        return np.asarray(seen[..., :2] * scale, dtype=np.float64)
