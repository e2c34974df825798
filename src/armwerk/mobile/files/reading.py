"""Mesh files on disk: GLB, glTF and OBJ, read whole or refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.mobile.files.gltf import read_glb, read_gltf
from armwerk.mobile.files.group import MOST_BYTES, MOST_TRIANGLES, MeshGroup
from armwerk.mobile.files.obj import read_obj

READERS = {".glb": read_glb, ".gltf": read_gltf, ".obj": read_obj}
_UPWARDS = {  # to coordinates whose z points up
    "y": np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]),
    "z": np.eye(4),
}


def read_groups(path: str | Path) -> tuple[MeshGroup, ...]:
    """Return the objects of a mesh file, in its own coordinates and unit.

    A single root without triangles that most exporters put around everything is left out, unless
    it is a robot.

    Raises:
        DescriptionError: When the file is missing, of another kind, damaged, empty or too large.
    """
    file = Path(path)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise DescriptionError(
            "no mesh file",
            element="scene",
            value=file.suffix,
            allowed=", ".join(READERS),
            file=file,
        )
    groups = reader(read_bytes(file), file)
    while len(groups) == 1 and groups[0].mesh is None and not holds_sensor(groups[0]):
        root = groups[0]
        groups = tuple(
            MeshGroup(child.name, root.matrix @ child.matrix, child.mesh, child.children)
            for child in root.children
        )
    triangles = [
        len(group.mesh.faces) for top in groups for group, _ in top.walk() if group.mesh is not None
    ]
    if not sum(triangles):
        raise DescriptionError("holds no triangles", element="scene", file=file)
    if sum(triangles) > MOST_TRIANGLES:
        raise DescriptionError(
            "too many triangles",
            element="scene",
            value=sum(triangles),
            allowed=f"at most {MOST_TRIANGLES}",
            file=file,
        )
    return groups


def read_bytes(file: Path) -> bytes:
    """Return what a file holds.

    Raises:
        DescriptionError: When it cannot be read or is larger than 64 MiB.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DescriptionError(
            f"cannot be read ({reason})", element="scene", allowed="an existing file", file=file
        ) from None
    if len(content) > MOST_BYTES:
        raise DescriptionError(
            "the file is too large",
            element="scene",
            allowed=f"at most {MOST_BYTES} bytes",
            file=file,
        )
    return content


def holds_sensor(group: MeshGroup) -> bool:
    """Whether a group is a robot by its names: a child's begins with ``sensor``."""
    return any(begins(child.name, "sensor") for child in group.children)


def begins(name: str, word: str) -> bool:
    """Whether a name begins with a word, in small or capital letters."""
    return name.lower().startswith(word)


def upwards(axis: str) -> Array:
    """Return the matrix that turns an axis of a file, "y" or "z", upwards. Shape (4, 4)."""
    return _UPWARDS[axis]
