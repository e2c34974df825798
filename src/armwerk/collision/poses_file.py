"""Poses with their times in CSV files, as tracking systems and other programs write them.

    time [s],x [m],y [m],z [m],a [deg],b [deg],c [deg]
    0,-0.5,-1.0,0.3,0,0,0
    2.5,-0.5,0.2,0.3,90,0,0

The header names columns and units. Needed are time (s, ms) and the place x, y, z (m, cm, mm, in);
the rotation may stand behind them: angles a, b, c about z, then the new y, then the new x (rad,
deg), or a quaternion qw, qx, qy, qz, or the entries r11, r12, … r33 of a matrix.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.body_motion import TimedPoses
from armwerk.errors import DescriptionError
from armwerk.files import write_text
from armwerk.geometry import rotation_from_quaternion, rotation_from_zyx
from armwerk.geometry.arguments import transform_argument
from armwerk.robot.dimension import UNITS
from armwerk.robot.reading import read_text

_PLACE = ("x", "y", "z")
_ANGLES = ("a", "b", "c")
_QUATERNION = ("qw", "qx", "qy", "qz")
_MATRIX = tuple(f"r{row}{column}" for row in "123" for column in "123")
_TURNS = ((), _ANGLES, _QUATERNION, _MATRIX)
_QUANTITIES = {"time": "time"} | dict.fromkeys(_PLACE, "length") | dict.fromkeys(_ANGLES, "angle")
_HEADING = re.compile(r"(\w+)\s*(?:\[([^\]]*)\])?")
_ALLOWED = (
    "time [s], x [m], y [m], z [m], and if it turns a [deg], b [deg], c [deg], or qw, qx, qy, qz, "
    "or r11, r12, … r33"
)
_UNIT = 1e-6  # by which the length of a quaternion may differ from 1


def load_poses(path: str | Path) -> TimedPoses:
    """Return the motion through the poses of a CSV file.

    Raises:
        DescriptionError: With file, line, value and what is allowed.
    """
    path = Path(path)
    try:
        rows = [
            (number, row)
            for number, row in enumerate(csv.reader(io.StringIO(read_text(path))), start=1)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise DescriptionError(f"is no CSV text, {error}", file=path) from None
    if len(rows) < 2:
        raise DescriptionError("holds no poses", file=path, allowed="a header and poses")
    names, units = _header(rows[0][1], path)
    values = np.array([_numbers(row, names, units, path, line) for line, row in rows[1:]])
    column = {name: values[:, k] for k, name in enumerate(names)}
    times = column["time"]
    for (before, after), (line, _) in zip(pairwise(times.tolist()), rows[2:], strict=True):
        if not after > before:
            raise DescriptionError(
                "time does not rise",
                element="time",
                value=f"{after:g} s after {before:g} s",
                allowed="later in every row",
                file=path,
                line=line,
            )
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, 3] = np.column_stack([column[name] for name in _PLACE])
    poses[:, :3, :3] = _rotations(column, path, [line for line, _ in rows[1:]])
    return TimedPoses(times, poses)


def _header(row: list[str], path: Path) -> tuple[list[str], list[str]]:
    names, units = [], []
    for cell in row:
        found = _HEADING.fullmatch(cell.strip())
        name, unit = (found.group(1), found.group(2) or "") if found else (cell, "")
        quantity = _QUANTITIES.get(name)
        known = UNITS[quantity] if quantity else {"": float}
        if (quantity is None and name not in (*_QUATERNION, *_MATRIX)) or name in names:
            raise _column("unknown column" if name not in names else "column twice", cell, path)
        if unit not in known:
            wanted = ", ".join(f"{name} [{one}]" for one in known) if quantity else name
            raise _column("no unit" if not unit else "unknown unit", cell, path, wanted)
        names.append(name)
        units.append(unit)
    needed = {"time", *_PLACE}
    if not any(set(names) == needed | set(turn) for turn in _TURNS):
        raise _column("columns missing", ", ".join(row), path)
    return names, units


def _column(problem: str, cell: str, path: Path, allowed: str = _ALLOWED) -> DescriptionError:
    return DescriptionError(
        problem, element="header", value=cell.strip(), allowed=allowed, file=path, line=1
    )


def _numbers(
    row: list[str], names: list[str], units: list[str], path: Path, line: int
) -> list[float]:
    if len(row) != len(names):
        raise DescriptionError(f"{len(row)} columns, not {len(names)}", file=path, line=line)
    found = []
    for cell, name, unit in zip(row, names, units, strict=True):
        quantity = _QUANTITIES.get(name)
        try:
            value = UNITS[quantity][unit](cell.strip()) if quantity else float(cell)
        except (ValueError, ArithmeticError):
            value = np.nan
        if not np.isfinite(value):
            raise DescriptionError(
                "not a number",
                element=name,
                value=cell.strip(),
                allowed="a finite number",
                file=path,
                line=line,
            )
        found.append(value)
    return found


def _rotations(column: dict[str, Array], path: Path, lines: list[int]) -> Array:
    """Return the rotation of each row. Shape (k, 3, 3)."""
    count = len(lines)
    if "a" in column:
        return rotation_from_zyx(np.column_stack([column[name] for name in _ANGLES]))
    if "qw" in column:
        quaternions = np.column_stack([column[name] for name in _QUATERNION])
        lengths = np.linalg.norm(quaternions, axis=1)
        wrong = np.abs(lengths - 1.0) > _UNIT
        if wrong.any():
            place = int(np.argmax(wrong))
            raise DescriptionError(
                "is no unit quaternion",
                element="qw, qx, qy, qz",
                value=quaternions[place].tolist(),
                allowed="four numbers whose squares add up to 1",
                file=path,
                line=lines[place],
            )
        return rotation_from_quaternion(quaternions / lengths[:, None])
    if "r11" not in column:
        return np.tile(np.eye(3), (count, 1, 1))
    found = np.column_stack([column[name] for name in _MATRIX]).reshape(-1, 3, 3)
    for rotation, line in zip(found, lines, strict=True):
        pose = np.eye(4)
        pose[:3, :3] = rotation
        try:
            transform_argument(pose, "r11 … r33")
        except DescriptionError as error:
            raise error.at(path, line) from None
    return found


def save_poses(motion: TimedPoses, path: Path) -> None:
    """Write poses with every digit, rotations as matrices; the file is complete or untouched."""
    rows = [",".join(["time [s]", *(f"{name} [m]" for name in _PLACE), *_MATRIX])]
    for time, pose in zip(motion.times.tolist(), motion.places, strict=True):
        numbers = [time, *pose[:3, 3].tolist(), *pose[:3, :3].ravel().tolist()]
        rows.append(",".join(repr(value) for value in numbers))
    write_text(path, "\n".join(rows) + "\n")
