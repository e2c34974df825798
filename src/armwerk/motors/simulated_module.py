"""A motor module as its own firmware sees it: CiA 402 over CANopen, without a bus.

Frames go in and come out as identifiers and bytes. Time passes with SYNC, by the period that the
master has told (object 0x1006), so that runs are equal whatever the machine does.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TypeAlias

from armwerk.motors import drive_profile as profile
from armwerk.motors.drive_profile import INCREMENTS, THOUSAND, DriveObject
from armwerk.motors.interface import ModuleConfig
from armwerk.motors.ramp import RampAxis

Frame: TypeAlias = tuple[int, bytes]
PATIENCE = 10  # cycles without a set point after which a cyclic mode ends in a fault
LONGEST_JUMP = 8.0  # cycles of full speed that a set point may be ahead
MASTER_TIMEOUT = 0.1  # [s] without SYNC after which a module stops by itself
HOMING_SHARE = 0.2  # of the full speed
DAMPING = 2.0  # [1/s] of the plant behind a force
SWING_PER_FORCE = 0.02  # of the full acceleration per thousandth of the force

_OBJECTS = [value for value in vars(profile).values() if isinstance(value, DriveObject)]
_ABORT_UNKNOWN, _ABORT_MEMBER = 0x06020000, 0x06090011
_ABORT_READ_ONLY, _ABORT_LENGTH, _ABORT_COMMAND = 0x06010002, 0x06070010, 0x05040001


class SimulatedModule:
    """One module on a bus.

    Args:
        node: Its number on the bus, 1 to 127.
        config: What it is.
        position: Where it stands at the start [rad or m]; None: at 0, or the nearest limit to it.

    Attributes:
        silent: Whether it has fallen silent: it hears and says nothing, and brakes.
        state: Of the drive.
    """

    def __init__(self, node: int, config: ModuleConfig, position: float | None = None) -> None:
        self.node, self.config = node, config
        self.silent = False
        self.state: profile.ProfileState = "switch on disabled"
        low, high = config.limits
        start = min(max(0.0, low), high) if position is None else position
        self.axis = RampAxis(start)
        self.homed = not config.needs_reference
        self._operational = False
        self._word = 0
        self._acknowledged = False
        self._homing = False
        self._force = 0.0
        self._unheard = 0
        self._beat = 0.0
        self._quiet = 0.0
        self._outbox: list[Frame] = [(profile.HEARTBEAT_ID + node, b"\x00")]
        self._segments: bytes = b""
        self._values: dict[tuple[int, int], int] = {(o.address, o.member): 0 for o in _OBJECTS}
        self._kinds = {(o.address, o.member): o for o in _OBJECTS}
        self._add_mappings()
        speed, swing = _increments(config.max_velocity), _increments(config.max_acceleration)
        for thing, value in (
            (profile.DEVICE_TYPE, profile.DRIVE),
            (profile.VENDOR, 0xA12),
            (profile.CYCLE_PERIOD, 1000),
            (profile.RATED_TORQUE, round(config.max_force * THOUSAND)),
            (profile.LOWEST, _increments(low)),
            (profile.HIGHEST, _increments(high)),
            (profile.MOST_SPEED, speed),
            (profile.PROFILE_SPEED, speed // 2),
            (profile.PROFILE_ACCELERATION, swing // 2),
            (profile.PROFILE_DECELERATION, swing // 2),
            (profile.QUICK_DECELERATION, swing),
            (profile.MOST_ACCELERATION, swing),
            (profile.HOMING_METHOD, 18 if config.needs_reference else 0),
            (profile.HOMING_SPEED, round(HOMING_SHARE * speed)),
            (profile.POSITION_UNIT, profile.UNIT_CODES[config.unit]),
            (profile.SUPPORTED_MODES, 1 << 0 | 1 << 5 | 1 << 7 | 1 << 9),
        ):
            self._set(thing, value)
        self._show()

    def receive(self, identifier: int, data: bytes) -> list[Frame]:
        """Take in a frame and return what is said to it."""
        if identifier == profile.SYNC_ID and not data:
            return self.sync()
        if self.silent:
            return []
        if identifier == profile.NMT_ID and len(data) >= 2 and data[1] in {0, self.node}:
            self._manage(data[0])
        elif identifier == profile.SDO_REQUEST_ID + self.node and len(data) == 8:
            return [(profile.SDO_ANSWER_ID + self.node, self._serve(data))]
        elif self._operational:
            for k, base in enumerate(profile.RECEIVED_IDS):
                if identifier == base + self.node:
                    self._unpack(k, data)
        return self._taken()

    def sync(self) -> list[Frame]:
        """Let one cycle pass and return the process data of its end."""
        dt = self._get(profile.CYCLE_PERIOD) * 1e-6
        self._quiet = 0.0
        self._unheard += 1
        self._move(dt)
        if self.silent:
            return []
        frames = self._taken()
        period = self._get(profile.HEARTBEAT) * 1e-3
        self._beat += dt
        if period and self._beat >= period - 1e-9:
            self._beat = 0.0
            state = b"\x05" if self._operational else b"\x7f"
            frames.append((profile.HEARTBEAT_ID + self.node, state))
        if self._operational:
            for k, base in enumerate(profile.TRANSMITTED_IDS):
                frames.append((base + self.node, self._packed(0x1A00 + k)))
        return frames

    def pass_time(self, seconds: float) -> list[Frame]:
        """Let time pass in which nobody sends SYNC [s]: a module then stops by itself."""
        frames: list[Frame] = []
        for _ in range(math.ceil(seconds / 0.001)):
            self._quiet += 0.001
            if self._quiet > MASTER_TIMEOUT and self.state == "operation enabled":
                self.trip(0x8130)
            self._move(0.001)
        if not self.silent:
            frames += self._taken()
        return frames

    def trip(self, code: int) -> None:
        """Go into a fault with an error code, and say so."""
        self.state = "fault"
        self._set(profile.ERROR_CODE, code)
        self._set(profile.ERROR_REGISTER, 0x01)
        self.axis.brake(self.config.max_acceleration)
        data = struct.pack("<HB5x", code, 0x01)
        self._outbox.append((profile.EMERGENCY_ID + self.node, data))
        self._show()

    def _taken(self) -> list[Frame]:
        frames, self._outbox = self._outbox, []
        return frames

    def _get(self, thing: DriveObject) -> int:
        return self._values[thing.address, thing.member]

    def _set(self, thing: DriveObject, value: int) -> None:
        self._values[thing.address, thing.member] = value

    def _add_mappings(self) -> None:
        """Have the objects that say what is in process data, with their usual contents."""
        groups: list[tuple[int, int, Sequence[Sequence[DriveObject]], Sequence[int]]] = [
            (0x1400, 0x1600, profile.RECEIVED, profile.RECEIVED_IDS),
            (0x1800, 0x1A00, profile.TRANSMITTED, profile.TRANSMITTED_IDS),
        ]
        for parameters, mapping, contents, bases in groups:
            for k, (things, base) in enumerate(zip(contents, bases, strict=True)):
                rows = [(parameters + k, 0, 1, 2), (parameters + k, 1, 4, base + self.node)]
                rows += [(parameters + k, 2, 1, 1), (mapping + k, 0, 1, len(things))]
                rows += [(mapping + k, m + 1, 4, 0) for m in range(8)]
                for index, member, size, value in rows:
                    self._values[index, member] = value
                    self._kinds[index, member] = DriveObject(index, member, size)
                for m, thing in enumerate(things):
                    self._values[mapping + k, m + 1] = mapped(thing)

    def _manage(self, command: int) -> None:
        self._operational = command == 0x01
        if command in {0x81, 0x82}:
            self._outbox.append((profile.HEARTBEAT_ID + self.node, b"\x00"))
            self.state = "switch on disabled"

    def _serve(self, data: bytes) -> bytes:
        """Answer a request for an object: small ones at once, texts in pieces."""
        command = data[0]
        index, member = struct.unpack_from("<HB", data, 1)
        if command >> 5 == 3:  # the next piece of a text
            piece, self._segments = self._segments[:7], self._segments[7:]
            last = 0 if self._segments else 1
            head = (command & 0x10) | (7 - len(piece)) << 1 | last
            return bytes([head]) + piece.ljust(7, b"\x00")
        key = (index, member)
        if key not in self._kinds:
            known = any(one == index for one, _ in self._kinds)
            return _abort(data, _ABORT_MEMBER if known else _ABORT_UNKNOWN)
        thing = self._kinds[key]
        if command >> 5 == 2:
            if thing.size == 0:
                self._segments = self.config.name.encode() or b"?"
                return b"\x41" + data[1:4] + struct.pack("<I", len(self._segments))
            self._show()
            value = self._values[key].to_bytes(thing.size, "little", signed=thing.signed)
            head = 0x43 | (4 - thing.size) << 2
            return bytes([head]) + data[1:4] + value.ljust(4, b"\x00")
        if command >> 5 != 1 or not command & 0x02:
            return _abort(data, _ABORT_COMMAND)
        if not thing.writable:
            return _abort(data, _ABORT_READ_ONLY)
        size = 4 - (command >> 2 & 0x03) if command & 0x01 else thing.size
        if size != thing.size:
            return _abort(data, _ABORT_LENGTH)
        self._write(thing, data[4 : 4 + size])
        return b"\x60" + data[1:4] + b"\x00" * 4

    def _write(self, thing: DriveObject, data: bytes) -> None:
        value = int.from_bytes(data, "little", signed=thing.signed)
        self._values[thing.address, thing.member] = value
        if thing == profile.CONTROL:
            self._command(value)

    def _unpack(self, which: int, data: bytes) -> None:
        """Take in process data; what is too short is left alone."""
        at, written = 0, []
        for m in range(self._values[0x1600 + which, 0]):
            entry = self._values[0x1600 + which, m + 1]
            thing = self._kinds[entry >> 16, entry >> 8 & 0xFF]
            written.append((thing, data[at : at + thing.size]))
            at += thing.size
        if len(data) < at:
            return
        if which == 0:
            self._unheard = 0
        for thing, piece in sorted(written, key=lambda one: one[0] == profile.CONTROL):
            self._write(thing, piece)

    def _packed(self, index: int) -> bytes:
        data = b""
        for m in range(self._values[index, 0]):
            entry = self._values[index, m + 1]
            thing = self._kinds[entry >> 16, entry >> 8 & 0xFF]
            value = self._values[thing.address, thing.member]
            data += value.to_bytes(thing.size, "little", signed=thing.signed)
        return data

    def _command(self, word: int) -> None:
        before, self._word = self._word, word
        state = profile.next_state(self.state, word, before)
        if state != self.state:
            if self.state == "fault":
                self._set(profile.ERROR_CODE, 0)
                self._set(profile.ERROR_REGISTER, 0)
                self._outbox.append((profile.EMERGENCY_ID + self.node, bytes(8)))
            if state == "operation enabled":
                self._set(profile.TARGET, _increments(self.axis.position))
                self._unheard = 0
            elif self.state == "operation enabled":
                quick = self._get(profile.QUICK_DECELERATION) / INCREMENTS
                self.axis.brake(quick)
            self._homing = False
            self.state = state
        if self.state != "operation enabled":
            return
        rising = word & profile.NEW_SET_POINT and not before & profile.NEW_SET_POINT
        if not word & profile.NEW_SET_POINT:
            self._acknowledged = False
        mode = self._get(profile.MODE)
        if mode == profile.PROFILE_POSITION:
            if word & profile.HALT and not before & profile.HALT:
                self.axis.brake(self._get(profile.PROFILE_DECELERATION) / INCREMENTS)
            elif rising:
                self._acknowledged = True
                self._ramp(self._get(profile.TARGET) / INCREMENTS, profile.PROFILE_SPEED)
        elif mode == profile.HOMING and rising and self.config.needs_reference:
            self._homing, self.homed = True, False
            self._ramp(self.config.limits[1], profile.HOMING_SPEED)

    def _ramp(self, goal: float, speed: DriveObject) -> None:
        low, high = self.config.limits
        swing = self._get(profile.PROFILE_ACCELERATION) / INCREMENTS
        swing = min(swing, self._get(profile.PROFILE_DECELERATION) / INCREMENTS)
        fastest = min(self._get(speed) / INCREMENTS, self.config.max_velocity)
        self.axis.ramp(min(max(goal, low), high), fastest, max(swing, 1e-3))

    def _move(self, dt: float) -> None:
        """Let the drive do what its mode says for a cycle."""
        mode, config = self._get(profile.MODE), self.config
        self._force = 0.0
        cyclic = mode in {profile.CYCLIC_POSITION, profile.CYCLIC_TORQUE}
        if self.silent or self.state != "operation enabled" or not cyclic:
            if self.silent and self.axis.moving:
                self.axis.brake(config.max_acceleration)
            before = self.axis.velocity
            self.axis.advance(dt)
            share = (self.axis.velocity - before) / dt / config.max_acceleration
            self._force = config.max_force * min(max(share, -1.0), 1.0)
            if self._homing and not self.axis.moving:
                self._homing, self.homed = False, True
        elif self._unheard > PATIENCE:
            self.trip(0x8250)
        elif mode == profile.CYCLIC_POSITION:
            self._follow(dt)
        else:
            self._push(dt)
        self._show()

    def _follow(self, dt: float) -> None:
        goal = self._get(profile.TARGET) / INCREMENTS
        low, high = self.config.limits
        goal = min(max(goal, low), high)
        if abs(goal - self.axis.position) > LONGEST_JUMP * self.config.max_velocity * dt + 2e-6:
            self.trip(0x8611)
            return
        speed = (goal - self.axis.position) / dt
        self._force = self.config.max_force * min(
            max((speed - self.axis.velocity) / dt / self.config.max_acceleration, -1.0), 1.0
        )
        self.axis.put(goal)
        self.axis.velocity = speed

    def _push(self, dt: float) -> None:
        thousandths = self._get(profile.TARGET_TORQUE)
        self._force = self.config.max_force * thousandths / THOUSAND
        swing = SWING_PER_FORCE * thousandths * self.config.max_acceleration
        speed = self.axis.velocity + (swing - DAMPING * self.axis.velocity) * dt
        fastest = self.config.max_velocity
        speed = min(max(speed, -fastest), fastest)
        low, high = self.config.limits
        at = self.axis.position + speed * dt
        inside = min(max(at, low), high)
        self.axis.put(inside)
        self.axis.velocity = speed if inside == at else 0.0

    def _show(self) -> None:
        """Write down how the drive is, for those who read it."""
        word = profile.status_word(self.state) | 0x0200
        mode = self._get(profile.MODE)
        if not self.axis.moving and not self._homing:
            word |= profile.TARGET_REACHED
        if mode == profile.PROFILE_POSITION and self._acknowledged:
            word |= profile.ACKNOWLEDGED
        if mode == profile.HOMING and self.homed:
            word |= profile.ACKNOWLEDGED
        if mode == profile.CYCLIC_POSITION and self.state == "operation enabled":
            word |= profile.ACKNOWLEDGED  # it follows its target
        self._set(profile.STATUS, word)
        self._set(profile.MODE_SHOWN, mode)
        self._set(profile.POSITION, _increments(self.axis.position))
        self._set(profile.VELOCITY, _increments(self.axis.velocity))
        share = self._force / self.config.max_force if self.config.max_force else 0.0
        self._set(profile.TORQUE, round(THOUSAND * min(max(share, -3.0), 3.0)))


def mapped(thing: DriveObject) -> int:
    """Return how process data name an object: index, member and size in bits."""
    return thing.address << 16 | thing.member << 8 | 8 * thing.size


def _increments(value: float) -> int:
    return round(min(max(value, -2147.0), 2147.0) * INCREMENTS)


def _abort(request: bytes, code: int) -> bytes:
    return b"\x80" + request[1:4] + struct.pack("<I", code)
