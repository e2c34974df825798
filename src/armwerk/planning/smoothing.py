"""Smoothing a way: detours are cut off wherever a straight line is proved free."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.planning.planners.terrain import Terrain, length

TRIES = 150
"""Shortcuts tried, and `IN_VAIN` of them in a row without success end it earlier."""
IN_VAIN = 40
_GAIN = 1e-3  # share of the way's length below which a shortcut is not worth a corner
_APART = 1e-9  # [rad or m] between waypoints; nearer ones are one


def smooth(terrain: Terrain, way: Array) -> Array:
    """Return a shorter way with the same ends. Shape (k, n).

    Waypoints that can be left out are; then the lines between random points of the way are tried.
    Each is proved free; but a point on a proved line splits it, and rounding puts it beside the
    line, so that the whole has to be proved again.
    """
    rng = np.random.default_rng(terrain.seed)
    way = _fewer(terrain, _distinct(way))
    vain = 0
    for _ in range(TRIES):
        if len(way) < 3 or vain >= IN_VAIN or terrain.expired():
            break
        places = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1)))
        a, b = np.sort(rng.uniform(0.0, places[-1], 2))
        i, j = (int(np.searchsorted(places, x, "right")) - 1 for x in (a, b))
        if i == j:
            continue
        ends = np.stack([np.interp([a, b], places, way[:, k]) for k in range(way.shape[1])], axis=1)
        gain = b - a - float(np.linalg.norm(ends[1] - ends[0]))
        if gain > _GAIN * places[-1] and terrain.way(ends):
            way = _distinct(np.concatenate([way[: i + 1], ends, way[j + 1 :]]))
            vain = 0
        else:
            vain += 1
    return _fewer(terrain, way)


def _fewer(terrain: Terrain, way: Array) -> Array:
    """Return the way with as few waypoints as a look ahead finds, the furthest ones first."""
    kept = [0]
    while kept[-1] < len(way) - 1:
        here = kept[-1]
        for there in range(len(way) - 1, here, -1):
            direct = float(np.linalg.norm(way[there] - way[here]))
            if there == here + 1 or (
                direct < length(way[here : there + 1]) and terrain.way(way[[here, there]])
            ):
                kept.append(there)
                break
    return np.asarray(way[kept])


def _distinct(way: Array) -> Array:
    """Return the way without waypoints that repeat the one before; the ends stay."""
    apart = np.abs(np.diff(way, axis=0)).max(axis=1) > _APART
    kept = way[np.append(True, apart)]
    if len(kept) < 2:
        return np.stack([way[0], way[-1]])
    kept[-1] = way[-1]
    return np.asarray(kept)
