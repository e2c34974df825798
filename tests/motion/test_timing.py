"""Time laws: exact where there is a formula, within limits where there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.motion.laws import law as closed
from armwerk.motion.options import Profile
from armwerk.motion.retiming.path_grid import PathGrid, path_grid
from armwerk.motion.retiming.path_law import averaged, bang_bang
from armwerk.motion.retiming.time_law import time_law


def grid(
    length: float,
    curvature: Callable[[Array], Array],
    speed: float,
    acceleration: float,
    jerk: float,
    cells: int = 200,
) -> PathGrid:
    """Return a grid with a translation of given curvature and one idle joint."""
    s = np.linspace(0.0, length, cells + 1)
    kappa = np.broadcast_to(curvature(s), s.shape)
    x, t = np.zeros((len(s), 4, 1)), np.zeros((len(s), 3, 6))
    t[:, 0, 0] = 1.0
    t[:, 1, 1] = kappa
    t[:, 2, 0] = -(kappa**2)
    t[:, 2, 1] = np.gradient(kappa, s)
    tool = np.full((len(s), 3, 2), np.inf)
    tool[:, :, 0] = speed, acceleration, jerk
    return path_grid(s, x, t, tool, np.full((len(s), 3, 1), np.inf))


def test_straight_without_jerk_is_the_trapezoid_of_speed() -> None:
    law = time_law(grid(0.6, lambda s: 0.0 * s, 0.5, 2.0, np.inf), "trapezoid").law
    assert law.duration == pytest.approx(0.6 / 0.5 + 0.5 / 2.0, rel=2e-3)


@pytest.mark.parametrize(
    ("length", "speed", "acceleration", "jerk"),
    [(0.6, 0.5, 2.0, 20.0), (0.02, 0.5, 2.0, 20.0), (0.2, 0.5, 2.0, 20.0), (1.0, 0.1, 5.0, 10.0)],
)
def test_straight_with_jerk_is_near_the_optimum(
    length: float, speed: float, acceleration: float, jerk: float
) -> None:
    best = closed("trapezoid", length, speed, acceleration, jerk).duration
    found = time_law(grid(length, lambda s: 0.0 * s, speed, acceleration, jerk), "trapezoid").law
    assert best * (1 - 1e-6) <= found.duration <= best * 1.06


@pytest.mark.parametrize("profile", ["trapezoid", "sine", "quintic"])
def test_limits_hold_on_a_curve(profile: Profile) -> None:
    given = grid(0.8, lambda s: 15.0 * np.exp(-(((s - 0.4) / 0.05) ** 2)), 0.5, 2.0, 40.0)
    law = time_law(given, profile).law
    at = law.evaluate(np.linspace(0.0, law.duration, 5001))
    s, v, a, j = at.T
    kappa = np.interp(s, given.s, given.tool[:, 1, 1])
    rise = np.interp(s, given.s, given.tool[:, 2, 1])
    assert v.max() <= 0.5 * (1 + 1e-9)
    assert np.hypot(a, kappa * v**2).max() <= 2.0 * (1 + 1e-3)
    across = 3 * kappa * v * a + rise * v**3
    along = j - kappa**2 * v**3
    assert np.hypot(along, across).max() <= 40.0 * (1 + 5e-3)
    assert (v >= -1e-12).all()
    assert s[0] == 0.0
    assert s[-1] == 0.8


def test_mean_over_a_window_keeps_the_way_and_limits_the_jerk() -> None:
    s = np.linspace(0.0, 1.0, 101)
    base = bang_bang(s, np.minimum(np.minimum(4.0 * s, 4.0 * (1.0 - s)), 0.5))
    peaks: dict[Profile, float] = {"trapezoid": 1.0, "sine": 2.0, "quintic": 1.875}
    for profile, peak in peaks.items():
        law = averaged(base, 0.1, profile)
        assert law.duration == pytest.approx(base.duration + 0.1, rel=0.01)
        at = law.evaluate(np.linspace(0.0, law.duration, 4001))
        assert at[-1, 0] == 1.0
        assert np.abs(at[:, 3]).max() <= 2.0 / 0.1 * peak * 1.03
        assert np.abs(at[:, 2]).max() <= 2.0 * 1.03
        # speed and acceleration are the derivatives
        h = law.duration / 4000
        assert np.abs(np.gradient(at[:, 0], h) - at[:, 1])[1:-1].max() < 1e-3
        assert np.abs(np.gradient(at[:, 1], h) - at[:, 2])[2:-2].max() < 0.05
        when = law.when(np.array([0.3]))
        assert law.evaluate(when)[0, 0] == pytest.approx(0.3, abs=1e-9)


def test_slowed_law_is_the_same_motion() -> None:
    s = np.linspace(0.0, 1.0, 11)
    law = bang_bang(s, np.minimum(4.0 * s, 4.0 * (1.0 - s)))
    slow = law.slowed(2.0)
    t = np.linspace(0.0, law.duration, 50)
    assert np.allclose(slow.evaluate(2.0 * t)[:, :3], law.evaluate(t)[:, :3] / [1.0, 2.0, 4.0])
