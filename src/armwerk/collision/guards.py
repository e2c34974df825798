"""What a motion is held to: each guard judges intervals, and says what is wrong at a place."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bounded_trajectory import States
from armwerk.collision.checker import Checker
from armwerk.collision.moving_scene import MovingScene
from armwerk.collision.packing import Distance
from armwerk.collision.prover import Proofs, Prover
from armwerk.collision.safety import JointArea, SafetySettings
from armwerk.errors import UnsupportedError
from armwerk.geometry import Sphere
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint
from armwerk.robot.parts import Assembly

FINEST = 1e-6
"""[m] Below this a distance that cannot be proved to be one counts as contact."""
BEYOND = 1e-6
"""[rad or m] by which a joint may be beyond an allowed range, being rounded."""
BRIEFEST = 1e-13
"""Share of the time below which an interval is not halved again: its ends are rounded."""
_POINT = 1e-9  # [m] radius of the ball that stands for the tool point


class Judged(NamedTuple):
    """What a guard says about intervals. Each of shape (m,).

    Args:
        value: In the middle; 0 or less: not safe.
        least: A lower bound in the whole interval; above 0: safe.
        settled: Whether the interval is so short that it need not be halved again.
        distance: In the middle, to bodies [m].
        nearest: A lower bound of that in the whole interval [m].
    """

    value: Array
    least: Array
    settled: Flags
    distance: Array
    nearest: Array

    def chosen(self, which: Flags | Integers | slice) -> Judged:
        """Return what is said about some of the intervals."""
        return Judged(
            self.value[which],
            self.least[which],
            self.settled[which],
            self.distance[which],
            self.nearest[which],
        )


class Guard(Protocol):
    """Something a motion must keep to."""

    with_ends: bool

    def judge(self, states: States) -> Judged:
        """Return what can be said about intervals."""
        ...

    def describe(self, q: Array, time: float) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q and a time [s] of the motion."""
        ...


class ArmGuard:
    """The arm keeps away from bodies, standing and moving, and from itself.

    Args:
        checker: The arm and what stands around it.
        margin: Distance to keep from bodies [m].
        tool: Whether the checker's one shape stands for the tool point.
        moving: What moves beside the arm; None: nothing.
        start: When the motion begins by the world's clock [s].
    """

    def __init__(
        self,
        checker: Checker,
        margin: float,
        tool: bool = False,
        moving: MovingScene | None = None,
        start: float = 0.0,
    ) -> None:
        self.checker, self.margin, self.tool = checker, margin, tool
        self.moving, self.start = moving, start
        self.prover = Prover(checker)
        self.with_ends = isinstance(checker.arms[0], Assembly)

    def judge(self, states: States) -> Judged:
        """Return what can be said about intervals."""
        found = self.proofs(states)
        value, least = found.distance - self.margin, found.least - self.margin
        value[found.itself == 2] = -np.inf
        least[found.itself >= 1] = -np.inf
        brief = states.high - states.low <= BRIEFEST * (1.0 + np.abs(states.high))
        if self.moving is not None:
            brief |= states.high - states.low <= self.moving.tick
        settled = (found.move <= FINEST) | brief
        return Judged(value, least, settled, found.distance, found.least)

    def proofs(self, states: States) -> Proofs:
        """Return what is certain about intervals, of bodies that stand and that move."""
        moved = self.prover.moved(states.q, states.radii, states.ends)
        found = self.prover.proofs(moved)
        if self.moving is None:
            return found
        low, high = states.low + self.start, states.high + self.start
        distance, least, move = self.moving.prove(moved, low, high)
        distance[~moved.closed], least[~moved.closed] = -np.inf, -np.inf
        return Proofs(
            np.minimum(found.distance, distance),
            np.minimum(found.least, least),
            found.itself,
            found.move + move,
        )

    def breaks(self, duration: float) -> Array:
        """Return the times of a motion [s] at which something beside the arm jumps."""
        if self.moving is None:
            return np.zeros(0)
        return self.moving.breaks(self.start, self.start + duration) - self.start

    def distance(self, q: Array, time: float) -> Distance:
        """Return the smallest distance to a body at q and a time [s] of the motion."""
        try:
            standing = self.checker.distance(q, self_too=False)
        except UnsupportedError:
            nowhere = np.full(3, np.nan)
            return Distance(-np.inf, nowhere, nowhere)
        if self.moving is None:
            return standing
        moving = self.moving.distance(q, self.start + time)
        return moving if moving.value < standing.value else standing

    def describe(self, q: Array, time: float) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q and a time [s] of the motion."""
        try:
            hit = self.checker.first(q)
        except UnsupportedError:
            return self.checker.arms[0].name, "a closed chain that cannot close", np.zeros(3)
        if hit is not None:
            return "tool" if self.tool else hit.part, hit.body, hit.point
        near, own = self.distance(q, time), self.checker.distance(q)
        if own.value < near.value - self.margin:  # no margin is kept from the arm itself
            near = own
        return "tool" if self.tool else near.part, near.body, (near.point_a + near.point_b) / 2


class AreaGuard:
    """Joints stay in an area, or out of it.

    Args:
        checker: The arm.
        area: Ranges of its axes.
        angles: Whether they are those of joint angles instead, which follow coupled axes.
    """

    with_ends = False

    def __init__(self, checker: Checker, area: JointArea, angles: bool = False) -> None:
        self.checker, self.area, self.angles = checker, area, angles
        joints = _turning(checker) if angles else [j for arm in checker.arms for j in arm.moving]
        self.names = [joint.name for joint in joints]
        self.columns, self.low, self.high = area.columns(self.names)

    def _outside(self, q: Array) -> Array:
        """Return how far each joint is out of its range, negative within. Shape (m, k)."""
        x = (self.checker.angles(q) if self.angles else q)[:, self.columns]
        return np.asarray(np.maximum(self.low - x, x - self.high))

    def judge(self, states: States) -> Judged:
        """Return what can be said about intervals."""
        radii = self.checker.spreads(states.radii) if self.angles else states.radii
        out, radii = self._outside(states.q), radii[:, self.columns]
        if self.area.allowed:
            value, least = BEYOND - out.max(axis=1), BEYOND - (out + radii).max(axis=1)
        else:
            value, least = out.max(axis=1), (out - radii).max(axis=1)
        far = np.full(len(out), np.inf)
        return Judged(value, least, radii.max(axis=1) <= 0.1 * BEYOND, far, far)

    def describe(self, q: Array, time: float) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q; the time does not matter."""
        out = self._outside(q[None])[0]
        worst = int(np.argmax(out))
        if self.area.allowed:
            part = f"joint '{self.names[self.columns[worst]]}'"
        else:
            part = ", ".join(f"joint '{self.names[k]}'" for k in self.columns)
        return part, self.area.name, tool_point(self.checker, q)


