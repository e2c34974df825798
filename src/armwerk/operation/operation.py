"""The queue and the buttons of an arm, without threads.

| button | motors | queue |
|---|---|---|
| start | play the queue, or go on where a stop was | is emptied, motion by motion |
| stop | come to rest on the path | stays as it is, the motion under way in front |
| halt | brake at once; a reset is needed | is emptied |
| reset | take back halts and faults | stays empty |
| reference | the gripper runs to its end stop | stays as it is |
| one motion | goes to joint values by ramps | is refused while something moves, or waits stopped |
| a motor's fault | all brake; a reset is needed | is emptied, and the report says why |
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.errors import ArmwerkError, MotionError, ShapeError
from armwerk.motors.interface import MotorInterface
from armwerk.operation.planning_desk import PlanningDesk, QueuedMotion, Request
from armwerk.operation.player import Player

SETTLED = 3  # cycles at rest after which an arm counts as standing
OperationState: TypeAlias = Literal["idle", "running", "stopping", "stopped", "halted"]


@dataclass(frozen=True, slots=True)
class OperationReport:
    """Something that happened.

    Args:
        kind: "planned", "refused", "begun", "done", "stopped", "halted", "fault".
        text: In words.
    """

    kind: str
    text: str


@dataclass(slots=True, eq=False)
class Operation:
    """An arm that is operated: trajectories are sent, checked and queued; buttons move it.

    All calls come from one thread; `armwerk.operation.ControlThread` is for several.

    Args:
        motors: What moves; the first modules are the arm's.
        desk: Plans and checks.
        tell: Called with every report; None: nobody.
    """

    motors: MotorInterface
    desk: PlanningDesk
    tell: Callable[[OperationReport], None] | None = None
    player: Player = field(init=False)
    _queue: deque[QueuedMotion] = field(init=False, default_factory=deque)
    _state: OperationState = field(init=False, default="idle")
    _current: QueuedMotion | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.player = Player(self.motors, self.desk.model.dof)

    @property
    def state(self) -> OperationState:
        """What it does."""
        return self._state

    @property
    def queue(self) -> tuple[QueuedMotion, ...]:
        """What waits, the motion under way or stopped in front."""
        front = () if self._current is None else (self._current,)
        return (*front, *self._queue)

    @property
    def next_start(self) -> Array:
        """Where the arm will be after all that waits [rad or m]. Shape (n,)."""
        waiting = self.queue
        return waiting[-1].end if waiting else self.player.q

    def set_bodies(self, bodies: Bodies | Iterable[Body]) -> None:
        """Take other bodies for the trajectories that come; `start` looks at those that wait."""
        self.desk.with_bodies(bodies)

    def send(self, request: Request) -> QueuedMotion | None:
        """Plan, check and queue one trajectory; None: it was refused, and the report says why.

        Everything else in the queue stays as it is.
        """
        try:
            motion = self.desk.plan(request, self.next_start)
        except ArmwerkError as error:
            self._say("refused", str(error))
            return None
        return self.accept(motion)

    def accept(self, motion: QueuedMotion) -> QueuedMotion:
        """Queue a motion that was planned elsewhere, from `next_start`."""
        self._queue.append(motion)
        seconds = motion.trajectory.duration
        self._say("planned", f"{motion.name}: {seconds:.3f} s, {len(motion.points)} points")
        return motion

    def start(self) -> None:
        """Play the queue, or go on where a stop was.

        Raises:
            MotionError: When the arm is halted, in fault, or a motion that waits is not safe any
                more because bodies have changed; nothing moves.
        """
        if self._state == "halted":
            raise MotionError("is halted; reset() comes first")
        trouble = self.player.trouble()
        if trouble:
            raise MotionError(f"{trouble}; reset() comes first")
        for motion in self.queue:
            objection = self.desk.objection(motion)
            if objection:
                raise MotionError(objection)
        if self._current is not None:
            self.player.go_on()
            self._state = "running"
        elif self._queue:
            self._state = "running"

    def stop(self) -> None:
        """Come to rest on the path; the queue stays as it is."""
        if self._state == "running":
            self.player.stop()
            self._state = "stopping"
        elif self._state == "idle":
            self.motors.soft_stop()

    def halt(self) -> None:
        """Brake at once and empty the queue; `reset` is needed before anything moves again."""
        self.motors.halt()
        self._clear()
        self._state = "halted"
        self._say("halted", "all motors; reset() comes first")

    def reset(self) -> None:
        """Take back halts and faults."""
        self.motors.reset()
        if self._state == "halted":
            self._state = "idle"

    def clear(self) -> None:
        """Empty the queue; a motion under way is stopped first.

        Raises:
            MotionError: While it runs.
        """
        if self._state in {"running", "stopping"}:
            raise MotionError("runs; stop() comes first")
        self._clear()
        if self._state == "stopped":
            self._state = "idle"

    def reference(self) -> None:
        """Have the gripper run to its end stop."""
        self._require_rest("reference()")
        self.motors.reference()

    def one_motion(self, values: ArrayLike, module: int | None = None) -> None:
        """Go to joint values by ramps, all modules beginning together.

        Args:
            values: One per joint [rad or m], or one number for a module.
            module: Its number; None: all of the arm's.

        Raises:
            ArmwerkError: For values out of range, and while something moves; nothing moves then.
        """
        self._require_rest("one_motion()")
        goals = np.atleast_1d(np.array(values, dtype=np.float64))
        numbers = [module] if module is not None else list(self.player_modules)
        if goals.shape != (len(numbers),):
            raise ShapeError(f"values must be {len(numbers)}, got {goals.shape}")
        self.motors.set_sync_motion(True)
        try:
            for number, goal in zip(numbers, goals, strict=True):
                self.motors.exec_motion(number, "ramp", float(goal))
            self.motors.exec_sync_motion()
        finally:
            self.motors.set_sync_motion(False)

    @property
    def player_modules(self) -> tuple[int, ...]:
        """Numbers of the arm's modules."""
        return tuple(one.number for one in self.motors.modules()[: self.desk.model.dof])

    def cycle(self) -> None:
        """Let one cycle pass: feed the motors, move them, see what has become of it."""
        if self._state == "running" and not self.player.loaded:
            self._next()
        trouble = self.player.trouble() if self.player.moving else ""
        if trouble:
            self._fail(trouble)
        try:
            self.player.feed()
        except ArmwerkError as error:  # a module that cannot do what the next cycle needs
            self._fail(str(error))
        self.motors.cycle()
        self._look()

    def run(self, seconds: float) -> None:
        """Let cycles pass for a time [s]."""
        for _ in range(max(1, round(seconds / self.motors.dt))):
            self.cycle()

    def wait(self, timeout: float = 60.0) -> bool:
        """Let cycles pass until nothing moves; returns whether that was in time [s]."""
        quiet = 0
        for _ in range(round(timeout / self.motors.dt)):
            self.cycle()
            quiet = quiet + 1 if self.at_rest else 0
            if quiet >= SETTLED:
                return True
        return False

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves, and nothing is about to."""
        if self._state in {"running", "stopping"}:
            return False
        states = [self.motors.status(one.number) for one in self.motors.modules()]
        return not any(
            one.state in {"moving", "referencing"} or abs(one.velocity) > 1e-3 for one in states
        )

    def _next(self) -> None:
        """Begin the next motion of the queue."""
        if not self._queue:
            self._state = "idle"
            return
        self._current = self._queue.popleft()
        try:
            self.player.load(self._current.trajectory)
        except MotionError as error:
            self._fail(str(error))
            return
        self._say("begun", self._current.name)

    def _look(self) -> None:
        if self._state not in {"running", "stopping"}:
            return
        trouble = self.player.trouble()
        if trouble:
            self._fail(trouble)
        elif self._current is not None and not self.player.loaded:
            self._say("done", self._current.name)
            self._current = None
            if self._state == "stopping":
                self._state = "stopped" if self._queue else "idle"
        elif self._state == "stopping" and not self.player.moving:
            self._state = "stopped"
            self._say("stopped", f"at {self.player.time:.3f} s of the motion")

    def _fail(self, why: str) -> None:
        self.motors.halt()
        self._clear()
        self._state = "halted"
        self._say("fault", f"{why}; reset() comes first")

    def _clear(self) -> None:
        self.player.drop()
        self._queue.clear()
        self._current = None

    def _require_rest(self, what: str) -> None:
        if self._state == "halted":
            raise MotionError(f"{what}: is halted; reset() comes first")
        if self._state != "idle":
            raise MotionError(f"{what}: not while it is {self._state}")
        if not self.at_rest:
            raise MotionError(f"{what}: not while something moves")

    def _say(self, kind: str, text: str) -> None:
        if self.tell is not None:
            self.tell(OperationReport(kind, text))
