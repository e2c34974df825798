"""Walls: a proof that there is no way, from the trees of a search that did not meet.

A joint that must get from one side of a value to the other passes that value on every way. When at
that value the links up to the joint touch something whatever the joints before it do, there is no
way. The joints before it are looked at by cells: one in whose middle a shape and a body overlap
deeper than the shape can get within the cell is blocked everywhere, any other is halved.

That depth frees two convex bodies only by a motion of at least as much, turned or not: were they
apart after less, a plane would lie between them, and moving along its normal by less would free
them. Only spheres, capsules and boxes count, whose depth is exact; to leave others out is safe.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.kernels.layout import BOX, KIND, OWNER, MovingPoints, PackedScene
from armwerk.collision.prover import moving_points
from armwerk.planning.paths.problem import PlanningProblem

_PLACES = (0.5, 0.3, 0.7, 0.1, 0.9)  # of the gap between the trees, where walls are looked for
_CELLS = 20_000  # looked at for one wall
_SURE = 1e-6  # [m] by which a shape must be deeper than it can get, for rounding


class Wall(NamedTuple):
    """What no way leads through.

    Attributes:
        joint: Number of the joint, counted from 0.
        value: What it cannot pass [rad or m].
        contacts: Names of parts and bodies that touch there, one pair or more.
        cells: How many cells the proof has.
    """

    joint: int
    value: float
    contacts: tuple[tuple[str, str], ...]
    cells: int


def find_wall(problem: PlanningProblem, low: Array, high: Array) -> Wall | None:
    """Return a wall between two trees; None: none was proved, which says nothing.

    Args:
        problem: With a serial arm.
        low: Smallest joint values of the tree of the start and that of the goals. Shape (2, n).
        high: Largest ones. Shape (2, n).
    """
    for joint in range(low.shape[1]):
        for one, two in ((0, 1), (1, 0)):
            if high[one, joint] < low[two, joint]:
                for place in _PLACES:
                    gap = low[two, joint] - high[one, joint]
                    wall = wall_at(problem, joint, float(high[one, joint] + place * gap))
                    if wall is not None:
                        return wall
    return None


def wall_at(problem: PlanningProblem, joint: int, value: float) -> Wall | None:
    """Return the wall at a value of a joint; None: it is not proved, or there is a free place."""
    from armwerk.collision.kernels.arm_distance import smallest_distances
    from armwerk.collision.kernels.motion import displacements

    checker = problem.checker
    before = _before(problem, joint)
    kept = _plain(checker.scene.shapes) & np.isin(
        checker.scene.shapes[:, OWNER], [joint + 1, *(k + 1 for k in before)]
    )
    scene = _only(checker.scene, kept)
    ranges = np.array([_range(problem, k) for k in before]).reshape(-1, 2)
    if not len(scene.shapes) or not len(scene.bodies) or not np.isfinite(ranges).all():
        return None
    points, first = moving_points(scene.shapes, True)
    moving = MovingPoints(points, first, np.zeros(0, dtype=np.int64))
    middles, halves = ranges.mean(axis=1)[None], np.diff(ranges, axis=1).T / 2
    touching: set[tuple[int, int]] = set()
    cells = 0
    while len(middles):
        cells += len(middles)
        if cells > _CELLS:
            return None
        q = np.tile(problem.start, (len(middles), 1))
        radii = np.zeros_like(q)
        q[:, before], radii[:, before], q[:, joint] = middles, halves, value
        frames = checker.frames(q)
        distance, numbers, _ = smallest_distances(frames, scene, False)
        if (distance > 0.0).any():
            return None
        moved, _ = displacements(checker.chain, frames, radii, scene.shapes, scene.pairs, moving)
        shapes = numbers[:, 0]
        blocked = distance + moved[np.arange(len(q)), shapes] < -_SURE
        touching |= set(zip(shapes[blocked].tolist(), numbers[blocked, 1].tolist(), strict=True))
        middles, halves = _halved(middles[~blocked], halves[~blocked])
    parts, bodies = np.flatnonzero(kept), np.flatnonzero(_plain(checker.scene.bodies))
    names = {checker._named(int(parts[s]), int(bodies[b])) for s, b in touching}
    return Wall(joint, value, tuple(sorted(names)), cells)


def described(problem: PlanningProblem, wall: Wall) -> str:
    """Return a wall as a sentence."""
    joints = [joint for arm in problem.checker.arms for joint in arm.moving]
    unit = "m" if joints[wall.joint].kind == "prismatic" else "rad"
    touch = ", ".join(f"{part} touches {body}" for part, body in wall.contacts)
    return (
        f"there is no way: joint '{joints[wall.joint].name}' cannot pass {wall.value:.4f} {unit}, "
        f"whatever the joints before it do; there {touch} (proved by {wall.cells} cells)"
    )


def _before(problem: PlanningProblem, joint: int) -> list[int]:
    """Return the joints between the world and a joint, which is not among them."""
    parents = problem.checker.chain.parents
    found: list[int] = []
    link = int(parents[joint])
    while link > 0:
        found.append(link - 1)
        link = int(parents[link - 1])
    return found


def _range(problem: PlanningProblem, joint: int) -> tuple[float, float]:
    """Return all values of a joint; those of one that can turn around are a turn."""
    low, high = problem.checker.limits[joint]
    turns = problem.checker.chain.sliding[joint] == 0
    return (-np.pi, np.pi) if turns and high - low >= 2 * np.pi else (float(low), float(high))


def _plain(rows: Array) -> Flags:
    """Return which rows are spheres, capsules and boxes. Shape (k,)."""
    return np.asarray(rows[:, KIND] <= BOX)


def _only(scene: PackedScene, shapes: Flags) -> PackedScene:
    """Return a scene with some of its shapes and its plain bodies."""
    bodies = _plain(scene.bodies)
    return scene._replace(
        shapes=np.ascontiguousarray(scene.shapes[shapes]),
        bodies=np.ascontiguousarray(scene.bodies[bodies]),
        boxes=np.ascontiguousarray(scene.boxes[:, bodies]),
        pairs=np.zeros((0, 2), dtype=np.int64),
    )


def _halved(middles: Array, halves: Array) -> tuple[Array, Array]:
    """Return both halves of all cells, cut across their longest side. Shapes (2 m, k)."""
    if not middles.shape[1]:
        return np.repeat(middles, 2, axis=0), np.repeat(halves, 2, axis=0)
    rows, longest = np.arange(len(halves)), np.argmax(halves, axis=1)
    halves = halves.copy()
    halves[rows, longest] /= 2
    step = np.zeros_like(halves)
    step[rows, longest] = halves[rows, longest]
    return np.concatenate([middles - step, middles + step]), np.concatenate([halves, halves])
