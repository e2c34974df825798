"""Splines through points against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

from armwerk.motion.curves import interpolant
from armwerk.motion.curves.interpolating import interpolating_spline


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 40, 700])
@pytest.mark.parametrize("uneven", [1.0, 1e-2, 1e-4])
def test_values_and_rates_are_those_of_scipy(degree: int, count: int, uneven: float) -> None:
    random = np.random.default_rng([degree, count])
    steps = random.uniform(0.5, 1.0, degree + 1 + count) * random.choice([1.0, uneven])
    places = np.cumsum(steps) - 3.0
    values = np.sin(0.2 * places[:, None] * np.arange(1.0, 8.0))
    ours = interpolating_spline(places, values, degree)
    theirs = make_interp_spline(places, values, k=degree)
    at = np.concatenate([places, random.uniform(places[0], places[-1], 200)])
    rates = ours.rates(at)
    assert np.abs(ours.rates(places)[:, 0] - values).max() < 1e-14
    for order in range(4):
        known = theirs(at, nu=order)
        rounding = 1e-12 / steps.min() ** order
        assert np.abs(rates[:, order] - known).max() < rounding


@pytest.mark.parametrize("uneven", [1.0, 1e-3])
def test_neighbours_of_any_distance(uneven: float) -> None:
    random = np.random.default_rng(8)
    steps = random.uniform(0.2, 1.0, 300) * random.choice([1.0, uneven], 300)
    places = np.cumsum(steps)
    values = np.sin(0.3 * places[:, None] * np.arange(1.0, 4.0))
    rates = interpolating_spline(places, values, 5).rates(places)
    assert np.abs(rates[:, 0] - values).max() < 1e-14
    assert np.abs(rates[:, 1] - make_interp_spline(places, values, k=5)(places, nu=1)).max() < 1e-9


@pytest.mark.parametrize("count", [2, 3, 4, 5, 60])
def test_the_cubic_through_few_points_and_many(count: int) -> None:
    random = np.random.default_rng(count)
    knots = np.cumsum(random.uniform(0.1, 1.0, count))
    values = random.normal(size=(count, 3))
    known = CubicSpline(knots, values, bc_type="not-a-knot")
    at = np.concatenate([knots, random.uniform(knots[0], knots[-1], 50)])
    found = interpolant(knots, values).derivatives(at)
    for order in range(4 if count > 3 else 3):
        assert np.abs(found[:, order] - known(at, nu=order)).max() < 1e-9
