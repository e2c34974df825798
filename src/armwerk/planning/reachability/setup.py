"""The parts of which `armwerk.planning.reach` makes its sweeps."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, HalfSpace, Mesh, Shape
from armwerk.mechanics.chain import Chain
from armwerk.planning.options import Device
from armwerk.planning.reachability.chunks import Around, ForwardTask
from armwerk.planning.reachability.data import ContactUsed
from armwerk.planning.reachability.grid import Voxels, grid_values, sample_count
from armwerk.planning.reachability.spheres import arm_spheres, box_rows
from armwerk.planning.reachability.sweep import SweepTask, joint_tables

SAMPLES = 1_000_000
"""Random configurations of a forward sweep when nothing else is asked for."""


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


def bare_sweep(chain: Chain, voxels: Voxels, rank: int) -> SweepTask:
    """Return a sweep without joint values and without anything to touch."""
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
        return ForwardTask(sweep, (), ranges, number, count, exact, device)
    values = grid_values(ranges, turn, steps)
    start, table = joint_tables(values, sweep.turns)
    grid = replace(sweep, start=start, table=table)
    return ForwardTask(grid, tuple(values), ranges, number, 0, exact, device)
