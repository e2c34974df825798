"""The inside of a world: physics, programs, triggers and clock, without the user's door.

Threads of programs know the runtime but not the `World` around it, so that a world which nobody
needs any more can be noticed and its threads be ended.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from armwerk.cell.history import History
from armwerk.cell.programs.processor import CellProcessor
from armwerk.cell.programs.robot import CellRobot
from armwerk.cell.programs.scheduler import Scheduler
from armwerk.cell.programs.task import current
from armwerk.cell.trigger_bus import TriggerBus
from armwerk.errors import UnsupportedError
from armwerk.protocol import Note
from armwerk.protocol.messages import WORLD
from armwerk.scene.scene import Conveyor, Scene

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from armwerk.cell.programs.context import CellProgramContext
    from armwerk.physics import Simulation
    from armwerk.physics.contacts.belts import Belt
    from armwerk.physics.zones import ZoneWatcher


@dataclass(slots=True, eq=False)
class Observation:
    """Somebody who looks at the world every so many steps."""

    callback: Callable[[], None]
    steps: int
    next: int
    may_send: Callable[[], bool]


class CellRuntime:
    """Everything of a world that moves.

    Args:
        scene: The cell.
        simulation: Its physics.
        watcher: Its trigger zones and light barriers; None: it has none.
        patience: Real time for which a program may keep everybody waiting [s].
    """

    def __init__(
        self, scene: Scene, simulation: Simulation, watcher: ZoneWatcher | None, patience: float
    ) -> None:
        self.scene = scene
        self.simulation = simulation
        self.watcher = watcher
        self.dt = float(simulation.dt)
        self.scheduler = Scheduler(patience)
        self.bus = TriggerBus(lambda: self.time)
        self.robots: dict[int, CellRobot] = {}
        self.processors: dict[int, CellProcessor] = {}
        self.contexts: list[CellProgramContext] = []
        self.indices = {name: index for index, name in enumerate(scene.names())}
        self.notes: History[Note] = History()
        self.problems: History[Note] = History()
        self.steps = 0
        self.epoch = 0  # how often time has been set back
        self.is_running = False  # whether a driver moves it until its end
        self.begun = False
        self.closed = False
        self.observations: list[Observation] = []
        self._orders: deque[Callable[[], None]] = deque()
        self._driving = threading.Lock()
        self._ordering: int | None = None  # the thread that carries out an order, not a run
        simulation.listen()  # to contacts
        self._belts()
        self.watched = simulation.positions
        if watcher is not None:
            watcher.start(self.watched)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.simulation.time)

    # the clock --------------------------------------------------------------------------------

    def drive(self) -> _Driving:
        """Return a context within which this thread, and no other, moves the world."""
        return _Driving(self)

    def step(self) -> None:
        """Serve programs and triggers at the present time, then go one physics step further."""
        self.serve()
        self.simulation.step()
        self.steps += 1
        for place, text in self.simulation.take_failures():
            self.report(sorted(self.robots)[place], text)
        if self.simulation.touches.problems:
            for time, text in self.simulation.take_problems():
                self.problems.append(Note(time, WORLD, text))
        for place, block in self.simulation.take_blocks():
            self.report(sorted(self.robots)[place], str(block))
        if self.watcher is not None:
            self.watched = self.simulation.positions
            for index in self.watcher.check(self.watched):
                watch = self.scene.watches[index]
                self.bus.send(watch.instance, watch.text)
        if self.observations:
            self._observe()

    def serve(self) -> None:
        """Carry out orders, deliver triggers, and give every program that is due its turn."""
        self._carry_out()
        if self.bus.has_pending:
            self.bus.deliver()
        time = self.time
        if self.scheduler.is_due(time):
            self.scheduler.round(time)

    def order(self, what: Callable[[], None]) -> None:
        """Carry something out now, or with the next step while the world is being moved.

        Orders are carried out as they came: what was ordered during the last step of a run, or
        while another thread's order was under way, comes before this one.
        """
        self.hand_over(what)
        while self._orders and self._driving.acquire(blocking=False):
            self._ordering = threading.get_ident()
            try:
                self._carry_out()
            finally:
                self._ordering = None
                self._driving.release()

    def _carry_out(self) -> None:
        while self._orders:
            self._orders.popleft()()

    @property
    def is_ordering_elsewhere(self) -> bool:
        """Whether another thread carries out an order, which does not take long."""
        return self._ordering not in {None, threading.get_ident()} and current() is None

    def hand_over(self, what: Callable[[], None]) -> None:
        """Carry something out with the next step, whatever thread it comes from."""
        if self.closed:
            raise UnsupportedError("the world is closed")
        self._orders.append(what)

    @property
    def has_orders(self) -> bool:
        """Whether somebody has ordered something that is not carried out yet."""
        return bool(self._orders)

    @property
    def has_visitors(self) -> bool:
        """Whether somebody looks on who may send triggers or lines."""
        return any(one.may_send() for one in self.observations)

    def observe(
        self,
        callback: Callable[[], None],
        every: float,
        may_send: Callable[[], bool] = lambda: True,
    ) -> Callable[[], None]:
        """Have something called every so often [s]; returns a function that ends it.

        Args:
            callback: What to call.
            every: Simulated time between two calls [s].
            may_send: Whether it may still send triggers or lines.
        """
        steps = max(1, round(every / self.dt))
        observation = Observation(callback, steps, self.steps + steps, may_send)
        self.observations.append(observation)

        def end() -> None:
            if observation in self.observations:
                self.observations.remove(observation)

        return end

    def _observe(self) -> None:
        for observation in tuple(self.observations):
            if self.steps >= observation.next:
                observation.next = self.steps + observation.steps
                observation.callback()

    # what programs say ------------------------------------------------------------------------

    def note(self, number: int, text: str) -> None:
        """Write lines to debug-out."""
        time = self.time
        self.notes.extend(Note(time, number, line) for line in text.split("\n"))

    def report(self, number: int, text: str) -> None:
        """Keep what went wrong."""
        self.problems.append(Note(self.time, number, text))

    # programs ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start all programs, the first time it is called."""
        if not self.begun:
            self.start(tuple(self.robots))

    def is_anybody_running(self) -> bool:
        """Whether a robot's program has not ended."""
        return any(robot.state == "running" for robot in self.robots.values())

    def place(
        self,
        index: int,
        position: ArrayLike,
        rotation: ArrayLike | None,
        velocity: ArrayLike | None,
    ) -> None:
        """Put a thing somewhere; zones and barriers on the way do not notice."""
        self.simulation.place(index, position, rotation, velocity)
        if self.watcher is not None:
            self.watched[index] = place = self.simulation.thing(index).position
            self.watcher.put(index, place)

    def start(self, numbers: tuple[int, ...]) -> None:
        """Start programs; they get their first turn with the next step."""
        self.begun = True
        for number in numbers:
            self.robots[number].start()

    def end(self, numbers: tuple[int, ...], wish: Literal["stopped", "paused"]) -> None:
        """Stop or pause programs, and see to it that they have ended."""
        self.begun = True
        for number in numbers:
            self.robots[number].end(wish)
        tasks = tuple(task for number in numbers for task in self.robots[number].tasks)
        self.scheduler.round(self.time, tasks)

    def close(self) -> None:
        """End all programs; programs that run are stopped in order, as far as they let us."""
        if self.closed:
            return
        self.scheduler.hurry_when(lambda: True)
        if current() is None:
            self.end(tuple(self.robots), "stopped")
        self.closed = True
        self.scheduler.close()

    def dismiss(self) -> None:
        """End all threads at once, without a turn for anybody."""
        self.closed = True
        self.scheduler.dismiss()

    def _belts(self) -> None:
        conveyors = [one for one in self.scene.obstacles if isinstance(one, Conveyor)]
        for conveyor, belt in zip(conveyors, self.simulation.belts, strict=True):
            self.bus.register(conveyor.instance, _switch(belt))


class _Driving:
    def __init__(self, runtime: CellRuntime) -> None:
        self._runtime = runtime

    def __enter__(self) -> None:
        if self._runtime.closed:
            raise UnsupportedError("the world is closed")
        if not self._runtime._driving.acquire(blocking=self._runtime.is_ordering_elsewhere):
            raise UnsupportedError(
                "the world is being moved already, by another thread or by the caller of this one"
            )

    def __exit__(self, *_: object) -> None:
        self._runtime._driving.release()


def _switch(belt: Belt) -> Callable[[str], bool]:
    def receive(text: str) -> bool:
        if text in {"RUN", "STOP"}:
            belt.running = text == "RUN"
        return True

    return receive
