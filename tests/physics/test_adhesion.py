"""Suction cups and magnets: what they hold follows from force, cover, friction and lever."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.physics import RobotPlacement, Simulation, SimulationSettings, SimulationState
from armwerk.physics.mechanism.assemble import mechanism
from armwerk.physics.robots.face_grip import FaceGrip
from armwerk.robot import (
    Assembly,
    Segment,
    Servo,
    TConnector,
    TerminationPoint,
    load,
    load_assembly,
)
from armwerk.robot.holding import HoldingFace, Magnet, SuctionCup
from armwerk.robot.parts import Body, at, chain
from armwerk.scene.scene import Ball, Cuboid, Scene, Thing
from grip_cell import RED, GripCell, down

G = 9.81
CUP, MAGNET = "suction_gripper", "magnet_gripper"
BOTH = (CUP, MAGNET)
PRESSURE, RADIUS = 60e3, 0.02
FULL = PRESSURE * pi * RADIUS**2  # [N]


def sheet(mass: float = 1.0, shift: float = 0.0, thick: float = 0.02) -> Cuboid:
    """Return a square plate of 10 cm on the floor, off the cup's axis by ``shift`` along x."""
    return Cuboid((0.5 + shift, 0.0, 0.5 * thick), (0.1, 0.1, thick), RED, mass=mass)


def take(thing: Thing, gripper: str = CUP, up: float = 0.2, top: float = 0.02) -> GripCell:
    """Return a cell whose arm has lifted a thing by its upper side with full force."""
    cell = GripCell(thing, gripper)
    cell.line(down(0.5, 0.0, top + 1e-5))
    cell.grip.close()
    cell.fingers()
    cell.line(down(0.5, 0.0, up))
    cell.world.run(0.2)
    return cell


def drops(cell: GripCell, state: SimulationState, force: float, seconds: float = 1.5) -> bool:
    """Whether a thing comes off when the gripper pulls with no more than ``force`` if covered."""
    cell.world.restore(state)
    cell.grip.close(force)
    place, _ = cell.held()
    cell.world.run(seconds)
    return bool(np.linalg.norm(cell.held()[0] - place) > 2e-3)


@pytest.mark.parametrize("gripper", BOTH)
@pytest.mark.parametrize("mass", [0.05, 1.0, 3.0])
def test_a_weight_is_held_up_to_the_force_and_not_beyond(gripper: str, mass: float) -> None:
    cell = take(sheet(mass), gripper)
    assert cell.grip.held == {"cuboid0"}
    assert cell.world.positions[0, 2] == pytest.approx(0.19, abs=1e-3)
    assert cell.grip.force == pytest.approx(cell.grip.max_force, rel=1e-9)
    state = cell.world.capture()
    assert not drops(cell, state, mass * G / 0.99)
    assert drops(cell, state, mass * G / 1.01)
    assert not cell.grip.holds


def test_the_force_of_a_cup_is_pressure_times_area() -> None:
    assert take(sheet()).grip.force == pytest.approx(FULL, rel=1e-9)


@pytest.mark.parametrize("gripper", BOTH)
@pytest.mark.parametrize("yaw", [0.0, 30.0, 90.0, 180.0])
def test_half_covered_holds_half(gripper: str, yaw: float) -> None:
    cell = GripCell(sheet(), gripper)
    c, s = np.cos(radians(yaw)), np.sin(radians(yaw))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    cell.world.place(0, (0.5 + 0.05 * c, 0.05 * s, 0.01), turn)
    cell.line(down(0.5, 0.0, 0.02 + 1e-5))
    cell.grip.close()
    cell.fingers()
    assert cell.grip.holds
    assert cell.grip.force == pytest.approx(0.5 * cell.grip.max_force, rel=0.01)


@pytest.mark.parametrize("over", [-1.5, -0.6, 0.0, 0.5, 0.8, 1.2])
def test_a_cup_over_an_edge_holds_by_the_covered_share(over: float) -> None:
    """``over`` is how far the edge lies from the axis, in radii, on the thing's side."""
    cell = GripCell(sheet(), CUP)
    cell.world.place(0, (0.5 + 0.05 + over * RADIUS, 0.0, 0.01))
    cell.line(down(0.5, 0.0, 0.02 + 1e-5))
    cell.grip.close()
    cell.fingers()
    x = float(np.clip(over, -1.0, 1.0))
    share = (np.arccos(x) - x * np.sqrt(1.0 - x * x)) / pi
    sealing = np.arccos(x) / pi  # of the lip
    expected = share * FULL if sealing >= 0.3 else 0.0
    assert cell.grip.force == pytest.approx(expected, abs=0.02 * FULL)
    assert cell.grip.holds == (expected > 0.0)


