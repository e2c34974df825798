"""The words for an arm: tips behind #, robots of installed packages, files of all kinds."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import typer

import armwerk as aw
from armwerk.cli.arguments import joint_values
from armwerk.cli.units import Units
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.robot import load_arm
from armwerk.robot.installed import installed_file, installed_robots, is_installed_name
from armwerk.robot.references import arm_reference

TWO = """<robot name="two">
  <link name="base"/><link name="up"/><link name="left"/><link name="right"/>
  <link name="tool0"/><link name="ee_link"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="up"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="l" type="revolute"><parent link="up"/><child link="left"/><origin xyz="0.3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0" velocity="1" effort="1"/></joint>
  <joint name="r" type="revolute"><parent link="up"/><child link="right"/><origin xyz="0.3 0.1 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="f0" type="fixed"><parent link="left"/><child link="ee_link"/></joint>
  <joint name="f1" type="fixed"><parent link="left"/><child link="tool0"/>
    <origin xyz="0.2 0 0"/></joint>
</robot>"""
MJCF = """<mujoco model="small"><compiler angle="degree"/>
  <worldbody><geom type="plane" size="1 1 1"/>
    <body name="first" pos="0 0 0.2"><joint name="a" axis="0 0 1" range="-90 90" limited="true"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
      <body name="second" pos="0.3 0 0" euler="0 90 0">
        <joint name="b" pos="0.02 0 0" axis="0 1 0" ref="10"/>
        <joint name="c" type="slide" axis="0 0 1" range="0 0.2" limited="true"/>
        <geom type="box" size="0.02 0.03 0.1" contype="0" conaffinity="0"/>
        <geom type="sphere" size="0.02" pos="0 0 0.1"/>
        <site name="grip" pos="0 0 0.15"/>
      </body></body>
  </worldbody></mujoco>"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    file = tmp_path / "two.urdf"
    file.write_text(TWO, encoding="utf-8")
    return file


def test_a_tip_stands_behind_the_file(two: Path) -> None:
    left = load_arm(f"{two}#tool0")
    assert [joint.name for joint in left.joints] == ["a", "l"]
    assert left == load_arm(two, tip="tool0") == load_arm(str(two), tip="tool0")
    assert load_arm(f"{two}#up..right").structure == "R"
    np.testing.assert_allclose(
        aw.model(f"{two}#right").fk([0, 0])[:3, 3], [0.3, 0.1, 0], atol=1e-12
    )
    assert left.file == f"{two}#tool0"
    with pytest.raises(DescriptionError, match="tip: said twice"):
        aw.load(f"{two}#left", tip="right")


def test_every_function_that_takes_an_arm_takes_a_tip(two: Path) -> None:
    name = f"{two}#right"
    limits = aw.Limits.of(name, acceleration=2.0, jerk=9.0)
    assert aw.ptp(name, [0, 0], [0.5, 0.5], limits=limits).duration > 0.5
    path = aw.Path().ptp([0.5, 0.5])
    assert path.plan(name, [0, 0], limits=limits).duration > 0.5
    assert aw.find_path(name, [], [0, 0], [0.5, 0.5], limits=limits).q.shape == (2, 2)
    assert aw.derive(name).arm.dof == 2


def test_tips_fixed_to_one_link_are_chosen_by_name_and_lists_say_joints(two: Path) -> None:
    more = '<link name="rt"/><joint name="f2" type="fixed"><parent link="right"/><child link="rt"/>'
    two.write_text(TWO.replace("</robot>", more + "</joint></robot>"), encoding="utf-8")
    with pytest.raises(
        DescriptionError, match=r"up \(1 joint, where they part\), .*rt \(2 j"
    ) as told:
        aw.load(two)
    assert "--tip" in str(told.value)
    one = TWO.replace('<joint name="r" type="revolute">', '<joint name="r" type="fixed">')
    two.write_text(one, encoding="utf-8")
    assert load_arm(two).file == str(two)
    np.testing.assert_allclose(
        aw.model(two).fk([0, 0])[:3, 3], [0.5, 0, 0], atol=1e-12
    )  # tool0, not ee_link
    assert load_arm(two).joints[1].limits is None  # 0 to 0: nothing is known


def test_a_wrong_tip_is_answered_with_near_ones(two: Path) -> None:
    with pytest.raises(DescriptionError, match=r"no such link, got 'tool' \(allowed: tool0"):
        aw.load(f"{two}#tool")
    with pytest.raises(DescriptionError, match="no links to choose from"):
        aw.load("puma560#tool0")


def test_a_file_with_a_mark_in_its_name_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "arm#2.toml"
    load_arm("puma560").save(file)
    assert load_arm(str(file)).dof == 6


