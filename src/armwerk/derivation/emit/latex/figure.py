"""The figure of an arm with the frames of its rows, drawn by TikZ: links, joints, axes x and z."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armwerk.arrays import Array
from armwerk.derivation.emit.latex.text import subsection
from armwerk.robot.arm import Arm, row_matrix

_WIDE, _HIGH = 12.0, 6.2  # most of the figure [cm]
_BEND = 0.35  # [rad] by which turning joints stand off zero, one to the left, one to the right
_UNNAMED = 0.3  # [m] for a length that is still a symbol
_TURN, _TILT = np.deg2rad(-58.0), np.deg2rad(22.0)  # where the viewer stands
_RIGHT = np.array([-np.sin(_TURN), np.cos(_TURN), 0.0])
_UP = np.array([-np.sin(_TILT) * np.cos(_TURN), -np.sin(_TILT) * np.sin(_TURN), np.cos(_TILT)])


def frames_figure(arm: Arm) -> str:
    """Return a subsection with the arm, bent a little, and the frames of its rows."""
    shown = arm.with_values(dict.fromkeys(arm.symbols, _UNNAMED)) if arm.is_symbolic else arm
    frames, corners = _walk(shown)
    points = np.vstack([*(frame[:3, 3] for frame in frames), *corners])
    size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    flat = points @ np.stack([_RIGHT, _UP]).T
    wide, high = np.ptp(flat, axis=0) + 0.3 * size
    scale = min(_WIDE / wide, _HIGH / high)

    def place(point: Array) -> str:
        x, y = scale * np.array([point @ _RIGHT, point @ _UP])
        return f"({x:.3f},{y:.3f})"

    lines = [r"\begin{center}", r"\begin{tikzpicture}[>=stealth,line join=round,line cap=round]"]
    for before, corner, after in zip(frames[:-1], corners, frames[1:], strict=True):
        way = " -- ".join(place(one) for one in (before[:3, 3], corner, after[:3, 3]))
        lines.append(rf"\draw[line width=2.6pt,black!25] {way};")
    for number, joint in enumerate(shown.joints):
        if joint.is_moving:
            form = "circle" if joint.kind == "revolute" else "rectangle"
            style = f"draw=black!70,fill=white,{form},inner sep=1.9pt"
            lines.append(rf"\node[{style}] at {place(frames[number][:3, 3])} {{}};")
    lines += _axes(frames, 0.16 * size, place)
    words = "Turning joints are circles, sliding ones squares; $x$ and $z$ axes of every frame."
    if arm.is_symbolic:
        words += " Lengths without numbers are drawn alike."
    lines += [r"\end{tikzpicture}", r"\par\smallskip", rf"\small {words}", r"\end{center}", ""]
    return "\n".join([subsection("The frames"), *lines])


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
