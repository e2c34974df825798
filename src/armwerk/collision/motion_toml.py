"""How a body moves, as the table ``[body.motion]`` of a bodies file.

    [[body]]
    kind = "box"
    size = ["100 mm", "100 mm", "100 mm"]
    position = [-0.5, -1.0, 0.3]            # in the frame that moves

    [body.motion]
    velocity = [0, "400 mm/s", 0]           # on a belt
    end = "10 s"                            # stands still from then on
    repeat = "2.5 s"                        # and begins again

    [body.motion]
    angular_velocity = [0, 0, "90 deg/s"]   # on a turntable, whose middle is
    position = [0.8, 0, 0]

    [body.motion]
    waypoints = [                           # straight and evenly from one to the next
        { time = 0, position = [0, -1, 0] },
        { time = "3 s", position = [0, 1, 0], turn = ["90 deg", 0, 0] },
    ]

    [body.motion]
    file = "poses.csv"                      # the same as a file, see `poses_file`

    [body.motion]
    platform = "drive.csv"                  # a trajectory of x, y and heading
    begin = "2 s"

Position and turn of the body itself count from the frame that moves: the one that the motion
places, or else that of the world at time 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.bodies_toml import beside, written
from armwerk.collision.body_motion import (
    BodyMotion,
    ConstantVelocity,
    PlatformMotion,
    Repeated,
    TimedPoses,
)
from armwerk.collision.poses_file import load_poses, save_poses
from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.geometry import rotation_from_zyx
from armwerk.geometry.arguments import transform_argument
from armwerk.motion.trajectory import Trajectory
from armwerk.robot.dimension import number_in
from armwerk.robot.reading import Fields, KeyPath, TomlDocument

PLACE = ("position", "turn", "rotation")
"""Keys of a pose."""
_WAYS: dict[str, tuple[str, ...]] = {
    "velocity": ("angular_velocity", *PLACE, "at", "begin", "end"),
    "angular_velocity": ("velocity", *PLACE, "at", "begin", "end"),
    "waypoints": (),
    "file": (),
    "platform": (*PLACE, "begin"),
}
"""What a motion is told by, and what may stand beside it."""
_AGAIN = ("repeat", "repeat_from")
_INLINE = 100  # poses up to which they are written into the table itself


def read_motion(
    document: TomlDocument, path: KeyPath, table: Any, folder: Path, within: str
) -> BodyMotion:
    """Return the motion of a table.

    Args:
        document: Where it stands.
        path: Where it stands there.
        table: The table.
        folder: In which files lie.
        within: Whose motion it is, for messages.

    Raises:
        DescriptionError: With file, line, key, value and what is allowed.
    """
    beside_all = tuple(dict.fromkeys(key for keys in _WAYS.values() for key in keys))
    document.only(path, table, (*dict.fromkeys((*_WAYS, *beside_all, *_AGAIN)),), within)
    way = only_way(document, path, table, _WAYS, (*_AGAIN,), within)
    try:
        motion = _read(document, path, table, folder, way, within)
        if "repeat" not in table:
            if "repeat_from" in table:
                raise DescriptionError("has no repeat beside it", element="repeat_from")
            return motion
        period = number_in(table["repeat"], "time", "repeat")
        begin = number_in(table.get("repeat_from", 0.0), "time", "repeat_from")
        try:
            return Repeated(motion, period, begin)
        except DescriptionError as error:
            raise DescriptionError(
                error.problem, element="repeat", value=table["repeat"], allowed=error.allowed
            ) from None
    except DescriptionError as error:
        if error.file is not None or error.line is not None:
            raise
        raise document.place(error, path, within=within) from None


def only_way(
    document: TomlDocument,
    path: KeyPath,
    table: Fields,
    ways: dict[str, tuple[str, ...]],
    always: tuple[str, ...],
    within: str,
) -> str:
    """Return by which key a motion is told; two that exclude each other are refused."""
    told = [key for key in ways if key in table]
    if not told:
        raise document.error("missing", path, within, allowed=f"one of {', '.join(ways)}")
    first = told[0]
    for key in table:
        if key != first and key not in (*ways[first], *always):
            raise document.error(
                f"given beside {first}",
                (*path, key),
                f"{within}, {key}",
                table[key],
                f"beside {first}: {', '.join((*ways[first], *always)) or 'nothing'}",
            )
    return first


def _read(
    document: TomlDocument, path: KeyPath, table: Fields, folder: Path, way: str, within: str
) -> BodyMotion:
    if way in ("velocity", "angular_velocity"):
        return _steady(table)
    if way == "waypoints":
        return _waypoints(document, (*path, "waypoints"), table["waypoints"], within)
    if way == "file":
        return load_poses(beside(folder, table["file"], "file"))
    trajectory = read_trajectory(folder, table["platform"], "platform", None)
    if trajectory.dof not in (2, 3):
        raise DescriptionError(
            f"has {trajectory.dof} axes",
            element="platform",
            value=table["platform"],
            allowed="x, y [m], or x, y [m] and heading [rad]",
        )
    begin = number_in(table.get("begin", 0.0), "time", "begin")
    return PlatformMotion(trajectory, begin, read_pose(table))


def _steady(table: Fields) -> ConstantVelocity:
    if "angular_velocity" in table and "position" not in table:
        raise DescriptionError(
            "missing",
            element="position",
            allowed="a point of its axis [m], from which the body's own position counts",
        )
    at, begin, end = (
        number_in(table[key], "time", key) if key in table else free
        for key, free in (("at", 0.0), ("begin", -np.inf), ("end", np.inf))
    )
    velocity = vector(table.get("velocity", [0.0] * 3), "speed", "velocity")
    turning = vector(table.get("angular_velocity", [0.0] * 3), "angular speed", "angular_velocity")
    if not begin <= end:
        raise DescriptionError(
            "ends before it begins", element="end", value=table["end"], allowed=f"{begin:g} s on"
        )
    return ConstantVelocity(velocity, turning, read_pose(table), at=at, begin=begin, end=end)


def _waypoints(document: TomlDocument, path: KeyPath, rows: Any, within: str) -> TimedPoses:
    tables = waypoint_tables(document, path, rows, within)
    times: list[float] = []
    poses: list[Array] = []
    for number, table in enumerate(tables):
        place, told = (*path, number), f"{within}, waypoint {number + 1}"
        document.only(place, table, ("time", *PLACE), told)
        try:
            times.append(waypoint_time(table, times))
            poses.append(read_pose(table))
        except DescriptionError as error:
            raise document.place(error, place, within=told) from None
    return TimedPoses(times, np.array(poses))


def waypoint_tables(document: TomlDocument, path: KeyPath, rows: Any, within: str) -> list[Fields]:
    """Return the tables of a list of waypoints, at least one."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise document.error(
            "not a list of tables",
            path,
            f"{within}, waypoints",
            rows,
            "[{ time = 0, … }, { time = 1, … }, …]",
        )
    return rows


