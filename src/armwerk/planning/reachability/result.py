"""`Reach`: solutions and manipulability per voxel, and what can be done with them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.files import write_bytes
from armwerk.planning.reachability.data import ReachData

ENDINGS = (".png", ".svg", ".npz")


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

    def plot(self, path: str | Path, *, title: str | None = None) -> Path:
        """Draw it; see `armwerk.planning.reachability.picture`.

        Args:
            path: Ends in .png or .svg.
            title: Above the picture; None: the arm's title.
        """
        from armwerk.planning.reachability.picture import draw  # matplotlib is heavy

        return draw(self, path, title=title)

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
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise DescriptionError(
            "unknown format",
            element=f"file '{path}'",
            value=path.suffix,
            allowed=", ".join(ENDINGS),
        )
    if path.is_dir():
        raise DescriptionError("is a folder", element=f"file '{path}'", allowed="a file name")
    return path
