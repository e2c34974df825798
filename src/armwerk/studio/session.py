"""What the studio shows: one cell, which viewers steer, edit, and exchange for another.

What viewers ask beside it goes to desks, one for each view, that keep nothing but what they can
work out again: what is edited there is kept by the page.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Unpack
from weakref import WeakKeyDictionary

import numpy as np

from armwerk import __version__
from armwerk.cell.programs.robot import CellRobot
from armwerk.cell.record import is_recording
from armwerk.cell.world import WorldOptions
from armwerk.control.controller import RobotController
from armwerk.control.irl.controller import ProgramController
from armwerk.errors import DescriptionError, SceneError, UnknownNameError, UnsupportedError
from armwerk.mobile.examples.shipped import mobile_scenes
from armwerk.mobile.files.description import read_toml
from armwerk.pictures.cell import Flags
from armwerk.protocol.coding import encoded
from armwerk.protocol.commands import (
    AddLines,
    AddRobot,
    CellCommand,
    CheckCell,
    Command,
    JogMotor,
    MoveBody,
    OpenCell,
    PauseClock,
    PlaceThing,
    ReadRobotProgram,
    RedoEdit,
    RemoveBody,
    ResetWorld,
    ResizeBody,
    RewriteCell,
    RunClock,
    SaveCell,
    SeekTime,
    SendLine,
    SendTrigger,
    SetProgram,
    SetSpeed,
    ShiftBody,
    StartRecording,
    SteerProgram,
    StepClock,
    StopRecording,
    UndoEdit,
)
from armwerk.protocol.configuring import ArmCommand
from armwerk.protocol.filing import FileCommand, FileText, RecordingSaved
from armwerk.protocol.mapping import MapCommand
from armwerk.protocol.moving import MotionCommand
from armwerk.protocol.programming import ProgramCommand
from armwerk.protocol.replies import (
    Answer,
    CellStatus,
    CellText,
    Greeting,
    TextProblem,
    ViewedRobot,
    ViewName,
)
from armwerk.protocol.results import Result
from armwerk.protocol.roaming import MobileCommand, OpenMobileScene
from armwerk.protocol.staging import StageCommand
from armwerk.protocol.viewing import ViewedGeometry
from armwerk.robot import grippers, library, load
from armwerk.robot.formats.urdf_source import TREE_ENDINGS
from armwerk.robot.references import arm_reference
from armwerk.scene import cells
from armwerk.scene.files import ENDING, find_cell
from armwerk.scene.scene import Scene
from armwerk.studio.arm_sources import arm_source, is_arm_name
from armwerk.studio.controllers import controllers_beside
from armwerk.studio.desks.arm import ArmDesk
from armwerk.studio.desks.files import FileDesk
from armwerk.studio.desks.mobile import MobileDesk
from armwerk.studio.desks.motion import MotionDesk
from armwerk.studio.desks.program import ProgramDesk
from armwerk.studio.desks.space import SpaceDesk
from armwerk.studio.desks.stages import StageDesk, Stages
from armwerk.studio.folder import ARMS, MOBILE_SCENES, RECORDINGS, StudioFolder
from armwerk.wire.live import LiveCell
from armwerk.wire.playback import RecordedCell

_PATIENCE = 60.0  # [s] for which a command waits for the thread of the clock
_LONGEST = 2_000  # characters of an error that a status shows
_EMPTY = "// nothing yet\nBORDER -100 -100 100 100\n"
SHOWN = Flags(moving=True, fast=True, zones=True)


def arm_cell(arm: str) -> str:
    """Return the text of a cell with nothing but an arm in it."""
    return f"// {arm}\nROBOT0 0 0 -90\nMANIPULATOR0 {arm}\n"


def is_arm_file(name: str | Path) -> bool:
    """Say whether a name is that of a file that describes an arm, or of a robot of a package.

    A file of a tree need not be there: what is missing is said where it is read.

    Raises:
        UnsupportedError: For a package that is not installed; says how it is.
        UnknownNameError: For a robot that it does not have; names those it has.
    """
    path = arm_reference(name).path
    ending = path.suffix.lower()
    return ending in TREE_ENDINGS or (ending in ARMS and path.is_file())


def arm_subject(name: str | Path, folder: StudioFolder) -> str:
    """Return how viewers name the arm of a file or of a package."""
    meant = arm_reference(name)
    if meant.installed:
        return str(name)
    inside = Path(os.path.realpath(meant.path)).relative_to(folder.root)
    return str(replace(meant, path=inside))


def is_mobile_scene(name: str | Path) -> bool:
    """Say whether a name is that of a scene of mobile robots: shipped, a mesh, or its TOML file."""
    if str(name) in mobile_scenes():
        return True
    path = Path(name)
    if not path.is_file() or path.suffix.lower() not in MOBILE_SCENES:
        return False
    if path.suffix.lower() != ".toml":
        return True
    try:
        return not {"scene", "objects"}.isdisjoint(read_toml(path))
    except DescriptionError:
        return False


def is_arm(name: str | Path) -> bool:
    """Say whether a name is that of an arm in the library, and neither of a cell nor of a file."""
    text = str(name)
    return text in library() and text not in cells() and not Path(name).is_file()


class StudioSession:
    """A cell and those who look at it.

    Args:
        cell: An environment file, the name of a shipped cell, or of an arm in the library, a file
            below the folder that describes an arm ("robot.urdf#tool0"), a robot of an installed
            package ("rtb-data:irb140"), a scene of mobile robots by name or file, a
            recording; or a scene.
        folder: Below which files are opened and saved.
        flags: What stands out at first.
        **options: Of the world, see `armwerk.cell.World`.

    Attributes:
        view: The view that a viewer sees at first.
        subject: What that view shows, by name or file; empty: what it likes.

    Raises:
        SceneError: When the text of the cell has problems.
        DescriptionError: When something is missing or wrong.
    """

    def __init__(
        self,
        cell: str | Path | Scene,
        folder: StudioFolder,
        flags: Flags = SHOWN,
        **options: Unpack[WorldOptions],
    ) -> None:
        self.folder = folder
        self.flags = flags
        self.view: ViewName = "cell"
        self.subject = ""
        self.viewers = 0
        self._files = FileDesk(folder)
        self._arms = ArmDesk(folder)
        stages = Stages(folder)
        self._stages = StageDesk(stages)
        self._space = SpaceDesk(stages)
        self._motions = MotionDesk(stages)
        self._programs = ProgramDesk(stages)
        self._mobile = MobileDesk(folder)
        self._options = options
        self._opening = threading.Lock()
        self._writing = threading.Lock()
        self._written: tuple[ViewedGeometry, tuple[str, ...]] | None = None
        self._file = ""
        self._descriptions: WeakKeyDictionary[RobotController, str] = WeakKeyDictionary()
        self._shown: LiveCell | RecordedCell
        if isinstance(cell, Scene):
            self._shown = LiveCell.load(cell, **options)
        elif is_arm(cell):
            self.view, self.subject = "arm", str(cell)
            self._shown = LiveCell(arm_cell(str(cell)), None, **options)
        elif is_mobile_scene(cell):
            shipped = str(cell) in mobile_scenes()
            self.view, self.subject = "mobile", str(cell) if shipped else folder.name_of(Path(cell))
            self._mobile.obey(OpenMobileScene(self.subject, "", False))
            self._shown = LiveCell(_EMPTY, None, **options)
        elif is_arm_file(cell):
            if arm_reference(cell).is_tree:
                load(cell)  # refuses a tip that is missing, naming those there are
            self.view, self.subject = "arm", arm_subject(cell, folder)
            self._shown = LiveCell(_EMPTY, None, **options)
        elif is_recording(cell):
            self._shown = RecordedCell.load(cell)
        else:
            self._shown = LiveCell.load(cell, **options)
            path = Path(cell).resolve()
            # a cell that ships is opened by its name, and saved only where somebody says
            if path.is_relative_to(folder.root) and path.suffix == ENDING and path.is_file():
                self._file = folder.name_of(path)

    @property
    def shown(self) -> LiveCell | RecordedCell:
        """What viewers see now; something else after `OpenCell`."""
        return self._shown

    @property
    def cell(self) -> LiveCell:
        """The cell of now; another one after `OpenCell`.

        Raises:
            UnsupportedError: When a recording is shown.
        """
        if isinstance(self._shown, RecordedCell):
            raise UnsupportedError("this is a recording: it is played and cannot be changed")
        return self._shown

    # what viewers are told ----------------------------------------------------------------------

    def greeting(self) -> Greeting:
        """Return the first message."""
        return Greeting(
            __version__,
            tuple(cells()),
            self.folder.cells(),
            tuple(library()),
            tuple(grippers()),
            mark_moving=self.flags.moving,
            mark_fast=self.flags.fast,
            show_zones=self.flags.zones,
            view=self.view,
            subject=self.subject,
            recordings=self.folder.recordings(),
        )

    def _controllers(self) -> tuple[str, ...]:
        """Return the programs a robot can have: those beside the cell, which it finds by name."""
        shown = self._shown
        file = shown.file if isinstance(shown, LiveCell) else None
        return () if file is None else controllers_beside(file)

    def first_texts(self, shown: LiveCell | RecordedCell) -> tuple[str, ...]:
        """Return what is sent of something new; it is written once for all viewers."""
        geometry = shown.feed.geometry
        with self._writing:
            if self._written is None or self._written[0] is not geometry:
                texts = [encoded(geometry)]
                if isinstance(shown, RecordedCell):
                    texts.append(encoded(shown.told()))
                self._written = (geometry, tuple(texts))
            return (*self._written[1], encoded(self.text()))

    def text(self) -> CellText:
        """Return the cell as it is written."""
        shown = self._shown
        version = shown.feed.geometry.version
        return CellText(shown.text, self._file, version, self._controllers())

    def status(self) -> CellStatus:
        """Return how the cell stands."""
        cell = self._shown
        if isinstance(cell, RecordedCell):
            values = tuple(np.round(cell.values(), 5).tolist())
            return CellStatus(cell.clock.status, cell.robots, values, False, False, self.viewers)
        world = cell.world
        recorded = cell.recording
        robots = []
        for robot in world.scene.robots:
            body = world.robots[robot.number]
            controller = "" if body.controller is None else body.controller._title
            robots.append(
                ViewedRobot(
                    robot.number,
                    robot.manipulator or "",
                    controller,
                    self._description(body),
                    robot.config or "",
                    body.state,
                    body.error[-_LONGEST:],
                    robot.controller or "",
                    body.controller.line if isinstance(body.controller, ProgramController) else -1,
                )
            )
        return CellStatus(
            cell.clock.status,
            tuple(robots),
            tuple(np.round(cell.feed.values(), 5).tolist()),
            cell.can_undo,
            cell.can_redo,
            self.viewers,
            "" if recorded is None else self.folder.name_of(recorded),
            world.epoch,
        )

    def _description(self, robot: CellRobot) -> str:
        """Return what a program says of itself; it is asked once, it may be anybody's code."""
        if robot.controller is None:
            return ""
        if robot.controller not in self._descriptions:
            self._descriptions[robot.controller] = robot.description[:_LONGEST]
        return self._descriptions[robot.controller]

    # what viewers ask ---------------------------------------------------------------------------

    def obey(self, request: int, command: Command) -> Answer:
        """Carry out a command, in any thread, and say what became of it; never raises."""
        try:
            if isinstance(command, FileCommand):
                return Answer(request, result=self._files.obey(command))
            if isinstance(command, ArmCommand):
                return Answer(request, result=self._arms.obey(command))
            if isinstance(command, StageCommand):
                return Answer(request, result=self._stages.obey(command))
            if isinstance(command, MapCommand):
                return Answer(request, result=self._space.obey(command))
            if isinstance(command, MotionCommand):
                return Answer(request, result=self._motions.obey(command))
            if isinstance(command, ProgramCommand):
                return Answer(request, result=self._programs.obey(command))
            if isinstance(command, MobileCommand):
                return Answer(request, result=self._mobile.obey(command))
            return Answer(request, result=self._obey(command))
        except SceneError as error:
            problems = tuple(
                TextProblem(one.line, one.column, one.length, one.message, one.expected)
                for one in error.problems
            )
            return Answer(request, str(error).splitlines()[0][:300], problems)
        except Exception as error:  # a viewer is told, whatever it is
            return Answer(request, (str(error) or type(error).__name__)[:_LONGEST])

    def answer(self, request: int, command: Command) -> str:
        """Carry out a command and return the answer as it is sent."""
        return encoded(self.obey(request, command))

    def _obey(self, command: CellCommand) -> Result | None:
        clock = self._shown.clock
        match command:
            case RunClock():
                clock.run()
            case PauseClock():
                clock.pause()
            case StepClock(steps):
                clock.step(steps)
            case SetSpeed(speed):
                clock.set_speed(speed)
            case ResetWorld():
                clock.reset()
            case SeekTime(time):
                self._seek(time)
            case OpenCell(name):
                self._open(name)
            case _:
                return self._obey_cell(self.cell, command)
        return None

    def _obey_cell(self, cell: LiveCell, command: CellCommand) -> Result | None:
        """Carry out what only a running cell can do."""
        match command:
            case SteerProgram(action, robot):
                self._steer(cell, action, robot)
            case SendTrigger(instance, text):
                cell.world.send_trigger(instance, text)
            case SendLine(number, text):
                cell.world.send_line(number, text)
            case JogMotor(number, motor, value):
                cell.clock.carry_out(lambda: _jog(cell, number, motor, value), _PATIENCE)
            case SaveCell(file):
                self.folder.write(file, cell.text)
                self._file = file
            case PlaceThing(name, position):
                cell.place(name, position)
            case CheckCell(text):
                cell.check(text)
            case ReadRobotProgram(number):
                return _program_text(cell, number)
            case StartRecording(file):
                return self._record(cell, file)
            case StopRecording():
                path, seconds = cell.stop_recording()
                return RecordingSaved(self.folder.name_of(path), round(seconds, 3))
            case _:
                _edit(cell, command)
        return None

    def _seek(self, time: float) -> None:
        if not isinstance(self._shown, RecordedCell):
            raise UnsupportedError("time can only be chosen in a recording")
        self._shown.clock.seek(time)

    def _record(self, cell: LiveCell, file: str) -> RecordingSaved:
        title = cell.feed.geometry.title or "cell"
        moment = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        name = file.strip() or f"{title}-{moment}.jsonl.gz"
        name = name if name.endswith(RECORDINGS) else f"{name}.jsonl.gz"
        path = self.folder.recording(name)
        cell.record(path, title)
        return RecordingSaved(self.folder.name_of(path), 0.0)

    def _steer(self, cell: LiveCell, action: str, robot: int | None) -> None:
        def steer() -> None:
            world = cell.world
            {"start": world.start, "stop": world.stop, "pause": world.pause}[action](robot)

        cell.clock.carry_out(steer, _PATIENCE)
        if action == "start":
            cell.clock.run()

    def _open(self, name: str) -> None:
        with self._opening:
            old = self._shown
            version = old.feed.geometry.version + 1
            new: LiveCell | RecordedCell
            file = ""
            if name in cells():
                new = LiveCell.load(find_cell(name), version, **self._options)
            elif name in library():
                new = LiveCell(arm_cell(name), None, version, **self._options)
            elif is_recording(name):
                new = RecordedCell.load(self.folder.recording(name), name, version)
            elif is_arm_name(name):
                arm_source(name, self.folder)  # refuses what is not below the folder
                beside = self.folder.root / "arm.env"
                new = LiveCell(arm_cell(name), beside, version, **self._options)
            else:
                text, path = self.folder.read(name)
                new, file = LiveCell(text, path, version, **self._options), name
            new.clock.run()
            self._shown, self._file = new, file
            old.close()

    def close(self) -> None:
        """End the cell, and the world of mobile robots."""
        self._shown.close()
        self._mobile.close()


