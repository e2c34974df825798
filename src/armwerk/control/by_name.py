"""Things that a program asks for by name; a wrong name is answered with those that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from armwerk.errors import UnknownNameError

Item = TypeVar("Item")


class ByName(Mapping[str, Item]):
    """A mapping that is read only.

    Args:
        what: What each is, for messages: "motor of robot 0".
        known: All of them, in order.
    """

    def __init__(self, what: str, known: Mapping[str, Item]) -> None:
        self._what = what
        self._known = known

    def __getitem__(self, name: str) -> Item:
        try:
            return self._known[name]
        except (KeyError, TypeError):
            raise UnknownNameError(self._what, str(name), self._known) from None

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
