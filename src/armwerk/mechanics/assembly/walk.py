"""The walk over an assembly: from motor values to the frame of every part, and how it moves.

Frames are kept as a rotation (k, 3, 3) and a position (k, 3) in the frame of the body, with
k = 1 for what does not depend on the motors and k = m otherwise; numpy broadcasts the rest. A
frame follows from the one before by the motion of the part and a constant connection point, so
no two batches of matrices are ever multiplied.

The Jacobian comes from differentiating the ties of closed chains: treat the passive elements as if
they had motors of their own, with rates p'. Tied points keep together, A_q q' + A_p p' = 0, so
p' = -A_p⁻¹ A_q q', and the hand moves by (J_q - J_p A_p⁻¹ A_q) q'. This is exact: nothing is
differenced. A platform adds its twist as six more unknowns, tied by the velocities of its
anchors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.robot.loops import ClosedChain, Platform
from armwerk.robot.part import LinearMotor, Passive, Servo
from armwerk.robot.parts import Assembly

Frame: TypeAlias = tuple[Array, Array]

_MOTIONS = {"AXISROT": "turn", "LINEAR": "shift", "FULLROT": "point"}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part, made ready for the walk.

    Args:
        name: Of the part.
        fix: Of the part that carries it; empty for a root.
        rotation: Of its connection point on that part; None: not turned. Shape (3, 3).
        position: Of its connection point [m]; None: not shifted. Shape (3,).
        motion: What moves its own connection points: "" (rigid), "turn" (about z), "shift"
            (along x) or "point" (about z, then y).
        motor: Its place in q; None when it is no motor.
    """

    name: str
    fix: str
    rotation: Array | None
    position: Array | None
    motion: str
    motor: int | None


@dataclass(slots=True, eq=False)
class WalkState:
    """What a walk has found so far, for m configurations.

    Args:
        values: Motion of motors and passive elements by name [rad or m]. Shape (k, 1), or
            (k, 2) of a FULLROT.
        frames: By name.
        unions: Union points by the name of the tie [m]. Shape (k, 3).
        facts: What a loop was solved from, by the name of the tie, for later questions.
        size: m.
    """

    values: dict[str, Array]
    size: int
    frames: dict[str, Frame] = field(default_factory=dict)
    unions: dict[str, Array] = field(default_factory=dict)
    facts: dict[str, tuple[Array, ...]] = field(default_factory=dict)


