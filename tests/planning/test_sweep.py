"""The sweep over joint values: places, dexterity and contacts against fk, Jacobians and Checker."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.collision import ArmShapes, Checker
from armwerk.geometry import Box, Capsule, Cone, Cylinder, Mesh, Shape, Sphere, rotation_exp
from armwerk.mechanics.chain import pack
from armwerk.planning.reachability.grid import reach_ball, tool_rank, voxels_around
from armwerk.planning.reachability.setup import SWELL, bare_sweep, spheres_in, with_contact
from armwerk.planning.reachability.sweep import SweepTask, joint_tables, sweep_range
from armwerk.robot import load_arm

LIMIT = 2.0


def task_of(name: str, cell: float = 0.1) -> tuple[SweepTask, Any]:
    """Return a sweep without joint values, and the arm's model."""
    model = aw.model(load_arm(name))
    chain = pack(model.arm)
    voxels = voxels_around(*reach_ball(chain, np.tile([-LIMIT, LIMIT], (chain.dof, 1))), cell)
    return bare_sweep(chain, voxels, tool_rank(chain)), model


def grid_of(task: SweepTask, counts: tuple[int, ...]) -> tuple[SweepTask, Array]:
    """Return the sweep over a grid, and its configurations in order, the last joint first."""
    values = [np.linspace(-1.1, 0.9, count) for count in counts]
    start, table = joint_tables(values, task.turns)
    Q = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(counts))
    return replace(task, start=start, table=table), Q


def expected(task: SweepTask, model: Any, Q: Array) -> tuple[Array, Array]:
    """Return counts and best dexterity per voxel from fk and singular values."""
    places = np.floor((model.fk(Q)[:, :3, 3] - task.corner) / task.cell).astype(int)
    counts, best = np.zeros(task.shape), np.zeros(task.shape)
    singular = np.linalg.svd(model.jacobian(Q)[:, :3], compute_uv=False)[:, : task.rank]
    for place, value in zip(places, singular.prod(axis=1), strict=True):
        counts[tuple(place)] += 1
        best[tuple(place)] = max(best[tuple(place)], value)
    return counts.ravel(), best.ravel()


@pytest.mark.parametrize(
    ("name", "counts", "rank"),
    [
        ("ur5e", (3, 3, 3, 3, 2, 2), 3),
        ("stanford", (3, 2, 3, 3, 2, 2), 3),
        ("scara", (5, 4, 3, 2), 3),
        ("planar_rr", (20, 21), 2),
        ("planar_tt", (20, 21), 2),
    ],
)
def test_places_and_dexterity_are_those_of_the_model(
    name: str, counts: tuple[int, ...], rank: int
) -> None:
    task, model = task_of(name)
    assert task.rank == rank
    grid, Q = grid_of(task, counts)
    found = sweep_range(grid, 0, grid.total)
    reached, best = expected(task, model, Q)
    assert found.configurations == len(Q) == grid.total
    # on the boundary of two voxels rounding decides
    moved = np.count_nonzero(found.reached != reached)
    assert moved <= 0.02 * len(Q)
    assert found.reached.sum() == len(Q)
    same = found.reached == reached
    assert np.allclose(found.best[same], best[same], rtol=1e-9, atol=1e-9)


def test_a_list_gives_what_the_grid_gives() -> None:
    task, _ = task_of("puma560")
    grid, Q = grid_of(task, (3, 2, 3, 2, 2, 2))
    listed = task.of(Q)
    one, two = sweep_range(grid, 0, grid.total), sweep_range(listed, 0, listed.total)
    assert listed.total == grid.total
    assert (one.reached == two.reached).all()
    assert (one.best == two.best).all()


def test_shares_add_up_however_they_are_cut_and_after_a_journey() -> None:
    task, _ = task_of("puma560")
    boxes = [Box((0.3, 0.3, 0.3), (0.4, 0.2, 0.3)), Box((0.2, 0.4, 0.1), (-0.5, 0.0, 0.2))]
    task = with_contact(task, aw.ArmShapes(aw.load("puma560"), {"link3": [Sphere(0.1)]}), boxes)
    grid, _ = grid_of(task, (5, 4, 3, 2, 2, 3))
    whole = sweep_range(grid, 0, grid.total)
    assert 0 < whole.touching < grid.total
    few = [*range(0, grid.total, 7), grid.total]  # most begin in the middle of what is passed over
    for cuts in ([0, 1, 7, 300, grid.total], [0, 359, 360, grid.total], few):
        parts = [sweep_range(grid, a, b) for a, b in pairwise(cuts)]
        total = parts[-1]
        for part in parts[:-1]:
            total = pickle.loads(pickle.dumps(part)) + total
        assert total.touching == whole.touching
        assert total.configurations == whole.configurations
        assert (total.reached == whole.reached).all()
        assert (total.best == whole.best).all()


