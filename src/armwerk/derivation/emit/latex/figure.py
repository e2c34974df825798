"""The figure of an arm with the frames of its rows, drawn by TikZ: links, joints, axes x and z."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.derivation.emit.latex.text import subsection
from armwerk.robot.arm import Arm, row_matrix

_WIDE, _HIGH = 12.0, 6.2  # most of the figure [cm]
_BEND = 0.35  # [rad] by which turning joints stand off zero, one to the left, one to the right
_SHORT = 0.8  # [cm] a line that has no room for its name
_D_ASIDE, _A_ASIDE = (-0.45, 0.0), (0.1, -0.35)  # [cm] where the name stands then
_UNNAMED = 0.3  # [m] for a length that is still a symbol
_TURN, _TILT = np.deg2rad(-58.0), np.deg2rad(22.0)  # where the viewer stands
_RIGHT = np.array([-np.sin(_TURN), np.cos(_TURN), 0.0])
_UP = np.array([-np.sin(_TILT) * np.cos(_TURN), -np.sin(_TILT) * np.sin(_TURN), np.cos(_TILT)])


class RowLengths(NamedTuple):
    """What the lengths of a row are called.

    Attributes:
        d: Along z, as LaTeX; empty: it is zero.
        a: Along x, likewise.
    """

    d: str
    a: str


def frames_figure(arm: Arm, lengths: Sequence[RowLengths] = ()) -> str:
    """Return a subsection with the arm, bent a little, and the frames of its rows.

    Args:
        arm: The arm.
        lengths: Names of the lengths of every row; none: they are not written.
    """
    words = "Turning joints are circles, sliding ones squares; $x$ and $z$ axes of every frame."
    if arm.is_symbolic:
        words += " Lengths without numbers are drawn alike."
    lines = [r"\begin{center}", frames_picture(arm, lengths)]
    lines += [r"\par\smallskip", rf"\small {words}", r"\end{center}", ""]
    return "\n".join([subsection("The frames"), *lines])


def frames_picture(
    arm: Arm, lengths: Sequence[RowLengths] = (), wide: float = _WIDE, high: float = _HIGH
) -> str:
    """Return the picture alone, at most as large as that [cm]; see `frames_figure`."""
    most_wide, most_high = wide, high
    shown = arm.with_values(dict.fromkeys(arm.symbols, _UNNAMED)) if arm.is_symbolic else arm
    frames, corners = _walk(shown)
    points = np.vstack([*(frame[:3, 3] for frame in frames), *corners])
    size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    flat = points @ np.stack([_RIGHT, _UP]).T
    wide, high = np.ptp(flat, axis=0) + 0.3 * size
    scale = min(most_wide / wide, most_high / high)

    def spot(point: Array) -> Array:
        return np.asarray(scale * np.array([point @ _RIGHT, point @ _UP]))

    def place(point: Array) -> str:
        return _written(spot(point))

    lines = [r"\begin{tikzpicture}[>=stealth,line join=round,line cap=round]"]
    for before, corner, after in zip(frames[:-1], corners, frames[1:], strict=True):
        way = " -- ".join(place(one) for one in (before[:3, 3], corner, after[:3, 3]))
        lines.append(rf"\draw[line width=2.6pt,black!25] {way};")
    for number, joint in enumerate(shown.joints):
        if joint.is_moving:
            form = "circle" if joint.kind == "revolute" else "rectangle"
            style = f"draw=black!70,fill=white,{form},inner sep=1.9pt"
            lines.append(rf"\node[{style}] at {place(frames[number][:3, 3])} {{}};")
    lines += _axes(frames, 0.16 * size, place)
    for row, before, corner, after in zip(lengths, frames[:-1], corners, frames[1:], strict=False):
        middle = spot(corner)
        if row.d:
            lines.append(_length_label(row.d, spot(before[:3, 3]), middle, _D_ASIDE))
        if row.a:
            lines.append(_length_label(row.a, middle, spot(after[:3, 3]), _A_ASIDE))
    return "\n".join([*lines, r"\end{tikzpicture}"])


def _length_label(name: str, start: Array, end: Array, aside: tuple[float, float]) -> str:
    """Return the name of a length on its line, or aside where that is shorter than the name."""
    is_long = float(np.linalg.norm(end - start)) > _SHORT
    middle = (start + end) / 2 + (np.zeros(2) if is_long else np.array(aside))
    style = "font=\\scriptsize,inner sep=1pt" + (",fill=white" if is_long else "")
    return rf"\node[{style}] at {_written(middle)} {{${name}$}};"


def _written(spot: Array) -> str:
    return f"({spot[0]:.3f},{spot[1]:.3f})"


def _walk(arm: Arm) -> tuple[list[Array], list[Array]]:
    """Return the frames of all rows, the first before them, and the corners between d and a."""
    frames, corners = [np.eye(4)], []
    side = 1.0
    for joint in arm.joints:
        value = 0.0
        low, high = joint.limits or (-np.pi, np.pi)
        if joint.kind == "revolute":
            value, side = float(np.clip(side * _BEND, low, high)), -side
        elif joint.kind == "prismatic":
            value = (low + high) / 2 if joint.limits else _UNNAMED
        turn = float(joint.offset) + (value if joint.kind == "revolute" else 0.0)
        shift = float(joint.d) + (value if joint.kind == "prismatic" else 0.0)
        corners.append(frames[-1][:3, 3] + shift * frames[-1][:3, 2])
        frames.append(frames[-1] @ row_matrix(turn, shift, float(joint.a), float(joint.alpha)))
    return frames, corners


def _axes(frames: list[Array], length: float, place: Callable[[Array], str]) -> list[str]:
    """Return arrows along x and z of every frame; frames in one place share a label's place."""
    lines = []
    seen: list[Array] = []
    for number, frame in enumerate(frames):
        origin = frame[:3, 3]
        crowd = sum(bool(np.linalg.norm(origin - other) < 0.05 * length) for other in seen)
        seen.append(origin)
        reach = length * (1.0 + 0.45 * crowd)  # frames in one place get longer and longer axes
        for column, name, tint in ((0, "x", "red!75!black"), (2, "z", "blue!75!black")):
            tip = origin + reach * frame[:3, column]
            label = rf"\node[{tint},font=\scriptsize] at {place(origin + 1.22 * (tip - origin))}"
            lines.append(rf"\draw[->,{tint},thick] {place(origin)} -- {place(tip)};")
            lines.append(rf"{label} {{${name}_{{{number}}}$}};")
    return lines
