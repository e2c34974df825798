"""Frames of a cycle: process data out, SYNC, process data in, counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armwerk.motors.drive_profile import EMERGENCY_ID, SYNC_ID, TRANSMITTED_IDS
from armwerk.motors.simulated_module import Frame

if TYPE_CHECKING:
    import canopen

LONGEST = 5.0  # [s] for the end of a cycle, where somebody promised to say it


@dataclass(slots=True)
class FrameCounts:
    """What became of the frames of process data.

    Args:
        cycles: Since the beginning.
        received: Answers that came in their cycle.
        lost: Answers that did not.
        late: Answers that came in the next one, counted as lost too.
        doubled: Answers that came more than once.
    """

    cycles: int = 0
    received: int = 0
    lost: int = 0
    late: int = 0
    doubled: int = 0

    def __str__(self) -> str:
        return (
            f"{self.cycles} cycles, {self.received} answers, {self.lost} lost ({self.late} of them "
            f"late), {self.doubled} doubled"
        )


class CyclicExchange:
    """Sends the process data of a cycle with SYNC and gathers the answers.

    Args:
        network: Connected; its own thread hands frames in.
        nodes: Whose answers are expected.
        timeout: How long they are waited for [s].
        end_of_cycle: Identifier of a frame that says that all answers are out; None: nobody does.
    """

    def __init__(
        self,
        network: canopen.Network,
        nodes: Sequence[int],
        timeout: float,
        end_of_cycle: int | None = None,
    ) -> None:
        self.counts = FrameCounts()
        self.errors: dict[int, int] = {}
        self._network, self._timeout, self._marker = network, timeout, end_of_cycle
        self._news = threading.Condition()
        self._ended = False
        self._data: dict[tuple[int, int], bytes] = {}
        self._arrived: dict[tuple[int, int], int] = {}
        self._missing: set[tuple[int, int]] = set()
        self._keys = {
            base + node: (node, k) for node in nodes for k, base in enumerate(TRANSMITTED_IDS)
        }
        for identifier in self._keys:
            network.subscribe(identifier, self._hear)
        for node in nodes:
            network.subscribe(EMERGENCY_ID + node, self._emergency)
        if end_of_cycle is not None:
            network.subscribe(end_of_cycle, self._end)

    def data(self, node: int) -> tuple[bytes, ...] | None:
        """Return the last answers of a module; None: there are none yet."""
        found = [self._data.get((node, k)) for k in range(len(TRANSMITTED_IDS))]
        whole = tuple(one for one in found if one is not None)
        return whole if len(whole) == len(found) else None

    def exchange(
        self, frames: Sequence[Frame], awaited: Sequence[int], before_sync: Callable[[], None]
    ) -> set[int]:
        """Send frames and SYNC; return the modules whose answers all came.

        Args:
            frames: Process data.
            awaited: The modules whose answers are waited for.
            before_sync: Called just before SYNC; a clock waits in it.
        """
        with self._news:
            self._arrived, self._ended = {}, False
        for identifier, data in frames:
            self._network.send_message(identifier, data)
        before_sync()
        self._network.send_message(SYNC_ID, b"")
        wanted = {(node, k) for node in awaited for k in range(len(TRANSMITTED_IDS))}
        longest = self._timeout if self._marker is None else LONGEST
        deadline = time.monotonic() + longest
        with self._news:
            while not self._done(wanted):
                left = deadline - time.monotonic()
                if left <= 0.0 or not self._news.wait(left):
                    break
            arrived = dict(self._arrived)
        self._count(wanted, arrived)
        return {
            node
            for node in awaited
            if all((node, k) in arrived for k in range(len(TRANSMITTED_IDS)))
        }

    def _done(self, wanted: set[tuple[int, int]]) -> bool:
        return self._ended if self._marker is not None else wanted <= self._arrived.keys()

    def _count(self, wanted: set[tuple[int, int]], arrived: dict[tuple[int, int], int]) -> None:
        counts = self.counts
        counts.cycles += 1
        missing = wanted - arrived.keys()
        counts.received += len(wanted) - len(missing)
        counts.lost += len(missing)
        for key, times in arrived.items():
            if times > 1:
                if key in self._missing:
                    counts.late += 1
                else:
                    counts.doubled += 1
        self._missing = missing

    def _hear(self, identifier: int, data: bytearray, _: float) -> None:
        key = self._keys[identifier]
        with self._news:
            self._data[key] = bytes(data)
            self._arrived[key] = self._arrived.get(key, 0) + 1
            self._news.notify()

    def _end(self, identifier: int, data: bytearray, _: float) -> None:
        with self._news:
            self._ended = True
            self._news.notify()

    def _emergency(self, identifier: int, data: bytearray, _: float) -> None:
        with self._news:
            self.errors[identifier - EMERGENCY_ID] = int.from_bytes(data[:2], "little")
