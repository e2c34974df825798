"""Triangles of COLLADA files (.dae), as robots of ROS have them, by pycollada.

The unit that a file states is applied. The axis that it calls "up" is not: in ROS, z points up
whatever the file says, and meshes are drawn so that this fits.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError

if TYPE_CHECKING:
    from collections.abc import Iterator


def collada_triangles(data: bytes, path: Path) -> Array:
    """Return the triangles of a COLLADA file [m]. Shape (m, 3, 3).

    Raises:
        DescriptionError: For a file that is none, or without triangles.
    """
    import collada

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numpy, about what pycollada uses
            # what a mesh can do without, such as textures that are missing, is passed over
            document = collada.Collada(io.BytesIO(data), ignore=[collada.common.DaeError])
            rows = [*_triangles(document)] if document.scene is not None else []
        unit = float(document.assetInfo.unitmeter or 1.0)
    except Exception as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise DescriptionError(
            f"cannot be read as COLLADA ({words:.200})", element="file", file=path
        ) from None
    if not rows:
        raise DescriptionError(
            "has no triangles", element="file", allowed="COLLADA with triangles", file=path
        )
    return np.concatenate(rows) * unit


def _triangles(document: object) -> Iterator[Array]:
    """Yield the triangles of every part of the scene, placed."""
    for geometry in document.scene.objects("geometry"):  # type: ignore[attr-defined]
        for primitive in geometry.primitives():
            made = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
            index = getattr(made, "vertex_index", None)
            if index is not None and np.ndim(index) == 2 and np.shape(index)[1] == 3:
                yield np.asarray(made.vertex, dtype=np.float64)[np.asarray(index)]
