"""Maps in files: .npy holds the bare cells, .npz all that is needed to use them elsewhere."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armwerk.files import write_bytes
from armwerk.planning.maps.data import MapData


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
