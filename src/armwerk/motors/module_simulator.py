"""Simulated modules on a bus, with frames that get lost, late or doubled."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.extras import pip_line
from armwerk.motors.drive_profile import (
    RECEIVED_IDS,
    SYNC_ID,
    TRANSMITTED_IDS,
)
from armwerk.motors.interface import FREE, GRIP_SPEED, GRIP_SWING, ModuleConfig
from armwerk.motors.simulated_module import Frame, SimulatedModule
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    import can

END_OF_CYCLE = 0x77F  # said after every SYNC, so that a master need not wait for what is lost
_DEFAULTS = {"rad": (2.0, 10.0, 100.0), "m": (0.5, 5.0, 500.0)}


@dataclass(slots=True, eq=False)
class FrameFaults:
    """What goes wrong with frames of process data, by chance; equal seeds give equal faults.

    Args:
        lost: Fraction of frames that never arrive.
        late: Fraction that arrives after the next SYNC.
        doubled: Fraction that arrives twice.
        seed: Of the chance.
    """

    lost: float = 0.0
    late: float = 0.0
    doubled: float = 0.0
    seed: int = 0
    _held: list[Frame] = field(init=False, default_factory=list)
    _draw: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        if min(self.lost, self.late, self.doubled) < 0 or self.lost + self.late + self.doubled > 1:
            raise DescriptionError(
                "out of range",
                element="lost, late and doubled",
                value=(self.lost, self.late, self.doubled),
                allowed="fractions of at most 1 in all",
            )
        self._draw = np.random.default_rng(self.seed)

    def passed(self, frame: Frame) -> list[Frame]:
        """Return what arrives of a frame at once."""
        base = frame[0] & ~0x7F
        if base not in RECEIVED_IDS and base not in TRANSMITTED_IDS:
            return [frame]
        chance = self._draw.random()
        if chance < self.lost:
            return []
        if chance < self.lost + self.late:
            self._held.append(frame)
            return []
        return [frame, frame] if chance < self.lost + self.late + self.doubled else [frame]

    def released(self) -> list[Frame]:
        """Return the frames that were late until now."""
        frames, self._held = self._held, []
        return frames


class ModuleSimulator:
    """Modules that answer on a bus of python-can, in a thread of their own.

    Args:
        modules: What is on the bus.
        channel: Of python-can's virtual bus.
        faults: What goes wrong with frames, both ways; None: nothing.
    """

    def __init__(
        self,
        modules: Sequence[SimulatedModule],
        channel: str = "armwerk",
        faults: FrameFaults | None = None,
    ) -> None:
        self.modules = tuple(modules)
        self.faults = faults or FrameFaults()
        self._bus = open_bus("virtual", channel)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="modules", daemon=True)
        self._thread.start()

    @classmethod
    def of(
        cls,
        configs: Sequence[ModuleConfig],
        channel: str = "armwerk",
        faults: FrameFaults | None = None,
    ) -> ModuleSimulator:
        """Return modules with the numbers of their configurations as nodes."""
        return cls([SimulatedModule(one.number, one) for one in configs], channel, faults)

    def pass_time(self, seconds: float) -> None:
        """Let time pass in which nobody sends SYNC [s]."""
        with self._lock:
            for module in self.modules:
                self._send(module.pass_time(seconds))

    def trip(self, node: int, code: int) -> None:
        """Have a module go into a fault with an error code."""
        with self._lock:
            self._module(node).trip(code)

    def silence(self, node: int, silent: bool = True) -> None:
        """Have a module fall silent, or come back switched off as after a new start."""
        with self._lock:
            module = self._module(node)
            module.silent = silent
            if not silent:
                module.state = "switch on disabled"
                self._send(module.receive(0, bytes([0x81, node])))

    def close(self) -> None:
        """Leave the bus."""
        self._over.set()
        self._thread.join()
        self._bus.shutdown()

    def __enter__(self) -> ModuleSimulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _module(self, node: int) -> SimulatedModule:
        for module in self.modules:
            if module.node == node:
                return module
        raise DescriptionError(
            "no such module",
            element="node",
            value=node,
            allowed=", ".join(str(module.node) for module in self.modules),
        )

    def _serve(self) -> None:
        while not self._over.is_set():
            message = self._bus.recv(0.05)
            if message is None:
                continue
            with self._lock:
                self._hear((message.arbitration_id, bytes(message.data)))

    def _hear(self, frame: Frame) -> None:
        sync = frame == (SYNC_ID, b"")
        late = self.faults.released() if sync else []
        for one in late:
            if one[0] & ~0x7F in TRANSMITTED_IDS:
                self._put(one)
        for identifier, data in self.faults.passed(frame):
            for module in self.modules:
                self._send(module.receive(identifier, data))
        for one in late:
            if one[0] & ~0x7F in RECEIVED_IDS:
                for module in self.modules:
                    self._send(module.receive(*one))
        if sync:
            self._put((END_OF_CYCLE, b""))

    def _send(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            for passed in self.faults.passed(frame):
                self._put(passed)

    def _put(self, frame: Frame) -> None:
        self._bus.send(message_of(*frame))


def message_of(identifier: int, data: bytes) -> can.Message:
    """Return a frame as python-can has it."""
    import can

    return can.Message(arbitration_id=identifier, data=data, is_extended_id=False)


def open_bus(interface: str, channel: str, bitrate: int | None = None) -> can.BusABC:
    """Return a bus of python-can.

    Raises:
        UnsupportedError: When python-can is not installed, or the bus cannot be opened.
    """
    try:
        import can
    except ImportError:
        raise UnsupportedError(
            f"a CAN bus needs python-can and canopen; type: {pip_line('can')}"
        ) from None
    try:
        if bitrate is None:
            return can.Bus(interface=interface, channel=channel)
        return can.Bus(interface=interface, channel=channel, bitrate=bitrate)
    except (can.CanError, OSError, ValueError) as error:
        raise UnsupportedError(f"bus '{interface}', channel '{channel}': {error}") from None


def module_configs(arm: Arm, gripper: bool = True) -> tuple[ModuleConfig, ...]:
    """Return modules for the joints of an arm, and one for a gripper behind them."""
    result: list[ModuleConfig] = []
    for joint in arm.moving:
        unit = "m" if joint.kind == "prismatic" else "rad"
        low, high = joint.limits or (-FREE, FREE)
        given = (joint.max_velocity, joint.max_acceleration, joint.max_force)
        fastest, swing, force = (
            usual if value is None or not math.isfinite(value) else value
            for value, usual in zip(given, _DEFAULTS[unit], strict=True)
        )
        limits = (max(low, -FREE), min(high, FREE))
        result.append(
            ModuleConfig(len(result) + 1, joint.name, unit, limits, fastest, swing, force)
        )
    if gripper:
        number = len(result) + 1
        result.append(
            ModuleConfig(number, "gripper", "m", (0.0, 0.08), GRIP_SPEED, GRIP_SWING, 60.0, True)
        )
    return tuple(result)
