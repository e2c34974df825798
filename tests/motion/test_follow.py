"""Joint values along tracks: exact, with exact derivatives, for arms of all sorts."""

from __future__ import annotations

import numpy as np
import pytest
from problems import serial

from armwerk.arrays import Array
from armwerk.geometry import rotation_exp
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves import Curve, Line, arc_through
from armwerk.motion.kernels.chain_rates import BiasTwists, bias_twists
from armwerk.motion.path.follow import follow_track
from armwerk.motion.path.marching import LostError
from armwerk.motion.path.orientation import EvenTurn, even_turn
from armwerk.motion.path.track import CurveSpan, OrientationSpan, Track

RNG = np.random.default_rng(5)
ARMS = {
    "puma560": [0.1, 0.2, -2.4, 0.3, 0.9, 0.1],
    "stanford": [0.3, 0.5, 0.4, 0.2, 0.8, 0.1],
    "scara": [0.3, 0.8, 0.1, 0.2],
    "cartesian": [],
}


def model_and_start(name: str) -> tuple[SerialModel, Array]:
    model = serial(name)
    if ARMS[name]:
        return model, np.array(ARMS[name])
    low, high = model.chain.ranges().T
    return model, low + (high - low) * np.linspace(0.45, 0.6, model.dof)


def track_from(pose: Array, kind: str, turning: Array) -> Track:
    p = pose[:3, 3]
    curve: Curve
    if kind == "line":
        curve = Line(p, p + np.array([0.02, 0.05, 0.03]))
    else:
        curve = arc_through(p, p + np.array([0.02, 0.03, 0.0]), p + np.array([0.0, 0.06, 0.0]))
    end = turning @ pose[:3, :3]
    orientation = even_turn(pose[:3, :3], end, curve.length)
    return Track(
        (CurveSpan(curve, 0.0, curve.length, 1),),
        (OrientationSpan(orientation, 0.0, curve.length),),
    )


@pytest.mark.parametrize("name", list(ARMS))
@pytest.mark.parametrize("kind", ["line", "arc"])
def test_tool_on_the_curve_and_rates_are_derivatives(name: str, kind: str) -> None:
    model, q0 = model_and_start(name)
    about = np.array([0.1, -0.2, 0.3]) if model.dof == 6 else np.zeros(3)
    track = track_from(model.fk(q0), kind, rotation_exp(about))
    follower = follow_track(track, model.chain.constants, model.chain.scale, q0)
    s = RNG.uniform(0.05, 0.95, 30) * track.length
    x, twists = follower.evaluate(s)
    poses, _ = track.evaluate(s)
    assert np.abs(model.fk(x[:, 0])[:, :3] - poses).max() < 1e-10
    # the Jacobian agrees
    assert np.abs(np.matvec(model.jacobian(x[:, 0]), x[:, 1]) - twists[:, 0]).max() < 1e-9
    h = 1e-5 * track.length
    low, high = follower.evaluate(s - h)[0], follower.evaluate(s + h)[0]
    for order in range(3):
        slope = (high[:, order] - low[:, order]) / (2 * h)
        size = max(1.0, np.abs(x[:, order + 1]).max())
        assert np.abs(slope - x[:, order + 1]).max() < 1e-4 * size


@pytest.mark.parametrize("length", [1e-5, 5e-4, 1.9e-3])
def test_a_short_line_needs_few_points(length: float) -> None:
    model, q0 = model_and_start("puma560")
    track = line_of(model, q0, length)
    follower = follow_track(track, model.chain.constants, model.chain.scale, q0)
    assert len(follower.grid) <= 13
    s = np.linspace(0.0, length, 101)
    x, twists = follower.evaluate(s)
    assert np.abs(model.fk(x[:, 0])[:, :3] - track.evaluate(s)[0]).max() < 1e-10
    assert np.abs(np.matvec(model.jacobian(x[:, 0]), x[:, 1]) - twists[:, 0]).max() < 1e-9


