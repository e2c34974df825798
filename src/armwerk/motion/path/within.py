"""Tracks that run within a singularity all along, followed with a joint held.

A UR with its wrist stretched that moves in its own plane, a wrist that goes straight up on the
first axis: the arm is singular at every place, a joint is to spare there, and rounding would choose
what it does. Held still it leaves the others no choice. In: a track and the joint values in which
an arm stands at its start. Out: what follows the track, some joints standing still.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.mechanics.kernels.layout import KIND, REVOLUTE, SETTINGS
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.kernels.following import LOST, Tolerances, ToolPoints, refine
from armwerk.motion.path.follow import follow_track
from armwerk.motion.path.follower import Follower
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints, LostError
from armwerk.motion.path.opening import FAR, SAME, is_singular, march_back, solved_ahead
from armwerk.motion.path.track import BackwardTrack, Track

_SPARE = 1e-4  # of a singular value below which what it belongs to is to spare
_TAKES_PART = 0.1  # of a unit motion that does nothing to the tool, from which on a joint is held
_LEADS_OUT = 1e-3  # of a tool motion that a singular arm cannot make: the track leads out of it
_AT_REST = 1e-3  # [rad or m] by which a joint at rest may differ ahead
_TRIES = 3  # choices of joints that are held


def follow_within(model: SerialModel, track: Track, start: Array) -> Follower:
    """Follow a track with as many joints held as the arm has to spare in a singular place.

    Args:
        model: Of an arm with six joints.
        track: Where the tool goes.
        start: Joint values. Shape (n,).

    Raises:
        LostError: Where it cannot be followed so, since it leads out of the singularity.
    """
    lost = LostError(0.0, start, LOST)
    for held in _choices(model, track, start):
        try:
            return _followed(model, track, start, held, None)
        except LostError as error:
            lost = error
    raise lost


def follow_into(model: SerialModel, track: Track, start: Array) -> Follower:
    """Follow a track that leaves one singularity and runs on within another.

    From a stretched elbow, a wrist stretched as well, the joints tell neither how the elbow bends
    nor which of them are to spare; from a little ahead they do.

    Args:
        model: Of an arm with six joints.
        track: Where the tool goes.
        start: Joint values. Shape (n,).

    Raises:
        LostError: Where it cannot be followed so.
    """
    back, found = solved_ahead(model, track, start, FAR)
    ahead = [near for near, one in found if is_singular(model, one)]
    # those with most joints at rest first
    ahead.sort(key=lambda near: -int((np.abs(near - start) < _AT_REST).sum()))
    for near in ahead[:_TRIES]:
        settled = _settled(model, back, near, start)
        if settled is None:
            continue
        held, q = settled
        arm = without(model.chain.constants, start, held)
        opening = march_back(arm, model.chain.scale, back, q[~held])
        if opening is None or np.abs(opening.motions[0, 0] - start[~held]).max() > SAME:
            continue
        opening.motions[0, 0] = start[~held]
        with suppress(LostError):
            return _followed(model, track, start, held, opening)
    raise LostError(0.0, start, LOST)


def _followed(
    model: SerialModel, track: Track, start: Array, held: Flags, opening: BranchPoints | None
) -> Follower:
    """Follow a track with some joints held.

    Raises:
        LostError: Where the others cannot.
    """
    arm = without(model.chain.constants, start, held)
    found = follow_track(track, arm, model.chain.scale, start[~held], None, opening)
    table = np.zeros((*found.table.shape[:2], len(start)))
    table[:, :, ~held] = found.table
    table[:, 0, held] = start[held]
    return replace(found, table=table)


def _settled(
    model: SerialModel, track: BackwardTrack, q: Array, at_rest: Array
) -> tuple[Flags, Array] | None:
    """Return which joints may be held, and joint values at the start of a track with them at rest.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        q: Joint values at its start, the arm in a singularity. Shape (n,).
        at_rest: What held joints stand at. Shape (n,).
    """
    goals = ToolPoints(np.zeros(1), *track.evaluate(np.zeros(1)))
    tolerances = Tolerances(model.chain.scale, ON_CURVE, 2.0 * STEP)
    for _ in range(2):  # with one joint at rest there may be more to spare
        held = next(_choices(model, track, q), None)
        if held is None:
            return None
        rows = np.zeros((1, 4, int((~held).sum())))
        rows[0, 0] = q[~held]
        arm = without(model.chain.constants, at_rest, held)
        off, rows, _ = refine(arm, goals, rows, tolerances)
        if not off[0, 1] < ON_CURVE:
            return None
        q = at_rest.copy()
        q[~held] = rows[0, 0]
    assert held is not None
    return held, q


def without(constants: Array, q: Array, held: Flags) -> Array:
    """Return an arm some joints of which stand still.

    Args:
        constants: Of the arm. Shape (n + 1, 4, 4).
        q: Joint values, of which those of the held ones count. Shape (n,).
        held: Which they are. Shape (n,).
    """
    rows = [constants[0]]
    for joint, after in enumerate(constants[1:]):
        if not held[joint]:
            rows.append(after)
            continue
        motion = np.eye(4)
        if rows[-1][SETTINGS, KIND] == REVOLUTE:
            cosine, sine = np.cos(q[joint]), np.sin(q[joint])
            motion[:2, :2] = [[cosine, -sine], [sine, cosine]]
        else:
            motion[2, 3] = q[joint]
        # below a transform stands what belongs to the joint behind it
        joined = _transform(rows[-1]) @ motion @ _transform(after)
        joined[SETTINGS] = after[SETTINGS]
        rows[-1] = joined
    return np.array(rows)


def _transform(constant: Array) -> Array:
    """Return a constant transform without what stands below it. Shape (4, 4)."""
    return np.vstack([constant[:SETTINGS], [0.0, 0.0, 0.0, 1.0]])


def _choices(model: SerialModel, track: Track | BackwardTrack, q: Array) -> Iterator[Flags]:
    """Yield which joints may be held, those nearest to the tool first. Shape (n,).

    Always the same one of a plane is held, so that a way in it back to its start ends as it began.
    """
    jacobian, scale = np.array(model.jacobian(q)), model.chain.scale
    twist = track.evaluate(np.zeros(1))[1][0, 0].copy()
    jacobian[:3] /= scale
    twist[:3] /= scale
    _, sizes, rows = np.linalg.svd(jacobian)
    free = rows[sizes < _SPARE]  # what does nothing to the tool
    least = np.linalg.pinv(jacobian, rcond=_SPARE) @ twist
    if np.abs(jacobian @ least - twist).max() > _LEADS_OUT * max(np.abs(twist).max(), 1e-12):
        return
    for first in range(_TRIES):
        held, spare = np.zeros(len(q), dtype=bool), free
        while len(spare):
            part = np.linalg.norm(spare, axis=0)
            may = np.flatnonzero(part > _TAKES_PART)[::-1]
            number = 0 if held.any() else first
            if number >= len(may):
                break
            held[may[number]] = True
            # what is to spare with that joint at rest
            across = np.linalg.svd(spare[:, may[number] : may[number] + 1])[0]
            spare = (across.T @ spare)[1:]
        else:
            yield held
