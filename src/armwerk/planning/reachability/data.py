"""What is known of an arm's reach: plain data, on which pictures and files stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Integers
from armwerk.collision.bodies import Bodies
from armwerk.errors import ShapeError
from armwerk.planning.options import ContactMethod, Device, ReachMethod
from armwerk.robot.arm import Arm

ContactUsed: TypeAlias = ContactMethod | Literal["none"]
"""How contact was decided; "none": there was nothing to touch."""


@dataclass(frozen=True, eq=False)
class ReachData:
    """The fields of a `Reach`, described there, and what follows from them alone."""

    arm: Arm
    bodies: Bodies
    method: ReachMethod
    contact: ContactUsed
    corner: Array
    cell: float
    counts: Integers
    manipulability: Array
    oriented: Integers | None
    orientations: Array | None
    tried: int
    touching: int
    rank: int
    seconds: float
    engine: str
    device: Device

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of voxels along x, y, z."""
        return self.counts.shape

    @property
    def reached(self) -> int:
        """Number of voxels that are reached."""
        return int(np.count_nonzero(self.counts))

    @property
    def volume(self) -> float:
        """Volume of the voxels that are reached [m³]."""
        return self.reached * self.cell**3

    @property
    def fraction(self) -> float:
        """Free configurations per configuration, or poses with a free solution per pose; 0 to 1."""
        if self.oriented is not None:
            return int(self.oriented.sum()) / self.tried
        return (self.tried - self.touching) / self.tried

    @property
    def share(self) -> float:
        """Earlier name of `fraction`."""
        return self.fraction

    @property
    def edges(self) -> tuple[Array, Array, Array]:
        """Planes between the voxels along x, y, z [m]. Shapes (nx + 1,), (ny + 1,), (nz + 1,)."""
        x, y, z = (
            low + self.cell * np.arange(count + 1)
            for low, count in zip(self.corner, self.shape, strict=True)
        )
        return x, y, z

    def centres(self) -> Array:
        """Return the middles of the voxels that are reached [m]. Shape (m, 3)."""
        return np.asarray(self.corner + (np.argwhere(self.counts) + 0.5) * self.cell)

    def index(self, point: ArrayLike) -> tuple[int, ...] | None:
        """Return the voxel of a point of the world [m], for ``counts[...]``; None: outside.

        Args:
            point: Shape (3,).
        """
        p = np.asarray(point, dtype=np.float64)
        if p.shape != (3,) or not np.isfinite(p).all():
            raise ShapeError(f"point: must be three finite numbers [m], got {point!r}")
        places = np.floor((p - self.corner) / self.cell).astype(np.int64)
        if (places < 0).any() or (places >= self.shape).any():
            return None
        return tuple(int(place) for place in places)
