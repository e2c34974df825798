"""Inner or outer: whether an arm stands at the edge of its work space where it is singular.

In a singular configuration some motion q' of the joints (the kernel of the Jacobian) leaves the
tool at rest in first order. To second order the tool is accelerated by

    Σ_{i<j} q_i' q_j' [S_i, S_j]

with the twists S of the joints and their Lie brackets. What of this lies in the range of the
Jacobian can be undone by other joints. The rest is the criterion:

- For some direction that the arm has lost, it has the same sign for all motions of the kernel:
  whichever way the joints go, the tool goes to the same side. It stands at the edge of the work
  space (or of a hole in it), as with an elbow stretched or folded: an *outer* singularity.
- Otherwise the tool can go to either side, or the motion can go on with the tool at rest. Such a
  self-motion says nothing about sides and is taken out: poses a little beyond, along the lost
  direction, are tried from all along it. Two axes in line lose another direction at each of its
  points, so both sides are reached: an *inner* singularity. Where only one side is, all points have
  the same edge: a shoulder turns in place while the arm is stretched, an *outer* singularity.

The edge is that of the poses the arm reaches near this configuration, in this branch of its
solutions. The signs are tested with numbers, at random configurations of the singular set and,
where the arm has symbols, random lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from armwerk.arrays import Array
from armwerk.derivation.ring import Angle, Poly, Ring
from armwerk.geometry.rotation import rotation_exp
from armwerk.mechanics.chain import pack
from armwerk.robot.arm import Arm
from armwerk.robot.joint import Joint

Kind = Literal["inner", "outer"]

_SAME = 1e-10  # share of the largest singular value that counts as zero; the roots are exact
_CURVED = 1e-11  # share of the largest bracket below which a second-order term is rounding; the
# folded Puma, whose forearm is 0.5 mm longer than its upper arm, has 1e-8
_DIRECTIONS = 64  # lost directions tried when there are several
_CURVE, _ALONG = 16, 0.4  # points of a self-motion to each side, and how far apart [rad]
_AROUND, _SHAKE = 8, 0.03  # starts around each of them, and how far away [rad or m]
_BESIDE = 1e-3  # [rad and m] how far beside the pose the tool is to go
_NEAR = 0.3  # [rad or m] within which of its start an arm reaches what is beside
_MEETS = 1e-9  # [m + rad] left of a pose that is reached


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A configuration with numbers for everything.

    Args:
        values: The number of every generator of the ring that occurs in the rows.
        angles: theta of the revolute joints, q of the slides. Shape (n,).
    """

    values: dict[str, float]
    angles: Array


def random_sample(ring: Ring, random: np.random.Generator) -> Sample:
    """Return a configuration anywhere, with random lengths and twists for symbols."""
    values = ring.known_values()
    for name in ring.parameters:
        values.setdefault(name, float(random.uniform(0.3, 1.0)))
    for tag in ring.twists:
        if f"c{tag}" not in values:
            twist = random.uniform(0.3, 1.2)
            values[f"c{tag}"], values[f"s{tag}"] = float(np.cos(twist)), float(np.sin(twist))
    joints = np.array(
        [
            random.uniform(0.2, 1.0) if joint in ring.slides else random.uniform(-np.pi, np.pi)
            for joint in range(1, ring.dof + 1)
        ]
    )
    return with_joints(ring, values, joints)


def with_joints(ring: Ring, values: dict[str, float], joints: Array) -> Sample:
    """Return the sample with other joint values; sums of angles are filled in."""
    known = dict(values)
    for joint, name in ring.slides.items():
        known[name] = float(joints[joint - 1])
    for angle in ring.angles:
        theta = sum(sign * joints[joint - 1] for joint, sign in angle.terms)
        known[angle.cos], known[angle.sin] = float(np.cos(theta)), float(np.sin(theta))
    return Sample(known, joints)


def numeric_jacobian(ring: Ring, sample: Sample) -> tuple[Array, Array]:
    """Return the joints' twists at the base origin, shape (6, n), and the end point."""
    pose = np.eye(4)
    columns = []
    for row in ring.rows:
        axis, point = pose[:3, 2], pose[:3, 3]
        if row.is_revolute:
            columns.append(np.concatenate([np.cross(point, axis), axis]))
        else:
            columns.append(np.concatenate([axis, np.zeros(3)]))
        pose = pose @ _row(ring, row.joint, sample)
    return np.array(columns).T, pose[:3, 3]


def numeric_frames(ring: Ring, sample: Sample) -> Array:
    """Return frame 0 and the frame behind every joint, in frame 0. Shape (n + 1, 4, 4)."""
    frames = [np.eye(4)]
    for row in ring.rows:
        frames.append(frames[-1] @ _row(ring, row.joint, sample))
    return np.array(frames)


def edge_kind(ring: Ring, sample: Sample, rows: tuple[int, ...]) -> tuple[Kind, Array] | None:
    """Return inner or outer and a motion of the kernel; None: not singular there.

    Args:
        ring: The arm.
        sample: A singular configuration.
        rows: Rows of the Jacobian that count: (0, 1, 2) for an arm that places a point.
    """
    twists, end = numeric_jacobian(ring, sample)
    chosen = list(rows)
    matrix = _at(twists, end)[chosen]
    left, sizes, right = np.linalg.svd(matrix)
    dof = ring.dof
    rank = int(np.sum(sizes > _SAME * sizes[0]))
    if rank == min(dof, len(chosen)):
        return None
    kernel = right[rank:].T
    lost = left[:, rank:]
    brackets = _brackets(twists)
    curved = _second_order(brackets, end, kernel)[:, :, chosen] @ lost
    size = max(float(np.abs(brackets).max()), 1e-12)
    outer = _has_definite(curved / size)
    if not outer and dof == len(chosen) == 6 and rank == 5:
        outer = _one_side_only(ring, sample, kernel[:, 0], lost[:, 0])
    return ("outer" if outer else "inner"), kernel[:, 0]