def scattered_boxes(seed: int, count: int) -> list[Box]:
    draw = np.random.default_rng(seed)
    return [
        Box(
            draw.uniform(0.05, 0.3, 3),
            draw.uniform(-0.8, 0.8, 3),
            rotation_exp(draw.normal(size=3)),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", ["ur5e", "stanford"])
def test_an_arm_of_spheres_touches_exactly_when_the_checker_says_so(name: str) -> None:
    arm = load_arm(name)
    draw = np.random.default_rng(3)
    links = {
        f"link{n}": [Sphere(0.06, draw.uniform(-0.15, 0.15, 3)) for _ in range(2)]
        for n in range(1, arm.dof + 1)
    }
    shapes, boxes = ArmShapes(arm, links), scattered_boxes(4, 8)
    task, _ = task_of(name)
    low, high = pack(arm).ranges().T
    Q = np.random.default_rng(5).uniform(low, high, (4000, arm.dof))
    listed = with_contact(task, shapes, boxes).of(Q)
    checker = Checker(arm, boxes, shapes, self_check=False)
    assert sweep_range(listed, 0, len(Q)).touching == np.count_nonzero(checker.contacts(Q))
    each = [sweep_range(listed, k, k + 1).touching for k in range(300)]
    assert (np.array(each, bool) == checker.contacts(Q[:300])).all()


@pytest.mark.parametrize("name", ["ur5e", "puma560", "scara"])
def test_spheres_never_miss_a_contact(name: str) -> None:
    arm = load_arm(name)
    shapes, boxes = aw.collision.arm_shapes(arm), scattered_boxes(6, 6)
    task, _ = task_of(name)
    low, high = pack(arm).ranges().T
    Q = np.random.default_rng(7).uniform(low, high, (20_000, arm.dof))
    checker = Checker(arm, boxes, shapes, self_check=False)
    hit = checker.contacts(Q)
    listed = with_contact(task, shapes, boxes).of(Q[hit])
    assert sweep_range(listed, 0, listed.total).touching == np.count_nonzero(hit) > 300
    free = with_contact(task, shapes, boxes).of(Q[~hit])
    assert sweep_range(free, 0, free.total).touching < 0.15 * len(Q)


TILTED = rotation_exp(np.array([0.3, -0.7, 0.4]))
OFF = (0.1, -0.2, 0.3)
PYRAMID = Mesh(
    np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0.1, 0], [0, 0.1, 0], [0.1, 0.05, 0.3]], float),
    np.array([[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]),
    OFF,
    TILTED,
)


@pytest.mark.parametrize(
    "shape",
    [
        Sphere(0.2, OFF),
        Capsule(0.1, 0.02, OFF, TILTED),
        Capsule(0.1, 0.5, OFF, TILTED),
        Capsule(0.02, 0.9, OFF, TILTED),
        Box((0.1, 0.2, 0.5), OFF, TILTED),
        Box((0.01, 0.8, 0.9), OFF, TILTED),
        Cylinder(0.1, 0.4, OFF, TILTED),
        Cone(0.2, 0.4, position=OFF, rotation=TILTED),
        PYRAMID,
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_every_point_of_a_shape_is_inside_a_sphere(shape: Shape) -> None:
    spheres = spheres_in(shape)
    low, high = shape.bounds
    points = np.random.default_rng(8).uniform(low, high, (60_000, 3))
    points = points[shape.signed_distance(points) <= 0]
    assert len(points) > 300
    away = np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]
    assert away.min(axis=1).max() <= 0
    if isinstance(shape, Capsule):
        assert (spheres[:, 3] <= SWELL * shape.radius * (1 + 1e-6)).all()
        tips = shape.position + np.outer([1, -1], shape.rotation[:, 2]) * (
            shape.length / 2 + shape.radius * (1 - 1e-12)
        )
        away = np.linalg.norm(tips[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]
        assert away.min(axis=1).max() <= 0
