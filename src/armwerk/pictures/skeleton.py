"""What is drawn of a mechanism: bars, joints and frames, placed in the world.

A `Skeleton` knows nothing of colours or cameras; an arm in one configuration gives one, an
assembly of parts another, and the canvas draws either. By its skeletons a configuration is chosen
in which an arm shows itself well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.joint import Joint

if TYPE_CHECKING:
    from armwerk.mechanics.assembly.model import AssemblyModel

FOOT = 0.022  # thickness of the base plate in units of the arm's size
_CROWDED = 1.15  # joint lengths within which two joint symbols count as on top of each other
_CRANK = 0.15  # length of a crank, of the rod of its parallelogram
_ROD = 0.35  # thickness of cranks and rods
_THIN = 0.15  # of its size: how thick a flat arm may be, with the symbols of its joints
_TRIALS = 240
_STRETCHED = 0.75  # of the farthest reach: neither folded nor straight
_MOST_TURN = np.deg2rad(100.0)


@dataclass(frozen=True, slots=True, eq=False)
class Bar:
    """A stiff bar through ``points`` [m]. Shape (k, 3). ``weight`` scales its thickness.

    One of a parallelogram, ``is_rod``, keeps to no single link.
    """

    points: Array
    weight: float = 1.0
    square: bool = False
    is_rod: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class JointMark:
    """A joint's symbol: where it stands, along which axis, and what it does.

    Args:
        kind: "revolute", "prismatic" or "ball".
        centre: World [m]. Shape (3,).
        axis: Unit vector. Shape (3,).
        side: A direction the faces of a prismatic joint look to. Shape (3,).
        name: Of the joint; empty: not labelled.
        weight: Scales its size.
        passive: Whether no motor drives it.
    """

    kind: str
    centre: Array
    axis: Array
    side: Array
    name: str = ""
    weight: float = 1.0
    passive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """A mechanism in one configuration.

    Args:
        bars: Its links.
        joints: Its joints.
        base: T_world_base. Shape (4, 4).
        tools: T_world_tool of every end point.
        plates: Closed outlines of plates that join several chains; each of shape (k, 3).
        size: How far it reaches when stretched [m]; scales the thickness of everything.
        footed: Whether a foot is drawn at the base; a body with a plate of its own has none.
    """

    bars: tuple[Bar, ...]
    joints: tuple[JointMark, ...]
    base: Array
    tools: tuple[Array, ...]
    size: float
    plates: tuple[Array, ...] = ()
    footed: bool = True

    def points(self) -> Array:
        """Return every point that the picture must hold. Shape (m, 3)."""
        rows = [bar.points for bar in self.bars] + [joint.centre for joint in self.joints]
        rows += [tool[:3, 3] for tool in self.tools] + [self.base[:3, 3], *self.plates]
        return np.vstack(rows)


def plane_normal(skeleton: Skeleton) -> Array | None:
    """Return the unit normal of the plane a mechanism moves in; None: it moves in space.

    All that turns must turn about the normal, all that slides must slide across it, and every
    point must lie in the plane as nearly as a picture shows.
    """
    turning = [joint.axis for joint in skeleton.joints if joint.kind == "revolute"]
    sliding = [joint.axis for joint in skeleton.joints if joint.kind == "prismatic"]
    if len(turning) + len(sliding) != len(skeleton.joints) or len(skeleton.joints) < 2:
        return None
    normal = turning[0] if turning else np.cross(sliding[0], sliding[1])
    length = float(np.linalg.norm(normal))
    if length < 1e-6:
        return None
    normal = normal / length
    if any(abs(abs(axis @ normal) - 1.0) > 1e-6 for axis in turning):
        return None
    if any(abs(axis @ normal) > 1e-6 for axis in sliding):
        return None
    heights = np.vstack([bar.points for bar in skeleton.bars]) @ normal
    return np.asarray(normal) if np.ptp(heights) < _THIN * skeleton.size else None


def shared(skeletons: Sequence[Skeleton]) -> Skeleton:
    """Return the bars, joints and plates that stand in the same place in all skeletons."""
    first, *others = skeletons
    bars = [
        bar
        for index, bar in enumerate(first.bars)
        if all(
            len(other.bars) > index and _same_points(bar.points, other.bars[index].points)
            for other in others
        )
    ]
    joints = [
        joint
        for index, joint in enumerate(first.joints)
        if all(_same_points(joint.centre, other.joints[index].centre) for other in others)
        and all(_same_points(joint.axis, other.joints[index].axis) for other in others)
    ]
    plates = [
        plate
        for index, plate in enumerate(first.plates)
        if all(_same_points(plate, other.plates[index]) for other in others)
    ]
    return replace(first, bars=tuple(bars), joints=tuple(joints), plates=tuple(plates))


def without(skeleton: Skeleton, part: Skeleton) -> Skeleton:
    """Return the skeleton less what ``part`` has in the same place."""
    bars = [
        bar
        for bar in skeleton.bars
        if not any(_same_points(bar.points, other.points) for other in part.bars)
    ]
    joints = [
        joint
        for joint in skeleton.joints
        if not any(_same_points(joint.centre, other.centre) for other in part.joints)
    ]
    plates = [
        plate
        for plate in skeleton.plates
        if not any(_same_points(plate, other) for other in part.plates)
    ]
    return replace(skeleton, bars=tuple(bars), joints=tuple(joints), plates=tuple(plates))


def _same_points(one: Array, two: Array) -> bool:
    return one.shape == two.shape and bool(np.abs(one - two).max() < 1e-9)


def arm_skeleton(arm: Arm, q: ArrayLike) -> Skeleton:
    """Return the skeleton of a serial arm in the configuration ``q``. Shape (n,).

    The links follow the Denavit-Hartenberg rows, so the picture shows the table: a bar along
    the joint's axis (d), then one along the common normal (a).

    Raises:
        UnsupportedError: When dimensions are still symbols.
        ShapeError: When ``q`` has another length or is not finite.
    """
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' cannot be drawn: {', '.join(arm.symbols)} have no numbers yet"
        )
    q = np.asarray(q, dtype=np.float64)
    if q.shape != (arm.dof,) or not np.isfinite(q).all():
        raise ShapeError(f"q must be {arm.dof} finite numbers, got shape {q.shape}: {q.tolist()}")
    size = arm_size(arm)
    values = iter(arm.angles(q))
    described, arm = arm, arm.free_chain
    driven = {joint.name for joint in described.moving}
    behind: list[Array] = []
    frame = np.array(arm.base)
    bars: list[Bar] = []
    joints: list[JointMark] = []
    for index, joint in enumerate(arm.joints):
        weight = 1.25 - 0.6 * index / max(len(arm.joints) - 1, 1)
        value = next(values) if joint.is_moving else 0.0
        corner, after = _row_points(frame, joint, float(value))
        bars += _bars(frame[:3, 3], corner, after[:3, 3], joint, weight, size)
        if joint.is_moving:
            mark, lead = _mark(frame, corner, joint, weight, joints, size)
            joints.append(replace(mark, passive=joint.name not in driven))
            behind.append(after)
            bars += [Bar(lead, weight)] if lead is not None else []
        frame = after
    bars = _out_of_the_foot(bars, joints[0].centre) + _rods(described, joints, behind)
    tool = frame @ arm.tool
    if np.linalg.norm(tool[:3, 3] - frame[:3, 3]) > 1e-6 * size:
        bars.append(Bar(np.stack([frame[:3, 3], tool[:3, 3]]), 0.6))
    return Skeleton(tuple(bars), tuple(joints), np.array(arm.base), (tool,), size)


def _rods(arm: Arm, joints: Sequence[JointMark], behind: Sequence[Array]) -> list[Bar]:
    """Return cranks and rod of every parallelogram, where a joint turns back a parallel one.

    The cranks stand on the joint that is followed and on the one that follows, and keep to the
    link behind the latter; so the rod between them stays parallel to the way from one to the other.
    """
    bars: list[Bar] = []
    turning = [joint for joint in arm.joints if joint.kind != "fixed"]
    places = {joint.name: place for place, joint in enumerate(turning)}
    for place, joint in enumerate(turning):
        for name, factor in () if joint.coupling is None else joint.coupling.factors:
            one, two = joints[places[name]], joints[place]
            along = two.centre - one.centre
            is_parallel = np.linalg.norm(np.cross(one.axis, two.axis)) < 1e-9
            if factor != -1.0 or not is_parallel or np.linalg.norm(along) < 1e-6:
                continue
            crank = -_CRANK * float(np.linalg.norm(along)) * behind[place][:3, 0]
            ends = (one.centre + crank, two.centre + crank)
            bars += [
                Bar(np.stack([mark.centre, end]), _ROD, is_rod=True)
                for mark, end in zip((one, two), ends, strict=True)
            ]
            bars.append(Bar(np.stack(ends), _ROD, is_rod=True))
    return bars


def _out_of_the_foot(bars: list[Bar], first: Array) -> list[Bar]:
    """Let the first bar begin inside the first joint's symbol, not in the base plate below it."""
    if not bars:
        return bars
    points = bars[0].points.copy()
    up, way = first - points[0], points[1] - points[0]
    if up @ way > 0 and np.linalg.norm(np.cross(up, way)) < 1e-9 and up @ up < way @ way:
        points[0] = first
    return [replace(bars[0], points=points), *bars[1:]]