def _turning(checker: Checker) -> list[Joint]:
    """Return the joints of serial arms whose angles `Checker.angles` tells, in its order."""
    serial = (arm for arm in checker.arms if isinstance(arm, Arm))
    return [joint for arm in serial for joint in arm.joints if joint.kind != "fixed"]


def _coupled_limits(checker: Checker) -> JointArea | None:
    """Return the own limits of joints that follow other axes; None: there are none."""
    ranges: dict[str | int, tuple[float, float]] = {
        k: joint.coupling.limits
        for k, joint in enumerate(_turning(checker))
        if joint.coupling is not None and joint.coupling.limits is not None
    }
    return JointArea(ranges, name="joint limits") if ranges else None


def tool_point(checker: Checker, q: Array) -> Array:
    """Return where the tool of the first arm is [m]. Shape (3,)."""
    from armwerk.modelling import model

    pose = model(checker.arms[0]).fk(q[: checker.arms[0].dof])
    return np.array(pose[:3, 3])


def guards_of(checker: Checker, settings: SafetySettings) -> list[Guard]:
    """Return all that a motion is held to but the bodies around it, see `ArmGuard`."""
    guards: list[Guard] = []
    if settings.limits:
        names = [joint.name for arm in checker.arms for joint in arm.moving]
        finite = np.asarray(np.isfinite(checker.limits).any(axis=1))
        spans = checker.limits.tolist()
        ranges: dict[str | int, tuple[float, float]] = {
            k: (spans[k][0], spans[k][1]) for k in range(len(names)) if finite[k]
        }
        if ranges:
            guards.append(AreaGuard(checker, JointArea(ranges, name="joint limits")))
        follow = _coupled_limits(checker)
        if follow is not None:
            guards.append(AreaGuard(checker, follow, angles=True))
    guards += [AreaGuard(checker, area) for area in settings.areas]
    if settings.tool_region is not None:
        arm = checker.arms[0]
        if isinstance(arm, Assembly) or len(checker.arms) > 1:
            raise UnsupportedError("a region of the tool needs a single serial arm")
        point = ArmShapes(arm, {"tool": [Sphere(_POINT, name="tool")]})
        tool = Checker(arm, [settings.tool_region], point, self_check=False)
        guards.append(ArmGuard(tool, 0.0, tool=True))
    return guards
