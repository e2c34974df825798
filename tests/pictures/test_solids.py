"""Solids must be closed, face outwards and have the volume of their formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from armwerk.pictures.solids import Faces, arrow, beam, cylinder, frame_along, plate, sphere

START, END = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.1, 0.9])
LENGTH = float(np.linalg.norm(END - START))


def volume(faces: Faces) -> float:
    """Return the volume by the divergence theorem; negative when the faces look inwards."""
    total = 0.0
    for face in faces:
        for one, two in pairwise(face[1:]):
            total += float(np.linalg.det(np.stack([face[0], one, two]))) / 6
    return total


def area_vector(faces: Faces) -> np.ndarray:
    """Return the sum of the normals times areas, which is zero for a closed surface."""
    total = np.zeros(3)
    for face in faces:
        for one, two in pairwise(face[1:]):
            total += np.cross(one - face[0], two - face[0]) / 2
    return total


@pytest.mark.parametrize(
    ("faces", "expected", "within"),
    [
        (cylinder(START, END, 0.1), np.pi * 0.01 * LENGTH, 0.02),
        (cylinder(START, END, 0.2, tip=0.1), np.pi / 3 * 0.07 * LENGTH, 0.02),
        (beam(START, END, 0.2), 0.04 * LENGTH, 1e-9),
        (sphere(START, 0.3), 4 / 3 * np.pi * 0.027, 0.08),
        (plate(START, [0, 0, 1], 0.5, 0.1), np.pi * 0.25 * 0.1, 0.01),
    ],
)
def test_volume_and_closedness(faces: Faces, expected: float, within: float) -> None:
    assert volume(faces) == pytest.approx(expected, rel=within)
    assert np.allclose(area_vector(faces), 0.0, atol=1e-12)


def test_arrow_ends_where_it_points() -> None:
    points = np.vstack(arrow(START, END, 0.02))
    direction = (END - START) / LENGTH
    along = (points - START) @ direction
    assert along.max() == pytest.approx(LENGTH)
    assert along.min() == pytest.approx(0.0, abs=1e-12)


def test_nothing_for_no_length() -> None:
    assert cylinder(START, START, 0.1) == []
    assert beam(START, START, 0.1) == []


@pytest.mark.parametrize("direction", [[0, 0, 2], [1, 0, 0], [-1, 2, 3], [0, -1e-3, 0]])
@pytest.mark.parametrize("hint", [None, [1, 0, 0], [0, 0, 1]])
def test_frame_along(direction: list[float], hint: list[float] | None) -> None:
    frame = frame_along(direction, hint)
    assert np.allclose(frame.T @ frame, np.eye(3))
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert np.allclose(np.cross(frame[:, 2], direction), 0.0, atol=1e-12)
    assert frame[:, 2] @ np.array(direction) > 0
