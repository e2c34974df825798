"""Several arms planned together: starts and goals come in, motions clear of each other go out.

One arm after the other is planned among those that have been, in space and time; first the arms
before it keep away from where the others stand at the start, then these have to get out of the way.
Orders are tried in turn. Where none will do, all joints are planned at once, as those of one arm,
and driven from stop to stop. In the end every motion is proved against every other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes, load_shapes
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.collision.body_motion import time_argument
from armwerk.collision.checker import Checker
from armwerk.collision.motion_check import Verdict, check
from armwerk.collision.moving_body import Moving, MovingArm, movers
from armwerk.collision.safety import SafetySettings
from armwerk.errors import DescriptionError, PlanningError
from armwerk.motion import ptp
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.piece import LinePiece
from armwerk.motion.trajectory import Trajectory
from armwerk.planning.paths.finding import find_path, joined_limits
from armwerk.planning.paths.in_time import WITHIN
from armwerk.planning.paths.problem import goal_rows, joint_row
from armwerk.robot import load
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.collision.motion_picture import MotionPicture

Method: TypeAlias = Literal["one after the other", "all at once"]
ORDERS = 6
"""Orders of the arms that are tried."""
_DRAWN = 60  # configurations along the way in a picture
ATTEMPTS = 6
"""Motions of all joints at once that are tried, one of which must keep the margin."""


@dataclass(frozen=True, eq=False)
class MotionsTogether:
    """Motions of several arms that begin at one time and never touch each other.

    Args:
        arms: In the order given.
        trajectories: One for each; an arm that is there earlier stands and waits.
        method: How they were found.
        order: Numbers of the arms in the order they were planned, from 0.
        seconds: How long that took [s].
        bodies: What stands around.
        shapes: Of the arms.
        margin: Distance kept from bodies and other arms [m].
        moving: What else moves by itself.
        start: When the motions begin by the clock of what moves [s].
    """

    arms: tuple[Arm, ...]
    trajectories: tuple[Trajectory, ...]
    method: Method
    order: tuple[int, ...]
    seconds: float
    bodies: Bodies = field(repr=False)
    shapes: tuple[ArmShapes | None, ...] = field(repr=False)
    margin: float = 0.0
    moving: tuple[Moving, ...] = field(default=(), repr=False)
    start: float = 0.0

    @property
    def duration(self) -> float:
        """How long the slowest takes [s]."""
        return max(trajectory.duration for trajectory in self.trajectories)

    def sample(self, time: float) -> tuple[Array, ...]:
        """Return the joint values of every arm at a time [s]."""
        return tuple(trajectory.sample(time)[0] for trajectory in self.trajectories)

    def plot(self, path: str | Path, time: float | None = None) -> Path:
        """Draw the first arm on its way up to a moment, and the others as solids at that moment.

        Args:
            path: .png or .svg.
            time: The moment [s]; None: when the first arm is nearest to another.
        """
        from armwerk.planning.paths.picture import draw_path  # matplotlib is heavy

        moment = self._nearest() if time is None else float(time)
        own = self.trajectories[0].sample(np.linspace(0.0, moment, _DRAWN))[0]
        others = (*self.motions[1:], *self.moving)
        beside = [shape for one in others for shape in one.at(self.start + moment)]
        checker = Checker(self.arms[0], self.bodies, self.shapes[0])
        title = f"{len(self.arms)} arms together, {self.method}: at {moment:.2f} s"
        below = f"{self.arms[0].name}, and the others as solids; {self.duration:.2f} s in all"
        return draw_path(checker, own, path, title=title, below=below, names=False, beside=beside)

    def _nearest(self) -> float:
        """Return when the first arm is nearest to another [s]."""
        others = self.motions[1:]
        alone = check(
            self.trajectories[0],
            self.arms[0],
            shapes=self.shapes[0],
            moving=others,
            start=self.start,
        )
        return alone.time

    @property
    def motions(self) -> tuple[MovingArm, ...]:
        """The arms with their motions, as `check` and `find_path` take them for another arm."""
        return tuple(
            _moving(self.arms, self.shapes, k, trajectory, self.start)
            for k, trajectory in enumerate(self.trajectories)
        )

    def picture(self) -> MotionPicture:
        """Return all motions to be looked at: `film` and `moments` write them to files."""
        from armwerk.collision.motion_picture import MotionPicture  # matplotlib is heavy

        return MotionPicture(self.motions, self.bodies, self.moving, self.margin)

    def check(self) -> tuple[Verdict, ...]:
        """Return what `armwerk.collision.check` says about each motion among all that moves.

        Each stands at its goal until the last one has arrived.
        """
        settings = SafetySettings(margin=self.margin)
        motions = self.motions
        found = []
        for k, (arm, trajectory) in enumerate(zip(self.arms, self.trajectories, strict=True)):
            others = [*self.moving, *(other for j, other in enumerate(motions) if j != k)]
            found.append(
                check(
                    _held(trajectory, self.duration),
                    arm,
                    self.bodies,
                    settings,
                    shapes=self.shapes[k],
                    moving=others,
                    start=self.start,
                )
            )
        return tuple(found)


def _held(trajectory: Trajectory, duration: float) -> Trajectory:
    """Return a motion that stands at its end until a time [s]."""
    left = duration - trajectory.duration
    if left <= 0.0:
        return trajectory
    q = trajectory.sample(trajectory.duration)[0]
    return Trajectory(
        (*trajectory.pieces, *ptp(None, q, q, duration=left, limits=trajectory.limits).pieces),
        trajectory.limits,
        trajectory.model,
        trajectory.notices,
    )


def find_together(
    arms: Sequence[Arm | str],
    bodies: Bodies | Iterable[Body],
    starts: Sequence[ArrayLike],
    goals: Sequence[ArrayLike],
    seconds: float = 30.0,
    seed: int = 0,
    *,
    margin: float = 0.0,
    within: float = WITHIN,
    shapes: Sequence[ArmShapes | None] | None = None,
    moving: Iterable[Moving] = (),
    start: float = 0.0,
) -> MotionsTogether:
    """Find motions of several arms from starts to goals that touch nothing, each other included.

    Args:
        arms: Two or more serial arms, each at its own base, or their names.
        bodies: What stands around.
        starts: Joint values of each [rad or m].
        goals: Of each: joint values, a pose (4, 4) or a point (3,) [m], as of `find_path`.
        seconds: Time limit of the whole call [s].
        seed: For what is random, 0 or more.
        margin: Distance to keep from bodies and from other arms [m].
        within: How long the motions may take, waits included [s].
        shapes: Of each arm; None: as `armwerk.collision.load_shapes` finds them.
        moving: What else moves by itself meanwhile: `MovingBody` and `MovingArm`. An arm that is
            at its goal stands there until the last one is.
        start: When the arms may set off, by the clock of what moves [s].

    Raises:
        PlanningError: When an arm's start or goals are not free, or no motions were found.
        DescriptionError: For one arm alone, or another number of starts, goals or shapes.
    """
    begin = time.perf_counter()
    seconds = time_argument(seconds, "seconds")
    several = _arms(arms)
    around = as_bodies(bodies)
    solids: tuple[ArmShapes | None, ...] = (None,) * len(several)
    if shapes is not None:
        solids = tuple(shapes)
    for name, given in (("starts", starts), ("goals", goals), ("shapes", solids)):
        if len(given) != len(several):
            raise DescriptionError(
                "wrong number",
                element=name,
                value=len(given),
                allowed=f"one for each of {len(several)} arms",
            )
    request = _TogetherRequest(
        several,
        around,
        tuple(starts),
        tuple(goals),
        solids,
        margin,
        within,
        seed,
        movers(moving),
        time_argument(start, "start"),
    )
    orders = list(islice(permutations(range(len(several))), ORDERS))
    share = seconds / (2 * len(orders) + 2)
    reasons: list[str] = []
    for beware in (True, False):
        for order in orders:
            try:
                found = _one_by_one(request, order, beware, share)
            except PlanningError as error:
                reasons.append(str(error))
                continue
            used = time.perf_counter() - begin
            result = _result(request, found, "one after the other", order, used)
            if all(result.check()):
                return result
    # joints that are planned at once keep the margin from bodies, but not yet from each other:
    # the shorter a path, the nearer the arms come, so that the last ones are not made short
    for attempt in range(ATTEMPTS):
        left = max(seconds - (time.perf_counter() - begin), share / ATTEMPTS)
        short = attempt < ATTEMPTS // 2
        found = _at_once(replace(request, seed=seed + attempt), left, reasons, short)
        used = time.perf_counter() - begin
        result = _result(request, found, "all at once", tuple(range(len(several))), used)
        verdicts = result.check()
        if all(verdicts):
            return result
    worst = next(verdict for verdict in verdicts if not verdict)
    raise PlanningError(
        f"no motions found within {seconds:g} s: planned at once, {worst}; one after the other: "
        f"{'; '.join(dict.fromkeys(reasons))}",
        reason="not found",
        seconds=used,
    )


@dataclass(frozen=True, eq=False)
class _TogetherRequest:
    """What was asked for, see `find_together`."""

    arms: tuple[Arm, ...]
    bodies: Bodies
    starts: tuple[ArrayLike, ...]
    goals: tuple[ArrayLike, ...]
    shapes: tuple[ArmShapes | None, ...]
    margin: float
    within: float
    seed: int
    moving: tuple[Moving, ...]
    start: float


def _arms(arms: Sequence[Arm | str]) -> tuple[Arm, ...]:
    found = tuple(load(one) if isinstance(one, str) else one for one in arms)
    serial = tuple(one for one in found if isinstance(one, Arm))
    if len(serial) < 2 or len(serial) != len(found):
        raise DescriptionError(
            "cannot be planned together",
            element="arms",
            value=[one.name for one in found],
            allowed="two or more serial arms",
        )
    return serial


def _moving(
    arms: Sequence[Arm],
    shapes: Sequence[ArmShapes | None],
    k: int,
    trajectory: Trajectory,
    start: float,
) -> MovingArm:
    """Return an arm with its motion; those of one name are told apart by their number."""
    names = [arm.name for arm in arms]
    name = names[k] if names.count(names[k]) == 1 else f"{names[k]}{k + 1}"
    return MovingArm(arms[k], trajectory, start, shapes[k], name)


def _one_by_one(
    request: _TogetherRequest, order: tuple[int, ...], beware: bool, seconds: float
) -> dict[int, Trajectory]:
    """Return motions planned in an order; those before keep away from starts if they ``beware``."""
    found: dict[int, Trajectory] = {}
    arms, shapes = request.arms, request.shapes
    for place, k in enumerate(order):
        others = [_moving(arms, shapes, j, motion, request.start) for j, motion in found.items()]
        around: list[Moving] = [*request.moving, *others]
        if beware:
            for j in order[place + 1 :]:
                q = np.asarray(request.starts[j], dtype=np.float64)
                still = ptp(None, q, q, limits=Limits.of(arms[j]))
                around.append(_moving(arms, shapes, j, still, request.start))
        path = find_path(
            arms[k],
            request.bodies,
            request.starts[k],
            request.goals[k],
            seconds=seconds / len(order),
            seed=request.seed,
            margin=request.margin,
            shapes=shapes[k],
            moving=around,
            start=request.start,
            within=request.within,
            stay=max((motion.duration for motion in found.values()), default=0.0),
        )
        found[k] = path.trajectory
    return found


def _at_once(
    request: _TogetherRequest, seconds: float, reasons: list[str], short: bool
) -> dict[int, Trajectory]:
    """Return motions planned as those of one arm with all joints, from stop to stop.

    ``short``: whether detours are cut off.
    """
    starts, goals = [], []
    for k, arm in enumerate(request.arms):
        checker = Checker(arm, request.bodies, request.shapes[k])
        start = joint_row(request.starts[k], checker, f"start of arm {k + 1}")
        rows = goal_rows(request.goals[k], start, checker)
        free = rows[~checker.contacts(rows)]
        starts.append(start)
        goals.append(free[0] if len(free) else rows[0])
    pairs = zip(request.arms, request.shapes, strict=True)
    solids = [load_shapes(arm) if one is None else one for arm, one in pairs]
    both = Checker(request.arms, request.bodies, solids)
    limits = joined_limits([Limits.of(arm) for arm in request.arms])
    try:
        path = find_path(
            both,
            request.bodies,
            np.concatenate(starts),
            np.concatenate(goals),
            seconds=seconds,
            seed=request.seed,
            margin=request.margin,
            smoothing=short,
        )
    except PlanningError as error:
        raise PlanningError(
            f"{error}; one after the other: {'; '.join(dict.fromkeys(reasons))}",
            reason=error.reason,
            seconds=error.seconds,
        ) from None
    lines = [
        ptp(None, a, b, "full", "trapezoid", limits=limits).pieces[0] for a, b in pairwise(path.q)
    ]
    found: dict[int, Trajectory] = {}
    first = 0
    for k, arm in enumerate(request.arms):
        columns = slice(first, first + arm.dof)
        first += arm.dof
        pieces = tuple(
            LinePiece(line.start[columns], line.direction[columns], line.law)
            for line in lines
            if isinstance(line, LinePiece)
        )
        found[k] = Trajectory(pieces, Limits.of(arm), arm)
    return found


def _result(
    request: _TogetherRequest,
    found: dict[int, Trajectory],
    method: Method,
    order: tuple[int, ...],
    seconds: float,
) -> MotionsTogether:
    return MotionsTogether(
        request.arms,
        tuple(found[k] for k in range(len(request.arms))),
        method,
        order,
        seconds,
        request.bodies,
        request.shapes,
        request.margin,
        request.moving,
        request.start,
    )
