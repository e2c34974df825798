"""Blends: where they enter and leave, and how smoothly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armwerk.motion.curves import Arc, Line, arc_through, bezier
from armwerk.motion.options import BlendShape
from armwerk.motion.path.blend_tracks import BlendEnd, blend_curve, corner_angle, entry_distance

RNG = np.random.default_rng(11)


def test_sphere_is_entered_where_line_and_circle_say() -> None:
    line = Line(np.zeros(3), np.array([0.3, 0.0, 0.0]))
    assert entry_distance(line, 0.05, True) == 0.05
    assert entry_distance(line, 0.5, True) == 0.15  # half of a short segment
    arc = arc_through(np.array([0.2, 0, 0]), np.array([0, 0.2, 0]), np.array([-0.2, 0, 0]))
    # chord c of a circle of radius R: angle 2 asin(c / 2R)
    expected = 0.2 * 2 * math.asin(0.05 / 0.4)
    assert entry_distance(arc, 0.05, False) == pytest.approx(expected, abs=1e-12)
    curve = bezier(RNG.uniform(-0.3, 0.3, (4, 3)))
    way = entry_distance(curve, 0.04, True)
    ends = curve.evaluate(np.array([curve.length, curve.length - way]))[:, 0]
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(0.04, abs=1e-12)


def ends_of(degrees: int, reach: float = 0.05) -> tuple[BlendEnd, BlendEnd]:
    turn = math.radians(degrees)
    t0, t1 = np.array([1.0, 0.0, 0.0]), np.array([math.cos(turn), math.sin(turn), 0.0])
    entry = BlendEnd(np.array([-reach * t0, t0, np.zeros(3)]), reach, True)
    return entry, BlendEnd(np.array([reach * t1, t1, np.zeros(3)]), reach, True)


@pytest.mark.parametrize("shape", ["smooth", "arc", "quadratic", "cubic"])
@pytest.mark.parametrize("degrees", [5, 45, 90, 135, 170])
def test_shapes_join_tangentially(shape: BlendShape, degrees: int) -> None:
    entry, leave = ends_of(degrees)
    curve, why = blend_curve(entry, leave, shape)
    assert why == ""
    p = curve.evaluate(np.array([0.0, curve.length]))
    assert np.abs(p[0, :2] - entry.state[:2]).max() < 1e-9
    assert np.abs(p[1, :2] - leave.state[:2]).max() < 1e-9
    inside = np.linalg.norm(curve.evaluate(np.linspace(0, curve.length, 99))[:, 0], axis=1)
    assert inside.max() <= 0.05 * (1 + 1e-9)  # nowhere outside of the sphere
    if shape == "smooth":
        assert np.abs(p[:, 2]).max() < 1e-6  # no jump of curvature against the lines


def test_arc_is_the_tangent_circle() -> None:
    curve, _ = blend_curve(*ends_of(90), "arc")
    assert isinstance(curve, Arc)
    assert curve.radius == pytest.approx(0.05)
    assert curve.length == pytest.approx(0.05 * math.pi / 2)


def test_smooth_blend_between_curves_takes_over_their_curvature() -> None:
    one, two = (bezier(RNG.uniform(-0.2, 0.2, (4, 3))) for _ in range(2))
    shift = one.evaluate(np.array([one.length]))[0, 0] - two.evaluate(np.zeros(1))[0, 0]
    before, after = entry_distance(one, 0.03, True), entry_distance(two, 0.03, False)
    entry = BlendEnd(one.evaluate(np.array([one.length - before]))[0], before, False)
    state = two.evaluate(np.array([after]))[0]
    state[0] += shift
    leave = BlendEnd(state, after, False)
    curve, _ = blend_curve(entry, leave, "smooth", 2.0, 50.0)
    p = curve.evaluate(np.array([0.0, curve.length]))
    for found, wanted in ((p[0], entry.state), (p[1], leave.state)):
        assert np.abs(found[:3] - wanted[:3]).max() < 1e-6 * max(1.0, np.abs(wanted[2]).max())


def test_a_shape_that_cannot_be_tangent_becomes_a_cubic_and_says_so() -> None:
    entry, leave = ends_of(60)
    bent = BlendEnd(leave.state, 0.04, False)
    shapes: tuple[BlendShape, ...] = ("arc", "quadratic")
    for shape in shapes:
        assert "cubic" in blend_curve(entry, bent, shape)[1]


def test_straight_on_is_a_line() -> None:
    curve, _ = blend_curve(*ends_of(0), "smooth")
    assert isinstance(curve, Line)


def test_corner_angle() -> None:
    x, y = np.eye(3)[:2]
    assert corner_angle(x, y) == pytest.approx(math.pi / 2)
    assert corner_angle(x, -x) == pytest.approx(math.pi)
