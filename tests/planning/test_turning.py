"""Sines that round the same everywhere are right to the last digits."""

from __future__ import annotations

import numpy as np

from armwerk.planning.kernels.turning import fill_table


def test_cosines_and_sines() -> None:
    draw = np.random.default_rng(3)
    people = np.radians([0, 30, 45, 60, 90, 120, 180, 270, 360, -30, -90, -180, 720])
    x = np.concatenate([draw.uniform(-20, 20, 4000), people, people + 1e-9, [1e-300, 1e5, -1e5]])
    table = np.empty((2 * len(x), 3))
    fill_table(np.column_stack([x, x]), np.array([True, False]), table)
    turned, slid = table[: len(x)], table[len(x) :]
    assert np.abs(turned[:, 0] - np.cos(x)).max() < 3e-16
    assert np.abs(turned[:, 1] - np.sin(x)).max() < 3e-16
    assert np.abs(np.hypot(turned[:, 0], turned[:, 1]) - 1).max() < 4e-16
    assert (turned[:, 2] == 0).all()
    assert (slid == np.column_stack([np.ones(len(x)), np.zeros(len(x)), x])).all()
