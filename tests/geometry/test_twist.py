"""Twists against the matrix exponential, the adjoint's defining property, and screws by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm

import armwerk.geometry as g
from armwerk.errors import DescriptionError, ShapeError

ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.0999, 0.1001, 0.5, 2.0, np.pi - 1e-9, np.pi]
twists = arrays(float, 6, elements=st.floats(-4, 4))


def random_transforms(n: int) -> np.ndarray:
    return g.twist_exp(np.random.default_rng(1).normal(size=(n, 6)))


@given(twists)
def test_exp_is_the_matrix_exponential(twist: np.ndarray) -> None:
    assert g.twist_exp(twist) == pytest.approx(expm(g.twist_hat(twist)), abs=1e-12)


@pytest.mark.parametrize("angle", [*ANGLES, 2 * np.pi])
def test_exp_at_special_angles(angle: float) -> None:
    for row in np.random.default_rng(2).normal(size=(20, 6)):
        twist = row.copy()
        twist[3:] *= angle / np.linalg.norm(row[3:])
        assert g.twist_exp(twist) == pytest.approx(expm(g.twist_hat(twist)), abs=3e-14)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_gives_back_what_exp_took(angle: float) -> None:
    for row in np.random.default_rng(3).normal(size=(50, 6)):
        twist = row.copy()
        twist[3:] *= angle / np.linalg.norm(row[3:])
        T = g.twist_exp(twist)
        back = g.twist_log(T)
        assert g.twist_exp(back) == pytest.approx(T, abs=3e-15)
        if angle < np.pi:
            assert back == pytest.approx(twist, abs=1e-14)
        else:
            assert np.abs(back[3:]) == pytest.approx(np.abs(twist[3:]), abs=1e-14)


def test_log_after_a_whole_turn_is_a_translation_along_the_axis() -> None:
    twist = g.screw_twist([0, 0, 1], [1, 2, 0], 0.25)
    T = g.twist_exp(twist, 2 * np.pi)
    assert g.twist_log(T) == pytest.approx([0, 0, np.pi / 2, 0, 0, 0], abs=1e-14)


def test_one_parameter_group() -> None:
    twist = np.random.default_rng(4).normal(size=6)
    s, t = 0.7, -1.9
    assert g.twist_exp(twist, s) @ g.twist_exp(twist, t) == pytest.approx(
        g.twist_exp(twist, s + t), abs=1e-14
    )
    assert g.twist_exp(twist, -s) == pytest.approx(g.inverse(g.twist_exp(twist, s)), abs=1e-14)


def test_adjoint_carries_twists_between_frames() -> None:
    twist = np.random.default_rng(5).normal(size=(40, 6))
    T = random_transforms(40)
    carried = np.matvec(g.adjoint(T), twist)
    assert g.twist_hat(carried) == pytest.approx(
        T @ g.twist_hat(twist) @ np.linalg.inv(T), abs=1e-13
    )
    assert g.twist_exp(carried) == pytest.approx(
        T @ g.twist_exp(twist) @ np.linalg.inv(T), abs=1e-12
    )


def test_adjoint_is_a_homomorphism() -> None:
    A, B = random_transforms(60).reshape(2, 30, 4, 4)
    assert g.adjoint(A @ B) == pytest.approx(g.adjoint(A) @ g.adjoint(B), abs=1e-13)
    assert g.adjoint(g.inverse(A)) == pytest.approx(np.linalg.inv(g.adjoint(A)), abs=1e-13)
    assert g.adjoint(np.eye(4)).tolist() == np.eye(6).tolist()


def test_twist_adjoint_is_the_bracket_and_the_generator_of_the_adjoint() -> None:
    x, y = np.random.default_rng(6).normal(size=(2, 6))
    X, Y = g.twist_hat(x), g.twist_hat(y)
    assert g.twist_adjoint(x) @ y == pytest.approx(g.twist_vee(X @ Y - Y @ X), abs=1e-14)
    assert expm(g.twist_adjoint(x)) == pytest.approx(g.adjoint(g.twist_exp(x)), abs=1e-12)


def test_hat_and_vee() -> None:
    assert g.twist_hat([1, 2, 3, 4, 5, 6]).tolist() == [
        [0, -6, 5, 1],
        [6, 0, -4, 2],
        [-5, 4, 0, 3],
        [0, 0, 0, 0],
    ]
    assert g.twist_vee(g.twist_hat([1, 2, 3, 4, 5, 6])).tolist() == [1, 2, 3, 4, 5, 6]


def test_revolute_twist_leaves_its_axis_where_it_is() -> None:
    point, axis = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -2.0])
    T = g.twist_exp(g.revolute_twist(axis, point), 1.1)
    for along in (0.0, 1.0, -3.0):
        on_axis = point + along * axis
        assert g.transform_points(T, on_axis) == pytest.approx(on_axis, abs=1e-14)
    assert T[:3, :3] == pytest.approx(g.rotation_about(axis, 1.1), abs=1e-15)
    assert g.revolute_twist([0, 0, 1], [1, 0, 0]).tolist() == [0, -1, 0, 0, 0, 1]


def test_prismatic_twist_moves_along() -> None:
    T = g.twist_exp(g.prismatic_twist([0, 3, 4]), 0.5)
    assert pytest.approx(g.transform(position=[0, 0.3, 0.4]), abs=1e-16) == T


def test_screw_comes_back_from_its_twist() -> None:
    rng = np.random.default_rng(7)
    axis, point, pitch = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), rng.normal(size=30)
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    size = rng.uniform(1e-6, 3, 30)
    screw = g.screw_from_twist(g.screw_twist(axis, point, pitch) * size[:, None])
    assert screw.axis == pytest.approx(axis, abs=1e-13)
    assert screw.pitch == pytest.approx(pitch, abs=1e-13)
    assert screw.magnitude == pytest.approx(size)
    assert np.cross(screw.point - point, axis) == pytest.approx(np.zeros((30, 3)), abs=1e-13)
    assert np.vecdot(screw.point, axis) == pytest.approx(np.zeros(30), abs=1e-13)


def test_screw_of_a_translation_and_of_no_motion() -> None:
    screw = g.screw_from_twist([[0, 3, 4, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    assert screw.axis.tolist() == [[0, 0.6, 0.8], [0, 0, 1]]
    assert screw.pitch.tolist() == [np.inf, 0]
    assert screw.magnitude.tolist() == [5, 0]
    assert screw.point.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_bad_input_is_named() -> None:
    with pytest.raises(ShapeError, match=r"twist: shape must be \(\.\.\., 6\), got \(3,\)"):
        g.twist_exp([1, 2, 3])
    with pytest.raises(ShapeError, match="theta: must hold finite"):
        g.twist_exp(np.zeros(6), np.nan)
    with pytest.raises(DescriptionError, match="axis: has no direction"):
        g.revolute_twist([0, 0, 0], [1, 2, 3])
    with pytest.raises(DescriptionError, match="not a rigid transform"):
        g.twist_log(2 * np.eye(4))
