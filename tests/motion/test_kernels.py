"""Each compiled kernel against plain numpy, so that a wrong sign, index or limit shows at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from problems import serial

from armwerk.arrays import Array
from armwerk.geometry import rotation_exp
from armwerk.motion.kernels.chain_rates import BiasTwists
from armwerk.motion.kernels.following import (
    FOLLOWED,
    JUMPED,
    LOST,
    Tolerances,
    ToolPoints,
    correct_rates,
    follow,
    joint_rates,
    pose_error,
    refine,
)
from armwerk.motion.kernels.path_speeds import eroded, fastest, limit_use, lowered
from armwerk.motion.retiming.path_grid import LawSamples, PathGrid, path_grid

RANDOM = np.random.default_rng(12)
SCALE = 0.4  # [m]


def random_grid(points: int = 12, joints: int = 3) -> PathGrid:
    """Return a grid of random rates and limits, one arc length twice as at a border."""
    s = np.cumsum(RANDOM.uniform(0.01, 0.03, points))
    s[5] = s[4]
    return path_grid(
        s - s[0],
        RANDOM.uniform(-2.0, 2.0, (points, 4, joints)),
        RANDOM.uniform(-1.0, 1.0, (points, 3, 6)),
        RANDOM.uniform(0.5, 3.0, (points, 3, 2)),
        RANDOM.uniform(0.5, 3.0, (points, 3, joints)),
    )


def acceleration_range(grid: PathGrid, k: int, rise: float, b: float) -> Array:
    """Return how far the path parameter may brake and speed up, by trying it out."""
    v = math.sqrt(b)

    def allowed(a: float) -> bool:
        bend = grid.joints[k, 1] * a + grid.joints[k, 2] * b
        if (np.abs(bend) > grid.joint_limits[k, 1]).any():
            return False
        for g in range(2):
            one, two = grid.tool[k, :2, 3 * g : 3 * g + 3]
            if np.linalg.norm(one * a + two * b) > grid.tool_limits[k, 1, g]:
                return False
        if rise == 0.0:
            return True
        sizes = grid.sizes[k]
        jerk = sizes[0] * abs(a) * rise + 3.0 * sizes[1] * v * abs(a) + sizes[2] * v**3
        return bool((jerk <= grid.limits[k, 2]).all())

    found = np.zeros(2)
    for side, sign in enumerate((-1.0, 1.0)):
        low, high = 0.0, 1e3
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if allowed(sign * middle) else (low, middle)
        found[side] = low
    return found


@pytest.mark.parametrize("rise", [0.0, 4.0])
def test_fastest_speeds_are_those_found_by_trying(rise: float) -> None:
    for _ in range(4):
        grid = random_grid()
        fraction = RANDOM.uniform(0.7, 1.0, len(grid.s))
        # so low that standing still is not the only acceleration allowed
        ceiling = RANDOM.uniform(0.05, 0.3, len(grid.s))
        ceiling[0] = ceiling[-1] = 0.0
        wanted = ceiling**2
        count = len(grid.s)
        for order, step in ((range(count - 2, 0, -1), 1), (range(1, count - 1), -1)):
            side = 0 if step == 1 else 1
            for k in order:
                h, near = 2.0 * abs(grid.s[k + step] - grid.s[k]), k + step
                for place in (near, k):
                    b = wanted[near] if place == near else wanted[k]
                    pull = acceleration_range(grid, place, rise, b)[side] * fraction[place]
                    wanted[k] = min(wanted[k], wanted[near] + h * pull)
        found = fastest(grid, ceiling, rise, fraction)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
        assert (found[1:-1] > 0.0).any()


def test_along_a_circle_the_acceleration_across_counts() -> None:
    # db/ds = 2 √(A² - κ² b²) from rest gives b = (A / κ) sin(2 κ s)
    A, kappa, length = 2.0, 5.0, 0.25
    s = np.linspace(0.0, length, 2001)
    tool = np.zeros((len(s), 3, 6))
    tool[:, 0, 0], tool[:, 1, 1] = 1.0, kappa
    limits = np.full((len(s), 3, 2), np.inf)
    limits[:, 1, 0] = A
    grid = path_grid(s, np.zeros((len(s), 4, 1)), tool, limits, np.full((len(s), 3, 1), np.inf))
    ceiling = np.full(len(s), math.sqrt(A / kappa))
    ceiling[0] = ceiling[-1] = 0.0
    b = fastest(grid, ceiling, 0.0, np.ones(len(s)))
    exact = A / kappa * np.sin(2.0 * kappa * np.minimum(s, math.pi / 4.0 / kappa))
    rising = s < 0.5 * length
    assert np.abs(b - exact)[rising].max() < 2e-3 * A / kappa
    np.testing.assert_allclose(b, b[::-1], rtol=1e-9)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_every_point_between_the_ends_is_limited_from_both_sides(sign: float) -> None:
    # one joint at 1 m/s² (or rad/s²): b = 2 s from rest, however far the other end is
    s = np.array([0.0, 0.01, 0.02, 5.0])
    joints = np.zeros((4, 4, 1))
    joints[:, 1] = sign
    free = np.full((4, 3, 2), np.inf)
    rates = np.array([np.inf, 1.0, np.inf])[None, :, None].repeat(4, axis=0)
    ceiling, whole = np.array([0.0, 10.0, 10.0, 0.0]), np.ones(4)
    grid = path_grid(s, joints, np.zeros((4, 3, 6)), free, rates)
    np.testing.assert_allclose(fastest(grid, ceiling, 0.0, whole), [0.0, 0.02, 0.04, 0.0])
    grid = path_grid(5.0 - s[::-1], joints, np.zeros((4, 3, 6)), free, rates)
    np.testing.assert_allclose(fastest(grid, ceiling, 0.0, whole), [0.0, 0.04, 0.02, 0.0])


def test_eroded_ceiling_is_the_smallest_within_reach() -> None:
    s = np.sort(RANDOM.uniform(0.0, 1.0, 60))
    ceiling = RANDOM.uniform(0.1, 1.0, 60)
    far = np.abs(s[:, None] - s) / 0.2
    np.testing.assert_array_equal(eroded(s, ceiling, 0.2), np.maximum(ceiling, far).min(axis=1))


def test_use_of_limits_at_samples_in_any_order() -> None:
    grid = random_grid()
    s = RANDOM.uniform(-0.01, grid.s[-1] + 0.01, 40)
    samples = LawSamples(s, *RANDOM.uniform(-1.0, 1.0, (3, 40)))
    found = limit_use(grid, samples)
    count, seen = len(grid.s), set()
    for k, (at, v, a, j) in enumerate(zip(*samples, strict=True)):
        cell = int(np.clip(np.searchsorted(grid.s, at, "right") - 1, 0, count - 2))
        f = float(np.clip((at - grid.s[cell]) / (grid.s[cell + 1] - grid.s[cell]), 0.0, 1.0))
        x = (1 - f) * grid.joints[cell, 1:] + f * grid.joints[cell + 1, 1:]
        t = (1 - f) * grid.tool[cell] + f * grid.tool[cell + 1]
        near = cell if f < 0.5 else cell + 1
        rates = [
            (one * v, one * a + two * v * v, one * j + 3 * two * v * a + three * v**3)
            for one, two, three in (x, t)
        ]
        for order in range(3):
            sizes = np.linalg.norm(rates[1][order].reshape(2, 3), axis=1)
            used = np.append(sizes, np.abs(rates[0][order])) / grid.limits[near, order]
            assert found.used[k, order] == pytest.approx(used.max(), rel=1e-12)
            assert found.row[k, order] == used.argmax()
            seen.add(int(used.argmax()))
    assert seen == set(range(5))  # translation, rotation and every joint led somewhere


def test_speeds_are_lowered_around_what_uses_too_much() -> None:
    s = np.linspace(0.0, 1.0, 41)
    fraction = RANDOM.uniform(0.5, 1.0, len(s))
    samples = LawSamples(np.array([0.21, 0.5, 0.77, 0.9]), np.full(4, 0.8), *np.zeros((2, 4)))
    used = np.array([[1.2, 0.5, 0.2], [0.9, 1.0, 1.0], [0.1, 1.3, 1.9], [40.0, 0.0, 0.0]])
    found = lowered(s, fraction, samples, used, 0.1, 1.01)
    factor = np.ones(len(s))
    wanted = (1 / (1.2 * 1.01), 1.0, min((1.3 * 1.01) ** -0.5, (1.9 * 1.01) ** (-1 / 3)), 0.5)
    for at, worst in zip(samples.s, wanted, strict=True):
        # one point more on either side of what 0.8 m/s reach in 0.1 s
        inside = np.flatnonzero((s >= at - 0.08) & (s < at + 0.08))
        around = slice(max(inside[0] - 1, 0), inside[-1] + 2)
        factor[around] = np.minimum(factor[around], worst)
    np.testing.assert_allclose(found, fraction * factor, rtol=1e-12)


@pytest.mark.parametrize("n", [4, 6, 7])
def test_joint_rates_are_exact_or_least(n: int) -> None:
    J, twist, out = RANDOM.uniform(-1, 1, (6, n)), RANDOM.uniform(-1, 1, 6), np.empty(n)
    weights = np.repeat([1.0 / SCALE, 1.0], 3)
    joint_rates(J, twist, SCALE, out)
    wanted = np.linalg.lstsq(weights[:, None] * J, weights * twist)[0]
    np.testing.assert_allclose(out, wanted, rtol=1e-8, atol=1e-9)


def test_joint_rates_of_a_singular_arm_are_the_smallest() -> None:
    J, out = RANDOM.uniform(-1, 1, (6, 6)), np.empty(6)
    J[:, 5] = J[:, 3]  # two axes in line
    twist = J @ RANDOM.uniform(-1, 1, 6)
    joint_rates(J, twist, SCALE, out)
    np.testing.assert_allclose(J @ out, twist, atol=1e-8)
    assert out[3] == pytest.approx(out[5], abs=1e-6)


def test_way_left_to_a_pose() -> None:
    pose, goal, e = np.zeros((3, 4)), np.zeros((3, 4)), np.empty(6)
    for vector in ([0.3, -0.2, 0.1], [0.0, 0.0, 0.0], [2.0, 1.0, -0.5], [1e-10, 0.0, 2e-10]):
        pose[:, :3] = rotation_exp([0.4, 0.5, -0.6])
        pose[:, 3] = [0.1, 0.2, 0.3]
        goal[:, :3] = rotation_exp(vector) @ pose[:, :3]
        goal[:, 3] = [0.15, 0.1, 0.32]
        size = pose_error(goal, pose, e)
        np.testing.assert_allclose(e, [0.05, -0.1, 0.02, *vector], atol=1e-14)
        assert size == pytest.approx(max(0.1, np.linalg.norm(vector)))


def test_rates_near_a_singularity_stay_as_guessed_where_the_tool_does_not_feel_them() -> None:
    model = serial("puma560")
    q = np.array([0.2, 0.8, -3.0, 0.4, 1e-6, 0.1])  # wrist stretched: joints 4 and 6 in line
    J = model.jacobian(q)
    motion = np.vstack([q, RANDOM.uniform(-1, 1, (3, 6))])
    given = motion.copy()
    bias = BiasTwists(np.empty(6), np.empty(6))
    twists = np.zeros((3, 6))
    twists[0] = J @ (given[1] + [0.1, -0.2, 0.3, 0.2, 0.0, 0.2])
    correct_rates(model.chain.constants, J, twists, model.chain.scale, motion, bias)
    np.testing.assert_allclose(J @ motion[1], twists[0], atol=1e-6)
    assert motion[1, 3] - motion[1, 5] == pytest.approx(given[1, 3] - given[1, 5], abs=1e-3)


@pytest.mark.parametrize("name", ["puma560", "iiwa7"])
def test_following_tells_how_it_ended(name: str) -> None:
    model = serial(name)
    q0 = np.array([0.1, 0.2, -2.4, 0.3, 0.9, 0.1, 0.2][: model.dof])
    s = np.linspace(0.0, 0.02, 5)
    poses = np.repeat(model.fk(q0)[None, :3], 5, axis=0)
    poses[:, 1, 3] += s
    twists = np.zeros((5, 3, 6))
    twists[:, 0, 1] = 1.0
    goals = ToolPoints(s, poses, twists)
    constants = model.chain.constants
    tolerances = Tolerances(model.chain.scale, 1e-9, 0.16)
    start = np.vstack([q0, np.zeros((3, model.dof))])
    state, reached, motion, _ = follow(constants, goals, start, False, 0.0, tolerances)
    assert (state, reached) == (FOLLOWED, 5)
    np.testing.assert_allclose(model.fk(motion[:, 0])[:, :3], poses, atol=1e-10)
    off, again, _ = refine(constants, goals, motion + 1e-4, tolerances)
    assert (off[:, 0] > 1e-6).all()
    assert (off[:, 1] < 1e-12).all()
    np.testing.assert_allclose(model.fk(again[:, 0])[:, :3], poses, atol=1e-10)
    if model.dof == 6:
        np.testing.assert_allclose(again, motion, atol=1e-7)
    # no joint may step as far as this motion needs
    tight = tolerances._replace(max_step=0.5 * float(np.abs(np.diff(motion[:, 0], axis=0)).max()))
    assert follow(constants, goals, start, False, 0.0, tight)[:2] == (JUMPED, 1)
    far = poses.copy()
    far[3:, 1, 3] += 5.0
    gone = follow(constants, ToolPoints(s, far, twists), start, False, 0.0, tolerances)
    assert gone[:2] == (LOST, 3)
    # and goes on from any point as if it had never stopped
    later = ToolPoints(s[2:], poses[2:].copy(), twists[2:].copy())
    resumed = follow(constants, later, motion[2].copy(), True, 0.0, tolerances)
    np.testing.assert_allclose(resumed.motions[:, 0], motion[2:, 0], atol=1e-12)


@pytest.mark.parametrize("joint", [0, 5])
def test_a_guess_that_is_far_off_is_brought_home_in_short_steps(joint: int) -> None:
    """Steps are cut to half a radian: the first ones leave more than half of the way."""
    model = serial("puma560")
    q0 = np.array([0.1, 0.2, -2.4, 0.3, 0.9, 0.1])
    goals = ToolPoints(np.zeros(1), model.fk(q0)[None, :3], np.zeros((1, 3, 6)))
    tolerances = Tolerances(model.chain.scale, 1e-3, 0.16)
    guess = np.zeros((1, 4, model.dof))
    guess[0, 0] = q0
    guess[0, 0, joint] += 1.3
    off, found, _ = refine(model.chain.constants, goals, guess, tolerances)
    assert 0.0 <= off[0, 1] < 1e-11  # being within the tolerance is no reason to stop
    np.testing.assert_allclose(model.fk(found[0, 0])[:3], goals.poses[0], atol=1e-11)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_next_point_is_predicted_by_every_derivative(order: int) -> None:
    """A joint that moves by one derivative alone is where that says, so nothing is corrected."""
    model = serial("puma560")
    q0 = np.array([0.1, 0.2, -2.4, 0.3, 0.9, 0.1])
    step, h = 0.15, 0.5
    rate = math.factorial(order) * step / h**order
    q1 = q0 + np.array([step, 0.0, 0.0, 0.0, 0.0, 0.0])
    twists = np.zeros((2, 3, 6))
    # the tool goes round the first axis: its derivatives from q' = rate, q'' = 0 or so on
    J = model.jacobian(q0)[:, 0]
    rates = np.zeros(4)
    rates[order] = rate
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    v, w = J[:3], J[3:]
    twists[0, 0] = rates[1] * J
    twists[0, 1] = np.append(rates[2] * v + rates[1] ** 2 * turn @ v, rates[2] * w)
    third = rates[3] * v + 3 * rates[1] * rates[2] * turn @ v + rates[1] ** 3 * turn @ turn @ v
    twists[0, 2] = np.append(third, rates[3] * w)
    goals = ToolPoints(
        np.array([0.0, h]), np.ascontiguousarray(model.fk(np.stack([q0, q1]))[:, :3]), twists
    )
    # further than half of this from the prediction would be a jump
    tolerances = Tolerances(model.chain.scale, 1e-9, 1.1 * step)
    start = np.vstack([q0, np.zeros((3, model.dof))])
    state, reached, found, _ = follow(model.chain.constants, goals, start, False, 0.0, tolerances)
    assert (state, reached) == (FOLLOWED, 2)
    np.testing.assert_allclose(found[0, 1:, 0], rates[1:], atol=1e-9)
    np.testing.assert_allclose(found[:, 0], [q0, q1], atol=1e-9)
