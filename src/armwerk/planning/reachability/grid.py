"""Where a reachability sweep looks: joint values, voxels around the arm, tool orientations."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags, Integers
from armwerk.errors import DescriptionError, ShapeError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.turning import AxisTurns
from armwerk.robot.arm import Arm

MAX_BYTES = 2**30
"""Largest set of voxels, counts and manipulability together [bytes]."""
_PER_VOXEL = 16
MAX_CONFIGURATIONS = 10**12
_TRIES = 64  # configurations that tell in how many directions a tool can move


@dataclass(frozen=True, slots=True, eq=False)
class Voxels:
    """Cubes side by side; their corners are multiples of the edge.

    Args:
        corner: Least corner [m]. Shape (3,).
        cell: Edge [m].
        shape: Number along x, y, z.
    """

    corner: Array
    cell: float
    shape: tuple[int, int, int]

    def centres(self, numbers: Integers) -> Array:
        """Return the middles of voxels given by their places in the flat array. Shape (m, 3)."""
        places = np.stack(np.unravel_index(numbers, self.shape), axis=-1)
        return np.asarray(self.corner + (places + 0.5) * self.cell)


def joint_ranges(arm: Arm, chain: Chain) -> tuple[Array, Flags]:
    """Return what joint values are swept, and which joints make full turns.

    The limits; -π to π where they allow a turn or more, so that no place is counted twice. An axis
    that others follow by a fraction, or up to limits of their own, is swept from limit to limit:
    another turn of it is something else. Shapes (n, 2) and (n,).

    Args:
        arm: The arm.
        chain: The same; where joints are coupled, its axes.

    Raises:
        DescriptionError: For a joint that slides without limits.
    """
    ranges = np.array(chain.limits, dtype=np.float64)
    turn = chain.revolute & ~(ranges[:, 1] - ranges[:, 0] < 2 * np.pi - 1e-9)
    if arm.is_coupled:
        turn &= AxisTurns(arm).alone | ~np.isfinite(ranges).all(axis=1)
    ranges[turn] = -np.pi, np.pi
    for joint, (low, high) in zip(arm.moving, ranges, strict=True):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise DescriptionError(
                "slides without limits, so that its reach has no end",
                element=f"joint '{joint.name}'",
                allowed="limits [m]",
            )
    return ranges, turn


def grid_values(ranges: Array, turn: Flags, steps: int | Sequence[int]) -> list[Array]:
    """Return the values of each joint: both ends of a range, the lower one alone of a full turn.

    Args:
        ranges: Shape (n, 2).
        turn: Which joints make full turns. Shape (n,).
        steps: Number of values, one for all joints or one each.

    Raises:
        DescriptionError: When these are no numbers of values, or more than can be walked.
    """
    n = len(ranges)
    try:
        counts = (
            [*map(operator.index, steps)]
            if isinstance(steps, Iterable)
            else [operator.index(steps)] * n
        )
    except TypeError:
        counts = []
    if len(counts) != n or min(counts, default=0) < 1:
        raise DescriptionError(
            "no numbers of joint values",
            element="steps",
            value=steps,
            allowed=f"a whole number of at least 1, or {n} of them",
        )
    _check_total(math.prod(counts), "steps", steps)
    values = []
    for (low, high), free, count in zip(ranges, turn, counts, strict=True):
        if count == 1:
            values.append(np.array([(low + high) / 2]))
        else:
            values.append(np.linspace(low, high, count, endpoint=not free))
    return values


def sample_count(samples: int) -> int:
    """Return the number of random configurations after checking it."""
    try:
        count = operator.index(samples)
    except TypeError:
        count = 0
    if count < 1:
        raise DescriptionError(
            "no number of configurations",
            element="samples",
            value=samples,
            allowed="a whole number of at least 1",
        )
    _check_total(count, "samples", samples)
    return count


def _check_total(total: int, element: str, value: object) -> None:
    if total > MAX_CONFIGURATIONS:
        raise DescriptionError(
            f"{total:.3g} configurations are too many",
            element=element,
            value=value,
            allowed=f"up to {MAX_CONFIGURATIONS:.0e} in all",
        )


def reach_ball(chain: Chain, ranges: Array) -> tuple[Array, float]:
    """Return centre [m] and radius [m] of a ball that the tool cannot leave.

    A joint turns or shifts what is behind it, so that lengths between joints add up at most.
    What the first joint only turns about its own axis moves the centre instead.
    """
    constants = chain.constants
    strokes = np.where(chain.revolute, 0.0, np.abs(ranges).max(axis=1))
    lengths = [float(np.linalg.norm(C[:3, 3])) for C in constants[1:]]
    centre = constants[0, :3, 3].copy()
    if chain.revolute[0]:
        along = constants[1, 2, 3]
        centre += along * constants[0, :3, 2]
        lengths[0] = float(np.hypot(constants[1, 0, 3], constants[1, 1, 3]))
    return centre, sum(lengths) + float(strokes.sum())


def voxels_around(centre: Array, radius: float, cell: float) -> Voxels:
    """Return the voxels that contain a ball.

    Raises:
        DescriptionError: For an edge that is none, or when there would be too many voxels.
    """
    try:
        edge = float(cell)
    except (TypeError, ValueError):
        edge = math.nan
    if not (math.isfinite(edge) and edge > 0):
        raise DescriptionError(
            "no edge of a voxel", element="cell", value=cell, allowed="above 0 m"
        )
    low = np.floor((centre - radius) / edge - 1e-6)
    high = np.ceil((centre + radius) / edge + 1e-6)
    wanted = tuple(float(count) for count in high - low)
    size = math.prod(wanted) * _PER_VOXEL
    if not size <= MAX_BYTES:
        numbers = " x ".join(f"{count:.6g}" for count in wanted)
        least = edge * (size / MAX_BYTES) ** (1 / 3)
        raise DescriptionError(
            f"too small, {numbers} voxels take {size / 2**30:.3g} GiB",
            element="cell",
            value=edge,
            allowed=f"from about {least:.2g} m for this arm, {MAX_BYTES / 2**30:.0f} GiB at most",
        )
    nx, ny, nz = (int(count) for count in wanted)
    return Voxels(low * edge, edge, (nx, ny, nz))


def tool_rank(chain: Chain, mixing: Array | None = None) -> int:
    """Return in how many directions the tool point can move, 0 to 3.

    Args:
        chain: Of the links, every joint free.
        mixing: C of angles = C values where joints are coupled; None: nothing is.
    """
    from armwerk.mechanics.kernels.jacobian import jacobian_batch

    J = jacobian_batch(chain.constants, chain.spread(_TRIES))[:, :3]
    J = J if mixing is None else J @ mixing
    values = np.linalg.svd(J, compute_uv=False)
    return int((values > 1e-9 * max(chain.scale, 1.0)).sum(axis=1).max())


def tool_orientations(given: ArrayLike | str | None, dof: int) -> Array:
    """Return tool orientations as rotations, T_world_tool's. Shape (k, 3, 3).

    Args:
        given: A number: so many, evenly spread; "down": the tool's z down and its x along the
            world's; rotations (k, 3, 3); quaternions w x y z (k, 4). None: 12, which only an arm of
            six joints can hope for.
        dof: Number of joints.
    """
    if given is None:
        if dof < 6:
            raise DescriptionError(
                f"an arm of {dof} joints reaches few orientations, so they must be chosen",
                element="orientations",
                allowed='"down", rotations (k, 3, 3), or quaternions (k, 4)',
            )
        given = 12
    if isinstance(given, str):
        if given != "down":
            raise DescriptionError("unknown", element="orientations", value=given, allowed="down")
        return np.diag([1.0, -1.0, -1.0])[None]
    if np.ndim(given) == 0:
        return _spread(given)
    return _rotations(given)


def _rotations(given: ArrayLike) -> Array:
    from armwerk.geometry import rotation_from_quaternion

    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim in {1, 2} and values.shape[-1] == 4:
        values = rotation_from_quaternion(np.atleast_2d(values))
    if values.ndim == 2 and values.shape == (3, 3):
        values = values[None]
    if values.ndim != 3 or values.shape[1:] != (3, 3) or not len(values):
        raise ShapeError(f"orientations: shape must be (k, 3, 3) or (k, 4), got {values.shape}")
    defect = np.abs(values @ values.transpose(0, 2, 1) - np.eye(3)).max()
    if not (defect < 1e-9 and (np.linalg.det(values) > 0).all()):
        raise ShapeError("orientations: not all are rotations (orthonormal, determinant 1)")
    return values


def _spread(given: object) -> Array:
    """Return evenly spread rotations, points of a spiral over the unit quaternions.

    After M. Alexa, "Super-Fibonacci Spirals: Fast, Low-Discrepancy Sampling of SO(3)", 2022.
    """
    from armwerk.geometry import rotation_from_quaternion

    try:
        count = operator.index(given) if isinstance(given, SupportsIndex) else 0
    except TypeError:
        count = 0
    if not 1 <= count <= 10_000:
        raise DescriptionError(
            "no number of orientations", element="orientations", value=given, allowed="1 to 10000"
        )
    s = np.arange(count) + 0.5
    t = s / count
    one = 2 * np.pi * s / np.sqrt(2.0)
    two = 2 * np.pi * s / 1.533751168755204288118041413
    r, R = np.sqrt(t), np.sqrt(1 - t)
    quaternions = np.stack([r * np.sin(one), r * np.cos(one), R * np.sin(two), R * np.cos(two)], -1)
    return rotation_from_quaternion(quaternions)
