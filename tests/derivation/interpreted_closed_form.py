"""Closed forms for the accelerator, through triton's interpreter: equal to the compiled ones.

Run by `test_device.py` in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from programs import scara
from symengine import Integer

import armwerk as aw
from armwerk import accelerator
from armwerk.arrays import Array
from armwerk.derivation.program import Program, Root
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import DescriptionError, UnsupportedError
from interpreted_memory import Host, round_once

# triton looks at TRITON_INTERPRET when it is loaded, so it is not loaded here
pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")


@pytest.fixture(autouse=True, scope="module")
def _interpreter() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        patch.setattr(accelerator, "accelerator", Host)
        round_once(patch)
        yield


def special(dof: int, count: int) -> Array:
    """Return configurations at angles that people type, and a hair beside them."""
    draw = np.random.default_rng(4)
    q = np.radians(draw.choice([0, 30, 45, 60, 90, 180, -90], (count, dof)))
    return np.asarray(q + draw.choice([0.0, 1e-9, 1e-6], (count, 1)))


# parallel axes, a slide, a wrist, fewer than six joints
@pytest.mark.parametrize("name", ["ur5e", "stanford", "irb140", "planar_rr"])
def test_the_same_bits(name: str) -> None:
    model = aw.model(aw.load_arm(name))
    draw = np.random.default_rng(9)
    low, high = np.clip(model.limits.T, -np.pi, np.pi)
    poses = [model.fk(draw.uniform(low, high, (60, model.dof))), model.fk(special(model.dof, 40))]
    far = model.fk(draw.uniform(low, high, (10, model.dof)))
    far[:, :3, 3] *= 3.0  # out of reach
    Ts = np.concatenate([*poses, far])
    here, there = model.ik_batch(Ts), model.ik_batch(Ts, device="gpu")
    assert np.array_equal(here[1], there[1])
    assert here[1].sum() > 0.8 * len(Ts)
    assert np.array_equal(here[0].view(np.int64), there[0].view(np.int64))


def test_branches_that_coincide_count_once() -> None:
    arm, program = scara()
    steps = (Root("idle", Integer(1)), *program.steps)
    doubled = Program(4, steps, program.revolute, program.offsets, program.parameters)
    solver = ClosedFormSolver(arm, doubled)
    poses = solver.kinematics.pose(solver.kinematics.sample(40, seed=17))
    here, there = solver.all_batch(poses), solver.all_batch(poses, device="gpu")
    assert (there[1] == 2).all()
    assert np.array_equal(here[0].view(np.int64), there[0].view(np.int64))


def test_limits_and_nothing() -> None:
    model = aw.model("irb140")
    Ts = model.fk(np.random.default_rng(2).uniform(-1, 1, (40, 6)))
    here, there = model.ik_batch(Ts, True), model.ik_batch(Ts, True, device="gpu")
    assert np.array_equal(here[0], there[0], equal_nan=True)
    assert model.ik_batch(np.zeros((0, 4, 4)), device="gpu")[0].shape == (0, 8, 6)


def test_what_is_refused() -> None:
    with pytest.raises(DescriptionError, match="device: unknown, got 'tpu'"):
        aw.model("ur5e").ik_batch(np.eye(4)[None], device="tpu")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="infinitely many solutions"):
        aw.model("iiwa7").ik_batch(np.eye(4)[None], device="gpu")
    with pytest.raises(UnsupportedError, match="is solved by 'numeric'"):
        aw.model("ur5e", ik="numeric").ik_batch(np.eye(4)[None], device="gpu")
    with pytest.raises(aw.ArmwerkError, match="rigid"):
        aw.model("ur5e").ik_batch(np.diag([1.0, 2.0, 1.0, 1.0])[None], device="gpu")
