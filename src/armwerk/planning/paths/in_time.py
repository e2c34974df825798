"""From start to goal among bodies that move: a motion in space and time, proved free.

A roadmap (`armwerk.planning.paths.timed_roadmap`) is searched for the earliest arrival, first with
start and goals alone, so that waiting and driving straight is tried, then with ways round all
places that things come by (`armwerk.planning.paths.detours`), then with more and more
configurations that are free of what stands. The stops of what is found are joined by all straight
lines between them and searched again, so that detours go; corners at which the arm does not wait
are rounded. The finished motion is proved by `armwerk.collision.check`.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.body_motion import time_argument
from armwerk.collision.moving_body import Moving
from armwerk.collision.moving_scene import MovingScene
from armwerk.errors import DescriptionError, PlanningError
from armwerk.motion import Path as ToolPath, ptp
from armwerk.motion.limits import Limits
from armwerk.motion.trajectory import Trajectory
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.detours import detours
from armwerk.planning.paths.problem import PlanningProblem
from armwerk.planning.paths.timed_path import TimedPath
from armwerk.planning.paths.timed_roadmap import TimedRoadmap, TimedStop
from armwerk.robot.arm import Arm

WITHIN = 60.0
"""[s] from the start by when the arm has to be at the goal, unless said otherwise."""
SOON = 6.0
"""[s] from the start within which a motion is looked for at first."""
BLENDS = (0.05, 0.0125)
"""[m] Radii of corners, tried in this order."""
_BATCH = 40  # configurations that the roadmap grows by at first
_BATCHES = 2  # times that the roadmap grows before later arrivals are looked for
_SPREAD = 0.5  # [rad or m] by which configurations are spread about the straight line
_MORE = 1  # time that the roadmap grows for an earlier arrival
_SHORT = 0.5  # [s] on top of twice the least time: no more is looked for
_WAIT = 1e-6  # [s] below which a wait is none


def motion_in_time(
    problem: PlanningProblem,
    moving: tuple[Moving, ...],
    *,
    start: float,
    within: float,
    stay: float,
    limits: Limits,
    smoothing: bool,
    planner: PlannerName,
) -> TimedPath:
    """Return a motion from start to goal that is free of what stands and what moves.

    Args:
        problem: The arm among what stands; its start and goals are free of that.
        moving: What moves.
        start: When the arm may set off, by the clock of what moves [s].
        within: How long it may take, waits included [s].
        stay: How long it stands at the goal after it [s].
        limits: Of the joints.
        smoothing: Whether detours are cut off and corners rounded.
        planner: What was asked for, for the result.

    Raises:
        PlanningError: When the start is not free, no goal ever is, or no motion was found.
    """
    begin, end = _times(start, within, stay)
    scene = MovingScene(problem.checker, moving, begin, end + stay)
    soon = min(begin + SOON, end)
    roadmap = TimedRoadmap(problem, scene, limits, begin, soon, stay)
    roadmap.add(problem.start)
    for goal in problem.goals:
        roadmap.add(goal, goal=True)
    _refuse_start(roadmap)
    # what arrives soon is looked for first: the further ahead, the more there is to look at
    stops = _search(roadmap, smoothing, _BATCHES if soon < end else None)
    if stops is None and soon < end and not problem.expired():
        roadmap = roadmap.until(end)
        stops = _search(roadmap, smoothing, None)
    if stops is None:
        _refuse_goals(roadmap)
        raise PlanningError(_not_found(roadmap, end), reason="not found", seconds=problem.used)
    if smoothing and len(stops) > 2:
        roadmap, stops = _shortened(roadmap, stops)
    q = np.array([roadmap.q[stop.node] for stop in stops])
    q.setflags(write=False)
    stopping = np.array([stop.arrival - begin for stop in stops])
    for blend in (*(BLENDS if smoothing else ()), 0.0):
        motion = _driven(roadmap, stops, blend)
        arrivals = np.minimum(stopping, motion.duration)
        arrivals[-1] = motion.duration
        found = TimedPath(
            q if len(q) > 1 else np.vstack([q, q]),
            planner,
            problem.used,
            problem.looks,
            problem.checker,
            problem.margin,
            limits,
            motion=motion,
            arrivals=arrivals if len(q) > 1 else np.append(arrivals, arrivals),
            start=begin,
            moving=moving,
        )
        if blend == 0.0 or found.check().free:
            break
    verdict = found.check()
    if not verdict.free:  # what was proved to a tenth of a millimetre is not to a micrometre
        raise PlanningError(f"the motion touches something: {verdict}", reason="not found")
    return found


def _times(start: float, within: float, stay: float) -> tuple[float, float]:
    for name, value, least in (("within", within, 1e-3), ("stay", stay, 0.0)):
        if not time_argument(value, name) >= least:
            raise DescriptionError(
                "out of range", element=name, value=value, allowed=f"{least:g} s or more"
            )
    begin = time_argument(start, "start")
    return begin, begin + float(within)


def _search(roadmap: TimedRoadmap, hurried: bool, batches: int | None) -> list[TimedStop] | None:
    """Return the stops of a motion found as the roadmap grows; None: there is none, or not yet.

    ``hurried``: where that takes much longer than the straight line would, the roadmap grows a few
    times more, for a motion that arrives earlier. ``batches``: how often it grows at most.
    """
    problem = roadmap.problem
    if not roadmap.is_goal_free():
        return None
    rng = np.random.default_rng(problem.seed)
    stops = roadmap.earliest(roadmap.neighbours())
    batch, more = _BATCH, _MORE if hurried else 0
    quick = 2.0 * float(roadmap.least_time(problem.start, problem.goals).min()) + _SHORT
    if stops is None or (hurried and stops[-1].arrival - roadmap.begin > quick):
        spans = sorted(
            {(roadmap.begin, min(roadmap.begin + long, roadmap.end)) for long in (quick, SOON)}
        )
        ways = detours(problem, roadmap.scene.moving, spans)
        for q in ways:
            roadmap.add(q)
        stops = _sooner(stops, roadmap.earliest(roadmap.neighbours()) if ways else None)
    while not problem.expired():
        if stops is not None:
            if more == 0 or stops[-1].arrival - roadmap.begin <= quick:
                break
            more -= 1
        elif batches == 0:
            break
        batches = None if batches is None else batches - 1
        for _ in range(batch):
            if problem.expired():
                break
            q = _sample(problem, rng)
            if problem.is_free(q):
                roadmap.add(q)
        stops = _sooner(stops, roadmap.earliest(roadmap.neighbours()))
        batch *= 2
    return stops


def _sooner(one: list[TimedStop] | None, two: list[TimedStop] | None) -> list[TimedStop] | None:
    """Return the stops that arrive first."""
    if one is None or (two is not None and two[-1].arrival < one[-1].arrival):
        return two
    return one


def _sample(problem: PlanningProblem, rng: np.random.Generator) -> Array:
    """Return a configuration: anywhere, or beside the straight line to a goal."""
    if rng.random() < 0.4:
        return np.asarray(rng.uniform(problem.low, problem.high))
    goal = problem.goals[int(rng.integers(len(problem.goals)))]
    q = problem.start + rng.random() * (goal - problem.start)
    q = q + rng.normal(size=len(q)) * _SPREAD * rng.random()
    return np.asarray(np.clip(q, problem.low, problem.high))


def _shortened(
    roadmap: TimedRoadmap, stops: list[TimedStop]
) -> tuple[TimedRoadmap, list[TimedStop]]:
    """Return the stops that arrive first when all straight lines between them may be driven."""
    small = TimedRoadmap(
        roadmap.problem, roadmap.scene, roadmap.limits, roadmap.begin, roadmap.end, roadmap.stay
    )
    last = len(stops) - 1
    for number, stop in enumerate(stops):
        small.add(roadmap.q[stop.node], goal=number == last)
    found = small.earliest(small.neighbours(None))
    if found is None or found[-1].arrival > stops[-1].arrival:
        return roadmap, stops
    return small, found


def _driven(roadmap: TimedRoadmap, stops: list[TimedStop], blend: float) -> Trajectory:
    """Return the motion over stops with its waits; corners without a wait are rounded.

    A rounded run is over earlier; what is left is waited at its end, so that what comes after it
    keeps its time.
    """
    limits = roadmap.limits
    rows = [roadmap.q[stop.node] for stop in stops]
    if len(stops) == 1:
        return ptp(None, rows[0], rows[0], limits=limits)
    arm = roadmap.problem.checker.arms[0]
    whole: Trajectory | None = None
    first = 0
    while first < len(stops) - 1:
        last = first + 1
        while last < len(stops) - 1 and stops[last].departure - stops[last].arrival <= _WAIT:
            last += 1
        wait = stops[first].departure - (
            roadmap.begin if whole is None else roadmap.begin + whole.duration
        )
        parts: list[Trajectory] = []
        if wait > _WAIT:
            parts.append(ptp(None, rows[first], rows[first], duration=wait, limits=limits))
        rounded: Trajectory | None = None
        if blend > 0.0 and last > first + 1 and isinstance(arm, Arm):
            path = ToolPath()
            for k in range(first + 1, last + 1):
                path = path.ptp(rows[k], blend=blend if k < last else 0.0)
            rounded = path.plan(arm, rows[first], limits=limits)
        drives = [roadmap.drive(stops[k].node, stops[k + 1].node) for k in range(first, last)]
        straight = [drive.trajectory for drive in drives if drive is not None]
        if rounded is not None and rounded.duration < sum(one.duration for one in straight):
            parts.append(rounded)
        else:
            parts += straight
        for part in parts:
            whole = part if whole is None else whole + part
        first = last
    assert whole is not None
    return Trajectory(whole.pieces, limits, arm, ())


def _refuse_start(roadmap: TimedRoadmap) -> None:
    safe = roadmap.safe(0)
    if (len(safe) and safe[0, 0] <= roadmap.begin) or roadmap.problem.expired():
        return
    near = roadmap.scene.distance(roadmap.q[0], roadmap.begin)
    where = f"is {1000 * near.value:.2f} mm from" if near.value > 0.0 else "touches"
    raise PlanningError(
        f"the start is not free at {roadmap.begin:g} s: {near.part} {where} {near.body}",
        reason="start",
    )


def _refuse_goals(roadmap: TimedRoadmap) -> None:
    if roadmap.is_goal_free() or roadmap.problem.expired():
        return
    goal = min(roadmap.goals)
    times = np.linspace(roadmap.begin, roadmap.end, 50)
    rows = np.tile(roadmap.q[goal], (len(times), 1))
    at = float(times[np.argmin(roadmap.scene.distances(rows, times))])
    near = roadmap.scene.distance(roadmap.q[goal], at)
    longest = f", for {roadmap.stay:g} s at a time" if roadmap.stay else ""
    raise PlanningError(
        f"the goal is never free between {roadmap.begin:g} s and {roadmap.end:g} s{longest}: "
        f"{near.part} touches {near.body}, at {at:.4g} s for one",
        reason="goal",
    )


def _not_found(roadmap: TimedRoadmap, end: float) -> str:
    spans = [
        f"{low:.4g} s to {high:.4g} s"
        for goal in sorted(roadmap.goals)
        for low, high in roadmap.safe(goal).tolist()
    ]
    free = f"the goal is free from {', '.join(spans[:4])}{' …' if len(spans) > 4 else ''}; "
    looked = f"{roadmap.problem.looks} configurations looked at; {free if spans else ''}"
    return (
        f"no motion found within {roadmap.problem.seconds:g} s that is there by {end:g} s, "
        f"{looked}there may be none"
    )
