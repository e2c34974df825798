"""Transforms: group laws, closed-form inverse, points and directions, six-number poses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armwerk.geometry as g
from armwerk.errors import DescriptionError, ShapeError


@pytest.fixture
def many() -> np.ndarray:
    rng = np.random.default_rng(1)
    T = np.tile(np.eye(4), (90, 1, 1))
    T[:, :3, :3] = Rotation.random(90, rng=rng).as_matrix()
    T[:, :3, 3] = rng.normal(size=(90, 3))
    return T


def test_group_laws(many: np.ndarray) -> None:
    A, B, C = many.reshape(3, 30, 4, 4)
    assert g.compose(g.compose(A, B), C) == pytest.approx(g.compose(A, g.compose(B, C)), abs=1e-14)
    assert g.compose(A, B, C) == pytest.approx(A @ B @ C, abs=1e-14)
    assert g.compose(A, np.eye(4)).tolist() == A.tolist()
    assert g.compose(A, g.inverse(A)) == pytest.approx(
        np.broadcast_to(np.eye(4), A.shape), abs=1e-14
    )
    assert g.is_transform(g.compose(A, B)).all()
    assert g.compose().tolist() == np.eye(4).tolist()


def test_inverse_is_the_matrix_inverse(many: np.ndarray) -> None:
    assert g.inverse(many) == pytest.approx(np.linalg.inv(many), abs=1e-14)
    assert g.relative(many[:45], many[45:]) == pytest.approx(
        np.linalg.solve(many[:45], many[45:]), abs=1e-14
    )


def test_points_have_a_place_and_directions_have_none(many: np.ndarray) -> None:
    x = np.random.default_rng(2).normal(size=(90, 3))
    moved = (many @ np.concatenate([x, np.ones((90, 1))], axis=1)[..., None])[:, :3, 0]
    assert g.transform_points(many, x) == pytest.approx(moved, abs=1e-14)
    turned = (many @ np.concatenate([x, np.zeros((90, 1))], axis=1)[..., None])[:, :3, 0]
    assert g.transform_directions(many, x) == pytest.approx(turned, abs=1e-14)
    assert g.transform_points(many[:5, None], x[:7]).shape == (5, 7, 3)


def test_transform_from_parts(many: np.ndarray) -> None:
    R, p = g.rotation_of(many), g.position_of(many)
    assert g.transform(R, p).tolist() == many.tolist()
    assert g.transform(R[0], p).shape == (90, 4, 4)
    assert g.transform().tolist() == np.eye(4).tolist()
    assert g.transform(position=[1, 2, 3])[:3, 3].tolist() == [1, 2, 3]
    R[...] = 0  # a copy, not a view
    assert g.is_transform(many).all()


@pytest.mark.parametrize("order", ["zyx", "armbot", "armbot_reverse"])
def test_six_numbers_and_back(many: np.ndarray, order: g.AngleOrder) -> None:
    pose = g.pose_from_transform(many, order)
    assert g.transform_from_pose(pose, order) == pytest.approx(many, abs=1e-14)
    assert pose[:, :3].tolist() == many[:, :3, 3].tolist()


def test_pose_written_as_text() -> None:
    T = g.parse_pose("0.1, -0.2 0.3  0.4,0.5 -6e-1")
    assert T[:3, 3].tolist() == [0.1, -0.2, 0.3]
    expected = Rotation.from_euler("ZYX", [0.4, 0.5, -0.6]).as_matrix()
    assert T[:3, :3] == pytest.approx(expected, abs=1e-15)
    for text in ("", "1 2 3", "1 2 3 4 5 six"):
        with pytest.raises(ShapeError, match="six numbers x y z a b c"):
            g.parse_pose(text)
    with pytest.raises(ShapeError, match="finite"):
        g.parse_pose("1 2 3 4 5 nan")


def test_interpolation_is_straight_and_even(many: np.ndarray) -> None:
    start, end = many[:45, None], many[45:, None]
    shares = np.linspace(0, 1, 9)
    T = g.interpolate(start, end, shares)
    assert T.shape == (45, 9, 4, 4)
    assert T[:, 0] == pytest.approx(start[:, 0], abs=1e-14)
    assert T[:, -1] == pytest.approx(end[:, 0], abs=1e-14)
    whole, turn = g.separation(start, end)
    far, angle = g.separation(start, T)
    assert far == pytest.approx(whole * shares, abs=1e-14)
    assert angle == pytest.approx(turn * shares, abs=1e-13)
    rest, _ = g.separation(T, end)
    assert far + rest == pytest.approx(np.broadcast_to(whole, far.shape), abs=1e-13)


def test_what_is_no_transform_is_seen(many: np.ndarray) -> None:
    last_row, scaled, mirrored, hole = (many[i].copy() for i in range(4))
    last_row[3, 0] = 1e-3
    scaled[:3, :3] *= 1.001
    mirrored[:3, 0] *= -1
    hole[0, 3] = np.nan
    assert not g.is_transform([last_row, scaled, mirrored, hole]).any()
    for bad in (last_row, scaled, mirrored):
        with pytest.raises(DescriptionError, match="transform: not a rigid transform"):
            g.inverse(bad)
    with pytest.raises(ShapeError, match="transform: must hold finite numbers, got nan at index"):
        g.inverse(hole)
    with pytest.raises(ShapeError, match=r"points: shape must be \(\.\.\., 3\), got \(4,\)"):
        g.transform_points(np.eye(4), [1, 2, 3, 4])
    with pytest.raises(ShapeError, match=r"transform 1 \(2,\), transform 2 \(3,\)"):
        g.compose(many[:2], many[:3])
