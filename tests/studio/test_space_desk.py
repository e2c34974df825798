"""Maps, paths and reach as the studio's desk answers them, with hostile questions too."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armwerk as aw
from armwerk.collision import Checker
from armwerk.errors import ArmwerkError, DescriptionError, PlanningError
from armwerk.planning.example_problems import problem
from armwerk.planning.options import PlannerName
from armwerk.protocol.mapping import (
    FindRoute,
    FoundRoute,
    MapSpace,
    ReachCloud,
    SpaceMap,
    SweepReach,
)
from armwerk.protocol.staging import (
    ArmStaged,
    BodiesText,
    PoseStage,
    StageArm,
    StagePosed,
    SuggestBodies,
)
from armwerk.studio import StudioFolder, StudioSession
from armwerk.studio.desks.space import SpaceDesk
from armwerk.studio.desks.stages import StageDesk, Stages

CRATE = """kind = "bodies"
[[body]]
kind = "box"
name = "crate"
size = [0.3, 0.3, 0.3]
position = [0.5, 0.0, 0.15]
"""


def numbers(text: str, *shape: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


@pytest.fixture
def stages(tmp_path: Path) -> Stages:
    return Stages(StudioFolder(tmp_path))


def test_an_arm_is_staged_with_joints_and_coloured_bodies(stages: Stages) -> None:
    staged = StageDesk(stages).obey(StageArm("ur5e", CRATE))
    assert isinstance(staged, ArmStaged)
    assert [joint.unit for joint in staged.joints] == ["rad"] * 6
    assert staged.joints[0].velocity == pytest.approx(np.pi)
    assert [(body.name, body.kind) for body in staged.bodies] == [("crate", "box")]
    seen = [solid for solid in staged.geometry.solids if solid.name == "crate"]
    assert [solid.colour for solid in seen] == [staged.bodies[0].colour]


def test_a_pose_says_where_the_tool_is_and_what_touches(stages: Stages) -> None:
    desk = StageDesk(stages)
    q = (0.1, -1.2, 1.0, -0.5, 0.3, 0.2)
    posed = desk.obey(PoseStage("ur5e", CRATE, q))
    assert isinstance(posed, StagePosed)
    model = aw.model("ur5e")
    np.testing.assert_allclose(posed.tool[:3], model.fk(np.array(q))[:3, 3], atol=1e-9)
    assert posed.contact == ""
    assert posed.distance is not None
    assert posed.distance > 0
    low = desk.obey(PoseStage("ur5e", CRATE, (np.pi, 0.05, 0.0, 0.0, 0.0, 0.0)))
    assert isinstance(low, StagePosed)
    assert low.body == "crate"
    assert "touches crate" in low.contact


def test_the_map_has_the_colours_of_the_bodies_where_they_are_hit(stages: Stages) -> None:
    suggested = StageDesk(stages).obey(SuggestBodies("planar_rr"))
    assert isinstance(suggested, BodiesText)
    made = SpaceDesk(stages).obey(
        MapSpace("planar_rr", suggested.text, (0, 1), (360, 360), (0.0, 0.0))
    )
    assert isinstance(made, SpaceMap)
    whole = problem("rr").make()
    assert made.hits == whole.hits == 84_534
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(made.picture))))
    assert picture.shape == (360, 360, 3)
    np.testing.assert_array_equal((picture == 255).all(axis=2), whole.cells == 0)
    alone = whole.hit_by(3)
    for other in (0, 1, 2, 4):
        alone &= ~whole.hit_by(other)
    staged = StageDesk(stages).obey(StageArm("planar_rr", suggested.text))
    assert isinstance(staged, ArmStaged)
    colour = np.array([int(staged.bodies[3].colour[k : k + 2], 16) for k in (1, 3, 5)])
    assert np.abs(picture[alone].astype(int) - colour).max() <= 1


@pytest.mark.parametrize("planner", ["a-star", "rrt-connect"])
def test_a_path_is_found_and_can_be_played(stages: Stages, planner: PlannerName) -> None:
    desk = SpaceDesk(stages)
    text = StageDesk(stages).obey(SuggestBodies("planar_rr"))
    assert isinstance(text, BodiesText)
    start, goal = (0.2, 0.3), (1.4, -0.6)
    found = desk.obey(FindRoute("planar_rr", text.text, (0, 1), start, goal, planner, 0.0))
    assert isinstance(found, FoundRoute)
    motion = found.motion
    q = numbers(motion.position, motion.samples, 2)
    np.testing.assert_allclose(q[0], start, atol=1e-6)
    np.testing.assert_allclose(q[-1], goal, atol=1e-6)
    assert not Checker("planar_rr", problem("rr").bodies).contacts(q.astype(float)).any()
    assert motion.touch is None
    bodies = len(numbers(motion.poses, motion.samples, -1, 7)[0])
    assert bodies == 2
    np.testing.assert_allclose(numbers(found.waypoints, found.corners, 2)[0], start, atol=1e-6)


def test_a_start_in_contact_is_said(stages: Stages) -> None:
    text = StageDesk(stages).obey(SuggestBodies("planar_rr"))
    assert isinstance(text, BodiesText)
    with pytest.raises(PlanningError, match="the start is in contact"):
        SpaceDesk(stages).obey(
            FindRoute("planar_rr", text.text, (0, 1), (-2.4, 0.0), (0.2, 0.3), "a-star", 0.0)
        )


def test_reach_is_a_cloud_inside_the_reach_of_the_arm(stages: Stages) -> None:
    cloud = SpaceDesk(stages).obey(SweepReach("ur5e", "", 50_000, 0.1))
    assert isinstance(cloud, ReachCloud)
    points = numbers(cloud.points, cloud.count, 3)
    assert cloud.count > 500
    assert np.linalg.norm(points - [0, 0, 0.1625], axis=1).max() < 1.1
    assert numbers(cloud.values, cloud.count).max() == 1.0
    blocked = SpaceDesk(stages).obey(SweepReach("ur5e", CRATE, 50_000, 0.1))
    assert isinstance(blocked, ReachCloud)
    assert blocked.free < cloud.free == 1.0


def test_an_arm_of_the_folder_is_seen_again_when_its_file_changes(
    stages: Stages, tmp_path: Path
) -> None:
    import os

    aw.load("planar_rr").save(tmp_path / "mine.toml")
    first = stages.get("mine.toml", "")
    assert stages.get("mine.toml", "") is first
    aw.load("ur5e").save(tmp_path / "mine.toml")
    os.utime(tmp_path / "mine.toml", (1, 1))
    assert len(stages.get("mine.toml", "").joints) == 6


def asked(stages: Stages, command: object) -> object:
    if isinstance(command, StageArm | PoseStage | SuggestBodies):
        return StageDesk(stages).obey(command)
    assert isinstance(command, MapSpace | FindRoute | SweepReach)
    return SpaceDesk(stages).obey(command)


def hostile() -> list[object]:
    q6 = (0.0,) * 6
    return [
        StageArm("nonsense", ""),
        StageArm("../arm.toml", ""),
        StageArm("/etc/passwd", ""),
        StageArm("missing.toml", ""),
        StageArm("ur5e", "kind = "),
        StageArm("ur5e", 'kind = "bodies"\n[[body]]\nkind = "box"\nsize = [-1, 1, 1]\n'),
        StageArm("ur5e", 'kind = "bodies"\n[[body]]\nkind = "mesh"\nfile = "../a.stl"\n'),
        StageArm("ur5e", 'kind = "bodies"\n[[body]]\nkind = "mesh"\nfile = "out.stl"\n'),
        StageArm("ur5e", 'kind = "arm"\n'),
        PoseStage("ur5e", "", (0.0,)),
        PoseStage("ur5e", "", (100.0,) * 6),
        MapSpace("ur5e", "", (0, 0), (10, 10), q6),
        MapSpace("ur5e", "", (0, 9), (10, 10), q6),
        MapSpace("ur5e", "", (0, 1), (10, 100_000), q6),
        MapSpace("ur5e", "", (0, 1), (0, 10), q6),
        MapSpace("ur5e", "", (0, 1), (10, 10), ()),
        FindRoute("ur5e", "", (0, 1), q6, q6, "a-star", -1.0),
        FindRoute("ur5e", "", (0, 1), q6, (0.0,), "a-star", 0.0),
        SweepReach("ur5e", "", 10**9, 0.1),
        SweepReach("ur5e", "", 1000, -0.1),
        SweepReach("stewart", "", 1000, 0.1),
    ]


@pytest.mark.parametrize("command", hostile(), ids=lambda one: str(one)[:60])
def test_what_is_wrong_is_refused_with_a_sentence(tmp_path: Path, command: object) -> None:
    (tmp_path / "out.stl").symlink_to(tmp_path.parent / "elsewhere.stl")
    stages = Stages(StudioFolder(tmp_path))
    with pytest.raises(ArmwerkError) as caught:
        asked(stages, command)
    assert str(caught.value)


def test_the_session_hands_questions_to_the_desk(tmp_path: Path) -> None:
    (tmp_path / "cell.env").write_text("BORDER -50 -50 50 50\n")
    session = StudioSession(tmp_path / "cell.env", StudioFolder(tmp_path))
    try:
        answer = session.obey(4, StageArm("planar_rr", ""))
        assert isinstance(answer.result, ArmStaged)
        refused = session.obey(5, StageArm("planar_xx", ""))
        assert "planar_xx" in refused.problem
        assert refused.result is None
    finally:
        session.close()


def test_bodies_that_are_wrong_are_said_by_line(stages: Stages) -> None:
    with pytest.raises(DescriptionError) as caught:
        stages.get("ur5e", CRATE + 'colour = "red"\n')
    assert caught.value.line == 7


@pytest.mark.parametrize("name", ["ur5e", "typ2", "five_axis", "scara", "stewart"])
def test_suggested_bodies_do_not_stand_in_the_arm(stages: Stages, name: str) -> None:
    desk = StageDesk(stages)
    text = desk.obey(SuggestBodies(name))
    assert isinstance(text, BodiesText)
    staged = desk.obey(StageArm(name, text.text))
    assert isinstance(staged, ArmStaged)
    posed = desk.obey(PoseStage(name, text.text, staged.rest))
    assert isinstance(posed, StagePosed)
    assert posed.body == ""
