"""What the commands of large sweeps ask for: devices, methods, lengths with a unit."""

from __future__ import annotations

import math
import re
from enum import StrEnum

import typer

_METRES = {"": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}


class Device(StrEnum):
    """Where a sweep runs."""

    cpu = "cpu"
    gpu = "gpu"


class Method(StrEnum):
    """Which way reachability is found out."""

    forward = "forward"
    inverse = "inverse"


class ContactWay(StrEnum):
    """How contact with bodies is decided."""

    exact = "exact"
    spheres = "spheres"
    boxes = "boxes"


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
    """Return whole numbers between commas, crosses or blanks."""
    try:
        return [int(word) for word in re.split(r"[x×,\s]+", text.strip()) if word]
    except ValueError:
        raise typer.BadParameter(f"{option}: '{text}' is not a list of whole numbers") from None