def test_a_short_line_out_of_a_singular_place_gets_the_points_it_needs() -> None:
    """The wrist turns by a quarter of a turn within micrometres, which few points do not see."""
    model = serial("kr6_r900")
    q0 = np.array([-2.568, -1.0876, 1.8286, -3.1658, -1e-6, -4.7794])
    way = np.array([-3.73e-4, 2.24e-4, 2.46e-4])
    track = line_of(model, q0, 1e-3, way / np.linalg.norm(way))
    follower = follow_track(track, model.chain.constants, model.chain.scale, q0)
    assert len(follower.grid) > 13
    u = np.linspace(0.0, follower.length, 401)
    x, _ = follower.evaluate(u)
    assert np.abs(np.diff(x[:, 0], axis=0)).max() < 0.1
    along = track.evaluate(follower.arc_length(u))[0]
    assert np.abs(model.fk(x[:, 0])[:, :3] - along).max() < 1e-9


def line_of(model: SerialModel, q0: Array, length: float, along: Array | None = None) -> Track:
    pose = model.fk(q0)
    way = np.array([2.0, -1.0, 2.0]) / 3.0 if along is None else along
    curve = Line(pose[:3, 3], pose[:3, 3] + length * way)
    turn = EvenTurn(pose[:3, :3], np.zeros(3))
    return Track(
        (CurveSpan(curve, 0.0, length, 1),),
        (OrientationSpan(turn, 0.0, length),),
    )


@pytest.mark.parametrize("name", ["puma560", "stanford", "iiwa7"])
def test_bias_is_the_derivative_of_the_jacobian(name: str) -> None:
    model = serial(name)
    n = model.dof
    q, q1, q2 = RNG.uniform(-1, 1, (3, n))
    h = 1e-4

    def jacobian(t: float) -> Array:
        return model.jacobian(q + t * q1 + 0.5 * t * t * q2)

    first = (jacobian(h) - jacobian(-h)) / (2 * h)
    second = (jacobian(h) - 2 * jacobian(0.0) + jacobian(-h)) / h**2
    out = BiasTwists(np.empty(6), np.empty(6))
    bias_twists(model.chain.constants, np.ascontiguousarray(jacobian(0.0)), q1, q2, out)
    assert np.abs(out.second - first @ q1).max() < 1e-6
    assert np.abs(out.third - (2 * first @ q2 + second @ q1)).max() < 1e-5


def test_the_branch_ends_at_the_edge_of_the_reach() -> None:
    model, q0 = model_and_start("puma560")
    pose = model.fk(q0)
    away = pose[:3, 3] / np.linalg.norm(pose[:3, 3])
    curve = Line(pose[:3, 3], pose[:3, 3] + 2.0 * away)
    track = Track(
        (CurveSpan(curve, 0.0, 2.0, 1),),
        (OrientationSpan(EvenTurn(pose[:3, :3], np.zeros(3)), 0.0, 2.0),),
    )
    with pytest.raises(LostError, match="lost at") as caught:
        follow_track(track, model.chain.constants, model.chain.scale, q0)
    # the last values before it are on the curve, and a step further there is no solution
    assert 0.0 < caught.value.s < 2.0
    beyond = pose.copy()
    beyond[:3, 3] += (caught.value.s + 0.01) * away
    assert len(model.ik(beyond)) == 0


def test_borders_that_rounding_alone_tells_apart_are_one() -> None:
    """Lengths of curves and of turns are added up in another order: 0.1 + 0.2 beside 0.3."""
    p, R = np.zeros(3), np.eye(3)
    bent = arc_through(p, np.array([0.1, 0.1, 0.0]), np.array([0.2, 0.0, 0.0]))
    line = Line(np.array([0.2, 0.0, 0.0]), np.array([0.2, -0.3, 0.0]))
    still = even_turn(R, R, 1.0)
    assert 0.1 + 0.2 != 0.3
    curves = (
        CurveSpan(bent, 0.0, 0.1, 1),
        CurveSpan(bent, 0.1, 0.2, 1),
        CurveSpan(line, 0, 0.3, 2),
    )
    turns = (OrientationSpan(still, 0.0, 0.3), OrientationSpan(still, 0.3, 0.3))
    track = Track(curves, turns)
    border = np.array([track.breaks()[2]])
    assert border[0] == track.borders[2] == track.packed.orientations.spans.borders[1]
    before, after = (track.evaluate(border, left)[1][0, 1, :3] for left in (True, False))
    assert np.linalg.norm(before) > 5.0  # a circle of 0.1 m
    assert np.linalg.norm(after) == 0.0  # a line
