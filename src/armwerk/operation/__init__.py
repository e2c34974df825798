"""Operation: trajectories and buttons in, motors moved: the control thread of an arm.

    trajectory --> interpolated --> checked against safe areas --> solved --> queue --> motors

| module | what it holds |
|---|---|
| `points` | a motion as the number of points asked for, with inclination, speed and time |
| `planning_desk` | one trajectory at a time: planned, checked, or refused with the reason |
| `player` | plays motions on motors, stops on the path and goes on from there |
| `operation` | `Operation`: the queue and the buttons, without threads |
| `control_thread` | `ControlThread`: the same beside a surface |
| `teaching` | teach-in: jog, store, table |
| `recording` | play-back and master and slave |
| `cooperation` | one arm leads, another follows relative to it |
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