def _edit(cell: LiveCell, command: CellCommand) -> None:
    match command:
        case MoveBody(name, position, angle):
            cell.move(name, position, angle)
        case ShiftBody(name, offset):
            cell.shift(name, offset)
        case ResizeBody(name, size):
            cell.resize(name, size)
        case RemoveBody(name):
            cell.remove(name)
        case AddLines(lines):
            cell.add(lines)
        case AddRobot(position, angle, manipulator, gripper):
            cell.add_robot(position, angle, manipulator, gripper)
        case SetProgram(robot, controller, config):
            cell.set_program(robot, controller, config)
        case RewriteCell(text):
            cell.rewrite(text)
        case UndoEdit():
            cell.undo()
        case RedoEdit():
            cell.redo()


def _robot(cell: LiveCell, number: int) -> CellRobot:
    robots = cell.world.robots
    if number not in robots:
        raise UnknownNameError("robot", str(number), (str(one) for one in robots))
    return robots[number]


def _jog(cell: LiveCell, number: int, motor: str, value: float) -> None:
    _robot(cell, number).body.set_goal(motor, value)


def _program_text(cell: LiveCell, number: int) -> FileText:
    controller = _robot(cell, number).controller
    if not isinstance(controller, ProgramController):
        raise UnsupportedError(f"what steers robot {number} is no robot program")
    return FileText(Path(controller.name).name, controller.program.units[-1].source.text)
