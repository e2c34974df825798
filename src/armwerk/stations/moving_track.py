"""A track on a work piece that moves: the same track as the arm has to drive it.

In: a track in the frame of the work piece, and external axes by its arc length. Out: the track in
the frame of the arm's mount, with first to third derivatives,

    T_mount_tool(s) = T_mount_piece(e(s)) T_piece_tool(s)

Matrices are carried with their derivatives, products by Leibniz's rule; of a joint with generator K

    M = exp(K e),  M' = K e' M,  M'' = (K² e'² + K e'') M,  M''' = (K³ e'³ + 3 K² e' e'' + K e''') M
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import comb
from typing import Protocol

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.geometry import inverse
from armwerk.mechanics.chain import Chain
from armwerk.motion.path.track import Track

ORDERS = 4
"""A value and its first to third derivatives."""
_ONE = 1e-9  # [m] within which two places along a track count as one


class ExternalMotion(Protocol):
    """Values of k external axes by the arc length of a track."""

    @property
    def breaks(self) -> Array:
        """Arc lengths between which the values are polynomials [m]. Shape (j,)."""
        ...

    def evaluate(self, s: Array) -> Array:
        """Return e, e', e'', e''' [rad, m]. Shape (m, 4, k)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Carriers:
    """What carries work piece and arm.

    Args:
        table: Chain of the table; None: the work piece rests in the world.
        carrier: Chain of what carries the arm; None: it rests.
    """

    table: Chain | None
    carrier: Chain | None

    def derivatives(self, e: Array) -> Array:
        """Return T_mount_piece with its derivatives. Shape (4, m, 4, 4).

        Args:
            e: Values and derivatives of the external axes, those of the table from the plate
                inwards first. Shape (m, 4, k).
        """
        count = len(e)
        turning = 0 if self.table is None else self.table.dof
        if self.carrier is None:
            mount = _constant(np.eye(4), count)
        else:
            mount = _backwards(self.carrier, e[:, :, turning:])
        if self.table is None:
            return mount
        return product_jet(mount, _forwards(self.table, e[:, :, :turning][:, :, ::-1]))


@dataclass(frozen=True, slots=True, eq=False)
class MovingTrack(Track):
    """A track on a moving work piece, as poses of the tool in the arm's mount.

    Args:
        curves: On the work piece, in order; likewise ``orientations``.
        carriers: What moves work piece and arm.
        external: By the arc length on the work piece.
    """

    carriers: Carriers = field(kw_only=True)
    external: ExternalMotion = field(kw_only=True)

    def breaks(self) -> Array:
        """Arc lengths where something begins or ends, external axes included. Shape (k,)."""
        both = np.sort(np.concatenate([Track.breaks(self), self.external.breaks]))
        inside = both[(both >= 0.0) & (both <= self.length)]
        keep = np.append(True, np.diff(inside) > _ONE * max(min(self.length, 1.0), 1e-3))
        inside = inside[keep]
        inside[-1] = self.length
        return np.asarray(inside)

    def is_even(self, s: Array) -> Flags:
        """Return where the tool goes straight on and turns evenly: nowhere for sure."""
        return np.zeros(len(s), dtype=bool)

    def evaluate(self, s: Array, left: bool = False) -> tuple[Array, Array]:
        """Return poses in the mount (m, 3, 4) and their derivatives as twists (m, 3, 6)."""
        poses, twists = Track.evaluate(self, s, left)
        around = self.carriers.derivatives(self.external.evaluate(np.asarray(s, dtype=np.float64)))
        return twists_of(product_jet(around, jet_of(poses, twists)))


def moving_track(track: Track, carriers: Carriers, external: ExternalMotion) -> MovingTrack:
    """Return a track on a work piece as the arm has to drive it."""
    given = {one.name: getattr(track, one.name) for one in fields(track) if one.init}
    return MovingTrack(**given, carriers=carriers, external=external)


def product_jet(one: Array, two: Array) -> Array:
    """Return a product with its derivatives; each of shape (4, m, 4, 4)."""
    rows = [
        sum((comb(order, k) * (one[k] @ two[order - k]) for k in range(order + 1)), np.zeros(()))
        for order in range(ORDERS)
    ]
    return np.array(rows)


