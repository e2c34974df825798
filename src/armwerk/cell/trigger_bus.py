"""The trigger bus: every trigger arrives, in order per sender, with the step after it was sent.

Receivers are kept by instance number. Whoever sends learns nothing of what becomes of it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from numbers import Integral

from armwerk.cell.history import History
from armwerk.errors import DescriptionError
from armwerk.protocol import Trigger
from armwerk.scene.scene import ALL

Receiver = Callable[[str], bool]


class TriggerBus:
    """Takes triggers from any thread and hands them out when the driver says so.

    Args:
        clock: Simulated time [s].
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.sent: History[Trigger] = History()
        self.undelivered = 0  # triggers for numbers that nobody has, or whose owner has ended
        self._clock = clock
        self._waiting: deque[tuple[int, str]] = deque()
        self._lock = threading.Lock()  # so that times in ``sent`` never run backwards
        self._receivers: dict[int, list[Receiver]] = {}
        self._robots: list[Receiver] = []

    def register(self, instance: int, receiver: Receiver, *, robot: bool = False) -> None:
        """Enter a receiver; robots also get what is sent to all.

        Args:
            instance: Its number; -1: it receives nothing.
            receiver: Takes a text and says whether anybody will look at it; must not raise.
            robot: Whether it is a robot.
        """
        if instance != ALL:
            self._receivers.setdefault(instance, []).append(receiver)
        if robot:
            self._robots.append(receiver)

    def send(self, instance: int, text: str) -> None:
        """Take a trigger, from whatever thread.

        Raises:
            DescriptionError: For a number below -1 or a text that is none.
        """
        if isinstance(instance, bool) or not isinstance(instance, Integral) or instance < ALL:
            raise DescriptionError(
                "no instance number",
                element="trigger",
                value=instance,
                allowed="0, 1, … or -1 for all robots",
            )
        if not isinstance(text, str):
            raise DescriptionError("not a text", element="trigger", value=text)
        with self._lock:
            self.sent.append(Trigger(self._clock(), int(instance), text))
            self._waiting.append((int(instance), text))

    @property
    def has_pending(self) -> bool:
        """Whether something waits to be delivered."""
        return bool(self._waiting)

    def deliver(self) -> None:
        """Hand out what was sent until now; what is sent meanwhile waits for the next time."""
        for _ in range(len(self._waiting)):
            instance, text = self._waiting.popleft()
            receivers = self._robots if instance == ALL else self._receivers.get(instance, ())
            taken = False
            for receiver in receivers:
                taken = receiver(text) or taken
            self.undelivered += not taken

    def capture(self) -> tuple[tuple[Trigger, ...], tuple[tuple[int, str], ...], int]:
        """Return all that was sent, what is still under way, and how many found nobody."""
        with self._lock:
            return tuple(self.sent), tuple(self._waiting), self.undelivered

    def restore(self, state: tuple[tuple[Trigger, ...], tuple[tuple[int, str], ...], int]) -> None:
        """Go back to what `capture` returned."""
        sent, waiting, undelivered = state
        with self._lock:
            self.sent.refill(sent)
            self._waiting = deque(waiting)
            self.undelivered = undelivered
