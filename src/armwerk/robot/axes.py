"""From joint axes to Denavit-Hartenberg rows.

Comes in: for each joint the direction of its axis and where it is, in base coordinates with all
joints at zero. Goes out: base, rows and tool, so that the arm stands in the same place and q
means the same motion.

Frames 0 to n are placed outwards along the chain (n joints). z of frame i is the axis of joint
i + 1, pointing the way a prismatic joint moves and about which a revolute one turns positively;
frame n is the end. x of frame i is perpendicular to z of frame i - 1 and meets it:

- axes that meet: x is perpendicular to both, on the side nearer to the x before it; the origin
  is the point where they meet, so a = 0;
- axes that are skew at any angle: x runs along the common normal, away from the axis before;
  the origin is the foot of the normal on the new axis, so a > 0;
- parallel axes: x runs from the axis before to the new one; the origin is free and taken level
  with the one before, so d = 0;
- one line: x continues. For two revolute joints this is refused: both would turn the same.

A prismatic axis has a direction but no place of its own. Where it passes the axis before without
meeting it, it is moved along the common normal until it does, so a = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.robot.joint import KINDS, Joint, JointKind, Link

SNAP = 1e-12  # [m], [rad] rounding left by a few products of rotations
FARTHEST = 1e50  # [m]; the products of larger numbers leave the range of a float
ROUNDING = 4e-16  # share of a length lost in a sum of a few numbers
_MOST_QUARTERS = 1000  # turns beyond which a float no longer tells right angles from others
PARALLEL = 1e-9  # sine below which a common normal would be placed worse than it is parallel


class DhRow(NamedTuple):
    """One row: Rot(z, offset) Trans(z, d) Trans(x, a) Rot(x, alpha) [rad], [m]."""

    offset: float
    d: float
    a: float
    alpha: float


class Placement(NamedTuple):
    """Frames along a chain and the rows between them.

    Args:
        base: T_world_0. Shape (4, 4).
        rows: One for each joint.
        tool: T_n_tool. Shape (4, 4).
        frames: T_world_i at zero pose for i = 0 … n. Shape (n + 1, 4, 4).
    """

    base: Array
    rows: tuple[DhRow, ...]
    tool: Array
    frames: Array


@dataclass(frozen=True, slots=True)
class Axis:
    """One joint by its axis, at zero pose and in base coordinates.

    Args:
        kind: "revolute", "prismatic" or "fixed".
        direction: Along the axis, of any length. Shape (3,).
        displacement: From the reference point of the axis before (the base origin for the
            first) to the reference point of this axis, any point on it [m]. Shape (3,).
        link: The body that the joint moves: mass [kg], centre of mass measured from the
            reference point of this axis, and inertia about the centre of mass, both in the
            directions of the base at zero pose [m], [kg m²]. (A `Joint` has them in its frame.)

    The name, the limits, the armature and the frictions are as for `Joint`.
    """

    kind: JointKind
    direction: tuple[float, float, float]
    displacement: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name: str = ""
    limits: tuple[float, float] | None = None
    max_velocity: float | None = None
    max_acceleration: float | None = None
    max_jerk: float | None = None
    max_force: float | None = None
    link: Link = field(default_factory=Link)
    armature: float = 0.0
    viscous_friction: float = 0.0
    coulomb_friction: tuple[float, float] = (0.0, 0.0)

    def joint(self, row: DhRow, link: Link) -> Joint:
        """Return the joint with the given row and with ``link`` in the frame of the row."""
        return Joint(
            self.kind,
            d=row.d,
            a=row.a,
            alpha=row.alpha,
            offset=row.offset,
            limits=self.limits,
            max_velocity=self.max_velocity,
            max_acceleration=self.max_acceleration,
            max_jerk=self.max_jerk,
            max_force=self.max_force,
            name=self.name,
            link=link,
            armature=self.armature,
            viscous_friction=self.viscous_friction,
            coulomb_friction=self.coulomb_friction,
        )


def joints_from_axes(
    axes: Sequence[Axis], end: ArrayLike | None = None
) -> tuple[Array, list[Joint], Array]:
    """Return base, joints and tool of the arm with the given axes.

    Args:
        axes: From the base outwards.
        end: As for `Arm.from_axes`.

    Raises:
        DescriptionError: For directions of length 0, coinciding revolute axes, wrong shapes.
    """
    names = [axis.name or f"{number}" for number, axis in enumerate(axes, start=1)]
    steps = [
        _vector(axis.displacement, f"joint '{called}', displacement")
        for called, axis in zip(names, axes, strict=True)
    ]
    points = np.cumsum(np.array(steps).reshape(-1, 3), axis=0)
    kinds = [axis.kind for axis in axes]
    placed = place_frames(kinds, points, [axis.direction for axis in axes], end, names)
    joints = [
        axis.joint(row, link_in_frame(axis.link, point, frame))
        for axis, row, point, frame in zip(
            axes, placed.rows, points, placed.frames[1:], strict=True
        )
    ]
    return placed.base, joints, placed.tool


def rows_from_lines(
    kinds: Sequence[str],
    points: ArrayLike,
    directions: ArrayLike,
    end_pose: ArrayLike | None = None,
) -> tuple[Array, tuple[DhRow, ...], Array]:
    """Return base, rows and tool for joint axes given as lines at zero pose.

    T_world_end = base row_1 … row_n tool with all joints at zero.

    Args:
        kinds: Kind of each joint.
        points: A point on each axis [m]. Shape (n, 3).
        directions: Direction of each axis, of any length. Shape (n, 3).
        end_pose: As ``end`` of `Arm.from_axes`.
    """
    placed = place_frames(kinds, points, directions, end_pose)
    return placed.base, placed.rows, placed.tool


def place_frames(
    kinds: Sequence[str],
    points: ArrayLike,
    directions: ArrayLike,
    end: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Placement:
    """Place the frames of a chain by the rules of this module and read off its rows.

    Args:
        kinds, points, directions, end: As for `rows_from_lines`.
        names: What to call the joints in error messages; None: by their number.
    """
    names = [str(number + 1) for number in range(len(kinds))] if names is None else names
    lines = _lines(kinds, points, directions, names)
    frames = [_first_frame(kinds[0], *lines[0])]
    for number in range(1, len(lines)):
        point, along = lines[number]
        before = frames[-1]
        if kinds[number - 1] == kinds[number] == "revolute":
            _refuse_one_line(before, point, along, names[number - 1], names[number])
        frames.append(_next_frame(before, point, along, kinds[number] == "prismatic"))
    last, tool = _end_frame(frames[-1], lines[-1][0], end)
    frames.append(last)
    rows = tuple(_row(old, new) for old, new in pairwise(frames))
    return Placement(frames[0], rows, tool, np.array(frames))


def link_in_frame(link: Link, origin: ArrayLike, frame: Array) -> Link:
    """Return a link, given with world directions about ``origin``, in a frame.

    Args:
        link: Centre of mass measured from ``origin`` in world directions, likewise the inertia.
        origin: [m]. Shape (3,).
        frame: T_world_frame. Shape (4, 4).
    """
    if link == Link():
        return link
    if any(isinstance(value, str) for value in (*link.com, *link.inertia)):
        raise DescriptionError(
            "symbols cannot be turned into the frame of the joint",
            element="link",
            value=link,
            allowed="numbers for the centre of mass and the inertia",
        )
    turn = frame[:3, :3]
    centre = turn.T @ (np.asarray(origin) + np.array(link.com, dtype=float) - frame[:3, 3])
    tensor = turn.T @ link.inertia_matrix() @ turn
    return Link(link.mass, tuple(_snapped(centre)), six_moments(tensor))  # type: ignore[arg-type]


def six_moments(tensor: Array) -> tuple[float, float, float, float, float, float]:
    """Return Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor. Shape (3, 3)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return xx, yy, zz, xy, xz, yz


