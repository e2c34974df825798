"""How an assembly moves: the Jacobian by differentiating the ties of its closed chains.

Treat the passive elements as if they had motors of their own, with rates p'. Tied points keep
together, A_q q' + A_p p' = 0, so p' = -A_p⁻¹ A_q q', and the hand moves by
(J_q - J_p A_p⁻¹ A_q) q'. This is exact: nothing is differenced. A platform adds its twist as six
more unknowns, tied by the velocities of its anchors.
"""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.assembly.walk import Walk, WalkState
from armwerk.robot.loops import ClosedChain, Platform


def jacobian(walk: Walk, found: WalkState, tip: str, loops: tuple[ClosedChain, ...]) -> Array:
    """Return the Jacobian of a part's origin, rows v then w, body frame. Shape (m, 6, n).

    Args:
        walk: The assembly.
        found: Frames and values of everything on the chains of ``loops`` and to ``tip``.
        tip: The part that moves.
        loops: The closed chains that the frame of ``tip`` depends on.

    Returns:
        nan where a loop is open, and where the motors do not determine the motion (a singular
        configuration of the closed chain).
    """
    columns = _Columns(walk, found, loops)
    whole = columns.of(tip, _origin(found, tip))
    motors = walk.assembly.dof
    if not loops:
        return whole[:, :, :motors]
    ties = np.concatenate([_tie(columns, found, loop) for loop in loops], axis=1)
    return np.asarray(
        whole[:, :, :motors]
        - whole[:, :, motors:] @ _solve(ties[:, :, motors:], ties[:, :, :motors])
    )


class _Columns:
    """Velocities of points per unit rate of every motor, passive element and platform."""

    def __init__(self, walk: Walk, found: WalkState, loops: tuple[ClosedChain, ...]) -> None:
        self.walk, self.found = walk, found
        self.place: dict[str, int] = {}
        self.count = walk.assembly.dof
        for loop in loops:
            names = (loop.tie.name,) if isinstance(loop.tie, Platform) else ()
            for name in (*loop.passives, *names):
                self.place[name] = self.count
                self.count += 6 if name in names else _width(walk, name)

    def of(self, name: str, point: Array) -> Array:
        """Return the Jacobian (m, 6, all) of a point fixed to the frame of a part."""
        result = np.zeros((self.found.size, 6, self.count))
        *carriers, _ = self.walk.assembly.path(name)
        root = self.walk.assembly.path(name)[0]
        if root in self.place and isinstance(self.walk.assembly.tree[root].part, Platform):
            at = self.place[root]
            result[:, :, at : at + 6] = _twist_columns(point - _origin(self.found, root))
        for carrier in carriers:
            self._fill(result, carrier, point)
        return result

    def _fill(self, result: Array, name: str, point: Array) -> None:
        node = self.walk.nodes[name]
        if not node.motion:
            return
        at = self.place[name] if node.motor is None else node.motor
        rotation, origin = self.found.frames[name]
        if node.motion == "shift":
            result[:, :3, at] = rotation[:, :, 0]
            return
        axis = rotation[:, :, 2]
        if node.motion == "point":
            pitch = self.found.values[name][:, 1, None]
            axis = np.cos(pitch) * axis - np.sin(pitch) * rotation[:, :, 0]
            second = -rotation[:, :, 1]
            result[:, :3, at + 1] = np.cross(second, point - origin)
            result[:, 3:, at + 1] = second
        result[:, :3, at] = np.cross(axis, point - origin)
        result[:, 3:, at] = axis


def _width(walk: Walk, name: str) -> int:
    return 2 if walk.nodes[name].motion == "point" else 1


def _twist_columns(arm: Array) -> Array:
    """Return the velocities of points at ``arm`` for the unit twists of a body."""
    result = np.tile(np.eye(6), (len(arm), 1, 1))
    x, y, z = arm[:, 0], arm[:, 1], arm[:, 2]
    result[:, 0, 4], result[:, 0, 5] = z, -y
    result[:, 1, 3], result[:, 1, 5] = -z, x
    result[:, 2, 3], result[:, 2, 4] = y, -x
    return result


def _tie(columns: _Columns, found: WalkState, loop: ClosedChain) -> Array:
    """Return the rows of A for one loop: velocities of tied points minus each other."""
    if isinstance(loop.tie, Platform):
        rotation, position = found.frames[loop.tie.name]
        rows = []
        for chain, (_, anchor) in zip(loop.chains, loop.tie.legs, strict=True):
            point = position + rotation @ np.array(anchor)
            on_plate = columns.of(loop.tie.name, point)
            rows.append(columns.of(chain.point, point)[:, :3] - on_plate[:, :3])
        return np.concatenate(rows, axis=1)
    union = found.unions[loop.tie.name]
    first, *others = (columns.of(chain.point, union)[:, :3] for chain in loop.chains)
    ties = np.concatenate([first - other for other in others], axis=1)
    if loop.pattern == "TIGHT_PSEUDO" and len(loop.passives) == 1:
        # the chain hangs on: only the two directions in which its FULLROT turns it are tied
        at = columns.place[loop.passives[0]]
        ties = np.swapaxes(ties[:, :, at : at + 2], 1, 2) @ ties
    return ties


def _solve(left: Array, right: Array) -> Array:
    """Solve many small systems; nan for those that are singular."""
    try:
        return np.asarray(np.linalg.solve(left, right))
    except np.linalg.LinAlgError:
        result = np.full(right.shape, np.nan)
        for k in range(len(left)):
            if np.isfinite(left[k]).all() and np.linalg.matrix_rank(left[k]) == left.shape[-1]:
                result[k] = np.linalg.solve(left[k], right[k])
        return result


def _origin(found: WalkState, name: str) -> Array:
    position = found.frames[name][1]
    return np.broadcast_to(position, (found.size, 3))
