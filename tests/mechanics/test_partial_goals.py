"""All solutions for a part of a pose, against descents of scipy from many starts."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import least_squares

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError, UnsupportedError
from armwerk.mechanics import SerialModel
from armwerk.mechanics.chain import pack
from armwerk.mechanics.inverse.padded import PaddedSolver

Part = Literal["position", "direction"]
HALF = math.pi / 2
STARTS = 48


def left(model: SerialModel, q: Array, T: Array, part: Part) -> Array:
    """Return by how much a part of a pose is missed."""
    pose = model.fk(q)
    gap = pose[:3, 3] - T[:3, 3]
    return gap if part == "position" else np.concatenate([gap, pose[:3, 2] - T[:3, 2]])


def apart(model: SerialModel, one: Array, two: Array) -> float:
    """Return the largest difference of two configurations, whole turns not counted."""
    gap = one - two
    turned = np.angle(np.exp(1j * gap))
    return float(np.abs(np.where(model.chain.revolute, turned, gap)).max())


def witnessed(
    model: SerialModel, T: Array, part: Part, draw: np.random.Generator, starts: int = STARTS
) -> list[Array]:
    """Return what scipy finds from many starts, joints that move nothing held at zero."""
    idle = np.array([joint - 1 for joint in model.solutions(T, task=part).idle], dtype=int)
    moving = np.setdiff1d(np.arange(model.dof), idle)
    low, high = model.chain.ranges().T
    low, high = np.where(model.chain.revolute, [[-math.pi], [math.pi]], [low, high])

    def whole(x: Array) -> Array:
        q = np.zeros(model.dof)
        q[moving] = x
        return q

    def missed(x: Array) -> Array:
        return left(model, whole(x), T, part)

    found: list[Array] = []
    for _ in range(starts):
        begin = draw.uniform(low, high)[moving]
        answer = least_squares(missed, begin, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        q = whole(answer.x)
        if np.abs(left(model, q, T, part)).max() < 1e-10 and all(
            apart(model, q, other) > 1e-4 for other in found
        ):
            found.append(q)
    return found


def compare(model: SerialModel, T: Array, part: Part, draw: np.random.Generator) -> int:
    """Check every solution, and that the witness knows no other; return how many there are."""
    answer = model.solutions(T, np.zeros(model.dof), task=part)
    assert not answer.family
    for q in answer.joints:
        assert np.abs(left(model, q, T, part)).max() < 1e-9
    for k, q in enumerate(answer.joints):
        assert all(apart(model, q, other) > 1e-6 for other in answer.joints[:k])
    for q in witnessed(model, T, part, draw):
        assert min(apart(model, q, mine) for mine in answer.joints) < 1e-5
    return len(answer.joints)


def inside(model: SerialModel, draw: np.random.Generator) -> Array:
    low, high = model.chain.ranges().T
    return np.asarray(draw.uniform(low, high))


@pytest.mark.parametrize(
    ("name", "part", "most"),
    [
        ("planar_rr", "position", 2),
        ("simple_arm", "position", 4),
        ("five_axis", "direction", 4),
        ("cartesian", "direction", 2),
    ],
)
def test_library_arms(name: Literal["planar_rr"], part: Part, most: int) -> None:
    model, draw = aw.model(name), np.random.default_rng(7)
    counts = [compare(model, model.fk(inside(model, draw)), part, draw) for _ in range(3)]
    assert max(counts) == most


def test_welding_torch_on_five_axes() -> None:
    """A bent torch makes point and direction five freedoms; all is counted."""
    torch = np.eye(4)
    angle = math.radians(40.0)
    torch[:3, :3] = [
        [math.cos(angle), 0.0, math.sin(angle)],
        [0.0, 1.0, 0.0],
        [-math.sin(angle), 0.0, math.cos(angle)],
    ]
    torch[:3, 3] = [0.08, 0.0, 0.15]
    arm = aw.load("five_axis")
    model, draw = aw.model(arm.with_tool(arm.tool @ torch)), np.random.default_rng(8)
    assert model.task == "direction"
    counts = []
    for _ in range(3):
        q = inside(model, draw)
        T = model.fk(q)
        counts.append(compare(model, T, "direction", draw))
        turned = T @ np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        assert len(model.ik(turned, task="direction")) == counts[-1]
        nearest = model.ik_nearest(turned, q + 1e-3, task="direction")
        assert nearest is not None
        assert apart(model, nearest, q) < 1e-6
    assert max(counts) >= 4


@pytest.mark.parametrize("seed", range(6))
def test_three_axes_at_any_angle(seed: int) -> None:
    """Position of three turning or sliding axes, skew ones and right angles."""
    draw = np.random.default_rng(100 + seed)
    model = aw.model(_arm(draw, ("revolute", "revolute", "revolute"), special=seed % 2 == 1))
    if model.task != "position":
        pytest.skip("fewer freedoms than joints")
    T = model.fk(draw.uniform(-3.0, 3.0, 3))
    compare(model, T, "position", draw)


@pytest.mark.parametrize("seed", range(3))
def test_five_axes_at_any_angle(seed: int) -> None:
    draw = np.random.default_rng(200 + seed)
    kinds = ["revolute"] * 5
    if seed == 2:
        kinds[2] = "prismatic"
    model = aw.model(_arm(draw, tuple(kinds), special=False))
    q = draw.uniform(-1.0, 1.0, 5)
    T = model.fk(q)
    compare(model, T, "direction", draw)
    answer = model.solutions(T, task="direction")
    assert min(apart(model, q, mine) for mine in answer.joints) < 1e-6


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_every_kind_of_one_to_five_axes(seed: int) -> None:
    draw = np.random.default_rng(300 + seed)
    count = 1 + seed % 5
    part: Part = "direction" if count > 3 or seed % 2 else "position"
    kinds = tuple("prismatic" if draw.random() < 0.25 else "revolute" for _ in range(count))
    model = aw.model(_arm(draw, kinds, special=draw.random() < 0.5))
    q = draw.choice([0.0, math.pi / 6, HALF, -HALF, 0.7, -1.1], count)
    T = model.fk(q)
    try:
        answer = model.solutions(T, np.zeros(count), task=part)
    except UnsupportedError:
        return  # no joint moves anything of it
    for mine in answer.joints:
        assert np.abs(left(model, mine, T, part)).max() < 1e-9
    if not answer.family:
        still = [joint - 1 for joint in answer.idle]
        q[still] = 0.0
        assert min(apart(model, q, mine) for mine in answer.joints) < 1e-4
        for other in witnessed(model, T, part, draw, 24):
            assert min(apart(model, other, mine) for mine in answer.joints) < 1e-3


def test_stretched_and_folded_points() -> None:
    """At the edge of the reach two solutions fall into one; on the first axis one joint is free."""
    model = aw.model("planar_rr")
    for radius, most in ((0.41, 1), (0.05, 1), (0.410001, 0), (0.3, 2)):
        point = radius * np.array([math.cos(0.7), math.sin(0.7), 0.0])
        assert len(model.ik(point, task="position")) == most
    arm = aw.model("simple_arm")
    above = arm.solutions([0.0, 0.0, 0.45], task="position")
    assert above.family == (1,)
    assert not above.proved
    assert len(above.joints) >= 1


def test_points_beside_the_plane_are_not_reached() -> None:
    model = aw.model("planar_rr")
    assert len(model.ik([0.2, 0.1, 0.05], task="position")) == 0


def test_pose_in_a_plane() -> None:
    """Height and tilt that an arm cannot choose are left out, the rest is met."""
    arm = aw.Arm.from_dh([aw.Joint("revolute", a=a) for a in (0.4, 0.3, 0.2)], name="planar_rrr")
    model = aw.model(arm)
    assert model.task == "plane"
    T = model.fk([0.3, 0.9, -0.4])
    assert len(model.ik(T, task="plane")) == 2
    lifted = T.copy()
    lifted[2, 3] = 0.25
    lifted[:3, :3] = T[:3, :3] @ aw.geometry.rotation_x(0.3)
    found = model.ik(lifted, task="auto")
    assert len(found) == 2
    poses = model.fk(found)
    assert np.abs(poses[:, :2, 3] - T[:2, 3]).max() < 1e-9
    assert np.abs(poses[:, :3, :3] - T[:3, :3]).max() < 1e-9
    assert len(model.ik(lifted)) == 0  # the whole pose stays a whole pose
    with pytest.raises(UnsupportedError, match="no plane"):
        aw.model("simple_arm").ik(T, task="plane")


def test_own_task_follows_from_the_freedoms() -> None:
    tasks = {
        "planar_rr": "position",
        "simple_arm": "position",
        "planar_tt": "plane",
        "scara": "plane",
        "cartesian": "direction",
        "puma560": "pose",
        "iiwa7": "pose",
    }
    for name, task in tasks.items():
        assert SerialModel(aw.robot.load_arm(name)).task == task
    with pytest.raises(UnknownNameError, match="direction"):
        aw.model("planar_rr").ik(np.eye(4), task="point")  # type: ignore[arg-type]


def test_limits_and_names_choose() -> None:
    model = aw.model("simple_arm")
    T = model.fk([0.4, 0.7, -1.1])
    assert len(model.ik(T, task="position")) == 4
    within = model.ik(T, True, task="position")
    low, high = model.limits.T
    assert ((within >= low) & (within <= high)).all()
    near = model.ik_nearest(T, [0.4, 0.7, -1.0], task="position")
    assert near is not None
    assert apart(model, near, np.array([0.4, 0.7, -1.1])) < 1e-9


@pytest.mark.parametrize("joints", [3, 4, 5])
def test_poses_of_arms_without_closed_form_are_counted(joints: int) -> None:
    """Padded to six joints, an arm of skew axes has the one solution it comes from."""
    draw = np.random.default_rng(joints)
    arm = _arm(draw, ("revolute",) * joints, special=False)
    solver = PaddedSolver(arm, pack(arm))
    model = SerialModel(arm)
    proved = 0
    for _ in range(6):
        q = draw.uniform(-3.0, 3.0, joints)
        answer = solver.solution_set(model.fk(q))
        assert min(apart(model, q, mine) for mine in answer.joints) < 1e-6
        proved += answer.proved
        other = model.fk(q)
        other[:3, 3] += 0.01
        assert len(solver.solution_set(other).joints) == 0
    assert proved >= 4


def _arm(draw: np.random.Generator, kinds: tuple[str, ...], *, special: bool) -> aw.Arm:
    while True:
        rows = []
        for kind in kinds:
            d, a = draw.uniform(0.05, 0.4, 2)
            alpha = draw.uniform(-2.0, 2.0)
            if special:
                d, a = draw.choice([0.0, 0.2]), draw.choice([0.0, 0.3])
                alpha = draw.choice([0.0, HALF, -HALF, HALF])
            d, a, alpha = float(d), float(a), float(alpha)
            slides = kind == "prismatic"
            rows.append(
                aw.Joint("prismatic", d=d, a=a, alpha=alpha)
                if slides
                else aw.Joint("revolute", d=d, a=a, alpha=alpha)
            )
        tool = np.eye(4)
        tool[:3, 3] = draw.uniform(-0.1, 0.2, 3)
        try:
            return aw.Arm.from_dh(rows, name="any", tool=tool)
        except DescriptionError:
            pass  # neighbouring axes fell on one line


def test_an_arm_that_only_turns_about_its_tool_chooses_no_direction() -> None:
    model = SerialModel(aw.Arm.from_dh([aw.Joint("revolute", alpha=np.pi)]))
    pose = model.fk([0.7])
    np.testing.assert_allclose(model.ik(pose, task=model.task), [[0.7]], atol=1e-9)
