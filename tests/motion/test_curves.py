"""Curves by arc length, against quadrature, differences and the geometry they are named after."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves import (
    Curve,
    Line,
    ParametricCurve,
    Point,
    arc_about,
    arc_through,
    bezier,
    spiral,
    spline,
)

RNG = np.random.default_rng(4)


def curves() -> dict[str, Curve]:
    points = np.random.default_rng(3).uniform(-0.4, 0.4, (9, 3))
    return {
        "line": Line(points[0], points[1]),
        "arc": arc_through(points[0], points[1], points[2]),
        "quadratic": bezier(points[:3]),
        "cubic": bezier(points[:4]),
        "sixth": bezier(points[:7]),
        "spline": spline(points),
        "spiral": spiral(points[0], points[1], points[2], 7.0, 0.3, 0.2),
        "helix": spiral(points[0], points[1], np.array([0.0, 0.0, 1.0]), -4.0, None, 0.1),
    }


@pytest.mark.parametrize("name", list(curves()))
def test_parameter_is_arc_length_and_derivatives_are_derivatives(name: str) -> None:
    curve = curves()[name]
    s = np.linspace(0.0, curve.length, 2001)
    p = curve.evaluate(s)
    assert np.abs(np.linalg.norm(p[:, 1], axis=1) - 1.0).max() < 1e-12
    # the chords of fine steps add up to the arc length
    assert np.linalg.norm(np.diff(p[:, 0], axis=0), axis=1).sum() == pytest.approx(
        curve.length, rel=1e-4
    )
    h = 1e-5 * curve.length
    inside = RNG.uniform(0.02, 0.98, 20) * curve.length
    low, high, here = (curve.evaluate(inside + d) for d in (-h, h, 0.0))
    for order in range(3):
        slope = (high[:, order] - low[:, order]) / (2.0 * h)
        size = np.abs(here[:, order + 1]).max()
        assert np.abs(slope - here[:, order + 1]).max() < 2e-4 * max(size, 1e-3)


def test_lengths_agree_with_quadrature() -> None:
    points = RNG.uniform(-1.0, 1.0, (4, 3))

    def speed(u: float) -> float:
        rest = 1.0 - u
        d = np.diff(points, axis=0)
        return 3.0 * float(np.linalg.norm(rest**2 * d[0] + 2 * rest * u * d[1] + u**2 * d[2]))

    expected = quad(speed, 0.0, 1.0, epsabs=1e-13, epsrel=1e-13)[0]
    curve = bezier(points)
    assert isinstance(curve, ParametricCurve)
    assert curve.length == pytest.approx(expected, abs=1e-12)
    u = curve.parameter(np.array([0.3 * expected]))[0]
    assert quad(speed, 0.0, u, epsabs=1e-13)[0] == pytest.approx(0.3 * expected, abs=1e-12)


def test_spline_is_scipys_and_has_no_jump_of_curvature() -> None:
    points = RNG.uniform(-0.5, 0.5, (6, 3))
    curve = spline(points)
    knots = np.append(0.0, np.cumsum(np.sqrt(np.linalg.norm(np.diff(points, axis=0), axis=1))))
    witness = CubicSpline(knots, points)
    s = np.linspace(0.0, curve.length, 50)
    assert np.abs(curve.evaluate(s)[:, 0] - witness(curve.parameter(s))).max() < 1e-12
    at = curve.lengths[::6]
    assert np.abs(curve.evaluate(at)[:, 0] - points).max() < 1e-12
    before, after = curve.evaluate(at[1:-1] - 1e-9), curve.evaluate(at[1:-1] + 1e-9)
    assert np.abs(before[:, 2] - after[:, 2]).max() < 1e-5 * np.abs(after[:, 2]).max()


def test_arc_keeps_its_distance_and_passes_its_points() -> None:
    start, via, end = RNG.uniform(-0.5, 0.5, (3, 3))
    arc = arc_through(start, via, end)
    p = arc.evaluate(np.linspace(0.0, arc.length, 400))[:, 0]
    assert np.ptp(np.linalg.norm(p - arc.centre, axis=1)) < 1e-14
    assert np.abs(p[0] - start).max() < 1e-14
    assert np.abs(p[-1] - end).max() < 1e-12
    assert np.linalg.norm(p - via, axis=1).min() < 0.01 * arc.length


@pytest.mark.parametrize("degrees", [20, 100, 179, 181, 300, 355])
def test_help_point_decides_the_way_round(degrees: int) -> None:
    def at(angle: float) -> Array:
        return np.array([math.cos(angle), math.sin(angle), 0.3])

    angle = math.radians(degrees)
    arc = arc_through(at(0.0), at(0.4 * angle), at(angle))
    assert arc.angle == pytest.approx(angle, abs=1e-9)
    assert np.abs(arc.axis - [0, 0, 1]).max() < 1e-12


def test_centre_angle_and_full_circle() -> None:
    start, centre = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    quarter = np.array([0.0, 1.0, 0.0])
    assert arc_about(start, centre, quarter).angle == pytest.approx(math.pi / 2)
    full = arc_about(start, centre, quarter, 2 * math.pi)
    assert np.abs(full.evaluate(np.array([full.length]))[0, 0] - start).max() < 1e-12
    back = arc_about(start, centre, quarter, -math.pi / 2)
    assert np.abs(back.evaluate(np.array([back.length]))[0, 0] + quarter).max() < 1e-12
    assert arc_about(start, centre, start, None, quarter).angle == pytest.approx(2 * math.pi)
    over = arc_about(start, centre, quarter, None, np.array([0.0, -1.0, 0.0]))
    assert over.angle == pytest.approx(1.5 * math.pi)


def test_spiral_ends_where_it_should() -> None:
    curve = spiral(np.array([0.2, 0, 0.1]), np.zeros(3), np.array([0, 0, 2.0]), math.pi, 0.1, 0.05)
    end = curve.evaluate(np.array([curve.length]))[0, 0]
    assert np.abs(end - [-0.1, 0.0, 0.15]).max() < 1e-12


def test_bad_points_are_refused() -> None:
    a, b = np.zeros(3), np.array([0.1, 0.0, 0.0])
    with pytest.raises(MotionError, match="two different points"):
        Line(a, a.copy())
    with pytest.raises(MotionError, match="stand in line"):
        arc_through(a, b, 2 * b)
    with pytest.raises(MotionError, match="three different points"):
        arc_through(a, b, a)
    with pytest.raises(MotionError, match="equally far"):
        arc_about(a, np.array([0, 1.0, 0]), np.array([0, 3.0, 1.0]))
    with pytest.raises(MotionError, match="plane is not fixed"):
        arc_about(a, b, 2 * b)
    with pytest.raises(MotionError, match="cusp"):
        bezier(np.array([a, b, b / 2, -b / 2]))
    with pytest.raises(MotionError, match="equal"):
        spline(np.array([a, b, b]))
    with pytest.raises(MotionError, match="on its own axis"):
        spiral(a, a, np.array([0, 0, 1.0]), 3.0)


def test_point_stays() -> None:
    p = Point(np.array([1.0, 2.0, 3.0]), 0.7).evaluate(np.array([0.0, 0.7]))
    assert np.array_equal(p[:, 0], [[1, 2, 3], [1, 2, 3]])
    assert not p[:, 1:].any()
