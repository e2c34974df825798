"""Bodies, and the solids of an arm, as TOML, the form people write by hand.

    kind = "bodies"

    [[body]]
    kind = "box"
    name = "table"
    size = ["1.2 m", "800 mm", "40 mm"]
    position = [0.6, 0, "-20 mm"]
    turn = ["30 deg", 0, 0]           # a, b, c: about z, then y, then x

    [[body]]
    kind = "mesh"
    file = "fixture.stl"              # beside this file, or below
    unit = "mm"
    open_mesh = "close"               # of a mesh with holes: close, hull, surface; else refused

    [[body]]
    kind = "cylinder"
    radius = 1.5
    length = 2.0
    region = true                     # the arm must stay inside

Kinds and their sizes: box (size), sphere (radius), cylinder and capsule (radius, length), cone
(radius, length, top_radius), half_space (normal), mesh (file and unit, or vertices and faces).
All but the half-space may have a turn, or a ``rotation`` of three rows. Numbers are SI; texts
carry a unit. A body with a table ``[body.motion]`` moves; `armwerk.collision.BodiesAround` reads
these as well.

The solids of an arm have the form of a table of bodies.

    kind = "arm shapes"
    arm = "puma560"                   # refused for an arm of another name

    [[shape]]
    link = "link2"                    # or the name of a joint, "base", "tool"
    kind = "box"
    size = ["500 mm", "150 mm", "120 mm"]
    position = [-0.2, 0, 0.1]         # in the frame that the joint's row ends in

    [[shape]]
    link = "link3"
    kind = "mesh"
    file = "forearm.stl"              # beside this file, or below
    unit = "mm"

Kinds, sizes and places are those of bodies, without half-spaces.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from armwerk.collision.body import Body, Region, named_bodies
from armwerk.collision.mesh_file import ENDINGS, load_mesh, save_mesh
from armwerk.collision.open_mesh import WAYS, OpenMesh, made_solid
from armwerk.errors import DescriptionError
from armwerk.files import write_text
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
    rotation_from_zyx,
)
from armwerk.robot.dimension import number_in
from armwerk.robot.reading import Fields, KeyPath, TomlDocument, parse_toml, read_toml

_SIZES: dict[str, tuple[type[Shape], tuple[str, ...]]] = {
    "box": (Box, ("size",)),
    "sphere": (Sphere, ("radius",)),
    "cylinder": (Cylinder, ("radius", "length")),
    "capsule": (Capsule, ("radius", "length")),
    "cone": (Cone, ("radius", "length", "top_radius")),
    "half_space": (HalfSpace, ("normal",)),
    "mesh": (Mesh, ("file", "unit", "vertices", "faces", "open_mesh")),
}
_KINDS = {sort: kind for kind, (sort, _) in _SIZES.items()}
_OPTIONAL = ("top_radius", "unit", "file", "vertices", "faces", "open_mesh")
_QUANTITY = {"normal": "number", "vertices": "length", "rotation": "number", "turn": "angle"}
_INLINE = 100  # triangles of a mesh up to which they are written into the table itself
MOVING = ("arm", "group")
"""Kinds of bodies that move in any case, see `armwerk.collision.moving_toml`."""


class HasName(Protocol):
    """Whatever has a name."""

    @property
    def name(self) -> str:
        """For messages; empty: none."""
        ...


_Around = TypeVar("_Around", bound=HasName)


def load_bodies(path: str | Path, open_meshes: OpenMesh = "refuse") -> list[Body]:
    """Return the bodies of a TOML file; of a mesh file, the one body that it is.

    Args:
        path: Ends in .toml; or in .stl, .obj or .dae, numbers in metres.
        open_meshes: What is made of meshes that are not closed, where the file does not say.

    Raises:
        DescriptionError: With file, line, body, value and what is allowed.
    """
    path = Path(path)
    if path.suffix.lower() in ENDINGS.split(", "):
        return [load_mesh(path, open_mesh=open_meshes)]
    return _bodies(read_toml(path), path.parent, open_meshes)


def parse_bodies(text: str, folder: Path) -> list[Body]:
    """Return the bodies of a text.

    Args:
        text: TOML.
        folder: In which mesh files lie.

    Raises:
        DescriptionError: With line, body, value and what is allowed.
    """
    return _bodies(parse_toml(text), folder)


def _bodies(document: TomlDocument, folder: Path, open_meshes: OpenMesh = "refuse") -> list[Body]:
    check_kind(document)

    def read(number: int, table: Fields) -> Body:
        if moves(table):
            raise DescriptionError(
                "moves", element="motion", allowed="a body that stands; plan and move take others"
            )
        return read_body(document, number, table, folder, open_meshes)

    return read_tables(document, read)


def moves(table: Fields) -> bool:
    """Whether a table is that of something that moves."""
    return "motion" in table or table.get("kind") in MOVING


def check_kind(document: TomlDocument) -> None:
    """Refuse a file that is not of kind "bodies"."""
    kind = document.table.get("kind")
    if kind != "bodies":
        raise document.error("wrong kind of file", ("kind",), "kind", kind, '"bodies"')
    document.only((), document.table, ("kind", "title", "body"))


def read_tables(document: TomlDocument, read: Callable[[int, Fields], _Around]) -> list[_Around]:
    """Return what is read from each [[body]] table; mistakes are told with their place.

    Args:
        document: A file with such tables.
        read: Takes number, from 0, and table.

    Raises:
        DescriptionError: With file, line, body, value and what is allowed.
    """
    tables = document.table.get("body", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise document.error("wrong type", ("body",), "body", tables, "[[body]] tables")
    found: list[_Around] = []
    names: set[str] = set()
    for number, table in enumerate(tables):
        try:
            found.append(read(number, table))
            name = found[-1].name
            if name in names and name:
                raise DescriptionError(
                    "name used twice", element=f"body '{name}'", allowed="a name of its own"
                )
            names.add(name)
        except DescriptionError as error:
            if error.file is not None:  # a mesh file's own
                raise
            raise document.place(error, ("body", number), within=f"body {number + 1}") from None
    return found


def read_body(
    document: TomlDocument, number: int, table: Fields, folder: Path, open_meshes: OpenMesh
) -> Body:
    """Return the body of the table of a number, from 0, that stands."""
    path = ("body", number)
    said = {"open_mesh": open_meshes} if table.get("kind") == "mesh" else {}
    table = {**said, **table}
    shape = read_shape(document, path, table, folder, ("region",))
    region = table.get("region", False)
    if not isinstance(region, bool):
        element = f"body {number + 1}, region"
        raise document.error("not true or false", (*path, "region"), element, region)
    body: Body = Region(shape) if region else shape
    named_bodies((body,))  # so that mistakes are found where they stand
    return body


def read_shape(
    document: TomlDocument,
    path: KeyPath,
    table: dict[str, Any],
    folder: Path,
    more: tuple[str, ...] = (),
) -> Shape:
    """Return the shape of one table, as this module describes it.

    Args:
        document: Where it stands.
        path: Where it stands there; it ends in the name of the array of tables and its number.
        table: The table.
        folder: In which mesh files lie.
        more: Keys that are allowed besides, and read by the caller.
    """
    kind = table.get("kind")
    what = str(path[-2])
    within = f"{what} '{table['name']}'" if table.get("name") else f"{what} {int(path[-1]) + 1}"
    if not isinstance(kind, str) or kind not in _SIZES:
        raise document.error(
            "missing" if kind is None else f"unknown kind of {what}",
            (*path, "kind"),
            f"{within}, kind",
            kind,
            ", ".join(_SIZES),
        )
    sort, sizes = _SIZES[kind]
    turning = () if sort is HalfSpace else ("turn", "rotation")
    keys = ("kind", "name", *more, "position", *turning, *sizes)
    document.only(path, table, keys, within)
    for key in sizes:
        if key not in table and key not in _OPTIONAL:
            raise document.error("missing", path, f"{within}, {key}")
    given = {
        key: _number(table[key], key)
        for key in (*sizes, "position", "rotation")
        if key in table and key not in ("file", "unit", "faces", "open_mesh")
    }
    if "turn" in table:
        if "rotation" in table:
            raise document.error("given beside a rotation", (*path, "turn"), f"{within}, turn")
        given["rotation"] = rotation_from_zyx(_number(table["turn"], "turn"))
    if "name" in table:
        given["name"] = table["name"]
    return _mesh(table, given, folder, within) if sort is Mesh else sort(**given)


def _number(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_number(one, key) for one in value]
    return number_in(value, _QUANTITY.get(key, "length"), key)


def _mesh(table: dict[str, Any], given: dict[str, Any], folder: Path, within: str) -> Mesh:
    way = table.get("open_mesh", "refuse")
    if way not in WAYS:
        raise DescriptionError(
            "unknown way", element=f"{within}, open_mesh", value=way, allowed=", ".join(WAYS)
        )
    if "file" not in table:
        for key in ("vertices", "faces"):
            if key not in table:
                raise DescriptionError("missing", element=f"{within}, {key}", allowed="or a file")
        return made_solid(Mesh(faces=table["faces"], **given), way)
    file = table["file"]
    if not isinstance(file, str) or "vertices" in table or "faces" in table:
        raise DescriptionError(
            "not the name of a file alone",
            element=f"{within}, file",
            value=file,
            allowed="a text, without vertices and faces",
        )
    place = beside(folder, file, f"{within}, file")
    return load_mesh(place, table.get("unit", "m"), open_mesh=way, **given)


def beside(folder: Path, file: object, element: str) -> Path:
    """Return the path of a file that a table names, beside the table or below.

    Raises:
        DescriptionError: For anything else.
    """
    if not isinstance(file, str) or not file:
        raise DescriptionError(
            "not the name of a file", element=element, value=file, allowed="a text in quotes"
        )
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise DescriptionError(
            "leads out of the folder",
            element=element,
            value=file,
            allowed="a file beside the table or below",
        )
    return folder / file


def save_bodies(bodies: Iterable[Body], path: str | Path) -> None:
    """Write bodies to a .toml file; it is complete or untouched, and every digit is kept.

    Meshes of more than 100 triangles go to OBJ files beside it, named after file and body.
    """
    path = toml_path(path, "bodies")
    lines = ['kind = "bodies"']
    for number, body in enumerate(bodies):
        lines += ["", "[[body]]", *body_lines(body, path, number)]
    write_lines(path, lines)


def body_lines(body: Body, path: Path, number: int) -> list[str]:
    """Return the lines of the table of a body that stands; see `shape_lines`."""
    if isinstance(body, Region):
        return [*shape_lines(body.shape, path, number), "region = true"]
    return shape_lines(body, path, number)


def toml_path(path: str | Path, what: str) -> Path:
    """Return a path that ends in .toml, or say that it does not."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise DescriptionError(
            f"unknown ending of a file of {what}",
            element="file",
            value=path.suffix,
            allowed=".toml",
            file=path,
        )
    return path


