"""Which configuration the arm follows a path with, and why a path cannot be followed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance, fit
from armwerk.mechanics.coupled import CoupledModel
from armwerk.mechanics.extent import millimetre_hint
from armwerk.mechanics.inverse.interface import Task
from armwerk.mechanics.kernels.turns import TURN
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves import Point
from armwerk.motion.kernels.following import LOST
from armwerk.motion.options import DEMANDS, Demand
from armwerk.motion.path.blend_tracks import BuiltSegment
from armwerk.motion.path.few_joints import LooseEndError
from armwerk.motion.path.follow import follow_known, follow_track
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.known_branch import known_branch
from armwerk.motion.path.loosening import loosened
from armwerk.motion.path.marching import BranchPoints, LostError
from armwerk.motion.path.opening import is_singular, openings
from armwerk.motion.path.self_motion import shaping
from armwerk.motion.path.solved_poses import solutions_of
from armwerk.motion.path.track import Track
from armwerk.motion.path.wishes import NONE, Wishes
from armwerk.motion.path.within import follow_into, follow_within
from armwerk.motion.path.wrist import eased

PART_OF: dict[Demand, Task] = {
    "pose": "pose",
    "direction": "direction",
    "inclination": "pose",
    "position": "position",
}
"""The part of a pose that counts, by what is demanded along a path."""
WORDS_OF: dict[Demand, str] = {
    "pose": " with the orientation wanted there",
    "direction": " with the direction wanted there",
    "inclination": " with the inclination it has",
    "position": "",
}
MAX_BRANCHES = 64
SPATIAL = 6  # freedoms of a pose; an arm with more joints has infinitely many configurations
AT_START = 1e-6
"""[m, rad] by which the arm may stand off the start of its path."""

_BEYOND = 1e-6  # of a track, behind the end of a branch, where another is looked for
_WITHIN = np.linspace(0.0, 1.0, 10)[1:-1]  # of a cell near a stop, where joints are looked at
_SLACK = 1e-9  # [rad or m] beyond a stop that is rounding
_SURELY = 1e-3  # [rad or m] beyond it that no closer look takes back
_DIGITS = 8  # of that share that are kept
_HARD = (
    12  # cells to be halved; of a branch that runs beside a singularity all along there are more
)

_LOST: WeakKeyDictionary[Track, dict[bytes, LostPlace]] = WeakKeyDictionary()
"""Where a track is lost, by arm, joint values and how it was followed.

