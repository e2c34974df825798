"""The parts of which `armwerk.planning.reach` makes its sweeps, spheres around the arm among them.

The spheres together contain an arm, for sweeps that test spheres against boxes alone. A capsule of
radius r becomes a row of k spheres on its axis, neighbours s apart, the outer ones a little t
inside its ends. Their radius R = r + t = √(r² + s²/4) makes a cover: a point of the capsule beside
the axis between two neighbours is at most r from the axis and, along it, s/2 from the nearer one;
beyond the outer ones it is at most t + r away. A box is cut into like cells, each inside the sphere
through its corners. Other solids take the capsules that the collision room proves to contain them.
So a sphere that is free means a solid that is free; the reverse may be wrong by R - r, at most
`SWELL` - 1 of the radius for capsules.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armwerk.accelerator import Device
from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.covers import covers
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, Capsule, HalfSpace, Mesh, Shape, Sphere
from armwerk.mechanics.chain import Chain
from armwerk.planning.maps.parts import parts_of
from armwerk.planning.reachability.chunks import Around, ForwardTask
from armwerk.planning.reachability.grid import Voxels, grid_values, sample_count
from armwerk.planning.reachability.result import ContactUsed
from armwerk.planning.reachability.sweep import SweepTask, joint_tables
from armwerk.robot.arm import Arm

SAMPLES = 1_000_000
"""Random configurations of a forward sweep when nothing else is asked for."""
SWELL = 1.2
"""Largest radius of a sphere as a multiple of the radius of its capsule."""
_SLACK = 1.0 + 1e-9  # more than all rounding on the way
_MAX_IN_BOX = 64


def boxes_of(bodies: Bodies, how: ContactUsed) -> list[Box]:
    """Return the boxes, or boxes around what is none.

    Raises:
        UnsupportedError: For half-spaces and regions, which no box contains.
    """
    from armwerk.collision.covers import box_around

    boxes = []
    for body in bodies:
        if isinstance(body, Box):
            boxes.append(body)
        elif isinstance(body, Mesh):
            boxes.append(box_around(body))
        elif isinstance(body, Shape) and not isinstance(body, HalfSpace):
            low, high = body.bounds
            boxes.append(Box((high - low) * (1 + 1e-9), (low + high) / 2, name=body.name))
        else:
            raise UnsupportedError(
                f"contact '{how}': no box contains body '{body.name}' "
                f"({type(body).__name__}); use contact='exact'"
            )
    return boxes


def bare_sweep(chain: Chain, voxels: Voxels, rank: int, mixing: Array | None = None) -> SweepTask:
    """Return a sweep without joint values and without anything to touch.

    Args:
        chain: Of the links, every joint free.
        voxels: Where the tool is counted.
        rank: In how many directions the tool can move.
        mixing: C of angles = C values where joints are coupled; None: nothing is.
    """
    n = chain.dof
    return SweepTask(
        constants=np.ascontiguousarray(chain.constants[:, :3]),
        turns=chain.revolute,
        start=np.zeros(n + 1, np.int64),
        table=np.zeros((0, 3)),
        sphere=np.zeros((0, 4)),
        spheres_of=np.zeros(n + 2, np.int64),
        box=np.zeros((0, 15)),
        corner=voxels.corner,
        cell=voxels.cell,
        shape=np.array(voxels.shape, np.int64),
        rank=rank,
        mixing=np.zeros((0, 0)) if mixing is None else mixing,
    )


def with_contact(sweep: SweepTask, solids: ArmShapes, boxes: list[Box]) -> SweepTask:
    """Return a sweep in which spheres around the arm's solids touch boxes."""
    spheres, of = arm_spheres(solids, sweep.constants)
    return replace(sweep, sphere=spheres, spheres_of=of, box=box_rows(boxes))


def forward_task(
    sweep: SweepTask,
    joints: tuple[Array, Flags],
    steps: int | Sequence[int] | None,
    samples: int | None,
    seed: int,
    exact: Around | None,
    device: Device,
    arm: Arm,
) -> ForwardTask:
    """Return a forward sweep after checking what was asked for.

    Args:
        sweep: Without joint values.
        joints: Ranges (n, 2) of the joints, and which of them make full turns (n,).
        steps: Numbers of values of a grid; None: random ones.
        samples: Number of random configurations; None: `SAMPLES`.
        seed: Of these.
        exact: For exact contact; None: by spheres, or none at all.
        device: "cpu" or "gpu".
        arm: Whose limits of coupled joints count.
    """
    if steps is not None and samples is not None:
        raise DescriptionError(
            "both given", element="steps and samples", allowed="one of the two, or none"
        )
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise DescriptionError("no seed", element="seed", value=seed, allowed="0, 1, 2, …")
    ranges, turn = joints
    if steps is None:
        count = sample_count(SAMPLES if samples is None else samples)
        return ForwardTask(sweep, (), ranges, number, count, exact, device, arm)
    values = grid_values(ranges, turn, steps)
    if not arm.is_coupled:
        start, table = joint_tables(values, sweep.turns)
        sweep = replace(sweep, start=start, table=table)
    return ForwardTask(sweep, tuple(values), ranges, number, 0, exact, device, arm)


