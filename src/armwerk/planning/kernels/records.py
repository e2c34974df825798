"""What the kernels of this room are given, by name; to the compiler they are plain tuples.

This module loads no compiler, so that requests can be put together without one.
"""

from __future__ import annotations

from typing import NamedTuple

from armwerk.arrays import Array, Flags, Integers


class PlanarPose(NamedTuple):
    """Where something is in the plane.

    Args:
        x: Place [m], as y.
        y: See x.
        cosine: Of its angle.
        sine: Of its angle.
    """

    x: float
    y: float
    cosine: float
    sine: float


class PlanarRectangle(NamedTuple):
    """A rectangle in the plane.

    Args:
        x: Middle [m], as y.
        y: See x.
        cosine: Of its angle.
        sine: Of its angle.
        length: Half its length along its own x [m].
        width: Half its length along its own y [m].
    """

    x: float
    y: float
    cosine: float
    sine: float
    length: float
    width: float


class SwungRectangle(NamedTuple):
    """A rectangle in its own axes, and a pivot.

    Args:
        x: Way between its middle and the pivot along its own x [m], as y.
        y: See x.
        length: Half its length along its own x [m].
        width: Half its length along its own y [m].
    """

    x: float
    y: float
    length: float
    width: float


class LeftHand(NamedTuple):
    """A left-hand side p |cosine| + q |sine|.

    Args:
        p: Its value where the cosine is 1 or -1 [m].
        q: Its value where the sine is [m].
    """

    p: float
    q: float


class Slab(NamedTuple):
    """Places of a line within a quarter turn.

    Args:
        origin: Where the quarter begins, in places from place 0, not whole.
        per_step: 1 / (angle from place to place) [1/rad].
        first: First place.
        last: Last place.
    """

    origin: float
    per_step: float
    first: int
    last: int


class PlanarPairs(NamedTuple):
    """Parts of an arm and the bodies they are held against.

    Args:
        half: Half lengths of the parts along their own x and y [m]. Shape (parts, 2).
        bodies: Rectangles, row by row. Shape (bodies, 6).
        allowance: For rounding [m]. Shape (parts, bodies).
        rise: Distance of part and body in height [m], 0 where they meet. Shape (parts, bodies).
    """

    half: Array
    bodies: Array
    allowance: Array
    rise: Array


class SlideLine(NamedTuple):
    """The places of a line along which a joint slides.

    Args:
        first: q of place 0 [m].
        per_step: 1 / (way from place to place) [1/m].
        reach: Largest |q| on the line [m].
        last: Number of the last place.
    """

    first: float
    per_step: float
    reach: float
    last: float


class ContactStretch(NamedTuple):
    """The places between two ends, counted from 0 and not whole.

    Args:
        low: Lowest place in question.
        high: Highest place in question; below ``low``: none is.
        sure_low: Lowest place that is sure to be in contact.
        sure_high: Highest place that is sure to be.
    """

    low: float
    high: float
    sure_low: float
    sure_high: float


class JointGrid(NamedTuple):
    """An arm, and the values its joints run over.

    Args:
        constants: Constant transforms between the joints. Shape (n + 1, 3, 4).
        turns: Which joints turn. Shape (n,).
        start: Where each joint's rows stand in the table, and its end. Shape (n + 1,).
        size: Configurations behind each joint: the product of the numbers of values from it on,
            or ones when the rows of all joints belong together. Shape (n + 1,).
        table: A `JointMotion` for every value of every joint, row by row. Shape (rows, 3).
        mixing: How far each joint goes with each drive; empty: each by its own. Shape (n, drives).
    """

    constants: Array
    turns: Flags
    start: Integers
    size: Integers
    table: Array
    mixing: Array


class JointMotion(NamedTuple):
    """What one value of a joint does.

    Args:
        cosine: Of the angle; 1 for a joint that slides.
        sine: Of the angle; 0 for a joint that slides.
        shift: Along the axis [m]; 0 for a joint that turns.
    """

    cosine: float
    sine: float
    shift: float


class SphereRow(NamedTuple):
    """A sphere in a frame.

    Args:
        x: Middle [m], as y and z.
        y: See x.
        z: See x.
        size: Its squared radius [m²], or its radius [m] where that is said.
    """

    x: float
    y: float
    z: float
    size: float


class SphereSet(NamedTuple):
    """Spheres that contain the links of an arm.

    Args:
        rows: A `SphereRow` each, in the frame it moves with, with its squared radius. Shape (k, 4).
        first: Where the spheres of frame 0 (the base) to n begin, and the end. Shape (n + 2,).
        balls: A `SphereRow` around the spheres of each frame, with its radius. Shape (n + 1, 4).
    """

    rows: Array
    first: Integers
    balls: Array


class OrientedBox(NamedTuple):
    """A box in the world, as a row of 16 numbers has it in this order.

    Args:
        x: Middle [m], as y and z.
        y: See x.
        z: See x.
        ux: First axis of its own, as uy and uz.
        uy: See ux.
        uz: See ux.
        vx: Second axis, as vy and vz.
        vy: See vx.
        vz: See vx.
        wx: Third axis, as wy and wz.
        wy: See wx.
        wz: See wx.
        a: Half its length along the first axis [m].
        b: Half its length along the second axis [m].
        c: Half its length along the third axis [m].
        reach: Half its diagonal [m].
    """

    x: float
    y: float
    z: float
    ux: float
    uy: float
    uz: float
    vx: float
    vy: float
    vz: float
    wx: float
    wy: float
    wz: float
    a: float
    b: float
    c: float
    reach: float


class VoxelCounts(NamedTuple):
    """Voxels, and what a sweep finds in them.

    Args:
        corner: Least corner [m]. Shape (3,).
        cell: Edge [m].
        shape: Numbers of voxels; all 0: none are counted. Shape (3,).
        reached: Free configurations per voxel, added to. Shape (voxels,).
        best: Best dexterity per voxel, in m to the power of the rank, raised. Shape (voxels,).
    """

    corner: Array
    cell: float
    shape: Integers
    reached: Integers
    best: Array