def _one_side_only(ring: Ring, sample: Sample, motion: Array, lost: Array) -> bool:
    """Whether a six-axis arm reaches poses beside this one to one side only.

    Args:
        ring: The arm.
        sample: A singular configuration.
        motion: Of the joints, with the tool at rest. Shape (6,).
        lost: The direction (v, w) at the end point that the arm has lost. Shape (6,).
    """
    from armwerk.derivation.runtime.singular import refine  # compiled code, as the next two
    from armwerk.mechanics.kernels.direct import fk
    from armwerk.mechanics.kernels.jacobian import jacobian

    chain = pack(_numeric_arm(ring, sample))
    joints = np.array(sample.angles)
    pose = fk(chain.constants, joints)
    free = np.zeros(6, dtype=bool)
    curve = [joints]
    for way in (1.0, -1.0):
        q, along = joints, way * motion
        for _ in range(_CURVE):
            J = np.empty((6, 6))
            jacobian(chain.constants, q, J)
            tangent = np.linalg.svd(J)[2][5]
            along = tangent if tangent @ along > 0.0 else -tangent
            end = refine(chain.constants, free, pose, (q + _ALONG * along)[None], 30)[0]
            if not end[6] + end[7] <= _MEETS:
                break
            q = end[:6]
            curve.append(q)
    starts = np.repeat(curve, _AROUND, axis=0)
    starts = starts + np.random.default_rng(1).normal(0.0, _SHAKE, starts.shape)
    sides = []
    for side in (_BESIDE, -_BESIDE):
        goal = pose.copy()
        goal[:3, :3] = rotation_exp(side * lost[3:]) @ pose[:3, :3]
        goal[:3, 3] += side * lost[:3]
        ends = refine(chain.constants, free, goal, starts, 60)
        near = np.abs(ends[:, :6] - starts).max(axis=1) < _NEAR
        sides.append(bool((near & (ends[:, 6] + ends[:, 7] <= _MEETS)).any()))
    return sides[0] != sides[1]


def _numeric_arm(ring: Ring, sample: Sample) -> Arm:
    """Return the arm of a ring with the numbers of a sample; its joints are the ring's angles."""
    rows = []
    for row in ring.rows:
        cosine, sine = (ring.evaluate(poly, sample.values) for poly in row.twist)
        turn = [ring.evaluate(poly, sample.values) for poly in row.turn]
        rows.append(
            Joint(
                "revolute" if row.is_revolute else "prismatic",
                d=ring.evaluate(row.d, sample.values),
                a=ring.evaluate(row.a, sample.values),
                alpha=float(np.arctan2(sine, cosine)),
                offset=0.0 if row.is_revolute else float(np.arctan2(turn[1], turn[0])),
            )
        )
    return Arm.from_dh(rows, name="sample")


def _has_definite(forms: Array) -> bool:
    """Whether some combination of the quadratic forms is definite. Shape (m, m, lost)."""
    count = forms.shape[2]
    random = np.random.default_rng(0)
    tries = np.eye(count) if count == 1 else random.normal(size=(_DIRECTIONS, count))
    for weights in tries:
        signs = np.linalg.eigvalsh(forms @ (weights / np.linalg.norm(weights)))
        if signs[0] > _CURVED or signs[-1] < -_CURVED:
            return True
    return False


def _second_order(brackets: Array, end: Array, kernel: Array) -> Array:
    """Return the accelerations at the end point for pairs of kernel motions. Shape (m, m, 6)."""
    moved = np.moveaxis(_at(np.moveaxis(brackets, 2, 0), end), 0, 2)
    forms = np.einsum("ia,jb,ijk->abk", kernel, kernel, moved)
    return np.asarray(0.5 * (forms + forms.transpose(1, 0, 2)))


def _brackets(twists: Array) -> Array:
    """Return [S_i, S_j] for i < j, zero otherwise. Shape (n, n, 6)."""
    v, w = twists[:3].T, twists[3:].T
    linear = np.cross(w[:, None], v[None, :]) - np.cross(w[None, :], v[:, None])
    angular = np.cross(w[:, None], w[None, :])
    earlier = np.triu(np.ones((len(v), len(v))), k=1)
    return np.asarray(np.concatenate([linear, angular], axis=2) * earlier[:, :, None])


def _at(twists: Array, point: Array) -> Array:
    """Return twists (6, ...) as seen at another point: v + w × p, w."""
    moved = np.array(twists)
    moved[:3] += np.moveaxis(np.cross(np.moveaxis(twists[3:], 0, -1), point), -1, 0)
    return moved


def _row(ring: Ring, joint: int, sample: Sample) -> Array:
    row = ring.rows[joint - 1]

    def number(poly: Poly) -> float:
        return ring.evaluate(poly, sample.values)

    if row.is_revolute:
        angle = Angle(((joint, 1),))
        c, s, d = sample.values[angle.cos], sample.values[angle.sin], number(row.d)
    else:
        c, s = number(row.turn[0]), number(row.turn[1])
        d = number(row.d) + sample.values[ring.slides[joint]]
    ca, sa, a = number(row.twist[0]), number(row.twist[1]), number(row.a)
    return np.array(
        [
            [c, -ca * s, sa * s, a * c],
            [s, ca * c, -sa * c, a * s],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
