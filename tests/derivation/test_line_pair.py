"""The pair of lines behind an equation of degree four, against numpy's roots and known angles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.derivation.line_pair import line_pair

COUNT = 400


def value(k: Array, angles: Array) -> Array:
    c, s, d, e = np.cos(angles), np.sin(angles), np.cos(2 * angles), np.sin(2 * angles)
    return np.asarray(k[0] + k[1] * c + k[2] * s + k[3] * d + k[4] * e)


def crossings(k: Array, slack: float = 0.0) -> Array:
    """Return the angles at which both lines meet the circle."""
    lines = line_pair(*map(float, k))
    found = []
    for a, b, e in (lines[:3], lines[3:]):
        radicand = a * a + b * b - e * e
        if radicand >= -slack:
            w = math.sqrt(max(radicand, 0.0))
            found += [math.atan2(b * e + a * r, a * e - b * r) for r in (w, -w)]
    return np.array(found)


def with_zeros(angles: Array) -> Array:
    """Return the coefficients of the product of sin((θ - angle)/2) over four angles."""
    product = np.array([1.0 + 0.0j])
    for angle in angles:
        product = np.convolve(product, [1.0, -np.exp(1j * angle)])
    product = product * np.exp(-0.5j * angles.sum())
    two, one, none = product[0], product[1], product[2]
    return np.array([none.real, 2 * one.real, -2 * one.imag, 2 * two.real, -2 * two.imag])


def gap(angles: Array, found: Array) -> float:
    """Return how far the worst of the angles is from those found."""
    turns = np.exp(1j * (angles[:, None] - found[None, :]))
    return float(np.abs(np.angle(turns)).min(axis=1).max())


def test_as_many_as_roots_on_the_circle() -> None:
    draw = np.random.default_rng(0)
    counts = set()
    for _ in range(COUNT):
        k = draw.normal(size=5) * 10.0 ** draw.uniform(-2, 2, 5)
        found = crossings(k)
        two, one = complex(k[3], -k[4]) / 2, complex(k[1], -k[2]) / 2
        roots = np.roots([two, one, k[0], one.conjugate(), two.conjugate()])
        assert len(found) == np.count_nonzero(np.abs(np.abs(roots) - 1.0) < 1e-6)
        assert np.abs(value(k, found)).max(initial=0.0) < 1e-14 * np.abs(k).max()
        counts.add(len(found))
    assert counts == {0, 2, 4}


@pytest.mark.parametrize(
    ("repeats", "shift", "bar"),
    [
        ((1, 1, 1, 1), 0.0, 1e-7),
        ((2, 1, 1), 0.0, 1e-4),  # a double root has half the digits
        ((2, 1, 1), 1e-6, 1e-3),
        ((2, 2), 0.0, 2e-3),
        ((3, 1), 0.0, 5e-2),  # a third of them; Newton's method brings them back
    ],
)
def test_known_angles_are_found(repeats: tuple[int, ...], shift: float, bar: float) -> None:
    draw = np.random.default_rng(1)
    for special in (False, True):
        for _ in range(COUNT):
            some = draw.uniform(-math.pi, math.pi, len(repeats))
            if special:
                some = math.pi / 6 * draw.choice(np.arange(-5, 7), len(repeats), replace=False)
            angles = np.repeat(some, repeats)
            angles[0] += shift
            found = crossings(with_zeros(angles), slack=1e-8)
            assert len(found)
            assert gap(angles, found) < bar


def test_half_turn_is_no_exception() -> None:
    # tan θ/2 is infinite there, so that a polynomial in it would lose a degree
    angles = np.array([math.pi, 0.4, -1.1, 2.0])
    assert gap(angles, crossings(with_zeros(angles))) < 1e-12


def test_a_single_line_and_nothing() -> None:
    found = crossings(np.array([-0.5, 1.0, 0.0, 0.0, 0.0]))  # cos θ = 1/2
    assert len(found) == 2
    assert np.abs(np.cos(found) - 0.5).max() < 1e-15
    assert line_pair(0.0, 0.0, 0.0, 0.0, 0.0) == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
