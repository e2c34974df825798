"""Slowing a motion down near bodies: the path stays, the speed falls with the distance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.collision.bounded_trajectory import BoundedTrajectory, Intervals, share_rates
from armwerk.collision.checker import Checker
from armwerk.collision.guards import ArmGuard
from armwerk.collision.motion_check import (
    CheckedArm,
    Verdict,
    arm_guard,
    bounded,
    check,
    checker_of,
)
from armwerk.collision.moving_body import Moving, movers
from armwerk.collision.safety import SafetySettings
from armwerk.collision.slow_law import SlowedPiece, SlowLaw, slowed_rates
from armwerk.errors import MotionError
from armwerk.motion.limits import RATES, Limits
from armwerk.motion.pieces import Samples
from armwerk.motion.trajectory import Notice, Trajectory

STEP = 0.002
"""[m] An interval in which no part gets further has one distance, the smallest possible in it."""
KNOTS = (256, 128, 64, 32, 16, 8, 4, 2, 1)
"""How many knots the law may have; of those within the limits the quickest counts."""
_SAMPLES = 4000  # at which limits are looked at
_ROUNDS = 6  # of lowering the speed where a limit is passed, before all of it is
_TIMINGS = 30  # of the motion, until it is slow enough near what moves
_LOWER = 0.98  # share of what is allowed there that is used, so that timing comes to an end
_BRIEF = 1e-9  # [s] intervals are not halved further
_KEEP = 0.998  # share of the limits that a slowed place uses, for what is between the samples


def slowed(
    trajectory: Trajectory,
    arm: CheckedArm,
    bodies: Bodies | Iterable[Body] = (),
    settings: SafetySettings | None = None,
    *,
    shapes: ArmShapes | None = None,
    moving: Iterable[Moving] = (),
    start: float = 0.0,
) -> Trajectory:
    """Return the same path driven slower near bodies, by the table ``settings.speeds``.

    At every moment the speed is at most the share of the old one that the distance of the arm to
    the nearest body allows, and acceleration and jerk stay within the trajectory's limits. A
    motion that is never near anything comes back as it is.

    What moves is nearer or farther when the arm comes later: the distance that counts is that of
    the moment at which the slowed motion is there, which is found by slowing down again and again.

    Args:
        trajectory: A safe motion.
        arm: A description, the name of one, a model, or a `Checker` that stands for arm and
            bodies.
        bodies: What stands around.
        settings: Speeds by distance, margins, areas; None: as `SafetySettings` has them.
        shapes: Of the arm; None: as `arm_shapes` makes them.
        moving: What moves by itself meanwhile: `MovingBody` and `MovingArm`.
        start: When the motion begins by the clock of what moves [s].

    Raises:
        MotionError: When the motion is not safe, or, among what moves, the slowed one is not;
            names segment, part and body.
    """
    settings = SafetySettings() if settings is None else settings
    checker = checker_of(arm, bodies, settings, shapes)
    verdict = _safe(trajectory, checker, settings, (), start)
    if trajectory.duration <= 0.0:
        return trajectory
    guard = arm_guard(checker, settings, (), start, trajectory.duration)
    where, share = _allowed(bounded(trajectory, checker), guard, settings)
    beside = movers(moving)
    motion, law = _driven(trajectory, where, share)
    if beside:
        motion, law, share = _beside(trajectory, checker, settings, beside, start, where, share)
        verdict = _safe(motion, checker, settings, beside, start)
    if law is None:
        return trajectory
    text = (
        f"slowed down near '{verdict.distance.body}' to {100 * share.min():.0f} % at "
        f"{1000 * verdict.distance.value:.1f} mm; {law.news[-1]:.4g} s instead of "
        f"{trajectory.duration:.4g} s"
    )
    return replace(motion, notices=(*trajectory.notices, Notice("", "", "", text)))


def _safe(
    trajectory: Trajectory,
    checker: Checker,
    settings: SafetySettings,
    moving: tuple[Moving, ...],
    start: float,
) -> Verdict:
    """Return the verdict of a safe motion.

    Raises:
        MotionError: When it is not safe.
    """
    verdict = check(trajectory, checker, settings=settings, moving=moving, start=start)
    if verdict.contact is not None:
        contact = verdict.contact
        raise MotionError(
            f"not safe: {contact.part} meets {contact.body} at {_place(contact.point)} m",
            segment=f"segment {contact.segment}",
            place=f"at {contact.time:.4f} s",
        )
    return verdict


def _driven(
    trajectory: Trajectory, where: Intervals, share: Array
) -> tuple[Trajectory, SlowLaw | None]:
    """Return the motion slowed to shares, and its law; None: nothing is slowed."""
    if not (share < 1.0).any():
        return trajectory, None
    law = _quickest(trajectory, where, share)
    pieces = tuple(
        SlowedPiece(piece, float(start), law)
        for piece, start in zip(trajectory.pieces, trajectory.starts, strict=False)
    )
    return Trajectory(pieces, trajectory.limits, trajectory.model, trajectory.notices), law


def _beside(
    trajectory: Trajectory,
    checker: Checker,
    settings: SafetySettings,
    moving: tuple[Moving, ...],
    start: float,
    where: Intervals,
    share: Array,
) -> tuple[Trajectory, SlowLaw | None, Array]:
    """Return the motion slowed near what moves too, its law, and the shares allowed.

    Where the slowed motion is quicker than the distance at its own times allows, the share of that
    place is lowered, and all is timed again. Shares only ever fall, and not below the lowest of the
    table, which is allowed at any distance.
    """
    for left in range(_TIMINGS, -1, -1):
        motion, law = _driven(trajectory, where, share)
        guard = arm_guard(checker, settings, moving, start, motion.duration)
        now, wanted = _allowed(bounded(motion, checker), guard, settings)
        low, high = now.low, now.high
        used = np.ones(len(low))
        if law is not None:
            low, high = law.old(low), law.old(high)
            used = np.array([share_rates(law, a, b)[0] for a, b in zip(low, high, strict=True)])
        quick = used > wanted * (1.0 + 1e-9)
        if not quick.any():
            break
        if left == 1:  # it does not settle: as slow as near a body, all the way
            everywhere = Intervals(np.zeros(1), np.full(1, trajectory.duration), np.zeros(1, int))
            where, share = everywhere, np.full(1, settings.speeds[0][1])
            continue
        more = Intervals(low[quick], high[quick], now.part[quick])
        where = Intervals(*(np.concatenate(pair) for pair in zip(where, more, strict=True)))
        share = np.concatenate([share, np.maximum(_LOWER * wanted[quick], settings.speeds[0][1])])
    return motion, law, share


def _place(point: Array) -> str:
    return "(" + ", ".join(f"{x:.4f}" for x in point) + ")"


def _allowed(
    motion: BoundedTrajectory, guard: ArmGuard, settings: SafetySettings
) -> tuple[Intervals, Array]:
    """Return intervals that cover the motion, and the share of the speed allowed in each."""
    far = settings.speeds[-1][0]
    open_ = motion.intervals(guard.breaks(motion.trajectory.duration))
    done: list[tuple[Intervals, Array]] = []
    while len(open_.low):
        found = guard.proofs(motion.states(open_, guard.with_ends))
        brief = open_.high - open_.low <= _BRIEF
        fine = (found.move <= STEP) | (found.least >= far) | brief
        done.append((open_.chosen(fine), found.least[fine]))
        open_ = open_.chosen(~fine).halved()
    where = Intervals(*(np.concatenate(x) for x in zip(*(part[0] for part in done), strict=True)))
    return where, settings.share(np.concatenate([part[1] for part in done]))


def _quickest(trajectory: Trajectory, where: Intervals, share: Array) -> SlowLaw:
    """Return the quickest law found that allows for shares and limits."""
    old = np.linspace(0.0, trajectory.duration, _SAMPLES)
    samples = trajectory.evaluate(old)
    best: SlowLaw | None = None
    for knots in KNOTS:
        controls = _controls(trajectory.duration, knots, where, share)
        law = _within(trajectory.limits, samples, old, controls, trajectory.duration)
        if best is None or law.news[-1] < best.news[-1]:
            best = law
    assert best is not None
    return best


def _controls(duration: float, knots: int, where: Intervals, share: Array) -> Array:
    """Return control values none of which is above a share that it reaches."""
    step = duration / knots
    j = np.arange(knots + 3)[:, None]
    reached = (where.low < (j + 1) * step) & (where.high > (j - 3) * step)
    return np.asarray(np.where(reached, share, 1.0).min(axis=1))


def _within(
    limits: Limits | None, samples: Samples, old: Array, controls: Array, duration: float
) -> SlowLaw:
    """Return the law with control values lowered until no limit is passed."""
    law = SlowLaw.of(duration, controls)
    if limits is None:
        return law
    powers = 1.0 / np.arange(1, 4)[:, None]
    step = duration / (len(controls) - 3)
    for left in range(_ROUNDS, -1, -1):
        share = law.share(old)
        rates = slowed_rates(samples, share)
        most = [_KEEP * getattr(limits, rate) for rate in RATES]
        used = np.array([(np.abs(x) / y).max(axis=1) for x, y in zip(rates, most, strict=True)])
        # where nothing is slowed the motion uses its limits as it did
        excess = np.where(share[0] < 1.0 - 1e-9, np.maximum((used**powers).max(axis=0), 1.0), 1.0)
        if excess.max() <= 1.0 + 1e-8:
            return law
        if left == 0:
            controls = controls / excess.max()
        else:
            k = np.clip((old / step).astype(np.int64), 0, len(controls) - 4)
            lowered = np.ones(len(controls))
            for j in range(4):
                np.minimum.at(lowered, k + j, 1.0 / excess)
            controls = controls * lowered
        law = SlowLaw.of(duration, controls)
    return law
