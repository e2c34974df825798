"""Robots that fall over: a load too high for the slope, and not a degree before."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armwerk.geometry import Box, rotation_y, transform
from armwerk.mobile import (
    FourWheelBase,
    MobileBody,
    MobileRobot,
    MobileScene,
    MobileWorld,
    Tipped,
)
from armwerk.mobile.log import event_line

BASE = FourWheelBase()
HULL = Box((0.2, 0.16, 0.05), (0.0, 0.0, 0.06))
LOAD = Box((0.1, 0.1, 0.8), (0.0, 0.0, 0.485))


def height(solids: tuple[Box, ...]) -> float:
    """Return how high the centre of mass is above the ground [m]."""
    sizes = [float(np.prod(solid.size)) for solid in solids]
    places = [float(solid.position[2]) for solid in solids]
    return sum(size * place for size, place in zip(sizes, places, strict=True)) / sum(sizes)


def on_a_slope(angle: float, solids: tuple[Box, ...]) -> MobileWorld:
    """Return a robot that stands on a slope, its front uphill."""
    pose = transform(rotation_y(-angle), (0.0, 0.0, 0.0))
    slab = MobileBody("slope", (Box((20.0, 4.0, 0.2), (0.0, 0.0, -0.1)),), "immovable", pose)
    robot = MobileRobot("it", BASE, pose, solids)
    return MobileWorld(MobileScene(bodies=(slab,), robots=(robot,), floor=False))


def tipped(world: MobileWorld) -> list[Tipped]:
    return [event for event in world.events if isinstance(event, Tipped)]


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_it_tips_when_its_weight_points_behind_its_wheels(share: float) -> None:
    solids = (HULL, LOAD)
    critical = math.atan(0.5 * BASE.wheelbase / height(solids))
    world = on_a_slope(share * critical, solids)
    world.run(6.0)
    assert [event.robot for event in tipped(world)] == (["it"] if share > 1 else [])
    if share > 1:
        (event,) = tipped(world)
        assert 0.1 < event.time < 4.0
        assert event_line(event).endswith("it has fallen over")
        assert float(world.pose("it")[2, 2]) < math.cos(math.radians(60.0))


def test_without_its_load_it_stands_where_it_tipped() -> None:
    critical = math.atan(0.5 * BASE.wheelbase / height((HULL, LOAD)))
    world = on_a_slope(1.1 * critical, (HULL,))
    world.run(3.0)
    assert tipped(world) == []


def test_a_fall_is_told_once_and_again_after_it_was_put_up() -> None:
    critical = math.atan(0.5 * BASE.wheelbase / height((HULL, LOAD)))
    world = on_a_slope(1.3 * critical, (HULL, LOAD))
    world.run(4.0)
    assert len(tipped(world)) == 1
    world.move("it", transform(rotation_y(-1.3 * critical), (0.0, 0.0, 0.0)))
    assert float(world.pose("it")[2, 2]) > 0.9
    world.run(4.0)
    assert len(tipped(world)) == 2
