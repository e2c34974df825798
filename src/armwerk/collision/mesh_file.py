"""Meshes from STL (text or binary), OBJ and COLLADA files, and back to OBJ.

STL repeats the corners of every triangle; equal ones become one. Corners that differ only by the
rounding of single precision are joined too, when that closes the mesh. Triangles with two corners
in one place, which single precision makes of slivers, are left out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.collision.mesh_check import MOST_TRIANGLES, checked_mesh, checked_size
from armwerk.collision.open_mesh import OpenMesh, made_solid
from armwerk.errors import DescriptionError
from armwerk.geometry import Mesh
from armwerk.robot.dimension import UNITS

MOST_BYTES = 200_000_000
ENDINGS = ".stl, .obj, .dae"
"""Of files that can be read."""
_JOINED = 1e-6  # share of a mesh's size within which corners may be joined to close it
_HEADER, _RECORD = 84, 50  # bytes of a binary STL file before, and of, its triangles


def load_mesh(
    path: str | Path,
    unit: str = "m",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
    name: str = "",
    closed: bool = True,
    open_mesh: OpenMesh = "refuse",
) -> Mesh:
    """Return the mesh of an STL, OBJ or COLLADA file.

    Args:
        path: Ends in .stl, .obj or .dae.
        unit: Of the numbers in the file: "m", "cm", "mm" or "in".
        position: Where the file's origin is put [m]. Shape (3,).
        rotation: Shape (3, 3). None: unturned.
        name: Empty: the name of the file without its ending.
        closed: Whether a mesh that bounds no solid is refused.
        open_mesh: What is made of such a mesh: "close" spans its holes, "hull" takes its convex
            hull, "surface" keeps its triangles as a skin with nothing inside; "refuse": an error.

    Raises:
        DescriptionError: Naming file, line or triangle, and what is wrong.
    """
    path = Path(path)
    if not isinstance(unit, str) or unit not in UNITS["length"]:
        raise DescriptionError(
            "unknown unit", element="unit", value=unit, allowed=", ".join(UNITS["length"])
        )
    data = _read(path)
    try:
        corners, faces = _parse(path.suffix.lower(), data, path)
        corners = corners * UNITS["length"][unit]("1")
        mesh = Mesh(corners, faces, position, rotation, name or path.stem)
        checked_size(mesh)
        if not mesh.is_closed:
            mesh = _joined(mesh)
        return checked_mesh(made_solid(mesh, open_mesh), closed)
    except DescriptionError as error:
        raise error.at(path) from None


def load_surface(path: str | Path, unit: str = "m") -> Mesh:
    """Return the triangles of an STL, OBJ or COLLADA file, whether they bound a solid or not.

    `armwerk.collision.hull` makes a solid of them. Arguments and errors as for `load_mesh`.
    """
    path = Path(path)
    try:
        corners, faces = _parse(path.suffix.lower(), _read(path), path)
        return Mesh(corners * UNITS["length"][unit]("1"), faces, name=path.stem)
    except DescriptionError as error:
        raise error.at(path) from None


def save_mesh(mesh: Mesh, path: str | Path) -> None:
    """Write the triangles of a mesh to an OBJ file, every digit kept; pose and name are not."""
    path = Path(path)
    if path.suffix.lower() != ".obj":
        raise DescriptionError(
            "unknown ending of a mesh file to write", value=path.suffix, allowed=".obj", file=path
        )
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
    try:
        path.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")
    except OSError as error:
        raise DescriptionError(
            f"cannot be written ({error.strerror})",
            element="file",
            allowed="a place that exists and may be written to",
            file=path,
        ) from None


def _read(path: Path) -> bytes:
    if not path.is_file():
        problem = "is no file" if path.exists() else "does not exist"
        raise DescriptionError(problem, element="file", allowed=f"a file {ENDINGS}", file=path)
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DescriptionError(
                "is too large",
                element="file",
                value=f"{size} bytes",
                allowed=f"at most {MOST_BYTES} bytes",
                file=path,
            )
        return path.read_bytes()
    except OSError as error:
        raise DescriptionError(
            f"cannot be read ({error.strerror})", element="file", file=path
        ) from None


def _parse(ending: str, data: bytes, path: Path) -> tuple[Array, NDArray[np.int64]]:
    """Return corners, and triangles but those with two corners in one place: they bound nothing."""
    corners, faces = _triangles(ending, data, path)
    kept = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    if len(faces) and not kept.any():
        raise DescriptionError(
            "every triangle has two corners in one place",
            element="file",
            allowed="one that has not",
        )
    return corners, faces[kept]


def _triangles(ending: str, data: bytes, path: Path) -> tuple[Array, NDArray[np.int64]]:
    if ending == ".obj":
        return _obj(_text(data, path), path)
    if ending == ".dae":
        from armwerk.collision.collada_file import collada_triangles

        return _merged(collada_triangles(data, path))
    if ending != ".stl":
        raise DescriptionError(
            "unknown ending of a mesh file", element="file", value=ending, allowed=ENDINGS
        )
    if len(data) >= _HEADER:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == _HEADER + _RECORD * count:
            return _merged(_binary_stl(data, count))
        if not data.lstrip().lower().startswith(b"solid"):
            raise DescriptionError(
                "is cut short or no STL",
                element="file",
                value=f"{len(data)} bytes",
                allowed=f"{_HEADER + _RECORD * count} bytes for the {count} triangles it announces",
            )
    return _merged(_text_stl(_text(data, path), path))


def _text(data: bytes, path: Path) -> list[str]:
    try:
        return data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DescriptionError(
            "not a text", element=f"byte {error.start}", file=path, line=line
        ) from None


def _binary_stl(data: bytes, count: int) -> Array:
    if not 0 < count <= MOST_TRIANGLES:
        raise DescriptionError(
            "wrong number of triangles", value=count, allowed=f"1 to {MOST_TRIANGLES}"
        )
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows = np.frombuffer(data, record, count, _HEADER)
    return np.asarray(rows["corners"], dtype=np.float64)


def _text_stl(lines: list[str], path: Path) -> Array:
    corners: list[list[float]] = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if words and words[0].lower() == "vertex":
            corners.append(_numbers(words[1:], 3, number, path))
        elif words and words[0].lower() == "endfacet" and len(corners) % 3:
            raise DescriptionError("a facet without three vertices", file=path, line=number)
    if not corners or len(corners) % 3:
        raise DescriptionError(
            "no whole triangles", element="file", value=f"{len(corners)} vertices", file=path
        )
    return np.array(corners).reshape(-1, 3, 3)


def _obj(lines: list[str], path: Path) -> tuple[Array, NDArray[np.int64]]:
    corners: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(lines, start=1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "v":
            corners.append(_numbers(words[1:4], 3, number, path))
        elif words[0] == "f":
            ring = [_index(word, len(corners), number, path) for word in words[1:]]
            if len(ring) < 3:
                raise DescriptionError(
                    "a face of fewer than three corners", value=line.strip(), file=path, line=number
                )
            faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
    if not faces:
        raise DescriptionError("has no faces", element="file", allowed="lines 'f …'", file=path)
    return np.array(corners), np.array(faces, dtype=np.int64)


def _numbers(words: list[str], count: int, line: int, path: Path) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise DescriptionError(
            "not a point",
            element="vertex",
            value=" ".join(words),
            allowed="three finite numbers",
            file=path,
            line=line,
        )
    return numbers


def _index(word: str, count: int, line: int, path: Path) -> int:
    try:
        number = int(word.split("/", maxsplit=1)[0])
    except ValueError:
        number = 0
    place = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= place < count:
        raise DescriptionError(
            "no such vertex",
            element="face",
            value=word,
            allowed=f"1 to {count}",
            file=path,
            line=line,
        )
    return place


def _merged(triangles: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return corners and faces of triangles (m, 3, 3), equal corners made one."""
    if not np.isfinite(triangles).all():
        row = int(np.argmax(~np.isfinite(triangles).all(axis=(1, 2))))
        raise DescriptionError(
            f"triangle {row} is not finite",
            value=triangles[row].tolist(),
            allowed="finite numbers",
        )
    corners, numbers = np.unique(triangles.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    return corners, numbers.reshape(-1, 3)


def _joined(mesh: Mesh) -> Mesh:
    """Return the mesh with corners of one cell of a fine grid joined, if that closes it."""
    size = float((mesh.vertices.max(axis=0) - mesh.vertices.min(axis=0)).max())
    if size == 0:
        return mesh
    cells = np.round(mesh.vertices / (_JOINED * size)).astype(np.int64)
    _, first, numbers = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    faces = numbers.reshape(-1)[mesh.faces]
    keep = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    if not keep.any():
        return mesh
    joined = Mesh(mesh.vertices[first], faces[keep], mesh.position, mesh.rotation, mesh.name)
    return joined if joined.is_closed else mesh
