"""Wavefront OBJ: text comes in, a tree of named groups goes out.

``o NAME`` begins an object and ``g NAME`` a part of it; several names after ``g``, or a name with
slashes, are groups within groups: ``g gripper hand_left`` within ``o robot1`` is the robot's
gripper's left hand. Lines are read here and not by trimesh, which joins the names of groups and
drops lines it does not understand; here each is told with its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from armwerk.errors import DescriptionError
from armwerk.mobile.files.group import MOST_DEPTH, MOST_GROUPS, MeshGroup, Triangulation

_NOWHERE = {"default", "off", "(null)"}  # what exporters write for "no group"
_UNREAD = {"vt", "vn", "vp", "s", "l", "p", "mg", "cstype", "deg", "bevel", "lod"}
_Triangle = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class _ObjGroup:
    """A group that grows while the lines are read."""

    name: str
    faces: list[_Triangle] = field(default_factory=list)
    material: str = ""
    children: dict[str, _ObjGroup] = field(default_factory=dict)


def read_obj(content: bytes, file: Path) -> tuple[MeshGroup, ...]:
    """Return the objects of an OBJ file, in the file's coordinates and unit.

    Raises:
        DescriptionError: With the line that is wrong.
    """
    reader = _ObjLines(file)
    text = content.decode("utf-8", errors="replace").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if words:
            reader.read(words[0], words[1:], number)
    return reader.groups()


class _ObjLines:
    """Takes one line after the other."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.vertices: list[tuple[float, float, float]] = []
        self.root = _ObjGroup("")
        self.object: _ObjGroup | None = None
        self.group = self.root
        self.material = ""
        self.colours: dict[str, tuple[float, float, float]] = {}
        self.count = 0

    def read(self, key: str, words: Sequence[str], line: int) -> None:
        if key == "v":
            self._vertex(words, line)
        elif key == "f":
            self._face(words, line)
        elif key == "o":
            self.object = self._below(self.root, [" ".join(words)], line)
            self.group = self.object
        elif key == "g":
            parts = [part for word in words for part in word.split("/") if part]
            parts = [part for part in parts if part.lower() not in _NOWHERE]
            self.group = self._below(self.object or self.root, parts, line)
        elif key == "usemtl":
            self.material = " ".join(words)
        elif key == "mtllib":
            self.colours |= _materials(self.file.parent / " ".join(words))
        elif key not in _UNREAD:
            raise self._wrong("is no line of an OBJ file", line, key, "v, f, o, g, usemtl, …")

    def _wrong(self, problem: str, line: int, value: object = None, allowed: str = "") -> Exception:
        return DescriptionError(
            problem, element="scene", value=value, allowed=allowed, file=self.file, line=line
        )

    def _below(self, node: _ObjGroup, names: Sequence[str], line: int) -> _ObjGroup:
        if len(names) > MOST_DEPTH:
            raise self._wrong("groups too deep within groups", line, len(names), f"{MOST_DEPTH}")
        for name in names:
            if name not in node.children:
                node.children[name] = _ObjGroup(name)
                self.count += 1
                if self.count > MOST_GROUPS:
                    raise self._wrong("too many groups", line, allowed=f"at most {MOST_GROUPS}")
            node = node.children[name]
        return node

    def _vertex(self, words: Sequence[str], line: int) -> None:
        try:
            x, y, z = (float(word) for word in words[:3])
        except ValueError:
            raise self._wrong("no vertex", line, " ".join(words), "v X Y Z") from None
        if not np.isfinite((x, y, z)).all():
            raise self._wrong("a vertex that is not finite", line, (x, y, z))
        self.vertices.append((x, y, z))

    def _face(self, words: Sequence[str], line: int) -> None:
        rows = []
        for word in words:
            try:
                row = int(word.split("/", 1)[0])
            except ValueError:
                raise self._wrong("no number of a vertex", line, word) from None
            index = row - 1 if row > 0 else len(self.vertices) + row
            if row == 0 or not 0 <= index < len(self.vertices):
                known = f"1 to {len(self.vertices)}, or counted backwards from -1"
                raise self._wrong("a vertex that does not exist", line, row, known)
            rows.append(index)
        if len(rows) < 3:
            raise self._wrong("a face needs three vertices", line, " ".join(words))
        self.group.material = self.group.material or self.material
        self.group.faces += [(rows[0], b, c) for b, c in pairwise(rows[1:])]

    def groups(self) -> tuple[MeshGroup, ...]:
        """Return what has been read."""
        vertices = np.array(self.vertices, dtype=np.float64).reshape(-1, 3)

        def made(node: _ObjGroup) -> MeshGroup:
            mesh = None
            if node.faces:
                faces = np.array(node.faces, dtype=np.int64)
                used, rows = np.unique(faces, return_inverse=True)
                colour = self.colours.get(node.material)
                mesh = Triangulation(vertices[used], rows.reshape(-1, 3).astype(np.int64), colour)
            return MeshGroup(
                node.name, np.eye(4), mesh, tuple(made(child) for child in node.children.values())
            )

        whole = made(self.root)
        loose = () if whole.mesh is None else (MeshGroup("", np.eye(4), whole.mesh),)
        return (*loose, *whole.children)


def _materials(path: Path) -> dict[str, tuple[float, float, float]]:
    """Return the diffuse colours of a material file; what cannot be read has none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return {}
    colours: dict[str, tuple[float, float, float]] = {}
    name = ""
    for words in (line.split() for line in lines):
        if words[:1] == ["newmtl"]:
            name = " ".join(words[1:])
        elif words[:1] == ["Kd"] and len(words) >= 4:
            try:
                red, green, blue = (min(1.0, max(0.0, float(word))) for word in words[1:4])
            except ValueError:
                continue
            colours[name] = (red, green, blue)
    return colours
