"""Where tied points can be: spheres met with spheres, lines and circles.

A chain behind a FULLROT reaches a sphere around it, one behind a LINEAR a line, one behind an
AXISROT a circle. Each function returns both intersections, of one or of many problems at once
(leading axes are broadcast); what does not meet is nan, never an exception. Spheres that just
miss by rounding count as touching.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry.euler import zero_roll_angles

TOUCHING = 1e-13  # share of the squared size of a problem by which rounding may miss a contact
DEGENERATE = 1e-12  # share of their distance within which three centres count as on one line


def three_spheres(centres: Array, radii: Array) -> Array:
    """Return the two points common to three spheres.

    With x along the first two centres and y towards the third, the differences of the sphere
    equations give x and y, and z² = r1² - x² - y².

    Args:
        centres: [m]. Shape (..., 3, 3), one centre per row.
        radii: [m]. Shape (..., 3).

    Returns:
        [m], Shape (..., 2, 3): first the point from which the centres run counter-clockwise,
        then its mirror image; nan where the spheres do not meet or the centres lie on one line.
    """
    first = centres[..., 0, :]
    to_second, to_third = centres[..., 1, :] - first, centres[..., 2, :] - first
    apart = _length(to_second)
    with np.errstate(divide="ignore", invalid="ignore"):
        ex = to_second / apart
        along = _dot(ex, to_third)
        across = to_third - along * ex
        off = _length(across)
        off = np.where(off > DEGENERATE * (apart + np.abs(along)), off, np.nan)
        ey = across / off
        r1, r2, r3 = (radii[..., k, None] for k in range(3))
        x = (r1 - r2) * (r1 + r2) / (2 * apart) + apart / 2
        y = ((r1 - r3) * (r1 + r3) + along * (along - 2 * x) + off * off) / (2 * off)
        z = _root(r1 * r1 - x * x - y * y, r1 * r1 + x * x + y * y)
    middle = first + x * ex + y * ey
    up = z * np.cross(ex, ey)
    return np.stack(np.broadcast_arrays(middle + up, middle - up), axis=-2)


def sphere_line(origin: Array, direction: Array, centre: Array, radius: Array) -> Array:
    """Return where on the line origin + s · direction a sphere is met.

    Args:
        origin: [m]. Shape (..., 3).
        direction: Unit vector. Shape (..., 3).
        centre: [m]. Shape (..., 3).
        radius: [m]. Shape (...,).

    Returns:
        s [m], Shape (..., 2), the larger first; nan where they do not meet.
    """
    offset = centre - origin
    nearest = _dot(offset, direction)
    away = offset - nearest * direction
    size = radius[..., None] ** 2 + _dot(away, away)
    half = _root(radius[..., None] ** 2 - _dot(away, away), size)
    return np.concatenate(np.broadcast_arrays(nearest + half, nearest - half), axis=-1)


def sphere_circle(point: Array, centre: Array, radius: Array) -> Array:
    """Return by which angle about z a point must be turned to lie on a sphere.

    Everything is given in the frame of the hinge, whose axis is z. With the distances p and c
    of point and centre from the axis: p² + c² - 2 p c cos(phi) + dz² = r².

    Args:
        point: [m]. Shape (..., 3).
        centre: [m]. Shape (..., 3).
        radius: [m]. Shape (...,).

    Returns:
        Angles [rad] in (-pi, pi], Shape (..., 2): first the one counter-clockwise of the
        centre; nan where circle and sphere do not meet.
    """
    p, c = np.hypot(point[..., 0], point[..., 1]), np.hypot(centre[..., 0], centre[..., 1])
    height = point[..., 2] - centre[..., 2]
    # tan²(phi/2) = (r'² - (p-c)²) / ((p+c)² - r'²) keeps its digits where arccos loses them
    flat = radius * radius - height * height
    near, far = flat - (p - c) ** 2, (p + c) ** 2 - flat
    size = radius * radius + height * height + p * p + c * c
    half = np.arctan2(_root(near, size), _root(far, size))
    degenerate = p * c <= DEGENERATE * size
    middle = np.arctan2(centre[..., 1], centre[..., 0]) - np.arctan2(point[..., 1], point[..., 0])
    both = np.stack(np.broadcast_arrays(middle + 2 * half, middle - 2 * half), axis=-1)
    return np.where(degenerate[..., None], np.nan, wrapped(both))


def pointing(start: Array, goal: Array) -> Array:
    """Return the angles of a FULLROT that turns one point towards another, without roll.

    Args:
        start: Where the point is while both angles are 0 [m]. Shape (..., 3).
        goal: Where it is wanted; only the direction counts [m]. Shape (..., 3).

    Returns:
        (a, b) [rad], Shape (..., 2, 2), see `armwerk.geometry.euler.zero_roll_angles`; nan
        where there are none, where the goal is nan, or where it has no direction.
    """
    start, goal = np.broadcast_arrays(start, goal)
    with np.errstate(invalid="ignore", divide="ignore"):
        # 0 / 0 is nan: a goal at the origin has no direction
        goal = goal * (_length(start) / _length(goal))
    usable = np.asarray((np.isfinite(start) & np.isfinite(goal)).all(axis=-1))
    if usable.all():
        return zero_roll_angles(start, goal)
    where = usable[..., None]
    angles = zero_roll_angles(np.where(where, start, 0.0), np.where(where, goal, 0.0))
    return np.where(where[..., None], angles, np.nan)


def wrapped(angle: Array) -> Array:
    """Return angles in (-pi, pi]; nan stays nan."""
    return np.asarray(np.pi - np.mod(np.pi - angle, 2 * np.pi))


def tripod_lack(centres: Array, radii: Array) -> tuple[tuple[int, ...], float]:
    """Say which chain of an open tripod is wrong, and by how much.

    Args:
        centres: Of the three spheres [m]. Shape (3, 3).
        radii: Lengths of the three chains [m]. Shape (3,).

    Returns:
        Index of a chain, and what must be added to its length [m] so that the loop closes, the
        smallest change where several are possible. Where no change of one chain helps: two
        chains that do not reach each other, and what their lengths together lack. nan: the
        centres lie on one line.
    """
    single = [((k,), _lack_to_circle(centres, radii, k)) for k in range(3)]
    finite = [(which, lack) for which, lack in single if np.isfinite(lack)]
    if finite:
        return min(finite, key=lambda pair: abs(pair[1]))
    pairs: list[tuple[tuple[int, ...], float]] = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        apart = float(np.linalg.norm(centres[one] - centres[other]))
        shorter, longer = sorted((one, other), key=lambda k: float(radii[k]))
        too_short = apart - float(radii[one] + radii[other])
        too_long = float(radii[longer] - radii[shorter]) - apart
        if too_short > 0:
            pairs.append(((one, other), too_short))
        elif too_long > 0:
            pairs.append(((longer,), -too_long))
    return max(pairs, key=lambda pair: abs(pair[1]), default=((0,), np.nan))


def _lack_to_circle(centres: Array, radii: Array, which: int) -> float:
    """Return how far one sphere misses the circle of the other two; nan without a circle."""
    one, other = (k for k in range(3) if k != which)
    offset = centres[other] - centres[one]
    apart = float(np.linalg.norm(offset))
    if apart == 0.0:
        return np.nan
    along = (radii[one] ** 2 - radii[other] ** 2 + apart**2) / (2 * apart)
    height2 = radii[one] ** 2 - along**2
    if height2 < 0:
        return np.nan
    axis = offset / apart
    to_third = centres[which] - centres[one] - along * axis
    level = float(to_third @ axis)
    off = float(np.linalg.norm(to_third - level * axis))
    height = float(np.sqrt(height2))
    nearest, farthest = np.hypot(off - height, level), np.hypot(off + height, level)
    if radii[which] < nearest:
        return float(nearest - radii[which])
    return float(min(farthest - radii[which], 0.0))


def _length(vectors: Array) -> Array:
    return np.asarray(np.sqrt(_dot(vectors, vectors)))


def _dot(one: Array, two: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", one, two)[..., None])


def _root(square: Array, size: Array) -> Array:
    """Return a root; nan of what is negative by more than rounding of something of ``size``."""
    lifted = np.where(square < -TOUCHING * size, np.nan, np.maximum(square, 0.0))
    return np.asarray(np.sqrt(lifted))