Less that is demanded of a path may lead along the very same track.
"""


class LostPlace(NamedTuple):
    """What `LostError` tells, without what led there.

    Args:
        s: Arc length reached [m].
        q: Joint values there. Shape (n,).
        state: See there.
    """

    s: float
    q: Array
    state: int


class ForcedError(MotionError):
    """On its way, not where it starts, a path can be driven on in another configuration only."""


class InTheWayError(MotionError):
    """What is asked for can be met, but for a stop of a joint or a body in the way."""


class OutOfReachError(MotionError):
    """No configuration at all brings the tool there, so that no other choice can help.

    Attributes:
        pose: T_world_tool that nothing reaches. Shape (4, 4). None: it is not told.
    """

    pose: Array | None = None


def follow(
    model: SerialModel,
    track: Track,
    built: Sequence[BuiltSegment],
    q: Array,
    demand: Demand = "pose",
    end: Array | None = None,
    wishes: Wishes = NONE,
) -> Follower:
    """Follow a track from joint values at its start, whatever the stops of the joints.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        built: The segments it is made of; the one that asks for least says what must be met.
        q: Joint values at its start. Shape (n,).
        demand: What must be met at most.
        end: Joint values wanted at its end, of an arm with joints to spare; None: any.
        wishes: Of the joints, beside the poses.

    Raises:
        OutOfReachError: Where no joint values reach a place of it.
        MotionError: Where it cannot be followed any further; names segment, place and axis.
    """
    asked = (demand, *(one.geometry.demand for one in built))
    least = max(asked, key=DEMANDS.index)
    taken: Track | None = None
    try:
        taken = _taken(model, track, least, q, wishes)
        return _followed(model, taken, q, end, wishes)
    except LostError as lost:
        error = _lost(model, track, built, lost, least)
        if taken is None or (least == "pose" and isinstance(error, OutOfReachError)):
            raise error from None  # by any branch
        with suppress(LostError):
            return _followed(model, taken, q, end, wishes, opened=True)
        raise error from None
    except LooseEndError as loose:
        segment, place = place_words(track, built, loose.s)
        point = np.round(track.evaluate(np.array([loose.s]))[0][0, :, 3], 6).tolist()
        _, beyond = _solutions_behind(model, track, loose.s, least, q)
        raise (MotionError if len(beyond) else OutOfReachError)(
            f"out of reach, or beyond a singularity: from where it comes '{model.arm.name}' cannot "
            f"bring the tool to {point} m{WORDS_OF[least]}",
            segment=segment,
            place=place,
        ) from None


def ways_out(model: SerialModel, track: Track, q: Array) -> Iterator[tuple[Array, Follower]]:
    """Yield what follows a track on each of the branches that leave its singular start.

    With it come the joint values a little ahead that tell the branch. Shape (n,).

    Args:
        model: Of the arm.
        track: Where the tool goes, all of its poses to be met.
        q: Joint values at its start. Shape (n,).
    """
    for opening in openings(model, track, q):
        with suppress(LostError):
            chain = model.chain
            found = follow_track(track, chain.constants, chain.scale, q, opening=opening)
            yield opening.motions[-1, 0], found


def _taken(model: SerialModel, track: Track, least: Demand, q: Array, wishes: Wishes) -> Track:
    """Return a track with the orientations that the arm takes where the path leaves it a choice."""
    if isinstance(model, CoupledModel):
        return _taken(model.free, track, least, model.angles(q), wishes)
    taken = loosened(model, track, least, q)
    if wishes.wrist > 0.0 and least == "pose" and model.dof == SPATIAL:
        taken = eased(model, taken, q, wishes.wrist, wishes.hasty)
    return taken


def _followed(
    model: SerialModel,
    taken: Track,
    q: Array,
    end: Array | None,
    wishes: Wishes,
    opened: bool = False,
) -> Follower:
    """Follow a track from joint values; opened: on a branch that leads to its singular start.

    Raises:
        LostError: Where it is lost, each time the same.
    """
    if model.dof > SPATIAL:  # spare joints go other ways for other wishes
        return _followed_anew(model, taken, q, end, wishes, opened)
    known = _LOST.setdefault(taken, {})
    asked = bytes((isinstance(model, CoupledModel), wishes.hasty, opened))
    key = model.chain.constants.tobytes() + q.tobytes() + asked
    if key not in known:
        try:
            return _followed_anew(model, taken, q, end, wishes, opened)
        except LostError as lost:
            known[key] = LostPlace(lost.s, lost.q, lost.state)
    raise LostError(*known[key])


def _followed_anew(
    model: SerialModel,
    taken: Track,
    q: Array,
    end: Array | None,
    wishes: Wishes,
    opened: bool,
) -> Follower:
    """Do what `_followed` does, whatever is known."""
    if isinstance(model, CoupledModel):
        return _coupled(model, taken, q, end, wishes, opened)
    shape = shaping(model, taken, end, wishes)
    if wishes.hasty:
        shape = _refusing_stops(model, shape)
    hard = _HARD if wishes.hasty else np.inf
    chain = model.chain
    known = known_branch(taken, q)
    if known is not None:
        if opened:  # it is the only one, and it was lost before
            raise LostError(0.0, q, LOST)
        return follow_known(taken, chain.constants, chain.scale, q, known)
    if not opened:
        if is_singular(model, q):
            with suppress(LostError):
                return follow_within(model, taken, q)
            if wishes.hasty:  # a branch that leaves it is found from ahead at a tenth of the work
                raise LostError(0.0, q, LOST)
        return follow_track(taken, chain.constants, chain.scale, q, shape, hard=hard)
    for opening in openings(model, taken, q):
        with suppress(LostError):
            return follow_track(taken, chain.constants, chain.scale, q, shape, opening, hard)
    if is_singular(model, q):
        return follow_into(model, taken, q)
    raise LostError(0.0, q, LOST)


def _refusing_stops(
    model: SerialModel, shape: Callable[[BranchPoints], BranchPoints] | None
) -> Callable[[BranchPoints], BranchPoints]:
    """Return what shapes a branch and refuses one beyond the stops whatever its whole turns.

    So it is not followed closely only to be refused in the end.
    """
    low, high = model.chain.limits.T
    turn = np.where(model.chain.revolute, TURN, np.inf)

    def refused(points: BranchPoints) -> BranchPoints:
        shaped = points if shape is None else shape(points)
        least, most = shaped.motions[:, 0].min(axis=0), shaped.motions[:, 0].max(axis=0)
        lowest = low - _SURELY
        up = np.ceil((lowest - least) / turn)
        shift = np.where(np.isfinite(turn) & np.isfinite(low), up * TURN, 0.0)
        beyond = (least + shift < lowest) | (most + shift > high + _SURELY)
        if beyond.any():
            joint = model.arm.moving[int(np.argmax(beyond))]
            raise InTheWayError("runs into its stop", axis=f"joint '{joint.name}'")
        return shaped

    return refused


def _coupled(
    model: CoupledModel,
    track: Track,
    q: Array,
    end: Array | None,
    wishes: Wishes,
    opened: bool,
) -> Follower:
    """Follow a track with the angles of the joints, and return the axis values for them.

    One is a constant matrix times the other, and so are all their derivatives.
    """
    last = None if end is None else model.angles(end)
    free = _followed(model.free, track, model.angles(q), last, wishes, opened)
    table = model.turns.rates(free.table)
    if np.abs(table[:, 0] @ model.turns.matrix.T - free.table[:, 0]).max() > AT_START:
        raise MotionError(
            f"out of reach: the rods of '{model.arm.name}' do not let its joints without a drive "
            "turn as the path wants them to"
        )
    return replace(free, table=table)


def candidates(model: SerialModel, pose: Array, near: Array, task: Task = "pose") -> list[Array]:
    """Return the configurations within limits that reach a pose, nearest first, turns included.

    Args:
        model: Of the arm; of one with joints to spare the nearest of infinitely many comes first.
        pose: T_world_tool. Shape (4, 4).
        near: Where the arm is wanted to be near. Shape (n,).
        task: The part of the pose that counts.
    """
    chain = model.chain
    found: list[Array] = []
    if isinstance(model, CoupledModel) and task == "pose":
        return model.candidates(pose, near, MAX_BRANCHES)
    solutions = solutions_of(model, pose, task, near)
    if task == "pose" and model.dof > SPATIAL:
        nearest = model.ik_nearest(pose, near)
        found += [] if nearest is None else [nearest]
    for solution in solutions:
        for shifted in _turns(chain, fit(chain, solution, near)[0]):
            found.append(shifted)
            if len(found) >= MAX_BRANCHES:
                break
    found.sort(key=lambda q: float(distance(chain, q, near)))
    return found


def _turns(chain: Chain, q: Array) -> Iterator[Array]:
    """Yield q with all full turns that keep the limits."""
    low, high = chain.limits.T
    options = []
    for axis in range(len(q)):
        values = [q[axis] + TURN * k for k in (0, -1, 1)] if chain.revolute[axis] else [q[axis]]
        if not np.isfinite([low[axis], high[axis]]).all():
            values = values[:1]
        inside = [v for v in values if low[axis] <= v <= high[axis]]
        if not inside:
            return
        options.append(inside)
    for choice in itertools.islice(itertools.product(*options), MAX_BRANCHES):
        yield np.array(choice)


def place_words(track: Track, built: Sequence[BuiltSegment], s: float) -> tuple[str, str]:
    """Return segment and place of an arc length, in words."""
    span, local = track.owner(s)
    label = next(m.segment.label for m in built if m.segment.number == span.owner)
    total = span.curve.length
    fraction = f"{100.0 * local / total:.0f} %" if total > 0 else ""
    unit = "rad" if isinstance(span.curve, Point) else "m"
    where = f"at {local:.4g} {unit} of {total:.4g} {unit} ({fraction})"
    return label, f"{where} of the blend at its end" if span.is_blend else where


def with_words(error: MotionError, words: str) -> MotionError:
    """Return an error that says more of the same problem."""
    return type(error)(
        f"{error.problem}{words}", segment=error.segment, place=error.place, axis=error.axis
    )


def _lost(
    model: SerialModel,
    track: Track,
    built: Sequence[BuiltSegment],
    lost: LostError,
    least: Demand,
) -> MotionError:
    segment, place = place_words(track, built, lost.s)
    pose, solutions = _solutions_behind(model, track, lost.s, least, lost.q)
    if not len(solutions):
        return out_of_reach(model, track, built, lost.s, pose, least)
    # coupled joints are followed by their angles
    free = model.free if isinstance(model, CoupledModel) else model
    axis = _stuck_axis(free.jacobian(lost.q))
    name = free.arm.moving[axis].name
    what = "the pose is reached" if lost.state == LOST else "the path goes on"
    kind = ForcedError if lost.s > _BEYOND * track.length else MotionError
    return kind(
        f"a change of configuration is forced: the arm is at a singularity, and {what} only with "
        f"another configuration ({len(solutions)} exist)",
        segment=segment,
        place=place,
        axis=f"joint '{name}'",
    )


def _solutions_behind(
    model: SerialModel, track: Track, s: float, least: Demand, near: Array
) -> tuple[Array, Array]:
    """Return the pose just behind an arc length [m], and what reaches it.

    A branch is followed to the very edge: whether the reach ends there shows beyond it.
    """
    # one place but for rounding
    share = round(s / max(track.length, 1e-300) + _BEYOND, _DIGITS)
    pose = pose_at(track, min(share, 1.0) * track.length)
    part = PART_OF[least]
    return pose, solutions_of(model, pose, part, None if part == "pose" else near)


def pose_at(track: Track, s: float) -> Array:
    """Return T_world_tool at an arc length [m]. Shape (4, 4)."""
    pose = np.eye(4)
    pose[:3] = track.evaluate(np.array([s]))[0][0]
    return pose


def out_of_reach(
    model: SerialModel,
    track: Track,
    built: Sequence[BuiltSegment],
    s: float,
    pose: Array,
    least: Demand = "pose",
) -> OutOfReachError:
    """Return what is said of an arc length [m] at, or just before, a pose that nothing reaches."""
    segment, place = place_words(track, built, s)
    point = np.round(pose[:3, 3], 6).tolist()
    hint = millimetre_hint(model.arm, pose_at(track, track.length)[:3, 3])
    error = OutOfReachError(
        f"out of reach: no joint values of '{model.arm.name}' bring the tool to {point} m"
        f"{WORDS_OF[least]}{hint}",
        segment=segment,
        place=place,
    )
    error.pose = pose
    return error


def _stuck_axis(jacobian: Array) -> int:
    """Return the joint that moves most in the motion that does nothing to the tool."""
    _, _, rows = np.linalg.svd(jacobian)
    return int(np.argmax(np.abs(rows[-1])))


def check_stops(model: SerialModel, follower: Follower, built: Sequence[BuiltSegment]) -> None:
    """Refuse joint values beyond a stop, between the points of the grid too."""
    low, high = model.chain.limits.T
    u, q = follower.grid, follower.table[:, 0]
    between = _near_stops(follower, low, high)
    if len(between):
        u = np.unique(np.concatenate([u, between]))
        q = follower.joints(u)[:, 0]
    beyond = (q < low - _SLACK) | (q > high + _SLACK)
    if not beyond.any():
        _check_angles(model, follower, built)
        return
    k = int(np.argmax(beyond.any(axis=1)))
    axis = int(np.argmax(beyond[k]))
    joint = model.arm.moving[axis]
    stop = low[axis] if q[k, axis] < low[axis] else high[axis]
    reach = q[beyond[:, axis], axis]
    far = float(reach[np.argmax(np.abs(reach - stop))])
    segment, place = place_words(follower.track, built, float(follower.arc_length(u[k : k + 1])[0]))
    raise InTheWayError(
        f"runs into its stop at {stop:.6g} {joint.unit}: the path needs {far:.6g} {joint.unit}",
        segment=segment,
        place=place,
        axis=f"joint '{joint.name}'",
    )


def _near_stops(follower: Follower, low: Array, high: Array) -> Array:
    """Return values of the parameter at which joints may come nearest to their stops. Shape (k,).

    Within a cell whose ends are near a stop: where a joint turns back there, and between.
    """
    table, h = follower.table, np.diff(follower.grid)
    gap = np.minimum(table[:, 0] - low, high - table[:, 0])
    rates = np.abs(table[:, 1])
    reach = h[:, None] * np.maximum(rates[1:], rates[:-1])
    near = (np.minimum(gap[1:], gap[:-1]) < reach).any(axis=1) & (h > 0.0)
    cells = np.flatnonzero(near)
    if not len(cells):
        return np.empty(0)
    u = follower.grid[cells, None] + _WITHIN * h[cells, None]
    motion = follower.joints(u.ravel()).reshape(len(cells), len(_WITHIN), 4, -1)
    bend = np.where(motion[:, :, 2] == 0.0, np.inf, motion[:, :, 2])
    turned = u[:, :, None] - motion[:, :, 1] / bend  # where the rate vanishes, by one step
    inside = np.abs(turned - u[:, :, None]) < h[cells, None, None]
    turned = np.clip(turned, follower.grid[cells, None, None], follower.grid[cells + 1, None, None])
    return np.concatenate([u.ravel(), turned[inside]])


def _check_angles(model: SerialModel, follower: Follower, built: Sequence[BuiltSegment]) -> None:
    """Refuse axis values that put a coupled joint beyond its own limits."""
    rows = follower.table[:, 0]
    breach = model.arm.angle_breach(rows)
    if not breach:
        return
    k = int(np.argmin(model.arm.keeps_limits(rows)))
    segment, place = place_words(follower.track, built, float(follower.arcs[k, 0, 0]))
    raise InTheWayError(breach, segment=segment, place=place)
