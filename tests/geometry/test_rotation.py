"""Rotation matrices against group laws, scipy and the matrix exponential."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import armwerk.geometry as g
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry.rotation import cross

ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.5, 2.0, np.pi - 1e-9, np.pi - 1e-15, np.pi]
ODD_AXES = np.array([[1.0, 1, 0], [1, -2, 3], [-1, 1e-9, 1e-9], [1, 1, -1]])
AXES = np.vstack([np.eye(3), -np.eye(3), ODD_AXES])
vectors = arrays(float, 3, elements=st.floats(-10, 10))


@pytest.fixture
def rotations() -> np.ndarray:
    return Rotation.random(200, rng=np.random.default_rng(1)).as_matrix()


def test_coordinate_rotations_turn_the_axes_the_right_way() -> None:
    quarter = np.pi / 2
    x, y, z = np.eye(3)
    assert g.rotation_x(quarter) @ y == pytest.approx(z)
    assert g.rotation_y(quarter) @ z == pytest.approx(x)
    assert g.rotation_z(quarter) @ x == pytest.approx(y)
    for axis, turn in zip("xyz", (g.rotation_x, g.rotation_y, g.rotation_z), strict=True):
        assert turn(0.7) == pytest.approx(Rotation.from_euler(axis, 0.7).as_matrix(), abs=1e-15)


def test_group_laws(rotations: np.ndarray) -> None:
    A, B, C = rotations[:60], rotations[60:120], rotations[120:180]
    assert g.is_rotation(A @ B).all()
    assert pytest.approx(A @ (B @ C), abs=1e-14) == (A @ B) @ C
    assert g.rotation_exp(-g.rotation_log(A)) @ A == pytest.approx(
        np.broadcast_to(np.eye(3), A.shape), abs=1e-14
    )


@given(vectors)
def test_exp_is_the_matrix_exponential(vector: np.ndarray) -> None:
    assert g.rotation_exp(vector) == pytest.approx(expm(g.skew(vector)), abs=1e-12)
    assert g.is_rotation(g.rotation_exp(vector), 1e-14)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("axis", AXES)
def test_log_gives_back_what_exp_took(angle: float, axis: np.ndarray) -> None:
    axis = axis / np.linalg.norm(axis)
    vector = g.rotation_log(g.rotation_exp(axis * angle))
    if angle > np.pi - 1e-14:  # axis and -axis are the same within rounding
        vector = vector * np.sign(vector @ axis)
    assert vector == pytest.approx(axis * angle, abs=2e-15)


@pytest.mark.parametrize("axis", AXES)
def test_whole_turn_is_the_identity(axis: np.ndarray) -> None:
    R = g.rotation_about(axis, 2 * np.pi)
    assert pytest.approx(np.eye(3), abs=1e-15) == R
    assert g.rotation_log(R) == pytest.approx(np.zeros(3), abs=1e-15)


def test_tiny_rotation_keeps_all_digits() -> None:
    for size in (1e-300, 1e-200, 1e-12, 1e-8):
        vector = size * np.array([1.0, -2.0, 3.0])
        back = g.rotation_log(g.rotation_exp(vector))
        assert back == pytest.approx(vector, rel=1e-15, abs=0)


def test_half_turn_is_exact_and_has_canonical_sign() -> None:
    assert g.rotation_log(np.diag([1.0, -1.0, -1.0])).tolist() == [np.pi, 0, 0]
    assert g.rotation_log(np.diag([-1.0, 1.0, -1.0])).tolist() == [0, np.pi, 0]
    n = np.array([-1.0, 2.0, -2.0]) / 3
    assert g.rotation_log(2 * np.outer(n, n) - np.eye(3)) == pytest.approx(-n * np.pi)


def test_log_against_scipy(rotations: np.ndarray) -> None:
    expected = Rotation.from_matrix(rotations).as_rotvec()
    assert g.rotation_log(rotations) == pytest.approx(expected, abs=1e-13)


def test_rotation_about_any_axis(rotations: np.ndarray) -> None:
    axis, angle = g.axis_angle_from_rotation(rotations)
    assert g.rotation_about(5 * axis, angle) == pytest.approx(rotations, abs=1e-14)
    assert g.rotate(rotations, axis) == pytest.approx(axis, abs=1e-14)
    assert g.rotation_about([0, 0, 2], 0.3) == pytest.approx(g.rotation_z(0.3), abs=1e-16)
    still_axis, still_angle = g.axis_angle_from_rotation(np.eye(3))
    assert still_axis.tolist() == [0, 0, 1]
    assert still_angle == 0


@pytest.mark.parametrize("angle", [*ANGLES, 1e-15])
def test_angle_between(angle: float, rotations: np.ndarray) -> None:
    for R, axis in zip(rotations, AXES, strict=False):
        S = R @ g.rotation_about(axis, angle)
        assert g.angle_between(R, S) == pytest.approx(angle, abs=2e-15)
        assert g.angle_between(S, R) == pytest.approx(angle, abs=2e-15)


@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 2.0, 3.0])
def test_rotation_between_directions_also_when_opposite(off: float) -> None:
    rng = np.random.default_rng(2)
    starts = np.vstack([np.eye(3), rng.normal(size=(20, 3))])
    for start in starts / np.linalg.norm(starts, axis=1)[:, None]:
        across = np.cross(start, rng.normal(size=3))
        end = -np.cos(off) * start + np.sin(off) * across / np.linalg.norm(across)
        R = g.rotation_between(3 * start, 2 * end)
        assert g.is_rotation(R, 1e-14)
        assert R @ start == pytest.approx(end / np.linalg.norm(end), abs=1e-14)
        assert g.rotation_angle(R) == pytest.approx(np.pi - off, abs=1e-14)


def test_rotation_between_equal_directions_is_the_identity() -> None:
    assert g.rotation_between([1, 2, 3], [2, 4, 6]) == pytest.approx(np.eye(3), abs=1e-15)


def test_skew_is_the_cross_product() -> None:
    u, v = np.random.default_rng(3).normal(size=(2, 5, 3))
    assert g.rotate(g.skew(u), v) == pytest.approx(np.cross(u, v))
    assert g.unskew(g.skew(u)) == pytest.approx(u)


def test_nearest_rotation_is_nearer_than_its_neighbours(rotations: np.ndarray) -> None:
    rng = np.random.default_rng(4)
    matrices = rotations + 0.2 * rng.normal(size=rotations.shape)
    nearest = g.nearest_rotation(matrices)
    assert g.is_rotation(nearest).all()
    best = ((nearest - matrices) ** 2).sum(axis=(-2, -1))
    for _ in range(20):
        neighbour = nearest @ g.rotation_exp(0.01 * rng.normal(size=(len(matrices), 3)))
        assert (((neighbour - matrices) ** 2).sum(axis=(-2, -1)) > best).all()


def test_nearest_rotation_leaves_rotations_alone_and_turns_mirrors(rotations: np.ndarray) -> None:
    assert g.nearest_rotation(rotations) == pytest.approx(rotations, abs=1e-14)
    assert g.nearest_rotation(np.diag([2.0, 3.0, -0.1])) == pytest.approx(np.eye(3))
    with pytest.raises(DescriptionError, match="no rotation is nearest"):
        g.nearest_rotation(np.diag([1.0, 0.0, 0.0]))


def test_is_rotation_sees_scale_shear_mirror_and_nan() -> None:
    shear = np.eye(3)
    shear[0, 1] = 1e-6
    bad = [2 * np.eye(3), shear, -np.eye(3), np.full((3, 3), np.nan), np.full((3, 3), 1e200)]
    assert g.is_rotation(np.eye(3))
    assert not g.is_rotation(bad).any()
    assert g.is_rotation(shear, tolerance=1e-5)


@given(st.floats(-1e6, 1e6))
def test_wrapped_angle_is_in_range_and_the_same_angle(angle: float) -> None:
    wrapped = float(g.wrap_angle(angle))
    assert -np.pi < wrapped <= np.pi
    turns = (angle - wrapped) / (2 * np.pi)
    assert turns == pytest.approx(round(turns), abs=1e-9)
    assert g.wrap_angle(wrapped) == wrapped


def test_wrap_at_the_seam() -> None:
    beyond = np.nextafter(np.pi, 4)
    assert g.wrap_angle([np.pi, -np.pi, 3 * np.pi]).tolist() == pytest.approx([np.pi] * 3)
    assert g.wrap_angle(beyond) == pytest.approx(-np.pi)
    assert g.wrap_angle([1e-20, -1e-20]).tolist() == [1e-20, -1e-20]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: g.rotation_log(np.eye(4)), "rotation: shape must be (..., 3, 3), got (4, 4)"),
        (lambda: g.rotation_exp([1, 2]), "vector: shape"),
        (lambda: g.rotation_exp([1, 2, np.nan]), "vector: must hold finite numbers, got nan"),
        (lambda: g.rotation_x(np.inf), "angle: must hold finite numbers, got inf"),
        (lambda: g.rotation_x("x"), "angle: must be an array of numbers, got 'x'"),
        (lambda: g.rotation_x(1j), "angle: must be an array of numbers"),
        (lambda: g.rotation_exp([[1, 2, 3], [1]]), "vector: must be an array of numbers"),
        (
            lambda: g.rotation_exp([None, 1, 2]),  # type: ignore[arg-type]
            "vector: must hold finite numbers",
        ),
        (lambda: g.rotation_about(np.ones((2, 3)), np.ones(3)), "axis (2,), angle (3,)"),
    ],
)
def test_bad_arrays_are_named(call: Callable[[], object], names: str) -> None:
    with pytest.raises(ShapeError, match=re.escape(names)):
        call()


def test_what_is_no_rotation_or_direction_is_refused() -> None:
    with pytest.raises(DescriptionError, match=r"rotation: not a rotation, got \[\[2\.0"):
        g.rotation_log([np.eye(3), 2 * np.eye(3)])
    with pytest.raises(DescriptionError, match="axis: has no direction"):
        g.rotation_about([0, 0, 0], 1.0)


def test_cross_products_along_the_last_axis() -> None:
    u, v = np.random.default_rng(2).normal(size=(2, 5, 3))
    assert np.abs(cross(u, v) - np.cross(u, v)).max() < 1e-15
    assert np.abs(cross(u[0], v) - np.cross(u[0], v)).max() < 1e-15
