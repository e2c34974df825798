"""What is around an arm: bodies that stand, and what moves by itself, in one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.bodies_toml import (
    body_lines,
    check_kind,
    moves,
    read_body,
    read_tables,
    toml_path,
    write_lines,
)
from armwerk.collision.body import Body, Region
from armwerk.collision.mesh_file import ENDINGS
from armwerk.collision.moving_body import Moving, MovingArm, MovingBody, movers
from armwerk.collision.moving_toml import moving_lines, read_moving
from armwerk.collision.open_mesh import OpenMesh
from armwerk.errors import DescriptionError
from armwerk.geometry import Shape
from armwerk.robot.reading import Fields, TomlDocument, read_toml


@dataclass(frozen=True, slots=True, eq=False, init=False)
class BodiesAround:
    """What an arm can collide with, standing and moving.

    Args:
        bodies: What stands.
        moving: What moves by itself: `MovingBody` and `MovingArm`.

    Raises:
        DescriptionError: For anything else, and for a name used twice.
    """

    bodies: Bodies
    moving: tuple[Moving, ...]

    def __init__(self, bodies: Bodies | Iterable[Body] = (), moving: Iterable[Moving] = ()) -> None:
        object.__setattr__(self, "bodies", as_bodies(bodies))
        object.__setattr__(self, "moving", movers(moving))
        taken = set(self.bodies.names)
        for one in self.moving:
            if one.name in taken:
                raise DescriptionError(
                    "name used twice", element=f"body '{one.name}'", allowed="a name of its own"
                )
            taken.add(one.name)

    @classmethod
    def load(cls, path: str | Path, open_meshes: OpenMesh = "refuse") -> BodiesAround:
        """Return what a bodies file holds; see `bodies_toml`, `motion_toml` and `moving_toml`.

        Args:
            path: Ends in .toml; or in .stl, .obj or .dae, one body that stands.
            open_meshes: What is made of meshes that are not closed, see `Bodies.load`.

        Raises:
            DescriptionError: With file, line, body, value and what is allowed.
        """
        path = Path(path)
        if path.suffix.lower() in ENDINGS.split(", "):
            return cls(Bodies.load(path, open_meshes))
        document = read_toml(path)
        check_kind(document)
        return read_around(document, path.parent, open_meshes)

    @classmethod
    def of(cls, several: Iterable[Body | Moving]) -> BodiesAround:
        """Return bodies of both sorts, in their order."""
        given = tuple(several)
        return cls(
            [one for one in given if isinstance(one, Shape | Region)],
            [one for one in given if isinstance(one, MovingBody | MovingArm)],
        )

    def save(self, path: str | Path) -> None:
        """Write a .toml file; it is complete or untouched, and every digit is kept.

        Large meshes, long lists of poses, trajectories and arms that are not in the library go to
        files beside it, named after it and the number of the body. A trajectory along curves of
        the tool is sampled.

        Raises:
            UnsupportedError: For a motion of your own, which no file can tell.
        """
        path = toml_path(path, "bodies")
        lines = ['kind = "bodies"']
        for number, body in enumerate(self.bodies):
            lines += ["", "[[body]]", *body_lines(body, path, number)]
        for number, one in enumerate(self.moving, start=len(self.bodies)):
            lines += ["", "[[body]]", *moving_lines(one, path, number)]
        write_lines(path, lines)

    def __repr__(self) -> str:
        names = [*self.bodies.names, *(f"{one.name} (moves)" for one in self.moving)]
        return f"<BodiesAround {', '.join(names) or 'none'}>"


def read_around(document: TomlDocument, folder: Path, open_meshes: OpenMesh) -> BodiesAround:
    """Return what the [[body]] tables of a file hold, whatever else is in it."""

    def read(number: int, table: Fields) -> Body | Moving:
        if moves(table):
            return read_moving(document, number, table, folder, open_meshes)
        return read_body(document, number, table, folder, open_meshes)

    return BodiesAround.of(read_tables(document, read))
