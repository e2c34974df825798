"""Inverse kinematics of any six-axis arm with two slides, counted.

In: a packed arm of four turns and two slides, and a pose. Out: its solutions, eight at most, and
whether it is proved that there are no others.

A pose makes a loop of the arm. Slides do not turn anything, so the rotations of the loop are those
of its four turns, with fixed rotations B between them:

    Z_0 B_0 Z_1 B_1 Z_2 B_2 Z_3 B_3 = 1.

With θ_0 given, the axis of Z_3 in the frame before Z_1 is a known unit vector u, and its third
component fixes θ_2 but for the sign of a root w; then θ_1 follows from the other two, divided by
m = u_x² + u_y². What is left is one equation: the way around the loop lies in the plane of both
slides. It is g(θ_0, ±w) = 0, and

    p(θ_0) = m g(θ_0, w) g(θ_0, -w)

is a trigonometric polynomial of degree 4. It is taken from 17 samples, so that its harmonics 5 to
8, which are zero, show the error. Its real roots lie between the places where its slope vanishes.
All are certain if p at these places, and the slope at every root, is more than the error explains;
then each gives one solution.

Any of the four turns can be the one that is hidden; they are tried in turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Flags
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import wrap
from armwerk.mechanics.inverse.folds import PoseGoal
from armwerk.mechanics.inverse.interface import TOLERANCE

Complex = NDArray[np.complex128]

DEGREE = 4
_NODES = 17
_NODE = 2.0 * np.pi * np.arange(_NODES) / _NODES + 0.1234  # no angle that people like
_ORDER = np.arange(-(_NODES // 2), _NODES // 2 + 1)
_FIT = np.exp(-1j * np.outer(_ORDER, _NODE)) / _NODES
_MIDDLE = _NODES // 2
_SEEN = 200.0  # the error is taken as this many times what harmonics that should vanish show
_UNITS = 1e-13  # and at least as this share of the size of what p is made of
_EDGE = 1e-6  # [rad] a solution may lie beside its root
_STEPS = 12
_FLAT = 1e-9  # a view whose neighbouring axes are parallel to this is left out
_TINY = 1e-30


class _Segment(NamedTuple):
    """What lies between two turns of the loop, lengths in scales.

    Attributes:
        rotation: Shape (3, 3).
        offset: With all slides at zero. Shape (3,).
        slides: Which joints slide here, and in which direction. Shapes (), (3,).
    """

    rotation: Array
    offset: Array
    slides: tuple[tuple[int, Array], ...]


class _Angles(NamedTuple):
    """Hidden angles with both roots, and what closes the loop then.

    Attributes:
        second, middle: Cosine and sine of θ_1 and θ_2. Shape (k, 2).
        way: Around the loop without slides. Shape (k, 3).
        slides: Directions of both. Shape (k, 3, 2).
        missed: The volume g. Shape (k,).
        level: m. Shape (k,).
    """

    second: Complex
    middle: Complex
    way: Complex
    slides: Complex
    missed: Complex
    level: Complex


class TwoSlides:
    """All solutions of an arm with four turns and two slides; see the module.

    Args:
        chain: Of six joints, two of which slide.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._turns = [int(k) for k in np.flatnonzero(chain.revolute)]
        self._links = [_link(chain, k) for k in range(7)]

    def solutions(self, T: Array) -> tuple[Array, bool]:
        """Return solutions of a pose, and whether it is proved that there are no others. (k, 6)."""
        segments = self._segments(T)
        found: list[Array] = []
        for hidden in range(4):
            view = [segments[(hidden + k) % 4] for k in range(4)]
            mine, proved = self._seen(T, view, hidden)
            if proved:
                return mine, True
            found.extend(mine)
        return np.array(found).reshape(-1, 6), False

    def _segments(self, T: Array) -> list[_Segment]:
        inverse = np.eye(4)
        inverse[:3, :3] = T[:3, :3].T
        inverse[:3, 3] = -T[:3, :3].T @ T[:3, 3] / self.chain.scale
        links = [*self._links[1:6], self._links[6] @ inverse @ self._links[0]]
        found = []
        for k, turn in enumerate(self._turns):
            pose, slides, joint = links[turn], [], (turn + 1) % 6
            while joint != self._turns[(k + 1) % 4]:
                slides.append((joint, pose[:3, 2].copy()))
                pose, joint = pose @ links[joint], (joint + 1) % 6
            found.append(_Segment(pose[:3, :3], pose[:3, 3], tuple(slides)))
        return found

    def _seen(self, T: Array, view: list[_Segment], hidden: int) -> tuple[Array, bool]:
        """Return the solutions that a view shows, and whether these are all."""
        none = np.empty((0, 6))
        if _tilt(view) < _FLAT:
            return none, False
        one, two = _at(view, _NODE, 1.0), _at(view, _NODE, -1.0)
        if np.abs(one.level).min() < _FLAT:
            return none, False
        values = (one.level * one.missed * two.missed).real
        harmonics = _FIT @ values
        high = np.abs(harmonics[np.abs(_ORDER) > DEGREE]).max()
        size = max(float((_volume(one) * _volume(two)).max()), float(np.abs(values).max()))
        error = max(_SEEN * float(high), _UNITS * size)
        p = harmonics[_MIDDLE - DEGREE : _MIDDLE + DEGREE + 1]
        roots, certain = _real_roots(p, error)
        starts = self._substituted(view, hidden, roots)
        joints, right = self._polished(T, starts)
        if not certain or len(joints) != len(roots) or not right.all():
            return joints[right], False
        angles = joints[:, self._turns[hidden]]
        beside = np.abs(np.angle(np.exp(1j * (angles - roots))))
        return joints[right], bool((beside < _EDGE).all())

    def _substituted(self, view: list[_Segment], hidden: int, roots: Array) -> Array:
        """Return the joints of hidden angles, with the root w that closes the loop. (k, 6)."""
        one, two = _at(view, roots, 1.0), _at(view, roots, -1.0)
        other = np.abs(two.missed) < np.abs(one.missed)
        second, middle, way = (
            np.where(other[:, None], theirs, ours).real
            for ours, theirs in (
                (one.second, two.second),
                (one.middle, two.middle),
                (one.way, two.way),
            )
        )
        slides = np.where(other[:, None, None], two.slides, one.slides).real
        joints = np.zeros((len(roots), 6))
        turns = [self._turns[(hidden + k) % 4] for k in range(4)]
        joints[:, turns[0]] = roots
        joints[:, turns[1]] = np.arctan2(second[:, 1], second[:, 0])
        joints[:, turns[2]] = np.arctan2(middle[:, 1], middle[:, 0])
        # Z_3⁻¹ = B_3 Z_0 B_0 Z_1 B_1 Z_2 B_2
        last = view[3].rotation @ _turns_of(np.cos(roots), np.sin(roots)).real @ view[0].rotation
        last = last @ _turns_of(second[:, 0], second[:, 1]).real @ view[1].rotation
        last = last @ _turns_of(middle[:, 0], middle[:, 1]).real @ view[2].rotation
        joints[:, turns[3]] = np.arctan2(
            last[:, 0, 1] - last[:, 1, 0], last[:, 0, 0] + last[:, 1, 1]
        )
        shares = -np.linalg.pinv(slides) @ way[:, :, None]
        joints[:, _slides(view)] = shares[:, :, 0] * self.chain.scale
        return joints

    def _polished(self, T: Array, joints: Array) -> tuple[Array, Flags]:
        """Return joints after Newton's method, angles in (-π, π], and which reach the pose."""
        goal = PoseGoal(self.chain, T, "pose", 6)
        if not len(joints):
            return joints, np.zeros(0, dtype=np.bool_)
        for _ in range(_STEPS):
            error = goal.missed(joints)
            if np.abs(error).max() < goal.rounding:
                break
            U, S, Vt = np.linalg.svd(goal.jacobian(joints))
            damping = np.minimum(1e-2, np.square(error).sum(axis=1, keepdims=True)) + 1e-28
            share = S / (S * S + damping) * (U.transpose(0, 2, 1) @ error[:, :, None])[:, :, 0]
            step = (Vt.transpose(0, 2, 1) @ share[:, :, None])[:, :, 0]
            longest = np.abs(step).max(axis=1, keepdims=True)
            joints = goal.moved(joints, step * (0.5 / np.maximum(0.5, longest)))
        error = np.abs(goal.missed(joints))
        right = error[:, :3].max(axis=1) * self.chain.scale < TOLERANCE
        return wrap(self.chain, joints), right & (error[:, 3:].max(axis=1) < TOLERANCE)


