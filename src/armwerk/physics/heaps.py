"""Large heaps: the solver that pays off where very many contacts hang together.

Newton's method needs few rounds, and in each it factors a matrix of all things of an island. With
what fills up in it that costs, for 500 cuboids on top of each other, a tenth of a second per round
and ten seconds per step. Gauss and Seidel go from contact to contact instead: a round costs as much
as there are contacts, friction is kept in its cone at each of them, and wherever one stops, forces
are finite and push nothing apart. From some hundred rows on that is as good and much faster.
"""

from __future__ import annotations

import mujoco

from armwerk.physics.contacts.step_view import TOUCH, Small

LARGE = 300  # constraint rows of an island, three per contact; below it Newton's method is faster
ROUNDS = 30  # over all contacts of an island
_NEWTON = int(mujoco.mjtSolver.mjSOL_NEWTON)
_GAUSS_SEIDEL = int(mujoco.mjtSolver.mjSOL_PGS)

_project = mujoco.mj_projectConstraint


class HeapSolver:
    """Chooses the solver of one simulation, step by step.

    Which one depends on nothing but the contacts of the step. What robots touch, and closed chains,
    is left to Newton's method: there things differ in weight by too much.

    Args:
        model: MuJoCo's model; its solver is changed for the second half of a step.
        data: MuJoCo's data.
        role: Of every geom, see `armwerk.physics.contacts.step_view`. Shape (g,).
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, role: Small) -> None:
        self._model, self._data, self._role = model, data, role
        self._rounds = int(model.opt.iterations)

    def begin(self) -> bool:
        """Choose; call between mj_step1 and mj_step2, and `end` after it where this is True."""
        model, data = self._model, self._data
        if data.nefc < LARGE or not self._is_heap():
            return False
        model.opt.solver, model.opt.iterations = _GAUSS_SEIDEL, ROUNDS
        _project(model, data)
        return True

    def end(self) -> None:
        """Go back to Newton's method."""
        self._model.opt.solver, self._model.opt.iterations = _NEWTON, self._rounds

    def _is_heap(self) -> bool:
        data = self._data
        rows = int(data.island_nefc.max()) if data.nisland else data.nefc
        return rows >= LARGE and bool((self._role[data.contact.geom] < TOUCH).all())
