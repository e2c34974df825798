"""Closing a loop: from the frames before its passive elements to the values of these.

One function per pattern of `armwerk.robot.loops`. Each reads the frames of the passive elements
and the motors behind them, and writes the values of the passive elements, the union point and
the facts from which `why_open` explains a loop that does not close.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.assembly import closed_chain
from armwerk.mechanics.assembly.stewart import platform_pose, start_pose
from armwerk.mechanics.assembly.walk import Walk, WalkState
from armwerk.robot.loops import ClosedChain, Platform

CLOSED = 1e-9  # [m], largest distance of tied points at which a loop counts as closed


def close(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int = 1, near: WalkState | None = None
) -> None:
    """Settle the passive elements of a loop.

    Args:
        walk: The assembly.
        found: What is known so far; gets the values of the passive elements.
        loop: The loop to close.
        side: +1 or -1: which of the two union points, as the pattern counts them.
        near: A solution with the same number of configurations, or one; of several possible
            values those nearest to it are taken.
    """
    _CLOSERS[loop.pattern](walk, found, loop, side, near)


def _tripod(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int, near: WalkState | None
) -> None:
    feet = [chain.passives[0] for chain in loop.chains]
    places = np.broadcast_arrays(*(found.frames[foot][1] for foot in feet))
    centres = np.stack(places, axis=1)
    starts = [walk.reach(found, c.passives[0], c.point) for c in loop.chains]
    lengths = np.broadcast_arrays(*(np.linalg.norm(start, axis=1) for start in starts))
    radii = np.stack(lengths, axis=1)
    points = closed_chain.three_spheres(centres, radii)
    union = _chosen(points, points, loop, side, near)
    found.unions[loop.tie.name] = union
    found.facts[loop.tie.name] = (centres, radii)
    for foot, start in zip(feet, starts, strict=True):
        _point(found, foot, start, union, near)


def _tight_len(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int, near: WalkState | None
) -> None:
    slide, foot, start, radius = _guide_and_sphere(walk, found, loop)
    rotation, position = found.frames[slide]
    offset = walk.reach(found, slide, loop.chains[0].point)
    origin = position + np.einsum("kij,kj->ki", *_wide(rotation, offset))
    direction, centre = rotation[:, :, 0], found.frames[foot][1]
    shifts = closed_chain.sphere_line(origin, direction, centre, radius)
    points = origin[:, None] + shifts[..., None] * direction[:, None]
    shift = _chosen(shifts[..., None], points, loop, side, near)
    union = origin + shift * direction
    found.values[slide] = shift
    found.unions[loop.tie.name] = union
    away = centre - origin
    away = away - np.sum(away * direction, axis=1, keepdims=True) * direction
    found.facts[loop.tie.name] = (np.linalg.norm(away, axis=1), np.array([np.inf]), radius)
    _point(found, foot, start, union, near)


def _tight_rot(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int, near: WalkState | None
) -> None:
    hinge, foot, start, radius = _guide_and_sphere(walk, found, loop)
    rotation, position = found.frames[hinge]
    arm = walk.reach(found, hinge, loop.chains[0].point)
    centre = _into(rotation, found.frames[foot][1] - position)
    angles = closed_chain.sphere_circle(arm, centre, radius)
    turned = np.stack([_about_z(arm, angles[:, k]) for k in range(2)], axis=1)
    points = position[:, None] + np.einsum("kij,kcj->kci", *_wide(rotation, turned))
    found.values[hinge] = _chosen(angles[..., None], points, loop, side, near)
    union = _chosen(points, points, loop, side, near)
    found.unions[loop.tie.name] = union
    p, c = np.hypot(arm[:, 0], arm[:, 1]), np.hypot(centre[:, 0], centre[:, 1])
    height = arm[:, 2] - centre[:, 2]
    found.facts[loop.tie.name] = (np.hypot(p - c, height), np.hypot(p + c, height), radius)
    _point(found, foot, start, union, near)


def _tight_pseudo(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int, near: WalkState | None
) -> None:
    guide, hanger = loop.chains
    union = found.frames[guide.point][1]
    foot = hanger.passives[0]
    away = np.linalg.norm(union - found.frames[foot][1], axis=1)
    if len(hanger.passives) == 2:
        slide = hanger.passives[1]
        zero, one = np.zeros((1, 1)), np.ones((1, 1))
        found.values[slide] = zero
        start = walk.reach(found, foot, hanger.point)
        found.values[slide] = one
        per_metre = walk.reach(found, foot, hanger.point) - start
        found.values[slide] = stretch(start, per_metre, away)[:, :1]
    start = walk.reach(found, foot, hanger.point)
    found.unions[loop.tie.name] = union
    found.facts[loop.tie.name] = (away, away, np.linalg.norm(start, axis=1))
    _point(found, foot, start, union, near)


def _stewart(
    walk: Walk, found: WalkState, loop: ClosedChain, side: int, near: WalkState | None
) -> None:
    plate, legs = platform_of(loop), platform_legs(walk, found, loop)
    places, anchors, lengths = legs.feet, legs.anchors, legs.lengths
    begin = start_pose(places, anchors, lengths, side)
    if plate.start is not None:
        begin = plate.start.matrix()[None]
    if near is not None:
        before = homogeneous(*near.frames[plate.name])
        begin = np.where(np.isfinite(before).all(axis=(1, 2), keepdims=True), before, begin)
    result = platform_pose(places, anchors, lengths, begin)
    place_platform(found, loop, legs, result.pose, near)
    found.facts[plate.name] = (result.residual,)


@dataclass(frozen=True, slots=True, eq=False)
class PlatformLegs:
    """The legs of a platform in m configurations.

    Args:
        feet: Where they stand, in the frame of the body [m]. Shape (k, 6, 3).
        anchors: Where they end, in the frame of the plate [m]. Shape (6, 3).
        starts: Their ends seen from their feet, before these turn [m]. Six of shape (k, 3).
        lengths: [m]. Shape (k, 6).
    """

    feet: Array
    anchors: Array
    starts: tuple[Array, ...]
    lengths: Array


def platform_of(loop: ClosedChain) -> Platform:
    """Return the platform that closes a loop of the pattern STEWART."""
    if not isinstance(loop.tie, Platform):
        raise TypeError(loop.tie)
    return loop.tie


def platform_legs(walk: Walk, found: WalkState, loop: ClosedChain) -> PlatformLegs:
    """Return the legs of a platform, from the frames of their feet and the motors in them."""
    feet = [found.frames[chain.passives[0]][1] for chain in loop.chains]
    starts = tuple(walk.reach(found, c.passives[0], c.point) for c in loop.chains)
    lengths = [np.linalg.norm(start, axis=1) for start in starts]
    return PlatformLegs(
        np.stack(np.broadcast_arrays(*feet), axis=1),
        np.array([anchor for _, anchor in platform_of(loop).legs]),
        starts,
        np.stack(np.broadcast_arrays(*lengths), axis=1),
    )


def place_platform(
    found: WalkState,
    loop: ClosedChain,
    legs: PlatformLegs,
    pose: Array,
    near: WalkState | None = None,
    *,
    feet: bool = True,
) -> None:
    """Write where a platform is and, if ``feet``, turn the feet of its legs to it."""
    name = loop.tie.name
    found.frames[name] = pose[:, :3, :3], pose[:, :3, 3]
    found.unions[name] = pose[:, :3, 3]
    if not feet:
        return
    for chain, start, anchor in zip(loop.chains, legs.starts, legs.anchors, strict=True):
        goal = pose[:, :3, 3] + pose[:, :3, :3] @ anchor
        _point(found, chain.passives[0], start, goal, near)


_CLOSERS: dict[str, Callable[[Walk, WalkState, ClosedChain, int, WalkState | None], None]] = {
    "TRIPOD": _tripod,
    "TIGHT_LEN": _tight_len,
    "TIGHT_ROT": _tight_rot,
    "TIGHT_PSEUDO": _tight_pseudo,
    "STEWART": _stewart,
}


def why_open(loop: ClosedChain, found: WalkState, which: int) -> str:
    """Say which chain of a loop is too short or too long, and by how much.

    Args:
        loop: One that does not close.
        found: The solution after `close`.
        which: Index of the configuration.
    """
    facts = [fact[min(which, len(fact) - 1)] for fact in found.facts[loop.tie.name]]
    label = loop.tie.label
    if loop.pattern == "STEWART":
        return (
            f"{label}: no pose with these leg lengths was found near the start; the best one "
            f"misses a leg by {float(facts[0]):.3g} m"
        )
    if loop.pattern == "TRIPOD":
        which_chains, lack = closed_chain.tripod_lack(facts[0], facts[1])
        if np.isnan(lack):
            return f"{label}: the three passive elements {', '.join(loop.passives)} lie on one line"
    else:
        nearest, farthest, length = (float(fact) for fact in facts)
        which_chains = (1,)
        lack = max(nearest - length, 0.0) or min(farthest - length, 0.0)
    if not np.isfinite(lack):
        return f"{label}: a loop it stands on is open"
    if abs(lack) < CLOSED:
        return f"{label}: a FULLROT of {', '.join(loop.passives)} cannot turn its chain that far"
    word = "short" if lack > 0 else "long"
    points = " and ".join(f"'{loop.chains[k].point}'" for k in which_chains)
    chains = "the chain to" if len(which_chains) == 1 else "together the chains to"
    verb = "is" if len(which_chains) == 1 else "are"
    return f"{label}: {chains} {points} {verb} too {word} by {abs(lack):.6g} m"


def homogeneous(rotation: Array, position: Array) -> Array:
    """Return frames as matrices. Shape (k, 4, 4)."""
    result = np.zeros((max(len(rotation), len(position)), 4, 4))
    result[:, :3, :3] = rotation
    result[:, :3, 3] = position
    result[:, 3, 3] = 1.0
    return result


def stretch(start: Array, per_metre: Array, length: Array) -> Array:
    """Return s with |start + s · per_metre| = length, per_metre a unit vector.

    Shape (k, 2), the larger first; nan where the length cannot be had.
    """
    return closed_chain.sphere_line(start, per_metre, np.zeros((1, 3)), length)


def _guide_and_sphere(
    walk: Walk, found: WalkState, loop: ClosedChain
) -> tuple[str, str, Array, Array]:
    guide, hanger = loop.chains
    foot = hanger.passives[0]
    start = walk.reach(found, foot, hanger.point)
    return guide.passives[0], foot, start, np.linalg.norm(start, axis=1)


def _point(found: WalkState, foot: str, start: Array, goal: Array, near: WalkState | None) -> None:
    """Turn a FULLROT so that its chain points at the goal."""
    rotation, position = found.frames[foot]
    angles = closed_chain.pointing(start, _into(rotation, goal - position))
    if near is None:
        found.values[foot] = angles[:, 0]
        return
    change = closed_chain.wrapped(angles - near.values[foot][:, None])
    second = np.abs(change[:, 1]).sum(axis=1) < np.abs(change[:, 0]).sum(axis=1)
    found.values[foot] = np.where(second[:, None], angles[:, 1], angles[:, 0])


def _chosen(
    candidates: Array, points: Array, loop: ClosedChain, side: int, near: WalkState | None
) -> Array:
    """Return one of two candidates (k, 2, …): by side, or the one whose point is nearer."""
    if near is None:
        return np.asarray(candidates[:, 0 if side > 0 else 1])
    away = np.linalg.norm(points - near.unions[loop.tie.name][:, None], axis=-1)
    # where both are equally near, or nothing is known of before, the side decides
    second = away[:, 1] < away[:, 0] if side > 0 else ~(away[:, 0] < away[:, 1])
    candidates, second = np.broadcast_arrays(candidates, second[:, None, None])
    return np.where(second[:, 0], candidates[:, 1], candidates[:, 0])


def _into(rotation: Array, vectors: Array) -> Array:
    """Return world vectors in the frames whose rotations are given."""
    return np.asarray(np.einsum("kji,kj->ki", *_wide(rotation, vectors)))


def _wide(one: Array, two: Array) -> tuple[Array, Array]:
    """Return both with the same number of configurations."""
    size = max(len(one), len(two))
    return (
        np.broadcast_to(one, (size, *one.shape[1:])),
        np.broadcast_to(two, (size, *two.shape[1:])),
    )


def _about_z(points: Array, angle: Array) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y = points[:, 0], points[:, 1]
    z = np.broadcast_to(points[:, 2], angle.shape if len(points) == 1 else points[:, 2].shape)
    return np.stack(np.broadcast_arrays(cosine * x - sine * y, sine * x + cosine * y, z), axis=1)
