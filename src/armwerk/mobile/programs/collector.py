"""Collects things: looks for one, drives to it, grips it, carries it to a place and puts it down.

It is told where things are by someone who looks on from above (``reports = { seen = true }``); what
one robot goes for it says to the others by a message, so that two do not go for the same.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from armwerk.errors import DescriptionError
from armwerk.mobile.events import GripFailed, Gripped
from armwerk.mobile.program import Answer, BaseVelocity, Outgoing, SeenObject, Senses
from armwerk.mobile.programs.headings import towards, turned
from armwerk.mobile.scene import MobileRobot

_Phase: TypeAlias = Literal["search", "approach", "close", "carry", "drop", "retreat"]
_Point: TypeAlias = tuple[float, float]


class Collector:
    """Carries movable things to a place.

    Args:
        things: With what the names of things begin that are collected.
        x: Of the place they are brought to [m].
        y: Of that place [m].
        radius: Within which of it they count as brought [m].
        speed: [m/s].
    """

    def __init__(
        self,
        things: str = "cylinder",
        x: float = 0.0,
        y: float = 0.0,
        radius: float = 0.15,
        speed: float = 0.15,
    ) -> None:
        if radius <= 0 or speed <= 0:
            raise DescriptionError(
                "not positive",
                element="collector, radius and speed",
                value=(radius, speed),
                allowed="above 0 m and 0 m/s",
            )
        self.things, self.home, self.radius, self.speed = things, (x, y), radius, speed
        self._name = ""
        self._reach = 0.05
        self._phase: _Phase = "search"
        self._since = 0.0
        self._goal = ""
        self._taken: dict[str, str] = {}  # thing by robot that goes for it
        self._given_up: set[str] = set()

    def start(self, robot: MobileRobot) -> None:
        """Be told how far ahead the hands of the robot are."""
        if robot.gripper is None:
            raise DescriptionError(
                "has no gripper and cannot collect",
                element=f"robot '{robot.name}'",
                allowed="a robot with gripper",
            )
        self._name = robot.name
        solids = [solid for hand in robot.gripper.hands for solid in hand.solids]
        middles = [solid.bounds.mean(axis=0)[0] for solid in solids]
        self._reach = float(robot.gripper.pose[0, 3]) + sum(float(m) for m in middles) / len(
            middles
        )
        self._phase, self._since, self._goal = "search", 0.0, ""
        self._taken, self._given_up = {}, set()

    def step(self, senses: Senses) -> Answer:
        """Return the next velocity and what the hands do."""
        for message in senses.messages:
            self._taken[message.sender] = message.text.removeprefix("mine: ")
        if senses.place is None or senses.heading is None:
            return BaseVelocity(0.0)
        place, heading = (senses.place[0], senses.place[1]), senses.heading
        for event in senses.events:
            if isinstance(event, GripFailed) and self._phase == "close":
                self._given_up.add(self._goal)
                self._go("retreat", senses)
            elif isinstance(event, Gripped):
                self._go("carry", senses)
        act = {
            "search": self._search,
            "approach": self._approach,
            "close": self._close,
            "carry": self._carry,
            "drop": self._drop,
            "retreat": self._retreat,
        }[self._phase]
        return act(senses, place, heading)

    def _go(self, phase: _Phase, senses: Senses) -> None:
        self._phase, self._since = phase, senses.time

    def _search(self, senses: Senses, place: _Point, heading: float) -> Answer:
        wanted = {
            name: seen
            for name, seen in senses.seen.items()
            if name.startswith(self.things)
            and name not in self._given_up
            and name not in self._taken.values()
            and math.dist(seen.place[:2], self.home) > self.radius
        }
        if not wanted:
            self._goal = ""
            return BaseVelocity(0.0, gripper="open")
        self._goal = min(wanted, key=lambda name: math.dist(place, wanted[name].place[:2]))
        self._go("approach", senses)
        return BaseVelocity(0.0, gripper="open", messages=(Outgoing("*", f"mine: {self._goal}"),))

    def _approach(self, senses: Senses, place: _Point, heading: float) -> Answer:
        seen: SeenObject | None = senses.seen.get(self._goal)
        if seen is None or senses.time - self._since > 30.0:
            self._given_up.add(self._goal)
            self._go("retreat", senses)
            return BaseVelocity(0.0)
        dx, dy = seen.place[0] - place[0], seen.place[1] - place[1]
        far, off = math.hypot(dx, dy), turned(math.atan2(dy, dx) - heading)
        if far < self._reach + 0.002 and abs(off) < 0.3:
            self._go("close", senses)
            return BaseVelocity(0.0, gripper="close")
        if far < 1.8 * self._reach and abs(off) > 0.08:
            # too near to turn without pushing it away with a hand: back first, then turn
            if far < 1.3 * self._reach:
                return BaseVelocity(-0.5 * self.speed, 0.0, 0.0, "open")
            return BaseVelocity(0.0, 0.0, max(-2.0, min(2.0, 4.0 * off)), "open")
        answer = towards(place, heading, (seen.place[0], seen.place[1]), speed=self.speed)
        slow = min(answer.forwards, 2.0 * max(0.0, far - self._reach) + 0.02)
        return BaseVelocity(slow, 0.0, answer.turning, "open")

    def _close(self, senses: Senses, place: _Point, heading: float) -> Answer:
        if senses.holding and senses.time - self._since > 0.5:
            self._go("carry", senses)
        elif senses.time - self._since > 2.0:
            self._given_up.add(self._goal)
            self._go("retreat", senses)
        return BaseVelocity(0.0, gripper="close")

    def _carry(self, senses: Senses, place: _Point, heading: float) -> Answer:
        if not senses.holding and senses.time - self._since > 1.0:
            self._go("retreat", senses)
            return BaseVelocity(0.0, gripper="open")
        hands = (
            place[0] + self._reach * math.cos(heading),
            place[1] + self._reach * math.sin(heading),
        )
        if math.dist(hands, self.home) < 0.6 * self.radius or senses.time - self._since > 40.0:
            self._go("drop", senses)
            return BaseVelocity(0.0, gripper="close")
        return towards(place, heading, self.home, speed=self.speed, turning=2.0, gripper="close")

    def _drop(self, senses: Senses, place: _Point, heading: float) -> Answer:
        if senses.time - self._since > 0.6:
            self._go("retreat", senses)
        return BaseVelocity(0.0, gripper="open")

    def _retreat(self, senses: Senses, place: _Point, heading: float) -> Answer:
        if senses.time - self._since > 0.8:
            self._go("search", senses)
        turn = 0.0 if senses.time - self._since < 0.6 else 1.5
        return BaseVelocity(-0.6 * self.speed, 0.0, turn, "open")
