"""Compile the kernels of maps once, so that no later process has to."""

from __future__ import annotations

import numpy as np

from armwerk.geometry import Box, Sphere
from armwerk.planning.example_problems import problem
from armwerk.planning.maps.mapping import cspace


def warm_maps() -> None:
    """Compile, or load from the cache, what maps with cells of one byte need."""
    for name in ("tt", "rr"):
        small = problem(name).make(shape=(4, 4))
        small.clearance()
        problem(name).make(shape=(4, 4), method="planar")
    turned = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, -0.6], [0.0, 0.6, 0.8]])
    boxes = {"link2": [Box((0.1, 0.1, 0.1))]}
    cspace("planar_rr", [Box((0.1, 0.1, 0.1), (0.3, 0, 0), turned)], shape=(4, 4), shapes=boxes)
    cspace("planar_rr", [Sphere(0.1, (0.3, 0.0, 0.0))], shape=(4, 4))
