"""What the functions of this room can be asked for: every choice stands here, once.

The Python functions, the command line and the checks read the same lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from armwerk.errors import DescriptionError

MapMethod: TypeAlias = Literal["scan lines", "slabs", "planar", "boxes", "general", "accelerator"]
"""How a map is filled; see `armwerk.planning.maps.filling`."""
ReachMethod: TypeAlias = Literal["forward", "inverse"]
"""How reach is found out: from joint values to places, or the other way round."""
ContactMethod: TypeAlias = Literal["spheres", "boxes", "exact"]
"""How contact with bodies is decided in a sweep."""
PlannerName: TypeAlias = Literal["rrt-connect", "prm", "a-star"]
"""What looks for a path."""
ROUNDS = 4
"""Searches of which the shortest path is taken, unless told otherwise."""
DETOUR_ROUNDS = 16
"""Searches at most, unless told otherwise, while the path is a tenth longer than straight."""
Progress: TypeAlias = Callable[[float], None]
"""Called with the fraction done, 0 to 1, once in a while."""


def check_choice(element: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse what is not among the choices.

    Raises:
        DescriptionError: Listing them.
    """
    if value not in allowed:
        raise DescriptionError("unknown", element=element, value=value, allowed=", ".join(allowed))
