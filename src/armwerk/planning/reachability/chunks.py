"""The two reachability sweeps, cut into chunks that any process can run.

What a chunk finds depends on the task and its number alone, never on who runs it or when.
"""

from __future__ import annotations

import math
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

import numpy as np

from armwerk.accelerator import Device
from armwerk.arrays import Array, Integers
from armwerk.collision.arm_shapes import ArmShapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.checker import Checker
from armwerk.mechanics.choice import fit
from armwerk.mechanics.coupled import CoupledModel
from armwerk.modelling import model as model_of
from armwerk.planning.reachability.grid import Voxels
from armwerk.planning.reachability.sweep import SweepCounts, SweepTask, sweep_range
from armwerk.robot.arm import Arm

Chunk: TypeAlias = tuple[int, int, int]
"""Its number, the first item, the one behind the last."""
Kept = TypeVar("Kept")

SAMPLED = 1 << 17  # random configurations of a chunk; their draw depends on it
_SPHERES, _EXACT, _LAUNCHED = 1 << 21, 1 << 16, 1 << 27  # configurations of a grid's chunk
_POSES = 1 << 17  # poses of a chunk of the inverse sweep


def _token() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """An arm among bodies for exact tests.

    Args:
        shapes: The arm's shapes; they know the arm.
        bodies: What is around it.
    """

    shapes: ArmShapes
    bodies: Bodies

    def checker(self) -> Checker:
        """Return the checker; bodies alone count, the arm against itself does not."""
        return Checker(self.shapes.arm, self.bodies, self.shapes, self_check=False)


@dataclass(frozen=True, slots=True, eq=False)
class ForwardTask:
    """Joint values in, places of the tool out.

    Args:
        sweep: The sweep; its table is that of the grid, or empty.
        values: Values of each joint, for a grid.
        ranges: From where to where random values are drawn. Shape (n, 2).
        seed: Of the draw.
        samples: Number of random configurations; 0: the grid.
        around: For exact contact; None: the sweep's spheres and boxes.
        device: "cpu" or "gpu".
        arm: The arm; where its joints are coupled, values are those of its axes.
        token: Names what a process keeps of this task between its chunks.
    """

    sweep: SweepTask
    values: tuple[Array, ...]
    ranges: Array
    seed: int
    samples: int
    around: Around | None
    device: Device
    arm: Arm
    token: str = field(default_factory=_token)

    def chunks(self) -> list[Chunk]:
        """Return all chunks, a second or so of work each."""
        if self.samples:
            return cut(self.samples, SAMPLED)
        if self.arm.is_coupled:
            return cut(math.prod(len(one) for one in self.values), SAMPLED)
        size = _EXACT if self.around is not None else _SPHERES
        return cut(self.sweep.total, _LAUNCHED if self.device == "gpu" else size)

    def configurations(self, chunk: Chunk) -> Array:
        """Return the joint values of a chunk that keep limits of coupled joints. Shape (m, n)."""
        number, first, last = chunk
        if self.samples:
            low, high = self.ranges.T
            draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, number])))
            rows = low + (high - low) * draw.random((last - first, len(low)))
        else:
            counts = tuple(len(values) for values in self.values)
            digits = np.unravel_index(np.arange(first, last), counts)
            rows = np.stack([v[d] for v, d in zip(self.values, digits, strict=True)], axis=1)
        return np.asarray(rows[self.arm.keeps_limits(rows)] if self.arm.is_coupled else rows)


