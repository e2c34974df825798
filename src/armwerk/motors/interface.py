"""What can be asked of motor modules, and of what moves them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

ALL = 0  # instead of a number: every module
MotionKind: TypeAlias = Literal["ramp", "step", "force"]
"""To a position by a ramp; to a position within a time; a force for a time."""
KINDS: tuple[MotionKind, ...] = ("ramp", "step", "force")
ModuleState: TypeAlias = Literal["ready", "moving", "referencing", "halted", "fault", "silent"]
FREE = 1000.0  # [rad or m] either way, for modules without limits
GRIP_SPEED, GRIP_SWING = 0.1, 1.0  # [m/s, m/s²] of a gripper's width
UNABLE: tuple[ModuleState, ...] = ("halted", "fault", "silent")  # until it is reset


@dataclass(frozen=True, slots=True)
class ModuleConfig:
    """What a module is.

    Args:
        number: From 1 on.
        name: Of its joint.
        unit: Of its positions, "rad" or "m".
        limits: Smallest and largest position [unit].
        max_velocity: [unit/s].
        max_acceleration: [unit/s²].
        max_force: [N m or N].
        needs_reference: Whether it has to run to its end stop before it knows where it is, as
            grippers do. Others are never referenced: they would move unexpectedly.
    """

    number: int
    name: str
    unit: str
    limits: tuple[float, float]
    max_velocity: float
    max_acceleration: float
    max_force: float
    needs_reference: bool = False

    @property
    def force_unit(self) -> str:
        """Of its force, "N m" or "N"."""
        return "N m" if self.unit == "rad" else "N"


class ModuleStatus(NamedTuple):
    """How a module is.

    Attributes:
        module: Its number.
        position: [rad or m].
        velocity: [rad/s or m/s].
        current: Of the motor [A]; where only the force is known, that over 1 N m/A or N/A.
        state: What it does, or why it does nothing.
        error: Why it is in fault or silent; else empty.
        referenced: Whether it knows where it is.
    """

    module: int
    position: float
    velocity: float
    current: float
    state: ModuleState
    error: str = ""
    referenced: bool = True


StatusCallback: TypeAlias = Callable[[ModuleStatus], None]


class ModulePort(Protocol):
    """What moves modules; they are counted from 0 here. No rules are checked any more."""

    @property
    def dt(self) -> float:
        """Time of a cycle [s]."""
        ...

    @property
    def configs(self) -> tuple[ModuleConfig, ...]:
        """All modules."""
        ...

    def status(self, index: int) -> ModuleStatus:
        """Return how a module is."""
        ...

    def ramp(self, index: int, goal: float, velocity: float, acceleration: float) -> None:
        """Run to a position with a speed [unit/s] and an acceleration [unit/s²]."""
        ...

    def step(self, index: int, goal: float, time: float, velocity: float | None) -> None:
        """Be at a position in a time [s], with a speed [unit/s]; None: at rest."""
        ...

    def force(self, index: int, value: float, time: float) -> None:
        """Give a force [N m or N] for a time [s]."""
        ...

    def soft_stop(self, index: int, acceleration: float) -> None:
        """Come to rest with an acceleration [unit/s²]."""
        ...

    def halt(self, index: int) -> None:
        """Come to rest as fast as possible, and stay there until a reset."""
        ...

    def reset(self, index: int) -> None:
        """Take back a halt or a fault."""
        ...

    def reference(self, index: int) -> None:
        """Run to the end stop."""
        ...

    def cycle(self) -> None:
        """Let one cycle pass."""
        ...

    def close(self) -> None:
        """Bring everything to rest and let go of it."""
        ...


class MotorInterface(Protocol):
    """What can be asked of motor modules; module 0 means all of them."""

    @property
    def dt(self) -> float:
        """Time of a cycle [s]."""
        ...

    def modules(self) -> tuple[ModuleConfig, ...]:
        """Return what all modules are."""
        ...

    def module_config(self, module: int) -> ModuleConfig:
        """Return what a module is."""
        ...

    def status(self, module: int) -> ModuleStatus:
        """Return how a module is."""
        ...

    def add_status_callback(self, callback: StatusCallback, module: int = ALL) -> None:
        """Have somebody told whenever a module's status changes."""
        ...

    def remove_status_callback(self, callback: StatusCallback) -> None:
        """Have him not told any more."""
        ...

    def reset(self, module: int = ALL) -> None:
        """Take back a halt or a fault."""
        ...

    def reference(self, module: int = ALL) -> None:
        """Run to the end stop; 0: those that need it."""
        ...

    def halt(self, module: int = ALL) -> None:
        """Stop at once; `reset` is needed before anything moves again."""
        ...

    def soft_stop(self, module: int = ALL) -> None:
        """Come to rest with the acceleration that is set."""
        ...

    def set_target_velocity(self, module: int, value: float) -> None:
        """Set the speed of ramps [unit/s]."""
        ...

    def set_target_acceleration(self, module: int, value: float) -> None:
        """Set the acceleration of ramps [unit/s²]."""
        ...

    def exec_motion(
        self,
        module: int,
        kind: MotionKind,
        value: float,
        time: float | None = None,
        velocity: float | None = None,
    ) -> None:
        """Move; with synchronous motion on, at `exec_sync_motion`."""
        ...

    def set_sync_motion(self, on: bool) -> None:
        """Have motions wait for each other."""
        ...

    def exec_sync_motion(self) -> None:
        """Begin all that waits, together; synchronous motion is off afterwards."""
        ...

    def cycle(self) -> None:
        """Let one cycle pass."""
        ...

    def close(self) -> None:
        """Bring everything to rest and let go of it."""
        ...
