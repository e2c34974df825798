"""When the chains of one robot break all the same, the others go on.

Before every step the state is kept. When the step ends in numbers that are none, or the chains of
an arm are torn wide open, that arm has *failed*: it is put back to where its chains were last
whole, stands there like a statue, and says why; the step is made again without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import PhysicsError
from armwerk.physics.robots.body import RobotBody
from armwerk.physics.robots.drive import Drive
from armwerk.physics.robots.giving_way import WHOLE
from armwerk.physics.robots.motor_table import GOAL, JAMMED, RUNS, SET, SPEED

BROKEN = 5e-3  # [m] between tied points from which on an arm has failed
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class ChainWatch:
    """Watches the closed chains of all arms of a simulation.

    Args:
        model: Compiled.
        data: Its state.
        drive: Of all robots.
        robots: Those with closed chains.

    Attributes:
        news: Places and reasons of robots that have failed, until somebody takes them.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        drive: Drive,
        robots: Sequence[RobotBody],
    ) -> None:
        self._model, self._data, self._drive = model, data, drive
        self.news: list[tuple[int, str]] = []
        self._arms = [_WatchedArm(robot, model, data) for robot in robots]
        self._state = np.empty(mujoco.mj_stateSize(model, _STATE))
        self._before = (drive.motors.copy(), drive.places.copy(), drive.tables.copy())

    def before(self) -> None:
        """Keep what a step could spoil; hold those that have failed."""
        for arm in self._arms:
            arm.robot.settle()
            if arm.robot.failed:
                arm.hold()
            else:
                arm.remember()
        mujoco.mj_getState(self._model, self._data, self._state, _STATE)
        for kept, now in zip(self._before, self._drives(), strict=True):
            kept[:] = now

    def torn(self) -> bool:
        """Whether the step just made has torn the chains of an arm that had not failed yet."""
        found = [arm for arm in self._arms if not arm.robot.failed and not arm.gap() <= BROKEN]
        for arm in found:
            self._fail(arm, f"its closed chains came apart by {arm.gap():.4g} m")
        return bool(found)

    def take_over(self, error: PhysicsError) -> bool:
        """Go back before the step and let those fail who spoiled it; False: nobody here did."""
        arms = [arm for arm in self._arms if not arm.robot.failed]
        spoiled = [arm for arm in arms if arm.is_spoiled()]
        mujoco.mj_setState(self._model, self._data, self._state, _STATE)
        for now, kept in zip(self._drives(), self._before, strict=True):
            now[:] = kept
        mujoco.mj_kinematics(self._model, self._data)
        guilty = [arm for arm in spoiled if not arm.gap() <= WHOLE]
        guilty = guilty or [arm for arm in arms if arm.owns(error.thing)]
        for arm in guilty:
            self._fail(arm, error.problem)
        return bool(guilty)

    def restored(self) -> None:
        """Find out who had failed in a state that has been restored."""
        self.news.clear()
        for arm in self._arms:
            arm.restored()

    def _drives(self) -> tuple[Array, Integers, Integers]:
        return self._drive.motors, self._drive.places, self._drive.tables

    def _fail(self, arm: _WatchedArm, why: str) -> None:
        robot = arm.robot
        arm.stop()
        rows = self._drive.motors[robot.rows]
        rows[:, SET] = rows[:, GOAL] = robot.values
        rows[:, SPEED] = 0.0
        table = self._drive.tables[robot.plan.number]
        table[RUNS], table[JAMMED] = 0, 1
        robot.failed = (
            f"'{robot.plan.robot.name}' has failed at {float(self._data.time):.4f} s and stands "
            f"still from now on: {why}"
        )
        self.news.append((robot.plan.number, robot.failed))


class _WatchedArm:
    """One robot with closed chains: where it keeps its state."""

    def __init__(self, robot: RobotBody, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.robot = robot
        self._data = data
        positions: list[int] = []
        dofs: list[int] = []
        bodies = {model.body(name).id for name in robot.plan.bodies}
        for joint in range(model.njnt):
            if model.jnt_bodyid[joint] in bodies:
                free = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
                first, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
                positions += range(first, first + (7 if free else 1))
                dofs += range(dof, dof + (6 if free else 1))
        self._positions, self._dofs = np.array(positions), np.array(dofs)
        sites = {int(site) for site in robot.ties.ravel()}
        connects = model.eq_type == int(mujoco.mjtEq.mjEQ_CONNECT)
        own = [int(site) in sites for site in model.eq_obj1id]
        self._ties = np.flatnonzero(connects & np.array(own, dtype=bool))
        self._whole = data.qpos[self._positions].copy()
        self._reckoned = self._whole.copy()  # of the step in which sites were last reckoned

    def gap(self) -> float:
        """Return how far tied points are apart, as last reckoned [m]."""
        places, ties = self._data.site_xpos, self.robot.ties
        apart = places[ties[:, 0]] - places[ties[:, 1]]
        return float(np.sqrt((apart * apart).sum(axis=1).max()))

    def remember(self) -> None:
        """Keep where it stands while its chains are whole."""
        if self.gap() <= WHOLE:
            self._whole[:] = self._reckoned
        self._reckoned[:] = self._data.qpos[self._positions]

    def is_spoiled(self) -> bool:
        """Whether its state is no number any more, or its chains are open."""
        data = self._data
        numbers = (data.qpos[self._positions], data.qvel[self._dofs], data.qacc[self._dofs])
        return not all(bool(np.isfinite(part).all()) for part in numbers) or not (
            self.gap() <= WHOLE
        )

    def owns(self, joint: str) -> bool:
        """Whether a joint is one of its own."""
        return joint.removesuffix(".y") in self.robot.plan.joints

    def stop(self) -> None:
        """Put it back to where its chains were whole; nothing pulls at it any more."""
        self._data.eq_active[self._ties] = 0
        self.hold()

    def hold(self) -> None:
        """Keep it where it is."""
        self._data.qpos[self._positions] = self._whole
        self._data.qvel[self._dofs] = 0.0
        self._data.qacc_warmstart[self._dofs] = 0.0

    def restored(self) -> None:
        """Take over from a restored state where it stands and whether it has failed."""
        self._whole[:] = self._reckoned[:] = self._data.qpos[self._positions]
        self.robot.forget_refusal()
        self.robot.failed = ""
        if len(self._ties) and not self._data.eq_active[self._ties].any():
            self.robot.failed = f"'{self.robot.plan.robot.name}' had failed before"
