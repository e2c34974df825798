"""What moves, in files: read as the objects are made by hand, written back to the last digit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import armwerk as aw
from armwerk.collision import (
    ArmShapes,
    BodiesAround,
    BodyMotion,
    BodyReach,
    ConstantVelocity,
    MovingArm,
    MovingBody,
    PlatformMotion,
    Repeated,
    TimedPoses,
)
from armwerk.collision.moving_body import Moving
from armwerk.errors import ArmwerkError, DescriptionError, UnsupportedError
from armwerk.geometry import rotation_exp
from armwerk.motion.table import Table

Array = NDArray[np.float64]
TIMES = np.linspace(-2.0, 13.0, 301)
HEAD = 'kind = "bodies"\n'
BOX = f'{HEAD}[[body]]\nkind = "box"\nname = "crate"\nsize = [0.1, 0.2, 0.3]\n'
ARM = f'{HEAD}[[body]]\nkind = "arm"\nname = "other"\ndescription = "ur5e"\n'


def loaded(folder: Path, text: str) -> BodiesAround:
    (folder / "cell.toml").write_text(text)
    return BodiesAround.load(folder / "cell.toml")


def pose(position: tuple[float, float, float], turn: tuple[float, float, float]) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_exp(turn), position
    return T


def body_motion(one: Moving) -> BodyMotion:
    assert isinstance(one, MovingBody)
    return one.motion


def test_a_belt_a_turntable_and_a_platform_by_hand(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        f"""{BOX}position = [0, "-1 m", 0.3]
[body.motion]
velocity = [0, "400 mm/s", 0]
begin = "500 ms"
repeat = "2.5 s"

[[body]]
kind = "sphere"
name = "ball"
radius = 0.05
position = [0.2, 0, 0]
[body.motion]
angular_velocity = [0, 0, "90 deg/s"]
position = [0.8, 0, 0.1]

[[body]]
kind = "group"
name = "platform"
[[body.shape]]
kind = "box"
size = [0.8, 0.6, 0.3]
[[body.shape]]
kind = "cylinder"
name = "mast"
radius = 0.1
length = 0.5
position = [0, 0, 0.4]
[body.motion]
waypoints = [{{ time = 1, position = [0, -1, 0] }}, {{ time = 3, position = [0, 1, 0] }}]

[[body]]
kind = "half_space"
name = "floor"
normal = [0, 0, 1]
""",
    )
    assert found.bodies.names == ("floor",)
    crate, ball, platform = found.moving
    assert [one.name for one in found.moving] == ["crate", "ball", "platform"]
    times = np.array([0.0, 0.5, 1.5, 3.0, 4.0])
    y = crate.frames(times)[:, 0, 7] + crate.shapes[0].position[1]
    assert y == pytest.approx([-1.0, -1.0, -0.6, -1.0, -0.6])
    middle = np.array([0.2, 0.0, 0.0])
    there = ball.frames(np.array([0.0, 1.0]))[:, 0].reshape(2, 3, 4)
    assert there[:, :, :3] @ middle + there[:, :, 3] == pytest.approx(
        np.array([[1.0, 0.0, 0.1], [0.8, 0.2, 0.1]])
    )
    assert platform.frames(np.array([0.0, 2.0, 9.0]))[:, 1, 7] == pytest.approx([-1.0, 0.0, 1.0])
    assert [shape.name for shape in platform.shapes] == ["platform.box0", "platform.mast"]


@pytest.mark.parametrize(
    ("header", "turn"),
    [
        ("time [ms],x [mm],y [mm],z [mm],a [deg],b [deg],c [deg]", "90,0,0"),
        ("time [ms],x [mm],y [mm],z [mm],qw,qx,qy,qz", f"{np.sqrt(0.5)},0,0,{np.sqrt(0.5)}"),
        (
            "time [ms],x [mm],y [mm],z [mm],r11,r12,r13,r21,r22,r23,r31,r32,r33",
            "0,-1,0,1,0,0,0,0,1",
        ),
    ],
)
def test_poses_of_a_file(header: str, turn: str, tmp_path: Path) -> None:
    (tmp_path / "poses.csv").write_text(f"{header}\n0,0,0,0,{turn}\n\n2000,500,0,0,{turn}\n")
    (one,) = loaded(tmp_path, f'{BOX}[body.motion]\nfile = "poses.csv"\n').moving
    there = one.frames(np.array([1.0]))[0, 0].reshape(3, 4)
    assert there == pytest.approx(np.array([[0, -1, 0, 0.25], [1, 0, 0, 0], [0, 0, 1, 0]]))


def test_another_arm_stops_at_waypoints_and_stands_before_and_after(tmp_path: Path) -> None:
    text = f"""{ARM}position = [-1, 0, 0]