def arm_size(arm: Arm) -> float:
    """Return the sum of all lengths of the arm, tool included [m]; never zero."""
    total = float(np.linalg.norm(arm.tool[:3, 3]))
    for joint in arm.joints:
        low, high = (0.0, 0.0)
        if joint.kind == "prismatic":
            low, high = joint.limits if joint.limits is not None else (0.0, 0.5)
        along = max(abs(float(joint.d) + low), abs(float(joint.d) + high))
        total += float(np.hypot(along, float(joint.a)))
    return total if total > 1e-9 else 1.0


def _row_points(frame: Array, joint: Joint, value: float) -> tuple[Array, Array]:
    """Return the corner between d and a, and the frame behind the row."""
    theta = float(joint.offset) + (value if joint.kind == "revolute" else 0.0)
    d = float(joint.d) + (value if joint.kind == "prismatic" else 0.0)
    corner = frame[:3, 3] + d * frame[:3, 2]
    return corner, frame @ row_matrix(theta, d, float(joint.a), float(joint.alpha))


def _bars(
    start: Array, corner: Array, end: Array, joint: Joint, weight: float, size: float
) -> list[Bar]:
    tiny = 1e-6 * size
    rod = np.linalg.norm(corner - start) > tiny
    normal = np.linalg.norm(end - corner) > tiny
    if joint.kind == "prismatic":
        bars = [Bar(np.stack([start, corner]), 0.75 * weight, square=True)] if rod else []
        return [*bars, Bar(np.stack([corner, end]), weight)] if normal else bars
    points = [start, *([corner] if rod else []), *([end] if normal else [])]
    return [Bar(np.stack(points), weight)] if len(points) > 1 else []


