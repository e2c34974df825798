"""`reach`: which places an arm reaches, in how many ways, and how well it moves there."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.collision.bodies import Bodies, Body, as_bodies
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, HalfSpace, Mesh, Shape
from armwerk.mechanics.chain import Chain, pack
from armwerk.planning.engines import Progress, check_engine, run_chunks
from armwerk.planning.maps.scene import ShapesLike, shapes_of
from armwerk.planning.reach_chunks import (
    Around,
    ForwardTask,
    InverseTask,
    run_forward,
    run_inverse,
)
from armwerk.planning.reach_grid import (
    Voxels,
    grid_values,
    joint_ranges,
    reach_ball,
    sample_count,
    tool_orientations,
    tool_rank,
    voxels_around,
)
from armwerk.planning.reach_result import Reach
from armwerk.planning.sphere_cover import arm_spheres, box_rows
from armwerk.planning.sweep_task import SweepShare, SweepTask, joint_tables
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

Array = NDArray[np.float64]

METHODS = ("forward", "inverse")
CONTACTS = ("spheres", "boxes", "exact")
DEVICES = ("cpu", "gpu")
SAMPLES = 1_000_000
"""Random configurations of a forward sweep when nothing else is asked for."""


def reach(
    arm: Arm | str | Path,
    bodies: Bodies | Iterable[Body] | None = None,
    *,
    method: str = "forward",
    cell: float = 0.05,
    steps: int | Sequence[int] | None = None,
    samples: int | None = None,
    orientations: ArrayLike | str | None = None,
    contact: str | None = None,
    shapes: ShapesLike = None,
    engine: str = "local",
    workers: int | None = None,
    device: str = "cpu",
    seed: int = 0,
    progress: Progress | None = None,
) -> Reach:
    """Return what an arm reaches: ways to be in each voxel, and the best manipulability there.

    A *forward* sweep walks joint values within the limits (of a joint that can make a full turn,
    one turn) and counts where the tool point comes to lie. An *inverse* sweep asks at the centre
    of every voxel for all solutions of every orientation, by formula, and keeps those within the
    limits. Configurations that touch a body do not count. The result is the same for any engine,
    number of workers and device.

    Args:
        arm: A description, the name of a library arm, or a file. Serial, without symbols.
        bodies: What is around it, in world coordinates; None: nothing.
        method: "forward" or "inverse".
        cell: Edge of a voxel [m]; voxels begin at multiples of it.
        steps: Number of values of every joint, or one number each, all combined (forward).
        samples: Number of random configurations instead, evenly spread over the joint ranges
            (forward). Neither: `SAMPLES` of them.
        orientations: Tool orientations (inverse): a number of evenly spread ones, "down",
            rotations (k, 3, 3), or quaternions w x y z (k, 4). None: 12.
        contact: How contact with bodies is decided. "exact": solid against solid, on the
            processor. "spheres": the arm as spheres proved to contain it, against boxes: quick,
            never a contact missed, free places at the edge may be lost (at most 20 % of a link's
            radius). "boxes": the same, other bodies inside boxes. None: "spheres" for a forward
            sweep among boxes, else "exact".
        shapes: Solids of the arm, as `armwerk.collision.ArmShapes` takes them. None: as the
            collision room makes them. The arm is not held against itself.
        engine: "local" (threads), "dask" (processes), or the address of a dask scheduler.
        workers: Number of threads or processes; None: one per core.
        device: "cpu", or "gpu" for a forward sweep on an accelerator (contact "spheres", "boxes").
        seed: Of the random configurations.
        progress: Called with the share done, 0 to 1.

    Raises:
        DescriptionError: For arguments that make no sweep; the message says what is allowed.
        UnsupportedError: For an arm with symbols or closed chains, an inverse sweep of an arm
            without closed form, or what the device or engine cannot do.
    """
    described = _serial(arm)
    _check_choice("method", method, METHODS)
    _check_choice("device", device, DEVICES)
    check_engine(engine, workers)
    chain = pack(described)
    around = as_bodies(bodies)
    how = _contact(contact, around, method, device)
    ranges, turn = joint_ranges(described, chain)
    ball = reach_ball(chain, ranges)
    voxels = voxels_around(*ball, cell)
    solids = None if how == "none" else shapes_of(described, shapes)
    rank = tool_rank(chain)
    base = _bare_sweep(chain, voxels, rank)
    exact = Around(solids, around) if how == "exact" else None
    chosen = None
    task: Any
    if method == "forward":
        if orientations is not None:
            raise _not_with("orientations", orientations, "inverse")
        if exact is None and solids is not None:
            base = _with_contact(base, solids, _boxes(around, how))
        task = _forward(base, (ranges, turn), steps, samples, seed, exact, device)
        run: Any = run_forward
    else:
        for name, given in (("steps", steps), ("samples", samples)):
            if given is not None:
                raise _not_with(name, given, "forward")
        chosen = tool_orientations(orientations, chain.dof)
        _check_closed(described)
        task, run = InverseTask(base, described, voxels, *ball, chosen, exact), run_inverse
    if device == "gpu":
        from armwerk.planning.gpu.launch import accelerator

        accelerator()  # says at once when there is none
    if engine == "local":
        run(task, (0, 0, min(4, task.chunks()[0][2])))  # compiles kernels, so that the clock does not see it
    begin = time.perf_counter()
    found = run_chunks(task, task.chunks(), run, engine, workers=workers, progress=progress)
    seconds = time.perf_counter() - begin
    facts = {"method": method, "contact": how, "seconds": seconds, "engine": engine}
    return _result(described, around, voxels, found, chosen, rank=rank, device=device, **facts)


def _serial(arm: Any) -> Arm:
    if isinstance(arm, str | Path):
        from armwerk.robot import load

        arm = load(arm)
    described = getattr(arm, "arm", arm)  # a model knows its description
    if isinstance(described, Assembly):
        raise UnsupportedError(
            f"the reach of '{described.name}' cannot be swept: it is an assembly with closed "
            "chains, and the sweep walks serial arms"
        )
    if not isinstance(described, Arm):
        raise DescriptionError(
            "no arm", element="arm", value=arm, allowed="an Arm, a name or a file"
        )
    return described


def _check_choice(element: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise DescriptionError(
            "unknown", element=element, value=value, allowed=", ".join(allowed)
        )


def _not_with(element: str, value: Any, method: str) -> DescriptionError:
    return DescriptionError(
        "has no meaning here", element=element, value=value, allowed=f"with method='{method}' only"
    )


def _contact(asked: str | None, bodies: Bodies, method: str, device: str) -> str:
    """Return how contact is decided, after checking that it can be."""
    if asked is not None:
        _check_choice("contact", asked, CONTACTS)
    if device == "gpu" and method == "inverse":
        raise UnsupportedError("device 'gpu' runs forward sweeps only; use device='cpu'")
    if not len(bodies):
        return "none"
    others = [body.name for body in bodies if not isinstance(body, Box)]
    how = asked or ("exact" if others or method == "inverse" else "spheres")
    if how != "exact" and method == "inverse":
        raise UnsupportedError(f"contact '{how}' is for forward sweeps; use contact='exact'")
    if how == "exact" and device == "gpu":
        raise UnsupportedError(
            "device 'gpu' tests spheres against boxes"
            + (f", and body '{others[0]}' is none: use contact='boxes'" if others else "")
            + (", not exactly: use contact='spheres'" if not others else ", or device='cpu'")
        )
    if how == "spheres" and others:
        raise UnsupportedError(
            f"contact 'spheres' needs boxes, and body '{others[0]}' is none: use contact='exact', "
            "or contact='boxes' to put it into a box"
        )
    return how


def _boxes(bodies: Bodies, how: str) -> list[Box]:
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


def _bare_sweep(chain: Chain, voxels: Voxels, rank: int) -> SweepTask:
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


def _with_contact(sweep: SweepTask, solids: Any, boxes: list[Box]) -> SweepTask:
    from dataclasses import replace

    spheres, of = arm_spheres(solids, sweep.constants)
    return replace(sweep, sphere=spheres, spheres_of=of, box=box_rows(boxes))


def _forward(
    sweep: SweepTask,
    joints: tuple[Array, NDArray[np.bool_]],
    steps: Any,
    samples: Any,
    seed: Any,
    exact: Around | None,
    device: str,
) -> ForwardTask:
    from dataclasses import replace

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


def _check_closed(arm: Arm) -> None:
    """Refuse arms whose solutions cannot all be counted."""
    from armwerk.mechanics import model

    if arm.dof > 6:
        raise UnsupportedError(
            f"arm '{arm.name}' has {arm.dof} joints and infinitely many inverse solutions; "
            "use method='forward'"
        )
    if getattr(model(arm), "method", "") != "closed":
        raise UnsupportedError(
            f"arm '{arm.name}' has no closed inverse kinematics, so that its solutions cannot be "
            "counted; use method='forward'"
        )


def _result(
    arm: Arm,
    bodies: Bodies,
    voxels: Voxels,
    found: SweepShare,
    orientations: Array | None,
    **facts: Any,
) -> Reach:
    """Return the voxels that are reached, with as few empty ones around them as a block allows."""
    counts = found.reached.reshape(voxels.shape)
    used = np.argwhere(counts)
    low, high = np.zeros(3, np.int64), np.zeros(3, np.int64)
    if len(used):
        low, high = used.min(axis=0), used.max(axis=0) + 1
    block = tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))

    def part(values: Any) -> Any:
        kept = np.ascontiguousarray(values.reshape(voxels.shape)[block])
        kept.setflags(write=False)
        return kept

    return Reach(
        arm=arm,
        bodies=bodies,
        corner=voxels.corner + low * voxels.cell,
        cell=voxels.cell,
        counts=part(counts),
        manipulability=part(found.best),
        oriented=part(found.oriented) if orientations is not None else None,
        orientations=orientations,
        tried=found.configurations,
        touching=found.touching,
        **facts,
    )
