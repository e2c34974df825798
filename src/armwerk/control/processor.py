"""The base class of trigger processors: triggers in, other triggers out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armwerk.errors import UnsupportedError

if TYPE_CHECKING:
    import numpy as np

    from armwerk.control.context import ProgramContext


class TriggerProcessor:
    """Receives triggers under an instance number, keeps what it likes, sends new ones.

    Write a class of your own with `receive_trigger`; it needs a constructor without arguments.
    One instance is made per directive TRIGGERPROCESSOR. It may compute, but it cannot wait.
    """

    description: str = ""
    requires_configuration: bool = False
    _context: ProgramContext | None = None

    def receive_trigger(self, text: str) -> None:
        """Called for every trigger, in the order of their arrival. Does nothing unless written."""

    def configure(self, text: str) -> None:
        """Take the text of TPCONFIG; called once before the first trigger.

        Raise an exception with a sentence for the user when the text is wrong.
        """

    @property
    def instance(self) -> int:
        """The number under which triggers arrive."""
        return self._bound("instance").number

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._bound("time").time

    @property
    def random(self) -> np.random.Generator:
        """Where to draw random numbers from: equal seeds give equal runs, see ``--seed``."""
        return self._bound("random").random

    def send_trigger(self, instance: int, text: str) -> None:
        """Send a trigger to a robot, conveyor or processor; -1: to all robots."""
        self._bound("send_trigger").send(instance, text)

    def debug(self, *words: object) -> None:
        """Write words, separated by blanks, to debug-out."""
        self._bound("debug").note(" ".join(str(word) for word in words))

    def _bound(self, service: str) -> ProgramContext:
        if self._context is None:
            raise UnsupportedError(
                f"self.{service} exists only once {type(self).__name__} works in a cell, not in "
                "its constructor"
            )
        return self._context