def tilted(angle: float) -> Array:
    """Return a hand that points down, turned about y by an angle; 180 degrees points up."""
    c, s = np.cos(angle), np.sin(angle)
    pose = down(0.5, 0.0, 0.5) if angle > -3.0 else down(0.5, 0.1, 1.0)
    pose[:3, :3] = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ pose[:3, :3]
    return pose


@pytest.mark.parametrize("gripper", BOTH)
@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 90.0])
def test_inclined_it_holds_by_pull_and_friction(gripper: str, degrees: float) -> None:
    """With a force F a weight W at an angle a is held while W sin a < mu (F - W cos a)."""
    angle, mass, thick = radians(degrees), 0.5, 0.004
    pose = tilted(-angle)
    cell = GripCell(sheet(mass, thick=thick), gripper, at=pose)
    place = pose[:3, 3] + (0.5 * thick - 1e-5) * pose[:3, 2]
    cell.world.place(0, place, pose[:3, :3])
    cell.grip.close()
    for _ in range(5):  # nothing falls far while the force rises
        cell.world.place(0, place, pose[:3, :3])
        cell.world.run(0.03)
    cell.world.run(0.2)
    assert cell.grip.holds
    state = cell.world.capture()
    limit = mass * G * (np.cos(angle) + np.sin(angle))  # friction of the pads is 1
    assert not drops(cell, state, 1.03 * limit)
    assert drops(cell, state, 0.97 * limit)


def test_upside_down_a_sheet_lies_on_the_cup_without_any_force() -> None:
    pose = tilted(-pi)
    cell = GripCell(sheet(0.5), CUP, at=pose)
    cell.world.place(0, pose[:3, 3] + 0.00999 * pose[:3, 2], pose[:3, :3])
    cell.grip.close()
    cell.world.run(0.5)
    assert cell.grip.holds
    cell.grip.open()
    cell.world.run(1.0)
    assert np.linalg.norm(cell.held()[0] - (0.0, 0.0, 0.01)) < 5e-4
    assert not cell.grip.holds
    assert cell.grip.force == 0.0


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_an_arm_that_lifts_faster_than_the_force_allows_loses_it(sign: float) -> None:
    """A force F carries a mass m up to the acceleration F/m - g."""
    mass, acceleration = 0.5, 3.0
    cell = take(sheet(mass))
    cell.grip.close(mass * (G + (1.0 + 0.15 * sign) * acceleration))
    cell.fingers()
    steps, dt = round(0.15 / cell.world.dt), cell.world.dt
    start, near, rows = cell.robot.pose, cell.robot.q, []
    for k in range(1, steps + 1):
        goal = start.copy()
        goal[2, 3] += 0.5 * acceleration * (k * dt) ** 2
        near = cell.solve(goal, near)
        rows.append(near)
    cell.robot.follow(np.array(rows))
    cell.world.run(0.15)
    assert cell.grip.holds == (sign > 0.0)


@pytest.mark.parametrize("gripper", BOTH)
def test_swung_for_five_seconds_it_stays_where_it_was_taken(gripper: str) -> None:
    cell = take(Cuboid((0.5, 0.0, 0.02), (0.04, 0.04, 0.04), RED), gripper, top=0.04, up=0.55)
    rng = np.random.default_rng(3)
    place, turn = cell.held()
    low, high = cell.robot.q - 0.4, cell.robot.q + 0.4
    worst, end = 0.0, cell.world.time + 5.0
    limits = cell.robot.limits[: cell.dof]
    while cell.world.time < end:
        if not cell.robot.moving:
            goal = low + rng.random(cell.dof) * (high - low)
            cell.robot.set_goal(slice(0, cell.dof), np.clip(goal, *limits.T))
        cell.world.run(10 * cell.world.dt)
        now, rotation = cell.held()
        worst = max(worst, float(np.linalg.norm(now - place) + np.linalg.norm(rotation - turn)))
    assert worst < 3e-4
    assert cell.world.take_problems() == []
    cell.grip.open()
    cell.world.run(0.7)
    assert not cell.grip.holds
    assert cell.world.positions[0, 2] < 0.1


