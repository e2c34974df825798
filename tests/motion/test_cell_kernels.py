"""Kernels of single cells of a followed track against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array, Flags
from armwerk.geometry import rotation_exp
from armwerk.motion.kernels.carried import add_turns
from armwerk.motion.kernels.coarse import UNEVEN, coarse_cells
from armwerk.motion.kernels.following import (
    FOLLOWED,
    JUMPED,
    LOST,
    Tolerances,
    ToolPoints,
    follow,
)
from armwerk.motion.kernels.walking import UNSEEN, walk

ON_CURVE, STEP = 1e-9, 0.08


def poses_along(s: Array) -> tuple[Array, Array]:
    """Return poses and twists of a ur5e's tool on a line past its stretched wrist."""
    model = aw.model("ur5e")
    middle = model.fk(np.array([0.3, -1.2, 1.4, -0.9, 2e-3, 0.4]))
    way = rotation_exp(np.array([0.0, 0.0, 0.7])) @ middle[:3, 0]
    poses, twists = np.tile(middle[:3], (len(s), 1, 1)), np.zeros((len(s), 3, 6))
    poses[:, :, 3] += (s - 0.01)[:, None] * way
    twists[:, 0, :3] = way
    return poses, twists


def start() -> Array:
    """Return joint values at the start of that line. Shape (n,)."""
    model = aw.model("ur5e")
    pose = np.eye(4)
    pose[:3] = poses_along(np.zeros(1))[0][0]
    found = model.ik_nearest(pose, np.array([0.3, -1.2, 1.4, -0.9, 2e-3, 0.4]))
    assert found is not None
    return found


def halved(motion: Array, high: float, shortest: float) -> tuple[int, list[float], list[Array]]:
    """Return how a cell from 0 on is crossed by halving, one step after the other."""
    model = aw.model("ur5e")
    constants, tolerances = model.chain.constants, Tolerances(model.chain.scale, ON_CURVE, STEP)
    s, side = 0.0, 0.0
    ahead, places, motions = [high], [], []
    while ahead:
        ends = np.array([s, ahead[-1]])
        found = follow(
            constants, ToolPoints(ends, *poses_along(ends)), motion, True, side, tolerances
        )
        if found.state == FOLLOWED:
            s, motion, side = ahead.pop(), found.motions[1], float(found.sides[1])
            places.append(s)
            motions.append(motion)
        elif found.state not in (LOST, JUMPED) or ahead[-1] - s <= shortest:
            return found.state, places, motions
        else:
            ahead.append(0.5 * (s + ahead[-1]))
    return FOLLOWED, places, motions


@pytest.mark.parametrize("shortest", [0.02, 1e-4, 1e-9])
def test_a_cell_is_walked_as_it_is_followed_step_by_step(shortest: float) -> None:
    model = aw.model("ur5e")
    tolerances = Tolerances(model.chain.scale, ON_CURVE, STEP)
    motion = np.zeros((4, 6))
    motion[0] = start()
    first = follow(
        model.chain.constants,
        ToolPoints(np.zeros(1), *poses_along(np.zeros(1))),
        motion,
        False,
        0.0,
        tolerances,
    )
    motion = first.motions[0]
    state, places, motions = halved(motion, 0.02, shortest)
    assert len(places) > 10 or shortest == 0.02
    row = np.linspace(0.0, 0.02, 2**6 + 1)[1:]
    ahead, s, side, now = np.array([0.02]), 0.0, 0.0, motion
    walked: list[float] = []
    rows: list[Array] = []
    while True:
        # places are in hand from where it stopped on, as near to one another as in halving
        seen = np.unique(np.append(row, [ahead[-1], 0.5 * (s + ahead[-1])]))[::-1].copy()
        goals = ToolPoints(seen, *poses_along(seen))
        found = walk(model.chain.constants, goals, ahead, s, now, side, shortest, 1000, tolerances)
        walked += found.s[: found.reached].tolist()
        rows += list(found.motions[: found.reached])
        if found.reached:
            s, now, side = walked[-1], rows[-1].copy(), float(found.sides[found.reached - 1])
        ahead = found.ahead
        if found.state != UNSEEN:
            break
    assert found.state == state
    assert walked == places
    assert np.array_equal(rows, motions)


def test_turns_about_carried_axes_add_up_to_the_turning_of_their_rotation() -> None:
    """ω of Rz(a) Ry(b) Rz(c) and its derivatives, against differences."""
    a, b, c = np.random.default_rng(5).normal(size=(3, 4))

    def angles(t: float) -> Array:
        return np.array([np.polyval(one[::-1], t) for one in (a, b, c)])

    def rotation(t: float) -> Array:
        turns = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        made = np.eye(3)
        for angle, axis in zip(angles(t), turns, strict=True):
            made = made @ rotation_exp(angle * np.array(axis))
        return made

    def turning(t: float) -> Array:
        first, second, _ = angles(t)
        up = np.array([0.0, 0.0, 1.0])
        across = rotation_exp(first * up) @ np.array([0.0, 1.0, 0.0])
        last = rotation_exp(first * up) @ rotation_exp(second * np.array([0.0, 1.0, 0.0])) @ up
        rates = np.zeros((1, 3, 3))
        for k, one in enumerate((a, b, c)):
            for order in (1, 2, 3):
                rates[0, order - 1, k] = np.polyval(np.polyder(one[::-1], order), t)
        out = np.zeros((1, 3, 3))
        add_turns(np.array([[up, across, last]]), rates, out)
        return np.asarray(out[0])

    h = 1e-5
    spin = (rotation(0.3 + h) - rotation(0.3 - h)) / (2.0 * h) @ rotation(0.3).T
    found = turning(0.3)
    assert np.allclose(found[0], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)
    ahead, behind = turning(0.3 + h), turning(0.3 - h)
    assert np.allclose(found[1:], (ahead[:2] - behind[:2]) / (2.0 * h), atol=1e-6)


def test_cells_are_coarse_where_joints_rates_or_curvature_change_too_much() -> None:
    random = np.random.default_rng(8)
    s = np.cumsum(random.uniform(0.0, 2e-3, 300))
    grid = np.cumsum(random.uniform(0.0, 2e-3, 300))
    table = 0.012 * random.normal(size=(300, 4, 5))
    table[:, 1] = 1.0 + random.choice([1e-3, 0.25], (300, 1)) * random.uniform(-1.0, 1.0, (300, 5))
    twists = random.choice([1.0, 20.0], (300, 1, 1), p=[0.9, 0.1]) * random.normal(size=(300, 3, 6))

    def changes(rows: Array, little: float) -> Flags:
        size = np.abs(rows).max(axis=1)
        change = np.abs(np.diff(rows, axis=0)).max(axis=1)
        much = change > UNEVEN * np.maximum(size[1:], size[:-1])
        return np.asarray(much & (change * np.diff(grid) > little))

    moved = np.abs(np.diff(table[:, 0], axis=0)).max(axis=1) > 0.05
    wanted = moved | changes(table[:, 1], 1e-6) | changes(twists[:, 1], 0.02)
    wanted &= np.diff(s) > 1e-4
    found = coarse_cells(grid, table, twists, s, 0.05, 1e-4)
    assert np.array_equal(found, wanted)
    assert 60 < found.sum() < 240
