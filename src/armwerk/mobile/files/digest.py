"""What a mesh file is known by: a hash of its names, places and triangles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from armwerk.arrays import Array
from armwerk.mobile.files.group import MeshGroup


def digest_of(groups: Sequence[MeshGroup], unit: float = 1.0) -> str:
    """Return the SHA-256 of the names, places and triangles of a mesh file.

    Colours and attributes do not count, so that settings stay valid when those are edited.

    Args:
        groups: Of the file.
        unit: Metres in one unit of the file.
    """
    mark = hashlib.sha256(f"unit {unit!r}\n".encode())
    for text in _lines(groups, 0):
        mark.update(text)
    return mark.hexdigest()


def _lines(groups: Iterable[MeshGroup], depth: int) -> Iterable[bytes]:
    for group in groups:
        yield f"{depth} {group.name!r}\n".encode()
        yield _exact(group.matrix)
        if group.mesh is not None:
            yield _exact(group.mesh.vertices[group.mesh.faces].reshape(-1, 3))
        yield from _lines(group.children, depth + 1)


def _exact(numbers: Array) -> bytes:
    values = np.array(numbers, dtype="<f8") + 0.0  # one zero, not two
    return f"{values.shape} ".encode() + values.tobytes()
