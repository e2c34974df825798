"""`reach`: which places an arm reaches, in how many ways, and how well it moves there."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TypedDict, Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.accelerator import Device
from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box
from armwerk.mechanics.chain import axis_space, pack
from armwerk.modelling import model
from armwerk.planning.arms import ArmLike, serial_arm
from armwerk.planning.engines import check_engine, run_chunks
from armwerk.planning.maps.parts import ShapesLike, shapes_of
from armwerk.planning.options import ContactMethod, Progress, ReachMethod, check_choice
from armwerk.planning.reachability.chunks import (
    Around,
    ForwardTask,
    InverseTask,
    run_chunk,
)
from armwerk.planning.reachability.grid import (
    Voxels,
    joint_ranges,
    reach_ball,
    tool_orientations,
    tool_rank,
    voxels_around,
)
from armwerk.planning.reachability.result import ContactUsed, Reach
from armwerk.planning.reachability.setup import bare_sweep, boxes_of, forward_task, with_contact
from armwerk.planning.reachability.sweep import Kind, SweepCounts
from armwerk.robot.arm import Arm


def reach(
    arm: ArmLike,
    bodies: Bodies | Iterable[Body] | None = None,
    *,
    method: ReachMethod = "forward",
    cell: float = 0.05,
    steps: int | Sequence[int] | None = None,
    samples: int | None = None,
    orientations: ArrayLike | str | None = None,
    contact: ContactMethod | None = None,
    shapes: ShapesLike = None,
    engine: str = "local",
    workers: int | None = None,
    device: Device = "cpu",
    seed: int = 0,
    progress: Progress | None = None,
) -> Reach:
    """Return what an arm reaches: ways to be in each voxel, and the best manipulability there.

    A *forward* sweep walks joint values within the limits (of a joint that can make a full turn,
    one turn) and counts where the tool point comes to lie. An *inverse* sweep asks at the centre
    of every voxel for all solutions of every orientation, by formula, and keeps those within the
    limits, those of coupled joints too. Configurations that touch a body do not count. The result
    is the same for any engine, number of workers and device.

    Args:
        arm: A description or its model, the name of a library arm, or a file. Serial,
            without symbols.
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
        device: "cpu", or "gpu" for an accelerator (forward sweeps: contact "spheres", "boxes").
        seed: Of the random configurations.
        progress: Called with the fraction done, 0 to 1.

    Raises:
        DescriptionError: For arguments that make no sweep; the message says what is allowed.
        UnsupportedError: For an arm with symbols or closed chains, an inverse sweep of an arm
            without closed form, or what the device or engine cannot do.
    """
    described = serial_arm(arm)
    check_choice("method", method, get_args(ReachMethod))
    check_choice("device", device, get_args(Device))
    check_engine(engine, workers)
    if described.is_coupled and device == "gpu":
        raise UnsupportedError(
            f"the accelerator sweeps joints that move by themselves, and those of "
            f"'{described.name}' are coupled; use device='cpu'"
        )
    chain = pack(described.free_chain)
    mixing = described.coupling_matrix if described.is_coupled else None
    around = as_bodies(bodies)
    how = _contact(contact, around, method, device)
    solids = None if how == "none" else shapes_of(described, shapes, arm)
    exact = Around(solids, around) if solids is not None and how == "exact" else None
    joints = joint_ranges(described, axis_space(described) if described.is_coupled else chain)
    ball = reach_ball(chain, joint_ranges(described.free_chain, chain)[0])
    voxels = voxels_around(*ball, cell)
    rank = tool_rank(chain, mixing)
    sweep = bare_sweep(chain, voxels, rank, mixing)
    chosen: Array | None = None
    task: ForwardTask | InverseTask
    if method == "forward":
        _refuse(method, orientations=orientations)
        if solids is not None and exact is None:
            sweep = with_contact(sweep, solids, boxes_of(around, how))
        task = forward_task(sweep, joints, steps, samples, seed, exact, device, described)
    else:
        _refuse(method, steps=steps, samples=samples)
        chosen = tool_orientations(orientations, described.dof)
        _check_closed(described)
        task = InverseTask(sweep, described, voxels, *ball, chosen, exact, device)
    found, seconds = _run(task, engine, workers, progress)
    facts: _Facts = {
        "method": method,
        "contact": how,
        "rank": rank,
        "seconds": seconds,
        "engine": engine,
        "device": device,
    }
    return _result(described, around, voxels, found, chosen, **facts)


def _run(
    task: ForwardTask | InverseTask, engine: str, workers: int | None, progress: Progress | None
) -> tuple[SweepCounts, float]:
    """Run all chunks and return what they found, and the time it took [s]."""
    if task.device == "gpu" and engine == "local":
        from armwerk.accelerator import accelerator

        accelerator()  # says at once when there is none
    chunks = task.chunks()
    if engine == "local":
        run_chunk(task, (0, 0, 1))  # compiles the kernels, so that the clock does not see it
    begin = time.perf_counter()
    found = run_chunks(task, chunks, run_chunk, engine, workers=workers, progress=progress)
    return found, time.perf_counter() - begin


def _refuse(method: ReachMethod, **given: object) -> None:
    """Refuse arguments that only the other method knows."""
    for name, value in given.items():
        if value is not None:
            raise DescriptionError(
                f"has no meaning for method '{method}'", element=name, value=value, allowed="None"
            )


def _contact(
    asked: ContactMethod | None, bodies: Bodies, method: ReachMethod, device: Device
) -> ContactUsed:
    """Return how contact is decided, after checking that it can be."""
    if asked is not None:
        check_choice("contact", asked, get_args(ContactMethod))
    if not len(bodies):
        return "none"
    others = [body.name for body in bodies if not isinstance(body, Box)]
    how: ContactMethod = asked or ("exact" if others or method == "inverse" else "spheres")
    if how != "exact" and method == "inverse":
        raise UnsupportedError(f"contact '{how}' is for forward sweeps; use contact='exact'")
    if how == "exact" and device == "gpu" and method == "forward":
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
    if arm.dof > 6:
        raise UnsupportedError(
            f"arm '{arm.name}' has {arm.dof} joints and infinitely many inverse solutions; "
            "use method='forward'"
        )
    if model(arm).method != "closed":
        raise UnsupportedError(
            f"arm '{arm.name}' has no closed inverse kinematics, so that its solutions cannot be "
            "counted; use method='forward'"
        )


class _Facts(TypedDict):
    """What a result says about its sweep, beside what the sweep found."""

    method: ReachMethod
    contact: ContactUsed
    rank: int
    seconds: float
    engine: str
    device: Device


def _result(
    arm: Arm,
    bodies: Bodies,
    voxels: Voxels,
    found: SweepCounts,
    orientations: Array | None,
    **facts: Unpack[_Facts],
) -> Reach:
    """Return the voxels that are reached, with as few empty ones around them as a block allows."""
    counts = found.reached.reshape(voxels.shape)
    used = np.argwhere(counts)
    low, high = np.zeros(3, np.int64), np.zeros(3, np.int64)
    if len(used):
        low, high = used.min(axis=0), used.max(axis=0) + 1
    block = tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))

    def part(values: NDArray[Kind]) -> NDArray[Kind]:
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
