"""glTF and GLB: bytes come in, a tree of named groups goes out.

The tree of nodes is read here, for names must come out as they stand in the file and a knot in the
tree must be told; buffers, accessors, strips and materials are read by trimesh.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.mobile.files.group import MOST_DEPTH, MOST_GROUPS, MeshGroup, Triangulation

_MAGIC = b"glTF"
_JSON = 0x4E4F534A
_HEAD, _CHUNK = struct.Struct("<4sII"), struct.Struct("<II")


def read_glb(content: bytes, file: Path) -> tuple[MeshGroup, ...]:
    """Return the objects of a binary glTF file, in the file's coordinates and unit.

    Raises:
        DescriptionError: Saying what is wrong with the file.
    """
    if len(content) < _HEAD.size + _CHUNK.size or not content.startswith(_MAGIC):
        raise _wrong("is no GLB file", file, allowed="a file that begins with 'glTF'")
    _, version, _ = _HEAD.unpack_from(content)
    if version != 2:
        raise _wrong("another version of glTF", file, value=version, allowed="2")
    size, kind = _CHUNK.unpack_from(content, _HEAD.size)
    start = _HEAD.size + _CHUNK.size
    if kind != _JSON or start + size > len(content):
        raise _wrong("is cut off or damaged: its description is missing", file)
    header = _header(content[start : start + size], file)
    return _groups(header, content[start + size :], file)


def read_gltf(content: bytes, file: Path) -> tuple[MeshGroup, ...]:
    """Return the objects of a glTF text; its buffers lie beside it or within.

    Raises:
        DescriptionError: Saying what is wrong with the file.
    """
    return _groups(_header(content, file), None, file)


def _wrong(problem: str, file: Path, **more: str | int | float | None) -> DescriptionError:
    value, allowed = more.get("value"), more.get("allowed") or ""
    return DescriptionError(problem, element="scene", value=value, allowed=str(allowed), file=file)


def _header(text: bytes, file: Path) -> dict[str, object]:
    try:
        header = json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _wrong("its description is no UTF-8", file) from None
    except json.JSONDecodeError as error:
        raise DescriptionError(
            f"its description is no JSON ({error.msg})",
            element="scene",
            file=file,
            line=error.lineno,
        ) from None
    except RecursionError:
        raise _wrong("its description is nested too deeply", file) from None
    if not isinstance(header, dict):
        raise _wrong("its description is no table", file)
    return {str(key): value for key, value in header.items()}


class _NodeReader:
    """Walks the nodes of one file."""

    def __init__(
        self, header: Mapping[str, object], meshes: Mapping[int, Triangulation], file: Path
    ) -> None:
        self.file = file
        self.nodes = _tables(header, "nodes", file)
        self.meshes = meshes
        self._seen: set[int] = set()

    def group(self, index: object, depth: int = 0) -> MeshGroup:
        number = _whole(index, "number of a node", self.file)
        if not 0 <= number < len(self.nodes):
            raise _wrong(
                "names a node that does not exist",
                self.file,
                value=number,
                allowed=f"0 to {len(self.nodes) - 1}",
            )
        if number in self._seen:
            raise _wrong(f"node {number} is held twice, or holds itself", self.file)
        if depth > MOST_DEPTH:
            raise _wrong("groups too deep within groups", self.file, allowed=f"{MOST_DEPTH}")
        self._seen.add(number)
        node = self.nodes[number]
        name = str(node.get("name") or "").strip()
        mesh = None
        if "mesh" in node:
            which = _whole(node["mesh"], f"mesh of node {number}", self.file)
            mesh = self.meshes.get(which)
            if mesh is None:
                raise _wrong(
                    f"node {number} '{name}' names mesh {which}, which holds no triangles",
                    self.file,
                )
        children = node.get("children", [])
        if not isinstance(children, list):
            raise _wrong(f"children of node {number} are no list", self.file)
        return MeshGroup(
            name,
            self._matrix(node, number),
            mesh,
            tuple(self.group(child, depth + 1) for child in children),
        )

    def _matrix(self, node: Mapping[str, object], number: int) -> Array:
        if "matrix" in node:
            return self._numbers(node["matrix"], 16, f"node {number}, matrix").reshape(4, 4).T
        matrix = np.eye(4)
        if "rotation" in node:
            x, y, z, w = self._numbers(node["rotation"], 4, f"node {number}, rotation")
            norm = float(np.sqrt(x * x + y * y + z * z + w * w))
            if norm < 1e-6:
                raise _wrong(f"node {number}, rotation has no length", self.file)
            x, y, z, w = x / norm, y / norm, z / norm, w / norm
            matrix[:3, :3] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        if "scale" in node:
            matrix[:3, :3] *= self._numbers(node["scale"], 3, f"node {number}, scale")
        if "translation" in node:
            place = self._numbers(node["translation"], 3, f"node {number}, translation")
            matrix[:3, 3] = place
        return matrix

    def _numbers(self, value: object, count: int, what: str) -> Array:
        try:
            numbers = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (count,) or not np.isfinite(numbers).all():
            raise _wrong(f"{what} is wrong", self.file, allowed=f"{count} finite numbers")
        return numbers


def _groups(header: dict[str, object], binary: bytes | None, file: Path) -> tuple[MeshGroup, ...]:
    scenes = _tables(header, "scenes", file)
    if not scenes:
        raise _wrong("holds no scene", file, allowed="a glTF file with at least one scene")
    chosen = _whole(header.get("scene", 0), "number of the scene", file)
    if not 0 <= chosen < len(scenes):
        raise _wrong("names a scene that does not exist", file, value=chosen)
    if len(_tables(header, "nodes", file)) > MOST_GROUPS:
        raise _wrong("too many nodes", file, allowed=f"at most {MOST_GROUPS}")
    roots = scenes[chosen].get("nodes", [])
    if not isinstance(roots, list):
        raise _wrong("nodes of the scene are no list", file)
    reader = _NodeReader(header, _meshes(header, binary, file), file)
    return tuple(reader.group(root) for root in roots)


def _meshes(
    header: dict[str, object], binary: bytes | None, file: Path
) -> dict[int, Triangulation]:
    """Return the triangles of each mesh by its number."""
    import trimesh
    from trimesh.resolvers import FilePathResolver

    meshes = _tables(header, "meshes", file)
    if not meshes:
        return {}
    # Numbers for names, so that what comes back is found again, and no nodes: they are read here.
    plain = {key: value for key, value in header.items() if key not in {"animations", "skins"}}
    plain["meshes"] = [{**mesh, "name": f"mesh{i}"} for i, mesh in enumerate(meshes)]
    plain["nodes"] = [{"name": f"node{i}", "mesh": i} for i in range(len(meshes))]
    plain["scenes"], plain["scene"] = [{"nodes": list(range(len(meshes)))}], 0
    for unread in ("images", "textures", "samplers", "cameras"):
        plain.pop(unread, None)
    text = json.dumps(plain).encode()
    kind = "gltf"
    if binary is not None:
        text += b" " * (-len(text) % 4)
        total = _HEAD.size + _CHUNK.size + len(text) + len(binary)
        text = _HEAD.pack(_MAGIC, 2, total) + _CHUNK.pack(len(text), _JSON) + text + binary
        kind = "glb"
    try:
        loaded = trimesh.load_scene(
            io.BytesIO(text),
            file_type=kind,
            resolver=FilePathResolver(str(file)),
            process=False,
            merge_primitives=True,
        )
        found = {name: mesh for name, mesh in loaded.geometry.items() if hasattr(mesh, "faces")}
        return {
            i: Triangulation(
                np.array(found[f"mesh{i}"].vertices, dtype=np.float64).reshape(-1, 3),
                np.array(found[f"mesh{i}"].faces, dtype=np.int64).reshape(-1, 3),
                _colour(plain, meshes[i]),
            )
            for i in range(len(meshes))
            if f"mesh{i}" in found
        }
    except DescriptionError:
        raise
    except Exception as error:  # whatever a damaged file makes a reader stumble over
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:160]
        raise _wrong(f"its triangles cannot be read ({reason})", file) from None


def _colour(
    header: Mapping[str, object], mesh: Mapping[str, object]
) -> tuple[float, float, float] | None:
    """Return the base colour of a mesh's first material; None: it has none that can be read."""
    try:
        primitives, materials = mesh["primitives"], header["materials"]
        assert isinstance(primitives, list)
        assert isinstance(materials, list)
        first = materials[primitives[0]["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
        red, green, blue = (min(1.0, max(0.0, float(part))) for part in first[:3])
    except (AssertionError, KeyError, IndexError, TypeError, ValueError):
        return None
    return red, green, blue


def _tables(header: Mapping[str, object], key: str, file: Path) -> Sequence[dict[str, object]]:
    rows = header.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _wrong(f"'{key}' is no list of tables", file)
    return [dict(row) for row in rows]


def _whole(value: object, what: str, file: Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(f"{what} is no whole number", file, value=str(value)[:40])
    return value
