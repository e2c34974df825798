"""The derivation for a part of a pose: formulas, LaTeX, and C by a compiler."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from emitted import Compiled

import armwerk as aw
from armwerk.errors import UnknownNameError, UnsupportedError

CASES: list[
    tuple[Literal["planar_rr", "simple_arm", "five_axis"], Literal["position", "direction"], int]
] = [
    ("planar_rr", "position", 2),
    ("simple_arm", "position", 4),
    ("five_axis", "direction", 4),
]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
@pytest.mark.parametrize(("name", "task", "most"), CASES)
def test_c_gives_the_solutions_of_the_model(
    name: Literal["planar_rr"], task: Literal["position", "direction"], most: int, tmp_path: Path
) -> None:
    model = aw.model(name)
    derived = aw.derive(name, task=task)
    files = derived.write(tmp_path, ("c", "latex"))
    assert any(path.suffix == ".tex" for path in files)
    source = next(path for path in files if path.suffix == ".c")
    code = Compiled(source, derived.arm.dof, derived.inverse.branches)
    kept = sum(not joint.name.startswith("free_turn") for joint in derived.arm.moving)
    draw, counts = np.random.default_rng(4), []
    for _ in range(20):
        low, high = model.chain.ranges().T
        T = model.fk(draw.uniform(low, high))
        wanted = T.copy()
        if task == "position":  # whatever orientation is asked for, the point decides
            wanted[:3, :3] = aw.geometry.rotation_exp(draw.uniform(-1.0, 1.0, 3))
        mine = np.round(np.exp(1j * model.ik(T, task=task)[:, :kept]), 6)
        theirs = np.round(np.exp(1j * code.all_inverse_kinematics(wanted)[:, :kept]), 6)
        assert {tuple(row + 0.0) for row in mine} == {tuple(row + 0.0) for row in theirs}
        counts.append(len(mine))
    assert max(counts) == most


def test_formulas_of_a_point_hold_no_orientation() -> None:
    """Where the elbow is follows from the point alone."""
    derived = aw.derive("simple_arm", task="position")
    assert derived.inverse.method == "rules"
    text = derived.inverse.explain().split("θ4:")[0]
    assert "px" in text
    assert not any(name in text for name in ("nx", "oy", "az"))


def test_symbols_have_no_parts() -> None:
    arm = aw.Arm.from_dh([aw.Joint("revolute", a="l1"), aw.Joint("revolute", a="l2")], name="open")
    with pytest.raises(UnsupportedError, match="l1"):
        aw.derive(arm, task="position")


def test_a_task_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match=r"no task is called 'point'.*position"):
        aw.derive("planar_rr", task="point")  # type: ignore[arg-type]