def zyx_matrix(z: float, y: float, x: float) -> Array:
    """Return Rot(z) Rot(y) Rot(x) for angles [rad]; right angles give exact zeros.

    Shape (3, 3).
    """
    (cz, sz), (cy, sy), (cx, sx) = (_cosine_sine(angle) for angle in (z, y, x))
    turn_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    turn_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    turn_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    matrix: Array = turn_z @ turn_y @ turn_x
    return matrix


def _cosine_sine(angle: float) -> tuple[float, float]:
    quarter = round(angle / (math.pi / 2))
    if abs(quarter) < _MOST_QUARTERS and angle == quarter * (math.pi / 2):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter % 4]
    return math.cos(angle), math.sin(angle)


def zyx_angles(turn: Array) -> tuple[float, float, float]:
    """Return the angles [rad] about z, y and x whose `zyx_matrix` is ``turn``.

    Where y is a right angle only the difference of the others counts; x is then 0.
    """
    y = math.atan2(-turn[2, 0], math.hypot(turn[0, 0], turn[1, 0]))
    if math.hypot(turn[0, 0], turn[1, 0]) < PARALLEL:
        return math.atan2(-turn[0, 1], turn[1, 1]), y, 0.0
    return math.atan2(turn[1, 0], turn[0, 0]), y, math.atan2(turn[2, 1], turn[2, 2])