def waypoint_time(table: Fields, before: list[float]) -> float:
    """Return the time of a waypoint [s], after those before it.

    Raises:
        DescriptionError: When it is missing, no time, or not after the one before.
    """
    if "time" not in table:
        raise DescriptionError("missing", element="time", allowed="when it is there [s]")
    time = number_in(table["time"], "time", "time")
    if before and not time > before[-1]:
        raise DescriptionError(
            "does not rise",
            element="time",
            value=f"{time:g} s after {before[-1]:g} s",
            allowed="later than the waypoint before",
        )
    return time


def read_trajectory(folder: Path, file: object, element: str, arm: Any) -> Trajectory:
    """Return the trajectory of a .csv or .npz file that a table names."""
    place = beside(folder, file, element)
    try:
        return Trajectory.load(place, arm)
    except DescriptionError:
        raise
    except ArmwerkError as error:
        raise DescriptionError(str(error), element=element, value=file) from None


def read_pose(table: Fields) -> Array:
    """Return the pose of position and turn, or rotation. Shape (4, 4).

    Raises:
        DescriptionError: Names the key.
    """
    pose = np.eye(4)
    if "position" in table:
        pose[:3, 3] = vector(table["position"], "length", "position")
    if "turn" in table:
        if "rotation" in table:
            raise DescriptionError("given beside a rotation", element="turn")
        pose[:3, :3] = rotation_from_zyx(vector(table["turn"], "angle", "turn"))
    elif "rotation" in table:
        rows = table["rotation"]
        if not isinstance(rows, list) or len(rows) != 3:
            raise DescriptionError(
                "not a matrix", element="rotation", value=rows, allowed="three rows of three"
            )
        pose[:3, :3] = [vector(row, "number", "rotation") for row in rows]
        try:
            transform_argument(pose, "rotation")
        except DescriptionError:
            raise DescriptionError(
                "is no rotation",
                element="rotation",
                value=rows,
                allowed="orthonormal, right-handed rows",
            ) from None
    return pose


