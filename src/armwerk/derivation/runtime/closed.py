"""The closed form behind `armwerk.model`: a `ClosedFormSolver` in the words of all inverse methods.

It comes from the cache, or is derived and generated now; Python runs it until it is worth
compiling. What formulas do not cover is handed to the numeric method: positions without
orientation, and singular poses as a last resort. Of an arm with joints to spare the formulas want
some joints as given; several values are tried for these.
"""

from __future__ import annotations

import logging
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armwerk.accelerator import Device
from armwerk.arrays import Array, Integers
from armwerk.derivation.fixed_joints import without_inner_fixed_joints
from armwerk.derivation.runtime.compile import (
    Progress,
    digest,
    find_entry,
    keep_source,
    kernels_for,
    load_kernels,
    read_note,
    read_source,
    tell,
    write_note,
)
from armwerk.derivation.runtime.interface import Kernels
from armwerk.derivation.runtime.kinematics import GENERATOR_VERSION, kinematics
from armwerk.derivation.runtime.singular import Numeric
from armwerk.derivation.runtime.solver import ClosedFormSolver
from armwerk.errors import UnsupportedError
from armwerk.machine_code import machine
from armwerk.mechanics.arrays import goal_array, joint_vector, pose_array
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.choice import distance, fit, in_order
from armwerk.mechanics.inverse.interface import Solution, SolutionSet, Task
from armwerk.mechanics.inverse.reached import reached
from armwerk.mechanics.inverse.tether import Tether, tether
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.kernels.turns import keep_limits
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.derivation.configurations import Configurations
    from armwerk.derivation.program import Program
    from armwerk.mechanics.inverse.numeric import NumericSolver

_log = logging.getLogger(__name__)
_STANDS = 1e-9  # of the largest singular value: a motion of the joints that leaves the tool at rest
_MOVES = 1e-6  # share of a joint in such a motion
_CHOICES = 24  # values tried for a given joint of a redundant arm