def _link(chain: Chain, k: int) -> Array:
    link = np.eye(4)
    link[:3] = chain.constants[k, :3]
    link[:3, 3] /= chain.scale
    return link


def _turn(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _turns_of(cosine: Complex | Array, sine: Complex | Array) -> Complex:
    """Return turns about z. Shape (k, 3, 3)."""
    found = np.zeros((len(cosine), 3, 3), dtype=np.complex128)
    found[:, 0, 0], found[:, 0, 1] = cosine, -sine
    found[:, 1, 0], found[:, 1, 1] = sine, cosine
    found[:, 2, 2] = 1.0
    return found


def _tilt(view: list[_Segment]) -> float:
    """Return r: nothing where the second turn, or the last, is parallel to the middle one."""
    row, column = view[1].rotation[2], view[2].rotation[:, 2]
    return float(np.hypot(row[0], row[1]) * np.hypot(column[0], column[1]))


def _slides(view: list[_Segment]) -> list[int]:
    """Return the joints that slide, in the order of `_Angles.slides`."""
    return [joint for k in (0, 3, 1, 2) for joint, _ in view[k].slides]


def _at(view: list[_Segment], angles: Array, sign: float) -> _Angles:
    """Return what hidden angles and the sign of the root w give."""
    first, second, third, fourth = view
    back = _turns_of(np.cos(angles) + 0j, -np.sin(angles) + 0j)  # Z_0⁻¹
    u = (first.rotation.T @ back @ fourth.rotation.T)[:, :, 2]
    row, column = second.rotation[2], third.rotation[:, 2]
    P = row[0] * column[0] + row[1] * column[1]
    Q = row[1] * column[0] - row[0] * column[1]
    square = P * P + Q * Q
    k = u[:, 2] - row[2] * column[2]
    w = sign * np.sqrt(square - k * k)
    middle = np.stack([(P * k - Q * w) / square, (Q * k + P * w) / square], axis=1)
    over = second.rotation @ _turns_of(middle[:, 0], middle[:, 1])  # B_1 Z_2
    v = over @ column
    level = u[:, 0] * u[:, 0] + u[:, 1] * u[:, 1]
    above = np.where(np.abs(level) < _TINY, _TINY, level)  # where u is the axis of Z_1 itself
    cosine = (v[:, 0] * u[:, 0] + v[:, 1] * u[:, 1]) / above
    sine = (v[:, 0] * u[:, 1] - v[:, 1] * u[:, 0]) / above
    near = _turns_of(cosine, -sine) @ first.rotation.T  # Z_1⁻¹ B_0⁻¹
    far = near @ back @ fourth.rotation.T
    frames = (near, far, None, over)
    way = near @ first.offset + far @ fourth.offset + second.offset + over @ third.offset
    columns = []
    for frame, segment in zip(frames, (first, fourth, second, third), strict=True):
        for _, along in segment.slides:
            columns.append(np.zeros_like(way) + along if frame is None else frame @ along)
    slides = np.stack(columns, axis=2)
    missed = np.linalg.det(np.concatenate([slides, way[:, :, None]], axis=2))
    return _Angles(np.stack([cosine, sine], axis=1), middle, way, slides, missed, level)


def _volume(at: _Angles) -> Array:
    """Return how large g can be at most, rounding included. Shape (k,)."""
    sizes = np.linalg.norm(at.slides, axis=1).prod(axis=1) * np.linalg.norm(at.way, axis=1)
    return np.asarray(sizes, dtype=np.float64)


def _values(p: Complex, angles: Array, order: int) -> Array:
    """Return a derivative of a trigonometric polynomial of degree 4. Shape (k,)."""
    harmonics = np.arange(-DEGREE, DEGREE + 1)
    terms = np.exp(1j * np.outer(angles, harmonics)) * (1j * harmonics) ** order
    return np.asarray((terms @ p).real, dtype=np.float64)


def _real_roots(p: Complex, error: float) -> tuple[Array, bool]:
    """Return the real roots of a polynomial known to an error, and whether all are certain."""
    harmonics = np.arange(-DEGREE, DEGREE + 1)
    slope = np.trim_zeros((1j * harmonics * p)[::-1], "f")
    size = float(np.abs(p).sum())
    if not size > error or len(slope) < 2:
        return np.empty(0), False
    flat = np.roots(slope)
    flat = flat[np.abs(flat) > 0.0]
    cuts = np.sort(np.angle(flat))
    heights = _values(p, cuts, 0)
    after = np.roll(heights, -1)
    crossed = (heights < 0.0) != (after < 0.0)
    ends = np.append(cuts[1:], cuts[0] + 2.0 * np.pi)
    places = _between(p, cuts[crossed], ends[crossed], heights[crossed] < 0.0)
    # where the slope is rounding, rounding could add or remove roots
    doubtful = np.abs(heights) <= error
    certain = not bool((doubtful & (np.abs(_values(p, cuts, 1)) < 1e-3 * size)).any())
    if len(places):
        steep = np.abs(_values(p, places, 1))
        wide = 2.0 * error / np.maximum(steep, 1e-300)
        bend = float((np.abs(p) * harmonics**2).sum())
        certain = certain and bool((steep > DEGREE * error + bend * wide).all())
    return places, certain


def _between(p: Complex, low: Array, high: Array, below: Flags) -> Array:
    """Return the roots between angles at which the signs differ. Shape (k,)."""
    x = 0.5 * (low + high)
    for _ in range(60 if len(x) else 0):
        value, slope = _values(p, x, 0), _values(p, x, 1)
        rises = (value < 0.0) == below
        low, high = np.where(rises, x, low), np.where(rises, high, x)
        after = x - value / np.where(slope == 0.0, 1e-300, slope)
        after = np.where((after > low) & (after < high), after, 0.5 * (low + high))
        done = np.abs(after - x).max() < 1e-13
        x = after
        if done:
            break
    return x
