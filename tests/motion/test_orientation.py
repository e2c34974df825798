"""Orientations along curves: the rates are the derivatives of the rotation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.geometry import angle_between, rotation_exp, rotation_log
from armwerk.motion.curves import Curve, Line, arc_through, bezier, hermite
from armwerk.motion.path.goals import Cylindrical, inclination_of, inclined_pose
from armwerk.motion.path.orientation import (
    EvenTurn,
    Inclined,
    Orientation,
    even_turn,
    inclined,
    quaternion_blend,
    quaternion_spline,
)
from armwerk.motion.path.segments import path_frame

RNG = np.random.default_rng(7)


def rotation() -> Array:
    return rotation_exp(RNG.uniform(-1.5, 1.5, 3))


def check_rates(orientation: Orientation, curve: Curve) -> None:
    """Compare ω with the turning between neighbours, and ω', ω'' with differences of ω."""
    h = 1e-5 * curve.length
    s = RNG.uniform(0.05, 0.95, 12) * curve.length

    def at(shift: float) -> tuple[Array, Array]:
        return orientation.evaluate(s + shift, curve.evaluate(s + shift))

    (R0, w0), (R1, w1), (_, here) = at(-h), at(h), at(0.0)
    turning = rotation_log(R1 @ np.swapaxes(R0, 1, 2)) / (2.0 * h)
    assert np.abs(turning - here[:, 0]).max() < 1e-5 * max(1.0, np.abs(here[:, 0]).max())
    for order in range(2):
        slope = (w1[:, order] - w0[:, order]) / (2.0 * h)
        assert np.abs(slope - here[:, order + 1]).max() < 1e-4 * max(1.0, np.abs(here[:, 1:]).max())
    assert np.abs(R0 @ np.swapaxes(R0, 1, 2) - np.eye(3)).max() < 1e-12


def curve_of(kind: str) -> Curve:
    points = RNG.uniform(0.2, 0.6, (4, 3))
    if kind == "line":
        return Line(points[0], points[1])
    return arc_through(*points[:3]) if kind == "arc" else bezier(points)


@pytest.mark.parametrize("kind", ["line", "arc", "bezier"])
@pytest.mark.parametrize("reference", ["space", "path"])
def test_turn(kind: str, reference: str) -> None:
    curve = curve_of(kind)
    frame = path_frame(curve) if reference == "path" else None
    R0, R1 = rotation(), rotation()
    orientation = even_turn(R0, R1, curve.length, frame)
    ends = np.array([0.0, curve.length])
    R, _ = orientation.evaluate(ends, curve.evaluate(ends))
    assert np.abs(R - [R0, R1]).max() < 1e-9
    check_rates(orientation, curve)
    if reference == "space":
        # the short way: the whole angle is that between the ends
        assert np.linalg.norm(orientation.rate) * curve.length == pytest.approx(
            float(angle_between(R0, R1))
        )


@pytest.mark.parametrize("kind", ["arc", "bezier"])
def test_path_related_tool_keeps_its_angle_to_the_tangent(kind: str) -> None:
    curve = curve_of(kind)
    s = np.linspace(0.0, curve.length, 30)
    p = curve.evaluate(s)
    R, _ = EvenTurn(rotation(), np.zeros(3), path_frame(curve)).evaluate(s, p)
    seen = np.matvec(np.swapaxes(R, 1, 2), p[:, 1])
    assert np.abs(seen - seen[0]).max() < 1e-9


def test_quaternion_blend_takes_over_both_ends() -> None:
    curve = curve_of("bezier")
    ends = [(rotation(), RNG.uniform(-2, 2, (3, 3))) for _ in range(2)]
    orientation = quaternion_blend(ends[0], ends[1], curve.length)
    s = np.array([0.0, curve.length])
    R, w = orientation.evaluate(s, curve.evaluate(s))
    for k in range(2):
        assert np.abs(R[k] - ends[k][0]).max() < 1e-12
        assert np.abs(w[k, :2] - ends[k][1][:2]).max() < 1e-9
    check_rates(orientation, curve)


def test_quaternion_spline_passes_all_without_a_jump() -> None:
    curve = curve_of("bezier")
    rotations = np.array([rotation() for _ in range(5)])
    s = np.linspace(0.0, curve.length, 5)
    orientation = quaternion_spline(s, rotations)
    R, _ = orientation.evaluate(s, curve.evaluate(s))
    assert np.abs(R - rotations).max() < 1e-12
    check_rates(orientation, curve)
    _, before = orientation.evaluate(s[1:-1] - 1e-9, curve.evaluate(s[1:-1]))
    _, after = orientation.evaluate(s[1:-1] + 1e-9, curve.evaluate(s[1:-1]))
    assert np.abs(before[:, :2] - after[:, :2]).max() < 1e-4


def test_inclined_stays_in_the_upright_plane() -> None:
    curve = curve_of("bezier")
    orientation = Inclined(
        hermite(RNG.uniform(-1, 1, (3, 2)), RNG.uniform(-1, 1, (3, 2)), curve.length), np.zeros(2)
    )
    check_rates(orientation, curve)
    s = np.linspace(0.0, curve.length, 20)
    p = curve.evaluate(s)
    R, _ = orientation.evaluate(s, p)
    out_of_plane = np.cross(p[:, 0] * [1, 1, 0], [0.0, 0.0, 1.0])
    assert np.abs((out_of_plane * R[:, :, 2]).sum(axis=1)).max() < 1e-12


def test_inclination_runs_evenly_between_two_poses() -> None:
    a = inclined_pose([0.3, 0.1, 0.4], math.radians(-60), 0.2)
    b = inclined_pose([0.2, 0.35, 0.3], math.radians(10), -0.4)
    curve = Line(a[:3, 3], b[:3, 3])
    orientation = inclined(
        a[:3, :3], b[:3, :3], np.array([a[:3, 3], b[:3, 3]]), curve.length, np.zeros(2)
    )
    assert orientation is not None
    middle = np.array([0.5 * curve.length])
    pose = np.eye(4)
    p = curve.evaluate(middle)
    pose[:3, :3] = orientation.evaluate(middle, p)[0][0]
    pose[:3, 3] = p[0, 0]
    inclination, roll = inclination_of(pose)
    assert inclination == pytest.approx(math.radians(-25))
    assert roll == pytest.approx(-0.1)


def test_cylindrical_keeps_its_direction_on_the_axis() -> None:
    point = Cylindrical(0.4, 0.2, 2.0)
    assert Cylindrical.of(point.point).phi == pytest.approx(2.0)
    on_axis = Cylindrical(0.0, 0.2, 2.0)
    assert Cylindrical.of(on_axis.point, phi=on_axis.phi) == on_axis
    # the tool pose on the axis still looks along phi
    assert np.abs(on_axis.pose(0.0)[:2, 2] - [math.cos(2.0), math.sin(2.0)]).max() < 1e-12
