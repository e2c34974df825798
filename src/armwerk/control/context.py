"""What a cell offers a program: the only things controllers and processors call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.skills import Skills
from armwerk.errors import BlockedError
from armwerk.motion.limits import Limits

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel
    from armwerk.physics import ThingState
    from armwerk.protocol import PairContact


class Stopped(BaseException):
    """Raised in a program's waits and services when it is to end; nobody needs to catch it.

    It is no `Exception`, so that ``except Exception`` in a program does not swallow it. ``finally``
    blocks run as usual.
    """


class Awaited(NamedTuple):
    """What a program waits for.

    Attributes:
        what: In words: "the trigger 'GO'".
        since: Simulated time at which the wait began [s].
        until: When it is given up [s]; infinite: never.
        asked: When it was last looked whether it is there [s]; infinite: before every step.
    """

    what: str
    since: float
    until: float
    asked: float = inf


class GripperHandle(Protocol):
    """The gripper of a simulated robot."""

    def open(self) -> None:
        """Drive the jaws as far apart as they go."""
        ...

    def close(self, force: float | None = None) -> None:
        """Drive the jaws together with a force [N]; None: what the motors give."""
        ...

    def set(self, width: float) -> None:
        """Drive the jaws to a distance [m]."""
        ...

    @property
    def width(self) -> float:
        """Distance of the jaws [m]."""
        ...

    @property
    def moving(self) -> bool:
        """Whether the jaws are on their way; not when something stops them."""
        ...

    @property
    def holds(self) -> bool:
        """Whether something keeps the jaws from reaching their goal."""
        ...

    @property
    def held(self) -> frozenset[str]:
        """Names of the things that it holds."""
        ...

    @property
    def force(self) -> float:
        """Force with which they press [N]."""
        ...


class RobotHandle(Protocol):
    """The simulated robot: an arm and, perhaps, its gripper."""

    @property
    def motors(self) -> Sequence[str]:
        """Names, the arm's first, then the gripper's."""
        ...

    @property
    def q(self) -> Array:
        """Values of the arm's motors [rad or m]. Shape (n,)."""
        ...

    @property
    def qd(self) -> Array:
        """Their rates. Shape (n,)."""
        ...

    @property
    def values(self) -> Array:
        """Values of all motors [rad or m]. Shape (motors,)."""
        ...

    @property
    def rates(self) -> Array:
        """Their rates. Shape (motors,)."""
        ...

    @property
    def setpoints(self) -> Array:
        """Where they should be by now. Shape (motors,)."""
        ...

    @property
    def setpoint_rates(self) -> Array:
        """How fast they should be by now. Shape (motors,)."""
        ...

    @property
    def goals(self) -> Array:
        """Where they are driven to. Shape (motors,)."""
        ...

    @property
    def limits(self) -> Array:
        """Smallest and largest values of all motors, infinite where free. Shape (motors, 2)."""
        ...

    @property
    def pose(self) -> Array:
        """The grip point, T_world_tool. Shape (4, 4)."""
        ...

    @property
    def moving(self) -> bool:
        """Whether a set point still changes."""
        ...

    @property
    def trouble(self) -> str:
        """Why the arm is not where it was last sent, though it stands; empty: it is there."""
        ...

    @property
    def block(self) -> BlockedError | None:
        """What stood in the arm's way since it was last sent somewhere; None: nothing."""
        ...

    @property
    def grip(self) -> GripperHandle | None:
        """The gripper; None: there is none."""
        ...

    @property
    def carried(self) -> frozenset[str]:
        """Names of the things that lie on its touch parts alone, held by nothing."""
        ...

    def set_goal(self, which: int | slice, value: ArrayLike) -> None:
        """Drive one or several motors to goals within their limits of speed and acceleration."""
        ...

    def follow(self, table: Array, first: int = 0) -> None:
        """Take set points from a table, one row per physics step. Shape (steps, n)."""
        ...

    def halt(self) -> None:
        """Bring the arm to rest where it is."""
        ...


