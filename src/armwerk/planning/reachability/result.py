"""`Reach`: solutions and manipulability per voxel, and what can be done with them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.accelerator import Device
from armwerk.arrays import Array, Integers
from armwerk.collision.bodies import Bodies
from armwerk.errors import ShapeError
from armwerk.files import write_bytes
from armwerk.pictures.inline import InlinePicture, drawn_inline
from armwerk.planning.options import ContactMethod, ReachMethod
from armwerk.planning.saved_format import known_format
from armwerk.robot.arm import Arm

ContactUsed: TypeAlias = ContactMethod | Literal["none"]
"""How contact was decided; "none": there was nothing to touch."""
ENDINGS = (".png", ".svg", ".npz")


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


@dataclass(frozen=True, eq=False, repr=False)
class Reach(ReachData):
    """What an arm reaches, voxel by voxel.

    Args:
        arm: The arm.
        bodies: What is around it.
        method: "forward" or "inverse".
        contact: How contact was decided: "none" (no bodies), "spheres", "boxes" or "exact".
        corner: Least corner of the voxels [m]. Shape (3,).
        cell: Edge of a voxel [m].
        counts: Free configurations whose tool point is in a voxel (forward), or free inverse
            solutions over all orientations at its centre (inverse). Shape (nx, ny, nz). Read-only.
        manipulability: The best √det(J Jᵀ) over them, J the linear part of the Jacobian at the
            tool, 0 where nothing is reached [m³ for an arm of turning joints]; of an arm whose
            tool stays on a surface the root of the sum of the 2 x 2 main minors [m²], on a line
            the length [m]. Shape (nx, ny, nz). Read-only.
        oriented: Number of tool orientations reached; None of a forward sweep. Shape (nx, ny, nz).
        orientations: The tool orientations asked for; None of a forward sweep. Shape (k, 3, 3).
        tried: Number of configurations, or of poses.
        touching: Number of configurations, or of solutions within limits, that touch a body.
        rank: In how many directions the tool can move, 0 to 3.
        seconds: What the sweep took [s].
        engine: What it ran on.
        device: "cpu" or "gpu".
    """

    def save(self, path: str | Path) -> Path:
        """Write a picture (.png, .svg) or all that is known (.npz); return where it is.

        Raises:
            DescriptionError: For another ending, or when the file cannot be written.
        """
        path = checked_path(path)
        if path.suffix.lower() != ".npz":
            return self.plot(path)
        stream = io.BytesIO()
        np.savez_compressed(stream, allow_pickle=False, **_contents(self))
        return write_bytes(path, stream.getbuffer(), "file", make_folder=True)

    @overload
    def plot(
        self, path: str | Path, *, title: str | None = None, height: float | None = None
    ) -> Path: ...
    @overload
    def plot(
        self, path: None = None, *, title: str | None = None, height: float | None = None
    ) -> InlinePicture: ...
    def plot(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        height: float | None = None,
    ) -> Path | InlinePicture:
        """Draw it; see `armwerk.planning.reachability.picture`.

        Args:
            path: Ends in .png or .svg; None: a notebook shows the picture that is returned.
            title: Above the picture; None: the arm's title.
            height: The view from above shows the layer at this height alone [m]; None: all.

        Returns:
            The file written, or the picture.
        """
        from armwerk.planning.reachability.picture import draw  # matplotlib is heavy

        if path is not None:
            return draw(self, path, title=title, height=height)
        return drawn_inline(lambda file: draw(self, file, title=title, height=height))

    def __repr__(self) -> str:
        nx, ny, nz = self.shape
        return (
            f"<Reach of '{self.arm.name}', {self.method}: {self.reached} of {nx} x {ny} x {nz} "
            f"voxels of {self.cell:g} m>"
        )


def _contents(reach: ReachData) -> dict[str, NDArray[np.generic]]:
    contents: dict[str, NDArray[np.generic]] = {
        "counts": reach.counts,
        "manipulability": reach.manipulability,
        "corner": reach.corner,
        "cell": np.array(reach.cell),
        "arm": np.array(reach.arm.name),
        "bodies": np.array(reach.bodies.names, dtype=str),
        "method": np.array(reach.method),
        "contact": np.array(reach.contact),
        "tried": np.array(reach.tried),
        "touching": np.array(reach.touching),
        "rank": np.array(reach.rank),
        "seconds": np.array(reach.seconds),
    }
    if reach.oriented is not None and reach.orientations is not None:
        contents["oriented"] = reach.oriented
        contents["orientations"] = reach.orientations
    return contents


def checked_path(path: str | Path) -> Path:
    """Return the path when its ending names a format that a reach can be saved in."""
    return known_format(path, ENDINGS)