class ClosedInverse:
    """All solutions by formula.

    Args:
        arm: With numbers for all dimensions.
        chain: The same, packed.

    Raises:
        UnsupportedError: When it has no closed form; says why.
    """

    name: ClassVar[str] = "closed"

    def __init__(self, arm: Arm, chain: Chain) -> None:
        self.arm = arm
        self.chain = chain
        self.closed = closed = closed_form(arm, numeric=self._numeric_solution)
        self._choices = _choices(chain, closed.given)
        # bound here, so that a call goes straight to the compiled code
        self._all = self._redundant if closed.given else closed.all

    @cached_property
    def numeric(self) -> NumericSolver:
        """The solver for what formulas do not cover; most arms never ask it."""
        from armwerk.mechanics.inverse.numeric import NumericSolver  # compiled code

        return NumericSolver(self.arm, self.chain)

    @cached_property
    def _tether(self) -> Tether:
        """What tells poses that no choice of the given joints reaches."""
        return tether(self.chain)

    def _numeric_solution(self, T: Array) -> Array | None:
        if not self._tether.allows(T):
            return None
        found = self.numeric.solve(T)
        return found.q if found.success else None

    def all(self, T: ArrayLike, within_limits: bool = False) -> Array:
        """Return every solution of a pose; of a redundant arm those of the first choice."""
        if not within_limits:
            return self._all(T)
        pose = goal_array(T, "pose")
        return in_order(self._inside(pose, self._all(pose)))

    def all_batch(
        self, Ts: ArrayLike, within_limits: bool = False, device: Device = "cpu"
    ) -> tuple[Array, Integers]:
        """Return every solution of m poses, nan behind the last, and their numbers."""
        if self.closed.given:
            if device == "gpu":
                raise UnsupportedError(
                    f"arm '{self.arm.name}' has infinitely many solutions, whose choice is made "
                    "on the processor; use device='cpu'"
                )
            poses, _ = pose_array(Ts, "Ts")
            solutions, counts = _padded([self._redundant(T) for T in poses], self.chain.dof)
        else:
            solutions, counts = self.closed.all_batch(Ts, device=device)
        if within_limits:
            for k, pose in enumerate(pose_array(Ts, "Ts")[0]):
                kept = in_order(self._inside(pose, solutions[k, : counts[k]]))
                solutions[k] = np.nan
                solutions[k, : len(kept)] = kept
                counts[k] = len(kept)
        return solutions, counts

    def _inside(self, T: Array, solutions: Array) -> Array:
        """Return the solutions that keep the limits; of a redundant arm one at least, if any does.

        Those of a redundant arm belong to one choice of its given joints, and another may keep the
        limits where this does not.
        """
        kept = _within(self.chain, T, solutions)
        if len(kept) or not len(solutions) or not self.closed.given:
            return kept
        q = self.nearest(T, _middle(self.chain))
        return kept if q is None else q[None]

    def solution_set(self, T: ArrayLike) -> SolutionSet:
        """Return every solution of a pose, and whether there are infinitely many."""
        if not self.closed.given:
            return self.closed.solution_set(T)
        rows = self._redundant(T)
        return SolutionSet(rows, _moving_joints(self.chain, rows))

    def regular(self, T: ArrayLike) -> Array | None:
        """Return every solution of a pose at which formulas need no care; None: they do."""
        return None if self.closed.given else self.closed.regular(T)

    def members(self, T: ArrayLike, q: ArrayLike) -> Array:
        """Return solutions all over a family of infinitely many, some beside q."""
        chosen = [joint - 1 for joint in self.closed.given]
        near = joint_vector(q, self.chain.dof)
        given = [near[chosen], *self._choices] if chosen else [None]
        return np.concatenate([self.closed.members(T, near, one) for one in given])

    def naming(self) -> Configurations:
        """Return names for the solutions: arm left or right, elbow up or down, ..."""
        from armwerk.derivation.configurations import Configurations  # flint

        return Configurations(self.arm)

    def nearest(self, T: ArrayLike, q: ArrayLike, task: Task = "pose") -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""
        if task != "pose":
            return self.numeric.nearest(T, q, task)
        found = self.closed.nearest(T, q)
        if found is not None:
            return found
        if self.closed.given:
            return self._nearest_choice(goal_array(T, "pose"), joint_vector(q, self.chain.dof))
        if self.closed.solution_set(T).family:
            return self.numeric.nearest(T, q)  # of infinitely many only some were tried
        return None

    def solve(self, T: ArrayLike, q0: ArrayLike | None = None, task: Task = "pose") -> Solution:
        """Return the solution within limits nearest to q0 or to the middle, or why not."""
        if task != "pose":
            return self.numeric.solve(T, q0, task)
        pose = goal_array(T, "pose")
        q = self.nearest(pose, _middle(self.chain) if q0 is None else q0)
        if q is None:
            exists = len(self.all(pose)) > 0
            return self._failure(
                "every solution of this pose violates a joint limit"
                if exists
                else "the pose is out of reach"
            )
        return reached(self.chain, q, pose, self.name)

    def _nearest_choice(self, T: Array, q: Array) -> Array | None:
        """Return the nearest over all values tried for the given joints, else what numbers find."""
        if not self._tether.allows(T):
            return None
        tried = (self.closed.nearest(T, q, given=one) for one in self._choices)
        kept = [one for one in tried if one is not None]
        if kept:
            return kept[int(np.argmin([distance(self.chain, one, q) for one in kept]))]
        return self.numeric.nearest(T, q)

    def _redundant(self, T: ArrayLike) -> Array:
        """Return the solutions for the first value of the given joints that has some in limits.

        Where none of the values tried has a solution, those that come closest lead to one that has,
        or the numeric solver looks for it.
        """
        best = np.empty((0, self.chain.dof))
        for given in self._choices:
            found = self.closed.all(T, given)
            if len(found):
                _, inside = fit(self.chain, found, np.zeros(self.chain.dof))
                if inside.any():
                    return found
                best = best if len(best) else found
            elif not self._tether.allows(np.asarray(T)):
                return best
        if len(best):
            return best
        chosen = [joint - 1 for joint in self.closed.given]
        for row in self.closed.released(T, self._choices):
            found = self.closed.all(T, row[chosen])
            return found if len(found) else row[None]
        solution = self.numeric.solve(T)
        return self.closed.all(T, solution.q[chosen]) if solution.success else best

    def _failure(self, reason: str) -> Solution:
        return Solution(
            np.full(self.chain.dof, np.nan),
            success=False,
            residual_position=np.inf,
            residual_rotation=np.inf,
            iterations=0,
            restarts=0,
            method=self.name,
            reason=reason,
        )


def _choices(chain: Chain, given: tuple[int, ...]) -> list[Array]:
    """Return values for the given joints, from the middle of their limits outwards."""
    if not given:
        return []
    index = [joint - 1 for joint in given]
    low = np.where(np.isfinite(chain.limits[index, 0]), chain.limits[index, 0], -np.pi)
    high = np.where(np.isfinite(chain.limits[index, 1]), chain.limits[index, 1], np.pi)
    shares = np.linspace(0.0, 1.0, _CHOICES + 1)
    shares = shares[np.argsort(np.abs(shares - 0.5), kind="stable")]
    return [np.asarray(low + share * (high - low)) for share in shares]


def _middle(chain: Chain) -> Array:
    """Return the middle of the limits, 0 where there are none. Shape (n,)."""
    low, high = chain.limits.T
    bounded = np.isfinite(low) & np.isfinite(high)
    return np.asarray(0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)))


def _moving_joints(chain: Chain, rows: Array) -> tuple[int, ...]:
    """Return the joints, from 1, that move in some configuration while the tool stands."""
    if not len(rows):
        return ()
    _, sizes, motions = np.linalg.svd(jacobian_batch(chain.constants, np.ascontiguousarray(rows)))
    sizes = np.pad(sizes, ((0, 0), (0, motions.shape[1] - sizes.shape[1])))
    free = np.abs(motions[sizes < _STANDS * sizes[:, :1]]).max(axis=0, initial=0.0)
    return tuple(int(k) + 1 for k in np.flatnonzero(free > _MOVES))


