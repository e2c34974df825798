"""Scenes of mobile robots at the studio's desk, without a browser, with hostile questions too."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.mobile import MobileWorld, find_mobile_scene, find_program, mobile_scenes
from armwerk.mobile.files.scene_file import open_scene
from armwerk.protocol.coding import decoded, encoded
from armwerk.protocol.replies import Answer
from armwerk.protocol.roaming import (
    ClearMobileLog,
    EditMobileObject,
    ListMobileScenes,
    MobileMoment,
    MobileObject,
    MobileOpened,
    MobileSceneList,
    MobileSettingsSaved,
    OpenMobileScene,
    SaveMobileLog,
    SaveMobileSettings,
    SetMobileSpeed,
    SteerMobile,
    SwitchPhysics,
    WatchMobile,
)
from armwerk.studio import StudioFolder, StudioSession
from armwerk.studio.desks.mobile import MobileDesk
from armwerk.studio.session import is_mobile_scene
from armwerk.wire import FrameReader

COLLISION, SLOPE = "mobile/collision", "mobile/slope"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[MobileDesk]:
    """A desk with an empty folder."""
    desk = MobileDesk(StudioFolder(tmp_path))
    yield desk
    desk.close()


def opened(desk: MobileDesk, scene: str, settings: str = "", anew: bool = False) -> MobileOpened:
    result = desk.obey(OpenMobileScene(scene, settings, anew))
    assert isinstance(result, MobileOpened)
    return result


def moment(desk: MobileDesk, seen: int = 0) -> MobileMoment:
    result = desk.obey(WatchMobile(seen))
    assert isinstance(result, MobileMoment)
    return result


def until(desk: MobileDesk, seconds: float) -> MobileMoment:
    """Look on until some time has passed in the world [s]."""
    for _ in range(2000):
        now = moment(desk)
        if now.time >= seconds or now.problem:
            return now
        time.sleep(0.01)
    raise AssertionError("the world stands")


def edit(desk: MobileDesk, *said: str) -> dict[str, MobileObject]:
    name, attribute, value = said
    text = f'{{"type":"EditMobileObject","request":1,"name":"{name}",'
    text += f'"attribute":"{attribute}","value":"{value}"}}'
    command = decoded(text)[1]
    assert isinstance(command, EditMobileObject)
    result = desk.obey(command)
    assert isinstance(result, MobileOpened)
    return {one.name: one for one in result.objects}


def test_every_shipped_scene_opens_with_all_its_objects(desk: MobileDesk) -> None:
    listed = desk.obey(ListMobileScenes())
    assert isinstance(listed, MobileSceneList)
    assert listed.shipped == tuple(mobile_scenes())
    for name in listed.shipped:
        scene = opened(desk, name)
        true = open_scene(find_mobile_scene(name)).scene()
        assert {one.name for one in scene.objects} == set(true.names())
        assert encoded(Answer(1, result=scene))
        now = moment(desk)
        assert (now.time, now.running, now.version) == (0.0, False, scene.version)


def test_a_world_runs_as_it_does_without_a_screen(desk: MobileDesk) -> None:
    scene = opened(desk, COLLISION)
    desk.obey(SetMobileSpeed(0.0))
    desk.obey(SteerMobile("start"))
    until(desk, 1.0)
    desk.obey(SteerMobile("stop"))
    now = moment(desk)
    time.sleep(0.1)
    assert moment(desk).time == now.time
    frame = FrameReader().read(base64.b64decode(now.frame))
    true = open_scene(find_mobile_scene(COLLISION)).scene()
    programs = {robot.name: find_program(robot.program) for robot in true.robots}
    world = MobileWorld(true, programs)
    world.run(now.time)
    for number, body in enumerate(scene.geometry.bodies):
        place = world.pose(body.name)[:3, 3]
        np.testing.assert_allclose(frame.places[number], place, atol=1e-5)
    desk.obey(SteerMobile("reset"))
    assert moment(desk).time == 0.0
    desk.obey(SteerMobile("step"))
    assert moment(desk).time == pytest.approx(true.step)


def test_speed_is_kept(desk: MobileDesk) -> None:
    opened(desk, SLOPE)
    desk.obey(SetMobileSpeed(0.5))
    desk.obey(SteerMobile("start"))
    began = time.perf_counter()
    now = until(desk, 0.5)
    took = time.perf_counter() - began
    assert took > 0.8  # a slow machine may be later, never earlier
    assert now.speed == 0.5
    for wrong in (-1.0, 0.001, 1e6, float("nan")):
        with pytest.raises(DescriptionError, match="as fast as possible"):
            desk.obey(SetMobileSpeed(wrong))


def test_the_log_is_told_once_cleared_and_saved(desk: MobileDesk, tmp_path: Path) -> None:
    opened(desk, COLLISION)
    desk.obey(SetMobileSpeed(0.0))
    desk.obey(SteerMobile("start"))
    until(desk, 20.0)
    desk.obey(SteerMobile("stop"))
    now = moment(desk)
    assert "collision" in {line.kind for line in now.lines}
    assert now.known == len(now.lines)
    assert moment(desk, now.known).lines == ()
    assert moment(desk, 10**9).lines == ()
    desk.obey(SaveMobileLog("all", ()))
    assert len((tmp_path / "all.log").read_text().splitlines()) == now.known
    desk.obey(SaveMobileLog("goals.log", ("goal",)))
    assert (tmp_path / "goals.log").read_text() == ""
    for file, kinds in (("../out", ()), ("", ()), ("x", ("nonsense",))):
        with pytest.raises(ArmwerkError):
            desk.obey(SaveMobileLog(file, kinds))
    desk.obey(ClearMobileLog())
    after = moment(desk)
    assert (after.lines, after.known, after.log) == ((), 0, now.log + 1)


def test_without_physics_robots_pass_through(desk: MobileDesk) -> None:
    first = opened(desk, COLLISION)
    assert first.physics
    result = desk.obey(SwitchPhysics(False, True))
    assert isinstance(result, MobileOpened)
    assert not result.physics
    assert result.version > first.version
    desk.obey(SetMobileSpeed(0.0))
    desk.obey(SteerMobile("start"))
    assert until(desk, 2.0).problem == ""


def test_objects_are_changed_while_time_stands(desk: MobileDesk) -> None:
    before = {one.name: one for one in opened(desk, SLOPE).objects}
    robot = next(one for one in before.values() if one.kind.startswith("robot"))
    now = edit(desk, robot.name, "mass", "250 g")[robot.name]
    assert now.mass == pytest.approx(0.25)
    assert now.density == pytest.approx(robot.density * 0.25 / robot.mass)
    assert now.changed == ("mass",)
    now = edit(desk, robot.name, "density", "2 g/cm³")[robot.name]
    assert now.density == pytest.approx(2000.0)
    assert now.changed == ("density",)
    assert edit(desk, robot.name, "friction", "0.25")[robot.name].friction == 0.25
    assert not edit(desk, robot.name, "active", "false")[robot.name].active
    assert edit(desk, robot.name, "program", "wall follower")[robot.name].program == "wall follower"
    back = edit(desk, robot.name, "density", "")[robot.name]
    assert back.mass == pytest.approx(robot.mass)
    desk.obey(SteerMobile("start"))
    with pytest.raises(UnsupportedError, match="stop it first"):
        edit(desk, robot.name, "friction", "0.5")


def test_a_program_is_exchanged_without_losing_the_place(desk: MobileDesk) -> None:
    scene = opened(desk, COLLISION)
    robot = scene.objects[0].name
    for _ in range(20):
        desk.obey(SteerMobile("step"))
    before = moment(desk)
    edit(desk, robot, "program", "")
    after = moment(desk)
    assert (after.time, after.version) == (before.time, before.version)
    assert after.frame == before.frame
    for _ in range(20):  # it comes to rest
        desk.obey(SteerMobile("step"))
    rest = [moment(desk)]
    desk.obey(SteerMobile("step"))
    rest.append(moment(desk))
    number = [one.name for one in scene.geometry.bodies].index(robot)
    first, second = (FrameReader().read(base64.b64decode(one.frame)).places[number] for one in rest)
    np.testing.assert_allclose(first, second, atol=1e-4)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("mass", "-1"),
        ("mass", "nan"),
        ("mass", "5 elephants"),
        ("friction", "2"),
        ("friction", "rough"),
        ("active", "perhaps"),
        ("type", "teapot"),
        ("program", "nonsense"),
        ("program", "subprocess:Popen args=true"),
        ("program", "os:system command=true"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(
    desk: MobileDesk, attribute: str, value: str
) -> None:
    before = opened(desk, COLLISION)
    with pytest.raises(ArmwerkError):
        edit(desk, before.objects[0].name, attribute, value)
    after = opened(desk, "")
    assert after.objects == before.objects
    assert after.version == before.version


def test_settings_are_listed_loaded_and_saved(desk: MobileDesk, tmp_path: Path) -> None:
    scene = opened(desk, SLOPE)
    assert scene.settings == ("friction 0.2", "friction 0.5", "friction 0.8")
    other = opened(desk, SLOPE, "friction 0.2", anew=True)
    assert other.chosen == "friction 0.2"
    assert other.objects != scene.objects
    robot = other.objects[0].name
    edit(desk, robot, "mass", "77 g")
    desk.obey(SwitchPhysics(False, False))
    saved = desk.obey(SaveMobileSettings("mine / ../odd"))
    assert isinstance(saved, MobileSettingsSaved)
    assert saved.settings == (*scene.settings, "mine / ../odd")
    assert (tmp_path / saved.file).is_file()
    assert (tmp_path / saved.file).parent == tmp_path / "slope.settings"
    opened(desk, COLLISION)
    again = opened(desk, SLOPE, "mine / ../odd")
    assert (again.physics, again.follow_landscape) == (False, False)
    assert next(one for one in again.objects if one.name == robot).mass == pytest.approx(0.077)
    desk.obey(SaveMobileSettings("mine / ../odd"))
    assert len(list((tmp_path / "slope.settings").iterdir())) == 1
    for name in ("", "\n", "x" * 61):
        with pytest.raises(DescriptionError):
            desk.obey(SaveMobileSettings(name))
    with pytest.raises(ArmwerkError):
        opened(desk, SLOPE, "nonsense", anew=True)
    assert opened(desk, "").chosen == "mine / ../odd"


def test_what_is_open_stays_as_it_is_when_it_is_opened_again(desk: MobileDesk) -> None:
    first = opened(desk, COLLISION)
    desk.obey(SteerMobile("step"))
    assert opened(desk, COLLISION).version == first.version
    assert moment(desk).time > 0.0
    assert opened(desk, COLLISION, anew=True).version > first.version
    assert moment(desk).time == 0.0


def test_a_world_that_nobody_watches_stands(
    desk: MobileDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armwerk.studio.desks.mobile_runner._UNSEEN", 0.2)
    opened(desk, SLOPE)
    desk.obey(SteerMobile("start"))
    time.sleep(0.6)
    now = moment(desk)
    assert not now.running
    assert now.time < 0.5


def test_a_broken_program_stops_the_time_and_is_told(tmp_path: Path) -> None:
    shipped = find_mobile_scene(SLOPE)
    for ending in (".toml", ".glb"):
        shutil.copy(shipped.with_suffix(ending), tmp_path / f"mine{ending}")
    (tmp_path / "broken.py").write_text(
        "class Broken:\n"
        "    def start(self, robot): pass\n"
        "    def step(self, senses): raise ValueError('a wheel came off')\n"
    )
    desk = MobileDesk(StudioFolder(tmp_path))
    scene = opened(desk, "mine.toml")
    robot = next(one.name for one in scene.objects if one.kind.startswith("robot"))
    edit(desk, robot, "program", "broken:Broken")
    desk.obey(SteerMobile("start"))
    now = until(desk, 1e9)
    assert "a wheel came off" in now.problem
    assert robot in now.problem
    with pytest.raises(DescriptionError, match="reset"):
        desk.obey(SteerMobile("start"))
    desk.obey(SteerMobile("reset"))
    assert moment(desk).problem == ""
    desk.close()


def test_the_studio_opens_a_scene_by_name_and_by_file(tmp_path: Path) -> None:
    shipped = find_mobile_scene(SLOPE)
    for ending in (".toml", ".glb"):
        shutil.copy(shipped.with_suffix(ending), tmp_path / f"mine{ending}")
    for name, subject in ((SLOPE, SLOPE), (str(tmp_path / "mine.glb"), "mine.glb")):
        assert is_mobile_scene(name)
        session = StudioSession(name, StudioFolder(tmp_path))
        greeting = session.greeting()
        assert (greeting.view, greeting.subject) == ("mobile", subject)
        answer = session.obey(7, WatchMobile(0))
        assert isinstance(answer.result, MobileMoment)
        refused = session.obey(8, OpenMobileScene("../secret.glb", "", False))
        assert "below the folder" in refused.problem
        session.close()
    assert is_mobile_scene(tmp_path / "mine.toml")
    assert not is_mobile_scene("ur5e")
    (tmp_path / "arm.toml").write_text('name = "x"\n')
    assert not is_mobile_scene(tmp_path / "arm.toml")
