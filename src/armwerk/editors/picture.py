"""A small picture of an arm, quick enough to be drawn while the mouse rests on a word."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from armwerk.arrays import Array
from armwerk.editors.hover import PlaceInSpace
from armwerk.language.types import JOINT, POSE, POSITION, ROBTARGET, Value

if TYPE_CHECKING:
    from armwerk.mechanics import ArmModel

WIDTH, HEIGHT = 300, 240  # [px]
_AZIMUTH, _ELEVATION = np.deg2rad(-60.0), np.deg2rad(22.0)
_AXES = ("#c0392b", "#2e8b57", "#2f5d8c")
_MARGIN = 22.0  # [px]


def joints_at(model: ArmModel, place: PlaceInSpace) -> Array | None:
    """Return joint values at a place [rad, m], tool and base as if never set; None: out of reach.

    Shape (n,).
    """
    from armwerk.language.running.planning import MotionPlanner

    planner = MotionPlanner(model)
    value = place.value
    if place.kind is ROBTARGET:
        value = _parts(value)[0]
    if place.kind is JOINT:
        given = np.array(_parts(_parts(value)[0]), dtype=np.float64)[: model.dof]
        return np.asarray(given * planner.units)
    rest = np.zeros(model.dof)
    if place.kind is POSITION:
        return model.ik_position(1e-3 * np.array(_parts(value), dtype=np.float64), rest)
    if place.kind not in (POSE, ROBTARGET):
        return None
    from armwerk.geometry import rotation_from_quaternion

    position, turn = _parts(value)
    T = np.eye(4)
    T[:3, 3] = 1e-3 * np.array(_parts(position), dtype=np.float64)
    T[:3, :3] = rotation_from_quaternion(np.array(_parts(turn), dtype=np.float64))
    return model.ik_nearest(T, rest)


def _parts(value: Value) -> list[Value]:
    assert isinstance(value, list)
    return value


def data_uri(svg: str) -> str:
    """Return a picture as an address that holds it."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")


def arm_svg(model: ArmModel, q: Array) -> str:
    """Return a picture of an arm.

    Args:
        model: The arm.
        q: Joint values [rad, m]. Shape (n,).
    """
    from armwerk.pictures.arm import arm_of
    from armwerk.pictures.skeleton import arm_skeleton

    skeleton = arm_skeleton(arm_of(model), q)
    reach = skeleton.size * 0.12
    tool = skeleton.tools[0]
    axes = [(tool[:3, 3], tool[:3, 3] + reach * tool[:3, k]) for k in range(3)]
    floor = _floor(skeleton.base[:3, 3], skeleton.size)
    holds = np.vstack([skeleton.points(), *(end for _, end in axes), floor])
    view = _HoverView(holds)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>',
        f'<polygon points="{view.row(floor)}" fill="#eef1f4" stroke="#d5dbe1"/>',
    ]
    for bar in skeleton.bars:
        width = 9.0 * bar.weight
        for colour, thick in (("#66727f", width), ("#c3ced8", width - 2.5)):
            parts.append(
                f'<polyline points="{view.row(bar.points)}" fill="none" stroke="{colour}" '
                f'stroke-width="{thick:.1f}" stroke-linecap="round" stroke-linejoin="round"/>'
            )
    for joint in skeleton.joints:
        (x, y), radius = view.flat(joint.centre), 5.5 * joint.weight
        colour = "#2f5d8c" if joint.kind == "revolute" else "#d98324"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>')
    for (start, end), colour in zip(axes, _AXES, strict=True):
        row = view.row(np.array([start, end]))
        parts.append(f'<polyline points="{row}" stroke="{colour}" stroke-width="2.5"/>')
    return "".join([*parts, "</svg>"])


def _floor(base: Array, size: float) -> Array:
    half = 0.45 * size
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=np.float64)
    return np.asarray(base + half * corners)


class _HoverView:
    """Looks at points from the side, so that all of them fit.

    Args:
        points: That must be seen [m]. Shape (m, 3).
    """

    def __init__(self, points: Array) -> None:
        c, s = np.cos(_AZIMUTH), np.sin(_AZIMUTH)
        right = np.array([-s, c, 0.0])
        up = np.array([-np.sin(_ELEVATION) * c, -np.sin(_ELEVATION) * s, np.cos(_ELEVATION)])
        self._axes = np.array([right, -up])
        flat = points @ self._axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * _MARGIN
        self._scale = float(np.min(room / np.maximum(high - low, 1e-9)))
        self._shift = np.array([WIDTH, HEIGHT]) / 2 - self._scale * (low + high) / 2

    def flat(self, point: Array) -> Array:
        """Return where a point is seen [px]. Shape (2,)."""
        return np.asarray(self._scale * (self._axes @ point) + self._shift)

    def row(self, points: Array) -> str:
        """Return points as SVG writes them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.flat, points))
