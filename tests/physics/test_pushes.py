"""Every arm of the library with each gripper, pushed against wall, floor, pile and another arm."""

from __future__ import annotations

import pytest
from push_runs import BODIES, Body, PushAccount, PushRun, hands_of, serial_arms

from armwerk.geometry import transform_from_pose
from armwerk.physics import RobotPlacement, Simulation
from armwerk.robot import load
from armwerk.scene import Scene

WAYS = 200  # of each, by `make soak`
SHARE = (("irb120", "parallel_gripper"), ("puma560", ""), ("simple_arm", "two_finger_gripper"))
DEEPEST = 1e-3  # [m]
GAIN = 0.02  # of the largest kinetic energy: what steps of 2 ms make of it


def check(account: PushAccount, *, pads: bool) -> None:
    """Assert what must hold whatever the way; pads give way to things by the law of depth."""
    assert not account.lost, f"{account.what}: {account.lost}"
    assert not account.too_deep, f"{account.what}: {account.too_deep}"
    assert pads or account.robot_depth <= DEEPEST, f"{account.what}: {account.robot_depth} m deep"
    assert account.gained <= GAIN, f"{account.what}: gains {account.gained}"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("arm", "hand"), SHARE)
def test_nothing_passes_through_anything(arm: str, hand: str, body: Body) -> None:
    blocked = 0
    for seed in (0, 2, 3) if body == "arm" else range(3):  # 1 stands below
        account = PushRun(arm, hand, body, seed).run()
        check(account, pads=body == "pile")
        blocked += account.blocked
    assert arm != "irb120" or body in {"pile", "arm"} or blocked


@pytest.mark.xfail(strict=True, reason="3.3 mm of a link of one arm in the edge of the other's jaw")
def test_a_jaw_that_a_link_meets_at_its_edge() -> None:
    check(PushRun("irb120", "parallel_gripper", "arm", 1).run(), pads=False)


@pytest.mark.soak
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("arm", serial_arms())
def test_every_arm_with_each_gripper_in_many_ways(arm: str, body: Body) -> None:
    failed = []
    for hand in hands_of(arm):
        for seed in range(WAYS // 4):
            try:
                check(PushRun(arm, hand, body, seed).run(), pads=body == "pile")
            except AssertionError as error:
                failed.append(str(error).splitlines()[0])
    assert not failed, f"{len(failed)} of {len(hands_of(arm)) * (WAYS // 4)}:\n" + "\n".join(failed)


@pytest.mark.parametrize("arm", serial_arms())
def test_every_part_has_a_side_that_contacts_name(arm: str) -> None:
    """Also where a joint is called as the base is, five_axis's for one."""
    places = (transform_from_pose([x, 0.0, 0.0, 0.0, 0.0, 0.0]) for x in (0.0, 3.0))
    robots = [RobotPlacement(load(arm), None, place) for place in places]
    sides = Simulation(Scene(), robots).sides
    assert sides.of_geom.max() < len(sides.sides)
    assert len(set(sides.sides)) == len(sides.sides)
