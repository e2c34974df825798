"""Large heaps: the solver that pays off where very many contacts hang together.

Newton's method needs few rounds, and in each it factors a matrix of all things of an island. With
what fills up in it that costs, for 500 cuboids on top of each other, a tenth of a second per round
and ten seconds per step. Gauss and Seidel go from contact to contact instead: a round costs as much
as there are contacts, friction is kept in its cone at each of them, and wherever one stops, forces
are finite and push nothing apart. From some hundred rows on that is as good and much faster.

Contacts of a heap come and go from step to step as things tremble, and each that comes pushes. Ten
times as soft they do so less: what trembles moves by a fifth, and heaps come to rest
(`armwerk.physics.resting`).

Where many things lie apart from each other at rest, one round of conjugate gradients is enough, and
it needs no matrix either.
"""

from __future__ import annotations

import mujoco
import numpy as np

from armwerk.compiled import entry
from armwerk.physics.contacts.address_table import AddressTable, open_pads
from armwerk.physics.contacts.step_view import TOUCH, Small, geoms_of
from armwerk.record_reference import refer

LARGE = 300  # constraint rows of an island, three per contact; below it Newton's method is faster
ROUNDS = 30  # over all contacts of an island
SOFTER = 10.0  # how many times as much contacts of large heaps give way: 0.05 mm deep in the mean
AT_REST = 0.01  # [m/s, rad/s] things that are faster need more than a round
_NEWTON = int(mujoco.mjtSolver.mjSOL_NEWTON)
_GRADIENTS = int(mujoco.mjtSolver.mjSOL_CG)
_GAUSS_SEIDEL = int(mujoco.mjtSolver.mjSOL_PGS)

_project = mujoco.mj_projectConstraint


@entry("b1(i8[::1])")
def _robots_touch(table: AddressTable) -> bool:
    """Whether a robot touches anything."""
    view = refer(open_pads(table))
    for i in range(view.contacts.length):
        one, two = geoms_of(view.contacts, i)
        if view.role[one] >= TOUCH or view.role[two] >= TOUCH:
            return True
    return False


class HeapSolver:
    """Chooses the solver of one simulation, step by step.

    Which one depends on nothing but the contacts of the step. What robots touch, and closed chains,
    is left to Newton's method: there things differ in weight by too much.

    Args:
        model: MuJoCo's model; its solver is changed for the second half of a step.
        data: MuJoCo's data.
        role: Of every geom, see `armwerk.physics.contacts.step_view`. Shape (g,).
        table: Where contacts lie, see `armwerk.physics.contacts.address_table`.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, role: Small, table: AddressTable
    ) -> None:
        self._model, self._data, self._table = model, data, table
        self._rounds = int(model.opt.iterations)
        self._robots = bool((role >= TOUCH).any())

    def begin(self) -> bool:
        """Choose; call between mj_step1 and mj_step2, and `end` after it where this is True."""
        model, data = self._model, self._data
        if data.nefc < LARGE or (self._robots and _robots_touch(self._table)):
            return False
        rows = data.island_nefc.max() if data.nisland else data.nefc
        if rows >= LARGE:
            model.opt.solver, model.opt.iterations = _GAUSS_SEIDEL, ROUNDS
            self._soften()
            _project(model, data)
            return True
        if np.abs(data.qvel).max() > AT_REST:
            return False
        model.opt.solver = _GRADIENTS
        return True

    def _soften(self) -> None:
        """Let contacts give way more, so that they push less when they come and go."""
        data = self._data
        data.efc_R[:] *= SOFTER
        data.efc_D[:] /= SOFTER
        data.iefc_R[:] *= SOFTER
        data.iefc_D[:] /= SOFTER

    def end(self) -> None:
        """Go back to Newton's method."""
        self._model.opt.solver, self._model.opt.iterations = _NEWTON, self._rounds
