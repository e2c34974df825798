"""Orientations that an arm takes by itself, where only a part of the pose is asked for.

In: a track, the part of its poses that counts, and joint values at its start. Out: the same track
with the orientation that the arm has on it, so that it can be followed as whole poses.

    direction     the tool's z axis is as the track has it, the turn about it is what the arm gives
    inclination   the tool keeps inclination and roll in the upright plane through the arm's axis
    position      only the tool point counts

Few joints leave no choice: their values follow from the part that counts (`few_joints`), and the
orientation from them. With six joints and more there is a choice; the arm then turns no more than
it must, and the orientations on the way are joined smoothly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError, UnsupportedError
from armwerk.geometry import rotation_exp
from armwerk.mechanics.completed import completed
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.parametric import interpolant
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.kernels.carried import add_turns
from armwerk.motion.options import Demand
from armwerk.motion.path.few_joints import ON_PART, PartOfTrack
from armwerk.motion.path.orientation import (
    EvenTurn,
    Inclined,
    Orientation,
    quaternion_spline,
    upright_angles,
)
from armwerk.motion.path.track import OrientationSpan, Track

_POINTS = 33  # of a track at which a direction is compared
_ANYWHERE = 0.37  # [rad or m] of joints that are in no special place
_NOTHING = 1e-9  # of the largest singular value that is none

_INCLINED: WeakKeyDictionary[Track, dict[bytes, Track]] = WeakKeyDictionary()
"""Tracks whose inclination is kept, by the arm and joint values at their start.

Few joints keep it when less is asked for too: what was found along such a track is true of both.
"""


def loosened(model: SerialModel, track: Track, demand: Demand, q: Array) -> Track:
    """Return a track with the orientation that the arm has where only a part counts.

    Args:
        model: Of the arm.
        track: Where the tool goes.
        demand: The part that counts.
        q: Joint values at its start. Shape (n,).

    Raises:
        LooseEndError: Where the arm cannot go on; see `few_joints`.
        MotionError: When this arm cannot be asked for that part alone.
    """
    if demand == "pose":
        return track
    orientation: Orientation
    if demand == "inclination":
        orientation = _kept_inclination(model, track, q)
    else:
        orientation = _taken(model, track, demand, q)
    taken = Track(track.curves, (OrientationSpan(orientation, 0.0, track.length),))
    if not isinstance(orientation, Inclined):
        return taken
    key = model.chain.constants.tobytes() + model.arm.base.tobytes() + q.tobytes()
    return _INCLINED.setdefault(track, {}).setdefault(key, taken)


def _kept_inclination(model: SerialModel, track: Track, q: Array) -> Inclined:
    """Return the tool's inclination and roll at the start, kept all along."""
    found = _upright(model, track, q)
    if found is None:
        raise MotionError(
            "the tool's z axis leans out of the upright plane through the arm's axis, so it has no "
            "inclination to keep"
        )
    return found


def _kept_by_few(model: SerialModel, track: Track, q: Array) -> Orientation:
    """Return what an arm of four or five joints keeps of its orientation at the start.

    One that turns on a pillar keeps inclination and roll. A gantry's tool need not stand in an
    upright plane through an axis; it is carried as it is.
    """
    found = _upright(model, track, q)
    return EvenTurn(model.fk(q)[:3, :3], np.zeros(3)) if found is None else found


def _upright(model: SerialModel, track: Track, q: Array) -> Inclined | None:
    """Return inclination and roll at the start, kept; None: the tool leans out of their plane."""
    pose, centre = model.fk(q), model.arm.base[:2, 3]
    angles = upright_angles(pose[:3, :3], pose[:3, 3], centre)
    if angles is None:
        return None
    constant = Piecewise(np.array([0.0, track.length]), angles[None, None])
    return Inclined(constant, centre)


