"""Spheres met with spheres, lines and circles, against geometry and scipy's root finding."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

from armwerk.mechanics.assembly.closed_chain import (
    pointing,
    sphere_circle,
    sphere_line,
    three_spheres,
    tripod_lack,
    wrapped,
)

Array = NDArray[np.float64]
RNG = np.random.default_rng(2)


def test_regular_tripod_has_its_apex_above_the_centre() -> None:
    for radius, length in ((0.3, 0.5), (1.0, 1.0001), (2.0, 50.0)):
        angles = np.arange(3) * 2 * np.pi / 3
        feet = radius * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
        up, down = three_spheres(feet, np.full(3, length))
        height = np.sqrt(length**2 - radius**2)
        assert np.allclose(up, [0, 0, height], atol=1e-12 * length)
        assert np.allclose(down, [0, 0, -height], atol=1e-12 * length)


def test_points_lie_on_all_three_spheres() -> None:
    centres = RNG.normal(size=(2000, 3, 3))
    point = RNG.normal(size=(2000, 3))
    radii = np.linalg.norm(centres - point[:, None], axis=2)
    both = three_spheres(centres, radii)
    away = np.linalg.norm(both[:, :, None] - centres[:, None], axis=-1)
    normal = np.cross(centres[:, 1] - centres[:, 0], centres[:, 2] - centres[:, 0])
    # three centres nearly on one line leave the point badly determined
    sound = np.linalg.norm(normal, axis=1) > 0.05
    assert sound.mean() > 0.9
    assert np.abs(away - radii[:, None])[sound].max() < 1e-12
    nearest = np.linalg.norm(both - point[:, None], axis=2).min(axis=1)
    assert np.quantile(nearest[sound], 0.99) < 1e-10
    side = np.einsum("mi,mki->mk", normal, both - centres[:, :1])
    assert (side[sound, 0] >= 0).all()
    assert (side[sound, 1] <= 0).all()


def test_spheres_that_miss_give_nan_and_touching_ones_a_point() -> None:
    feet = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0]])
    assert np.isnan(three_spheres(feet, np.array([0.4, 0.4, 1.0]))).all()
    corner = three_spheres(feet, np.array([1.0, np.sqrt(2), 0.0]))
    assert np.allclose(corner, [0, 1, 0], atol=1e-7)
    in_line = np.array([[0.0, 0, 0], [1.0, 0, 0], [2.0, 0, 0]])
    assert np.isnan(three_spheres(in_line, np.array([1.0, 1.0, 1.0]))).all()


def test_line_meets_sphere_where_root_finding_says() -> None:
    for _ in range(50):
        origin, centre = RNG.normal(size=(2, 3))
        direction = RNG.normal(size=3)
        direction /= np.linalg.norm(direction)
        nearest = (centre - origin) @ direction
        gap = float(np.linalg.norm(origin + nearest * direction - centre))
        radius = gap + float(RNG.uniform(0.1, 2.0))

        def off(s: float) -> float:
            return float(np.linalg.norm(origin + s * direction - centre) - radius)  # noqa: B023

        far = brentq(off, nearest, nearest + 2 * radius, xtol=1e-15)
        near = brentq(off, nearest - 2 * radius, nearest, xtol=1e-15)
        found = sphere_line(origin, direction, centre, np.array(radius))
        assert np.allclose(found, [far, near], atol=1e-12)
        assert np.isnan(sphere_line(origin, direction, centre, np.array(0.99 * gap))).all()


def test_circle_meets_sphere_where_root_finding_says() -> None:
    for _ in range(50):
        point, centre = RNG.normal(size=(2, 3))

        def distance(angle: float) -> float:
            turned = Rotation.from_euler("z", angle).apply(point)  # noqa: B023
            return float(np.linalg.norm(turned - centre))  # noqa: B023

        facing = np.arctan2(centre[1], centre[0]) - np.arctan2(point[1], point[0])
        low, high = distance(facing), distance(facing + np.pi)
        radius = float(RNG.uniform(low, high))
        ahead = brentq(lambda a: distance(a) - radius, facing, facing + np.pi, xtol=1e-15)  # noqa: B023
        behind = brentq(lambda a: distance(a) - radius, facing - np.pi, facing, xtol=1e-15)  # noqa: B023
        found = sphere_circle(point, centre, np.array(radius))
        assert np.allclose(wrapped(found - np.array([ahead, behind])), 0, atol=1e-9)
        assert np.abs([distance(a) - radius for a in found]).max() < 1e-12
        assert np.isnan(sphere_circle(point, centre, np.array(1.001 * high))).all()
        assert np.isnan(sphere_circle(point, centre, np.array(0.999 * low))).all()


def test_circle_keeps_its_digits_where_it_is_nearly_missed() -> None:
    point, centre = np.array([1.0, 0, 0]), np.array([2.0, 0, 0])
    angle = 1e-7
    radius = np.sqrt((2 - np.cos(angle)) ** 2 + np.sin(angle) ** 2)
    turned = Rotation.from_euler("z", sphere_circle(point, centre, np.array(radius))[0])
    assert abs(np.linalg.norm(turned.apply(point) - centre) - radius) < 1e-15


def test_pointing_turns_one_point_into_the_other() -> None:
    start, goal = RNG.normal(size=(2, 500, 3))
    start[:, 2] *= 0.1  # near the x-y plane everything is in reach
    goal *= (np.linalg.norm(start, axis=1) / np.linalg.norm(goal, axis=1))[:, None]
    both = pointing(start, goal)
    reachable = np.isfinite(both).all(axis=(1, 2))
    assert reachable.mean() > 0.8
    for k in range(2):
        turn = Rotation.from_euler("zy", both[reachable, k] * [1, -1])
        assert np.abs(turn.apply(start[reachable]) - goal[reachable]).max() < 1e-12
    out = np.abs(goal[~reachable, 1]) > np.hypot(start[~reachable, 0], start[~reachable, 1])
    assert out.all()


def test_pointing_of_nothing_is_nan() -> None:
    start = np.array([[1.0, 0, 0], [1.0, 0, 0]])
    goal = np.array([[np.nan, 0, 0], [0.0, 0, 0]])
    assert np.isnan(pointing(start, goal)).all()


@pytest.mark.parametrize(
    ("which", "length", "named", "sign"),
    [
        (0, 0.05, 0, 1),
        (1, 0.05, 2, -1),  # beside a leg this short the least change is to another, too long for it
        (2, 0.05, 1, -1),
        (0, 5.0, 0, -1),
        (1, 5.0, 1, -1),
        (2, 5.0, 2, -1),
    ],
)
def test_lack_says_what_closes_an_open_tripod(
    which: int, length: float, named: int, sign: int
) -> None:
    feet = np.array([[0.5, 0, 0], [-0.3, 0.4, 0], [-0.3, -0.4, 0.1]])
    radii = np.array([0.9, 1.0, 1.1])
    radii[which] = length
    assert np.isnan(three_spheres(feet, radii)).all()
    (wrong,), lack = tripod_lack(feet, radii)
    assert (wrong, np.sign(lack)) == (named, sign)
    for beyond, is_closed in ((-1e-6, False), (1e-6, True)):
        changed = radii.copy()
        changed[wrong] += lack + beyond * np.sign(lack)
        assert np.isfinite(three_spheres(feet, changed)).all() == is_closed


def test_lack_of_a_pair() -> None:
    feet = np.array([[0.0, 0, 0], [2.0, 0, 0], [0.0, 1.0, 0]])
    found, lack = tripod_lack(feet, np.array([0.3, 0.2, 0.3]))
    assert found == (1, 2)
    assert lack == pytest.approx(np.sqrt(5) - 0.5)


def test_against_a_general_solver() -> None:
    centres, guess = RNG.normal(size=(3, 3)), RNG.normal(size=3)
    radii = np.linalg.norm(centres - guess, axis=1)
    both = three_spheres(centres, radii)

    def off(x: Array) -> Array:
        return np.asarray(np.linalg.norm(centres - x, axis=1) - radii)

    for point in both:
        solved = fsolve(off, point + 1e-3, xtol=1e-13)
        assert np.allclose(solved, point, atol=1e-9)
