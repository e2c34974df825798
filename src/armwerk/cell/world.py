"""`World`: a cell that lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from math import ceil, inf
from numbers import Integral
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from armwerk.cell.arguments import require, require_all, require_function, require_path
from armwerk.cell.building.assemble import assemble, renew
from armwerk.cell.building.finder import Finder
from armwerk.cell.building.setup import (
    CellSetup,
    ControllerSource,
    DrivesSource,
    ProcessorSource,
    RobotOptions,
    with_drives,
    with_robots,
)
from armwerk.cell.driver import Driver
from armwerk.cell.history import History
from armwerk.cell.objects import Objects
from armwerk.cell.observers import Audience, Observer
from armwerk.cell.pace import Pace, RealClock
from armwerk.cell.programs.robot import CellRobot
from armwerk.cell.report import Report, RobotReport
from armwerk.cell.runtime import CellRuntime
from armwerk.compiled import load_waiting
from armwerk.control.skills import Skills
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.motion.limits import is_number
from armwerk.physics import SimulationSettings
from armwerk.pictures.inline import InlinePicture, drawn_inline
from armwerk.protocol import ContactEvent, Note, PairContact, TimedMessage, Trigger
from armwerk.protocol.messages import WORLD
from armwerk.scene import read_scene
from armwerk.scene.scene import Scene

if TYPE_CHECKING:
    from armwerk.cell.saving import WorldState
    from armwerk.physics import Simulation
    from armwerk.pictures.cell import Wanted


class WorldOptions(TypedDict, total=False):
    """What `World` takes beside a scene, see there."""

    settings: SimulationSettings | None
    ik: str
    skills: str | Skills | None
    robots: Mapping[int, RobotOptions | ControllerSource] | None
    processors: Mapping[int, ProcessorSource] | None
    patience: float
    drives: DrivesSource | None


class World:
    """A cell that lives: physics, robots with their programs, triggers and a clock.

        with aw.World.load("cell.env") as world:
            report = world.run(seconds=10)

    Programs are started by the first `run` or `step`. One world is moved by one thread at a
    time; `send_trigger`, `send_line`, `start`, `stop`, `pause` and `reset` may come from any other
    and take effect with the next step.

    Args:
        scene: The cell.
        settings: Of the physics; None: those that suit every cell.
        ik: Inverse method of all arms, see `armwerk.model`.
        skills: Automatic kinematics, as "+mandirkin,-maninvkin"; None: all.
        robots: Changes by robot number, which win over the scene: a mapping with any of position,
            angle, manipulator, gripper, controller, config, q; or just a controller. Values are
            texts as in a cell file, or objects: an arm, a gripper, a controller or its class.
        processors: Trigger processors by instance number, likewise texts, classes or objects.
        patience: Real time for which a program may keep everybody waiting [s].
        drives: Of the arms: "limited" or "stiff", which wins over the settings; or by robot number
            what computes the forces of its motors, see `armwerk.physics.drives`.

    Raises:
        DescriptionError: When something the cell names is missing or wrong.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        settings: SimulationSettings | None = None,
        ik: str = "pref",
        skills: str | Skills | None = None,
        robots: Mapping[int, RobotOptions | ControllerSource] | None = None,
        processors: Mapping[int, ProcessorSource] | None = None,
        patience: float = 10.0,
        drives: DrivesSource | None = None,
    ) -> None:
        require(scene, Scene, "scene", "a Scene; World.load takes files and names")
        if settings is not None:
            require(settings, SimulationSettings, "settings", "SimulationSettings, or None")
        require(ik, str, "ik", "the name of a method, see armwerk.model")
        if processors is not None:
            require(processors, Mapping, "processors", "processors by instance number")
        changed, objects = with_robots(scene, robots)
        settings, controllers = with_drives(changed, settings or SimulationSettings(), drives)
        self._setup = CellSetup(
            changed,
            settings,
            ik,
            Skills.parse(skills),
            objects,
            dict(processors or {}),
            patience,
            controllers,
        )
        self._finder = Finder(None if scene.file is None else Path(scene.file).parent)
        try:
            self._runtime: CellRuntime = assemble(self._setup, self._finder)
        except BaseException:
            self._finder.close()
            raise
        self._objects = Objects(self._runtime)
        self._last: Report | None = None
        self._closing = weakref.finalize(self, _abandon, self._runtime, self._finder)
        self._first = self.capture()

    @classmethod
    def load(cls, cell: str | Path | Scene, **options: Unpack[WorldOptions]) -> World:
        """Return the world of an environment file, or of a shipped cell by name.

        Args:
            cell: File, name, or a scene.
            **options: As for the class.
        """
        if not isinstance(cell, Scene):
            require_path(cell, "cell")
        return cls(cell if isinstance(cell, Scene) else read_scene(cell), **options)

    # what there is ----------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """The cell."""
        return self._setup.scene

    @property
    def simulation(self) -> Simulation:
        """The physics, for those who want to look deeper."""
        return self._runtime.simulation

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._runtime.time

    @property
    def epoch(self) -> int:
        """How often `reset` or `restore` have set the time back."""
        return self._runtime.epoch

    @property
    def dt(self) -> float:
        """Length of a physics step [s]."""
        return self._runtime.dt

    @property
    def objects(self) -> Objects:
        """The balls and cuboids by name."""
        return self._objects

    @property
    def robots(self) -> Mapping[int, CellRobot]:
        """The robots by number."""
        return MappingProxyType(self._runtime.robots)

    @property
    def triggers(self) -> History[Trigger]:
        """All triggers sent so far: (time, instance, text); of very many the last 200,000."""
        return self._runtime.bus.sent

    @property
    def notes(self) -> History[Note]:
        """All lines of debug-out so far: (time, instance, text); of very many the last 200,000."""
        return self._runtime.notes

    @property
    def problems(self) -> History[Note]:
        """What went wrong so far: (time, instance, text); -1: not with a program, in the world."""
        return self._runtime.problems

    @property
    def contacts(self) -> tuple[PairContact, ...]:
        """What touches now: sides, since when, point, normal, force and depth."""
        return self._runtime.simulation.contacts

    @property
    def contact_events(self) -> list[ContactEvent]:
        """The last 10,000 beginnings and ends of contacts: time, sides, point, normal, force."""
        return list(self._runtime.simulation.touches.events)

    @property
    def stuck_threads(self) -> tuple[str, ...]:
        """Names of programs that were given up and whose threads still exist."""
        return self._runtime.scheduler.stuck

    # the clock --------------------------------------------------------------------------------

    def step(self) -> None:
        """Go one physics step further, programs and triggers included."""
        with self._runtime.drive():
            self._runtime.begin()
            self._runtime.step()

    def run(
        self,
        seconds: float | None = None,
        *,
        pace: float | Pace | None = None,
        until: Callable[[World], bool] | None = None,
        progress: Callable[[World], None] | None = None,
        observers: Sequence[Observer] = (),
        schedule: Sequence[TimedMessage] = (),
    ) -> Report:
        """Let time pass.

        Args:
            seconds: Simulated time [s]; None: until all programs have ended.
            pace: Simulated per real time: 1 is real time; None: as fast as possible. A `Pace`
                brings its own clock.
            until: Asked after every step; the run ends when it says so.
            progress: Called about ten times per real second, and at the end.
            observers: Who looks on: cameras, recorders, logs.
            schedule: Triggers and lines to send meanwhile.

        Without ``seconds`` and ``until`` it also ends when nobody can go on: every program waits
        without an end, nothing moves, and no trigger is under way. The report then says what each
        robot waits for, since when and in which line; a trigger sent afterwards and another run
        let the programs go on.

        Raises:
            DescriptionError: When neither programs nor ``seconds`` nor ``until`` could end it.
            KeyboardInterrupt: After Ctrl-C, once all programs have been stopped.
        """
        max_steps = self._count(seconds, until)
        for name, function in (("until", until), ("progress", progress)):
            if function is not None:
                require_function(function, name)
        require_all(observers, Observer, "observers")
        require_all(schedule, TimedMessage, "schedule")
        keeper = pace if isinstance(pace, Pace | None) else Pace(pace)
        if keeper is not None:
            load_waiting()  # before time runs, not within it
        clock = RealClock() if keeper is None else keeper.clock
        audience = Audience(self, observers, schedule, clock)
        driver = Driver(self, self._runtime, clock, keeper, audience, progress)
        try:
            driver.run(max_steps, until)
        finally:
            self._last = self._report(driver)
        driver.tell()
        if driver.end == "interrupted":
            raise KeyboardInterrupt
        return self._last

    def observe(self, callback: Callable[[], None], every: float = 0.0) -> Callable[[], None]:
        """Have something called in simulated time, after the step in which it is due.

        Args:
            callback: Called without arguments; must not move the world.
            every: Simulated time between two calls [s]; 0: after every step.

        Returns:
            A function that ends it.
        """
        require_function(callback, "callback")
        if not is_number(every) or not 0.0 <= every < inf:
            raise DescriptionError(
                "out of range", element="every", value=every, allowed="0 s or more"
            )
        return self._runtime.observe(callback, every)

    @overload
    def draw(
        self,
        path: str | Path,
        *,
        azimuth: float | None = None,
        elevation: float | None = None,
        distance: float | None = None,
        target: Wanted | None = None,
        follow: Wanted | None = None,
        size: tuple[int, int] = (640, 480),
    ) -> Path: ...
    @overload
    def draw(
        self,
        path: None = None,
        *,
        azimuth: float | None = None,
        elevation: float | None = None,
        distance: float | None = None,
        target: Wanted | None = None,
        follow: Wanted | None = None,
        size: tuple[int, int] = (640, 480),
    ) -> InlinePicture: ...
    def draw(
        self,
        path: str | Path | None = None,
        *,
        azimuth: float | None = None,
        elevation: float | None = None,
        distance: float | None = None,
        target: Wanted | None = None,
        follow: Wanted | None = None,
        size: tuple[int, int] = (640, 480),
    ) -> Path | InlinePicture:
        """Draw how the world looks now into a PNG file, see `armwerk.cell.moments.draw_world`.

        Without a path the picture itself is returned, and a notebook shows it.
        """
        from armwerk.cell.moments import draw_world

        def draw(file: str | Path) -> Path:
            return draw_world(
                *(self, file),
                azimuth=azimuth,
                elevation=elevation,
                distance=distance,
                target=target,
                follow=follow,
                size=size,
            )

        return drawn_inline(draw) if path is None else draw(path)

    @property
    def report(self) -> Report:
        """How things stand; seconds, wall time and reason are those of the last run."""
        return self._last or self._report(None)

    # programs ---------------------------------------------------------------------------------

    def start(self, nr: int | None = None) -> None:
        """Start the program of a robot, or of all; one that runs already runs on."""
        numbers = self._numbers(nr)
        self._runtime.order(lambda: self._runtime.start(numbers))

    def stop(self, nr: int | None = None) -> None:
        """Stop the program of a robot, or of all; its next start begins at the beginning."""
        numbers = self._numbers(nr)
        self._runtime.order(lambda: self._runtime.end(numbers, "stopped"))

    def pause(self, nr: int | None = None) -> None:
        """Pause the program of a robot, or of all; its next start goes on with the task."""
        numbers = self._numbers(nr)
        self._runtime.order(lambda: self._runtime.end(numbers, "paused"))

    def reset(self) -> None:
        """Stop all programs and put everything back to the beginning.

        Time is 0 again, triggers and notes are forgotten, and the next run starts the programs;
        during a run they start again at once, and the run goes on for the time that was left.
        Controllers stay the instances they are, except stuck ones; trigger processors are new.
        """
        self._runtime.order(self._reset)

    def send_trigger(self, instance: int, text: str) -> None:
        """Send a trigger to a robot, conveyor or processor; -1: to all robots."""
        if self._runtime.closed:
            raise UnsupportedError("the world is closed")
        self._runtime.bus.send(instance, text)

    def send_line(self, nr: int, text: str) -> None:
        """Give a robot's controller a line of the commander; it gets it with the next step."""
        (number,) = self._numbers(nr)
        if not isinstance(text, str):
            raise DescriptionError("not a text", element="line", value=text)
        self._runtime.hand_over(lambda: self._runtime.robots[number].receive_line(text))

    # states -----------------------------------------------------------------------------------

    def capture(self) -> WorldState:
        """Return everything that can be kept of this moment: things, robots, belts, triggers.

        Programs cannot: what a controller or trigger processor remembers stays as it is.

        Raises:
            UnsupportedError: While a program is in the middle of its run or of a handler.
        """
        from armwerk.cell.saving import capture

        return capture(self._runtime, self._setup)

    def restore(self, state: WorldState) -> None:
        """Go back to a captured moment; programs that run are stopped first.

        Raises:
            DescriptionError: For a state of another cell.
        """
        from armwerk.cell.saving import WorldState, restore

        require(state, WorldState, "state", "what capture returned")
        with self._runtime.drive():
            self._runtime.end(tuple(self.robots), "stopped")
            restore(self._runtime, self._setup, state)

    def save(self, path: str | Path) -> None:
        """Write what `capture` returns to a file."""
        from armwerk.cell.saving import save

        require_path(path, "state")
        save(self.capture(), path)

    def resume(self, path: str | Path) -> None:
        """Go back to what a file written by `save` holds; it must be of the same cell."""
        from armwerk.cell.saving import load

        require_path(path, "state")
        self.restore(load(path, self._first))

    # the end ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop all programs and end their threads."""
        self._runtime.close()
        self._closing()

    def __enter__(self) -> World:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        name = "" if self.scene.file is None else f" '{Path(self.scene.file).name}'"
        return (
            f"<World{name} at {self.time:.3f} s, {len(self.robots)} robots, "
            f"{len(self.objects)} things>"
        )

    # inside -----------------------------------------------------------------------------------

    def _count(self, seconds: float | None, until: object) -> float:
        if seconds is not None:
            if not is_number(seconds) or not 0.0 <= seconds < inf:
                raise DescriptionError(
                    "out of range", element="seconds", value=seconds, allowed="0 s or more"
                )
            return ceil(seconds / self.dt - 1e-6)
        if until is None and all(robot.controller is None for robot in self.robots.values()):
            raise DescriptionError(
                "nobody would end this run: the cell has no controllers",
                element="run",
                allowed="run(seconds=…) or run(until=…)",
            )
        return inf

    def _numbers(self, nr: int | None) -> tuple[int, ...]:
        if nr is None:
            return tuple(self.robots)
        if isinstance(nr, bool) or not isinstance(nr, Integral) or nr not in self.robots:
            raise UnknownNameError("robot", str(nr), (str(number) for number in self.robots))
        return (int(nr),)

    def _reset(self) -> None:
        from armwerk.cell.saving import restore

        self._runtime.end(tuple(self.robots), "stopped")
        renew(self._runtime, self._setup, self._finder)
        restore(self._runtime, self._setup, self._first)
        if self._runtime.is_running:
            self._runtime.begin()

    def _report(self, driver: Driver | None) -> Report:
        runtime = self._runtime
        robots = tuple(
            RobotReport(
                number,
                "" if robot.controller is None else robot.controller._title,
                robot.state,
                robot.error,
                "" if driver is None else driver.waits.get(number, ""),
            )
            for number, robot in sorted(runtime.robots.items())
        )
        failed = tuple((nr, one.error) for nr, one in runtime.processors.items() if one.error)
        return Report(
            0.0 if driver is None else driver.steps * runtime.dt,
            0.0 if driver is None else driver.wall,
            0 if driver is None else driver.steps,
            runtime.time,
            "time" if driver is None else driver.end,
            robots,
            failed,
            runtime.bus.sent.total,
            runtime.bus.undelivered,
            runtime.notes.total,
            0.0 if driver is None else driver.audience.seconds,
            tuple(problem for problem in runtime.problems if problem.instance == WORLD),
        )


def _abandon(runtime: CellRuntime, finder: Finder) -> None:
    """End the threads of a world that nobody holds any more."""
    runtime.dismiss()
    finder.close()
