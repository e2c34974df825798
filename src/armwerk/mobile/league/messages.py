"""The league's messages that the door understands and sends; numbers of fields are the league's.

Commands are in metres and radians, detections in millimetres and radians, as the protocol has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.mobile.league.packing import (
    Fields,
    double,
    inner,
    message_of,
    messages_of,
    number_of,
    single,
    unpacked,
    whole,
)

Team: TypeAlias = Literal["blue", "yellow"]
_TEAMS: dict[int, Team] = {1: "yellow", 2: "blue"}
_NUMBERS: dict[Team, int] = {"yellow": 1, "blue": 2}


@dataclass(frozen=True, slots=True)
class PlayerCommand:
    """What a client wants of one of its robots.

    Args:
        number: Of the robot in its team.
        forwards: In the frame of the robot [m/s].
        sideways: To the left [m/s].
        turning: Counter-clockwise [rad/s].
        is_global: Whether the velocity is along x and y of the field instead.
        moves: Whether there is a velocity at all; else only the kicker is meant.
        wheels: Whether speeds of wheels were sent, which are not supported.
        kick_speed: Of the ball [m/s]; 0: no kick.
        kick_angle: Above the ground [rad].
        dribbles: Whether the dribbler was to turn, which is not supported.
    """

    number: int
    forwards: float = 0.0
    sideways: float = 0.0
    turning: float = 0.0
    is_global: bool = False
    moves: bool = True
    wheels: bool = False
    kick_speed: float = 0.0
    kick_angle: float = 0.0
    dribbles: bool = False


@dataclass(frozen=True, slots=True)
class BallPlacement:
    """Where the ball is to be put, and with which velocity; None: as it is [m], [m/s]."""

    x: float | None
    y: float | None
    z: float | None
    velocity: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class PlayerPlacement:
    """Where a robot is to be put; None: as it is [m], [rad]."""

    team: Team
    number: int
    x: float | None
    y: float | None
    heading: float | None


@dataclass(frozen=True, slots=True)
class WorldOrder:
    """What a client wants of the whole simulation.

    Args:
        ball: None: nothing.
        players: Those to be moved.
        speed: Simulated per real time; None: as it is.
        unsupported: What was asked for and is not there, in words.
    """

    ball: BallPlacement | None
    players: tuple[PlayerPlacement, ...]
    speed: float | None
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenPlayer:
    """A robot as the league's vision sends it: number, place [m], heading [rad], height [m]."""

    number: int
    x: float
    y: float
    heading: float
    height: float


def read_robot_control(packet: bytes) -> list[PlayerCommand]:
    """Return the commands of a team's packet.

    Raises:
        DescriptionError: When it is none.
    """
    return [_command(fields) for fields in messages_of(unpacked(packet), 1)]


def _command(fields: Fields) -> PlayerCommand:
    number = int(number_of(fields, 1, 0.0) or 0)
    kick = _finite(number_of(fields, 3, 0.0))
    angle = math.radians(_finite(number_of(fields, 4, 0.0)))
    dribbles = _finite(number_of(fields, 5, 0.0)) != 0.0
    move = message_of(fields, 2)
    local = None if move is None else message_of(move, 2)
    across = None if move is None else message_of(move, 3)
    chosen = local or across
    if chosen is None:
        wheels = move is not None and 1 in move
        return PlayerCommand(
            number,
            moves=False,
            wheels=wheels,
            kick_speed=kick,
            kick_angle=angle,
            dribbles=dribbles,
        )
    first, second, third = (_finite(number_of(chosen, one, 0.0)) for one in (1, 2, 3))
    return PlayerCommand(
        number,
        first,
        second,
        third,
        is_global=local is None,
        kick_speed=kick,
        kick_angle=angle,
        dribbles=dribbles,
    )


def read_simulator_command(packet: bytes) -> WorldOrder:
    """Return what a packet for the whole simulation wants.

    Raises:
        DescriptionError: When it is none.
    """
    fields = unpacked(packet)
    unsupported: tuple[str, ...] = ("configuration",) if 2 in fields else ()
    control = message_of(fields, 1) or {}
    ball = message_of(control, 1)
    placed = None
    if ball is not None:
        velocity = (
            _finite(number_of(ball, 4, 0.0)),
            _finite(number_of(ball, 5, 0.0)),
            _finite(number_of(ball, 6, 0.0)),
        )
        x, y, z = (_known(number_of(ball, one)) for one in (1, 2, 3))
        placed = BallPlacement(x, y, z, velocity)
        if number_of(ball, 9):
            unsupported += ("moving the ball by force",)
    players = []
    for one in messages_of(control, 2):
        who = message_of(one, 1) or {}
        team = _TEAMS.get(int(number_of(who, 2, 0.0) or 0))
        if team is None or 8 in one:
            unsupported += (
                ("adding and removing robots",) if 8 in one else ("a robot without team",)
            )
        if team is not None:
            number = int(number_of(who, 1, 0.0) or 0)
            x, y, heading = (_known(number_of(one, field)) for field in (2, 3, 4))
            players.append(PlayerPlacement(team, number, x, y, heading))
    speed = number_of(control, 3)
    return WorldOrder(placed, tuple(players), _known(speed), unsupported)


def robot_control_response(
    team: Team, contacts: Iterable[tuple[int, bool]], errors: Sequence[str] = ()
) -> bytes:
    """Return the answer to a team: which robots have the ball at their front."""
    content = b"".join(inner(1, _error(text)) for text in errors)
    for number, contact in contacts:
        robot = whole(1, number) + whole(2, _NUMBERS[team])
        content += inner(2, inner(1, robot) + whole(2, int(contact)))
    return content


def simulator_response(errors: Sequence[str]) -> bytes:
    """Return the answer to an order for the whole simulation."""
    return b"".join(inner(1, _error(text)) for text in errors)


def _error(text: str) -> bytes:
    return inner(1, b"armwerk") + inner(3, text.encode())


def vision_packet(
    frame: int,
    time: float,
    ball: tuple[float, float, float] | None,
    yellow: Iterable[SeenPlayer],
    blue: Iterable[SeenPlayer],
) -> bytes:
    """Return what the league's vision sends: one frame of one camera that sees everything.

    Args:
        frame: Its number.
        time: Simulated [s].
        ball: Its middle [m]; None: it is not seen.
        yellow: Robots of the yellow team.
        blue: Robots of the blue team.
    """
    content = whole(1, frame) + double(2, time) + double(3, time) + whole(4, 0)
    if ball is not None:
        x, y, z = (1000 * value for value in ball)
        spot = single(1, 1.0) + single(3, x) + single(4, y) + single(5, z)
        content += inner(5, spot + single(6, 0.0) + single(7, 0.0))
    content += b"".join(inner(6, _player(one)) for one in yellow)
    content += b"".join(inner(7, _player(one)) for one in blue)
    return inner(1, content)


def _player(one: SeenPlayer) -> bytes:
    return (
        single(1, 1.0)
        + whole(2, one.number)
        + single(3, 1000 * one.x)
        + single(4, 1000 * one.y)
        + single(5, one.heading)
        + single(6, 0.0)
        + single(7, 0.0)
        + single(8, 1000 * one.height)
    )


def field_packet(length: float, width: float, goal: float, depth: float) -> bytes:
    """Return the measures of the field [m], as the league's vision sends them now and then."""
    sizes = [round(1000 * value) for value in (length, width, goal, depth, 0.0)]
    return inner(2, inner(1, b"".join(whole(i + 1, size) for i, size in enumerate(sizes))))


def _finite(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else 0.0


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
