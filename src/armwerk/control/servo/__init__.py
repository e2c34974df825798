"""Servo control: set points and what was measured in, forces of the motors out.

    trajectory --> interpolation --> inverse kinematics --> fine interpolation --> set points
    set points + feedback --> position --> velocity --> current --> force
                          \\-> inverse dynamics fed forward ---------^

Every box is an interface of `parts`; a user puts in his own.

| module | what it holds |
|---|---|
| `parts` | the interfaces |
| `set_points` | from a trajectory to the set points of every cycle |
| `loops` | position, velocity and current of all axes |
| `feed_forward` | the forces that a model says a motion takes |
| `load` | what hangs at the hand: its forces, and how it is found out |
| `monitors` | speed, standstill, brake ramp and joint ranges of a source of set points |
| `controller` | `ServoController`, all of it behind the world's `JointController` |
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