LIGHT: list[tuple[str, Thing]] = [
    *((name, Cuboid((0.5, 0.0, 0.0005), (0.05, 0.05, 0.001), RED)) for name in BOTH),
    (MAGNET, Cuboid((0.503, 0.002, 0.002), (0.004, 0.004, 0.004), RED)),
    (MAGNET, Ball((0.503, 0.002, 0.004), 0.004, 1.0, 0.0, RED, density=7800.0)),
]


@pytest.mark.parametrize(("gripper", "thing"), LIGHT)
@pytest.mark.parametrize("gap", [1e-5, 5e-4])
def test_what_is_light_is_met_by_the_face_and_not_pulled_through(
    gripper: str, thing: Thing, gap: float
) -> None:
    """Tenths of a gram under 80 N: what is pulled over a gap would go centimetres in a step."""
    top = 2.0 * thing.radius if isinstance(thing, Ball) else thing.size[2]
    cell = GripCell(thing, gripper)
    cell.line(down(0.5, 0.0, top + gap))
    cell.grip.close()
    deepest = 0.0
    for _ in range(round(0.2 / cell.world.dt)):
        cell.world.step()
        points = cell.world.contact_points()
        deepest = max([deepest, *(point.depth for point in points)])
    assert cell.grip.holds
    assert deepest < 4e-4
    assert max(point.depth for point in cell.world.contact_points()) < 2.5e-4
    cell.line(down(0.5, 0.0, 0.3))
    place, _ = cell.held()
    start = cell.robot.q.copy()
    for sign in (1.0, -1.0, 0.0):
        cell.robot.set_goal(slice(0, 6), start + sign * np.array([-0.3, 0.2, 0.2, 0.3, 0.3, 0.3]))
        while cell.robot.moving:
            cell.world.step()
    assert cell.grip.holds
    if isinstance(thing, Cuboid):  # a ball may roll on a flat face
        assert np.linalg.norm(cell.held()[0] - place) < 5e-4
    assert cell.world.take_problems() == []


def test_a_weight_far_off_the_axis_tips_over_the_rim() -> None:
    """A force F at a rim of radius R holds a weight W at a distance e up to W e = (F - W) R'.

    R' is between R cos(pi/8) and R, since the rim is an octagon.
    """
    arm = 0.035
    cell = take(sheet(1.0, shift=arm - 0.005))
    arm -= 0.005
    limit = 1.0 * G * (1.0 + arm / (RADIUS * np.cos(pi / 8)))
    state = cell.world.capture()
    assert not drops(cell, state, 1.03 * limit)
    assert drops(cell, state, 0.97 * limit * np.cos(pi / 8))


def pulled_ball(radius: float, gripper: str = CUP, off: float = 0.0) -> GripCell:
    """Return a cell in which a ball on the floor was taken from above, off the axis by ``off``."""
    cell = GripCell(Ball((0.5 + off, 0.0, radius), radius, 1.0, 0.0, RED, mass=0.2), gripper)
    sink = 0.0
    if gripper == CUP:  # until the lip touches, or the ball the bottom of the hollow
        around = radius + 0.0015
        if around > RADIUS:
            sink = around - np.sqrt(around**2 - RADIUS**2)
        sink = min(sink, 0.007) if around > RADIUS else 0.007
    cell.line(down(0.5, 0.0, 2.0 * radius - sink))
    cell.grip.close()
    cell.fingers()
    cell.line(down(0.5, 0.0, 0.25))
    return cell


@pytest.mark.parametrize(("radius", "held"), [(0.035, True), (0.05, True), (0.02, False)])
def test_a_cup_holds_balls_that_its_lip_fits(radius: float, held: bool) -> None:
    """A hollow of depth h within a lip of radius R fits balls from (R² + h²) / 2h on: 32 mm."""
    cell = pulled_ball(radius)
    assert cell.grip.holds == held
    assert (cell.world.positions[0, 2] > 0.15) == held


