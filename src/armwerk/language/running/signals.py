"""Signals of a machine that is played: inputs come when it was said they would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

SignalState: TypeAlias = int | float | bool


class PlayedSignals:
    """The clock of a machine, inputs that change at given times, outputs that a program sets.

    Args:
        inputs: For each input, when it takes which value: (time [s], value), in order.

    Attributes:
        changes: When which output was set to what.
    """

    def __init__(
        self, inputs: Mapping[str, Sequence[tuple[float, SignalState]]] | None = None
    ) -> None:
        self.changes: list[tuple[float, str, SignalState]] = []
        self._time = 0.0
        self._signals: dict[str, SignalState] = {}
        self._coming = sorted(
            ((time, name, value) for name, row in (inputs or {}).items() for time, value in row),
            key=lambda change: change[0],
        )
        self._take_inputs()

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return self._time

    def signal(self, name: str) -> SignalState:
        """Return the state of an input or output."""
        return self._signals.get(name, 0)

    def set_signal(self, name: str, value: SignalState) -> None:
        """Set an output."""
        self._signals[name] = value
        self.changes.append((self._time, name, value))

    def _take_inputs(self) -> None:
        while self._coming and self._coming[0][0] <= self._time:
            _, name, value = self._coming.pop(0)
            self._signals[name] = value