@pytest.mark.parametrize("text", ["C:\\robots\\arm.urdf", "C:/arm.urdf", "puma560", "a/b.urdf"])
def test_what_is_no_name_of_a_package(text: str) -> None:
    assert not is_installed_name(text)


def test_robots_of_packages_that_are_not_there() -> None:
    with pytest.raises(UnsupportedError, match="pip install "):
        aw.load("no-such-package:arm")
    with pytest.raises(UnknownNameError, match="robot of the package 'numpy' is called 'arm'"):
        aw.load("numpy:arm")


def test_robots_of_an_installed_package() -> None:
    pytest.importorskip("rtbdata")
    assert {"irb140", "puma560", "kr16_2", "px100"} <= {*installed_robots("rtb-data")}
    file = installed_file("rtb-data:puma560")
    assert file.name == "puma560_robot.urdf"  # not the xacro it was made of
    assert installed_file("rtb-data:unimation_puma560_description/urdf/puma560_robot") == file
    with pytest.raises(UnknownNameError, match=r"called 'irb14'.*did you mean.*irb140|irb140"):
        aw.load("rtb-data:irb14")
    assert arm_reference("rtb-data:irb140#link_5").tip == "link_5"
    assert metadata.distribution("rtb-data").locate_file("rtbdata") in file.parents


def test_mjcf_stands_where_mujoco_puts_it(tmp_path: Path) -> None:
    import mujoco

    file = tmp_path / "small.xml"
    file.write_text(MJCF, encoding="utf-8")
    arm = load_arm(f"{file}#grip")
    assert [joint.name for joint in arm.moving] == ["a", "b", "c"]
    assert arm.structure == "RRT"
    np.testing.assert_allclose(arm.limits[0], [-np.pi / 2, np.pi / 2])
    simulated = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(simulated)
    model = aw.model(arm, ik="numeric")
    mass = np.zeros((3, 3))
    for q in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3)):
        data.qpos[:] = q
        mujoco.mj_forward(simulated, data)
        seen = model.fk(q)
        np.testing.assert_allclose(seen[:3, 3], data.site("grip").xpos, atol=1e-9)
        np.testing.assert_allclose(seen[:3, :3].ravel(), data.site("grip").xmat, atol=1e-9)
        mujoco.mj_fullM(simulated, data, mass)
        np.testing.assert_allclose(model.mass_matrix(q), mass, rtol=1e-6, atol=1e-9)
    solids = aw.ArmShapes.from_urdf(f"{file}#grip")
    assert [type(shape).__name__ for shape in solids] == ["Capsule", "Sphere"]