class Walk:
    """An assembly in the order in which its frames can be found."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        motors = {motor.name: k for k, motor in enumerate(assembly.moving)}
        self.nodes: dict[str, Node] = {}
        for name, place in assembly.tree.items():
            rotation, position = place.at.rotation(), np.array(place.at.position)
            self.nodes[name] = Node(
                name,
                place.fix or "",
                rotation if any(place.at.turn) else None,
                position if position.any() else None,
                _motion(place.part),
                motors.get(name),
            )
        self.holder = {name: loop for loop in assembly.loops for name in loop.passives}
        self.holder |= {
            loop.tie.name: loop for loop in assembly.loops if isinstance(loop.tie, Platform)
        }
        self._plans: dict[frozenset[str], tuple[str | ClosedChain, ...]] = {}

    def plan(self, targets: Iterable[str]) -> tuple[str | ClosedChain, ...]:
        """Return the frames to find and the loops to close, in order, to know ``targets``."""
        wanted = frozenset(targets)
        if wanted not in self._plans:
            self._plans[wanted] = tuple(_Planner(self).steps_to(wanted))
        return self._plans[wanted]

    def begin(self, q: Array) -> WalkState:
        """Return a solution that knows the motors. ``q`` has shape (m, n)."""
        values = {
            node.name: q[:, node.motor, None]
            for node in self.nodes.values()
            if node.motor is not None
        }
        return WalkState(values, len(q))

    def place(self, found: WalkState, name: str) -> None:
        """Find the frame of a part from that of the part that carries it."""
        node = self.nodes[name]
        if not node.fix:
            found.frames[name] = np.eye(3)[None], np.zeros((1, 3))
            return
        rotation, position = self.moved(found, node.fix)
        if node.position is not None:
            position = position + rotation @ node.position
        if node.rotation is not None:
            rotation = rotation @ node.rotation
        found.frames[name] = rotation, position

    def moved(self, found: WalkState, name: str) -> Frame:
        """Return the frame of a part behind its own motion."""
        rotation, position = found.frames[name]
        motion = self.nodes[name].motion
        if not motion:
            return rotation, position
        value = found.values[name]
        if motion == "shift":
            return rotation, position + value * rotation[:, :, 0]
        if motion == "point":
            rotation = _turned(rotation, value[:, 1], 0, 2)
        return _turned(rotation, value[:, 0], 0, 1), position

    def reach(self, found: WalkState, start: str, point: str) -> Array:
        """Return the origin of ``point`` seen from ``start`` behind its motion [m]. Shape (k, 3).

        Needs the values of all parts in between, but none of their frames.
        """
        node = self.nodes[point]
        result = np.zeros((1, 3))
        while True:
            if node.rotation is not None:
                result = result @ node.rotation.T
            if node.position is not None:
                result = result + node.position
            if node.fix == start:
                return result
            node = self.nodes[node.fix]
            if node.motion:
                result = _carried(result, node.motion, found.values[node.name])


def _motion(part: object) -> str:
    if isinstance(part, Servo):
        return "turn"
    if isinstance(part, LinearMotor):
        return "shift"
    return _MOTIONS[part.freedom] if isinstance(part, Passive) else ""


def _turned(rotation: Array, angle: Array, one: int, two: int) -> Array:
    """Return R times the turn that takes axis ``one`` towards axis ``two``."""
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    first, second = rotation[:, :, one], rotation[:, :, two]
    size = max(len(rotation), len(angle))
    result = np.empty((size, 3, 3))
    result[:] = rotation
    result[:, :, one] = cosine * first + sine * second
    result[:, :, two] = cosine * second - sine * first
    return result


def _carried(points: Array, motion: str, value: Array) -> Array:
    """Return points moved by the motion of one part."""
    if motion == "shift":
        return np.asarray(points + value * np.array([1.0, 0.0, 0.0]))
    points = _swung(points, value[:, 0], 0, 1)
    return _swung(points, value[:, 1], 0, 2) if motion == "point" else points


def _swung(points: Array, angle: Array, one: int, two: int) -> Array:
    result = np.empty((max(len(points), len(angle)), 3))
    result[:] = points
    cosine, sine = np.cos(angle), np.sin(angle)
    result[:, one] = cosine * points[:, one] - sine * points[:, two]
    result[:, two] = sine * points[:, one] + cosine * points[:, two]
    return result


class _Planner:
    """Collects the steps to a set of frames, each after all it depends on."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps: list[str | ClosedChain] = []
        self.done: set[str] = set()

    def steps_to(self, targets: frozenset[str]) -> list[str | ClosedChain]:
        for name in self.walk.nodes:  # the order of the tree, whatever the order of the targets
            if name in targets:
                self.frame(name)
        return self.steps

    def frame(self, name: str) -> None:
        if name in self.done:
            return
        node = self.walk.nodes[name]
        if node.fix:
            self.frame(node.fix)
            self.value(node.fix)
        elif name in self.walk.holder:
            self.value(name)  # closing its loop places a platform
            return
        self.done.add(name)
        self.steps.append(name)

    def value(self, name: str) -> None:
        loop = self.walk.holder.get(name)
        if loop is None or loop.tie.name in self.done:
            return
        for chain in loop.chains:
            if not chain.passives:
                self.frame(chain.point)
                continue
            self.frame(chain.passives[0])
            path = self.walk.assembly.path(chain.point)
            for between in path[path.index(chain.passives[0]) + 1 : -1]:
                if between not in loop.passives:
                    self.value(between)
        self.done.add(loop.tie.name)
        self.steps.append(loop)


def jacobian(walk: Walk, found: WalkState, tip: str, loops: tuple[ClosedChain, ...]) -> Array:
    """Return the Jacobian of a part's origin, rows v then w, body frame. Shape (m, 6, n).

    Args:
        walk: The assembly.
        found: Frames and values of everything on the chains of ``loops`` and to ``tip``.
        tip: The part that moves.
        loops: The closed chains that the frame of ``tip`` depends on.

    Returns:
        nan where a loop is open, and where the motors do not determine the motion (a singular
        configuration of the closed chain).
    """
    columns = _Columns(walk, found, loops)
    whole = columns.of(tip, _origin(found, tip))
    motors = walk.assembly.dof
    if not loops:
        return whole[:, :, :motors]
    ties = np.concatenate([_tie(columns, found, loop) for loop in loops], axis=1)
    return np.asarray(
        whole[:, :, :motors]
        - whole[:, :, motors:] @ _solve(ties[:, :, motors:], ties[:, :, :motors])
    )