def test_a_magnet_holds_a_ball_by_the_gap_round_its_point() -> None:
    cell = pulled_ball(0.02, MAGNET)
    assert cell.grip.holds
    r = np.linspace(0.0, 0.02, 20001)[:-1]
    near = 1e-4 + max(point.depth for point in cell.world.contact_points())  # its rim stands out
    gap = np.maximum(0.02 - np.sqrt(0.02**2 - r**2) - near, 0.0)
    share = np.where(gap < 0.009, 1.0 / (1.0 + gap / 0.001) ** 2, 0.0)
    law = 80.0 * float(np.mean(share * 2.0 * r / 0.02))
    assert cell.grip.force == pytest.approx(law, rel=0.03)


@pytest.mark.parametrize("gap", [0.0, 0.0005, 0.001, 0.003, 0.008, 0.0095])
def test_a_magnet_fades_with_the_gap(gap: float) -> None:
    cell = GripCell(sheet(), MAGNET, at=down(0.5, 0.0, 0.3), gravity=0.0)
    cell.world.place(0, (0.5, 0.0, 0.05))
    cell.grip.close()
    cell.world.run(0.1)
    assert cell.grip.force == 0.0
    cell.world.place(0, (0.5, 0.0, 0.29 - gap))
    cell.world.step()
    expected = 80.0 / (1.0 + gap / 0.001) ** 2 if gap < 0.009 else 0.0
    assert cell.grip.force == pytest.approx(expected, rel=1e-3)


def test_a_cup_pulls_nothing_over_a_gap() -> None:
    cell = GripCell(sheet(), CUP, at=down(0.5, 0.0, 0.3), gravity=0.0)
    cell.grip.close()
    cell.world.run(0.2)
    reach = FULL / 50e3
    for gap in (0.0, 0.5 * reach, 1.01 * reach):
        cell.world.place(0, (0.5, 0.0, 0.29 - gap))
        cell.world.step()
        expected = FULL * max(1.0 - gap / reach, 0.0)
        assert cell.grip.force == pytest.approx(expected, abs=5e-3 * FULL)


def test_magnets_leave_alone_what_is_not_magnetic() -> None:
    for magnetic, held in ((None, True), (True, True), (False, False)):
        cell = take(replace(sheet(), magnetic=magnetic), MAGNET)
        assert cell.grip.holds == held
    assert take(replace(sheet(), magnetic=False), CUP).grip.holds


@pytest.mark.parametrize("gripper", BOTH)
def test_pull_and_its_counter_force_cancel(gripper: str) -> None:
    cell = GripCell(sheet(), gripper)
    cell.world.place(0, (0.513, 0.03, 0.0105))
    cell.line(down(0.5, 0.0, 0.0206))
    cell.grip.close()
    cell.world.run(0.05)
    data = cell.world.data
    assert np.linalg.norm(data.xfrc_applied[1, :3]) > 1.0
    assert np.linalg.norm(data.xfrc_applied[:, :3].sum(axis=0)) < 1e-12
    moments = data.xfrc_applied[:, 3:] + np.cross(data.xipos, data.xfrc_applied[:, :3])
    # places have moved on by a step since
    assert np.linalg.norm(moments.sum(axis=0)) < 1e-3


@pytest.mark.parametrize("gripper", BOTH)
def test_captured_and_restored_it_goes_on_to_the_last_bit(gripper: str) -> None:
    cell = take(sheet(), gripper)
    cell.robot.set_goal(slice(0, 6), cell.robot.q + 0.3)
    cell.grip.close(0.5 * cell.grip.max_force)
    cell.world.run(0.02)
    state = cell.world.capture()

    def rest() -> tuple[frozenset[str], float, bytes, bytes]:
        now = cell.grip.held, cell.grip.force
        cell.world.run(0.3)
        cell.grip.open()
        cell.world.run(0.3)
        return *now, cell.world.data.qpos.tobytes(), cell.world.data.qvel.tobytes()

    first = rest()
    cell.world.restore(state)
    assert rest() == first


