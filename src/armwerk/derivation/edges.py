"""Inner or outer: whether an arm stands at the edge of its work space where it is singular.

In a singular configuration some motion q' of the joints (the kernel of the Jacobian) leaves the
tool at rest in first order. To second order the tool is accelerated by

    Σ_{i<j} q_i' q_j' [S_i, S_j]

with the twists S of the joints and their Lie brackets. What of this lies in the range of the
Jacobian can be undone by other joints. The rest is the criterion:

- For some direction that the arm has lost, it has the same sign for all motions of the kernel:
  whichever way the joints go, the tool goes to the same side. It stands at the edge of the work
  space (or of a hole in it), as with an elbow stretched or folded: an *outer* singularity.
- Otherwise the motion can go on with the tool at rest, as with two axes in line, or the tool can
  go to either side: an *inner* singularity.

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

Kind = Literal["inner", "outer"]

_SAME = 1e-10  # share of the largest singular value that counts as zero; the roots are exact
_CURVED = 1e-11  # share of the largest bracket below which a second-order term is rounding; the
# folded Puma, whose forearm is 0.5 mm longer than its upper arm, has 1e-8
_DIRECTIONS = 64  # lost directions tried when there are several


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
    return ("outer" if _has_definite(curved / size) else "inner"), kernel[:, 0]


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
