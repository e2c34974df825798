"""The door for clients of the small-size league: packets byte for byte, robots that obey."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator

import numpy as np
import pytest

from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.mobile import MobileScene, find_mobile_scene, open_scene
from armwerk.mobile.league.door import DoorPorts, LeagueDoor
from armwerk.mobile.league.messages import (
    SeenPlayer,
    field_packet,
    read_robot_control,
    read_simulator_command,
    robot_control_response,
    vision_packet,
)
from armwerk.mobile.league.packing import (
    inner,
    message_of,
    messages_of,
    number_of,
    single,
    unpacked,
    whole,
)

# What Google's protobuf library makes of the league's definitions.
CONTROL = bytes.fromhex(
    "0a1f08031211120f0d0000c03f15000080be1d000000401d0000d04025000034420a1608c8011211"
    "1a0f0d0000003f150000803f1d000000000a1a080112160a140d0000803f150000803f1d0000803f"
    "250000803f0a0708022d00007a44"
)
COMMAND = bytes.fromhex(
    "0a280a0f0d0000003f15000040bf250000004012100a0408021001150000803f250000c03f1d00000040"
)
VISION = bytes.fromhex(
    "0a850108ac0211000000000000f43f19000000000000f43f20002a1e0d0000803f1d0000fa432500"
    "007ac32d0000ac4135000000003d0000000032250d0000803f10001d00007a4425000000002d0000"
    "404035000000003d00000000450000f0423a250d0000803f10011d00007ac4250000fa432d000000"
    "bf35000000003d00000000450000f042"
)
FIELD = bytes.fromhex("12100a0e08a84610f02e18b00920c8012800")
ANSWER = bytes.fromhex("0a0d0a0761726d7765726b1a026e6f12080a0408021002100112080a04080010021000")


def test_packets_of_clients_are_read() -> None:
    first, second, third, fourth = read_robot_control(CONTROL)
    assert (first.number, first.forwards, first.sideways, first.turning) == (3, 1.5, -0.25, 2.0)
    assert first.kick_speed == 6.5
    assert first.kick_angle == pytest.approx(math.pi / 4)
    assert not first.is_global
    assert (second.number, second.forwards, second.sideways, second.is_global) == (
        200,
        0.5,
        1.0,
        True,
    )
    assert third.wheels
    assert not third.moves
    assert not fourth.moves
    order = read_simulator_command(COMMAND)
    assert order.ball is not None
    assert (order.ball.x, order.ball.y, order.ball.z) == (0.5, -0.75, None)
    assert order.ball.velocity == (2.0, 0.0, 0.0)
    (player,) = order.players
    assert (player.team, player.number, player.x, player.y, player.heading) == (
        *("yellow", 2, 1.0),
        *(None, 1.5),
    )
    assert order.speed == 2.0


def test_packets_to_clients_are_those_of_the_library() -> None:
    yellow, blue = SeenPlayer(0, 1.0, 0.0, 3.0, 0.12), SeenPlayer(1, -1.0, 0.5, -0.5, 0.12)
    assert vision_packet(300, 1.25, (0.5, -0.25, 0.0215), [yellow], [blue]) == VISION
    assert field_packet(9.0, 6.0, 1.2, 0.2) == FIELD
    assert robot_control_response("blue", [(2, True), (0, False)], ["no"]) == ANSWER


def test_anything_at_all_is_a_message_or_refused() -> None:
    draw = np.random.default_rng(5)
    refused = 0
    for _ in range(2000):
        data = bytearray(CONTROL if draw.random() < 0.5 else COMMAND)
        for _ in range(int(draw.integers(1, 5))):
            data[int(draw.integers(len(data)))] = int(draw.integers(256))
        data = data[: int(draw.integers(1, len(data) + 1))]
        for read in (read_robot_control, read_simulator_command):
            try:
                read(bytes(data))
            except DescriptionError:
                refused += 1
    assert refused > 500


def football() -> MobileScene:
    return open_scene(find_mobile_scene("football11")).scene()


class Client:
    """Somebody with a port of one's own."""

    def __init__(self) -> None:
        self.port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port.bind(("127.0.0.1", 0))
        self.port.settimeout(5.0)

    @property
    def place(self) -> tuple[str, int]:
        host, port = self.port.getsockname()
        return str(host), int(port)

    def hear(self) -> bytes:
        return self.port.recv(65536)


@pytest.fixture
def match() -> Iterator[tuple[LeagueDoor, Client, Client]]:
    client, viewer = Client(), Client()
    ports = DoorPorts(simulation=0, blue=0, yellow=0, vision=viewer.place)
    with LeagueDoor(football(), ports) as door:
        yield door, client, viewer
    client.port.close()
    viewer.port.close()


def velocity(number: int, x: float, y: float, turning: float, field: int = 2) -> bytes:
    move = single(1, x) + single(2, y) + single(3, turning)
    return inner(1, whole(1, number) + inner(2, inner(field, move)))


