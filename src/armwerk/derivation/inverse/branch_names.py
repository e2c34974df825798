"""Which sign of which root is which configuration of the arm: "w1 > 0: right, w1 < 0: left".

What enters are the names of the solutions at some poses, by the signs of the roots; what leaves is
what these signs mean wherever all poses agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Signs: TypeAlias = tuple[int, ...]
Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BranchNames:
    """The names of the branches of a solution.

    Args:
        table: The words of every branch, one for each choice that an arm has, by the signs of the
            roots in order.
    """

    table: Mapping[Signs, Words]

    def choice_of(self, root: int) -> int | None:
        """Return which of the words a root decides; None where that is not one alone."""
        count = len(next(iter(self.table.values())))
        found = [
            k
            for k in range(count)
            if self._is_decided(k, root + 1) and not self._is_decided(k, root)
        ]
        return found[0] if len(found) == 1 else None

    def _is_decided(self, choice: int, roots: int) -> bool:
        """Whether the signs of the first roots decide a word."""
        seen: dict[Signs, str] = {}
        return all(
            seen.setdefault(signs[:roots], words[choice]) == words[choice]
            for signs, words in self.table.items()
        )

    def word(self, signs: Signs) -> str:
        """Return the word that the last of the first signs decides; empty when it does not."""
        choice = self.choice_of(len(signs) - 1)
        if choice is None:
            return ""
        words = {words[choice] for key, words in self.table.items() if key[: len(signs)] == signs}
        return words.pop() if len(words) == 1 else ""

    def meaning(self, root: int, name: str) -> str:
        """Return what the signs of a root mean: "w1 > 0: right, w1 < 0: left"; else empty."""
        choice = self.choice_of(root)
        if choice is None:
            return ""
        plus, minus = (
            sorted({words[choice] for key, words in self.table.items() if key[root] == sign})
            for sign in (1, -1)
        )
        if len(plus) == len(minus) == 1:
            return f"{name} > 0: {plus[0]}, {name} < 0: {minus[0]}"
        return f"{name}: {' or '.join(sorted({*plus, *minus}, reverse=True))}"


def agreed(samples: Sequence[Mapping[Signs, Words]]) -> BranchNames | None:
    """Return the names on which all poses agree; None where they do not.

    Args:
        samples: The words of the branches, by signs, at one pose each.
    """
    table: dict[Signs, Words] = {}
    for sample in samples:
        for signs, words in sample.items():
            if table.setdefault(signs, words) != words:
                return None
    return BranchNames(table) if table else None