@dataclass(frozen=True, slots=True, eq=False)
class ArmOrientation:
    """The orientation of an arm whose few joints follow from the part of the pose that counts.

    Args:
        part: Of the track that counts.
        grid: Arc lengths of the table [m]. Shape (k,).
        table: Joint values of the completed arm and their first derivatives. Shape (k, 2, n).
        still: Joint values of the arm; those that it does not share stay there. Shape (n,).
    """

    part: PartOfTrack
    grid: Array
    table: Array
    still: Array

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3)."""
        return turning(self.part.model, self.joints(s, position))

    def joints(self, s: Array, position: Array) -> Array:
        """Return q, q', q'', q''' of the arm. Shape (m, 4, n)."""
        guesses = np.zeros((len(s), 4, self.part.whole.dof))
        guesses[:, 0] = self._guess(s)
        found = self.part.solved(s, position, guesses)
        motions = np.zeros((len(s), 4, len(self.still)))
        motions[:, 0] = self.still
        motions[:, :, : self.part.kept] = found[:, :, : self.part.kept]
        return motions

    def _guess(self, s: Array) -> Array:
        cell = np.clip(np.searchsorted(self.grid, s, "right") - 1, 0, len(self.grid) - 2)
        h = (self.grid[cell + 1] - self.grid[cell])[:, None]
        x = np.clip((s - self.grid[cell])[:, None] / h, 0.0, 1.0)
        low, high = self.table[cell], self.table[cell + 1]
        step = high[:, 0] - low[:, 0]
        return np.asarray(
            low[:, 0]
            + x * x * (3.0 - 2.0 * x) * step
            + h * x * (1.0 - x) * ((1.0 - x) * low[:, 1] - x * high[:, 1])
        )


def turning(model: SerialModel, motions: Array) -> tuple[Array, Array]:
    """Return the tool's orientation and its turning from a motion of the joints.

    Args:
        model: Of the arm.
        motions: q, q', q'', q'''. Shape (m, 4, n).

    Returns:
        R, shape (m, 3, 3); ω, ω', ω'' in rows, shape (m, 3, 3).
    """
    frames = model.frames(np.ascontiguousarray(motions[:, 0]))
    turns = model.chain.revolute
    places = np.flatnonzero([joint.is_moving for joint in model.arm.joints])[turns]
    axes = np.ascontiguousarray(frames[:, :, :3, 2][:, places])
    rates = np.zeros((len(motions), 3, 3))
    add_turns(axes, np.ascontiguousarray(motions[:, 1:, turns]), rates)
    return frames[:, -1, :3, :3], rates


@dataclass(frozen=True, slots=True, eq=False)
class TurnedOrientation:
    """An orientation and a turn about the tool's own z axis: R(s) = B(s) Rot(z, φ(s)).

    Args:
        base: The track whose orientation B is.
        angle: φ [rad] by arc length. Dimension 1.
    """

    base: Track
    angle: Piecewise

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3)."""
        poses, twists = self.base.evaluate(s)
        phi = self.angle.derivatives(s)
        rates = np.ascontiguousarray(twists[:, :, 3:])
        axes = np.ascontiguousarray(poses[:, None, :, 2])
        add_turns(axes, np.ascontiguousarray(phi[:, 1:]), rates)
        turn = rotation_exp(phi[:, 0] * np.array([0.0, 0.0, 1.0]))
        return poses[:, :, :3] @ turn, rates


def _taken(model: SerialModel, track: Track, demand: Demand, q: Array) -> Orientation:
    """Return the orientation that the arm takes along a track."""
    task: Literal["direction", "position"] = "direction" if demand == "direction" else "position"
    try:
        done = completed(model.arm, task)
    except UnsupportedError as error:
        raise MotionError(str(error)) from None
    whole, kept = model.with_arm(done.arm), len(done.kept)
    chooses = _chooses(whole)
    if chooses and model.dof < 6:  # no orientation can be chosen, but one can be kept
        orientation = _kept_by_few(model, track, q)
        if demand == "position" or _points_as(orientation, track):
            return orientation
    part = PartOfTrack(model, whole, kept, track, demand)
    grid, table = part.march(q)
    if not chooses:
        return ArmOrientation(part, grid, table, q.copy())
    rows = np.tile(q, (len(grid), 1))
    rows[:, :kept] = table[:, 0, :kept]
    rotations = model.fk(rows)[:, :3, :3]
    if demand == "position":
        return quaternion_spline(grid, rotations)
    wanted = track.evaluate(grid)[0][:, :, :3]
    turned = np.swapaxes(wanted, 1, 2) @ rotations
    angle = np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))
    return TurnedOrientation(track, interpolant(grid, angle[:, None]))


def _points_as(orientation: Orientation, track: Track) -> bool:
    """Return whether an orientation has the tool's direction that a track asks for."""
    s = np.linspace(0.0, track.length, _POINTS)
    wanted, found = track.evaluate(s)[0][:, :, 2], orientation.evaluate(s, track.position(s))[0]
    return bool(np.abs(found[:, :, 2] - wanted).max() < ON_PART)


def _chooses(whole: SerialModel) -> bool:
    """Return whether a completed arm has joints to spare, and so a choice of orientations.

    With few joints too: the last axis of a SCARA is parallel to the turn about its tool.
    """
    somewhere = _ANYWHERE * np.arange(1.0, whole.dof + 1.0)
    sizes = np.linalg.svd(whole.jacobian(somewhere), compute_uv=False)
    return bool((sizes > _NOTHING * sizes[0]).sum() < whole.dof)