def test_mjcf_that_mujoco_cannot_read(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text("<mujoco><worldbody><bode/></worldbody></mujoco>", encoding="utf-8")
    with pytest.raises(DescriptionError, match=r"MuJoCo cannot read it.*bode"):
        aw.load(file)


def test_xacro_is_expanded_with_packages_around_it(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    folder = tmp_path / "some_arm" / "urdf"
    folder.mkdir(parents=True)
    (folder / "part.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="turn" params="n">'
        '<link name="l${n}"/><joint name="j${n}" type="continuous"><parent link="l${n - 1}"/>'
        '<child link="l${n}"/><origin xyz="${0.1 * n} 0 0" rpy="${pi / 2} 0 0"/><axis xyz="0 0 1"/>'
        "</joint></xacro:macro></robot>",
        encoding="utf-8",
    )
    file = folder / "arm.urdf.xacro"
    file.write_text(
        '<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find other_name)/urdf/part.xacro"/><link name="l0"/>'
        '<xacro:turn n="1"/><xacro:turn n="2"/></robot>',
        encoding="utf-8",
    )
    arm = load_arm(file)
    assert (arm.name, arm.structure) == ("made", "RR")
    np.testing.assert_allclose(aw.model(arm).fk([0, 0])[:3, 3], [0.3, 0, 0], atol=1e-12)
    file.write_text("<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:nix/></robot>")
    with pytest.raises(DescriptionError, match=r"xacro cannot read it.*nix"):
        aw.load(file)


def test_srdf_names_groups_and_pairs_that_may_touch(two: Path) -> None:
    two.with_suffix(".srdf").write_text(
        '<robot name="two"><group name="lefty"><chain base_link="up" tip_link="tool0"/></group>'
        '<group name="both"><group name="righty"/></group><group name="righty"><joint name="a"/>'
        '<joint name="r"/></group><group_state name="home" group="righty">'
        '<joint name="r" value="0.5"/></group_state>'
        '<disable_collisions link1="base" link2="right" reason="Never"/></robot>',
        encoding="utf-8",
    )
    assert [joint.name for joint in load_arm(f"{two}#lefty").joints] == ["l"]
    arm = load_arm(f"{two}#right")
    np.testing.assert_allclose(joint_values("home", arm, Units(), "--from"), [0.0, 0.5])
    np.testing.assert_allclose(joint_values("10 20", arm, Units(), "--to"), np.radians([10, 20]))
    with pytest.raises(typer.BadParameter, match=r"--to: no pose is called 'rest' \(known: home"):
        joint_values("rest", arm, Units(), "--to")
    assert [joint.name for joint in load_arm(two, tip="both").joints] == ["a", "r"]
    with pytest.raises(DescriptionError, match="lefty"):
        aw.load(f"{two}#leftyy")


PAIRS = """<robot name="two"><group name="lefty"><chain base_link="up" tip_link="tool0"/></group>
  <group_state name="home" group="lefty"><joint name="l" value="0.25"/></group_state>
  <disable_collisions link1="base" link2="left" reason="Never"/></robot>"""
SOLID = '<collision><geometry><sphere radius="0.2"/></geometry></collision></link>'


@pytest.fixture
def solid(two: Path) -> Path:
    """Return a robot whose base and left hand touch, wherever they are."""
    text = TWO.replace('<link name="base"/>', f'<link name="base">{SOLID}')
    text = text.replace('<link name="left"/>', f'<link name="left">{SOLID}')
    two.write_text(text, encoding="utf-8")
    folder = two.parent / "elsewhere"
    folder.mkdir()
    (folder / "pairs.srdf").write_text(PAIRS, encoding="utf-8")
    return two


def test_an_srdf_elsewhere_says_what_may_touch(solid: Path) -> None:
    srdf = solid.parent / "elsewhere" / "pairs.srdf"
    name = f"{solid}#tool0"
    limits = aw.Limits.of(name, acceleration=2.0, jerk=9.0)
    motion = aw.ptp(name, [0, 0], [0.5, 0.5], limits=limits)
    plain, allowed = load_arm(name), load_arm(name, srdf=srdf)
    assert plain == allowed  # it is the same arm
    assert aw.ArmShapes.from_urdf(name, allowed).touching != frozenset()
    assert aw.ArmShapes.from_urdf(name, plain).touching == frozenset()
    assert aw.check(motion, name, [], srdf=srdf).free
    assert aw.check(motion, allowed, []).free
    assert aw.check(motion, aw.model(plain), [], srdf=str(srdf)).free
    path = aw.find_path(name, [], [0, 0], [0.5, 0.5], limits=limits, srdf=srdf)
    assert path.check().free
    assert [joint.name for joint in load_arm(f"{solid}#lefty", srdf=srdf).joints] == ["l"]
    np.testing.assert_allclose(joint_values("home", allowed, Units(), "--from"), [0.0, 0.25])


def test_the_srdf_of_another_robot_is_refused(solid: Path) -> None:
    other = solid.parent / "other.srdf"
    other.write_text(PAIRS.replace('"two"', '"three"').replace('"left"', '"leg"'))
    with pytest.raises(DescriptionError, match=r"of another robot, 'three', got 'link leg'"):
        aw.load(f"{solid}#tool0", srdf=other)
    # of the same robot with a part that this file has not: its other pairs hold
    other.write_text(
        PAIRS.replace("</robot>", '<disable_collisions link1="x" link2="up"/></robot>')
    )
    assert load_arm(f"{solid}#tool0", srdf=other).dof == 2
    with pytest.raises(DescriptionError, match="does not exist"):
        aw.load(f"{solid}#tool0", srdf=solid.parent / "gone.srdf")
    other.write_text("<urdf/>")
    with pytest.raises(DescriptionError, match="the element robot"):
        aw.load(f"{solid}#tool0", srdf=other)
    for arm in ("puma560", load_arm("puma560"), aw.load("tripod")):
        with pytest.raises(DescriptionError, match="no links to choose from"):
            aw.load(arm, srdf=other)
    motion = aw.ptp("puma560", [0] * 6, [0.1] * 6)
    with pytest.raises(DescriptionError, match="holds for one arm"):
        aw.check(motion, ["puma560"], [], srdf=other)


def test_the_option_srdf(solid: Path) -> None:
    from typer.testing import CliRunner

    from armwerk.cli.app import app

    srdf = solid.parent / "elsewhere" / "pairs.srdf"
    words = ["plan", f"{solid}#tool0", "--from", "0 0", "--to", "home", "--json"]
    told = CliRunner().invoke(app, [*words, "--srdf", str(srdf)])
    assert told.exit_code == 0, told.output
    assert CliRunner().invoke(app, words).exit_code != 0  # no pose is called home
