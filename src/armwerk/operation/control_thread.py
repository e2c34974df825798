"""The control thread: an arm operated beside a surface.

Two threads work apart from whoever calls. One moves the motors, cycle by cycle, and does what the
buttons say; the other plans, one trajectory at a time. Every call returns at once; reports say what
has become of it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TypeAlias

from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.errors import ArmwerkError
from armwerk.motors.clock import CycleClock
from armwerk.motors.interface import MotorInterface
from armwerk.operation.operation import Operation, OperationReport, OperationState
from armwerk.operation.planning_desk import PlanningDesk, QueuedMotion, Request

Errand: TypeAlias = Callable[[], None]
_REPORTS = 1000  # that are kept
_IDLE = 0.005  # [s] between cycles without a clock while nothing moves


class ControlThread:
    """Operates an arm from any thread.

    Args:
        motors: What moves; nobody else calls it from here on.
        desk: Plans and checks.
        clock: Keeps the cycles in real time; None: as fast as it goes while something moves.
        tell: Called with every report, in the thread where it happens; None: `reports` has them.
    """

    def __init__(
        self,
        motors: MotorInterface,
        desk: PlanningDesk,
        clock: CycleClock | None = None,
        tell: Callable[[OperationReport], None] | None = None,
    ) -> None:
        self._tell = tell
        self._reports: list[OperationReport] = []
        self._operation = Operation(motors, desk, self._report)
        self._clock = clock
        self._errands: queue.SimpleQueue[Errand] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[tuple[int, Request, Bodies] | None] = queue.SimpleQueue()
        self._bodies = desk.bodies
        self._lock = threading.Lock()
        self._era = 0
        self._open = 0
        self._over = threading.Event()
        self._killed = threading.Event()
        self._quiet = threading.Event()
        self._threads = (
            threading.Thread(target=self._move, name="motors", daemon=True),
            threading.Thread(target=self._plan, name="planning", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    @property
    def state(self) -> OperationState:
        """What the arm does."""
        return self._operation.state

    @property
    def reports(self) -> tuple[OperationReport, ...]:
        """What has happened, the latest last."""
        with self._lock:
            return tuple(self._reports)

    @property
    def queue(self) -> tuple[QueuedMotion, ...]:
        """What waits, the motion under way in front."""
        with self._lock:
            return self._operation.queue

    @property
    def q(self) -> Array:
        """Where the arm stands [rad or m]. Shape (n,)."""
        with self._lock:
            return self._operation.player.q

    def send(self, request: Request) -> None:
        """Hand in one trajectory; it is planned behind those sent before."""
        with self._lock:
            self._open += 1
            self._requests.put((self._era, request, self._bodies))

    def set_bodies(self, bodies: Bodies | Iterable[Body]) -> None:
        """Take other bodies for the trajectories that are sent from now on."""
        chosen = bodies if isinstance(bodies, Bodies) else Bodies(tuple(bodies))
        with self._lock:
            self._bodies = chosen
        self._do(lambda: self._operation.set_bodies(chosen))

    def start(self) -> None:
        """Play the queue, or go on where a stop was; as soon as what was sent is planned."""
        self._do(self._operation.start)

    def stop(self) -> None:
        """Come to rest on the path; the queue stays."""
        self._do(self._operation.stop)

    def halt(self) -> None:
        """Brake at once; the queue, and what was sent and is not planned yet, are given up."""
        with self._lock:
            self._era += 1
        self._do(self._operation.halt)

    def reset(self) -> None:
        """Take back halts and faults."""
        self._do(self._operation.reset)

    def reference(self) -> None:
        """Have the gripper run to its end stop."""
        self._do(self._operation.reference)

    def one_motion(self, values: ArrayLike, module: int | None = None) -> None:
        """Go to joint values by ramps."""
        self._do(lambda: self._operation.one_motion(values, module))

    def clear(self) -> None:
        """Empty the queue."""
        self._do(self._operation.clear)

    def wait_planned(self, timeout: float = 60.0) -> bool:
        """Wait until all that was sent is planned or refused; whether it was in time [s]."""
        return self._until(lambda: self._open == 0, timeout)

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until nothing moves and no button is unanswered; whether it was in time [s]."""
        return self._until(
            lambda: self._open == 0 and self._errands.empty() and self._quiet.is_set(), timeout
        )

    def close(self) -> None:
        """Bring the arm to rest and end both threads; the motors stay open."""
        if self._over.is_set():
            return
        self.halt()
        self.wait(10.0)
        self._end()

    def kill(self) -> None:
        """End both threads at once, as a crash would; motors come to rest by themselves."""
        self._killed.set()
        self._end()

    def __enter__(self) -> ControlThread:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _end(self) -> None:
        self._over.set()
        self._requests.put(None)
        for thread in self._threads:
            thread.join(60.0)

    def _do(self, errand: Errand) -> None:
        self._errands.put(errand)
        self._quiet.clear()  # afterwards: what was quiet before does not count

    def _until(self, holds: Callable[[], bool], timeout: float) -> bool:
        end = time.monotonic() + timeout
        while not holds():
            if time.monotonic() > end or self._over.is_set():
                return holds()
            time.sleep(0.002)
        return True

    def _report(self, report: OperationReport) -> None:
        self._reports.append(report)
        del self._reports[:-_REPORTS]
        if self._tell is not None:
            self._tell(report)

    def _move(self) -> None:
        """Let cycles pass and run errands between them."""
        while not self._over.is_set():
            if self._clock is not None:
                self._clock.wait()
            with self._lock:
                done = self._run_errands()
                if self._killed.is_set():
                    return
                self._operation.cycle()
                if done and self._operation.at_rest and self._errands.empty():
                    self._quiet.set()
                else:
                    self._quiet.clear()
            time.sleep(_IDLE if self._clock is None and self._quiet.is_set() else 0)

    def _run_errands(self) -> bool:
        """Do what was asked; returns whether nothing is left that waits for planning."""
        later: list[Errand] = []
        while not self._errands.empty():
            errand = self._errands.get()
            if errand == self._operation.start and self._open:
                later.append(errand)  # what was sent before it is not planned yet
                continue
            if errand in {self._operation.stop, self._operation.halt}:
                later.clear()  # who stops does not want what he started before it
            try:
                errand()
            except ArmwerkError as error:
                self._report(OperationReport("refused", str(error)))
        for errand in later:
            self._errands.put(errand)
        return not later

    def _plan(self) -> None:
        """Plan one trajectory at a time."""
        while True:
            entry = self._requests.get()
            if entry is None or self._over.is_set():
                return
            era, request, bodies = entry
            with self._lock:
                start = self._operation.next_start
                desk = self._operation.desk
                own = PlanningDesk(desk.model, bodies, desk.safety, desk.help_points, desk.settings)
            planned: QueuedMotion | None = None
            why = ""
            try:
                planned = own.plan(request, start)
            except ArmwerkError as error:
                why = str(error)
            with self._lock:
                if era != self._era:
                    why = "given up by a halt"
                if planned is not None and era == self._era:
                    self._operation.accept(planned)
                else:
                    self._report(OperationReport("refused", why))
                self._open -= 1
