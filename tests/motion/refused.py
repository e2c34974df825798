"""What tests of refusals share: paths, and how often something is asked for meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.geometry import rotation_exp


class Count:
    """Calls of a function with the names they give, which still does what it did."""

    def __init__(self, patch: pytest.MonkeyPatch, module: object, name: str) -> None:
        self.calls = 0
        self.named: list[dict[str, object]] = []
        inner: Callable[..., object] = getattr(module, name)

        def counted(*given: object, **named: object) -> object:
            self.calls += 1
            self.named.append(named)
            return inner(*given, **named)

        patch.setattr(module, name, counted)


def moved(pose: Array, way: Array) -> Array:
    """Return a pose shifted in the world."""
    goal = pose.copy()
    goal[:3, 3] += way
    return goal


def turned(pose: Array, angle: float) -> Array:
    """Return a pose turned about the tool's z axis by an angle [rad]."""
    goal = pose.copy()
    goal[:3, :3] = pose[:3, :3] @ rotation_exp(np.array([0.0, 0.0, angle]))
    return goal


def refusal(path: aw.Path, model: aw.ArmModel, q: Array, **wishes: float) -> str:
    """Return the sentence with which a path is refused."""
    with pytest.raises(MotionError) as caught:
        path.plan(model, q, **wishes)  # type: ignore[arg-type]
    return str(caught.value)


def lines(model: aw.ArmModel, q: Array, *ways: tuple[list[float], list[float]]) -> aw.Path:
    """Return lines from joint values (n,), each a way [m] in the world and a turn in the tool."""
    pose = np.asarray(model.fk(q))
    path = aw.Path(pose)
    for way, turn in ways:
        pose = moved(pose, np.array(way))
        pose[:3, :3] = pose[:3, :3] @ rotation_exp(np.array(turn))
        path = path.lin(pose)
    return path
