"""Several arms with their starts and goals, and what is around them, as a TOML file.

    kind = "arms"

    [[arm]]
    name = "left"
    description = "ur5e"                  # a name of the library, or a file beside this one
    start = ["-50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]
    goal = ["50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]

    [[arm]]
    name = "right"
    description = "ur5e"
    position = [-1, 0, 0]                 # of its base
    turn = ["180 deg", 0, 0]
    start = ["-50 deg", "-80 deg", "110 deg", "-120 deg", "-90 deg", 0]
    pose = { position = [-0.6, 0.3, 0.4], turn = [0, "180 deg", 0] }    # of the tool, in the world

    [[body]]                              # as in a bodies file, standing or moving
    kind = "box"
    size = [2.4, 1.6, 0.04]
    position = [-0.5, 0, -0.06]

A goal is joint values, a pose of the tool, or a ``point`` [m] that it shall be at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies_around import BodiesAround, read_around
from armwerk.collision.motion_toml import PLACE, read_pose, vector
from armwerk.collision.moving_toml import ARM_KEYS, joint_row, read_arm
from armwerk.collision.open_mesh import OpenMesh
from armwerk.errors import DescriptionError
from armwerk.planning.paths.in_time import WITHIN
from armwerk.planning.paths.together import MotionsTogether, find_together
from armwerk.robot.arm import Arm
from armwerk.robot.reading import Fields, KeyPath, TomlDocument, read_toml

_GOALS = ("goal", "pose", "point")


@dataclass(frozen=True, eq=False)
class ArmsTogether:
    """Arms that are to move at once.

    Args:
        arms: Where they stand, each with a name of its own.
        starts: Joint values of each [rad or m]. Each of shape (n,).
        goals: Of each: joint values (n,), a pose (4, 4) or a point (3,) [m].
        around: What stands and moves around them.
        shapes: Of the arms; None: as `armwerk.collision.load_shapes` finds them.
    """

    arms: tuple[Arm, ...]
    starts: tuple[Array, ...]
    goals: tuple[Array, ...]
    around: BodiesAround
    shapes: tuple[ArmShapes | None, ...]

    @classmethod
    def load(cls, path: str | Path, open_meshes: OpenMesh = "refuse") -> ArmsTogether:
        """Return what a file of kind "arms" holds.

        Args:
            path: Ends in .toml.
            open_meshes: What is made of meshes that are not closed, see `Bodies.load`.

        Raises:
            DescriptionError: With file, line, arm or body, value and what is allowed.
        """
        document, folder = read_toml(path), Path(path).parent
        kind = document.table.get("kind")
        if kind != "arms":
            raise document.error("wrong kind of file", ("kind",), "kind", kind, '"arms"')
        document.only((), document.table, ("kind", "title", "arm", "body"))
        tables = document.table.get("arm", [])
        sound = isinstance(tables, list) and all(isinstance(one, dict) for one in tables)
        if not sound or len(tables) < 2:
            count = len(tables) if sound else tables
            raise document.error("too few", ("arm",), "arm", count, "two or more [[arm]] tables")
        found = [_arm(document, number, table, folder) for number, table in enumerate(tables)]
        names = [arm.name for arm, *_ in found]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise document.error(
                    "name used twice", ("arm", number), f"arm '{name}'", None, "a name of its own"
                )
        arms, shapes, starts, goals = zip(*found, strict=True)
        around = read_around(document, folder, open_meshes)
        return cls(arms, starts, goals, around, shapes)

    def find(
        self,
        seconds: float = 30.0,
        seed: int = 0,
        *,
        margin: float = 0.0,
        within: float = WITHIN,
        start: float = 0.0,
    ) -> MotionsTogether:
        """Return motions of all arms that touch nothing; see `find_together`."""
        return find_together(
            self.arms,
            self.around.bodies,
            self.starts,
            self.goals,
            seconds,
            seed,
            margin=margin,
            within=within,
            shapes=self.shapes,
            moving=self.around.moving,
            start=start,
        )


def _arm(
    document: TomlDocument, number: int, table: Fields, folder: Path
) -> tuple[Arm, ArmShapes | None, Array, Array]:
    path: KeyPath = ("arm", number)
    name = table.get("name", f"arm{number + 1}")
    if not isinstance(name, str) or not name:
        raise document.error("not a text", (*path, "name"), f"arm {number + 1}, name", name)
    within = f"arm '{name}'"
    document.only(path, table, ("name", *ARM_KEYS, "start", *_GOALS), within)
    arm, shapes = read_arm(document, path, table, folder, within)
    arm = replace(arm, name=name)
    told = [key for key in _GOALS if key in table]
    if len(told) != 1:
        raise document.error(
            "missing" if not told else f"given beside {told[0]}",
            (*path, *told[1:2]),
            f"{within}, {told[1] if told else 'goal'}",
            None,
            f"one of {', '.join(_GOALS)}",
        )
    read: dict[str, Callable[[object], Array]] = {
        "goal": lambda value: joint_row(value, arm, "goal"),
        "pose": lambda value: _pose(document, (*path, "pose"), value, within),
        "point": lambda value: np.array(vector(value, "length", "point")),
    }
    try:
        start = joint_row(table.get("start"), arm, "start")
        return arm, shapes, start, read[told[0]](table[told[0]])
    except DescriptionError as error:
        if error.line is not None:
            raise
        raise document.place(error, path, within=within) from None


def _pose(document: TomlDocument, path: KeyPath, value: object, within: str) -> Array:
    document.only(path, value, PLACE, f"{within}, pose")
    if not isinstance(value, dict) or "position" not in value:
        raise DescriptionError("missing", element="pose, position", allowed="a place [m]")
    return read_pose(value)
