"""How a world reads what it is given: what is of the wrong kind is told at once, and by name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import isfinite

from armwerk.errors import DescriptionError
from armwerk.motion.limits import is_number


def require(given: object, kinds: type | tuple[type, ...], element: str, allowed: str) -> None:
    """Raise unless something is of one of these kinds.

    Raises:
        DescriptionError: With what is allowed.
    """
    if not isinstance(given, kinds):
        raise DescriptionError(
            "is of the wrong kind", element=element, value=_of(given), allowed=allowed
        )


def require_function(given: object, element: str) -> None:
    """Raise unless something can be called."""
    if not callable(given):
        raise DescriptionError(
            "is no function", element=element, value=_of(given), allowed="something to call"
        )


def require_path(given: object, element: str) -> None:
    """Raise unless something names a file."""
    require(given, (str, os.PathLike), element, "a text or a Path")


def require_all(given: object, kind: type, element: str) -> None:
    """Raise unless something is a row of things of one kind."""
    is_row = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    if not is_row or not all(isinstance(one, kind) for one in given):  # type: ignore[attr-defined]
        raise DescriptionError(
            "is of the wrong kind",
            element=element,
            value=_of(given),
            allowed=f"a row of {kind.__name__}",
        )


def require_finite(given: object, element: str, unit: str) -> None:
    """Raise unless something is a finite number."""
    if not is_number(given) or not isfinite(given):  # type: ignore[arg-type]
        raise DescriptionError(
            "is no finite number", element=element, value=_of(given), allowed=f"a number [{unit}]"
        )


def _of(given: object) -> object:
    """Return what a message shows; nothing given is shown, too."""
    return "None" if given is None else given
