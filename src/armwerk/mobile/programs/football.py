"""A football player with a role: keeper, defender, supporter or striker.

It sees ball and players from above (``reports = { seen = true }``), as in RoboCup's small-size
league, and pushes the ball: it gets behind it as seen from the other goal, then drives through it.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from armwerk.errors import DescriptionError
from armwerk.mobile.bases import OmniBase
from armwerk.mobile.program import Answer, BaseVelocity, SeenObject, Senses
from armwerk.mobile.programs.headings import towards, turned
from armwerk.mobile.scene import MobileRobot

ROLES = ("keeper", "defender", "supporter", "striker")
_Point: TypeAlias = tuple[float, float]


class FootballPlayer:
    """Plays football for a team.

    The nearest player of a team that is no keeper goes for the ball; the others take the places of
    their roles.

    Args:
        role: "keeper", "defender", "supporter" or "striker".
        side: Where its own goal is: "left" (at -x) or "right" (at +x).
        lane: Where it keeps to across the field, -1 to 1 of half its width.
        length: Of the field along x [m].
        width: Of the field along y [m].
        goal: Width of the goals [m].
        ball: Name of the ball.
        speed: [m/s].
    """

    def __init__(
        self,
        role: str = "striker",
        side: str = "left",
        lane: float = 0.0,
        length: float = 2.0,
        width: float = 1.3,
        goal: float = 0.4,
        ball: str = "ball",
        speed: float = 0.5,
    ) -> None:
        if role not in ROLES:
            raise DescriptionError(
                "unknown role", element="football player", value=role, allowed=", ".join(ROLES)
            )
        if side not in {"left", "right"}:
            raise DescriptionError(
                "unknown side", element="football player", value=side, allowed="left, right"
            )
        if min(length, width, goal, speed) <= 0:
            raise DescriptionError(
                "not positive",
                element="football player, length, width, goal and speed",
                value=(length, width, goal, speed),
                allowed="above 0 m and 0 m/s",
            )
        self.role, self.lane, self.ball, self.speed = role, lane, ball, speed
        self.way = 1.0 if side == "left" else -1.0  # along x, towards the other goal
        self.length, self.width, self.goal = length, width, goal
        self._name, self._radius, self._team = "", 0.05, ""
        self._omni = False
        self._stuck_since = 0.0
        self._stuck_at: _Point = (0.0, 0.0)

    def start(self, robot: MobileRobot) -> None:
        """Be told who plays; the team is what its name begins with, up to the first blank."""
        self._name = robot.name
        self._team = robot.name.split(" ")[0]
        self._omni = isinstance(robot.base, OmniBase)
        sizes = [float(abs(solid.bounds[:, :2]).max()) for solid in robot.solids]
        self._radius = max(sizes, default=0.05)
        self._stuck_since, self._stuck_at = 0.0, (math.inf, math.inf)

    def step(self, senses: Senses) -> Answer:
        """Return the next velocity."""
        ball = senses.seen.get(self.ball)
        if ball is None or senses.place is None or senses.heading is None:
            return BaseVelocity(0.0)
        place, heading = (senses.place[0], senses.place[1]), senses.heading
        spot = self._ahead(ball)
        back = self._unstick(senses, place)
        if back is not None:
            return back
        if self.role != "keeper" and self._is_nearest(senses, spot):
            return self._attack(place, heading, spot)
        goal = self._place_of_role(spot)
        if math.dist(place, goal) < 0.3 * self._radius:
            return self._face(place, heading, spot)
        return self._to(place, heading, self._around_ball(place, goal, spot))

    def _ahead(self, ball: SeenObject) -> _Point:
        """Return where the ball will soon be [m]."""
        soon = 0.2
        return ball.place[0] + soon * ball.velocity[0], ball.place[1] + soon * ball.velocity[1]

    def _is_nearest(self, senses: Senses, spot: _Point) -> bool:
        mates = {
            name: self._effort(one.place[:2], spot)
            for name, one in senses.seen.items()
            if name.startswith(f"{self._team} ") and "keeper" not in name
        }
        return min(mates, key=lambda name: (mates[name], name), default=self._name) == self._name

    def _effort(self, place: tuple[float, float], spot: _Point) -> float:
        """Return how far it is to the ball; who stands before it has to go around [m]."""
        before = max(0.0, self.way * (place[0] - spot[0]))
        return math.dist(place, spot) + before

    def _attack(self, place: _Point, heading: float, spot: _Point) -> Answer:
        aim = (self.way * (self.length / 2 + 0.1), 0.0)
        to_goal = math.atan2(aim[1] - spot[1], aim[0] - spot[0])
        behind = self._inside(
            spot[0] - 2.2 * self._radius * math.cos(to_goal),
            spot[1] - 2.2 * self._radius * math.sin(to_goal),
        )
        line = turned(math.atan2(spot[1] - place[1], spot[0] - place[0]) - to_goal)
        if abs(line) < 0.5 and math.dist(place, spot) < 4.5 * self._radius:
            through = (spot[0] + 0.3 * math.cos(to_goal), spot[1] + 0.3 * math.sin(to_goal))
            return self._to(place, heading, through, 1.3)
        return self._to(place, heading, self._around_ball(place, behind, spot))

    def _inside(self, x: float, y: float) -> _Point:
        """Return the nearest point at which a player does not touch the boards [m]."""
        half = self.length / 2 - 1.05 * self._radius, self.width / 2 - 1.05 * self._radius
        return max(-half[0], min(half[0], x)), max(-half[1], min(half[1], y))

    def _around_ball(self, place: _Point, goal: _Point, spot: _Point) -> _Point:
        """Return a point on the way that does not push the ball backwards."""
        dx, dy = goal[0] - place[0], goal[1] - place[1]
        far = math.hypot(dx, dy)
        if far < 1e-6:
            return goal
        along = ((spot[0] - place[0]) * dx + (spot[1] - place[1]) * dy) / far
        across = (dx * (spot[1] - place[1]) - dy * (spot[0] - place[0])) / far
        clear = 1.8 * self._radius
        if not 0 < along < far or abs(across) > clear:
            return goal
        side = -1.0 if across > 0 else 1.0
        x, y = spot[0] - side * dy / far * clear, spot[1] + side * dx / far * clear
        if self._inside(x, y) != (x, y):  # no room between ball and boards: past the other side
            x, y = spot[0] + side * dy / far * clear, spot[1] - side * dx / far * clear
        return self._inside(x, y)

    def _place_of_role(self, spot: _Point) -> _Point:
        own = -self.way * self.length / 2
        lane = self.lane * self.width / 2
        if self.role == "keeper":
            reach = self.goal / 2
            return own + self.way * 1.5 * self._radius, max(-reach, min(reach, spot[1]))
        if self.role == "defender":
            share = 0.35
            return own + share * (spot[0] - own), 0.5 * lane + share * spot[1]
        ahead = 0.1 if self.role == "supporter" else 0.3
        x = spot[0] + self.way * self.length * (ahead - 0.25)
        edge = self.length / 2 - 2 * self._radius
        return max(-edge, min(edge, x)), lane

    def _face(self, place: _Point, heading: float, spot: _Point) -> Answer:
        off = turned(math.atan2(spot[1] - place[1], spot[0] - place[0]) - heading)
        return BaseVelocity(0.0, 0.0, max(-3.0, min(3.0, 3.0 * off)))

    def _to(self, place: _Point, heading: float, goal: _Point, hurry: float = 1.0) -> Answer:
        speed = self.speed * hurry
        if not self._omni:
            return towards(place, heading, goal, speed=speed, turning=6.0)
        dx, dy = goal[0] - place[0], goal[1] - place[1]
        far = math.hypot(dx, dy)
        fast = min(speed, 3.0 * far)
        angle = math.atan2(dy, dx) - heading
        turn = max(-4.0, min(4.0, 3.0 * turned(angle)))
        return BaseVelocity(fast * math.cos(angle), fast * math.sin(angle), turn)

    def _unstick(self, senses: Senses, place: _Point) -> Answer | None:
        """Back away for a moment when something has been in the way for two seconds."""
        if (
            math.dist(place, self._stuck_at) > 0.3 * self._radius
            or max((abs(speed) for speed in senses.wheel_speeds), default=0.0) < 0.1 * self.speed
        ):
            self._stuck_at, self._stuck_since = place, senses.time
            return None
        stuck = senses.time - self._stuck_since
        if stuck < 2.0:
            return None
        # to which side differs between players, so that two do not wait for each other
        side = 1.0 if sum(self._name.encode()) % 2 else -1.0
        if stuck > 2.6:
            self._stuck_since = senses.time
        return BaseVelocity(-0.7 * self.speed, 0.0, side * 2.0)
