"""The rules of motor modules over any port.

Speeds and accelerations are half the limits unless told otherwise. A halt needs a reset.
Synchronous motion switches itself off when it has begun. What is refused changes nothing.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import NamedTuple

from armwerk.errors import DescriptionError, MotionError, UnknownNameError
from armwerk.motors.interface import (
    ALL,
    KINDS,
    UNABLE,
    ModuleConfig,
    ModulePort,
    ModuleStatus,
    MotionKind,
    StatusCallback,
)
from armwerk.motors.ramp import CubicStep

MOST_SHARE = 0.5  # of the limits, for what nobody has set
_ROUNDING = 1e-9  # [rad or m] by which a goal may be beyond a limit
_LOG = logging.getLogger(__name__)


class _Motion(NamedTuple):
    """A motion that was asked for and is in order."""

    place: int
    kind: MotionKind
    value: float
    time: float | None
    velocity: float | None


class MotorModules:
    """Motor modules, in a world or on a bus; a `MotorInterface`.

    All calls come from one thread, the one that lets cycles pass.

    Args:
        port: What moves them.
        velocity_share: Of the limits, as speed of ramps where none is set; up to 0.5.
        acceleration_share: The same for accelerations.
        update_interval: Time between two reports of a module that moves [s].

    Raises:
        DescriptionError: For shares out of range.
    """

    def __init__(
        self,
        port: ModulePort,
        velocity_share: float = MOST_SHARE,
        acceleration_share: float = MOST_SHARE,
        update_interval: float = 0.02,
    ) -> None:
        for name, share in (
            ("velocity_share", velocity_share),
            ("acceleration_share", acceleration_share),
        ):
            if not 0.0 < share <= MOST_SHARE:
                raise DescriptionError(
                    "out of range", element=name, value=share, allowed=f"above 0, to {MOST_SHARE:g}"
                )
        if not (math.isfinite(update_interval) and update_interval >= 0.0):
            raise DescriptionError(
                "out of range",
                element="update_interval",
                value=update_interval,
                allowed="s, from 0",
            )
        self.port = port
        self._configs = port.configs
        self._velocities = [velocity_share * one.max_velocity for one in self._configs]
        self._accelerations = [acceleration_share * one.max_acceleration for one in self._configs]
        self._interval = update_interval
        self._callbacks: list[tuple[int, StatusCallback]] = []
        self._sync = False
        self._waiting: dict[int, _Motion] = {}
        self._told = [port.status(k) for k in range(len(self._configs))]
        self._since = 0.0

    @property
    def dt(self) -> float:
        """Time of a cycle [s]."""
        return self.port.dt

    @property
    def sync_motion(self) -> bool:
        """Whether motions wait for `exec_sync_motion`."""
        return self._sync

    @property
    def moving(self) -> bool:
        """Whether any module is on its way."""
        return any(
            self.port.status(k).state in {"moving", "referencing"}
            or abs(self.port.status(k).velocity) > 1e-3
            for k in range(len(self._configs))
        )

    def modules(self) -> tuple[ModuleConfig, ...]:
        """Return what all modules are."""
        return self._configs

    def module_config(self, module: int) -> ModuleConfig:
        """Return what a module is."""
        return self._configs[self._one(module)]

    def status(self, module: int) -> ModuleStatus:
        """Return how a module is."""
        return self.port.status(self._one(module))

    def add_status_callback(self, callback: StatusCallback, module: int = ALL) -> None:
        """Have somebody told whenever a module's status changes.

        He is called between cycles; what he raises is logged and goes no further.

        Args:
            callback: Called with the status.
            module: Whose; 0: everybody's.
        """
        self._chosen(module)
        self._callbacks.append((module, callback))

    def remove_status_callback(self, callback: StatusCallback) -> None:
        """Have somebody not told any more; of any module.

        Raises:
            UnknownNameError: When he was not told anyway.
        """
        kept = [(module, one) for module, one in self._callbacks if one != callback]
        if len(kept) == len(self._callbacks):
            raise UnknownNameError("callback", repr(callback), [])
        self._callbacks = kept

    def reset(self, module: int = ALL) -> None:
        """Take back a halt or a fault; what waits for synchronous motion is given up."""
        for k in self._chosen(module):
            self._waiting.pop(k, None)
            self.port.reset(k)

    def reference(self, module: int = ALL) -> None:
        """Run to the end stop.

        Args:
            module: 0: those that need it, grippers.

        Raises:
            MotionError: For a module that must not be referenced, or cannot move.
        """
        chosen = self._chosen(module)
        if module == ALL:
            chosen = [k for k in chosen if self._configs[k].needs_reference]
        for k in chosen:
            if not self._configs[k].needs_reference:
                raise MotionError(
                    "is not referenced: it knows where it is, and would move unexpectedly",
                    axis=self._label(k),
                )
            self._require_able(k)
        for k in chosen:
            self.port.reference(k)

    def halt(self, module: int = ALL) -> None:
        """Stop at once; `reset` is needed before anything moves again."""
        for k in self._chosen(module):
            self._waiting.pop(k, None)
            self.port.halt(k)

    def soft_stop(self, module: int = ALL) -> None:
        """Come to rest with the acceleration that is set; what waits is given up."""
        for k in self._chosen(module):
            self._waiting.pop(k, None)
            self.port.soft_stop(k, self._accelerations[k])

    def set_target_velocity(self, module: int, value: float) -> None:
        """Set the speed of ramps [rad/s or m/s], up to the module's limit; 0: of all modules."""
        chosen = self._chosen(module)
        for k in chosen:
            config = self._configs[k]
            self._require_rate(k, value, config.max_velocity, f"{config.unit}/s", "velocity")
        for k in chosen:
            self._velocities[k] = float(value)

    def set_target_acceleration(self, module: int, value: float) -> None:
        """Set the acceleration of ramps [rad/s² or m/s²], up to the limit; 0: of all modules."""
        chosen = self._chosen(module)
        for k in chosen:
            config = self._configs[k]
            most = config.max_acceleration
            self._require_rate(k, value, most, f"{config.unit}/s²", "acceleration")
        for k in chosen:
            self._accelerations[k] = float(value)

    def exec_motion(
        self,
        module: int,
        kind: MotionKind,
        value: float,
        time: float | None = None,
        velocity: float | None = None,
    ) -> None:
        """Move; with synchronous motion on, at `exec_sync_motion`.

        Args:
            module: Which; 0: all of them, with the same value.
            kind: "ramp": to a position with the speed and acceleration that are set; "step": to a
                position within ``time``; "force": a force for ``time``.
            value: Position [rad or m], or force [N m or N].
            time: [s], for steps and forces.
            velocity: At the end of a step [rad/s or m/s], where another one follows; None: at rest.

        Raises:
            DescriptionError: For a value out of range; nothing moves.
            MotionError: For a module that is halted, in fault or not referenced; nothing moves.
        """
        if kind not in KINDS:
            raise DescriptionError(
                "unknown kind of motion", element="kind", value=kind, allowed=", ".join(KINDS)
            )
        motions = [
            self._checked(_Motion(k, kind, float(value), time, velocity))
            for k in self._chosen(module)
        ]
        for motion in motions:
            if self._sync:
                self._waiting[motion.place] = motion
            else:
                self._begin(motion)

    def set_sync_motion(self, on: bool) -> None:
        """Have motions wait for each other; what waits is given up when it is switched off."""
        self._sync = bool(on)
        if not on:
            self._waiting.clear()

    def exec_sync_motion(self) -> None:
        """Begin all that waits in the same cycle; synchronous motion is off afterwards.

        Raises:
            MotionError: When it is not on, or one of those that wait cannot move any more; then
                none moves, and all go on waiting.
        """
        if not self._sync:
            raise MotionError("synchronous motion is not on; set_sync_motion(True) comes first")
        motions = [self._checked(motion) for motion in self._waiting.values()]
        self.set_sync_motion(False)
        for motion in motions:
            self._begin(motion)

    def cycle(self) -> None:
        """Let one cycle pass, and tell those who want to know."""
        self.port.cycle()
        self._since += self.dt
        due = self._since >= self._interval - 1e-9
        if due:
            self._since = 0.0
        for k, before in enumerate(self._told):
            now = self.port.status(k)
            changed = (now.state, now.error, now.referenced) != (
                before.state,
                before.error,
                before.referenced,
            )
            if changed or (due and now != before):
                self._told[k] = now
                self._tell(now)

    def run(self, seconds: float) -> None:
        """Let cycles pass for a time [s]."""
        for _ in range(max(1, math.ceil(seconds / self.dt - 1e-9))):
            self.cycle()

    def wait(self, timeout: float = 60.0, until: Callable[[], bool] | None = None) -> bool:
        """Let cycles pass until nothing moves, or until something holds.

        Args:
            timeout: At most [s] of the modules' time.
            until: Asked after every cycle; None: nothing moves any more.

        Returns:
            Whether it came to that in time.
        """
        for _ in range(math.ceil(timeout / self.dt)):
            self.cycle()
            if until() if until is not None else not self.moving:
                return True
        return False

    def close(self) -> None:
        """Bring everything to rest and let go of it."""
        self.port.close()

    def __enter__(self) -> MotorModules:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, status: ModuleStatus) -> None:
        for module, callback in list(self._callbacks):
            if module not in {ALL, status.module}:
                continue
            try:
                callback(status)
            except Exception:  # motors go on, whatever somebody does with their status
                _LOG.exception("a status callback of module %d failed", status.module)

    def _begin(self, motion: _Motion) -> None:
        k, port = motion.place, self.port
        if motion.kind == "ramp":
            port.ramp(k, motion.value, self._velocities[k], self._accelerations[k])
        elif motion.time is None:
            raise DescriptionError("missing", element="time", allowed="s, above 0")
        elif motion.kind == "step":
            port.step(k, motion.value, motion.time, motion.velocity)
        else:
            port.force(k, motion.value, motion.time)

    def _checked(self, motion: _Motion) -> _Motion:
        """Return a motion that may begin, its value exactly within the limits."""
        k, value = motion.place, motion.value
        config = self._configs[k]
        self._require_able(k)
        if motion.kind == "force":
            low, high, unit = -config.max_force, config.max_force, config.force_unit
        else:
            low, high, unit = *config.limits, config.unit
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            raise DescriptionError(
                "out of range",
                element=f"{self._label(k)}, value",
                value=value,
                allowed=f"{low:g} to {high:g} {unit}",
            )
        if config.needs_reference and not self.port.status(k).referenced:
            raise MotionError(
                "does not know where it is; reference() comes first", axis=self._label(k)
            )
        if motion.kind != "ramp":
            self._check_time(motion)
        return motion._replace(value=min(max(value, low), high))

    def _check_time(self, motion: _Motion) -> None:
        config, label = self._configs[motion.place], self._label(motion.place)
        time = motion.time
        if time is None or not (math.isfinite(time) and time > 0.0):
            raise DescriptionError(
                "missing or not positive",
                element=f"{label}, time",
                value=time,
                allowed="s, above 0",
            )
        most, unit = config.max_velocity * (1 + 1e-6), f"{config.unit}/s"
        if motion.velocity is not None and not abs(motion.velocity) <= most:
            raise DescriptionError(
                "too fast",
                element=f"{label}, velocity",
                value=motion.velocity,
                allowed=f"up to {config.max_velocity:g} {unit}",
            )
        if motion.kind != "step" or motion.velocity is not None:
            return
        now = self.port.status(motion.place)
        speed, swing = CubicStep((now.position, now.velocity), (motion.value, 0.0), time).peaks()
        for value, limit, per in (
            (speed, config.max_velocity, "s"),
            (swing, config.max_acceleration, "s²"),
        ):
            if value > limit * (1 + 1e-3):
                raise DescriptionError(
                    f"{abs(motion.value - now.position):.6g} {config.unit} in {time:g} s take "
                    f"{value:.6g} {config.unit}/{per}",
                    element=f"{label}, step",
                    allowed=f"up to {limit:g} {config.unit}/{per}",
                )

    def _require_able(self, index: int) -> None:
        status = self.port.status(index)
        if status.state in UNABLE:
            why = f" ({status.error})" if status.error else ""
            raise MotionError(
                f"is {status.state}{why}; reset() comes first", axis=self._label(index)
            )

    def _require_rate(self, index: int, value: float, most: float, unit: str, what: str) -> None:
        if not 0.0 < value <= most * (1 + 1e-9):
            raise DescriptionError(
                "out of range",
                element=f"{self._label(index)}, {what}",
                value=value,
                allowed=f"above 0, to {most:g} {unit}",
            )

    def _label(self, index: int) -> str:
        config = self._configs[index]
        return f"module {config.number} '{config.name}'"

    def _chosen(self, module: int) -> list[int]:
        if module == ALL and not isinstance(module, bool):
            return list(range(len(self._configs)))
        return [self._one(module)]

    def _one(self, module: int) -> int:
        for k, config in enumerate(self._configs):
            if config.number == module and not isinstance(module, bool):
                return k
        known = [str(config.number) for config in self._configs]
        raise UnknownNameError("module", str(module), known)
