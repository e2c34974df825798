"""The kernels of the accelerator, through triton's interpreter: equal to the compiled ones.

Run by `test_gpu.py` in a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk import accelerator
from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.geometry import Box, Sphere, rotation_exp
from armwerk.mechanics.chain import pack
from armwerk.planning import problem
from armwerk.planning.gpu import launch
from armwerk.planning.kernels.planar import fill
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.reachability.grid import reach_ball, tool_rank, voxels_around
from armwerk.planning.reachability.setup import bare_sweep, with_contact
from armwerk.planning.reachability.sweep import SweepTask, joint_tables, sweep_range
from armwerk.robot import load_arm
from interpreted_memory import Host, round_once

# triton looks at TRITON_INTERPRET when it is loaded, so it is not loaded here
pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")


@pytest.fixture(autouse=True, scope="module")
def _interpreter() -> Iterator[None]:
    """Have triton interpret; its kernels must be loaded anew for that."""
    kernels = "armwerk.planning.gpu.kernels"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        patch.setattr(accelerator, "accelerator", Host)
        patch.setattr(launch, "MAP_BLOCK", 64)
        patch.setattr(launch, "SWEEP_BLOCK", 64)
        sys.modules.pop(kernels, None)
        round_once(patch)
        yield
    sys.modules.pop(kernels, None)


def planar_poses(draw: Any, count: int) -> Array:
    angle = draw.uniform(-3, 3, count)
    return np.column_stack([draw.uniform(-0.2, 0.2, (count, 2)), np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_planar_cells_are_those_of_the_compiled_kernel(dtype: str) -> None:
    draw = np.random.default_rng(0)
    lines, places, bodies = 3, 100, 5
    line = planar_poses(draw, lines)
    on = np.stack([planar_poses(draw, places) for _ in range(2)])
    half = np.array([[0.09, 0.025], [0.115, 0.025]])
    body = np.column_stack([planar_poses(draw, bodies), draw.uniform(0.02, 0.1, (bodies, 2))])
    rise = np.zeros((2, bodies))
    rise[1, 3] = 0.01
    pairs = PlanarPairs(half, body, np.zeros((2, bodies)), rise)
    expected = np.zeros((lines, places), np.uint32)
    hits = fill(line, on, pairs, expected)
    cells, found = launch.planar_cells(Host(), line, on, pairs, dtype)
    assert found == hits > 100
    assert cells.array.dtype == dtype
    assert (cells.array == expected).all()


def test_touching_rectangles_touch_there_too() -> None:
    line, on = np.array([[0.0, 0.0, 1.0, 0.0]]), np.zeros((1, 5, 4))
    on[0, :, 0] = [-0.5, -0.25, 0.0, 0.25, 0.5]  # its edge meets the body's at 0
    on[0, :, 2] = 1.0
    half, body = np.array([[0.25, 0.25]]), np.array([[0.5, 0, 1, 0, 0.25, 0.25]])
    pairs = PlanarPairs(half, body, np.zeros((1, 1)), np.zeros((1, 1)))
    cells, hits = launch.planar_cells(Host(), line, on, pairs)
    assert cells.array.tolist() == [[0, 0, 1, 1, 1]]
    assert hits == 3


def sweep_of(name: str, seed: int) -> SweepTask:
    """Return a sweep of an arm among boxes, still without joint values."""
    draw = np.random.default_rng(seed)
    arm = load_arm(name)
    chain = pack(arm)
    voxels = voxels_around(*reach_ball(chain, np.tile([-2.0, 2.0], (chain.dof, 1))), 0.2)
    links = {f"link{n}": [Sphere(0.05, draw.uniform(-0.1, 0.1, 3))] for n in range(1, arm.dof + 1)}
    boxes = [
        Box((0.2, 0.3, 0.2), draw.uniform(-0.7, 0.7, 3), rotation_exp(draw.normal(size=3)))
        for _ in range(4)
    ]
    return with_contact(
        bare_sweep(chain, voxels, tool_rank(chain)), aw.ArmShapes(arm, links), boxes
    )


def equal(task: SweepTask, first: int, last: int) -> int:
    """Compare with the compiled kernel to the last bit; return the contacts."""
    here, there = sweep_range(task, first, last), launch.sweep_range(Host(), task, first, last)
    assert there.configurations == here.configurations
    assert there.touching == here.touching
    assert (there.reached == here.reached).all()
    assert (there.best == here.best).all()
    return here.touching


def test_a_sweep_finds_what_the_compiled_one_finds() -> None:
    task = sweep_of("puma560", 1)
    values = [np.linspace(-2.5, 2.5, count) for count in (3, 3, 2, 2, 2, 3)]
    start, table = joint_tables(values, task.turns)
    grid = replace(task, start=start, table=table)
    assert launch.shared_joints(grid, grid.total) == 2
    assert 0 < equal(grid, 0, grid.total) < grid.total
    equal(grid, 50, 101)


@pytest.mark.parametrize(("name", "rank"), [("stanford", 3), ("planar_rr", 2), ("planar_rr", 1)])
def test_a_list_of_configurations_too(name: str, rank: int) -> None:
    task = sweep_of(name, 2)
    Q = np.random.default_rng(3).uniform(-1, 1, (120, len(task.turns)))
    listed = replace(task.of(Q), rank=min(rank, task.rank))
    assert launch.shared_joints(listed, listed.total) == 0
    equal(listed, 0, listed.total)


def test_without_voxels_only_contacts_are_counted() -> None:
    task = replace(sweep_of("puma560", 1), shape=np.zeros(3, np.int64))
    listed = task.of(np.random.default_rng(4).uniform(-2, 2, (100, 6)))
    assert 0 < equal(listed, 0, 100) < 100
    assert equal(task.of(np.zeros((0, 6))), 0, 0) == 0


def test_more_launches_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    task = sweep_of("puma560", 1).of(np.random.default_rng(5).uniform(-2, 2, (90, 6)))
    monkeypatch.setattr(launch, "LAUNCH", 64)
    equal(task, 0, 90)


def test_reach_on_the_accelerator_is_reach() -> None:
    boxes = [Box((0.3, 0.3, 0.4), (0.5, 0.1, 0.3))]
    asked: dict[str, Any] = {"samples": 100, "workers": 1}
    here, there = (aw.reach("ur5e", boxes, device=name, **asked) for name in ("cpu", "gpu"))
    assert there.device == "gpu"
    assert there.touching == here.touching
    assert (there.counts == here.counts).all()
    assert (there.manipulability == here.manipulability).all()


def test_a_map_on_the_accelerator_is_the_map() -> None:
    rr = problem("rr")
    here, there = (rr.make(shape=(40, 12), device=name) for name in ("cpu", "gpu"))
    assert there.method == "accelerator"
    assert there.hits == here.hits > 0
    assert (there.cells == here.cells).all()
    assert there.cells.dtype == here.cells.dtype


def test_parts_that_stand_or_turn_with_the_first_joint_alone_count_there_too() -> None:
    rr = problem("rr")
    for axes in ((0, 1), (1, 0)):
        here, there = (
            aw.cspace(rr.arm, rr.bodies, axes=axes, shape=(9, 70), device=device)
            for device in ("cpu", "gpu")
        )
        assert there.hits == here.hits > 0
        assert (there.cells == here.cells).all()


def test_maps_that_the_accelerator_does_not_make() -> None:
    with pytest.raises(UnsupportedError, match="planar scenes alone"):
        aw.cspace("planar_rr", [Sphere(0.1, (0.3, 0, 0))], shape=(4, 4), device="gpu")
    with pytest.raises(UnsupportedError, match="planar scenes alone"):
        aw.cspace("ur5e", [Box((0.1, 0.1, 0.1))], shape=(4, 4), device="gpu")
    with pytest.raises(DescriptionError, match="device: unknown, got 'tpu'"):
        problem("rr").make(shape=(4, 4), device="tpu")  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="not a method of device 'gpu'"):
        problem("rr").make(shape=(4, 4), device="gpu", method="slabs")


@pytest.mark.parametrize(("name", "cell", "turns"), [("ur5e", 0.6, 5), ("scara", 0.3, "down")])
def test_an_inverse_sweep_counts_the_same(name: str, cell: float, turns: Any) -> None:
    here = aw.reach(name, method="inverse", cell=cell, orientations=turns)
    there = aw.reach(name, method="inverse", cell=cell, orientations=turns, device="gpu")
    assert here.counts.sum() > 20
    assert (here.tried, here.touching) == (there.tried, there.touching)
    assert np.array_equal(here.counts, there.counts)
    assert here.oriented is not None
    assert there.oriented is not None
    assert np.array_equal(here.oriented, there.oriented)
    assert np.array_equal(here.manipulability.view(np.int64), there.manipulability.view(np.int64))


def test_an_inverse_sweep_among_bodies() -> None:
    wall = [Box((0.1, 2.0, 2.0), (0.4, 0.0, 0.5))]
    here = aw.reach("ur5e", wall, method="inverse", cell=0.7, orientations=3)
    there = aw.reach("ur5e", wall, method="inverse", cell=0.7, orientations=3, device="gpu")
    assert here.touching == there.touching > 0
    assert np.array_equal(here.counts, there.counts)


class TestWithoutAccelerator:
    """What is said where torch is missing, or sees nothing."""

    def test_torch_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(accelerator, "accelerator", accelerator.TorchMemory)
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(
            UnsupportedError, match=r"'torch' is not installed .*pip install .torch"
        ):
            aw.reach("planar_rr", device="gpu")
        with pytest.raises(UnsupportedError, match="'torch' is not installed"):
            problem("rr").make(shape=(5, 5), device="gpu")

    def test_torch_sees_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Torch:
            class cuda:
                @staticmethod
                def is_available() -> bool:
                    return False

        monkeypatch.setitem(sys.modules, "torch", Torch)
        with pytest.raises(UnsupportedError, match="no accelerator found"):
            accelerator.TorchMemory()
