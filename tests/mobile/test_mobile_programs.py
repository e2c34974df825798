"""Programs by their names, and what they answer to plain senses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from armwerk.errors import ArmwerkError, DescriptionError
from armwerk.geometry import Box
from armwerk.mobile import (
    BaseVelocity,
    Braitenberg,
    Collector,
    DistanceSensor,
    FootballPlayer,
    Hand,
    HandGripper,
    MobileRobot,
    OmniBase,
    SeenObject,
    Senses,
    WallFollower,
    WheelSpeeds,
    find_program,
)


def looking(degrees: float) -> DistanceSensor:
    pose = np.eye(4)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    pose[:2, :2] = [[c, -s], [s, c]]
    return DistanceSensor(f"at {degrees:g}", pose, reach=0.1)


EYES = MobileRobot("r", sensors=tuple(looking(a) for a in (90, 45, 10, -10, -45, -90, 180)))


def sensing(robot: MobileRobot, **near: float) -> Senses:
    distances = {sensor.name: sensor.reach for sensor in robot.sensors}
    distances |= {name.replace("_", " ").replace("minus ", "-"): far for name, far in near.items()}
    return Senses(time=0.0, step=0.05, distances=distances)


def speeds(program: Braitenberg, senses: Senses) -> tuple[float, float]:
    answer = program.step(senses)
    assert isinstance(answer, WheelSpeeds)
    return answer.left, answer.right


def test_braitenberg_turns_away_from_what_it_sees() -> None:
    program = Braitenberg()
    program.start(EYES)
    left, right = speeds(program, sensing(EYES))
    assert left == right == program.speed
    left, right = speeds(program, sensing(EYES, at_45=0.02))
    assert left > right  # something on the left: to the right
    left, right = speeds(program, sensing(EYES, at_minus_45=0.02))
    assert left < right
    left, right = speeds(program, sensing(EYES, at_180=0.0))
    assert left == right == program.speed
    left, right = speeds(program, sensing(EYES, at_10=0.01, at_minus_10=0.01))
    assert left != right


@pytest.mark.parametrize(("side", "sign"), [("left", 1.0), ("right", -1.0)])
def test_the_wall_follower_keeps_its_distance(side: str, sign: float) -> None:
    program = WallFollower(side, distance=0.05)
    program.start(EYES)
    beside = "at_90" if side == "left" else "at_minus_90"
    assert program.step(sensing(EYES)).turning == 0.0
    far = program.step(sensing(EYES, **{beside: 0.07}))
    near = program.step(sensing(EYES, **{beside: 0.03}))
    assert far.turning * sign > 0 > near.turning * sign
    ahead = program.step(sensing(EYES, at_10=0.02))
    assert ahead.turning * sign < 0
    lost = program.step(sensing(EYES))
    assert lost.turning * sign > 0  # around the corner


def seen(x: float, y: float, heading: float = 0.0) -> SeenObject:
    return SeenObject((x, y, 0.0), heading, (0.0, 0.0))


def playing(
    robot: MobileRobot, place: tuple[float, float], ball: tuple[float, float], **others: SeenObject
) -> Senses:
    everybody = {robot.name: seen(*place), "ball": seen(*ball)}
    everybody |= {name.replace("_", " "): one for name, one in others.items()}
    return Senses(
        time=0.0, step=0.05, distances={}, place=(*place, 0.0), heading=0.0, seen=everybody
    )


def test_the_nearest_player_goes_behind_the_ball_and_through_it() -> None:
    player = FootballPlayer("striker", "left")
    robot = MobileRobot("blue 4", OmniBase())
    player.start(robot)
    behind = player.step(playing(robot, (-0.15, 0.0), (0.0, 0.0)))
    assert isinstance(behind, BaseVelocity)
    assert behind.forwards > 0.9 * player.speed  # straight through, towards +x
    before = player.step(playing(robot, (0.2, 0.0), (0.0, 0.0)))
    assert isinstance(before, BaseVelocity)
    assert before.sideways != 0.0  # around the ball, not against it
    assert abs(before.sideways) > 0.2 * abs(before.forwards)


def test_who_is_not_nearest_leaves_the_ball_to_the_other() -> None:
    player = FootballPlayer("supporter", "left", lane=1.0)
    robot = MobileRobot("blue 3", OmniBase())
    player.start(robot)
    alone = player.step(playing(robot, (-0.4, 0.0), (0.0, 0.0)))
    helped = player.step(playing(robot, (-0.4, 0.0), (0.0, 0.0), blue_4=seen(-0.1, 0.0)))
    assert isinstance(alone, BaseVelocity)
    assert isinstance(helped, BaseVelocity)
    assert helped.sideways > alone.sideways  # to its lane


def test_the_keeper_stays_on_its_line_within_the_goal() -> None:
    for side, sign in (("left", -1.0), ("right", 1.0)):
        keeper = FootballPlayer("keeper", side, length=2.0, goal=0.4)
        robot = MobileRobot(f"{side} keeper", OmniBase())
        keeper.start(robot)
        for ball in ((0.0, 0.9), (0.3, -0.9)):
            answer = keeper.step(playing(robot, (sign * 0.9, 0.0), ball))
            assert isinstance(answer, BaseVelocity)
            assert answer.sideways * ball[1] > 0


def test_a_collector_says_what_it_goes_for_and_others_leave_it() -> None:
    hands = (Hand("l", (Box((0.04, 0.01, 0.01), (0.05, 0.02, 0.01)),)),) * 2
    robot = MobileRobot("c", gripper=HandGripper("g", hands))
    program = Collector("can")
    program.start(robot)
    world = {"can 1": seen(1.0, 0.0), "can 2": seen(2.0, 0.0), "c": seen(0.0, 0.0)}
    senses = Senses(0.0, 0.05, {}, place=(0.0, 0.0, 0.0), heading=0.0, seen=world)
    answer = program.step(senses)
    assert [message.text for message in answer.messages] == ["mine: can 1"]
    with pytest.raises(DescriptionError, match="no gripper"):
        program.start(MobileRobot("bare"))


def test_programs_are_found_by_name_with_values() -> None:
    keeper = find_program("football role=keeper side=right speed=0.25")
    assert isinstance(keeper, FootballPlayer)
    assert (keeper.role, keeper.way, keeper.speed) == ("keeper", -1.0, 0.25)
    follower = find_program("wall follower side=left")
    assert isinstance(follower, WallFollower)


def test_own_programs_lie_beside_the_scene(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Idle:\n"
        "    def __init__(self, speed=1.0):\n        self.speed = speed\n"
        "    def start(self, robot):\n        pass\n"
        "    def step(self, senses):\n        return None\n"
        "class Half:\n    pass\n",
        encoding="utf-8",
    )
    program = find_program("mine:Idle speed=3", tmp_path)
    assert getattr(program, "speed", None) == 3.0
    with pytest.raises(DescriptionError, match="has no method 'start'"):
        find_program("mine:Half", tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no program"),
        ("footbal", "did you mean 'football'"),
        ("football rol=keeper", "did you mean 'role'"),
        ("football role=goalie", "keeper, defender, supporter, striker"),
        ("football speed=fast", "no number"),
        ("football 'role", "cannot be read"),
        ("nowhere:Nobody", "module 'nowhere' cannot be loaded"),
        ("math:Nobody", "Nobody"),
        ("a b:c", "is no name of a class"),
        ("wall follower side=up", "allowed: left, right"),
        ("collector radius=0", "above 0 m"),
    ],
)
def test_mistakes_in_the_name_are_told(text: str, words: str) -> None:
    with pytest.raises(ArmwerkError) as caught:
        find_program(text)
    assert words in str(caught.value)