@dataclass(frozen=True, slots=True, eq=False)
class InverseTask:
    """Places and orientations of the tool in, joint values out.

    Args:
        sweep: The sweep that counts and rates solutions; without spheres.
        arm: The arm, of which every process makes a model.
        voxels: The places.
        centre: With the radius, the ball that the tool cannot leave [m]. Shape (3,).
        radius: See there.
        orientations: Rotations of the tool. Shape (k, 3, 3).
        around: For exact contact; None: nothing is around.
        device: "gpu": poses are solved on an accelerator; counted there if nothing is around.
        token: Names what a process keeps of this task between its chunks.
    """

    sweep: SweepTask
    arm: Arm
    voxels: Voxels
    centre: Array
    radius: float
    orientations: Array
    around: Around | None
    device: Device = "cpu"
    token: str = field(default_factory=_token)

    def chunks(self) -> list[Chunk]:
        """Return all chunks of voxels, a second or so of work each."""
        alone = self.device == "gpu" and self.around is None
        size = _LAUNCHED if alone else _POSES
        return cut(self.sweep.voxels, max(1, size // len(self.orientations)))


def cut(total: int, size: int) -> list[Chunk]:
    """Return the chunks of a number of items."""
    return [
        (number, first, min(first + size, total))
        for number, first in enumerate(range(0, total, size))
    ]


def run_chunk(task: ForwardTask | InverseTask, chunk: Chunk) -> SweepCounts:
    """Return what a chunk of either sweep finds."""
    return run_forward(task, chunk) if isinstance(task, ForwardTask) else run_inverse(task, chunk)


def run_forward(task: ForwardTask, chunk: Chunk) -> SweepCounts:
    """Return what a chunk of configurations finds."""
    _, first, last = chunk
    if task.around is not None:
        checker = kept(task.token, task.around.checker)
        Q = task.configurations(chunk)
        touching = checker.contacts(Q)
        free = _run(task.sweep.of(Q[~touching], spheres=False), task.device)
        hits = int(np.count_nonzero(touching))
        return SweepCounts(len(Q), hits, free.reached, free.best)
    if task.samples or task.arm.is_coupled:
        return _run(task.sweep.of(task.configurations(chunk)), task.device)
    return _run(task.sweep, task.device, first, last)


def _run(sweep: SweepTask, device: Device, first: int = 0, last: int | None = None) -> SweepCounts:
    last = sweep.total if last is None else last
    if device == "cpu":
        return sweep_range(sweep, first, last)
    from armwerk.accelerator import accelerator
    from armwerk.planning.gpu.launch import sweep_range as sweep_there

    return sweep_there(accelerator(), sweep, first, last)


def run_inverse(task: InverseTask, chunk: Chunk) -> SweepCounts:
    """Return what a chunk of voxels finds."""
    _, first, last = chunk
    numbers = np.arange(first, last)
    centres = task.voxels.centres(numbers)
    near = np.linalg.norm(centres - task.centre, axis=1) <= task.radius * (1 + 1e-9)
    centres, numbers = centres[near], numbers[near]
    each = len(task.orientations)
    if task.device == "gpu" and task.around is None and len(numbers):
        return _counted_there(task, centres, numbers, (last - first) * each)
    return _counted(task, centres, numbers, (last - first) * each)


def _counted(task: InverseTask, centres: Array, numbers: Integers, tried: int) -> SweepCounts:
    """Return what all orientations at some places find."""
    each = len(task.orientations)
    T = np.zeros((len(centres), each, 4, 4))
    T[..., :3, :3] = task.orientations
    T[..., :3, 3] = centres[:, None]
    T[..., 3, 3] = 1.0
    Q, pose = _within_limits(task, T.reshape(-1, 4, 4), task.device)
    touching = 0
    if task.around is not None and len(Q):
        hit = kept(task.token + "contact", task.around.checker).contacts(Q)
        touching = int(np.count_nonzero(hit))
        Q, pose = Q[~hit], pose[~hit]
    found = _run(task.sweep.of(Q, same=True), "cpu")
    oriented = np.zeros(task.sweep.voxels, np.int64)
    oriented[numbers] = np.bincount(np.unique(pose) // each, minlength=len(numbers))
    return SweepCounts(tried, touching, found.reached, found.best, oriented)


def _counted_there(task: InverseTask, centres: Array, numbers: Integers, tried: int) -> SweepCounts:
    """Return the same from an accelerator; the few poses that need care are solved here."""
    from armwerk.accelerator import accelerator
    from armwerk.planning.gpu.inverse import PoseGrid, inverse_counts

    model = kept(task.token, lambda: model_of(task.arm))
    grid = PoseGrid(centres, numbers, task.orientations)
    found, care = inverse_counts(accelerator(), task.sweep, model, grid)
    each = len(task.orientations)
    reached, best, oriented = found.reached, found.best, found.oriented
    if len(care):
        T = np.tile(np.eye(4), (len(care), 1, 1))
        T[:, :3, :3] = task.orientations[care % each]
        T[:, :3, 3] = centres[care // each]
        Q, pose = _within_limits(task, T, "cpu")
        here = _run(task.sweep.of(Q, same=True), "cpu")
        reached, best = reached + here.reached, np.maximum(best, here.best)
        np.add.at(oriented, numbers[care[np.unique(pose)] // each], 1)
    return SweepCounts(tried, 0, reached, best, oriented)


def _within_limits(task: InverseTask, poses: Array, device: Device) -> tuple[Array, Integers]:
    """Return all solutions within limits, shape (m, n), and the poses they belong to, (m,)."""
    model = kept(task.token, lambda: model_of(task.arm))
    if not len(poses):
        return np.zeros((0, model.dof)), np.zeros(0, np.int64)
    if isinstance(model, CoupledModel):
        solutions, counts = model.ik_batch(poses, within_limits=True)
        is_solution = np.arange(solutions.shape[1]) < counts[:, None]
        return solutions[is_solution], np.nonzero(is_solution)[0]
    solutions, counts = model.ik_batch(poses, device=device)
    is_solution = np.arange(solutions.shape[1]) < counts[:, None]
    shifted, inside = fit(model.chain, solutions[is_solution], model.chain.home())
    return np.asarray(shifted[inside]), np.nonzero(is_solution)[0][inside]


_KEPT: OrderedDict[str, object] = OrderedDict()
_MAX_KEPT = 4
_lock = threading.Lock()


def kept(token: str, make: Callable[[], Kept]) -> Kept:
    """Return what ``make`` makes, made once per process for a token."""
    with _lock:
        if token not in _KEPT:
            _KEPT[token] = make()
            while len(_KEPT) > _MAX_KEPT:
                _KEPT.popitem(last=False)
        return cast(Kept, _KEPT[token])  # a token belongs to one function
