"""The walk over an assembly: from motor values to the frame of every part.

Frames are kept as a rotation (k, 3, 3) and a position (k, 3) in the frame of the body, with
k = 1 for what does not depend on the motors and k = m otherwise; numpy broadcasts the rest. A
frame follows from the one before by the motion of the part and a constant connection point, so
no two batches of matrices are ever multiplied.
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
