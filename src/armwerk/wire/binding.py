"""Which member of a robot carries which solid of its picture.

Pictures draw a robot anew for every configuration; a viewer gets its solids once and moves the
members. What belongs to what is found by trying: the solids are made in a few configurations close
to each other, and a solid belongs to the first member in whose frame it does not move. One whose
length changes has an end on each of two members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import UnsupportedError
from armwerk.physics.mechanism.members import ROOT, Mechanism
from armwerk.pictures.cell_robot import DrawnRobot, robot_solids
from armwerk.pictures.cell_solids import Solid

_SAME = 1e-6  # [m or 1] that a solid may move in the frame of its carrier, by rounding
_NEAR = {"rad": 0.05, "m": 0.02}  # between the configurations tried
_PROBES = 4
_TRIES = 60
_MARK = (0.123, 0.456, 0.789)  # a colour that nothing has


class Binding(NamedTuple):
    """What carries a solid.

    Args:
        member: Place of the member; -1: the base.
        pose: T_member_solid. Shape (4, 4).
        motor: Place of the motor whose joint it shows; -1: of none.
        end: Member of its other end, when its length changes; None: it is rigid.
        start_point: Where it begins, in the frame of ``member`` [m]. Shape (3,).
        end_point: Where it ends, in the frame of ``end`` [m]. Shape (3,).
    """

    member: int
    pose: Array
    motor: int = ROOT
    end: int | None = None
    start_point: Array | None = None
    end_point: Array | None = None


class BoundRobot(NamedTuple):
    """A robot's solids and what carries each.

    Args:
        solids: With the base in the origin, in the configuration they were bound in.
        bindings: One for each.
        poses: T_base_member in that configuration.
        values: Of all motors in that configuration [rad or m].
    """

    solids: list[Solid]
    bindings: list[Binding]
    poses: list[Array]
    values: Array


def bound(robot: DrawnRobot, mechanism: Mechanism) -> BoundRobot:
    """Find what carries the solids of a robot.

    Args:
        robot: As it is drawn; where it stands does not matter.
        mechanism: The same robot as a tree of members.
    """
    still = DrawnRobot(robot.arm, robot.gripper, np.eye(4), robot.tint, robot.index)
    names = [mechanism.members[index].name for index in mechanism.motors]
    probes = _configurations(mechanism)
    tried = [_Probe(still, mechanism, names, values) for values in probes]
    tried = [one for one in tried if _alike(one.solids, tried[0].solids)]
    motors = _motors(still, dict(zip(names, probes[0].tolist(), strict=True)), names)
    rows = zip(*(one.solids for one in tried), strict=True)
    members = range(ROOT, len(mechanism.members))
    bindings = [
        _bind(solids, [one.frames for one in tried], members, motor)
        for solids, motor in zip(rows, motors, strict=True)
    ]
    return BoundRobot(tried[0].solids, bindings, tried[0].frames[1:], probes[0])


class _Probe:
    """A robot in one configuration: its solids, and frames of base and members."""

    def __init__(
        self, robot: DrawnRobot, mechanism: Mechanism, names: Sequence[str], values: Array
    ) -> None:
        given = dict(zip(names, values.tolist(), strict=True))
        self.solids = robot_solids(robot, given, rods=False)
        self.frames = [np.eye(4), *mechanism.poses(mechanism.start(values))]


def _configurations(mechanism: Mechanism) -> list[Array]:
    """Return a few configurations near each other, in which all chains close.

    Slides stand in the middle of their way, where they are longer than their own symbols.
    """
    rest = mechanism.rest()
    spread = rest.copy()
    for place, index in enumerate(mechanism.motors):
        member = mechanism.members[index]
        if member.unit == "m" and np.isfinite(member.limits).all():
            spread[place] = sum(member.limits) / 2
    return _near(mechanism, spread) or _near(mechanism, rest) or [rest]


def _near(mechanism: Mechanism, middle: Array) -> list[Array]:
    low, high = middle.copy(), middle.copy()
    for place, index in enumerate(mechanism.motors):
        member = mechanism.members[index]
        step = _NEAR[member.unit]
        # to one side, so that no length passes zero
        if middle[place] + step <= member.limits[1]:
            high[place] += step
        else:
            low[place] = max(middle[place] - step, member.limits[0])
    draw = np.random.default_rng(1)
    found: list[Array] = []
    for _ in range(_TRIES):
        values = draw.uniform(low, high)
        try:
            mechanism.start(values)
        except UnsupportedError:
            continue
        found.append(values)
        if len(found) == _PROBES:
            return found
    return []


def _alike(one: Sequence[Solid], other: Sequence[Solid]) -> bool:
    return [solid.kind for solid in one] == [solid.kind for solid in other]


def _motors(robot: DrawnRobot, values: dict[str, float], names: Sequence[str]) -> list[int]:
    """Return for each solid the place of the motor whose joint it shows; -1: of none."""
    plain = robot_solids(robot, values, rods=False)
    result = [ROOT] * len(plain)
    for place, name in enumerate(names):
        marked = robot_solids(robot, values, {name: _MARK}, rods=False)
        for number, (one, other) in enumerate(zip(plain, marked, strict=True)):
            if one.colour != other.colour:
                result[number] = place
    return result


def _bind(
    solids: Sequence[Solid], frames: Sequence[Sequence[Array]], members: range, motor: int
) -> Binding:
    backs = [[_inverse(own[member + 1]) for own in frames] for member in members]
    drifts = [_drift(solids, back) for back in backs]
    best = int(np.argmin([drift > _SAME for drift in drifts]))
    if drifts[best] > _SAME:
        stretched = _stretched(solids, backs, motor)
        if stretched is not None:
            return stretched
        best = int(np.argmin(drifts))
    return Binding(members[best], backs[best][0] @ solids[0].pose, motor)


def _inverse(T: Array) -> Array:
    """Return T_member_base from T_base_member."""
    back = np.eye(4)
    back[:3, :3] = T[:3, :3].T
    back[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return back


def _drift(solids: Sequence[Solid], back: Sequence[Array]) -> float:
    """Return how far a solid moves in the frame of a member, in all that can be seen of it."""
    if solids[0].mesh is not None:
        corners = [
            (solid.mesh.reshape(-1, 3) if solid.mesh is not None else np.zeros((0, 3)))
            @ T[:3, :3].T
            + T[:3, 3]
            for solid, T in zip(solids, back, strict=True)
        ]
        return max(_apart(corners[0], other) for other in corners)
    poses = np.array([T @ solid.pose for solid, T in zip(solids, back, strict=True)])
    drift = float(np.abs(poses[:, :3, 3] - poses[0, :3, 3]).max())
    if solids[0].kind in {"box", "cylinder"}:
        # about its own axis it may turn: which way its faces look is chosen by the picture
        lengths = np.array([solid.size for solid in solids])
        drift = max(drift, float(np.abs(poses[:, :3, 2] - poses[0, :3, 2]).max()))
        drift = max(drift, float(np.abs(lengths - lengths[0]).max()))
    return drift


def _apart(one: Array, other: Array) -> float:
    """Return how far the corners of one mesh are from those of another."""
    if one.shape != other.shape:
        return np.inf
    away = np.linalg.norm(one[:, None, :] - other[None, :, :], axis=2)
    return float(max(away.min(axis=0).max(), away.min(axis=1).max()))


def _stretched(
    solids: Sequence[Solid], backs: Sequence[Sequence[Array]], motor: int
) -> Binding | None:
    """Return the binding of a bar between two members; None: it is none."""
    if solids[0].kind not in {"box", "cylinder"}:
        return None
    half = [solid.pose[:3, 2] * solid.size[2] / 2 for solid in solids]
    middles = [solid.pose[:3, 3] for solid in solids]
    starts = [m - h for m, h in zip(middles, half, strict=True)]
    ways = [solid.pose[:3, 2] for solid in solids]
    # rather a member with which it turns too, so that its faces go along
    start = _fixed_in(backs, starts, ways) or _fixed_in(backs, starts)
    end = _fixed_in(backs, [m + h for m, h in zip(middles, half, strict=True)])
    if start is None or end is None:
        return None
    (first, begin), (last, finish) = start, end
    pose = backs[first][0] @ solids[0].pose
    return Binding(first + ROOT, pose, motor, last + ROOT, begin, finish)


def _fixed_in(
    backs: Sequence[Sequence[Array]],
    points: Sequence[Array],
    ways: Sequence[Array] | None = None,
) -> tuple[int, Array] | None:
    """Return the first member that carries a point, and a direction, and where it has it.

    Members are counted from the base, which is 0.
    """
    for place, back in enumerate(backs):
        seen = np.array([T[:3, :3] @ p + T[:3, 3] for T, p in zip(back, points, strict=True)])
        if float(np.abs(seen - seen[0]).max()) > _SAME:
            continue
        if ways is not None:
            turned = np.array([T[:3, :3] @ way for T, way in zip(back, ways, strict=True)])
            if float(np.abs(turned - turned[0]).max()) > _SAME:
                continue
        return place, seen[0]
    return None
