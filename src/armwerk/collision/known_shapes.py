"""Solids of library arms whose source says what they look like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from armwerk.geometry import Box, Shape
from armwerk.robot.arm import Arm

Shapes = Mapping[str, list[Shape]]


def known_shapes(arm: Arm) -> Shapes | None:
    """Return the shapes of an arm by link when it is one of those below, else None."""
    if arm.name not in _KNOWN or arm != _library_arm(arm.name):
        return None
    return _KNOWN[arm.name]()


@lru_cache
def _library_arm(name: str) -> Arm:
    from armwerk.robot import load_arm

    return load_arm(name)


def _planar_tt() -> Shapes:
    """A square part moved in x and y; the source counts two parts, here the part on its holder."""
    part = Box((0.2, 0.2, 0.1), (0.0, 0.0, 0.05), name="part")
    holder = Box((0.2, 0.2, 0.1), (0.0, 0.0, -0.05), name="holder")
    return {"y": [part, holder]}


def _planar_rr() -> Shapes:
    """Two boxes, each from its joint to the next; sizes as the source prints them."""
    first = Box((0.18, 0.05, 0.20), (-0.09, 0.0, 0.0))
    second = Box((0.23, 0.05, 0.20), (-0.115, 0.0, 0.0))
    return {"link1": [first], "link2": [second]}


_KNOWN: dict[str, Callable[[], Shapes]] = {"planar_tt": _planar_tt, "planar_rr": _planar_rr}
