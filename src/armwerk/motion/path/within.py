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
from armwerk.motion.path.follow import Follower, follow_track
from armwerk.motion.path.marching import ON_CURVE, STEP, BranchPoints, LostError
from armwerk.motion.path.opening import FAR, SAME, is_singular, march_back, solved_ahead
from armwerk.motion.path.singular_ends import SINGULAR
from armwerk.motion.path.track import BackwardTrack, Track

_TAKES_PART = 0.05  # of a unit motion that does nothing to the tool, from which on a joint is held
_LEADS_OUT = 1e-6  # of a tool motion that a singular arm cannot make: the track leads out of it
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
    chain = model.chain
    back, found = solved_ahead(model, track, start, FAR)
    ahead = [near for near, one in found if is_singular(model, one)]
    poses, twists = back.evaluate(np.zeros(1))
    for near in ahead[:_TRIES]:
        held = next(_choices(model, back, near), None)
        if held is None:
            continue
        rows = np.zeros((1, 4, int((~held).sum())))
        rows[0, 0] = near[~held]
        arm = without(chain.constants, start, held)
        goals = ToolPoints(np.zeros(1), poses, twists)
        tolerances = Tolerances(chain.scale, ON_CURVE, 2.0 * STEP)
        off, rows, _ = refine(arm, goals, rows, tolerances)
        opening = march_back(arm, chain.scale, back, rows[0, 0]) if off[0, 1] < ON_CURVE else None
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
    """Yield which joints may be held, those first with which the others move least. Shape (n,)."""
    jacobian, scale = np.array(model.jacobian(q)), model.chain.scale
    twist = track.evaluate(np.zeros(1))[1][0, 0].copy()
    jacobian[:3] /= scale
    twist[:3] /= scale
    _, sizes, rows = np.linalg.svd(jacobian)
    free = rows[sizes < SINGULAR]  # what does nothing to the tool
    least = np.linalg.pinv(jacobian, rcond=SINGULAR) @ twist
    if np.abs(jacobian @ least - twist).max() > _LEADS_OUT * max(np.abs(twist).max(), 1e-12):
        return
    for first in range(_TRIES):
        held, spare, rate = np.zeros(len(q), dtype=bool), free, least
        while len(spare):
            part = np.linalg.norm(spare, axis=0)
            may = part > _TAKES_PART
            cost = np.where(may, np.abs(rate) / np.maximum(part, _TAKES_PART), np.inf)
            order = np.argsort(cost, kind="stable")
            joint = int(order[first if not held.any() else 0])
            if not may[joint]:
                break
            # with that joint at rest
            along = spare.T @ spare[:, joint] / part[joint] ** 2
            rate = rate - along * rate[joint]
            held[joint] = True
            turned = np.linalg.svd(spare[:, joint : joint + 1])[0]
            spare = (turned.T @ spare)[1:]
        else:
            yield held
