"""From named groups to a GLB file: the same groups give the same bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armwerk.files import write_bytes
from armwerk.mobile.files.group import MeshGroup, Triangulation

_UP = [1.0, 0, 0, 0, 0, 0, -1.0, 0, 0, 1.0, 0, 0, 0, 0, 0, 1.0]  # z up to glTF's y up, by columns
_FLOAT, _WHOLE = 5126, 5125  # glTF's words for float32 and uint32


def save_groups(groups: Sequence[MeshGroup], path: str | Path) -> Path:
    """Write objects whose z points up to a GLB file, which is complete or untouched.

    Raises:
        DescriptionError: When the place cannot be written to.
    """
    return write_bytes(path, glb_bytes(groups), "scene")


def glb_bytes(groups: Sequence[MeshGroup]) -> bytes:
    """Return objects whose z points up as a binary glTF file, in which y does."""
    writer = _GlbTables()
    roots = [writer.node(group) for group in groups]
    writer.nodes.append({"name": "scene", "matrix": _UP, "children": roots})
    header: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "armwerk"},
        "scene": 0,
        "scenes": [{"nodes": [len(writer.nodes) - 1]}],
        "nodes": writer.nodes,
    }
    if writer.meshes:
        header |= {
            "meshes": writer.meshes,
            "materials": writer.materials,
            "accessors": writer.accessors,
            "bufferViews": writer.views,
            "buffers": [{"byteLength": len(writer.binary)}],
        }
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(writer.binary)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if writer.meshes:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class _GlbTables:
    """Collects the tables of one file."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, object]] = []
        self.meshes: list[dict[str, object]] = []
        self.materials: list[dict[str, object]] = []
        self.accessors: list[dict[str, object]] = []
        self.views: list[dict[str, object]] = []
        self.binary = bytearray()
        self._colours: dict[tuple[float, float, float], int] = {}
        self._meshes: dict[int, int] = {}

    def node(self, group: MeshGroup) -> int:
        children = [self.node(child) for child in group.children]
        node: dict[str, object] = {"name": group.name}
        if not np.array_equal(group.matrix, np.eye(4)):
            node["matrix"] = [float(value) for value in group.matrix.T.ravel()]
        if group.mesh is not None:
            node["mesh"] = self._mesh(group.mesh)
        if children:
            node["children"] = children
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _mesh(self, mesh: Triangulation) -> int:
        if id(mesh) in self._meshes:  # many objects may share one shape
            return self._meshes[id(mesh)]
        vertices = mesh.vertices.astype("<f4")
        place = self._accessor(vertices.tobytes(), _FLOAT, len(vertices), "VEC3")
        self.accessors[place] |= {
            "min": [float(value) for value in vertices.min(axis=0)],
            "max": [float(value) for value in vertices.max(axis=0)],
        }
        faces = mesh.faces.astype("<u4")
        rows = self._accessor(faces.tobytes(), _WHOLE, faces.size, "SCALAR")
        part: dict[str, object] = {"attributes": {"POSITION": place}, "indices": rows}
        if mesh.colour is not None:
            part["material"] = self._material(mesh.colour)
        self.meshes.append({"primitives": [part]})
        self._meshes[id(mesh)] = len(self.meshes) - 1
        return len(self.meshes) - 1

    def _material(self, colour: tuple[float, float, float]) -> int:
        if colour not in self._colours:
            look = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.0}
            self._colours[colour] = len(self.materials)
            self.materials.append({"pbrMetallicRoughness": look})
        return self._colours[colour]

    def _accessor(self, content: bytes, kind: int, count: int, shape: str) -> int:
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content)}
        self.views.append(dict(view))
        self.binary += content
        row = {"bufferView": len(self.views) - 1, "componentType": kind, "count": count}
        self.accessors.append({**row, "type": shape})
        return len(self.accessors) - 1
