"""A list of what happened that does not grow for ever: of very much the oldest is forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsIndex, TypeVar

_T = TypeVar("_T")
KEPT = 200_000  # entries; a day with two a second


class History(list[_T]):
    """A list that forgets its oldest entries when it becomes too long.

    Args:
        entries: To begin with.
        kept: How many are kept at least; a quarter more before the oldest go.

    Attributes:
        forgotten: How many have gone since it was last filled anew.
    """

    def __init__(self, entries: Iterable[_T] = (), kept: int = KEPT) -> None:
        super().__init__(entries)
        self.kept = kept
        self.forgotten = 0

    @property
    def total(self) -> int:
        """How many there have been."""
        return len(self) + self.forgotten

    def since(self, count: int) -> list[_T]:
        """Return what has come since there had been ``count``, as far as it is kept."""
        return self[max(0, count - self.forgotten) :]

    def append(self, entry: _T) -> None:
        """Add an entry."""
        super().append(entry)
        self._forget()

    def extend(self, entries: Iterable[_T]) -> None:
        """Add entries."""
        super().extend(entries)
        self._forget()

    def refill(self, entries: Iterable[_T]) -> None:
        """Begin anew with some entries."""
        self[:] = list(entries)
        self.forgotten = 0

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[list[_T], int]]:
        return History, (list(self), self.kept)

    def _forget(self) -> None:
        if len(self) > self.kept + self.kept // 4:
            gone = len(self) - self.kept
            del self[:gone]
            self.forgotten += gone
