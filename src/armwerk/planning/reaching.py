"""`reach`: which places an arm reaches, in how many ways, and how well it moves there."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies, Body, as_bodies
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box
from armwerk.mechanics.chain import pack
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
    joint_ranges,
    reach_ball,
    tool_orientations,
    tool_rank,
    voxels_around,
)
from armwerk.planning.reach_result import Reach
from armwerk.planning.reach_setup import bare_sweep, boxes_of, forward_task, with_contact
from armwerk.planning.sweep_task import SweepShare
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly

METHODS = ("forward", "inverse")
CONTACTS = ("spheres", "boxes", "exact")
DEVICES = ("cpu", "gpu")


def reach(
    arm: Arm | Assembly | str | Path,
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
            (forward). Neither: a million of them.
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
    solids = None if how == "none" else shapes_of(described, shapes, arm)
    exact = Around(solids, around) if how == "exact" else None
    joints = joint_ranges(described, chain)
    ball = reach_ball(chain, joints[0])
    voxels = voxels_around(*ball, cell)
    rank = tool_rank(chain)
    sweep = bare_sweep(chain, voxels, rank)
    chosen: Array | None = None
    task: ForwardTask | InverseTask
    if method == "forward":
        _refuse(method, orientations=orientations)
        if how in {"spheres", "boxes"}:
            sweep = with_contact(sweep, solids, boxes_of(around, how))
        task = forward_task(sweep, joints, steps, samples, seed, exact, device)
    else:
        _refuse(method, steps=steps, samples=samples)
        chosen = tool_orientations(orientations, chain.dof)
        _check_closed(described)
        task = InverseTask(sweep, described, voxels, *ball, chosen, exact)
    found, seconds = _run(task, engine, workers, progress)
    facts = {"rank": rank, "seconds": seconds, "engine": engine, "device": device}
    return _result(described, around, voxels, found, chosen, method=method, contact=how, **facts)


def _run(
    task: ForwardTask | InverseTask, engine: str, workers: int | None, progress: Progress | None
) -> tuple[SweepShare, float]:
    """Run all chunks and return what they found, and the time it took [s]."""
    work: Any = run_forward if isinstance(task, ForwardTask) else run_inverse
    if isinstance(task, ForwardTask) and task.device == "gpu" and engine == "local":
        from armwerk.planning.gpu.launch import accelerator

        accelerator()  # says at once when there is none
    chunks = task.chunks()
    if engine == "local":
        work(task, (0, 0, 1))  # compiles the kernels, so that the clock does not see it
    begin = time.perf_counter()
    found = run_chunks(task, chunks, work, engine, workers=workers, progress=progress)
    return found, time.perf_counter() - begin


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
        raise DescriptionError("unknown", element=element, value=value, allowed=", ".join(allowed))


def _refuse(method: str, **given: Any) -> None:
    """Refuse arguments that only the other method knows."""
    for name, value in given.items():
        if value is not None:
            raise DescriptionError(
                f"has no meaning for method '{method}'", element=name, value=value, allowed="None"
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
