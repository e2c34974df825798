"""Speeds near bodies that a table of trajectories asks for, beside those that a cell demands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armwerk.collision.safety import NEAR, SafetySettings
from armwerk.motion.table.rows import TableSettings


def says_distances(table: TableSettings) -> bool:
    """Whether a table says how fast motions may be near bodies."""
    said = (table.near, table.near_speed, table.far, table.far_speed)
    return any(value is not None for value in said)


def with_table(settings: SafetySettings, table: TableSettings) -> SafetySettings:
    """Return what a motion of a table is held to.

    What the table leaves out is as in `NEAR`, as far as its distances leave room. Its speeds
    stand in place of `NEAR`; where the settings have others, at each distance the slower counts.

    Args:
        settings: Of the cell.
        table: Of the table.
    """
    if not says_distances(table):
        return settings
    (near, near_share), (far, far_share) = NEAR
    if table.far is not None:
        near, far = min(near, table.far / 2.0), table.far
    if table.near is not None:
        near, far = table.near, far if table.far is not None else max(far, 2.0 * table.near)
    near = min(near, float(np.nextafter(far, -np.inf)))  # equal distances: a step
    first = (near, near_share if table.near_speed is None else table.near_speed)
    second = (far, far_share if table.far_speed is None else table.far_speed)
    own = replace(settings, speeds=(first, second))
    return own if settings.speeds == NEAR else replace(settings, speeds=_slower(own, settings))


def _slower(one: SafetySettings, two: SafetySettings) -> tuple[tuple[float, float], ...]:
    """Return the lower of two laws by their corners, those where they cross among them."""
    corners = np.unique([distance for law in (one, two) for distance, _ in law.speeds])
    apart = one.share(corners) - two.share(corners)
    crossing = np.flatnonzero(apart[:-1] * apart[1:] < 0.0)
    width = np.diff(corners)[crossing]
    between = corners[crossing] + width * apart[crossing] / (apart[crossing] - apart[crossing + 1])
    places = np.unique([*corners, *between])
    lower = np.minimum(one.share(places), two.share(places))
    return tuple(zip(places.tolist(), lower.tolist(), strict=True))