turn = ["180 deg", 0, 0]
[body.motion]
begin = 1
waypoints = [
    {{ time = 0.5, joints = [0, "-90 deg", 0, 0, 0, 0] }},
    {{ time = 2.5, joints = [1, "-90 deg", 0, 0, 0, 0] }},
]
"""
    (other,) = loaded(tmp_path, text).moving
    assert isinstance(other, MovingArm)
    assert (other.begin, other.trajectory.duration) == (1.5, 2.0)
    q, qd, _ = other.trajectory.sample(np.array([0.0, 1.0, 2.0, 5.0]))
    assert q[:, 0] == pytest.approx([0.0, 0.5, 1.0, 1.0])
    assert qd[[0, 2, 3]] == pytest.approx(np.zeros((3, 6)))
    arm = other.checker.arms[0]
    assert isinstance(arm, aw.Arm)
    assert arm.base[:3, 3] == pytest.approx([-1.0, 0.0, 0.0])
    (still,) = loaded(
        tmp_path, f"{ARM}[body.motion]\nwaypoints = [{{ joints = {[0.1] * 6} }}]"
    ).moving
    assert np.ptp(still.frames(TIMES), axis=0) == pytest.approx(0.0)


def test_another_arm_drives_a_saved_motion_or_a_table(tmp_path: Path) -> None:
    arm = aw.load("ur5e")
    motion = aw.ptp(arm, np.zeros(6), np.full(6, 0.5))
    motion.save(tmp_path / "motion.npz")
    (other,) = loaded(tmp_path, f'{ARM}[body.motion]\nfile = "motion.npz"\n').moving
    assert np.array_equal(other.frames(TIMES), MovingArm(arm, motion).frames(TIMES))
    table = Table.load(Path(__file__).parents[2] / "examples/motion/five_axis_table.toml")
    table.save(tmp_path / "rows.toml")
    text = ARM.replace("ur5e", "five_axis") + '[body.motion]\ntable = "rows.toml"\n'
    (driven,) = loaded(tmp_path, text).moving
    assert isinstance(driven, MovingArm)
    wanted = table.path().plan(aw.model("five_axis"))
    assert driven.trajectory.duration == pytest.approx(wanted.duration)


def everything() -> BodiesAround:
    rng = np.random.default_rng(3)
    arm = aw.load("ur5e")
    own = aw.Arm.from_dh(arm.joints, "own", pose((1.0, 0.2, 0.0), (0.0, 0.1, 0.7)))
    limits = aw.Limits([1.0, 1.0, 2.0], [4.0, 4.0, 8.0], [40.0, 40.0, 80.0])
    drive = aw.ptp(None, [-0.3, -0.2, -1.0], [0.3, 0.4, 2.0], "sync", limits=limits)
    many = np.array(
        [pose(tuple(rng.normal(size=3)), tuple(rng.normal(size=3))) for _ in range(150)]
    )
    along = aw.ptp(arm, rng.normal(size=6), rng.normal(size=6), "full")
    there = pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    thin = ArmShapes(own, {"link2": [aw.Sphere(0.2)], "link4": [aw.Box((0.1, 0.1, 0.3))]})
    two = (aw.Box((0.1, 0.2, 0.3)), aw.Cone(0.1, 0.3, 0.05, position=(0.0, 0.0, 1.0 / 3.0)))
    return BodiesAround(
        [aw.Box((1, 1, 0.1), name="table"), aw.HalfSpace((0, 0, 1), (0, 0, -1), "floor")],
        [
            MovingBody(two[0], ConstantVelocity((0.1, 1 / 3, 0.0)), "a"),
            MovingBody(
                two, ConstantVelocity((0, 0, 0), (0.1, 0.2, 0.3), there, at=0.1, end=4), "b"
            ),
            MovingBody(two[1], ConstantVelocity((0, 0, 0), (0.1, 0.2, 0.3)), "c"),
            MovingBody(two[0], Repeated(TimedPoses(np.arange(5) / 3, many[:5]), 1.7, 0.3), "d"),
            MovingBody(two[1], TimedPoses(np.arange(150) / 7, many), "e"),
            MovingBody(two[0], PlatformMotion(drive, 1 / 3, there), "f"),
            MovingArm(arm, along, 0.7, name="g"),
            MovingArm(own, along, -0.3, thin, "h"),
        ],
    )


def test_written_back_to_the_last_digit(tmp_path: Path) -> None:
    given = everything()
    given.save(tmp_path / "cell.toml")
    found = BodiesAround.load(tmp_path / "cell.toml")
    assert found.bodies == given.bodies
    (tmp_path / "again").mkdir()
    found.save(tmp_path / "again" / "cell.toml")
    again = BodiesAround.load(tmp_path / "again" / "cell.toml")
    for one, two, three in zip(given.moving, found.moving, again.moving, strict=True):
        assert one.name == two.name
        assert one.shapes == two.shapes == three.shapes
        # a trajectory is written as polynomials, multiplied out where it was a line and a law
        slack = 1e-14 if isinstance(one, MovingArm) else 0.0
        assert two.frames(TIMES) == pytest.approx(one.frames(TIMES), abs=slack, rel=0.0)
        assert np.array_equal(three.frames(TIMES), two.frames(TIMES))
        assert np.array_equal(two.moves(TIMES[:-1], TIMES[1:]), three.moves(TIMES[:-1], TIMES[1:]))
    text = (tmp_path / "again" / "cell.toml").read_text()
    assert text == (tmp_path / "cell.toml").read_text()


def test_a_motion_of_your_own_cannot_be_written(tmp_path: Path) -> None:
    class Swing:
        proved = True

        def poses(self, times: Array) -> Array:
            return np.tile(np.eye(4), (len(times), 1, 1))

        def reach(self, low: Array, high: Array) -> BodyReach:
            return BodyReach(0.0 * low, 0.0 * low)

        def breaks(self, low: float, high: float) -> Array:
            return np.zeros(0)

    around = BodiesAround([], [MovingBody(aw.Sphere(0.1), Swing(), "pendulum")])
    with pytest.raises(UnsupportedError, match="Swing cannot be written"):
        around.save(tmp_path / "cell.toml")
    assert not (tmp_path / "cell.toml").exists()


WRONG = {
    "no motion at all": ("", 2, r"body 'other', motion: missing"),
    "no way": ("[body.motion]\nbegin = 1\n", 6, r"motion: missing .*velocity, angular_velocity"),
    "typing error": ("[body.motion]\nvelocty = [0, 0, 1]\n", 7, r"did you mean 'velocity'"),
    "two ways": (
        "[body.motion]\nvelocity = [0, 0, 1]\nwaypoints = [{ time = 0 }]\n",
        8,
        r"waypoints: given beside velocity",
    ),
    "foreign key": (
        "[body.motion]\nwaypoints = [{ time = 0 }]\nend = 3\n",
        8,
        "end: given beside way",
    ),
    "wrong unit": (
        '[body.motion]\nvelocity = [0, 0, "1 m"]\n',
        7,
        "velocity: wrong unit 'm' for a sp",
    ),
    "two numbers": ("[body.motion]\nvelocity = [0, 0]\n", 7, "velocity: not three numbers"),
    "nan": ("[body.motion]\nvelocity = [0, 0, nan]\n", 7, "velocity: not finite"),
    "no axis": ("[body.motion]\nangular_velocity = [0, 0, 1]\n", 6, "position: missing .*axis"),
    "backwards": ("[body.motion]\nvelocity = [0, 0, 1]\nbegin = 3\nend = 1\n", 9, "ends before"),
    "period": (
        "[body.motion]\nvelocity = [0, 0, 1]\nrepeat = -2\n",
        8,
        "repeat: too short, got -2",
    ),
    "alone": ("[body.motion]\nvelocity = [0, 0, 1]\nrepeat_from = 2\n", 8, "has no repeat"),
    "no list": ("[body.motion]\nwaypoints = 3\n", 7, "waypoints: not a list of tables"),
    "no points": ("[body.motion]\nwaypoints = []\n", 7, "waypoints: not a list of tables"),
    "no time": ("[body.motion]\nwaypoints = [{ position = [0, 0, 0] }]\n", 7, "1, time: missing"),
    "same time": (
        "[body.motion]\nwaypoints = [\n{ time = 1 },\n{ time = 1.0, position = [0, 0, 1] },\n]\n",
        9,
        r"waypoint 2, time: does not rise, got '1 s after 1 s'",
    ),
    "mirror": (
        "[body.motion]\nwaypoints = [{time = 0, rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}]\n",
        7,
        "rotation: is no rotation",
    ),
    "no file": ('[body.motion]\nfile = "none.csv"\n', None, "none.csv: file: does not exist"),
    "outside": ('[body.motion]\nfile = "../poses.csv"\n', 7, "leads out of the folder"),
    "no such drive": ('[body.motion]\nplatform = "drive.csv"\n', None, "drive.csv: cannot be read"),
    "no table": ("motion = 3\n", 6, "not a table"),
    "region": ("region = true\n[body.motion]\nvelocity = [0, 0, 1]\n", 6, "region: cannot move"),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told_with_their_place(case: str, tmp_path: Path) -> None:
    text, line, message = WRONG[case]
    with pytest.raises(DescriptionError, match=message) as found:
        loaded(tmp_path, (BOX if case != "no motion at all" else ARM) + text)
    if line is not None:
        assert (found.value.file, found.value.line) == (str(tmp_path / "cell.toml"), line)
    assert "\n" not in str(found.value)


WRONG_ARMS = {
    "unknown arm": (
        ARM.replace("ur5e", "ur5"),
        "[body.motion]\nfile = 'm.csv'",
        5,
        "cannot be loaded",
    ),
    "no arm": (
        ARM.replace('description = "ur5e"', ""),
        "[body.motion]\nfile = 'm.csv'",
        2,
        "missing",
    ),
    "joints": (
        ARM,
        "[body.motion]\nwaypoints = [{ time = 0, joints = [0, 1] }]",
        7,
        "not 6 joint val",
    ),
    "metres": (
        ARM,
        f"[body.motion]\nwaypoints = [{{ joints = {['1 m'] * 6} }}]",
        7,
        "wrong unit 'm'",
    ),
    "velocity": (ARM, "[body.motion]\nvelocity = [0, 0, 1]", 7, "unknown key"),
    "table": (ARM, '[body.motion]\ntable = "none.toml"', None, "none.toml.*does not exist"),
    "axes": (ARM, '[body.motion]\nfile = "two.npz"', 7, "file: has 2 axes|moves 2 axes"),
}


@pytest.mark.parametrize("case", WRONG_ARMS)
def test_mistakes_of_arms_are_told_with_their_place(case: str, tmp_path: Path) -> None:
    head, text, line, message = WRONG_ARMS[case]
    aw.ptp("planar_rr", [0.0, 0.0], [0.5, 0.5]).save(tmp_path / "two.npz")
    with pytest.raises(ArmwerkError, match=message) as found:
        loaded(tmp_path, f"{head}{text}\n")
    assert isinstance(found.value, DescriptionError)
    if line is not None and "axes" not in case:
        assert found.value.line == line


CSV = "time [s],x [m],y [m],z [m]\n0,0,0,0\n1,0,0,0\n"
WRONG_POSES = {
    "unit": (CSV.replace("x [m]", "x"), 1, "no unit, got 'x'.*x .mm."),
    "column": (CSV.replace("x [m]", "u [m]"), 1, "unknown column"),
    "twice": (CSV.replace("y [m]", "x [m]"), 1, "column twice"),
    "missing": (CSV.replace(",z [m]", ""), 1, "columns missing"),
    "short": (f"{CSV}2,0,0\n", 4, "3 columns, not 4"),
    "nan": (f"{CSV}2,0,nan,0\n", 4, "y: not a number"),
    "word": (f"{CSV}2,0,zero,0\n", 4, "y: not a number"),
    "back": (f"{CSV}\n0.5,0,0,0\n", 5, "does not rise, got '0.5 s after 1 s'"),
    "empty": (CSV[:27], None, "holds no poses"),
    "long quaternion": (
        "time [s],x [m],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,1,0,0\n",
        2,
        "no unit quat",
    ),
}


@pytest.mark.parametrize("case", WRONG_POSES)
def test_mistakes_in_files_of_poses(case: str, tmp_path: Path) -> None:
    text, line, message = WRONG_POSES[case]
    (tmp_path / "poses.csv").write_text(text)
    with pytest.raises(DescriptionError, match=message) as found:
        loaded(tmp_path, f'{BOX}[body.motion]\nfile = "poses.csv"\n')
    assert found.value.file == str(tmp_path / "poses.csv")
    assert found.value.line == line


def test_names_are_their_own_and_bodies_that_stand_are_told_apart(tmp_path: Path) -> None:
    belt = "[body.motion]\nvelocity = [0, 0, 1]\n"
    twice = f'{BOX}[[body]]\nkind = "sphere"\nname = "crate"\nradius = 1\n{belt}'
    with pytest.raises(DescriptionError, match=r"cell.toml.*crate.*name used twice"):
        loaded(tmp_path, twice)
    unnamed = BOX.replace('name = "crate"\n', "")
    both = loaded(tmp_path, f"{unnamed}{belt}{unnamed.removeprefix(HEAD)}")
    assert (both.bodies.names, both.moving[0].name) == (("box0",), "moving_box0")
    with pytest.raises(DescriptionError, match=r"cell.toml:\d+: body 1, motion: moves"):
        aw.Bodies.load(tmp_path / "cell.toml")
