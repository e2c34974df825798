"""Modules on a CAN bus by CiA 402: profile position, cyclic position and torque, homing.

Modules rest in cyclic position mode and are told where they stand. A ramp is their own (profile
position), a step is streamed cycle by cycle, a force is cyclic torque, a reference run is homing. A
halt is the quick stop of the profile, which stays until it is taken back.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.extras import pip_line
from armwerk.motors import drive_profile as profile
from armwerk.motors.clock import CycleClock
from armwerk.motors.cyclic import CyclicExchange, FrameCounts
from armwerk.motors.drive_profile import INCREMENTS, THOUSAND, DriveObject
from armwerk.motors.interface import ModuleConfig, ModuleState, ModuleStatus
from armwerk.motors.ramp import RampAxis
from armwerk.motors.simulated_module import Frame, mapped

if TYPE_CHECKING:
    import can

Phase: TypeAlias = Literal["rest", "ask", "run", "stop", "home", "push"]
LOST_LIMIT = 5  # cycles without an answer after which a module is silent
PATIENCE = 200  # cycles for switching on, and for taking back a fault
HOMING_BEGINS = 5  # cycles in which an old "reached" of a module may still be on the bus
SEARCHED = 32  # the largest node that is looked for
LISTENED = 0.25  # [s] to those who are there


@dataclass(slots=True)
class _Node:
    """What the master knows and wants of one module."""

    config: ModuleConfig
    axis: RampAxis
    word: int = 0
    mode_shown: int = 0
    velocity: float = 0.0
    force: float = 0.0
    code: int = 0
    position: float = 0.0
    halted: bool = False
    resetting: int = PATIENCE
    sent: int = 0
    phase: Phase = "rest"
    since: int = 0
    mode: int = profile.CYCLIC_POSITION
    goal: float = 0.0
    speeds: tuple[float, float] = (0.0, 0.0)
    push: float = 0.0
    left: float = 0.0
    unheard: int = 0
    silent: bool = False
    referenced: bool = True
    on: bool = field(default=False)

    @property
    def state(self) -> profile.ProfileState:
        return profile.state_of(self.word)

    def turn(self, phase: Phase) -> None:
        self.phase, self.since = phase, 0


class CanPort:
    """Modules on a bus; a `ModulePort`.

    Args:
        bus: Of python-can; it is shut down with the port.
        nodes: Numbers of the modules on the bus; None: those that answer.
        period: Time between two SYNCs [s].
        clock: Keeps the period in real time; None: as fast as modules answer.
        timeout: How long answers are waited for in a cycle [s]; None: 0.8 periods with a clock,
            else 0.1 s.
        end_of_cycle: Identifier of a frame after all answers, such as the simulator's
            `END_OF_CYCLE`; None: there is none.

    Raises:
        UnsupportedError: When canopen is not installed, or a module is no servo drive.
        DescriptionError: When nobody answers.
    """

    def __init__(
        self,
        bus: can.BusABC,
        nodes: Sequence[int] | None = None,
        period: float = 0.001,
        clock: CycleClock | None = None,
        timeout: float | None = None,
        end_of_cycle: int | None = None,
    ) -> None:
        try:
            import canopen
        except ImportError:
            bus.shutdown()
            raise UnsupportedError(
                f"a CAN bus needs python-can and canopen; type: {pip_line('can')}"
            ) from None
        self._period, self._clock = period, clock
        self._network = canopen.Network(bus)
        self._network.NOTIFIER_CYCLE = 0.1
        self._network.connect()
        try:
            found = list(nodes) if nodes is not None else self._search()
            if not found:
                raise DescriptionError(
                    "nobody answers", element="bus", allowed=f"modules 1 to {SEARCHED}"
                )
            self._numbers = found
            for number in found:
                self._network.add_node(number)
            self._nodes = [self._opened(number) for number in found]
            usual = 0.8 * period if clock is not None else 0.1
            self._exchange = CyclicExchange(
                self._network, found, usual if timeout is None else timeout, end_of_cycle
            )
            for _ in range(PATIENCE):
                self.cycle()
                if all(node.on for node in self._nodes):
                    break
        except BaseException:
            self._network.disconnect()
            raise

    @property
    def dt(self) -> float:
        """Time of a cycle [s]."""
        return self._period

    @property
    def configs(self) -> tuple[ModuleConfig, ...]:
        """All modules."""
        return tuple(node.config for node in self._nodes)

    @property
    def counts(self) -> FrameCounts:
        """What became of the frames so far."""
        return self._exchange.counts

    def status(self, index: int) -> ModuleStatus:
        """Return how a module was at the end of the last cycle in which it answered."""
        node = self._nodes[index]
        state, error = self._state(node)
        return ModuleStatus(
            node.config.number,
            node.position,
            node.velocity,
            node.force,
            state,
            error,
            node.referenced,
        )

    def ramp(self, index: int, goal: float, velocity: float, acceleration: float) -> None:
        """Run to a position by the module's own ramp."""
        node = self._nodes[index]
        node.goal, node.speeds, node.mode = goal, (velocity, acceleration), profile.PROFILE_POSITION
        node.turn("ask")

    def step(self, index: int, goal: float, time: float, velocity: float | None) -> None:
        """Be at a position in a time, by set points of every cycle."""
        node = self._nodes[index]
        if node.phase != "rest" or node.resetting:
            node.axis.put(node.position)
            node.axis.velocity = node.velocity
        node.mode = profile.CYCLIC_POSITION
        node.turn("rest")
        node.axis.step(goal, time, velocity, node.config.max_acceleration)

    def force(self, index: int, value: float, time: float) -> None:
        """Give a force for a time, then brake."""
        node = self._nodes[index]
        node.push, node.left, node.mode = value, time, profile.CYCLIC_TORQUE
        node.turn("push")

    def soft_stop(self, index: int, acceleration: float) -> None:
        """Come to rest."""
        node = self._nodes[index]
        if node.phase in {"ask", "run"}:
            node.speeds = (node.speeds[0], acceleration)
            node.turn("stop")
        elif node.phase == "rest":
            node.axis.brake(acceleration)
        else:
            self._brake(node, acceleration)

    def halt(self, index: int) -> None:
        """Quick stop."""
        node = self._nodes[index]
        node.halted, node.resetting, node.mode = True, 0, profile.CYCLIC_POSITION
        node.turn("rest")

    def reset(self, index: int) -> None:
        """Take back a halt, a fault, or a silence where the module answers again."""
        node = self._nodes[index]
        if node.silent:
            try:
                self._configure(self._numbers[index], node.config)
                place = self._read(self._numbers[index], profile.POSITION)
            except DescriptionError:
                return
            node.position = place / INCREMENTS
            node.axis.put(node.position)
            node.silent, node.unheard, node.word = False, 0, 0
        node.halted, node.resetting = False, PATIENCE
        node.mode = profile.CYCLIC_POSITION
        node.turn("rest")

    def reference(self, index: int) -> None:
        """Run to the end stop by the module's own homing."""
        node = self._nodes[index]
        node.referenced, node.mode = False, profile.HOMING
        node.turn("home")

    def cycle(self) -> None:
        """Exchange the process data of one cycle."""
        frames: list[Frame] = []
        for number, node in zip(self._numbers, self._nodes, strict=True):
            if not node.silent:
                frames += self._frames(number, node)
        awaited = [n for n, node in zip(self._numbers, self._nodes, strict=True) if not node.silent]
        heard = self._exchange.exchange(frames, awaited, self._wait)
        for number, node in zip(self._numbers, self._nodes, strict=True):
            if number in heard:
                node.unheard = 0
            elif not node.silent:
                node.unheard += 1
                node.silent = node.unheard >= LOST_LIMIT
                if node.silent:
                    self._fall_silent(node)
            self._take(number, node)

    def close(self) -> None:
        """Quick stop everything, wait until it stands, and leave the bus."""
        for k in range(len(self._nodes)):
            self.halt(k)
        for _ in range(2000):
            self.cycle()
            standing = [node.silent or abs(node.velocity) < 1e-6 for node in self._nodes]
            if all(standing):
                break
        self._network.send_message(profile.NMT_ID, bytes([0x80, 0]))
        self._network.disconnect()

    def _wait(self) -> None:
        if self._clock is not None:
            self._clock.wait()

    def _fall_silent(self, silent: _Node) -> None:
        """Stop all the others: the motion is broken."""
        silent.velocity, silent.on = 0.0, False
        silent.turn("rest")
        for k, node in enumerate(self._nodes):
            if not node.silent:
                self.halt(k)

    def _state(self, node: _Node) -> tuple[ModuleState, str]:
        if node.silent:
            return "silent", f"no answer for {node.unheard} cycles"
        if node.state == "fault" and not node.resetting:
            return "fault", profile.error_text(node.code)
        if node.halted:
            return "halted", ""
        if not node.on and not node.resetting:
            return "fault", f"does not switch on, it is {node.state}"
        if node.phase == "home":
            return "referencing", ""
        moving = node.phase != "rest" or node.axis.moving
        return ("moving" if moving else "ready"), ""

    def _frames(self, number: int, node: _Node) -> list[Frame]:
        """Return the process data for one module, and go on with what it is about."""
        word = self._word(node)
        if node.state != "operation enabled" or node.halted:
            if node.halted:
                node.turn("rest")
                node.mode = profile.CYCLIC_POSITION
            if not (node.resetting and node.axis.moving):  # what was asked waits until it is on
                node.axis.put(node.position)
            return [self._main(number, word, node.position, profile.CYCLIC_POSITION)]
        node.since += 1
        shown = node.mode_shown == node.mode
        if node.phase == "rest":
            if shown or node.axis.moving:
                node.axis.advance(self._period)
            return [self._main(number, word, node.axis.position, node.mode)]
        if node.phase == "push":
            return self._pushed(number, node, word)
        frames: list[Frame] = []
        target = node.goal
        if node.phase == "ask":
            frames = self._speeds(number, node)
            if shown and node.since > 1:
                word |= profile.NEW_SET_POINT | profile.AT_ONCE
        elif node.phase == "home" and shown:
            word |= profile.NEW_SET_POINT
        elif node.phase == "stop":
            frames = self._speeds(number, node)
            word |= profile.HALT
        return [*frames, self._main(number, word, target, node.mode)]

    def _word(self, node: _Node) -> int:
        """Return the control word that takes a module to where it should be."""
        state = node.state
        if state == "fault":
            asked = node.resetting and not node.sent & profile.FAULT_RESET
            node.sent = profile.FAULT_RESET if asked else profile.DISABLE_VOLTAGE
        elif node.halted:
            quick = state in {"operation enabled", "quick stop active"}
            node.sent = profile.QUICK_STOP if quick else profile.DISABLE_VOLTAGE
        elif state == "quick stop active":
            node.sent = profile.DISABLE_VOLTAGE
        elif state == "switch on disabled":
            node.sent = profile.SHUTDOWN
        elif state == "ready to switch on":
            node.sent = profile.SWITCH_ON
        elif state in {"switched on", "operation enabled"}:
            node.sent = profile.ENABLE
        return node.sent

    def _main(self, number: int, word: int, target: float, mode: int) -> Frame:
        data = struct.pack("<Hib", word, round(target * INCREMENTS), mode)
        return profile.RECEIVED_IDS[0] + number, data

    def _speeds(self, number: int, node: _Node) -> list[Frame]:
        speed, swing = (max(1, round(value * INCREMENTS)) for value in node.speeds)
        return [
            (profile.RECEIVED_IDS[1] + number, struct.pack("<II", speed, swing)),
            (profile.RECEIVED_IDS[2] + number, struct.pack("<Ih", swing, 0)),
        ]

    def _pushed(self, number: int, node: _Node, word: int) -> list[Frame]:
        swing = round(node.config.max_acceleration * INCREMENTS)
        share = round(THOUSAND * node.push / node.config.max_force) if node.config.max_force else 0
        if node.mode_shown == node.mode:
            node.left -= self._period
        if node.left < -1e-9:
            self._brake(node, node.config.max_acceleration)
            return [self._main(number, word, node.axis.position, node.mode)]
        return [
            (profile.RECEIVED_IDS[2] + number, struct.pack("<Ih", swing, share)),
            self._main(number, word, node.position, node.mode),
        ]

    def _brake(self, node: _Node, acceleration: float) -> None:
        """Brake by set points, from where a module is and as fast as it is."""
        node.mode = profile.CYCLIC_POSITION
        node.turn("rest")
        node.axis.put(node.position)
        node.axis.velocity = node.velocity
        node.axis.brake(acceleration)
        node.axis.advance(self._period)

    def _take(self, number: int, node: _Node) -> None:
        """Take in what a module has said last, and see how far it is."""
        data = self._exchange.data(number)
        if data is None or node.silent or len(data[0]) < 7 or len(data[1]) < 8:
            return
        node.word, position, node.mode_shown = struct.unpack_from("<Hib", data[0])
        speed, share, node.code = struct.unpack_from("<ihH", data[1])
        node.position, node.velocity = position / INCREMENTS, speed / INCREMENTS
        node.force = share / THOUSAND * node.config.max_force
        node.on = node.state == "operation enabled"
        if node.on and not node.halted:
            node.resetting = 0
        elif node.resetting:
            node.resetting -= 1
        if node.state == "fault" and not node.resetting:
            node.axis.put(node.position)
            node.turn("rest")
        elif node.on and node.mode_shown == node.mode:
            self._progress(node)

    def _progress(self, node: _Node) -> None:
        reached = bool(node.word & profile.TARGET_REACHED)
        acknowledged = bool(node.word & profile.ACKNOWLEDGED)
        over = False
        if node.phase == "ask" and acknowledged:
            node.turn("run")
        elif node.phase == "run":
            over = reached and not acknowledged
        elif node.phase == "stop":
            over = reached and node.since > 1
        elif node.phase == "home" and node.since > HOMING_BEGINS and reached and acknowledged:
            node.referenced = over = True
        if over:
            node.axis.put(node.position)
            node.mode = profile.CYCLIC_POSITION
            node.turn("rest")

    def _search(self) -> list[int]:
        """Return the numbers of the modules that answer."""
        scanner = self._network.scanner
        for number in range(1, SEARCHED + 1):
            request = struct.pack("<BHB4x", 0x40, profile.DEVICE_TYPE.address, 0)
            self._network.send_message(profile.SDO_REQUEST_ID + number, request)
        time.sleep(LISTENED)
        return sorted(set(scanner.nodes))

    def _read(self, number: int, thing: DriveObject) -> int:
        data = self._upload(number, thing)
        return int.from_bytes(data, "little", signed=thing.signed)

    def _upload(self, number: int, thing: DriveObject) -> bytes:
        import canopen

        node = self._network[number]
        assert isinstance(node, canopen.RemoteNode)
        try:
            return bytes(node.sdo.upload(thing.address, thing.member))
        except (canopen.SdoCommunicationError, canopen.SdoAbortedError) as error:
            raise _unanswered(number, thing, error) from None

    def _write(self, number: int, thing: DriveObject, value: int) -> None:
        import canopen

        node = self._network[number]
        assert isinstance(node, canopen.RemoteNode)
        data = value.to_bytes(thing.size, "little", signed=thing.signed)
        try:
            node.sdo.download(thing.address, thing.member, data)
        except (canopen.SdoCommunicationError, canopen.SdoAbortedError) as error:
            raise _unanswered(number, thing, error) from None

    def _opened(self, number: int) -> _Node:
        """Read what a module is and set it up."""
        if self._read(number, profile.DEVICE_TYPE) & 0xFFFF != profile.DRIVE & 0xFFFF:
            raise UnsupportedError(f"node {number} is no drive by CiA 402")
        units = {code: unit for unit, code in profile.UNIT_CODES.items()}
        homing = self._read(number, profile.HOMING_METHOD) != 0
        config = ModuleConfig(
            number,
            self._upload(number, profile.NAME).decode(errors="replace").strip("\x00"),
            units.get(self._read(number, profile.POSITION_UNIT), "rad"),
            (
                self._read(number, profile.LOWEST) / INCREMENTS,
                self._read(number, profile.HIGHEST) / INCREMENTS,
            ),
            self._read(number, profile.MOST_SPEED) / INCREMENTS,
            self._read(number, profile.MOST_ACCELERATION) / INCREMENTS,
            self._read(number, profile.RATED_TORQUE) / THOUSAND,
            homing,
        )
        self._configure(number, config)
        position = self._read(number, profile.POSITION) / INCREMENTS
        return _Node(config, RampAxis(position), position=position, referenced=not homing)

    def _configure(self, number: int, config: ModuleConfig) -> None:
        """Say what is in process data, how long a cycle is, and let it begin."""
        groups = (
            (0x1400, 0x1600, profile.RECEIVED, profile.RECEIVED_IDS),
            (0x1800, 0x1A00, profile.TRANSMITTED, profile.TRANSMITTED_IDS),
        )
        for parameters, mapping, contents, bases in groups:
            for k, (things, base) in enumerate(zip(contents, bases, strict=True)):
                identifier = DriveObject(parameters + k, 1, 4)
                self._write(number, identifier, 0x80000000 | base + number)
                self._write(number, DriveObject(parameters + k, 2, 1), 1)
                self._write(number, DriveObject(mapping + k, 0, 1), 0)
                for m, thing in enumerate(things):
                    self._write(number, DriveObject(mapping + k, m + 1, 4), mapped(thing))
                self._write(number, DriveObject(mapping + k, 0, 1), len(things))
                self._write(number, identifier, base + number)
        self._write(number, profile.CYCLE_PERIOD, round(self._period * 1e6))
        self._write(number, profile.HEARTBEAT, 100)
        most = round(config.max_acceleration * INCREMENTS)
        self._write(number, profile.QUICK_DECELERATION, most)
        self._write(number, profile.MODE, profile.CYCLIC_POSITION)
        self._network.send_message(profile.NMT_ID, bytes([0x01, number]))


def _unanswered(number: int, thing: DriveObject, error: Exception) -> DescriptionError:
    return DescriptionError(
        f"does not answer as it should ({error})",
        element=f"node {number}, object 0x{thing.address:04X}:{thing.member}",
    )