def _lines(
    kinds: Sequence[str], points: ArrayLike, directions: ArrayLike, names: Sequence[str]
) -> list[tuple[Array, Array]]:
    if not kinds:
        raise DescriptionError("no joints", element="axes", allowed="at least one axis")
    for kind, name in zip(kinds, names, strict=True):
        if kind not in KINDS:
            raise DescriptionError(
                "unknown joint kind",
                element=f"joint '{name}', kind",
                value=kind,
                allowed=", ".join(KINDS),
            )
    lines = []
    for row, name in enumerate(names):
        point = _vector(points[row], f"joint '{name}', point")  # type: ignore[index]
        along = _vector(directions[row], f"joint '{name}', direction")  # type: ignore[index]
        length = float(np.linalg.norm(along))
        if length < SNAP:
            raise DescriptionError(
                "has no length",
                element=f"joint '{name}', direction",
                value=along.tolist(),
                allowed="a direction of length above 0",
            )
        lines.append((point, along / length))
    return lines


def _vector(values: object, element: str) -> Array:
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        vector = np.empty(0)
    if vector.shape != (3,) or not (np.abs(vector) < FARTHEST).all():
        raise DescriptionError(
            "not a vector",
            element=element,
            value=values,
            allowed=f"three finite numbers below {FARTHEST:g}",
        )
    return vector


def _frame(x: Array, z: Array, origin: Array) -> Array:
    """Return the frame with the given axes, squared up against rounding. Shape (4, 4)."""
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2] = x, np.cross(z, x), z
    frame[:3, 3] = origin
    frame[np.abs(frame) < SNAP] = 0.0
    return frame


def _first_frame(kind: str, point: Array, along: Array) -> Array:
    """Stay as near to the base as the first axis lets: its own frame where that fits."""
    foot = point - (point @ along) * along  # the point of the axis nearest to the base origin
    if kind == "prismatic":
        foot = np.zeros(3)
    x = np.array([1.0, 0.0, 0.0])
    if abs(along[0]) > SNAP and abs(along[2]) < 1 - PARALLEL:
        x = np.cross([0.0, 0.0, 1.0], along)
    return _frame(x, along, foot)


def _next_frame(before: Array, point: Array, along: Array, is_free: bool) -> Array:
    """Place the frame on the axis through ``point``; ``is_free``: the axis has no place."""
    x, z, origin = before[:3, 0], before[:3, 2], before[:3, 3]
    to_point = point - origin
    normal = np.cross(z, along)
    sine = float(np.linalg.norm(normal))
    if sine < PARALLEL:
        along = math.copysign(1.0, z @ along) * z
        across = to_point - (to_point @ z) * z
        apart = float(np.linalg.norm(across))
        if apart < SNAP:
            return _frame(x, along, origin)
        return _frame(across, along, origin + across)
    normal = normal / sine
    apart = float(to_point @ normal)
    # where the common normal leaves the axis before, measured from its origin
    height = float(np.cross(to_point, along) @ normal) / sine
    foot = origin + height * z
    if abs(apart) < SNAP or is_free:
        towards = float(normal @ x)
        return _frame(-normal if towards < -SNAP else normal, along, foot)
    return _frame(math.copysign(1.0, apart) * normal, along, foot + apart * normal)