def _mark(
    frame: Array,
    corner: Array,
    joint: Joint,
    weight: float,
    others: list[JointMark],
    size: float,
) -> tuple[JointMark, Array | None]:
    """Place a joint's symbol on its axis, clear of the symbols before it.

    Axes that meet, as in a wrist, would put several symbols into one point; a later one moves
    out along its own axis, and a bar leads to it.
    """
    axis, origin = frame[:3, 2], frame[:3, 3]
    weight *= 1.0 if others else 0.85  # the first is low, to leave room for a near second
    step = _CROWDED * joint_length(size, weight)
    travel = float((corner - origin) @ axis)
    sign = -1.0 if travel < -1e-9 else 1.0
    centre = origin
    if not others:  # the first joint stands on the base, not in it
        centre = origin + sign * (joint_length(size, weight) / 2 + FOOT * size) * axis
    elif joint.kind == "revolute":
        for tries in range(4):
            centre = origin + sign * tries * step * axis
            if all(np.linalg.norm(centre - other.centre) > 0.6 * step for other in others):
                break
    mark = JointMark(joint.kind, centre, axis, frame[:3, 0], joint.name, weight)
    beyond = float((centre - origin) @ axis) * sign > abs(travel) + 1e-9
    return mark, np.stack([origin, centre]) if beyond else None


def joint_length(size: float, weight: float) -> float:
    """Return how long a joint's symbol is along its axis [m]."""
    return 0.075 * size * weight


def good_configuration(arm: Arm | AssemblyModel) -> Array:
    """Return joint values within the limits that show an arm bent and above the floor.

    The middle of the limits is often the arm stretched out straight, which hides its joints.
    The choice is made among the same trial values every time. Shape (n,). For a model of an
    assembly it is the middle of the motors' limits.
    """
    if not isinstance(arm, Arm):
        return np.asarray(arm.middle, dtype=np.float64)
    kinds = np.array([joint.kind == "revolute" for joint in arm.moving])
    free = np.where(kinds[:, None], [-np.pi, np.pi], [0.0, 0.5])
    limits = np.where(np.isfinite(arm.limits), arm.limits, free)
    middle, half = limits.mean(axis=1), np.diff(limits, axis=1)[:, 0] / 2
    half = np.where(kinds, np.minimum(0.8 * half, _MOST_TURN), 0.6 * half)
    trials = np.random.default_rng(3).uniform(-1.0, 1.0, (_TRIALS, arm.dof)) * half + middle
    posed = [arm_skeleton(arm, q) for q in trials]
    farthest = max(_radius(skeleton) for skeleton in posed) or 1.0
    scores = [_score(skeleton, farthest) for skeleton in posed]
    return np.asarray(trials[int(np.argmax(scores))], dtype=np.float64)


def _radius(skeleton: Skeleton) -> float:
    away = skeleton.tools[0][:2, 3] - skeleton.base[:2, 3]
    return float(np.hypot(away[0], away[1]))


def _score(skeleton: Skeleton, farthest: float) -> float:
    """Return how good a configuration looks: bent, half stretched, forwards, hand down."""
    points = (skeleton.points() - skeleton.base[:3, 3]) / skeleton.size
    tool = skeleton.tools[0]
    forwards = (tool[0, 3] - skeleton.base[0, 3]) / skeleton.size
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    below = np.minimum(points[:, 2] - 0.04, 0.0).sum()
    stretched = abs(_radius(skeleton) / farthest - _STRETCHED)
    return float(spread[1] + 3 * below - 0.8 * stretched + 0.3 * forwards - 0.2 * tool[2, 2])