class _Columns:
    """Velocities of points per unit rate of every motor, passive element and platform."""

    def __init__(self, walk: Walk, found: WalkState, loops: tuple[ClosedChain, ...]) -> None:
        self.walk, self.found = walk, found
        self.place: dict[str, int] = {}
        self.count = walk.assembly.dof
        for loop in loops:
            names = (loop.tie.name,) if isinstance(loop.tie, Platform) else ()
            for name in (*loop.passives, *names):
                self.place[name] = self.count
                self.count += 6 if name in names else _width(walk, name)

    def of(self, name: str, point: Array) -> Array:
        """Return the Jacobian (m, 6, all) of a point fixed to the frame of a part."""
        result = np.zeros((self.found.size, 6, self.count))
        *carriers, _ = self.walk.assembly.path(name)
        root = self.walk.assembly.path(name)[0]
        if root in self.place and isinstance(self.walk.assembly.tree[root].part, Platform):
            at = self.place[root]
            result[:, :, at : at + 6] = _twist_columns(point - _origin(self.found, root))
        for carrier in carriers:
            self._fill(result, carrier, point)
        return result

    def _fill(self, result: Array, name: str, point: Array) -> None:
        node = self.walk.nodes[name]
        if not node.motion:
            return
        at = self.place[name] if node.motor is None else node.motor
        rotation, origin = self.found.frames[name]
        if node.motion == "shift":
            result[:, :3, at] = rotation[:, :, 0]
            return
        axis = rotation[:, :, 2]
        if node.motion == "point":
            pitch = self.found.values[name][:, 1, None]
            axis = np.cos(pitch) * axis - np.sin(pitch) * rotation[:, :, 0]
            second = -rotation[:, :, 1]
            result[:, :3, at + 1] = np.cross(second, point - origin)
            result[:, 3:, at + 1] = second
        result[:, :3, at] = np.cross(axis, point - origin)
        result[:, 3:, at] = axis


def _width(walk: Walk, name: str) -> int:
    return 2 if walk.nodes[name].motion == "point" else 1


def _twist_columns(arm: Array) -> Array:
    """Return the velocities of points at ``arm`` for the unit twists of a body."""
    result = np.tile(np.eye(6), (len(arm), 1, 1))
    x, y, z = arm[:, 0], arm[:, 1], arm[:, 2]
    result[:, 0, 4], result[:, 0, 5] = z, -y
    result[:, 1, 3], result[:, 1, 5] = -z, x
    result[:, 2, 3], result[:, 2, 4] = y, -x
    return result


def _tie(columns: _Columns, found: WalkState, loop: ClosedChain) -> Array:
    """Return the rows of A for one loop: velocities of tied points minus each other."""
    if isinstance(loop.tie, Platform):
        rotation, position = found.frames[loop.tie.name]
        rows = []
        for chain, (_, anchor) in zip(loop.chains, loop.tie.legs, strict=True):
            point = position + rotation @ np.array(anchor)
            on_plate = columns.of(loop.tie.name, point)
            rows.append(columns.of(chain.point, point)[:, :3] - on_plate[:, :3])
        return np.concatenate(rows, axis=1)
    union = found.unions[loop.tie.name]
    first, *others = (columns.of(chain.point, union)[:, :3] for chain in loop.chains)
    ties = np.concatenate([first - other for other in others], axis=1)
    if loop.pattern == "TIGHT_PSEUDO" and len(loop.passives) == 1:
        # the chain hangs on: only the two directions in which its FULLROT turns it are tied
        at = columns.place[loop.passives[0]]
        ties = np.swapaxes(ties[:, :, at : at + 2], 1, 2) @ ties
    return ties


def _solve(left: Array, right: Array) -> Array:
    """Solve many small systems; nan for those that are singular."""
    try:
        return np.asarray(np.linalg.solve(left, right))
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for k in range(len(left)):
            if np.isfinite(left[k]).all() and np.linalg.matrix_rank(left[k]) == left.shape[-1]:
                result[k] = np.linalg.solve(left[k], right[k])
        return result


def _origin(found: WalkState, name: str) -> Array:
    position = found.frames[name][1]
    return np.broadcast_to(position, (found.size, 3))
