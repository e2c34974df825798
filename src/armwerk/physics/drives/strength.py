"""Forces of motors whose description names none."""

from __future__ import annotations

import mujoco
import numpy as np

from armwerk.arrays import Array

MARGIN = 1.5  # over what the arm itself needs
PAYLOAD = 0.1  # [1] of the arm's moving mass, at its hand
SWING = {"rad": 10.0, "m": 5.0}  # [rad/s², m/s²] where no acceleration is named either
POSTURES = 64


def needed_forces(
    model: mujoco.MjModel,
    dofs: Array,
    ranges: Array,
    accelerations: Array,
    hand: int,
    payload: float,
    matrix: Array | None = None,
) -> Array:
    """Return the largest force that each motor needs over spread postures [N m or N].

    Args:
        model: Of the arm alone, with what it carries.
        dofs: Of the motors, or of all joints where they are coupled. Shape (n,) or (k,).
        ranges: Smallest and largest values, finite. Shape (n, 2).
        accelerations: All motors at full acceleration at once, either way. Shape (n,).
        hand: Site that carries the payload.
        payload: [kg].
        matrix: C of joint angles = C motor values where joints are coupled, a row for each of
            ``dofs``; None: each joint has its motor. Shape (k, n).
    """
    C = np.eye(len(dofs)) if matrix is None else matrix
    data = mujoco.MjData(model)
    draw = np.random.default_rng(1)
    worst = np.zeros(C.shape[1])
    positions = model.jnt_qposadr[model.dof_jntid[dofs]]
    jacobian = np.zeros((3, model.nv))
    rates = np.zeros((3, model.nv))
    pull = -payload * np.array(model.opt.gravity)
    for _ in range(POSTURES):
        data.qpos[positions] = C @ draw.uniform(ranges[:, 0], ranges[:, 1])
        mujoco.mj_forward(model, data)
        mujoco.mj_jacSite(model, data, jacobian, rates, hand)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        J = jacobian[:, dofs] @ C
        M = C.T @ full[np.ix_(dofs, dofs)] @ C + payload * J.T @ J
        still = C.T @ np.array(data.qfrc_bias)[dofs] + J.T @ pull
        # the worst of all signs: every column counts
        worst = np.maximum(worst, np.abs(still) + np.abs(M) @ accelerations)
    return worst