def vector(value: object, quantity: str, element: str) -> list[float]:
    """Return three numbers in SI.

    Raises:
        DescriptionError: For anything else; names the element.
    """
    if not isinstance(value, list) or len(value) != 3:
        raise DescriptionError(
            "not three numbers", element=element, value=value, allowed=f"[x, y, z], each {quantity}"
        )
    return [number_in(one, quantity, element) for one in value]


def motion_lines(motion: BodyMotion, path: Path, number: int) -> list[str]:
    """Return the lines of a motion's table, every digit kept; what is long goes to a file beside.

    Args:
        motion: The motion.
        path: Of the table's own file.
        number: By which files beside it are named.

    Raises:
        UnsupportedError: For a motion that no file can tell.
    """
    again: list[str] = []
    if isinstance(motion, Repeated):
        again = [f"repeat = {motion.period!r}", f"repeat_from = {motion.begin!r}"]
        motion = motion.motion
    if isinstance(motion, ConstantVelocity):
        return [*_steady_lines(motion), *again]
    if isinstance(motion, TimedPoses):
        if len(motion.times) > _INLINE:
            file = path.with_name(f"{path.stem}_{number}.csv")
            save_poses(motion, file)
            return [f"file = {written(file.name)}", *again]
        rows = [
            f"    {{ {', '.join([f'time = {time!r}', *pose_lines(pose)])} }},"
            for time, pose in zip(motion.times.tolist(), motion.places, strict=True)
        ]
        return ["waypoints = [", *rows, "]", *again]
    if isinstance(motion, PlatformMotion):
        file = path.with_name(f"{path.stem}_{number}.npz")
        motion.trajectory.save(file)
        lines = [f"platform = {written(file.name)}", f"begin = {motion.begin!r}"]
        return [*lines, *pose_lines(motion.pose), *again]
    raise UnsupportedError(
        f"a motion of kind {type(motion).__name__} cannot be written to a file; these can: "
        "ConstantVelocity, TimedPoses, PlatformMotion, and each of them Repeated"
    )


def _steady_lines(motion: ConstantVelocity) -> list[str]:
    lines = [f"velocity = {written(motion.velocity)}"]
    place = pose_lines(motion.pose)
    if motion.angular_velocity.any():
        lines.append(f"angular_velocity = {written(motion.angular_velocity)}")
        place = place or ["position = [0.0, 0.0, 0.0]"]
        if not place[0].startswith("position"):
            place = ["position = [0.0, 0.0, 0.0]", *place]
    lines += place
    given = (("at", motion.at, 0.0), ("begin", motion.begin, -np.inf), ("end", motion.end, np.inf))
    return lines + [f"{key} = {value!r}" for key, value, free in given if value != free]


def pose_lines(pose: Array) -> list[str]:
    """Return position and rotation of a pose as TOML, as far as they are not those of the world."""
    lines = []
    if pose[:3, 3].any():
        lines.append(f"position = {written(pose[:3, 3])}")
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        lines.append(f"rotation = {written(pose[:3, :3])}")
    return lines