def spheres_in(shape: Shape) -> Array:
    """Return spheres that contain a shape, in the frame it is given in.

    Rows of centre [m] and radius [m]. Shape (k, 4).
    """
    if isinstance(shape, Sphere):
        return np.array([[*shape.position, shape.radius]])
    if isinstance(shape, Capsule):
        return _in_capsule(shape)
    if isinstance(shape, Box):
        return _in_box(shape)
    found = covers(shape)
    if not found:
        raise DescriptionError(
            "has no cover of spheres",
            element=f"shape '{shape.name}'",
            value=type(shape).__name__,
            allowed="Box, Sphere, Capsule, Cylinder, Cone, Mesh",
        )
    return np.concatenate([spheres_in(cover) for cover in found])


def row_of_spheres(length: float, radius: float) -> tuple[int, float, float]:
    """Return number, distance of the outer ones from the ends, and radius of a capsule's spheres.

    Args:
        length: Of the capsule's axis [m].
        radius: Of the capsule [m].
    """
    if length <= 2 * (SWELL - 1) * radius:
        return 1, length / 2, radius + length / 2
    number = 2
    while True:
        inside = _inset(length, radius, number)
        if radius + inside <= SWELL * radius:
            return number, inside, radius + inside
        number += 1


def _inset(length: float, radius: float, number: int) -> float:
    """Return t with radius + t = √(radius² + s²/4), where s = (length - 2 t) / (number - 1)."""
    low, high = 0.0, length / 2
    for _ in range(60):
        middle = (low + high) / 2
        apart = (length - 2 * middle) / (number - 1)
        if radius + middle < math.hypot(radius, apart / 2):
            low = middle
        else:
            high = middle
    return high  # a little too large is safe


def _in_capsule(capsule: Capsule) -> Array:
    number, inside, radius = row_of_spheres(capsule.length, capsule.radius)
    half = capsule.length / 2 - inside
    along = np.linspace(-half, half, number) if number > 1 else np.zeros(1)
    centres = capsule.position + along[:, None] * capsule.rotation[:, 2]
    return np.column_stack([centres, np.full(number, radius * _SLACK)])


def _in_box(box: Box) -> Array:
    """Cut a box into cells, as cubic as few allow."""
    size = np.asarray(box.size)
    edge = float(size.min())
    counts = np.ceil(size / edge - 1e-9)
    while counts.prod() > _MAX_IN_BOX:
        edge *= 1.2
        counts = np.ceil(size / edge - 1e-9)
    cell = size / counts
    steps = [(np.arange(n) + 0.5) * c - n * c / 2 for n, c in zip(counts, cell, strict=True)]
    local = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
    centres = box.position + local @ box.rotation.T
    return np.column_stack([centres, np.full(len(local), np.linalg.norm(cell) / 2 * _SLACK)])


def arm_spheres(shapes: ArmShapes, constants: Array) -> tuple[Array, Integers]:
    """Return the spheres of a serial arm for a `SweepTask`.

    The base stands still and is not held against bodies, as everywhere.

    Args:
        shapes: The arm's `ArmShapes`.
        constants: Constant transforms between the joints. Shape (n + 1, 3 or 4, 4).

    Returns:
        Centre in the frame before the next joint [m] and squared radius [m²], shape (k, 4); where
        those of frames 0 to n begin, shape (n + 2,).
    """
    rows: list[list[Array]] = [[] for _ in constants]
    for part in parts_of(shapes):
        own = spheres_in(part.shape)
        # from the frame the shape is given in to right behind its joint, then on over C_i
        given = np.linalg.inv(_matrix(part.shape.rotation, part.shape.position))
        behind = np.linalg.inv(_matrix(constants[part.link][:3, :3], constants[part.link][:3, 3]))
        moved = behind @ part.pose @ given
        centres = own[:, :3] @ moved[:3, :3].T + moved[:3, 3]
        rows[part.link].append(np.column_stack([centres, own[:, 3] ** 2]))
    counts = [sum(len(some) for some in of_frame) for of_frame in rows]
    spheres = [some for of_frame in rows for some in of_frame]
    stacked = np.concatenate(spheres) if spheres else np.zeros((0, 4))
    return stacked, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def box_rows(boxes: list[Box]) -> Array:
    """Return boxes as a `SweepTask` has them. Shape (k, 15)."""
    rows = [
        [*b.position, *np.asarray(b.rotation).T.ravel(), *np.asarray(b.size) / 2] for b in boxes
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 15)


def _matrix(rotation: Array, position: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T
