"""A serial arm packed into arrays, the form in which the kernels want it.

Fixed joints, base and tool are folded into constant transforms, so that only moving joints are
left. With M_i(q) = Rot(z, q) for a revolute and Trans(z, q) for a prismatic joint

    T_world_tool = C_0 M_1(q_1) C_1 M_2(q_2) … M_n(q_n) C_n

and the *joint frame* i is the one right after M_i. Kernels take one of two arrays, the first for
poses, the second for forces; what stands where in them has names in
`armwerk.mechanics.kernels.layout`:

`Chain.constants`, shape (n + 1, 4, 4): C_0 … C_n, below each what belongs to the joint behind it.

`Chain.bodies`, shape (n + 1, 28): of each joint C_i and the body that it moves; at last gravity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.errors import UnsupportedError
from armwerk.mechanics.kernels import layout
from armwerk.robot.arm import Arm, row_matrix
from armwerk.robot.joint import Joint

_KIND_NUMBER = {
    "revolute": layout.REVOLUTE,
    "prismatic": layout.PRISMATIC,
    "fixed": layout.FIXED,
}
_INERTIA_ROWS, _INERTIA_COLUMNS = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)  # xx yy zz xy xz yz


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The packed arm.

    Args:
        constants: Shape (n + 1, 4, 4), see above.
        rows: Base, one row matrix per joint (fixed ones too), tool, for drawing; the kind stands
            below each. Shape (joints + 2, 4, 4).
        bodies: Shape (n + 1, 28), see above.
        limits: Joint limits [rad or m], infinite where free. Shape (n, 2).
        revolute: Which joints turn. Shape (n,).
        scale: Length that counts as much as one radian [m].
        viscous: Viscous friction [N m s/rad or N s/m]. Shape (n,).
        coulomb: Dry friction forwards and backwards, magnitudes [N m or N]. Shape (n, 2).
    """

    constants: Array
    rows: Array
    bodies: Array
    limits: Array
    revolute: Flags
    scale: float
    viscous: Array
    coulomb: Array

    @property
    def dof(self) -> int:
        """Number of joint variables."""
        return len(self.revolute)

    @property
    def metric(self) -> Array:
        """Weight of each joint in a distance: 1 for radians, 1 / scale for metres. Shape (n,)."""
        return np.where(self.revolute, 1.0, 1.0 / self.scale)

    def ranges(self) -> Array:
        """Return finite joint ranges: the limits, or one turn or two scales to each side.

        Shape (n, 2).
        """
        low, high = self.limits.T
        free = np.where(self.revolute, np.pi, 2.0 * self.scale)
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * free, -free))
        high = np.where(np.isfinite(high), high, low + 2.0 * free)
        return np.stack([low, high], axis=1)

    def home(self) -> Array:
        """Return zeros, or the limit next to zero. Shape (n,)."""
        return np.asarray(np.clip(0.0, self.limits[:, 0], self.limits[:, 1]))

    def spread(self, count: int, first: int = 0) -> Array:
        """Return points of an evenly spread sequence over the joint ranges. Shape (count, n)."""
        low, high = self.ranges().T
        each = self.constants[:-1, layout.SETTINGS, layout.START_STEP]
        steps = np.arange(first + 1, first + count + 1)[:, None] * each
        return np.asarray(low + (0.5 + steps) % 1.0 * (high - low))


def pack(arm: Arm) -> Chain:
    """Return the chain of an arm.

    Raises:
        UnsupportedError: When the arm still has symbols; the message lists them. When its joints
            are coupled: kernels take joint angles, so that its `free_chain` is to be packed.
    """
    if arm.is_coupled:
        raise UnsupportedError(
            f"the joints of arm '{arm.name}' are coupled, which this does not know yet; "
            "it can be asked of arm.free_chain, with arm.angles(q)"
        )
    if arm.is_symbolic:
        raise UnsupportedError(
            f"arm '{arm.name}' has no numbers yet for {', '.join(arm.symbols)}; "
            "give them with arm.with_values(...)"
        )
    transforms, moments = _fold(arm)
    moving = arm.moving
    limits = arm.limits
    revolute = np.array([joint.kind == "revolute" for joint in moving])
    scale = _length_scale(transforms, limits, revolute)
    return Chain(
        constants=_pack_constants(transforms, limits, revolute, scale),
        rows=_pack_rows(arm),
        bodies=_pack_bodies(arm, transforms, moments, moving),
        limits=limits,
        revolute=revolute,
        scale=scale,
        viscous=np.array([float(joint.viscous_friction) for joint in moving]),
        coulomb=np.array([[float(c) for c in joint.coulomb_friction] for joint in moving]),
    )


