"""`ConfigurationSpace`: the cells of a map, what was counted, and what can be done with them.

Of files, .npy holds the bare cells, .npz all that is needed to use them elsewhere.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array, Flags
from armwerk.files import write_bytes
from armwerk.pictures.inline import InlinePicture, drawn_inline
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.filling import fill, request_of
from armwerk.planning.maps.methods import clearance
from armwerk.planning.saved_format import known_format

PICTURES = (".png", ".svg")
ENDINGS = (*PICTURES, ".npy", ".npz")


@dataclass(frozen=True, eq=False, repr=False)
class ConfigurationSpace(MapData):
    """Which bodies an arm hits over two or three of its joints.

    Args:
        arm: The arm.
        shapes: Its solids.
        parts: Names of those that move, one test each per cell and body.
        bodies: What is around it.
        axes: The joints that run, with their values.
        q: Values of all joints, of which those of the axes do not count [rad or m]. Shape (n,).
        cells: Sum of body number + 1 over all contacts, 0 where nothing is touched; where a closed
            chain cannot close nothing can be (see ``free``). Shape (ny, nx): a column per value of
            the first axis, a row per value of the second, the largest on top; with three axes
            (nz, ny, nx). Read-only.
        hits: Number of tests that found contact.
        seconds: What filling the cells took [s].
        method: How they were filled.
        impossible: Where a closed chain of the arm cannot close, or a coupled joint would be beyond
            its own limits, so that it cannot be there; None: nowhere. Shape as ``cells``.
    """

    def hit_by(self, body: int | str) -> Flags:
        """Return where a body is hit by any part, found anew for it alone. Shape as ``cells``.

        Args:
            body: Its name or its number.
        """
        request = replace(request_of(self), bodies=(self.bodies[body],))
        return np.asarray(fill(request).cells > 0)

    def clearance(self) -> Array:
        """Return the distance of the arm to the nearest body [m], 0 in contact.

        Of boxes that stay upright on one plane it is exact to rounding. Shape as ``cells``.
        """
        return clearance(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture (.png, .svg), the bare cells (.npy), or all that is known (.npz).

        Raises:
            DescriptionError: For another ending, or when the file cannot be written.
        """
        path = checked_path(path)
        return self.plot(path) if path.suffix.lower() in PICTURES else save(self, path)

    @overload
    def plot(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        clearance: bool = False,
        route: ArrayLike | None = None,
    ) -> Path: ...
    @overload
    def plot(
        self,
        path: None = None,
        *,
        title: str | None = None,
        clearance: bool = False,
        route: ArrayLike | None = None,
    ) -> InlinePicture: ...
    def plot(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        clearance: bool = False,
        route: ArrayLike | None = None,
    ) -> Path | InlinePicture:
        """Draw the map; see `armwerk.planning.maps.picture`.

        Args:
            path: Ends in .png or .svg; None: a notebook shows the picture that is returned.
            title: Above the picture; None: the arm's title.
            clearance: Whether to show distances instead of bodies.
            route: Joint values along a way to be drawn [rad or m]. Shape (m, n) or (m, 2).

        Returns:
            The file written, or the picture.
        """
        from armwerk.planning.maps.picture import draw  # matplotlib is heavy

        if path is not None:
            return draw(self, path, title=title, clearance=clearance, route=route)
        return drawn_inline(
            lambda file: draw(self, file, title=title, clearance=clearance, route=route)
        )

    def __repr__(self) -> str:
        names = ", ".join(axis.name for axis in self.axes)
        return (
            f"<ConfigurationSpace of '{self.arm.name}' over {names}: {self.cells.shape}, "
            f"{self.hits} of {self.tests} tests hit>"
        )


def checked_path(path: str | Path) -> Path:
    """Return the path when its ending names a format that a map can be saved in."""
    return known_format(path, ENDINGS)


def save(space: MapData, path: Path) -> Path:
    """Write a map to a .npy or .npz file, whole or not at all, and return its path.

    An .npz holds ``cells``; ``values_0``, ``values_1`` (and ``values_2``): the values of each axis,
    ascending [rad or m]; ``axes``: numbers of the joints; ``names``, ``units``; ``q``: all joint
    values; ``bodies``, ``parts``: names; ``tests``, ``hits``, ``seconds``; ``arm``, ``method``; and
    ``impossible`` where the arm has closed chains that cannot close.
    """
    stream = io.BytesIO()
    if path.suffix.lower() == ".npy":
        np.save(stream, space.cells)
    else:
        np.savez_compressed(stream, allow_pickle=False, **_contents(space))
    return write_bytes(path, stream.getbuffer(), "map", make_folder=True)


def _contents(space: MapData) -> dict[str, NDArray[np.generic]]:
    contents: dict[str, NDArray[np.generic]] = {
        "cells": space.cells,
        "axes": np.array([axis.index for axis in space.axes]),
        "names": np.array([axis.name for axis in space.axes]),
        "units": np.array(["rad" if axis.kind == "revolute" else "m" for axis in space.axes]),
        "q": space.q,
        "bodies": np.array(space.bodies.names, dtype=str),
        "parts": np.array(space.parts, dtype=str),
        "tests": np.array(space.tests),
        "hits": np.array(space.hits),
        "seconds": np.array(space.seconds),
        "arm": np.array(space.arm.name),
        "method": np.array(space.method),
    }
    for number, axis in enumerate(space.axes):
        contents[f"values_{number}"] = axis.values
    if space.impossible is not None:
        contents["impossible"] = space.impossible
    return contents
