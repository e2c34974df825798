"""Dynamics of every serial arm of the library against pinocchio and the laws of physics."""

from __future__ import annotations

import numpy as np
import pytest

from arm_witness import names, pin_arm, random_joints, serial_arms
from armwerk.mechanics import SerialModel


def massive() -> list[str]:
    """Return the arms whose every joint has something to move."""
    return [
        name
        for name in names()
        if all(
            float(joint.link.mass) > 0 or float(joint.armature) > 0
            for joint in serial_arms()[name].moving
        )
    ]


def states(name: str, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    arm = serial_arms()[name]
    rng = np.random.default_rng(seed)
    q = random_joints(arm, count, seed)
    return q, rng.uniform(-2, 2, q.shape), rng.uniform(-5, 5, q.shape)


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    scale = max(1.0, float(np.abs(theirs).max()))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * scale)


def test_most_arms_have_masses() -> None:
    assert len(massive()) >= 10


@pytest.mark.parametrize("name", names())
def test_forces_and_masses_agree_with_pinocchio(name: str) -> None:
    model, witness = SerialModel(serial_arms()[name], "numeric"), pin_arm(name)
    for q, qd, qdd in zip(*states(name, 20, 0), strict=True):
        assert_close(model.inverse_dynamics(q, qd, qdd), witness.inverse(q, qd, qdd))
        assert_close(model.mass_matrix(q), witness.mass(q))
        assert_close(model.gravity(q), witness.gravity(q))
        assert_close(model.energy(q, qd)[1], np.array(witness.potential(q)))
        assert_close(model.bias(q, qd), witness.inverse(q, qd, 0 * q))


@pytest.mark.parametrize("name", massive())
def test_accelerations_agree_with_pinocchio(name: str) -> None:
    model, witness = SerialModel(serial_arms()[name], "numeric"), pin_arm(name)
    for q, qd, tau in zip(*states(name, 20, 1), strict=True):
        assert_close(model.forward_dynamics(q, qd, tau), witness.forward(q, qd, tau))


@pytest.mark.parametrize("name", massive())
def test_power_at_the_joints_is_the_change_of_energy(name: str) -> None:
    """d(kinetic + potential)/dt = tau · qd, the derivative taken along the motion."""
    model = SerialModel(serial_arms()[name], "numeric")
    h = 1e-5
    for q, qd, qdd in zip(*states(name, 5, 2), strict=True):
        power = model.inverse_dynamics(q, qd, qdd) @ qd
        ahead = sum(model.energy(q + h * qd + 0.5 * h * h * qdd, qd + h * qdd))
        behind = sum(model.energy(q - h * qd + 0.5 * h * h * qdd, qd - h * qdd))
        scale = max(1.0, abs(power), abs(ahead))
        assert abs((ahead - behind) / (2 * h) - power) < 1e-5 * scale


@pytest.mark.parametrize("name", massive())
def test_a_falling_arm_keeps_its_energy(name: str) -> None:
    """Free motion integrated by Runge-Kutta: what drifts is the integrator, not the model."""
    model = SerialModel(serial_arms()[name], "numeric")
    q = random_joints(serial_arms()[name], 1, seed=3)[0]
    qd = np.full(model.dof, 0.2)
    before = float(sum(model.energy(q, qd)))
    highest = before
    dt = 5e-4

    def rates(y: np.ndarray) -> np.ndarray:
        q, qd = np.split(y, 2)
        return np.concatenate([qd, model.forward_dynamics(q, qd, np.zeros(model.dof))])

    y = np.concatenate([q, qd])
    for _ in range(200):
        k1 = rates(y)
        k2 = rates(y + 0.5 * dt * k1)
        k3 = rates(y + 0.5 * dt * k2)
        k4 = rates(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        highest = max(highest, float(model.energy(*np.split(y, 2))[0]))
    after = float(sum(model.energy(*np.split(y, 2))))
    assert abs(after - before) < 1e-6 * max(1.0, abs(before), abs(highest))


@pytest.mark.parametrize("name", massive())
def test_forward_undoes_inverse(name: str) -> None:
    model = SerialModel(serial_arms()[name], "numeric")
    q, qd, qdd = states(name, 20, 4)
    back = model.forward_dynamics(q, qd, model.inverse_dynamics(q, qd, qdd))
    worst = np.array([np.linalg.cond(m) for m in model.mass_matrix(q)])
    assert (np.abs(back - qdd).max(axis=1) < 1e-12 * worst * 100).all()


@pytest.mark.parametrize("name", names())
def test_many_at_once_are_the_single_ones(name: str) -> None:
    model = SerialModel(serial_arms()[name], "numeric")
    q, qd, qdd = states(name, 6, 5)
    assert np.array_equal(
        model.inverse_dynamics(q, qd, qdd),
        [model.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)],
    )
    assert np.array_equal(model.mass_matrix(q), [model.mass_matrix(one) for one in q])
    assert np.array_equal(model.gravity(q), [model.gravity(one) for one in q])
    kinetic, potential = model.energy(q, qd)
    singles = [model.energy(*state) for state in zip(q, qd, strict=True)]
    assert np.array_equal(np.stack([kinetic, potential], axis=1), singles)
