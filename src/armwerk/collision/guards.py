"""What a motion is held to: each guard judges intervals, and says what is wrong at a place."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bounded_trajectory import States
from armwerk.collision.checker import Checker
from armwerk.collision.prover import Prover
from armwerk.collision.safety import JointArea, SafetySettings
from armwerk.errors import UnsupportedError
from armwerk.geometry import Sphere
from armwerk.robot.parts import Assembly

FINEST = 1e-6
"""[m] Below this a distance that cannot be proved to be one counts as contact."""
BEYOND = 1e-6
"""[rad or m] by which a joint may be beyond an allowed range, being rounded."""
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

    def describe(self, q: Array) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q."""
        ...


class ArmGuard:
    """The arm keeps away from bodies and from itself."""

    def __init__(self, checker: Checker, margin: float, tool: bool = False) -> None:
        self.checker, self.margin, self.tool = checker, margin, tool
        self.prover = Prover(checker)
        self.with_ends = isinstance(checker.arms[0], Assembly)

    def judge(self, states: States) -> Judged:
        """Return what can be said about intervals."""
        found = self.prover.intervals(*states)
        value, least = found.distance - self.margin, found.least - self.margin
        value[found.itself == 2] = -np.inf
        least[found.itself >= 1] = -np.inf
        return Judged(value, least, found.move <= FINEST, found.distance, found.least)

    def describe(self, q: Array) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q."""
        try:
            hit = self.checker.first(q)
        except UnsupportedError:
            return self.checker.arms[0].name, "a closed chain that cannot close", np.zeros(3)
        if hit is not None:
            return "tool" if self.tool else hit.part, hit.body, hit.point
        near = self.checker.distance(q, self_too=False)
        if near.value > self.margin + 10 * FINEST:
            near = self.checker.distance(q)
        return "tool" if self.tool else near.part, near.body, (near.point_a + near.point_b) / 2


class AreaGuard:
    """Joints stay in an area, or out of it."""

    with_ends = False

    def __init__(self, checker: Checker, area: JointArea) -> None:
        self.checker, self.area = checker, area
        self.names = [joint.name for arm in checker.arms for joint in arm.moving]
        self.columns, self.low, self.high = area.columns(self.names)

    def _outside(self, q: Array) -> Array:
        """Return how far each joint is out of its range, negative within. Shape (m, k)."""
        x = q[:, self.columns]
        return np.asarray(np.maximum(self.low - x, x - self.high))

    def judge(self, states: States) -> Judged:
        """Return what can be said about intervals."""
        out, radii = self._outside(states.q), states.radii[:, self.columns]
        if self.area.allowed:
            value, least = BEYOND - out.max(axis=1), BEYOND - (out + radii).max(axis=1)
        else:
            value, least = out.max(axis=1), (out - radii).max(axis=1)
        far = np.full(len(out), np.inf)
        return Judged(value, least, radii.max(axis=1) <= 0.1 * BEYOND, far, far)

    def describe(self, q: Array) -> tuple[str, str, Array]:
        """Return part, body and point of what is not safe at q."""
        out = self._outside(q[None])[0]
        worst = int(np.argmax(out))
        if self.area.allowed:
            part = f"joint '{self.names[self.columns[worst]]}'"
        else:
            part = ", ".join(f"joint '{self.names[k]}'" for k in self.columns)
        return part, self.area.name, tool_point(self.checker, q)


def tool_point(checker: Checker, q: Array) -> Array:
    """Return where the tool of the first arm is [m]. Shape (3,)."""
    from armwerk.modelling import model

    pose = model(checker.arms[0]).fk(q[: checker.arms[0].dof])
    return np.array(pose[:3, 3])


def guards_of(checker: Checker, settings: SafetySettings) -> list[Guard]:
    """Return all that a motion is held to; the first one knows the distance to the bodies."""
    guards: list[Guard] = [ArmGuard(checker, settings.margin)]
    if settings.limits:
        names = [joint.name for arm in checker.arms for joint in arm.moving]
        finite = np.asarray(np.isfinite(checker.limits).any(axis=1))
        spans = checker.limits.tolist()
        ranges: dict[str | int, tuple[float, float]] = {
            k: (spans[k][0], spans[k][1]) for k in range(len(names)) if finite[k]
        }
        if ranges:
            guards.append(AreaGuard(checker, JointArea(ranges, name="joint limits")))
    guards += [AreaGuard(checker, area) for area in settings.areas]
    if settings.tool_region is not None:
        arm = checker.arms[0]
        if isinstance(arm, Assembly) or len(checker.arms) > 1:
            raise UnsupportedError("a region of the tool needs a single serial arm")
        point = ArmShapes(arm, {"tool": [Sphere(_POINT, name="tool")]})
        tool = Checker(arm, [settings.tool_region], point, self_check=False)
        guards.append(ArmGuard(tool, 0.0, tool=True))
    return guards
