"""What a robot's program and a trigger processor find at their place in the cell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.cell.programs.task import Task, current
from armwerk.control.context import Awaited, Stopped
from armwerk.control.skills import Skills
from armwerk.errors import UnknownNameError, UnsupportedError
from armwerk.motion.limits import Limits
from armwerk.scene.scene import Conveyor

if TYPE_CHECKING:
    from armwerk.cell.programs.robot import CellRobot
    from armwerk.cell.runtime import CellRuntime
    from armwerk.mechanics import ArmModel
    from armwerk.physics import ThingState
    from armwerk.physics.robots.body import RobotBody
    from armwerk.protocol import PairContact


class CellProgramContext:
    """Number, clock, outbox and notebook of a program.

    Args:
        runtime: The cell.
        number: Instance number of the program.
    """

    def __init__(self, runtime: CellRuntime, number: int) -> None:
        self._runtime = runtime
        self.number = number
        self.unsteady_reads = 0
        self.reseed()

    def reseed(self) -> None:
        """Begin to draw random numbers anew, by the seed of the cell and the program's number."""
        self._random = np.random.default_rng((self._runtime.simulation.settings.seed, self.number))

    @property
    def random(self) -> np.random.Generator:
        """Where the program draws random numbers from."""
        self.unsteady_reads += 1
        return self._random

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        self.unsteady_reads += 1
        return self._runtime.time

    def read(self) -> None:
        """Raise `Stopped` in a thread that was given up; pass in every other."""
        task = current()
        if task is not None:
            task.check()

    def note(self, text: str) -> None:
        """Write a line to debug-out; a program that unwinds may do so, too."""
        self._speak()
        self._runtime.note(self.number, text)

    def send(self, instance: int, text: str) -> None:
        """Send a trigger; it arrives with the next step. A program that unwinds may, too."""
        self._speak()
        self._runtime.bus.send(instance, text)

    def _speak(self) -> None:
        task = current()
        if task is not None and task.abandoned:
            raise Stopped


class CellRobotContext(CellProgramContext):
    """The place of a robot's program; see `armwerk.control.RobotContext`.

    Args:
        runtime: The cell.
        robot: Which robot.
        model: Its arm, base frame, tool at the grip point.
        base: T_world_base. Shape (4, 4).
        limits: What its arm's motors may do.
        skills: The automatic kinematics that are on.
        units: Of all motors.
    """

    def __init__(
        self,
        runtime: CellRuntime,
        robot: CellRobot,
        model: ArmModel,
        base: Array,
        limits: Limits,
        skills: Skills,
        units: tuple[str, ...],
    ) -> None:
        super().__init__(runtime, robot.number)
        self._robot = robot
        self._leader = robot
        self.model = model
        self.base = base
        self.limits = limits
        self.skills = skills
        self.units = units
        self.ranges: Array = np.array(robot.body.limits)
        self.dt = runtime.dt

    def led_by(self, leader: CellRobot) -> CellRobotContext:
        """Return the same place for the program of another robot, which moves this one too."""
        led = CellRobotContext(
            self._runtime,
            self._robot,
            self.model,
            self.base,
            self.limits,
            self.skills,
            self.units,
        )
        led._leader = leader
        return led

    @property
    def belts(self) -> frozenset[int]:
        """Instance numbers of the conveyors."""
        obstacles = self._runtime.scene.obstacles
        return frozenset(one.instance for one in obstacles if isinstance(one, Conveyor))

    @property
    def body(self) -> RobotBody:
        """The simulated robot."""
        return self._robot.body

    def is_running(self) -> bool:
        """Whether the task is to go on."""
        task = current()
        if task is not None and (task.abandoned or task.interrupted):
            return False
        return self._robot.state == "running" and not self._robot.is_ending

    def act(self, service: str) -> AbstractContextManager[None]:
        """Return a context within which the world may be changed."""
        return self._task(service).touch(service)

    def compute(self) -> AbstractContextManager[None]:
        """Return a context for long computations of armwerk."""
        task = current()
        return nullcontext() if task is None else task.compute()

    def plan(self, *, ahead: bool = False) -> AbstractContextManager[None]:
        """Return a context in which a motion is planned; in paced runs the world may go on."""
        task = current()
        moves = self.body.moving and not ahead
        if task is None or moves or task not in self._leader.own_tasks:
            return self.compute()
        return task.plan(self._runtime.scheduler.planning)

    def suspend(
        self,
        service: str,
        until: float,
        condition: Callable[[], bool] | None = None,
        awaited: Awaited | None = None,
    ) -> bool:
        """Let simulated time go on until then, or until a condition holds."""
        return self._task(service).suspend(service, until, condition, awaited)

    def take_trigger(self, text: str | None) -> str | None:
        """Return the oldest trigger not yet taken, or the oldest of that text; None: none."""
        with self.act("wait_trigger"):
            return self._robot.take(text)

    def has_trigger(self, text: str | None) -> bool:
        """Whether `take_trigger` would find one."""
        mailbox = self._robot.mailbox
        return bool(mailbox) if text is None else text in mailbox

    def contact(
        self, name: str | None, of: str | None, force: float
    ) -> Callable[[], PairContact | None]:
        """Return a function that says what touches now, if it presses hard enough."""
        simulation = self._runtime.simulation
        own = simulation.sides.named(f"robot {self.number}" if of is None else of)
        other = None if name is None else simulation.sides.named(name)
        return lambda: simulation.touches.find(own, other, force)

    def thing(self, name: str) -> ThingState:
        """Return the state of a moving thing."""
        index = self._runtime.indices.get(name) if isinstance(name, str) else None
        if index is None:
            raise UnknownNameError("thing in the cell", str(name), self._runtime.indices)
        return self._runtime.simulation.thing(index)

    def things(self) -> tuple[str, ...]:
        """Return the names of the moving things."""
        return tuple(self._runtime.indices)

    def _task(self, service: str) -> Task:
        task = current()
        if task is None or task not in self._leader.own_tasks:
            if task is not None:
                task.check()
            raise UnsupportedError(
                f"robot {self.number}: self.{service} may only be called by the controller's own "
                "run, receive_trigger and receive_line, not from outside or another thread"
            )
        return task
