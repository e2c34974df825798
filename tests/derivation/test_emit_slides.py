"""Generated C and Python find what the models find where formulas fix nothing.

At special poses a formula divides by nothing, or an angle is free though the pose has single
solutions. Arms and poses below were lost there; the joint values that made a pose must come back,
and everything that `armwerk.model` finds.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from emitted import Compiled, imported
from multistart import REGULAR, frames, gap, jacobian
from random_arms import random_arm
from test_every_arm import lost_arm, postures, solver_of

import armwerk as aw
from armwerk.arrays import Array
from armwerk.derivation.inverse import DerivationMethod, inverse_of
from armwerk.derivation.runtime.generate import generate
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.interpreted import interpreted_module
from armwerk.derivation.runtime.kinematics import kinematics
from armwerk.derivation.runtime.solver import ClosedFormSolver

HALF = math.pi / 2
FOUND = 1e-4  # [rad], [m] between the same solution of two programs
Row = tuple[str, float, float, float, float]
ROWS: dict[str, list[Row]] = {
    "divides": [
        ("R", 0.477, 0.0, -HALF, HALF),
        ("R", 0.295, 0.0, -HALF, 0.0),
        ("R", 0.0, 0.447, -HALF, 0.0),
        ("T", 0.0, 0.0, HALF, 0.0),
    ],
    "one_branch": [
        ("R", 0.0, 0.142, HALF, -0.3157),
        ("R", 0.0, 0.268, math.pi, 0.0),
        ("T", 0.262, 0.0, HALF, 0.0),
        ("R", 0.515, 0.0, 0.0, 0.5684),
    ],
    "free_angle": [
        ("R", 0.547, 0.0, -HALF, 2.3501),
        ("T", 0.0, 0.0, math.pi, HALF),
        ("R", 0.0, 0.0, HALF, 0.0),
        ("R", 0.125, 0.485, -HALF, 0.0),
        ("R", 0.0, 0.222, HALF, HALF),
    ],
}
SIXTHS = {  # joints in multiples of 30 degrees, slides in tenths of a metre
    "divides": [[3, 4, 0, 5], [0, 0, -1, -8], [-5, 6, 4, 3]],
    "one_branch": [[0, 6, -6, -4], [4, 6, -1, -4]],
    "free_angle": [[0, -8, 6, 3, 4], [-5, 1, -3, -1, -2], [3, 2, 3, -3, -3], [-1, 7, 3, 5, 4]],
}


def arm_of(name: str) -> aw.Arm:
    joints = [
        aw.Joint("revolute", d=d, a=a, alpha=alpha, offset=offset)
        if kind == "R"
        else aw.Joint("prismatic", d=d, a=a, alpha=alpha, offset=offset, limits=(-0.9, 1.3))
        for kind, d, a, alpha, offset in ROWS[name]
    ]
    return aw.Arm.from_dh(joints, name=name)


def compare(
    arm: aw.Arm, joints: Array, folder: Path, method: DerivationMethod | None = None
) -> int:
    """Hold generated code against the model at poses of known joints; return solutions compared."""
    solve = solver_of(arm)
    derived = aw.derive(arm, method=method)
    if solve is None or derived.inverse.program is None:
        return 0
    derived.write(folder, formats=("c", "python"))
    module = imported(next(folder.glob("*.py")))
    compiled = Compiled(next(folder.glob("*.c")), arm.dof, module.MAX_SOLUTIONS)
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    count = 0
    for q in joints:
        at = frames(arm, q[None])
        pose = np.ascontiguousarray(at[0, -1])
        with np.errstate(all="ignore"):
            wanted = solve(pose)
            answers = (
                np.asarray(module.all_inverse_kinematics(pose)),
                compiled.all_inverse_kinematics(pose),
            )
        for answer in answers:
            assert np.abs(frames(arm, answer)[:, -1] - pose).max(initial=0.0) < 2e-9
        if wanted.family:
            continue
        least = np.linalg.svd(jacobian(arm, at)[0], compute_uv=False).min()
        known = [*wanted.joints, *([q] if least > REGULAR else [])]
        for one in known:
            for answer in answers:
                assert any(gap(one, row, turns) < FOUND for row in answer), (arm.joints, q, one)
        count += len(known)
    return count


@pytest.mark.parametrize("name", ROWS)
def test_where_formulas_fix_nothing(name: str, tmp_path: Path) -> None:
    arm = arm_of(name)
    units = [math.pi / 6 if joint.kind == "revolute" else 0.1 for joint in arm.moving]
    joints = np.array(SIXTHS[name]) * units
    assert compare(arm, joints, tmp_path) >= 2 * len(joints)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("typ1", None),
        ("factor_of_elimination", None),
        ("factor_of_elimination", "elimination"),
    ],
)
def test_six_turns_whose_formulas_say_nothing(
    name: str, method: DerivationMethod | None, tmp_path: Path
) -> None:
    arm = aw.load_arm(name) if name == "typ1" else lost_arm(name)
    joints = postures(arm, 40, np.random.default_rng(3))[::2]
    assert compare(arm, joints, tmp_path, method) >= 4 * len(joints)


def test_batches_hold_more_solutions_than_formulas_have_branches() -> None:
    arm = arm_of("one_branch")
    program = inverse_of(arm).program
    assert program is not None
    module = interpreted_module(generate(program, kinematics(arm)))
    solver = ClosedFormSolver.from_kernels(arm, "interpreted", cast(Kernels, module))
    joints = np.array([[0.0, math.pi, -0.6, -4 * math.pi / 6], [0.3, 0.4, 0.1, 0.2]])
    poses = np.ascontiguousarray(frames(arm, joints)[:, -1])
    with np.errstate(all="ignore"):
        solutions, counts = solver.all_batch(poses, threads=1)
        assert counts.tolist() == [len(solver.all(poses[0])), 1] == [2, 1]
    assert np.isnan(solutions[1, 1:]).all()


@pytest.mark.soak
def test_random_arms_with_slides(tmp_path: Path) -> None:
    draw = np.random.default_rng(31)
    seen = 0
    for number in range(150):
        arm = random_arm(draw)
        if any(joint.kind == "prismatic" for joint in arm.moving):
            folder = tmp_path / str(number)
            folder.mkdir()
            seen += compare(arm, postures(arm, 20, draw), folder) > 0
    assert seen > 50