def _padded(rows: list[Array], dof: int) -> tuple[Array, Integers]:
    """Return solutions of several poses as one array, nan behind the last, and their numbers."""
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    solutions = np.full((len(rows), max(counts, default=0), dof), np.nan)
    for k, row in enumerate(rows):
        solutions[k, : len(row)] = row
    return solutions, counts


def _within(chain: Chain, T: Array, solutions: Array) -> Array:
    """Return the solutions that keep the limits, angles moved by full turns where that helps.

    A joint that only rounding holds beyond its limit is put on it, if the arm still reaches the
    pose then.
    """
    rows = np.array(solutions, order="C")
    limits = np.require(chain.limits, np.float64, ["C", "W"])
    kept: Array = rows[keep_limits(chain.constants, T, rows, np.zeros(chain.dof), limits)]
    return kept


def closed_form(
    arm: Arm,
    *,
    method: str | None = None,
    numeric: Numeric | None = None,
    progress: Progress | None = None,
    compiled: bool = False,
) -> ClosedFormSolver:
    """Return the closed-form solver of an arm.

    The result is kept in the user's cache under the rows of the arm; base, tool, limits and
    masses may change without a new derivation. That an arm has no closed form is kept as well.

    Args:
        arm: With numbers for all dimensions.
        method: "rules", "elimination" or "twists"; None tries them in that order.
        numeric: See `ClosedFormSolver`.
        progress: Told in words when something takes long.
        compiled: Whether to compile now. Else Python runs it until that is worth the time.

    Raises:
        UnsupportedError: When there is no closed form, or when its code cannot be compiled; says
            why.
    """
    arm = without_inner_fixed_joints(arm)
    note_key = _note_key(arm, method)
    note = read_note(note_key)
    if isinstance(note, dict):
        if "reason" in note:
            raise UnsupportedError(str(note["reason"]))
        key = str(note.get("key"))
        kernels = load_kernels(key)
        source = read_source(key) if kernels is None else None
        if source is not None:
            kernels = _kernels(arm, source, progress, compiled)[1]
        if kernels is not None:
            return ClosedFormSolver.from_kernels(arm, key, kernels, numeric)
    try:
        program = _derived(arm, method, progress)
    except UnsupportedError as error:
        write_note(note_key, {"arm": arm.name, "reason": str(error)})
        raise
    from armwerk.derivation.runtime.generate import generate  # symengine

    source = generate(program, kinematics(arm))
    key, kernels = _kernels(arm, source, progress, compiled)
    keep_source(source)
    write_note(note_key, {"arm": arm.name, "key": key})
    return ClosedFormSolver.from_kernels(arm, key, kernels, numeric)


def is_kept(arm: Arm) -> bool:
    """Whether it is on disk what closed form an arm has, or that it has none."""
    note = read_note(_note_key(without_inner_fixed_joints(arm), None))
    if not isinstance(note, dict):
        return False
    key = str(note.get("key"))
    return "reason" in note or find_entry(key) is not None or read_source(key) is not None


def _note_key(arm: Arm, method: str | None) -> str:
    """Return under which name it is noted what became of an arm."""
    rows = kinematics(arm).digest()
    return digest(rows, method, GENERATOR_VERSION, _derivation_stamp(), machine())


def _derived(arm: Arm, method: str | None, progress: Progress | None) -> Program:
    from armwerk.derivation.inverse import inverse_of  # flint and symengine

    tell(progress, f"deriving the inverse kinematics of '{arm.name}'")
    inverse = inverse_of(arm, method)
    if inverse.program is None:
        raise UnsupportedError(
            f"arm '{arm.name}' has no closed-form inverse kinematics: {inverse.reason}"
        )
    return inverse.program


def _kernels(
    arm: Arm, source: str, progress: Progress | None, compiled: bool
) -> tuple[str, Kernels]:
    """Return the key and the kernels of a source; an arm whose code is no good is left to numbers.

    Whatever goes wrong inside numba or LLVM must not keep anybody from a model of the arm. It is
    said aloud, and not kept: the next start tries again.
    """
    from armwerk.derivation.runtime.interpreted import kernels_at_once  # not for kept code

    try:
        return (kernels_for if compiled else kernels_at_once)(source, progress)
    except Exception as error:
        problem = str(error).strip().splitlines() or [type(error).__name__]
        text = (
            f"the closed form of arm '{arm.name}' was found but its code cannot be compiled "
            f"({problem[0]})"
        )
        _log.warning("%s; please report the arm", text)
        raise UnsupportedError(text) from error


@cache
def _derivation_stamp() -> str:
    """Return what changes whenever the code of the derivation does."""
    folder = Path(__file__).parents[1]
    marks = []
    for path in sorted(folder.rglob("*.py")):
        state = path.stat()
        marks.append(f"{path.relative_to(folder)} {state.st_size} {state.st_mtime_ns}")
    return digest(*marks)
