"""Segments in a row: a sequence that grows by one at no more cost than the one is worth.

A path is never changed, every method returns a longer one. Copied each time, a hundred thousand
segments would be copied five thousand million times; so paths that grew from each other share one
list, and each knows how much of it is its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import overload

from armwerk.motion.path.segments import PathSegment

_GROWING = threading.Lock()


class SegmentChain(Sequence[PathSegment]):
    """Segments that do not change, and can be had with one more.

    Args:
        segments: In order.
    """

    __slots__ = ("_count", "_shared")

    def __init__(self, segments: Sequence[PathSegment] = ()) -> None:
        self._shared = list(segments)
        self._count = len(self._shared)

    def with_segment(self, segment: PathSegment) -> SegmentChain:
        """Return the chain with a segment more at its end."""
        longer = SegmentChain.__new__(SegmentChain)
        with _GROWING:
            # another path may have grown from the same chain: then it goes on from a copy
            grown = len(self._shared) > self._count
            shared = self._shared[: self._count] if grown else self._shared
            shared.append(segment)
        longer._shared, longer._count = shared, self._count + 1
        return longer

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> PathSegment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PathSegment, ...]: ...
    def __getitem__(self, index: int | slice) -> PathSegment | tuple[PathSegment, ...]:
        if isinstance(index, slice):
            return tuple(self._shared[k] for k in range(*index.indices(self._count)))
        if not -self._count <= index < self._count:
            raise IndexError(f"the path has {self._count} segments, none with index {index}")
        return self._shared[index % self._count]

    def __iter__(self) -> Iterator[PathSegment]:
        for k in range(self._count):
            yield self._shared[k]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SegmentChain | tuple):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{self._count} segments>"