def test_a_sheet_that_sleeps_is_drawn_to_a_magnet() -> None:
    # with steps of 1 ms links look 5 mm ahead and keep it awake; the magnet reaches farther
    cell = GripCell(sheet(0.05), MAGNET, sleep=True, dt=0.001)
    cell.line(down(0.5, 0.0, 0.0275))
    cell.world.run(1.0)
    assert cell.world.data.tree_asleep[0] >= 0
    cell.grip.close()
    cell.world.run(0.3)
    assert cell.grip.holds
    cell.line(down(0.5, 0.0, 0.2))
    cell.world.run(3.0)
    assert cell.grip.holds
    cell.grip.open()
    cell.world.run(0.6)
    assert cell.world.positions[0, 2] < 0.03


def test_four_cups_share_a_heavy_plate() -> None:
    cups = [
        at(SuctionCup(f"cup{k}", radius=0.01, depth=0.003), x, y, 0.05)
        for k, (x, y) in enumerate([(0.03, 0.03), (0.03, -0.03), (-0.03, 0.03), (-0.03, -0.03)])
    ]
    palm = TConnector("palm", [*cups, at(TerminationPoint("grip"), z=0.05)], mass=0.3)
    hand = Assembly("four_cups", Body(tails=[palm]), tip="grip")
    plate = Cuboid((0.5, 0.0, 0.005), (0.15, 0.15, 0.01), RED, mass=2.0)
    cell = GripCell(plate, hand)
    cell.line(down(0.5, 0.0, 0.01))
    assert cell.grip.max_force == pytest.approx(4 * 60e3 * pi * 0.01**2)
    cell.grip.close()
    cell.fingers()
    cell.line(down(0.5, 0.0, 0.2))
    cell.world.run(0.2)
    assert cell.grip.held == {"cuboid0"}
    assert cell.grip.force == pytest.approx(cell.grip.max_force, rel=1e-9)
    assert cell.held()[0] == pytest.approx((0.0, 0.0, 0.005), abs=3e-4)
    state = cell.world.capture()
    assert not drops(cell, state, 2.0 * G / 0.99)
    assert drops(cell, state, 2.0 * G / 1.01)


def test_orders_that_it_cannot_follow_are_refused() -> None:
    grip = GripCell(sheet(), CUP).grip
    assert isinstance(grip, FaceGrip)
    assert grip.width == grip.max_width == 0.0
    for force in (-1.0, 76.0, float("nan")):
        with pytest.raises(DescriptionError, match=r"force.*0 to 75\.4 N"):
            grip.close(force)
    with pytest.raises(UnsupportedError, match=r"no jaws to set to 0\.02 m"):
        grip.set(0.02)


def test_fingers_and_cups_do_not_go_together() -> None:
    finger = chain(Servo("finger", limits=(0.0, 1.0)), TerminationPoint("end"))
    palm = TConnector("palm", [SuctionCup("cup"), finger])
    with pytest.raises(DescriptionError, match=r"suction_cup 'cup'.*motors beside"):
        mechanism(load("puma560"), Assembly("both", Body(tails=[palm]), tip="cup"))
    bare = Assembly("arm", Body(tails=[chain(Servo("s", limits=(-1.0, 1.0)), Magnet("m"))]))
    with pytest.raises(DescriptionError, match="of its own"):
        mechanism(bare, load_assembly(CUP))


def test_a_cup_built_into_an_arm_holds_as_well() -> None:
    post = Segment("post", tail=at(Magnet("m"), z=0.1))
    arm = Assembly(
        "swing", Body(tails=[chain(at(Servo("s", limits=(-1.5, 1.5)), z=0.3, c=pi / 2), post)])
    )
    thing = Cuboid((0.0, -0.105, 0.3), (0.05, 0.01, 0.05), RED)
    placed = RobotPlacement(arm, None, np.eye(4))
    world = Simulation(Scene(things=(thing,)), [placed], SimulationSettings())
    grip = world.robots[0].grip
    assert grip is not None
    grip.close()
    world.run(0.5)
    assert grip.held == {"cuboid0"}
    assert world.positions[0, 2] == pytest.approx(0.3, abs=2e-3)


def test_a_face_is_a_cup_or_a_magnet() -> None:
    """What both share says nothing of a force, so that it is no part on its own."""
    for face in (SuctionCup("cup"), Magnet("magnet")):
        assert face.max_force > 0.0
    with pytest.raises(TypeError, match="max_force"):
        HoldingFace("face")  # type: ignore[abstract]
