"""Robots as their makers publish them, from installed packages, through everything a user tries.

Each is loaded, drawn with its meshes, and goes through ik, ptp, check and find_path. Where its
frames are is compared with Pinocchio, which reads the same file on its own.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armwerk as aw
from armwerk.collision.checker import Checker
from armwerk.robot import load_arm
from armwerk.robot.references import arm_reference
from armwerk.robot.robot_tree import open_tree

pytestmark = pytest.mark.filterwarnings("ignore::armwerk.errors.AssumedLimitsWarning")
GRIPPER = "#/ee_gripper_link"
RTB = [
    *("irb140", "kr120r2500pro", "kr16_2", "kr210l150", "lbr_iiwa_14_r820", "al5d", "puma560"),
    *("kr3r540", "kr5_arc", "kr6r700sixx", "kr6r900sixx", "kr10r1100sixx", "kr150_2"),
    *("panda_arm", "xarm6", f"px100{GRIPPER}", f"px150{GRIPPER}", f"rx200{GRIPPER}"),
    *(f"vx300s{GRIPPER}", f"wx200{GRIPPER}", f"wx250s{GRIPPER}"),
]
EXAMPLES = [
    *("ur3", "ur5", "ur10", "kinova#j2s6s200_end_effector", "panda#panda_hand", "so100", "xarm7"),
    *("z1", "talos_left_arm", "tiago#arm_tool_link", "baxter#right_gripper"),
    *("pr2#r_gripper_tool_frame", "romeo#l_gripper", "TwoDofs"),
]
ROBOSUITE = [
    *("ur5e", "panda", "iiwa", "jaco", "kinova3", "sawyer", "xarm7", "baxter#right_hand"),
    *("spot_arm", "sawyer_arm"),
]
ROBOTS = [
    *(f"rtb-data:{name}" for name in RTB),
    *(f"example-robot-data:{name}" for name in EXAMPLES),
    *(f"robosuite:{name}" for name in ROBOSUITE),
]
QUICK = ["rtb-data:kr16_2", "rtb-data:panda_arm", f"rtb-data:px100{GRIPPER}"]


@pytest.fixture
def robot(request: pytest.FixtureRequest) -> str:
    """Return the name of a robot whose package is installed."""
    name = str(request.param)
    package = name.split(":", maxsplit=1)[0]
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    pytest.importorskip("xacro")
    return name


def some_rows(arm: aw.Arm, count: int) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    low, high = np.clip(arm.limits, -2.5, 2.5).T
    rows = low + (high - low) * np.random.default_rng(3).uniform(0.15, 0.85, (count, arm.dof))
    return [*rows]


@pytest.mark.parametrize("robot", ROBOTS[: len(RTB)], indirect=True)
def test_frames_are_where_pinocchio_puts_them(robot: str) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    arm = load_arm(robot)
    meant = arm_reference(robot)
    opened = open_tree(meant.path, meant.tip, meant.base_link)
    base, way = opened.chain()
    witness = pinocchio.buildModelFromXML(opened.text)
    data = witness.createData()
    tip = witness.getFrameId(opened.tree.end(way[-1], "child"))
    start = witness.getFrameId(base)
    model = aw.model(arm, ik="numeric")
    for q in some_rows(arm, 5):
        full = pinocchio.neutral(witness)
        for joint, value in zip(arm.moving, q, strict=True):
            number = witness.joints[witness.getJointId(joint.name)]
            # an endless joint is a cosine and a sine there
            full[number.idx_q : number.idx_q + number.nq] = (
                value if number.nq == 1 else (np.cos(value), np.sin(value))
            )
        pinocchio.framesForwardKinematics(witness, data, full)
        seen = (data.oMf[start].inverse() * data.oMf[tip]).homogeneous
        np.testing.assert_allclose(model.fk(q), seen, atol=2e-4)  # right angles of four digits


def through_everything(robot: str, folder: Path) -> None:
    arm = load_arm(robot)
    checker = Checker(arm)
    assert not checker.shapes[0].made  # its own solids
    free = [q for q in some_rows(arm, 200) if not checker.contact(q)]
    assert len(free) >= 10  # its links do not touch wherever it stands
    q0, q1 = free[:2]
    model = aw.model(arm, ik="numeric")
    found = model.ik_nearest(model.fk(q0), q0 + 0.05)
    assert found is not None
    np.testing.assert_allclose(model.fk(found), model.fk(q0), atol=1e-6)
    motion = aw.ptp(arm, q0, q1)
    assert motion.duration > 0.1
    verdict = aw.check(motion, arm, [])
    path = aw.find_path(arm, [], q0, q1, seconds=30.0)
    assert path.check().free
    assert verdict.free or len(path.q) > 2
    picture = folder / "robot.png"
    from armwerk.wire.link_picture import draw_links, link_shapes

    shapes = link_shapes(arm)
    assert shapes is not None
    assert len(shapes) > arm.dof // 2
    draw_links(shapes, q0, picture)
    with Image.open(picture) as image:
        grey = np.asarray(image.convert("L"))
    assert 0.01 < float((grey < 170).mean()) < 0.5  # links and their shadow before a light floor


@pytest.mark.parametrize("robot", QUICK, indirect=True)
def test_a_few_robots_go_through_everything(robot: str, tmp_path: Path) -> None:
    through_everything(robot, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("robot", ROBOTS, indirect=True)
def test_all_robots_go_through_everything(robot: str, tmp_path: Path) -> None:
    through_everything(robot, tmp_path)
