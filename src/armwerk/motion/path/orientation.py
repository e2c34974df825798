"""Orientations along a path: rotation and its rates by arc length.

An orientation is a function of the arc length s, evaluated together with the curve's position:

    R(s), ω(s), ω'(s), ω''(s)    with dR/ds = [ω]× R, in the world [rad/m, rad/m², rad/m³]

`EvenTurn` goes the short way at an even rate, related to space or carried by the frame of the path.
`QuaternionCurve` is a polynomial through given orientations, for zones and splines. `Inclined`
keeps the tool in the upright plane through the arm's first axis, as a five-axis arm must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import (
    quaternion_from_rotation,
    rotation_exp,
    rotation_from_quaternion,
    rotation_log,
)
from armwerk.geometry.rotation import cross
from armwerk.motion.curves.piecewise import Piecewise, hermite
from armwerk.motion.kernels.carried import add_turns


class PathFrame(Protocol):
    """A frame that goes along a curve; see `armwerk.motion.path.segments`."""

    def evaluate(self, s: Array) -> tuple[Array, Array]:
        """Return F(s) with F(0) = 1, and ω, ω', ω''. Shapes (m, 3, 3) and (m, 3, 3)."""
        ...


class Orientation(Protocol):
    """Rotation along a path."""

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R(s) and its rates.

        Args:
            s: Arc lengths [m]. Shape (m,).
            position: p, p', p'', p''' of the path there. Shape (m, 4, 3).

        Returns:
            R, shape (m, 3, 3); ω, ω', ω'' in rows, shape (m, 3, 3).
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class EvenTurn:
    """R(s) = F(s) exp(s rate) R(0): even turning, F the frame of the path or 1.

    Args:
        start: R(0). Shape (3, 3).
        rate: Rotation vector per arc length, in the world at s = 0 [rad/m]. Shape (3,).
        frame: Frame of the path; None: related to space.
    """

    start: Array
    rate: Array
    frame: PathFrame | None = None

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3)."""
        if not self.rate.any():
            R = np.broadcast_to(self.start, (len(s), 3, 3))
        else:
            R = rotation_exp(s[:, None] * self.rate) @ self.start
        rates = np.zeros((len(s), 3, 3))
        if self.frame is None:
            rates[:, 0] = self.rate
            return R, rates
        frame, turning = self.frame.evaluate(s)
        own = frame @ self.rate
        rates[:] = turning
        along = cross(turning[:, 0], own)
        rates[:, 0] += own
        rates[:, 1] += along
        rates[:, 2] += cross(turning[:, 1], own) + cross(turning[:, 0], along)
        return frame @ R, rates


def even_turn(start: Array, end: Array, length: float, frame: PathFrame | None = None) -> EvenTurn:
    """Return the even turn from one orientation to another the short way.

    Args:
        start: R at s = 0. Shape (3, 3).
        end: R at s = length. Shape (3, 3).
        length: Arc length it takes [m].
        frame: Frame of the path; None: related to space. What the frame turns by itself is
            not counted: the tool turns the short way relative to it.
    """
    goal = end if frame is None else frame.evaluate(np.array([length]))[0][0].T @ end
    return EvenTurn(start, np.asarray(rotation_log(goal @ start.T)) / length, frame)


@dataclass(frozen=True, slots=True, eq=False)
class QuaternionCurve:
    """R(s) of the quaternion polynomial Q(s), whatever its length.

    With N = Q·Q and Im the vector part: ω = 2 Im(Q' Q*) / N, since a change of length only shows
    in the real part; ω' and ω'' follow by the quotient rule.

    Args:
        polynomial: Q(s). Dimension 4.
    """

    polynomial: Piecewise

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3)."""
        given = self.polynomial.derivatives(s)
        q0, q1, q2, q3 = (given[:, k] for k in range(4))
        norm = (q0 * q0).sum(axis=1)[:, None]
        norm_1 = 2.0 * (q0 * q1).sum(axis=1)[:, None] / norm
        norm_2 = 2.0 * (q1 * q1 + q0 * q2).sum(axis=1)[:, None] / norm
        second = 2.0 * _vector(q2, q0) / norm
        w0 = 2.0 * _vector(q1, q0) / norm
        w1 = second - w0 * norm_1
        third = 2.0 * (_vector(q3, q0) + _vector(q2, q1)) / norm - second * norm_1
        w2 = third - w1 * norm_1 - w0 * (norm_2 - norm_1**2)
        return rotation_from_quaternion(q0), np.stack([w0, w1, w2], axis=1)


def _vector(p: Array, q: Array) -> Array:
    """Return the vector part of p q*. Shape (m, 3)."""
    return np.asarray(p[:, 1:] * q[:, :1] - p[:, :1] * q[:, 1:] - cross(p[:, 1:], q[:, 1:]))


def quaternion_blend(
    start: tuple[Array, Array], end: tuple[Array, Array], length: float
) -> QuaternionCurve:
    """Return the quintic that takes over one orientation and its rates and hands over another.

    Args:
        start: R (3, 3) and rates ω, ω', … in rows at s = 0.
        end: The same at s = length.
        length: [m].
    """
    first, last = _quaternion_rates(*start), _quaternion_rates(*end)
    if first[0] @ last[0] < 0.0:
        last = -last
    return QuaternionCurve(hermite(first, last, length))


def _quaternion_rates(rotation: Array, rates: Array) -> Array:
    """Return Q, Q' = ½ ω Q and Q'' = ½ (ω' Q + ω Q'). Shape (3, 4)."""
    q = quaternion_from_rotation(rotation)
    first = 0.5 * _times(rates[0], q)
    second = 0.5 * (_times(rates[1], q) + _times(rates[0], first))
    return np.stack([q, first, second])


def _times(vector: Array, q: Array) -> Array:
    """Return the product of the pure quaternion (0, vector) and q. Shape (4,)."""
    return np.concatenate([[-(vector @ q[1:])], q[0] * vector + cross(vector, q[1:])])


def quaternion_spline(lengths: Array, rotations: Array) -> QuaternionCurve:
    """Return the C2 curve through orientations (k, 3, 3) at arc lengths (k,)."""
    from armwerk.motion.curves.parametric import interpolant

    q = quaternion_from_rotation(rotations)
    for k in range(1, len(q)):
        if q[k] @ q[k - 1] < 0.0:
            q[k] = -q[k]
    return QuaternionCurve(interpolant(lengths, q))


@dataclass(frozen=True, slots=True, eq=False)
class Inclined:
    """R = Rz(φ) Ry(β) Rz(γ) with φ the direction of the tool point from the upright axis.

    β is 90° less the inclination of the tool's z axis above the horizon, γ its roll.

    Args:
        angles: β and γ by arc length [rad]. Dimension 2.
        centre: Where the upright axis stands, x and y [m]. Shape (2,).
        around: φ by arc length [rad], dimension 1, of a curve that stays in one upright plane
            through the axis, where it may meet the axis; None: φ is that of the tool point.
    """

    angles: Piecewise
    centre: Array
    around: Piecewise | None = None

    def evaluate(self, s: Array, position: Array) -> tuple[Array, Array]:
        """Return R and ω, ω', ω''. Shapes (m, 3, 3).

        ω = φ' z + β' y_φ + γ' e, with y_φ the direction across and e the tool's z axis.
        """
        if self.around is None:
            phi = _direction(position[:, :, :2], self.centre)
        else:
            phi = self.around.derivatives(s)[:, :, 0]
        given = self.angles.derivatives(s)
        beta, gamma = given[:, :, 0], given[:, :, 1]
        R = _upright(phi[:, 0], beta[:, 0], gamma[:, 0])
        axes = np.zeros((len(s), 3, 3))
        axes[:, 0, 2] = 1.0
        axes[:, 1, 0], axes[:, 1, 1] = -np.sin(phi[:, 0]), np.cos(phi[:, 0])
        axes[:, 2] = R[:, :, 2]
        rates = np.stack([phi[:, 1:], beta[:, 1:], gamma[:, 1:]], axis=2)
        turning = np.zeros((len(s), 3, 3))
        add_turns(axes, rates, turning)
        return R, turning


def inclined(
    start: Array, end: Array, points: Array, length: float, centre: Array
) -> Inclined | None:
    """Return the orientation whose inclination and roll change evenly; None when not upright.

    A curve in one upright plane through the axis keeps its direction φ on the axis and beyond it,
    where β changes its sign; a curve on the axis has the directions of the tool at its ends.

    Args:
        start: R at s = 0. Shape (3, 3).
        end: R at s = length. Shape (3, 3).
        points: Tool points along the curve, from its start to its end [m]. Shape (m, 3).
        length: [m].
        centre: Where the upright axis stands [m]. Shape (2,).
    """
    plane = points[:, :2] - centre
    kept = _kept_directions(plane, start, end)
    x, y = plane[[0, -1]].T
    first, last = np.arctan2(y, x) if kept is None else kept
    ends = [_angles_about(first, start), _angles_about(last, end)]
    if ends[0] is None or ends[1] is None:
        return None
    change = ends[1] - ends[0]
    change -= 2.0 * np.pi * np.round(change / (2.0 * np.pi))
    breaks = np.array([0.0, length])
    angles = Piecewise(breaks, np.array([ends[0], change / length])[None])
    if kept is None:
        return Inclined(angles, centre)
    turn = np.array([[first], [(last - first) / length]])
    return Inclined(angles, centre, Piecewise(breaks, turn[None]))


IN_PLANE = 1e-10
"""[m] within which a curve counts as lying in an upright plane, or on the upright axis."""


def _kept_directions(plane: Array, start: Array, end: Array) -> tuple[float, float] | None:
    """Return φ at both ends of a curve in one upright plane through the axis; None for others.

    Args:
        plane: x and y of its points, from the axis [m]. Shape (m, 2).
        start: R at its start. Shape (3, 3).
        end: R at its end. Shape (3, 3).
    """
    x, y = plane[np.argmax(np.hypot(plane[:, 0], plane[:, 1]))]
    r = float(np.hypot(x, y))
    if r < IN_PLANE:
        leans = [rotation[:2, 2] for rotation in (start, end)]
        # a tool that points straight up or down takes the direction of the other end
        known = [float(np.arctan2(v[1], v[0])) for v in leans if np.hypot(*v) > UPRIGHT] or [0.0]
        turn = known[-1] - known[0]
        return known[0], known[0] + turn - 2.0 * np.pi * round(turn / (2.0 * np.pi))
    if np.abs(plane @ np.array([-y, x]) / r).max() > IN_PLANE:
        return None
    phi = float(np.arctan2(y, x))
    return phi, phi


UPRIGHT = 1e-6
"""[rad] by which a tool's z axis may lean out of the upright plane of its arm."""


def upright_angles(rotation: Array, point: Array, centre: Array) -> Array | None:
    """Return β and γ of an orientation Rz(φ) Ry(β) Rz(γ); None when it is not of that form."""
    x, y = point[:2] - centre
    if np.hypot(x, y) < IN_PLANE:  # there the tool itself tells the direction
        x, y = rotation[:2, 2] if np.hypot(*rotation[:2, 2]) > UPRIGHT else (1.0, 0.0)
    return _angles_about(float(np.arctan2(y, x)), rotation)


def _angles_about(phi: float, rotation: Array) -> Array | None:
    """Return β and γ of an orientation Rz(φ) Ry(β) Rz(γ) with a known φ; None: it has none."""
    across = np.array([-np.sin(phi), np.cos(phi), 0.0])
    along = np.array([np.cos(phi), np.sin(phi), 0.0])
    axis = rotation[:, 2]
    if abs(across @ axis) > UPRIGHT:
        return None
    beta = np.arctan2(axis @ along, axis[2])
    gamma = np.arctan2(across @ rotation[:, 0], across @ rotation[:, 1])
    return np.array([beta, gamma])


def upright_rotation(phi: float, inclination: float, roll: float = 0.0) -> Array:
    """Return the orientation of a tool above the horizon by ``inclination`` [rad]. Shape (3, 3)."""
    beta = 0.5 * np.pi - inclination
    return np.asarray(_upright(np.array([phi]), np.array([beta]), np.array([roll]))[0])


def _upright(phi: Array, beta: Array, gamma: Array) -> Array:
    cp, sp, cb, sb, cg, sg = (f(a) for a in (phi, beta, gamma) for f in (np.cos, np.sin))
    R = np.empty((len(phi), 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = cp * cb * cg - sp * sg, -cp * cb * sg - sp * cg, cp * sb
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = sp * cb * cg + cp * sg, -sp * cb * sg + cp * cg, sp * sb
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = -sb * cg, sb * sg, cb
    return R


def _direction(plane: Array, centre: Array) -> Array:
    """Return φ, φ', φ'', φ''' of points (m, 4, 2). Shape (m, 4).

    φ' = (x y' - y x') / r²; on the axis, where it is not fixed, the direction of travel counts.
    """
    x = plane[:, :, 0].copy()
    y = plane[:, :, 1].copy()
    x[:, 0] -= centre[0]
    y[:, 0] -= centre[1]
    square = x[:, 0] ** 2 + y[:, 0] ** 2
    on_axis = square < 1e-24
    square = np.where(on_axis, 1.0, square)
    phi = np.where(on_axis, np.arctan2(y[:, 1], x[:, 1]), np.arctan2(y[:, 0], x[:, 0]))
    turn_1 = x[:, 0] * y[:, 1] - y[:, 0] * x[:, 1]
    turn_2 = x[:, 0] * y[:, 2] - y[:, 0] * x[:, 2]
    turn_3 = x[:, 1] * y[:, 2] - y[:, 1] * x[:, 2] + x[:, 0] * y[:, 3] - y[:, 0] * x[:, 3]
    half_1 = 2.0 * (x[:, 0] * x[:, 1] + y[:, 0] * y[:, 1])
    half_2 = 2.0 * (x[:, 1] ** 2 + y[:, 1] ** 2 + x[:, 0] * x[:, 2] + y[:, 0] * y[:, 2])
    one = turn_1 / square
    two = (turn_2 - one * half_1) / square
    three = (turn_3 - 2.0 * two * half_1 - one * half_2) / square
    keep = ~on_axis
    return np.stack([phi, one * keep, two * keep, three * keep], axis=1)
