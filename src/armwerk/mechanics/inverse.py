"""The ways to solve inverse kinematics, and the table they stand in.

A solver takes a pose and returns joint values. Each one is made for one arm by a function of
`FACTORIES`, which names modules and imports them when they are first used. The closed form is a
plug-in of this kind: mechanics knows only its name, and another one can be put in its place
(`register_closed`). Whatever the way, a solution is handed out only if direct kinematics agrees
with the pose to `TOLERANCE`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Literal, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.mechanics.chain import Chain
from armwerk.mechanics.solution import Solution, Task
from armwerk.robot.arm import Arm

Method: TypeAlias = Literal["pref", "closed", "numeric", "jacobian", "simplex"]


class InverseSolver(Protocol):
    """Solves the inverse kinematics of one arm.

    Arguments are checked before they come here: shapes fit, numbers are finite, poses are exactly
    rigid.
    """

    @property
    def name(self) -> str:
        """Name of the method, as in `Solution.method`."""
        ...

    def solve(self, T: Array, q0: Array | None, task: Task) -> Solution:
        """Return a solution within limits, the search starting at q0 if one is given."""
        ...

    def nearest(self, T: Array, q0: Array, task: Task) -> Solution:
        """Return the solution within limits nearest to q0."""
        ...

    def all(self, Ts: Array, within_limits: bool) -> tuple[Array, NDArray[np.int64]]:
        """Return solutions (m, kmax, n) of m poses, nan behind the last, and their numbers (m,)."""
        ...


@runtime_checkable
class DirectSolver(Protocol):
    """What a closed form offers besides: quick answers, arguments still unchecked."""

    def one(self, T: ArrayLike) -> Array:
        """Return all solutions of a pose. Shape (k, n)."""
        ...

    def many(self, Ts: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Return all solutions of m poses, nan behind the last, and their numbers."""
        ...

    def near(self, T: ArrayLike, q: ArrayLike) -> Array | None:
        """Return the solution within limits nearest to q; None when there is none."""
        ...


Factory: TypeAlias = Callable[[Arm, Chain], InverseSolver | None]


def _from(module: str) -> Factory:
    """Return a factory that loads its module when it is first used."""

    def make(arm: Arm, chain: Chain) -> InverseSolver | None:
        found: InverseSolver | None = import_module(module).make(arm, chain)
        return found

    return make


FACTORIES: dict[str, Factory] = {
    "closed": _from("armwerk.derivation.runtime.closed"),
    "numeric": _from("armwerk.mechanics.inverse_numeric"),
    "jacobian": _from("armwerk.mechanics.inverse_jacobian"),
    "simplex": _from("armwerk.mechanics.inverse_simplex"),
}


def register_closed(factory: Factory) -> None:
    """Let ``factory`` make the closed solver of an arm; it returns None where it knows no form."""
    FACTORIES["closed"] = factory


def solver(method: str, arm: Arm, chain: Chain) -> InverseSolver:
    """Return the solver of an arm; "pref" is the closed one where there is one, else numeric.

    Raises:
        UnknownNameError: For a method that does not exist.
        UnsupportedError: For "closed" when this arm has no closed form; says why.
    """
    if method not in get_args(Method):
        raise UnknownNameError("inverse method", method, get_args(Method))
    wanted = {"pref": ("closed", "numeric")}.get(method, (method,))
    reason = f"arm '{arm.name}' has no closed inverse kinematics"
    for name in wanted:
        try:
            found = FACTORIES[name](arm, chain)
        except UnsupportedError as error:
            found, reason = None, str(error)
        if found is not None:
            return found
    raise UnsupportedError(f"{reason}; use ik='numeric' instead")
