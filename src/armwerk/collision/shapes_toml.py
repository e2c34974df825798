"""The solids of an arm as TOML, in the form of a table of bodies.

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

Kinds, sizes and places are those of `armwerk.collision.bodies_toml`, without half-spaces.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from armwerk.collision.bodies_toml import read_shape, shape_lines, toml_path, write_lines, written
from armwerk.errors import DescriptionError
from armwerk.geometry import HalfSpace, Shape
from armwerk.robot.reading import TomlDocument, read_toml


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
