"""Scenes of mobile robots: opened, run, changed, logged.

One world for all who look on, as with cells; it begins when somebody opens it.
"""

from __future__ import annotations

import base64
import threading
from dataclasses import dataclass, replace

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.mobile.examples.shipped import find_mobile_scene, mobile_scenes
from armwerk.mobile.files.scene_file import open_scene
from armwerk.mobile.files.settings import settings_folder
from armwerk.mobile.log import KINDS, chosen, event_text, log_text
from armwerk.mobile.programs.finding import PROGRAMS
from armwerk.mobile.world import MobileWorld
from armwerk.protocol.roaming import (
    ClearMobileLog,
    EditMobileObject,
    ListMobileScenes,
    MobileAction,
    MobileCommand,
    MobileLine,
    MobileMoment,
    MobileOpened,
    MobileResult,
    MobileSceneList,
    MobileSettingsSaved,
    OpenMobileScene,
    PlaceMobileObject,
    SaveMobileLog,
    SaveMobileSettings,
    SetMobileSpeed,
    SteerMobile,
    SwitchPhysics,
    WatchMobile,
)
from armwerk.studio.desks.mobile_bench import MobileSetup
from armwerk.studio.desks.mobile_runner import MobileRunner
from armwerk.studio.folder import StudioFolder
from armwerk.wire.arm_stage import packed_numbers
from armwerk.wire.frames import FramePacker
from armwerk.wire.mobile_stage import MobileStage

_FARTHEST = 1000.0  # [m] from the origin that things are put


@dataclass(frozen=True, eq=False)
class _OpenScene:
    """A scene at work."""

    setup: MobileSetup
    stage: MobileStage
    runner: MobileRunner


class MobileDesk:
    """Opens scenes, runs them, changes them.

    Args:
        folder: Below which files are opened and saved.
    """

    def __init__(self, folder: StudioFolder) -> None:
        self._folder = folder
        self._changing = threading.Lock()
        self._open: _OpenScene | None = None
        self._version = 0

    def obey(self, command: MobileCommand) -> MobileResult | None:
        """Carry out a command.

        Raises:
            ArmwerkError: When something asked for is wrong; the world is then as it was.
        """
        match command:
            case ListMobileScenes():
                return MobileSceneList(tuple(mobile_scenes()), self._folder.mobile_scenes())
            case WatchMobile(seen):
                return _moment(self._current(), seen)
            case SteerMobile(action):
                _steer(self._current().runner, action)
            case SetMobileSpeed(speed):
                self._current().runner.set_speed(speed)
            case PlaceMobileObject(name, position):
                _place(self._current().runner, name, position)
            case ClearMobileLog():
                self._current().runner.clear()
            case SaveMobileLog(file, kinds):
                events = chosen(self._current().runner.events(), kinds)
                self._folder.write(_log_file(file), log_text(events))
            case _:
                with self._changing:
                    return self._change(command)
        return None

    def close(self) -> None:
        """End the world."""
        if self._open is not None:
            self._open.runner.close()

    def _current(self) -> _OpenScene:
        if self._open is None:
            raise UnsupportedError("no scene of mobile robots is open")
        return self._open

    def _change(
        self,
        command: OpenMobileScene | SwitchPhysics | EditMobileObject | SaveMobileSettings,
    ) -> MobileOpened | MobileSettingsSaved:
        match command:
            case OpenMobileScene(name, settings, anew):
                now = self._open
                if now is None or anew or name not in {"", now.setup.name}:
                    known = name or (now.setup.name if now is not None else mobile_scenes()[0])
                    self._begin(self._read(known).with_settings(settings))
            case SwitchPhysics(physics, follow):
                setup = self._current().setup
                self._begin(replace(setup, physics=physics, follow_landscape=follow))
            case EditMobileObject():
                self._edit(command)
            case SaveMobileSettings(name):
                setup = self._current().setup
                path = setup.save(name)
                listed = tuple(setup.settings())
                return MobileSettingsSaved(name.strip(), self._folder.name_of(path), listed)
        return self._opened()

    def _read(self, name: str) -> MobileSetup:
        if name in mobile_scenes():
            path = find_mobile_scene(name)
            own = self._folder.root / f"{path.stem}.settings"
            return MobileSetup(name, path, open_scene(path), (own, settings_folder(path)))
        path = self._folder.mobile_scene(name)
        return MobileSetup(name, path, open_scene(path), (settings_folder(path),))

    def _begin(self, setup: MobileSetup) -> None:
        """Put another world in the place of the one of now, when it can be made."""
        before = self._open
        world = setup.world()
        self._version += 1
        stage = MobileStage(world.scene, rays=False, version=self._version)
        speed = 1.0 if before is None else before.runner.speed
        self._open = _OpenScene(setup, stage, MobileRunner(world, speed))
        if before is not None:
            before.runner.close()

    def _edit(self, command: EditMobileObject) -> None:
        now = self._current()
        if now.runner.is_running:
            raise UnsupportedError("bodies and robots are changed while time stands: stop it first")
        setup = now.setup.edited(command.name, command.attribute, command.value)
        if command.attribute not in {"active", "program"}:
            self._begin(setup)
            return
        robot = setup.scene().robot(command.name)
        program = setup.program(robot.program)

        def carry_out(world: MobileWorld) -> None:
            if command.attribute == "program":
                world.assign(robot.name, program)
            else:
                world.activate(robot.name, robot.active)

        now.runner.do(carry_out)
        self._open = replace(now, setup=setup)

    def _opened(self) -> MobileOpened:
        now = self._current()
        setup = now.setup
        scene = setup.scene()
        programs = dict.fromkeys([*PROGRAMS, *(robot.program for robot in scene.robots)])
        return MobileOpened(
            setup.name,
            now.stage.version,
            now.stage.geometry,
            setup.listed(scene),
            tuple(one for one in programs if one),
            tuple(setup.settings()),
            setup.chosen,
            setup.physics,
            setup.follow_landscape,
            KINDS,
        )


def _steer(runner: MobileRunner, action: MobileAction) -> None:
    match action:
        case "start":
            runner.start()
        case "stop":
            runner.stop()
        case "step":
            runner.step()
        case "reset":
            runner.reset()


def _moment(now: _OpenScene, seen: int) -> MobileMoment:
    news = now.runner.news(seen)
    frame = now.stage.frame(0, news.state.time, news.state.poses)
    return MobileMoment(
        now.stage.version,
        base64.b64encode(FramePacker().pack(frame)).decode(),
        news.state.time,
        news.running,
        news.speed,
        news.rate,
        news.problem,
        news.log,
        news.known,
        news.missed,
        tuple(MobileLine(one.time, one.kind, event_text(one)) for one in news.events),
        packed_numbers([[*ray.start, *ray.end, float(ray.met)] for ray in news.rays]),
    )


def _place(runner: MobileRunner, name: str, position: tuple[float, float, float]) -> None:
    if not all(abs(value) <= _FARTHEST for value in position):
        raise DescriptionError(
            "too far away",
            element=f"'{name[:80]}', position",
            value=position,
            allowed=f"within {_FARTHEST:g} m",
        )
    runner.do(lambda world: world.move(name, position))


def _log_file(file: str) -> str:
    name = file.strip()
    if not name:
        raise DescriptionError("has no name", element="log", allowed="a name, such as football.log")
    return name if name.endswith(".log") else f"{name}.log"