def test_a_client_drives_its_robot_and_sees_it(match: tuple[LeagueDoor, Client, Client]) -> None:
    door, client, viewer = match
    start = door.world.pose("blue 3")
    for _ in range(20):
        client.port.sendto(velocity(2, 0.0, -0.5, 0.0), ("127.0.0.1", door.ports["blue"]))
        door.step()
        assert messages_of(unpacked(client.hear()), 1) == []
    moved = door.world.pose("blue 3")[:3, 3] - start[:3, 3]
    np.testing.assert_allclose(moved[:2], [0.0, -0.5], atol=0.05)
    seen = unpacked(viewer.hear())
    frames = [seen]
    while number_of(message_of(frames[-1], 1) or {}, 1, -1.0) != 19:
        frames.append(unpacked(viewer.hear()))
    last = message_of(frames[-1], 1)
    assert last is not None
    robot = messages_of(last, 7)[2]
    assert number_of(robot, 4) == pytest.approx(1000 * door.world.pose("blue 3")[1, 3], abs=0.1)
    assert len(messages_of(last, 6)) == len(messages_of(last, 7)) == 11


def test_velocities_along_the_field(match: tuple[LeagueDoor, Client, Client]) -> None:
    door, client, _ = match
    start = door.world.pose("yellow 3")
    for _ in range(20):
        packet = velocity(2, 0.5, 0.0, 0.0, field=3)
        client.port.sendto(packet, ("127.0.0.1", door.ports["yellow"]))
        door.step()
    moved = door.world.pose("yellow 3")[:3, 3] - start[:3, 3]
    np.testing.assert_allclose(moved[:2], [0.5, 0.0], atol=0.05)  # though it looks along -x


def test_who_hears_nothing_more_stands(match: tuple[LeagueDoor, Client, Client]) -> None:
    door, client, _ = match
    client.port.sendto(velocity(2, 1.0, 0.0, 0.0), ("127.0.0.1", door.ports["blue"]))
    for _ in range(20):
        door.step()
    before = door.world.pose("blue 3")[0, 3]
    for _ in range(10):
        door.step()
    assert door.world.pose("blue 3")[0, 3] == pytest.approx(before, abs=1e-3)


def test_ball_and_robots_are_placed_and_the_ball_is_kicked(
    match: tuple[LeagueDoor, Client, Client],
) -> None:
    door, client, _ = match
    ball = inner(1, single(1, 0.0) + single(2, 1.0))
    robot = inner(2, inner(1, whole(1, 9) + whole(2, 2)) + single(2, -0.08) + single(3, 1.0))
    order = inner(1, ball + robot + single(3, 4.0))
    client.port.sendto(order, ("127.0.0.1", door.ports["simulation"]))
    door.step()
    assert client.hear() == b""
    assert door.speed == 4.0
    np.testing.assert_allclose(door.world.pose("ball")[:2, 3], [0.0, 1.0], atol=5e-3)
    kick = inner(1, whole(1, 9) + single(3, 2.0))
    client.port.sendto(kick, ("127.0.0.1", door.ports["blue"]))
    door.step()
    answer = unpacked(client.hear())
    feedback = messages_of(answer, 2)
    assert len(feedback) == 11
    for _ in range(4):
        door.step()
    assert door.world.pose("ball")[0, 3] > 0.25


def test_what_cannot_be_is_answered(match: tuple[LeagueDoor, Client, Client]) -> None:
    door, client, _ = match
    for packet, words in (
        (velocity(77, 1.0, 0.0, 0.0), b"there is no blue robot 77"),
        (b"\xff\xff\xff", b"packet"),
        (inner(1, whole(1, 1) + inner(2, inner(1, single(1, 1.0)))), b"velocities of wheels"),
        (inner(1, whole(1, 1) + single(5, 900.0)), b"not supported: dribbler"),
    ):
        client.port.sendto(packet, ("127.0.0.1", door.ports["blue"]))
        door.step()
        assert words in client.hear()


def test_a_dribbler_at_rest_is_no_mistake(match: tuple[LeagueDoor, Client, Client]) -> None:
    door, client, _ = match
    client.port.sendto(inner(1, whole(1, 1) + single(5, 0.0)), ("127.0.0.1", door.ports["blue"]))
    door.step()
    assert b"dribbler" not in client.hear()


def test_a_taken_port_and_a_scene_without_ball_are_told() -> None:
    taken = Client()
    with pytest.raises(DescriptionError, match="cannot be opened"):
        LeagueDoor(football(), DoorPorts(simulation=taken.place[1], blue=0, yellow=0))
    taken.port.close()
    with pytest.raises(UnknownNameError, match="ball"):
        LeagueDoor(football(), DoorPorts(simulation=0, blue=0, yellow=0), ball="bal")
    with pytest.raises(DescriptionError, match="blue"):
        LeagueDoor(
            open_scene(find_mobile_scene("gripping")).scene(),
            DoorPorts(simulation=0, blue=0, yellow=0),
            ball="cylinder 1",
        )
