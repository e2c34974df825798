"""The door: three ports that clients send to, and the vision that everybody hears.

A client of RoboCup's small-size league steers the blue or the yellow robots of a world as it would
steer those of the league's own simulators. The world goes on in real time, or faster where a client
asks for it; packets are taken between two steps.
"""

from __future__ import annotations

import math
import socket
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile.bases import OmniBase
from armwerk.mobile.league.messages import (
    PlayerCommand,
    SeenPlayer,
    Team,
    WorldOrder,
    field_packet,
    read_robot_control,
    read_simulator_command,
    robot_control_response,
    simulator_response,
    vision_packet,
)
from armwerk.mobile.program import BaseVelocity, Senses
from armwerk.mobile.scene import MobileRobot, MobileScene
from armwerk.mobile.world import MobileWorld

TEAMS: tuple[Team, ...] = get_args(Team)
SIMULATION_PORT = 10300
TEAM_PORTS: dict[Team, int] = {"blue": 10301, "yellow": 10302}
VISION = ("224.5.23.2", 10020)
LARGEST = 65536  # bytes of a packet
MOST_PACKETS = 200  # taken between two steps from one port
_TIMEOUT = 0.5  # [s] after which a robot that is told nothing more stands still
_NEAR = 0.012  # [m] between the ball and a front that has it
_GEOMETRY_EVERY = 50  # frames


class LeaguePlayer:
    """A program that does what packets say."""

    def __init__(self) -> None:
        self.command = PlayerCommand(0)
        self.heard = -math.inf

    def start(self, robot: MobileRobot) -> None:
        """Stand until something is said."""
        self.command, self.heard = PlayerCommand(0), -math.inf

    def step(self, senses: Senses) -> BaseVelocity:
        """Return the velocity that was last asked for."""
        said = self.command
        if senses.time - self.heard > _TIMEOUT:
            return BaseVelocity(0.0)
        x, y = said.forwards, said.sideways
        if said.is_global and senses.heading is not None:
            c, s = math.cos(senses.heading), math.sin(senses.heading)
            x, y = c * x + s * y, c * y - s * x
        return BaseVelocity(x, y, said.turning)


@dataclass(frozen=True, slots=True)
class DoorPorts:
    """Where the door listens and sends.

    Args:
        address: It listens on.
        simulation: Port of orders for the whole simulation; 0: any free one.
        blue: Port of the blue team; 0: any free one.
        yellow: Port of the yellow team; 0: any free one.
        vision: Address and port that the vision is sent to, a multicast group or one machine.
    """

    address: str = "127.0.0.1"
    simulation: int = SIMULATION_PORT
    blue: int = TEAM_PORTS["blue"]
    yellow: int = TEAM_PORTS["yellow"]
    vision: tuple[str, int] = VISION


@dataclass(slots=True, eq=False)
class _Squad:
    """The robots of a team by their numbers in it."""

    names: list[str] = field(default_factory=list)
    players: list[LeaguePlayer] = field(default_factory=list)


