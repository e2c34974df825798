"""Options that are numbers: lengths with a unit, lists of whole numbers."""

from __future__ import annotations

import math
import re

import typer

_METRES = {"": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}


def length(text: str, option: str) -> float:
    """Return a length such as "5cm", "50mm" or "0.05" in metres.

    Raises:
        typer.BadParameter: When it is none.
    """
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(m|cm|mm|)\s*", text)
    try:
        value = float(found.group(1)) * _METRES[found.group(2)] if found else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise typer.BadParameter(f"{option}: '{text}' is not a length such as 5cm, 50mm or 0.05m")
    return value


def whole_numbers(text: str, option: str) -> list[int]:
    """Return whole numbers between commas, crosses or blanks.

    Raises:
        typer.BadParameter: When they are none.
    """
    try:
        return [int(word) for word in re.split(r"[×,\s]+|(?<=\d)x(?=\d)", text.strip()) if word]
    except ValueError:
        raise typer.BadParameter(f"{option}: '{text}' is not a list of whole numbers") from None