class ProgramContext(Protocol):
    """What every program has: a number, a clock, an outbox and a notebook."""

    @property
    def number(self) -> int:
        """Its instance number."""
        ...

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        ...

    @property
    def random(self) -> np.random.Generator:
        """Where a program draws random numbers from."""
        ...

    @property
    def unsteady_reads(self) -> int:
        """How often time or random numbers were asked for, which change by themselves."""
        ...

    def note(self, text: str) -> None:
        """Write a line to debug-out."""
        ...

    def send(self, instance: int, text: str) -> None:
        """Send a trigger; it arrives with the next step."""
        ...


class RobotContext(ProgramContext, Protocol):
    """What a robot's controller has besides.

    Services that act or wait belong to the turn of the controller's own run or handlers; `act`
    and `suspend` refuse everybody else.
    """

    @property
    def dt(self) -> float:
        """Length of a physics step [s]."""
        ...

    @property
    def model(self) -> ArmModel:
        """The `ArmModel`, poses in the base frame, tool at the grip point."""
        ...

    @property
    def base(self) -> Array:
        """T_world_base. Shape (4, 4)."""
        ...

    @property
    def body(self) -> RobotHandle:
        """The simulated robot."""
        ...

    @property
    def limits(self) -> Limits:
        """What the arm's motors may do."""
        ...

    @property
    def ranges(self) -> Array:
        """Smallest and largest values of all motors, infinite where free. Shape (motors, 2)."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """Units of all motors' values, "rad" or "m"."""
        ...

    @property
    def belts(self) -> frozenset[int]:
        """Instance numbers of the conveyors."""
        ...

    @property
    def skills(self) -> Skills:
        """The automatic kinematics that are on."""
        ...

    def is_running(self) -> bool:
        """Whether the task is to go on."""
        ...

    def read(self) -> None:
        """Raise `Stopped` in a thread that was given up; pass in every other."""
        ...

    def act(self, service: str) -> AbstractContextManager[None]:
        """Return a context within which the world may be changed."""
        ...

    def compute(self) -> AbstractContextManager[None]:
        """Return a context for long computations of armwerk, which nobody holds against it."""
        ...

    def plan(self, *, ahead: bool = False) -> AbstractContextManager[None]:
        """Return a context in which a motion is planned; in paced runs the world may go on.

        Args:
            ahead: Whether it begins where another will end, so that the arm may move meanwhile.
        """
        ...

    def suspend(
        self,
        service: str,
        until: float,
        condition: Callable[[], bool] | None = None,
        awaited: Awaited | None = None,
    ) -> bool:
        """Let simulated time go on.

        Args:
            service: Name for messages.
            until: Simulated time at which to come back at the latest [s]; may be infinite.
            condition: Looked at before every step, must be quick and must not raise.
            awaited: What is waited for, when it is something that somebody else must bring
                about; None: time passes, and then the program goes on.

        Returns:
            Whether the condition came true.
        """
        ...

    def take_trigger(self, text: str | None) -> str | None:
        """Return the oldest trigger not yet taken, or the oldest of that text; None: none."""
        ...

    def has_trigger(self, text: str | None) -> bool:
        """Whether `take_trigger` would find one."""
        ...

    def contact(
        self, name: str | None, of: str | None, force: float
    ) -> Callable[[], PairContact | None]:
        """Return a function that says what touches now, if it presses hard enough.

        Args:
            name: Of one side; None: whatever it is.
            of: Of the other; None: this robot.
            force: At least [N].
        """
        ...

    def thing(self, name: str) -> ThingState:
        """Return the state of a moving thing."""
        ...

    def things(self) -> tuple[str, ...]:
        """Return the names of the moving things."""
        ...


Desk = ProgramContext  # the earlier names of the four
Station = RobotContext
Limb = RobotHandle
Fingers = GripperHandle