def jet_of(poses: Array, twists: Array) -> Array:
    """Return poses with derivatives as matrices, from those as twists. Shape (4, m, 4, 4)."""
    out = np.zeros((ORDERS, len(poses), 4, 4))
    out[0, :, :3], out[0, :, 3, 3] = poses, 1.0
    w = [_skew(twists[:, k, 3:]) for k in range(3)]
    R = poses[:, :, :3]
    R1 = w[0] @ R
    R2 = w[1] @ R + w[0] @ R1
    R3 = w[2] @ R + 2.0 * (w[1] @ R1) + w[0] @ R2
    for order, turned in enumerate((R1, R2, R3), start=1):
        out[order, :, :3, :3] = turned
        out[order, :, :3, 3] = twists[:, order - 1, :3]
    return out


def twists_of(jet: Array) -> tuple[Array, Array]:
    """Return poses (m, 3, 4) and twists (m, 3, 6) from matrices with derivatives."""
    poses = np.ascontiguousarray(jet[0, :, :3])
    R, R1, R2, R3 = (jet[k, :, :3, :3] for k in range(ORDERS))
    back = np.swapaxes(R, 1, 2)
    w0 = R1 @ back
    w1 = (R2 - w0 @ R1) @ back
    w2 = (R3 - 2.0 * (w1 @ R1) - w0 @ R2) @ back
    twists = np.empty((len(poses), 3, 6))
    for order, turn in enumerate((w0, w1, w2)):
        twists[:, order, :3] = jet[order + 1, :, :3, 3]
        twists[:, order, 3:] = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
    return poses, twists


def _skew(v: Array) -> Array:
    out = np.zeros((len(v), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = v.T
    return out - np.swapaxes(out, 1, 2)


def _constant(pose: Array, count: int) -> Array:
    out = np.zeros((ORDERS, count, 4, 4))
    out[0] = pose
    return out


def _plain(chain: Chain) -> list[Array]:
    """Return the constant transforms of a chain, without what else stands in them."""
    plain = np.array(chain.constants)
    plain[:, 3] = (0.0, 0.0, 0.0, 1.0)
    return list(plain)


def _forwards(chain: Chain, q: Array) -> Array:
    return _chain_jet(_plain(chain), chain.revolute, q)


def _backwards(chain: Chain, q: Array) -> Array:
    constants = [inverse(one) for one in reversed(_plain(chain))]
    return _chain_jet(constants, chain.revolute[::-1], -q[:, :, ::-1])


def _chain_jet(constants: Sequence[Array], revolute: Flags, q: Array) -> Array:
    """Return C0 M1 C1 … Mn Cn with derivatives. Shape (4, m, 4, 4).

    Args:
        constants: n + 1 of shape (4, 4).
        revolute: Which joints turn. Shape (n,).
        q: Joint values with derivatives. Shape (m, 4, n).
    """
    out = _constant(constants[0], len(q))
    for joint, turns in enumerate(revolute):
        out = product_jet(out, _joint_jet(q[:, :, joint], bool(turns))) @ constants[joint + 1]
    return out


def _joint_jet(q: Array, turns: bool) -> Array:
    """Return the motion of a joint with derivatives. Shape (4, m, 4, 4)."""
    K, M = np.zeros((4, 4)), np.zeros((len(q), 4, 4))
    M[:] = np.eye(4)
    if turns:
        K[0, 1], K[1, 0] = -1.0, 1.0
        c, s = np.cos(q[:, 0]), np.sin(q[:, 0])
        M[:, 0, 0], M[:, 0, 1], M[:, 1, 0], M[:, 1, 1] = c, -s, s, c
    else:
        K[2, 3] = 1.0
        M[:, 2, 3] = q[:, 0]
    e1, e2, e3 = (q[:, k, None, None] for k in (1, 2, 3))
    K2 = K @ K
    K3 = K2 @ K
    first, second = K * e1, K2 * e1**2 + K * e2
    third = K3 * e1**3 + 3.0 * K2 * e1 * e2 + K * e3
    return np.stack([M, first @ M, second @ M, third @ M])
