"""Trajectories in files: CSV for people and other programs, npz for ourselves.

CSV holds samples. Its header names quantity, axis and unit of every column:

    time [s],position q1 [rad],…,velocity q1 [rad/s],…,acceleration q1 [rad/s²],…

Behind them stand place, angles and speeds of the tool, where the arm is known; they are not
read back. Between the samples a loaded motion runs on quintics that meet all three. npz holds the
pieces themselves, where they are polynomials or sin² phases, so that nothing is lost.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, MotionError
from armwerk.files import write_bytes, writing
from armwerk.mechanics.tool_motion import tool_motion
from armwerk.motion.laws.ruckig_piece import RuckigPiece
from armwerk.motion.limits import RATES, Limits, description_of
from armwerk.motion.pieces.piece import LinePiece, SampleBlock, TrajectoryPiece, cycle_times
from armwerk.motion.pieces.polynomial import PolynomialPiece, hermite_piece
from armwerk.motion.pieces.sine import SinePiece
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel
    from armwerk.robot.parts import Assembly

CLOCK = 0.004  # [s] cycle where the arm names none
ENDINGS = (".csv", ".npz")
_FORM = 1
_PER = ("", "/s", "/s²")
TOOL_COLUMNS = (
    *(f"tool {axis} [m]" for axis in "xyz"),
    *(f"tool {angle} [rad]" for angle in "abc"),
    "tool speed [m/s]",
    "tool rotation speed [rad/s]",
)
"""Of the tool: place, angles Z-Y'-X'', speed of its point, and how fast it turns."""
_QUANTITIES = ("position", *RATES[:2])
_LARGEST = 2_000_000_000  # [bytes] of a file to be read


