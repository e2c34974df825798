"""What moves by itself, as ``[[body]]`` tables of a bodies file.

A body that stands becomes one that moves by a table ``[body.motion]``, see
`armwerk.collision.motion_toml`. Several shapes that move together are one body,

    [[body]]
    kind = "group"
    name = "platform"

    [[body.shape]]
    kind = "box"
    size = [0.8, 0.6, 0.3]

    [[body.shape]]
    kind = "cylinder"
    radius = 0.1
    length = 0.5
    position = [0, 0, 0.4]

    [body.motion]
    waypoints = [{ time = 0, position = [0, -1, 0] }, { time = 4, position = [0, 1, 0] }]

and another robot is an arm with its motion.

    [[body]]
    kind = "arm"
    name = "neighbour"
    description = "ur5e"            # a name of the library, or a file beside this one
    position = [-1, 0, 0]           # of its base
    turn = ["180 deg", 0, 0]

    [body.motion]
    file = "neighbour.csv"          # as `armwerk plan --save` and `armwerk move --save` write it
    begin = "0.5 s"

In place of a file, ``table = "rows.toml"`` names a table of trajectories (from ``start``, joint
values, or the most sensible that fit), and ``waypoints`` are joint values at times; the arm stops
at each. One waypoint alone: it stands there.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes, load_shapes
from armwerk.collision.bodies_toml import beside, read_shape, shape_lines, written
from armwerk.collision.motion_toml import (
    PLACE,
    motion_lines,
    only_way,
    pose_lines,
    read_motion,
    read_pose,
    read_trajectory,
    waypoint_tables,
    waypoint_time,
)
from armwerk.collision.moving_body import Moving, MovingArm, MovingBody
from armwerk.collision.open_mesh import OpenMesh
from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.geometry import Shape
from armwerk.motion import ptp
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.polynomial import hermite_piece
from armwerk.motion.table import Table
from armwerk.motion.trajectory import Trajectory
from armwerk.robot.arm import Arm
from armwerk.robot.dimension import number_in
from armwerk.robot.files import load_arm
from armwerk.robot.reading import Fields, KeyPath, TomlDocument

_WAYS: dict[str, tuple[str, ...]] = {"file": (), "table": ("start",), "waypoints": ()}
"""What the motion of an arm is told by, and what may stand beside it."""
ARM_KEYS = ("description", *PLACE, "shapes")
"""Keys of an arm and where it stands."""


def read_moving(
    document: TomlDocument, number: int, table: Fields, folder: Path, open_meshes: OpenMesh
) -> Moving:
    """Return what moves, from the table of a number, from 0.

    Raises:
        DescriptionError: With file, line, key, value and what is allowed.
    """
    path: KeyPath = ("body", number)
    name = table.get("name", "")
    if not isinstance(name, str):
        raise DescriptionError("not a text", element="name", value=name, allowed="a text in quotes")
    name = name or f"moving_{table.get('kind', 'body')}{number}"
    within = f"body '{name}'"
    if "motion" not in table:
        raise document.error("missing", path, f"{within}, motion", allowed="a table [body.motion]")
    if table.get("kind") == "arm":
        return _arm(document, path, table, folder, name)
    if table.get("kind") == "group":
        document.only(path, table, ("kind", "name", "shape", "motion"), within)
        shapes = _group(document, path, table.get("shape"), folder, open_meshes, within)
    else:
        if "region" in table:
            raise document.error("cannot move", (*path, "region"), f"{within}, region")
        shapes = [_shape(document, path, table, folder, open_meshes, ("motion",))]
    motion = read_motion(document, (*path, "motion"), table["motion"], folder, f"{within}, motion")
    return MovingBody(shapes, motion, name)


def _group(
    document: TomlDocument,
    path: KeyPath,
    tables: Any,
    folder: Path,
    open_meshes: OpenMesh,
    within: str,
) -> list[Shape]:
    if not isinstance(tables, list) or not tables or not all(isinstance(t, dict) for t in tables):
        raise document.error(
            "no shapes", (*path, "shape"), f"{within}, shape", tables, "[[body.shape]] tables"
        )
    found = []
    for number, table in enumerate(tables):
        place = (*path, "shape", number)
        try:
            found.append(_shape(document, place, table, folder, open_meshes))
        except DescriptionError as error:
            raise error if error.file else document.place(error, place) from None
    return found


def _shape(
    document: TomlDocument,
    path: KeyPath,
    table: Fields,
    folder: Path,
    open_meshes: OpenMesh,
    more: tuple[str, ...] = (),
) -> Shape:
    said = {"open_mesh": open_meshes} if table.get("kind") == "mesh" else {}
    return read_shape(document, path, {**said, **table}, folder, more)


def _arm(
    document: TomlDocument, path: KeyPath, table: Fields, folder: Path, name: str
) -> MovingArm:
    within = f"body '{name}'"
    document.only(path, table, ("kind", "name", *ARM_KEYS, "motion"), within)
    arm, shapes = read_arm(document, path, table, folder, within)
    motion, place, told = table["motion"], (*path, "motion"), f"{within}, motion"
    beside_all = tuple(key for keys in _WAYS.values() for key in keys)
    document.only(place, motion, (*_WAYS, *beside_all, "begin"), told)
    way = only_way(document, place, motion, _WAYS, ("begin",), told)
    try:
        begin = number_in(motion.get("begin", 0.0), "time", "begin")
        if way == "waypoints":
            trajectory, first = _stops(document, (*place, way), motion[way], arm, told)
            begin += first
        elif way == "table":
            trajectory = _planned(arm, motion, folder)
        else:
            trajectory = read_trajectory(folder, motion[way], way, arm)
        if trajectory.dof != arm.dof:
            raise DescriptionError(
                f"moves {trajectory.dof} axes, but '{arm.name}' has {arm.dof}",
                element=way,
                value=motion[way],
            )
        return MovingArm(arm, trajectory, begin, shapes, name)
    except DescriptionError as error:
        if error.file is not None or error.line is not None:
            raise
        raise document.place(error, place, within=told) from None


def read_arm(
    document: TomlDocument, path: KeyPath, table: Fields, folder: Path, within: str
) -> tuple[Arm, ArmShapes | None]:
    """Return a serial arm where it stands, and its shapes if a file is named; see `ARM_KEYS`."""
    named = table.get("description")
    if not isinstance(named, str) or not named:
        raise document.error(
            "missing" if named is None else "not a text",
            (*path, "description"),
            f"{within}, description",
            named,
            "a name of the library, or a file",
        )
    try:
        arm = load_arm(folder / named if (folder / named).is_file() else named)
    except ArmwerkError as error:
        raise document.error(
            f"cannot be loaded ({error})", (*path, "description"), f"{within}, description", named
        ) from None
    try:
        arm = replace(arm, base=read_pose(table) @ arm.base)
        if "shapes" not in table:
            return arm, None
        return arm, ArmShapes.load(beside(folder, table["shapes"], "shapes"), arm)
    except DescriptionError as error:
        if error.file is not None:
            raise
        raise document.place(error, path, within=within) from None


def joint_row(values: object, arm: Arm, element: str) -> Array:
    """Return joint values of a table [rad or m]. Shape (n,).

    Raises:
        DescriptionError: When they are not as many as the arm has joints, or wrong.
    """
    if not isinstance(values, list) or len(values) != arm.dof:
        raise DescriptionError(
            f"not {arm.dof} joint values",
            element=element,
            value=values,
            allowed=f"one for each of {', '.join(joint.name for joint in arm.moving)}",
        )
    return np.array(
        [
            number_in(value, "angle" if joint.unit == "rad" else "length", element)
            for value, joint in zip(values, arm.moving, strict=True)
        ]
    )


def _stops(
    document: TomlDocument, path: KeyPath, rows: Any, arm: Arm, within: str
) -> tuple[Trajectory, float]:
    """Return the motion from stop to stop, and when it begins [s]."""
    times: list[float] = []
    places: list[Array] = []
    for number, table in enumerate(waypoint_tables(document, path, rows, within)):
        place, told = (*path, number), f"{within}, waypoint {number + 1}"
        document.only(place, table, ("time", "joints"), told)
        try:
            times.append(waypoint_time(table, times) if len(rows) > 1 or "time" in table else 0.0)
            places.append(joint_row(table.get("joints"), arm, "joints"))
        except DescriptionError as error:
            raise document.place(error, place, within=told) from None
    limits = Limits.of(arm)
    if len(times) == 1:
        return ptp(None, places[0], places[0], limits=limits), times[0]
    q, still = np.array(places), np.zeros((len(places), arm.dof))
    piece = hermite_piece(np.array(times) - times[0], q, still, still)
    return Trajectory((piece,), limits, arm), times[0]


def _planned(arm: Arm, motion: Fields, folder: Path) -> Trajectory:
    """Return the motion of a table of trajectories."""
    from armwerk.modelling import model

    start = joint_row(motion["start"], arm, "start") if "start" in motion else None
    rows = Table.load(beside(folder, motion["table"], "table"))
    try:
        with rows.naming_lines():
            return rows.path().plan(model(arm), start)
    except DescriptionError:
        raise
    except ArmwerkError as error:
        raise DescriptionError(
            f"cannot be driven ({error})", element="table", value=motion["table"]
        ) from None


def moving_lines(moving: Moving, path: Path, number: int) -> list[str]:
    """Return the lines of a table; what is long goes to files beside ``path``, by its number."""
    if isinstance(moving, MovingArm):
        return _arm_lines(moving, path, number)
    motion = ["[body.motion]", *motion_lines(moving.motion, path, number)]
    if len(moving.shapes) == 1:
        return [*shape_lines(moving.shapes[0], path, number), "", *motion]
    lines = ['kind = "group"', f"name = {written(moving.name)}"]
    for k, shape in enumerate(moving.shapes):
        own = replace(shape, name=shape.name.removeprefix(f"{moving.name}."))  # type: ignore[type-var]
        file = path.with_name(f"{path.stem}_{number}.toml")
        lines += ["", "[[body.shape]]", *shape_lines(own, file, k)]
    return [*lines, "", *motion]


def _arm_lines(moving: MovingArm, path: Path, number: int) -> list[str]:
    arm, (shapes,) = moving.checker.arms[0], moving.checker.shapes
    assert isinstance(arm, Arm)
    lines = ['kind = "arm"', f"name = {written(moving.name)}"]
    known = _described(arm)
    if known is None:
        file = path.with_name(f"{path.stem}_{number}_arm.toml")
        arm.save(file)
        known = arm
        lines.append(f"description = {written(file.name)}")
    else:
        lines += [f"description = {written(arm.file or arm.name)}", *pose_lines(arm.base)]
    if list(load_shapes(replace(known, base=arm.base))) != list(shapes):
        file = path.with_name(f"{path.stem}_{number}_shapes.toml")
        shapes.save(file)
        lines.append(f"shapes = {written(file.name)}")
    file = path.with_name(f"{path.stem}_{number}.npz")
    moving.trajectory.save(file)
    motion = [f"file = {written(file.name)}", f"begin = {moving.begin!r}"]
    return [*lines, "", "[body.motion]", *motion]


def _described(arm: Arm) -> Arm | None:
    """Return the arm of a library or file that this one is, but for its base; None: there is none.

    One whose own base is not that of the world is none, since both would have to be multiplied.
    """
    try:
        known = load_arm(arm.file or arm.name)
    except ArmwerkError:
        return None
    same = np.array_equal(known.base, np.eye(4)) and replace(known, base=arm.base) == arm
    return known if same else None