class LeagueDoor:
    """A world of football whose robots are steered by packets.

    Robots belong to the team with which their names begin, and are numbered from 0 in the order of
    the scene.

    Args:
        scene: With a movable body for a ball, and robots whose names begin with "blue" or "yellow".
        ports: Where it listens.
        ball: Name of the ball.
        seed: Of the world.

    Attributes:
        world: It runs in.
        speed: Simulated per real time, as clients ask for it.

    Raises:
        DescriptionError: When nobody plays, or a port cannot be opened.
        UnknownNameError: When there is no ball.
    """

    def __init__(
        self,
        scene: MobileScene,
        ports: DoorPorts = DoorPorts(),  # noqa: B008, frozen
        *,
        ball: str = "ball",
        seed: int = 0,
    ) -> None:
        if ball not in [body.name for body in scene.bodies if body.kind == "movable"]:
            raise UnknownNameError("movable body", ball, [body.name for body in scene.bodies])
        self._squads: dict[Team, _Squad] = {team: _Squad() for team in TEAMS}
        for robot in scene.robots:
            for team, squad in self._squads.items():
                if robot.name.lower().startswith(team):
                    squad.names.append(robot.name)
                    squad.players.append(LeaguePlayer())
        if not any(squad.names for squad in self._squads.values()):
            raise DescriptionError(
                "nobody plays",
                element=f"scene '{scene.name}'",
                allowed="robots whose names begin with 'blue' or 'yellow'",
            )
        told = {
            robot.name: replace(robot, reports=replace(robot.reports, place=True))
            for robot in scene.robots
        }
        scene = replace(scene, robots=tuple(told.values()))
        programs = {
            name: player
            for squad in self._squads.values()
            for name, player in zip(squad.names, squad.players, strict=True)
        }
        self.world = MobileWorld(scene, programs, seed)
        self.ball, self.speed, self._frame = ball, 1.0, 0
        self._to = ports.vision
        self._simulation = _listening(ports.address, ports.simulation)
        self._teams: dict[Team, socket.socket] = {}
        try:
            self._teams["blue"] = _listening(ports.address, ports.blue)
            self._teams["yellow"] = _listening(ports.address, ports.yellow)
            self._vision = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        except DescriptionError:
            self.close()
            raise

    @property
    def ports(self) -> dict[str, int]:
        """The ports it listens on: "simulation", "blue", "yellow"."""
        found = {"simulation": self._simulation.getsockname()[1]}
        return found | {team: one.getsockname()[1] for team, one in self._teams.items()}

    def step(self) -> None:
        """Take the packets that have come, let a step pass, and send what is seen."""
        self._take_orders()
        for team, port in self._teams.items():
            self._take_commands(team, port)
        self.world.step()
        self._send_vision()

    def close(self) -> None:
        """Close all ports."""
        for one in (self._simulation, *self._teams.values(), getattr(self, "_vision", None)):
            if one is not None:
                one.close()

    def __enter__(self) -> LeagueDoor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_orders(self) -> None:
        for packet, sender in _packets(self._simulation):
            try:
                order = read_simulator_command(packet)
                errors = [f"not supported: {what}" for what in order.unsupported]
                errors += self._obey(order)
            except DescriptionError as error:
                errors = [str(error)]
            self._simulation.sendto(simulator_response(errors), sender)

    def _obey(self, order: WorldOrder) -> list[str]:
        errors: list[str] = []
        if order.speed is not None:
            self.speed = min(100.0, max(0.0, order.speed))
        if order.ball is not None:
            place = self.world.pose(self.ball)[:3, 3]
            wanted = (order.ball.x, order.ball.y, order.ball.z)
            target = [own if new is None else new for own, new in zip(place, wanted, strict=True)]
            if max(abs(value) for value in target) > 1e3:
                errors.append("the ball cannot be put more than 1000 m away")
            else:
                self.world.move(self.ball, target)
                self.world.launch(self.ball, np.clip(order.ball.velocity, -50.0, 50.0))
        for one in order.players:
            squad = self._squads[one.team]
            if one.number >= len(squad.names):
                errors.append(f"there is no {one.team} robot {one.number}")
                continue
            name = squad.names[one.number]
            pose = self.world.pose(name)
            x = float(pose[0, 3]) if one.x is None else one.x
            y = float(pose[1, 3]) if one.y is None else one.y
            if max(abs(x), abs(y)) > 1e3:
                errors.append(f"{name} cannot be put more than 1000 m away")
                continue
            self.world.move(name, (x, y, float(pose[2, 3])), one.heading)
        return errors

    def _take_commands(self, team: Team, port: socket.socket) -> None:
        squad = self._squads[team]
        for packet, sender in _packets(port):
            errors: list[str] = []
            try:
                commands = read_robot_control(packet)
            except DescriptionError as error:
                commands, errors = [], [str(error)]
            for command in commands:
                errors += self._command(squad, team, command)
            contacts = [(number, self._has_ball(name)) for number, name in enumerate(squad.names)]
            port.sendto(robot_control_response(team, contacts, errors), sender)

    def _command(self, squad: _Squad, team: Team, command: PlayerCommand) -> list[str]:
        if command.number >= len(squad.names):
            return [f"there is no {team} robot {command.number}"]
        player, name = squad.players[command.number], squad.names[command.number]
        errors = ["not supported: velocities of wheels"] if command.wheels else []
        if command.dribbles:
            errors.append("not supported: dribbler")
        if command.moves:
            player.command, player.heard = command, self.world.time
            sideways = abs(command.sideways) > 1e-6 or command.is_global
            if sideways and not isinstance(self.world.scene.robot(name).base, OmniBase):
                errors.append(f"{name} has two wheels and cannot drive sideways")
        if command.kick_speed > 0 and self._has_ball(name):
            self._kick(name, min(command.kick_speed, 10.0), command.kick_angle)
        return errors

    def _kick(self, name: str, speed: float, angle: float) -> None:
        ahead = self.world.pose(name)[:3, 0]
        flat = ahead[:2] / max(float(np.hypot(*ahead[:2])), 1e-9)
        level = speed * math.cos(angle)
        self.world.launch(
            self.ball, (level * flat[0], level * flat[1], max(0.0, speed * math.sin(angle)))
        )

    def _has_ball(self, name: str) -> bool:
        """Whether the ball lies at the front of a robot."""
        robot, ball = self.world.scene.robot(name), self.world.scene.body(self.ball)
        local = np.linalg.inv(self.world.pose(name)) @ self.world.pose(self.ball)
        radius = float(np.ptp(ball.solids[0].bounds, axis=0)[0]) / 2
        front = max((float(solid.bounds[1, 0]) for solid in robot.solids), default=0.05)
        half = max((float(solid.bounds[1, 1]) for solid in robot.solids), default=0.05)
        x, y = float(local[0, 3]), float(local[1, 3])
        return 0 < x < front + radius + _NEAR and abs(y) < 0.7 * half

    def _send_vision(self) -> None:
        world = self.world
        seen: dict[Team, list[SeenPlayer]] = {}
        for team, squad in self._squads.items():
            seen[team] = []
            for number, name in enumerate(squad.names):
                pose = world.pose(name)
                heading = math.atan2(pose[1, 0], pose[0, 0])
                height = max(
                    (float(solid.bounds[1, 2]) for solid in world.scene.robot(name).solids),
                    default=0.1,
                )
                x, y = float(pose[0, 3]), float(pose[1, 3])
                seen[team].append(SeenPlayer(number, x, y, heading, height))
        x, y, z = world.pose(self.ball)[:3, 3].tolist()
        packets = [vision_packet(self._frame, world.time, (x, y, z), seen["yellow"], seen["blue"])]
        if self._frame % _GEOMETRY_EVERY == 0 and world.scene.goals:
            packets.append(self._field())
        self._frame += 1
        for packet in packets:
            try:
                self._vision.sendto(packet, self._to)
            except OSError:
                return  # nobody can be reached; robots are steered all the same

    def _field(self) -> bytes:
        """Return the measures of the field, as its goals show them."""
        goals = self.world.scene.goals
        ends = [min(abs(goal.low[0]), abs(goal.high[0])) for goal in goals]
        depth = abs(goals[0].high[0] - goals[0].low[0])
        goal = goals[0].high[1] - goals[0].low[1]
        bodies = [body for body in self.world.scene.bodies if body.kind == "immovable"]
        places = [abs(float(body.pose[1, 3])) for body in bodies]
        return field_packet(2 * min(ends), 2 * max(places, default=goal), goal, depth)


def _listening(address: str, port: int) -> socket.socket:
    """Return a port that packets come to, and that never waits.

    Raises:
        DescriptionError: When it cannot be opened.
    """
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setblocking(False)
    try:
        one.bind((address, port))
    except (OSError, OverflowError) as error:
        one.close()
        raise DescriptionError(
            f"cannot be opened ({error})",
            element=f"port {address}:{port}",
            allowed="a free port, 0 for any",
        ) from None
    return one


def _packets(port: socket.socket) -> list[tuple[bytes, tuple[str, int]]]:
    """Return what has come since the last time."""
    found: list[tuple[bytes, tuple[str, int]]] = []
    while len(found) < MOST_PACKETS:
        try:
            content, (host, number) = port.recvfrom(LARGEST)
        except OSError:  # nothing more, or somebody who has gone
            break
        found.append((content, (host, number)))
    return found