def shape_lines(shape: Shape, path: Path, number: int) -> list[str]:
    """Return the lines of a shape's table; a large mesh is written to a file beside ``path``."""
    lines = [f'kind = "{_KINDS[type(shape)]}"']
    if shape.name:
        lines.append(f"name = {written(shape.name)}")
    if isinstance(shape, Mesh) and len(shape.faces) > _INLINE:
        file = path.with_name(f"{path.stem}_{number}.obj")
        save_mesh(shape, file)
        lines.append(f"file = {written(file.name)}")
    else:
        for key in _SIZES[_KINDS[type(shape)]][1]:
            if hasattr(shape, key):
                lines.append(f"{key} = {written(getattr(shape, key))}")
    lines.append(f"position = {written(shape.position)}")
    if not isinstance(shape, HalfSpace) and not np.array_equal(shape.rotation, np.eye(3)):
        lines.append(f"rotation = {written(shape.rotation)}")
    return lines


def write_lines(path: Path, lines: list[str]) -> None:
    """Write a text file that is complete or untouched."""
    write_text(path, "\n".join(lines) + "\n")


def written(value: object) -> str:
    """Return a text, number or list as TOML has it, every digit kept."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list):
        return f"[{', '.join(written(one) for one in value)}]"
    return repr(value)


def load_table(path: str | Path, name: str, links: dict[str, int]) -> dict[str, list[Shape]]:
    """Return the shapes of a file by link.

    Args:
        path: The file.
        name: The arm's name.
        links: What its links may be called.

    Raises:
        DescriptionError: With file, line, shape, value and what is allowed.
    """
    document = read_toml(path)
    kind, arm = document.table.get("kind"), document.table.get("arm", name)
    if kind != "arm shapes":
        raise document.error("wrong kind of file", ("kind",), "kind", kind, '"arm shapes"')
    document.only((), document.table, ("kind", "title", "arm", "shape"))
    if arm != name:
        raise document.error("they are those of another arm", ("arm",), "arm", arm, f"'{name}'")
    tables = document.table.get("shape", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise document.error("wrong type", ("shape",), "shape", tables, "[[shape]] tables")
    found: dict[str, list[Shape]] = {}
    for number, table in enumerate(tables):
        place = ("shape", number)
        link = _link(document, number, table.get("link"), links)
        try:
            shape = read_shape(document, place, table, Path(path).parent, ("link",))
            if "name" not in table:  # of its link, not of its file
                shape = replace(shape, name="")  # type: ignore[type-var]
            if isinstance(shape, HalfSpace):
                raise DescriptionError("has no end", element="kind", value="half_space")
        except DescriptionError as error:
            if error.file is not None:  # a mesh file's own
                raise
            raise document.place(error, place, within=f"shape {number + 1}") from None
        found.setdefault(link, []).append(shape)
    return found


def _link(document: TomlDocument, number: int, link: object, links: dict[str, int]) -> str:
    if not isinstance(link, str) or link not in links:
        raise document.error(
            "missing" if link is None else "no such link",
            ("shape", number, "link"),
            f"shape {number + 1}, link",
            link,
            ", ".join(links),
        )
    return link


def save_table(path: str | Path, name: str, shapes: list[tuple[str, Shape]]) -> None:
    """Write shapes, each with the name of its link; the file is complete or untouched."""
    path = toml_path(path, "arm shapes")
    lines = ['kind = "arm shapes"', f"arm = {written(name)}"]
    for number, (link, shape) in enumerate(shapes):
        lines += ["", "[[shape]]", f"link = {written(link)}", *shape_lines(shape, path, number)]
    write_lines(path, lines)