class Loaded(NamedTuple):
    """What a file of a trajectory holds.

    Args:
        pieces: At least one.
        names: Of the axes.
        units: Of their positions, "rad" or "m".
        arrays: The limits, by their names in `Limits`; empty: not in the file.
    """

    pieces: tuple[TrajectoryPiece, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    arrays: dict[str, Array]


def save_samples(
    path: Path,
    blocks: Iterable[SampleBlock],
    dof: int,
    limits: Limits | None,
    model: ArmModel | Arm | Assembly | None = None,
) -> Path:
    """Write samples to a .csv file, block by block, and return its path.

    Args:
        path: Its folder is made when missing.
        blocks: Samples in order.
        dof: Number n of axes.
        limits: For names and units of the axes; None: "q1", "q2", … in rad.
        model: Of a serial arm: pose and speeds of its tool get columns, too; None: not known.
    """
    names, units = _labels(limits, dof)
    header = ["time [s]"]
    for quantity, per in zip(_QUANTITIES, _PER, strict=True):
        header += [f"{quantity} {n} [{u}{per}]" for n, u in zip(names, units, strict=True)]
    if _has_tool(model, dof):
        header += TOOL_COLUMNS
    with writing(path, "trajectory", make_folder=True) as file:
        file.write(_csv_text([header]))
        for block in blocks:
            columns: list[Array] = list(block)
            tool = _tool(model, block.q, block.qd)
            if tool is not None:
                columns.append(tool)
            rows = np.column_stack(columns).tolist()
            file.write(_csv_text([repr(value) for value in row] for row in rows))
    return Path(path)


def _csv_text(rows: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _has_tool(model: ArmModel | Arm | Assembly | None, dof: int) -> bool:
    arm = description_of(model)
    return isinstance(arm, Arm) and not arm.is_symbolic and arm.dof == dof


def _tool(model: ArmModel | Arm | Assembly | None, q: Array, qd: Array) -> Array | None:
    """Return place, angles and speeds of the tool, see `TOOL_COLUMNS`; None: not a serial arm."""
    arm = description_of(model)
    if not isinstance(arm, Arm) or not _has_tool(arm, q.shape[1]):
        return None
    motion = tool_motion(arm, q, qd)
    place = motion.pose[:, :3, 3]
    return np.column_stack([place, motion.angles, motion.speed, motion.rotation_speed])


def save_pieces(
    path: Path, pieces: tuple[TrajectoryPiece, ...], limits: Limits | None, dt: float
) -> Path:
    """Write the pieces themselves to a .npz file and return its path.

    Args:
        path: Its folder is made when missing.
        pieces: Polynomials and sin² phases are kept as they are, others sampled.
        limits: Of the axes; None: not known.
        dt: Cycle of samples [s].
    """
    names, units = _labels(limits, pieces[0].dof)
    arrays: dict[str, ArrayLike] = {"form": np.array(_FORM), "names": np.array(names)}
    arrays["units"] = np.array(units)
    arrays["pieces"] = np.array(len(pieces))
    if limits is not None:
        for name in (*RATES, "lowest", "highest"):
            arrays[name] = getattr(limits, name)
    for index, piece in enumerate(pieces):
        plain = _plain(piece, dt)
        for name in plain.__dataclass_fields__:
            arrays[f"{index}.{name}"] = getattr(plain, name)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return write_bytes(path, file.getvalue(), "trajectory", make_folder=True)


def load(
    path: str | Path, model: ArmModel | Arm | Assembly | None = None
) -> tuple[tuple[TrajectoryPiece, ...], Limits | None]:
    """Return the pieces in a .csv or .npz file, and the limits in it, else those of the arm."""
    path = trajectory_path(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise DescriptionError("too large", file=path, allowed=f"up to {_LARGEST} bytes")
        found = _read_csv(path) if path.suffix == ".csv" else _read_npz(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DescriptionError(f"cannot be read, {reason}", file=path) from None
    limits, dof = _limits(found, model, path), found.pieces[0].dof
    if limits is not None and limits.dof != dof:
        raise DescriptionError(f"has {dof} axes, but the arm has {limits.dof}", file=path)
    return found.pieces, limits


def clock_of(model: ArmModel | Arm | Assembly | None) -> float:
    """Return the interpolation cycle of an arm or model [s]."""
    arm = description_of(model)
    return arm.motion.clock if isinstance(arm, Arm) else CLOCK


def trajectory_path(path: str | Path) -> Path:
    """Return the path when its ending names a format, before anything is computed."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise DescriptionError(
            "unknown ending of a trajectory file",
            value=path.suffix,
            allowed=", ".join(ENDINGS),
            file=path,
        )
    return path


def _labels(limits: Limits | None, dof: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if limits is not None:
        return limits.names, limits.units
    return tuple(f"q{i + 1}" for i in range(dof)), ("rad",) * dof


def _read_csv(path: Path) -> Loaded:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DescriptionError(f"is no CSV text, {error}", file=path) from None
    if len(rows) < 2:
        raise DescriptionError("holds no samples", file=path, allowed="a header and samples")
    names, units = _header(rows[0], path)
    table = _numbers(rows, path)
    times = table[:, 0] - table[0, 0]
    q, qd, qdd = np.split(table[:, 1 : 1 + 3 * len(names)], 3, axis=1)
    if len(times) == 1:  # a motion of no length
        piece = PolynomialPiece(np.zeros((len(names), 2)), np.zeros((len(names), 1, 4)))
        piece.coefficients[:, 0, 0] = q[0]
        return Loaded((piece,), names, units, {})
    late = np.flatnonzero(np.diff(times) <= 0.0)
    if len(late):
        line = int(late[0]) + 3
        raise DescriptionError("times do not rise", element="time", file=path, line=line)
    return Loaded((hermite_piece(times, q, qd, qdd),), names, units, {})


def _header(row: list[str], path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if tuple(row[-len(TOOL_COLUMNS) :]) == TOOL_COLUMNS:
        row = row[: -len(TOOL_COLUMNS)]  # they follow from the others
    n = (len(row) - 1) // 3
    allowed = "time [s], then position, velocity and acceleration of every axis, with units"
    if len(row) != 3 * n + 1 or n == 0 or row[0] != "time [s]":
        raise DescriptionError("wrong columns", file=path, line=1, value=row, allowed=allowed)
    names, units = [], []
    for cell in row[1 : n + 1]:
        words, _, unit = cell.removesuffix("]").rpartition(" [")
        if not words.startswith("position ") or unit not in ("rad", "m"):
            raise DescriptionError("wrong column", file=path, line=1, value=cell, allowed=allowed)
        names.append(words.removeprefix("position "))
        units.append(unit)
    expected = [
        f"{quantity} {name} [{unit}{per}]"
        for quantity, per in zip(_QUANTITIES, _PER, strict=True)
        for name, unit in zip(names, units, strict=True)
    ]
    for cell, right in zip(row[1:], expected, strict=True):
        if cell != right:
            raise DescriptionError("wrong column", file=path, line=1, value=cell, allowed=right)
    return tuple(names), tuple(units)


def _numbers(rows: list[list[str]], path: Path) -> Array:
    width = len(rows[0])
    table = np.empty((len(rows) - 1, width))
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != width:
            raise DescriptionError(f"{len(row)} columns, not {width}", file=path, line=line)
        try:
            table[line - 2] = [float(cell) for cell in row]
        except ValueError:
            raise DescriptionError("not a number", file=path, line=line, value=row) from None
        if not np.isfinite(table[line - 2]).all():
            raise DescriptionError("not finite", file=path, line=line, value=row)
    return table


def _plain(piece: TrajectoryPiece, dt: float) -> PolynomialPiece | SinePiece:
    """Return a piece as polynomials or sin² phases; others are sampled."""
    if isinstance(piece, RuckigPiece):
        return piece.polynomials
    if isinstance(piece, PolynomialPiece | SinePiece):
        return piece
    if isinstance(piece, LinePiece):
        return _line(piece, _plain(piece.law, dt))
    times = cycle_times(piece.duration, dt)
    q, qd, qdd, _ = piece.evaluate(times)
    return hermite_piece(times, q, qd, qdd)


def _line(piece: LinePiece, law: PolynomialPiece | SinePiece) -> PolynomialPiece | SinePiece:
    along = piece.direction[:, None]
    knots = np.repeat(law.knots, piece.dof, axis=0)
    if isinstance(law, SinePiece):
        start = piece.start[:, None] + along * law.start
        length = np.repeat(law.length, piece.dof, axis=0)
        return SinePiece(knots, length, start, along * law.speed, along * law.peak)
    coefficients = along[:, :, None] * law.coefficients
    coefficients[:, :, 0] += piece.start[:, None]
    return PolynomialPiece(knots, coefficients)


def _read_npz(path: Path) -> Loaded:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            data = {name: file[name] for name in file.files}
        if int(data["form"]) != _FORM:
            raise DescriptionError("unknown form", file=path, value=int(data["form"]))
        pieces = tuple(_piece(data, index) for index in range(int(data["pieces"])))
        names, units = tuple(map(str, data["names"])), tuple(map(str, data["units"]))
        if not pieces or any(piece.dof != len(names) for piece in pieces):
            raise KeyError("pieces")
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, EOFError) as error:
        raise DescriptionError(f"is no trajectory of armwerk, {error}", file=path) from None
    return Loaded(pieces, names, units, data)


def _piece(data: dict[str, Array], index: int) -> PolynomialPiece | SinePiece:
    def array(name: str, dimensions: int) -> Array:
        values = np.asarray(data[f"{index}.{name}"], dtype=np.float64)
        if values.ndim != dimensions or not np.isfinite(values).all():
            raise ValueError(f"array {index}.{name} is not sound")
        return values

    knots = array("knots", 2)
    if f"{index}.coefficients" in data:
        coefficients = array("coefficients", 3)
        if coefficients.shape[:2] != (len(knots), knots.shape[1] - 1) or coefficients.shape[2] < 4:
            raise ValueError(f"array {index}.coefficients does not fit its knots")
        return PolynomialPiece(knots, coefficients)
    rows = [array(name, 2) for name in ("length", "start", "speed", "peak")]
    if any(row.shape != (len(knots), knots.shape[1] - 1) for row in rows):
        raise ValueError(f"arrays of piece {index} do not fit each other")
    return SinePiece(knots, *rows)


def _limits(
    found: Loaded,
    model: ArmModel | Arm | Assembly | None,
    path: Path,
) -> Limits | None:
    if all(name in found.arrays for name in (*RATES, "lowest", "highest")):
        v, a, j, low, high = (found.arrays[name] for name in (*RATES, "lowest", "highest"))
        try:
            return Limits(v, a, j, low, high, names=found.names, units=found.units)
        except MotionError as error:
            raise DescriptionError(f"holds wrong limits, {error}", file=path) from None
    return None if model is None else Limits.of(model)
