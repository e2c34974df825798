"""Reach of arms with coupled joints, counted anew by brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.collision import Checker
from armwerk.errors import UnsupportedError
from armwerk.geometry import Box
from coupled_arms import palletiser, parallelogram, wrist

Array = NDArray[np.float64]
STEPS = {"rods": [4, 7, 7, 3, 3, 2], "shafts": [3, 5, 5, 4, 4, 3], "palletiser": [5, 9, 9, 4]}


def grid(arm: aw.Arm, turning: list[bool]) -> Array:
    """Return all axis values of a grid that keep limits; one turn of axes that make a full one."""
    columns = []
    for (low, high), count, turns in zip(arm.limits, STEPS[arm.name], turning, strict=True):
        whole = turns and high - low >= 2 * np.pi - 1e-9
        first, last = (-np.pi, np.pi) if whole else (low, high)
        columns.append(np.linspace(first, last, count, endpoint=not whole))
    rows = np.stack(np.meshgrid(*columns, indexing="ij"), axis=-1).reshape(-1, arm.dof)
    return np.asarray(rows[arm.keeps_limits(rows)])


def voxels(found: aw.Reach, points: Array) -> Array:
    """Return how many points lie in each voxel of a result."""
    edges = [found.corner[k] + found.cell * np.arange(found.counts.shape[k] + 1) for k in range(3)]
    return np.asarray(np.histogramdd(points, edges)[0])


@pytest.mark.parametrize(
    ("arm", "turning"),
    [
        (parallelogram(), [True, False, False, True, True, True]),
        (wrist(), [True, True, True, False, False, True]),  # axes 4 and 5 lead by fractions
        (palletiser(), [True, False, False, True]),
    ],
    ids=lambda value: value.name if isinstance(value, aw.Arm) else "",
)
def test_a_grid_of_axis_values_is_counted(arm: aw.Arm, turning: list[bool]) -> None:
    base = np.eye(4)
    base[:3, 3] = 0.013, 0.017, 0.019  # so that nothing stands where two voxels meet
    arm = replace(arm, base=base)
    found = aw.reach(arm, steps=STEPS[arm.name], cell=0.2)
    model = aw.model(arm)
    rows = grid(arm, turning)
    assert found.tried == len(rows)
    points = model.fk(rows)[:, :3, 3]
    np.testing.assert_array_equal(found.counts, voxels(found, points))
    J = model.jacobian(rows)[:, :3]
    dexterity = np.sqrt(np.maximum(np.linalg.det(J @ J.transpose(0, 2, 1)), 0.0))
    assert found.manipulability.max() == pytest.approx(dexterity.max(), rel=1e-9)


@pytest.mark.parametrize("contact", ["exact", "spheres"])
def test_what_touches_does_not_count(contact: str) -> None:
    arm = aw.load_arm("irb2400")
    box = Box((0.4, 2.0, 1.2), (1.2, 0.0, 0.6))
    free = aw.reach(arm, samples=20_000, cell=0.2)
    found = aw.reach(arm, [box], samples=20_000, cell=0.2, contact=contact)  # type: ignore[arg-type]
    assert found.tried == free.tried
    assert 0 < found.touching < found.tried
    assert found.counts.sum() == found.tried - found.touching
    from armwerk.mechanics.chain import axis_space
    from armwerk.planning.reachability.grid import joint_ranges

    ranges, _ = joint_ranges(arm, axis_space(arm))
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence([0, 0])))
    rows = ranges[:, 0] + (ranges[:, 1] - ranges[:, 0]) * draw.random((20_000, 6))
    rows = rows[arm.keeps_limits(rows)]
    hits = int(Checker(arm, [box], self_check=False).contacts(rows).sum())
    assert found.touching == hits if contact == "exact" else hits <= found.touching < 1.2 * hits


def test_the_inverse_sweep_counts_solutions_within_all_limits() -> None:
    arm = aw.load_arm("irb2400")
    model = aw.model(arm)
    found = aw.reach(arm, method="inverse", cell=0.5, orientations=3)
    assert found.orientations is not None
    assert found.oriented is not None
    total = 0
    for number in np.ndindex(found.counts.shape):
        pose = np.eye(4)
        pose[:3, 3] = found.corner + (np.array(number) + 0.5) * found.cell
        counted = []
        for rotation in found.orientations:
            pose[:3, :3] = rotation
            rows = model.ik(pose, within_limits=True)
            assert arm.keeps_limits(rows).all()
            counted.append(len(rows))
        assert found.counts[number] == sum(counted)
        assert found.oriented[number] == sum(one > 0 for one in counted)
        total += sum(counted)
    assert total == found.counts.sum() > 50


def test_a_palletiser_reaches_with_its_flange_level() -> None:
    down = aw.reach("irb660", method="inverse", orientations="down", cell=0.9)
    assert down.reached > 10
    tilted = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    assert aw.reach("irb660", method="inverse", orientations=tilted, cell=2.0).reached == 0


def test_accelerators_refuse_coupled_joints() -> None:
    for method in ("forward", "inverse"):
        with pytest.raises(UnsupportedError, match="coupled; use device='cpu'"):
            aw.reach("irb2400", method=method, device="gpu")


def test_results_are_kept_and_drawn(tmp_path: Path) -> None:
    found = aw.reach("irb2400", samples=5000, cell=0.2)
    assert aw.reach("irb2400", samples=5000, cell=0.2, workers=1).counts.tolist() == (
        found.counts.tolist()
    )
    assert found.plot(tmp_path / "reach.png").stat().st_size > 10_000
