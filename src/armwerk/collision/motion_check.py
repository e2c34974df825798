"""Whether a whole motion is safe: no obstacle is too thin to be found.

A trajectory is not sampled but proved. Every interval of time is looked at in its middle. The
joints get only so far from there (`BoundedTrajectory`), so every part of the arm does (`Prover`);
when that is less than its distance to everything, the interval is free. Otherwise it is halved,
until it is proved or a contact is met. What cannot be told from contact within `FINEST` counts as
contact; see `armwerk.collision.guards`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.collision.body_motion import time_argument
from armwerk.collision.bounded_trajectory import BoundedTrajectory, Intervals, segment_at
from armwerk.collision.checker import Checker, Named
from armwerk.collision.guards import ArmGuard, Guard, Judged, guards_of
from armwerk.collision.moving_body import Moving, movers
from armwerk.collision.moving_scene import MovingScene
from armwerk.collision.packing import Distance
from armwerk.collision.safety import SafetySettings
from armwerk.errors import DescriptionError, ShapeError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.trajectory import Trajectory
from armwerk.robot import load
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

CheckedArm: TypeAlias = Named | Sequence[Named] | ArmModel | Checker
"""What can be checked: a description, its name or file, several that move together, a model, or a
checker that stands for arm and bodies."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionContact:
    """Where a motion first is not safe.

    Args:
        time: [s] from its start.
        segment: Which segment of the path, or piece of the trajectory, counted from 1.
        part: What of the arm: a shape, "tool", or a joint.
        body: With what: a body, another shape of the arm, a region, or an area.
        point: Where, in the world [m]; for areas of joints where the tool is. Shape (3,).
        q: Joint values [rad or m]. Shape (n,).
    """

    time: float
    segment: int
    part: str
    body: str
    point: Array
    q: Array

    def __str__(self) -> str:
        place = ", ".join(f"{x:.4f}" for x in self.point)
        return (
            f"{self.part} meets {self.body} at {self.time:.4f} s, segment {self.segment}, "
            f"at ({place}) m"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What was found about a motion; true when it is safe.

    Args:
        contact: The first contact; None: the motion is safe.
        distance: Smallest distance to a body or another arm, with its points and names; when
            there is a contact, that of its moment. The arm's distance to itself does not count.
        time: When the distance is smallest [s].
        q: Joint values then [rad or m]. Shape (n,).
        looks: How many configurations were looked at.
        proved: Whether a free motion is certain to be free. False where bounds are measured: along
            curves of the tool, see `armwerk.collision.bounded_trajectory`, and of closed chains,
            see `armwerk.collision.prover`.
    """

    contact: MotionContact | None
    distance: Distance
    time: float
    q: Array
    looks: int
    proved: bool = True

    @property
    def free(self) -> bool:
        """Whether the whole motion is safe."""
        return self.contact is None

    def __bool__(self) -> bool:
        return self.free

    def __str__(self) -> str:
        if self.contact is not None:
            return str(self.contact)
        if not np.isfinite(self.distance.value):
            return "free; there is nothing around"
        return (
            f"free; smallest distance {1000 * self.distance.value:.2f} mm, "
            f"{self.distance.part} to {self.distance.body} at {self.time:.4f} s"
        )


def check(
    trajectory: Trajectory,
    arm: CheckedArm,
    bodies: Bodies | Iterable[Body] = (),
    settings: SafetySettings | None = None,
    *,
    shapes: ArmShapes | None = None,
    srdf: str | Path | None = None,
    moving: Iterable[Moving] = (),
    start: float = 0.0,
) -> Verdict:
    """Check a whole trajectory against bodies, the arm itself, and areas of joint values.

    Bodies that move are where they are at each moment; a motion that is free is proved to be so as
    among bodies that stand.

    Args:
        trajectory: The motion.
        arm: A description, the name of one, a model, or a `Checker` that stands for arm and
            bodies.
        bodies: What stands around.
        settings: Margins and areas; None: just no contact, within the joints' limits.
        shapes: Of the arm; None: as `arm_shapes` makes them.
        srdf: File that says which links of the arm may touch; None: the one beside its file.
        moving: What moves by itself meanwhile: `MovingBody` and `MovingArm`.
        start: When the trajectory begins by the clock of what moves [s].

    Raises:
        ShapeError: When the trajectory has another number of axes.
        DescriptionError: For something that is no trajectory, no arm, or does not move.
    """
    settings = SafetySettings() if settings is None else settings
    checker = checker_of(with_srdf(arm, srdf), bodies, settings, shapes)
    motion = bounded(trajectory, checker)
    around = arm_guard(checker, settings, moving, start, trajectory.duration)
    proved = motion.proved and not isinstance(checker.arms[0], Assembly)
    proved = proved and (around.moving is None or around.moving.proved)
    distances = _first_bad(motion, around, np.inf, around.breaks(trajectory.duration))
    looks = distances.looks
    first: tuple[float, Guard] | None = None
    if distances.time is not None:
        first = (distances.time, around)
    for guard in guards_of(checker, settings):
        found = _first_bad(motion, guard, np.inf if first is None else first[0])
        looks += found.looks
        if found.time is not None:
            first = (found.time, guard)
    if first is not None:
        time, guard = first
        q = trajectory.sample(time)[0]
        part, body, point = guard.describe(q, time)
        contact = MotionContact(time, segment_at(trajectory, time), part, body, point, q)
        return Verdict(contact, around.distance(q, time), time, q, looks, proved)
    time, more = _nearest(motion, distances, settings.accuracy)
    q = trajectory.sample(time)[0]
    return Verdict(None, around.distance(q, time), time, q, looks + more, proved)


def nearest_moving(
    trajectory: Trajectory, checker: Checker, moving: Iterable[Moving], start: float = 0.0
) -> Verdict:
    """Return what `check` says of a motion among what moves alone: how near it comes to that.

    Args:
        trajectory: The motion.
        checker: The arm; what stands around it and its limits do not count here.
        moving: What moves by itself meanwhile.
        start: When the trajectory begins by the clock of what moves [s].
    """
    alone = Checker(checker.arms, (), checker.shapes, self_check=False)
    settings = SafetySettings(limits=False)
    return check(trajectory, alone, settings=settings, moving=moving, start=start)


def arm_guard(
    checker: Checker,
    settings: SafetySettings,
    moving: Iterable[Moving],
    start: float,
    duration: float,
) -> ArmGuard:
    """Return what keeps an arm away from all that stands and moves around it.

    Args:
        checker: The arm and what stands.
        settings: The margin.
        moving: What moves.
        start: When the motion begins by the clock of what moves [s].
        duration: How long it takes [s].
    """
    begin = time_argument(start, "start")
    found = movers(moving)
    scene = MovingScene(checker, found, begin, begin + duration) if found else None
    return ArmGuard(checker, settings.margin, moving=scene, start=begin)


def with_srdf(arm: CheckedArm, srdf: str | Path | None) -> CheckedArm:
    """Return an arm whose links may touch as an SRDF says; None: as they may already.

    Raises:
        DescriptionError: For what is not one arm of a tree, or an SRDF of another robot.
    """
    if srdf is None:
        return arm
    described = arm.arm if isinstance(arm, ArmModel) else arm
    if not isinstance(described, str | Path | Arm | Assembly):
        raise DescriptionError(
            "holds for one arm",
            element="srdf",
            value=srdf,
            allowed="one arm by name or description; others are loaded with load(…, srdf=…)",
        )
    return load(described, srdf=srdf)


def checker_of(
    arm: CheckedArm,
    bodies: Bodies | Iterable[Body],
    settings: SafetySettings,
    shapes: ArmShapes | None,
) -> Checker:
    """Return the checker of an arm among bodies; one that is given stays as it is."""
    if not isinstance(settings, SafetySettings):
        raise DescriptionError(
            "no settings", element="settings", value=settings, allowed="SafetySettings or None"
        )
    if isinstance(arm, Checker):
        return arm
    if isinstance(arm, Arm | Assembly | Path | Sequence):  # a text is a sequence too
        return Checker(arm, as_bodies(bodies), shapes, settings.self_check)
    if not hasattr(arm, "arm"):
        raise DescriptionError("no arm", element="arm", value=arm, allowed="Arm or Assembly")
    return Checker(arm.arm, as_bodies(bodies), shapes, settings.self_check)


def bounded(trajectory: Trajectory, checker: Checker) -> BoundedTrajectory:
    """Return a trajectory ready to be cut into intervals."""
    if not isinstance(trajectory, Trajectory):
        raise DescriptionError(
            "no trajectory", element="trajectory", value=trajectory, allowed="a Trajectory"
        )
    if trajectory.dof != checker.dof:
        raise ShapeError(
            f"the trajectory moves {trajectory.dof} axes, but the arm has {checker.dof}"
        )
    return BoundedTrajectory(trajectory)


class Found(NamedTuple):
    """What a search over a motion has found.

    Args:
        time: When it is first not safe [s]; None: never.
        looks: How many configurations were looked at.
        proved: Intervals that are safe.
        judged: What the guard said about them.
        guard: Who said it.
    """

    time: float | None
    looks: int
    proved: Intervals
    judged: Judged
    guard: Guard


def _first_bad(
    motion: BoundedTrajectory, guard: Guard, until: float, breaks: Array | None = None
) -> Found:
    """Find when a motion is first not safe, if that is before ``until``; cut at ``breaks``."""
    start = Intervals(np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.int64))
    open_ = motion.intervals(breaks)
    proved: list[tuple[Intervals, Judged]] = []
    # halving never comes to the very start, so it is looked at by itself
    began = guard.judge(motion.states(start, guard.with_ends)).value[0] <= 0.0
    bad, looks = 0.0 if began and until > 0.0 else until, 1
    if bad == 0.0:
        open_ = open_.chosen(slice(0, 1))
    while len(open_.low):
        judged = guard.judge(motion.states(open_, guard.with_ends))
        looks += len(open_.low)
        hit = judged.value <= 0.0
        vague = ~hit & ~(judged.least > 0.0)
        hit |= vague & judged.settled
        bad = float(min(bad, open_.middles[hit].min(initial=np.inf)))
        safe = judged.least > 0.0
        proved.append((open_.chosen(safe), judged.chosen(safe)))
        # what is after the first contact known so far does not matter; before it, it does
        again = ~safe & ~(hit & judged.settled) & (open_.low < bad)
        open_ = open_.chosen(again).halved()
        open_ = open_.chosen(open_.low < bad)
    columns = zip(*(part for part, _ in proved), strict=True)
    intervals = Intervals(*(np.concatenate(rows) for rows in columns))
    said = Judged(*(np.concatenate(rows) for rows in zip(*(j for _, j in proved), strict=True)))
    return Found(bad if bad < until else None, looks, intervals, said, guard)


def _nearest(motion: BoundedTrajectory, found: Found, accuracy: float) -> tuple[float, int]:
    """Return when the distance is smallest, and how many more configurations were looked at."""
    open_, judged, looks = found.proved, found.judged, 0
    best, time = np.inf, 0.0
    while len(open_.low):
        place = int(np.argmin(judged.distance))
        if judged.distance[place] < best:
            best, time = float(judged.distance[place]), float(open_.middles[place])
        worth = (judged.nearest < best - accuracy) & ~judged.settled
        open_ = open_.chosen(worth).halved()
        if len(open_.low):
            judged = found.guard.judge(motion.states(open_, found.guard.with_ends))
            looks += len(open_.low)
    return time, looks
