"""Choosing among solutions: full turns, limits, distances, against trying every turn."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from armwerk.mechanics.chain import Chain, pack
from armwerk.mechanics.choice import distance, fit, in_order, is_new, nearest, wrap
from armwerk.robot import Arm, Joint

LIMITS = [(-3.0, 4.0), (1.0, 2.0), (-9.0, 9.0), None, (0.1, 0.5)]


@pytest.fixture(scope="module")
def chain() -> Chain:
    kinds = ["revolute"] * 4 + ["prismatic"]
    joints = [
        Joint(kind, a=0.2, limits=limit)  # type: ignore[arg-type]
        for kind, limit in zip(kinds, LIMITS, strict=True)
    ]
    return pack(Arm.from_dh(joints))


def test_angles_go_to_the_half_open_turn_and_lengths_stay(chain: Chain) -> None:
    q = np.array([pi, -pi, 3 * pi, 0.4 - 4 * pi, 7.0])
    np.testing.assert_allclose(wrap(chain, q), [pi, pi, pi, 0.4, 7.0], atol=1e-12)


def test_fitting_is_as_good_as_trying_every_turn(chain: Chain) -> None:
    rng = np.random.default_rng(0)
    solutions, near = rng.uniform(-7, 7, (300, 5)), rng.uniform(-7, 7, 5)
    solutions[:, 4] = rng.uniform(0.0, 0.6, 300)
    shifted, inside = fit(chain, solutions, near)
    low, high = chain.limits.T
    for q, ours, fits in zip(solutions, shifted, inside, strict=True):
        kept = True
        for i in range(5):
            turns = 2 * pi * np.arange(-4, 5) if chain.revolute[i] else np.zeros(1)
            tries = q[i] + turns
            beyond = np.maximum(np.maximum(low[i] - tries, tries - high[i]), 0.0)
            least = tries[beyond <= beyond.min() + 1e-12]
            best = least[np.argmin(np.abs(least - near[i]))]
            assert ours[i] == pytest.approx(best, abs=1e-12)
            kept &= beyond.min() == 0.0
        assert fits == kept
    assert 0 < inside.sum() < 300


def test_nearest_is_the_least_distance_within_limits(chain: Chain) -> None:
    near = np.array([0.0, 1.5, 0.0, 0.0, 0.3])
    far = near + np.array([0.5, 0, 0, 0, 0])
    close = near + np.array([0, 0, 0, 0, 0.05])
    outside = near + np.array([0, 1.0, 0, 0, 0])
    found = nearest(chain, np.array([far, close, outside]), near)
    assert found is not None
    assert np.array_equal(found, close)
    assert nearest(chain, outside[None], near) is None
    assert nearest(chain, np.empty((0, 5)), near) is None
    assert distance(chain, far, near) == pytest.approx(0.5)
    assert distance(chain, close, near) == pytest.approx(0.05 / chain.scale)


def test_a_full_turn_makes_nothing_new(chain: Chain) -> None:
    q = np.array([0.1, 1.2, 0.3, 0.4, 0.2])
    assert not is_new(chain, q + 2 * pi * np.array([1, 0, -1, 2, 0]), [q])
    assert is_new(chain, q + np.array([0, 0, 0, 0, 0.1]), [q])
    assert is_new(chain, q, [])


def test_rows_are_sorted_by_the_first_joint_then_the_next() -> None:
    rows = np.array([[1.0, 2.0], [0.0, 5.0], [1.0 + 1e-9, 1.0]])
    assert in_order(rows)[:, 1].tolist() == [5.0, 1.0, 2.0]