def _refuse_one_line(before: Array, point: Array, along: Array, first: str, second: str) -> None:
    z, to_point = before[:3, 2], point - before[:3, 3]
    if np.linalg.norm(np.cross(z, along)) < PARALLEL:
        apart = np.linalg.norm(to_point - (to_point @ z) * z)
        if apart < PARALLEL:
            raise DescriptionError(
                f"axes of '{first}' and '{second}' coincide",
                element=f"joint '{second}'",
                value=f"{apart:.3g} m apart",
                allowed="neighbouring revolute axes on different lines",
            )


def _end_frame(before: Array, point: Array, end: ArrayLike | None) -> tuple[Array, Array]:
    """Return frame n and the tool: the end itself where a row can reach it.

    A row can when the end's x is perpendicular to the last axis and meets it.
    """
    x, z, origin = before[:3, 0], before[:3, 2], before[:3, 3]
    if end is None:
        return _frame(x, z, origin + ((point - origin) @ z) * z), np.eye(4)
    target = np.asarray(end, dtype=np.float64)
    if target.shape == (3,):
        to_end = _vector(target, "end") - origin
        across = to_end - (to_end @ z) * z
        is_off = float(np.linalg.norm(across)) > SNAP
        return _frame(across if is_off else x, z, target), np.eye(4)
    if target.shape != (4, 4) or not (np.abs(target) < FARTHEST).all():
        raise DescriptionError(
            "wrong shape", element="end", value=end, allowed="a pose (4, 4) or a point (3,)"
        )
    in_last = _inverse(before) @ target
    leans = abs(in_last[2, 0])
    misses = abs(in_last[0, 0] * in_last[1, 3] - in_last[1, 0] * in_last[0, 3])
    if leans < SNAP and misses < SNAP:
        return target, np.eye(4)
    return before, _snapped_pose(in_last)


def _row(old: Array, new: Array) -> DhRow:
    step = _inverse(old) @ new
    offset = math.atan2(step[1, 0], step[0, 0])
    alpha = math.atan2(step[2, 1], step[2, 2])
    a = step[0, 3] * step[0, 0] + step[1, 3] * step[1, 0]
    return DhRow(snap_angle(offset), _snap(step[2, 3]), _snap(float(a)), snap_angle(alpha))


def _inverse(pose: Array) -> Array:
    inverse = np.eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse


def snap_angle(angle: float, tolerance: float = SNAP) -> float:
    """Return the nearest multiple of 90° where ``angle`` is within rounding of it [rad].

    The derivation looks for exact right angles. -180° becomes 180°.
    """
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * (math.pi / 2)) > tolerance or abs(quarters) > _MOST_QUARTERS:
        return angle
    return math.pi if quarters == -2 else quarters * (math.pi / 2)


def _snap(length: float) -> float:
    """Undo the rounding of sums such as 0.1 + 0.2 - 0.1 [m]."""
    if abs(length) < SNAP:
        return 0.0
    tidy = round(float(length), 12)
    return tidy + 0.0 if abs(tidy - length) <= ROUNDING * max(1.0, abs(tidy)) else float(length)


def _snapped(values: Array) -> list[float]:
    return [_snap(value) for value in values]


def _snapped_pose(pose: Array) -> Array:
    snapped = np.where(np.abs(pose) < SNAP, 0.0, pose)
    turn = snapped[:3, :3]
    turn[np.abs(turn - 1) < SNAP] = 1.0
    turn[np.abs(turn + 1) < SNAP] = -1.0
    return snapped
