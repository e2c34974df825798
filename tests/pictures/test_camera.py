"""The camera against the laws of perspective."""

from __future__ import annotations

import numpy as np

from armwerk.pictures.camera import Camera

CAMERA = Camera(np.array([0.1, -0.2, 0.3]), 5.0, np.deg2rad(-52), np.deg2rad(21))


def test_frame_is_right_handed_and_orthonormal() -> None:
    frame = CAMERA.frame
    assert np.allclose(frame @ frame.T, np.eye(3))
    assert np.isclose(np.linalg.det(frame), 1.0)


def test_target_is_the_middle_and_up_stays_upright() -> None:
    points = CAMERA.target + np.outer([0.0, 0.5, -0.5], [0.0, 0.0, 1.0])
    flat = CAMERA.project(points)
    assert np.allclose(flat[0], 0.0)
    assert np.allclose(flat[:, 0], 0.0)
    assert flat[1, 1] > 0 > flat[2, 1]


def test_points_on_one_ray_from_the_eye_coincide() -> None:
    ray = CAMERA.target + np.array([0.3, 0.4, -0.2]) - CAMERA.eye
    points = CAMERA.eye + np.array([0.5, 0.9, 1.0, 1.4])[:, None] * ray
    flat = CAMERA.project(points)
    assert np.allclose(flat, flat[2], atol=1e-12)


def test_nearer_is_larger() -> None:
    towards = CAMERA.frame[2]
    sizes = []
    for shift in (-1.0, 0.0, 1.0):
        ends = CAMERA.target + shift * towards + np.outer([-0.5, 0.5], CAMERA.frame[0])
        sizes.append(float(np.ptp(CAMERA.project(ends)[:, 0])))
    assert sizes[0] < sizes[1] < sizes[2]
    assert np.isclose(sizes[1], 1.0)
    assert np.isclose(sizes[2], 5.0 / 4.0)


def test_x_points_right_for_a_viewer_in_front() -> None:
    front = Camera(np.zeros(3), 5.0, np.deg2rad(-90), 0.0)
    assert np.allclose(front.project(np.array([[1.0, 0, 0]])), [[1.0, 0.0]])