def axis_space(arm: Arm) -> Chain:
    """Return the axes of an arm with coupled joints, as far as limits, kinds and scales go.

    No product of matrices goes with axis values: what kernels would need for poses and forces is
    nan.

    Raises:
        UnsupportedError: When the arm still has symbols; the message lists them.
    """
    free, moving = pack(arm.free_chain), arm.moving
    revolute = np.array([joint.kind == "revolute" for joint in moving])
    nowhere = [np.full((4, 4), np.nan) for _ in range(len(moving) + 1)]
    return Chain(
        constants=_pack_constants(nowhere, arm.limits, revolute, free.scale),
        rows=np.full_like(free.rows, np.nan),
        bodies=np.full((len(moving) + 1, layout.BODY_SIZE), np.nan),
        limits=arm.limits,
        revolute=revolute,
        scale=free.scale,
        viscous=np.array([float(joint.viscous_friction) for joint in moving]),
        coulomb=np.array([[float(c) for c in joint.coulomb_friction] for joint in moving]),
    )


def _row(joint: Joint) -> Array:
    """Return the row matrix at q = 0; M(q) stands in front of it for either kind."""
    return row_matrix(float(joint.offset), float(joint.d), float(joint.a), float(joint.alpha))


def _fold(arm: Arm) -> tuple[list[Array], list[Array]]:
    """Return C_0 … C_n and each moving body's 4×4 pseudo-inertia in its joint frame.

    The pseudo-inertia [[Σ m r rᵀ, Σ m r], [Σ m rᵀ, Σ m]] of a rigid body transforms as T P Tᵀ, so
    bodies that are rigidly joined simply add. What stands before the first moving joint rests.
    """
    transforms: list[Array] = [np.array(arm.base)]
    moments: list[Array] = []
    for joint in arm.joints:
        if joint.is_moving:
            transforms.append(np.eye(4))
            moments.append(np.zeros((4, 4)))
        transforms[-1] = transforms[-1] @ _row(joint)
        if moments:
            moments[-1] += transforms[-1] @ pseudo_inertia(joint) @ transforms[-1].T
    transforms[-1] = transforms[-1] @ arm.tool
    return transforms, moments


def pseudo_inertia(joint: Joint) -> Array:
    """Return [[Σ m r rᵀ, Σ m r], [Σ m rᵀ, Σ m]] of a joint's link in its frame. Shape (4, 4)."""
    mass = float(joint.link.mass)
    com = np.array([float(value) for value in joint.link.com])
    inertia = joint.link.inertia_matrix()
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
    return np.block([[second, mass * com[:, None]], [mass * com[None, :], np.array([[mass]])]])


def _length_scale(transforms: list[Array], limits: Array, revolute: Flags) -> float:
    """Return about half the reach: the lever at which a radian moves the tool by one scale."""
    lengths = [float(np.linalg.norm(transform[:3, 3])) for transform in transforms[1:]]
    strokes = np.abs(limits[~revolute])
    lengths += [float(stroke) for stroke in strokes.max(axis=1) if np.isfinite(stroke)]
    return 0.5 * sum(lengths) if sum(lengths) > 1e-6 else 1.0


def _pack_constants(transforms: list[Array], limits: Array, revolute: Flags, scale: float) -> Array:
    packed = np.array(transforms)
    dof = len(revolute)
    settings = packed[:, layout.SETTINGS]
    settings[:] = 0.0
    settings[:dof, layout.KIND] = np.where(revolute, layout.REVOLUTE, layout.PRISMATIC)
    settings[:dof, layout.LOWER], settings[:dof, layout.UPPER] = limits.T
    settings[:dof, layout.START_STEP] = _start_steps(dof)
    settings[dof, layout.SCALE] = scale
    return packed


def _start_steps(dof: int) -> Array:
    """Return the steps of an evenly spread sequence: powers of 1/g with g^(dof+1) = g + 1."""
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (dof + 1))
    return np.array(g ** -np.arange(1.0, dof + 1.0))


def _pack_rows(arm: Arm) -> Array:
    rows = np.array([arm.base, *(_row(joint) for joint in arm.joints), arm.tool])
    rows[:, layout.SETTINGS] = 0.0
    kinds = rows[:, layout.SETTINGS, layout.KIND]
    kinds[:] = layout.FIXED
    kinds[1:-1] = [_KIND_NUMBER[joint.kind] for joint in arm.joints]
    return rows


def _pack_bodies(
    arm: Arm, transforms: list[Array], moments: list[Array], moving: tuple[Joint, ...]
) -> Array:
    bodies = np.zeros((len(moving) + 1, layout.BODY_SIZE))
    for i, (joint, moment) in enumerate(zip(moving, moments, strict=True)):
        second = moment[:3, :3]
        inertia = np.trace(second) * np.eye(3) - second
        bodies[i, :12] = transforms[i][:3].ravel()
        bodies[i, layout.BODY_KIND] = _KIND_NUMBER[joint.kind]
        bodies[i, layout.MASS] = moment[3, 3]
        bodies[i, layout.MOMENT : layout.INERTIA] = moment[:3, 3]
        bodies[i, layout.INERTIA : layout.ARMATURE] = inertia[_INERTIA_ROWS, _INERTIA_COLUMNS]
        bodies[i, layout.ARMATURE] = float(joint.armature)
    bodies[-1, layout.GRAVITY : layout.GRAVITY + 3] = arm.gravity
    return bodies
