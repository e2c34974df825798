"""Ctrl-C, heard between two steps instead of in the middle of one."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """While open, the first Ctrl-C is only remembered; a second one raises as usual.

    Does nothing outside the main thread, or where somebody else listens to the signal.
    """

    def __init__(self) -> None:
        self._happened = False
        self._before: Any = None

    def happened(self) -> bool:
        """Whether the user wants to leave."""
        return self._happened

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if before is signal.default_int_handler:
                self._before = before
                signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._happened:
            raise KeyboardInterrupt
        self._happened = True
