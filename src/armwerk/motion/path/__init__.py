"""Tool paths: `Path` collects segments, the planner makes a trajectory of them.

From goals to a motion, in the order of the work:

    path, goals, segments          what was asked for, as curves with orientations
    orientation                    how the tool turns along a curve
    blend_tracks, track            corners cut: poses by arc length between stops
    follow, branches               joint values along a track, on one branch
    connect, stop_to_stop          all that is driven between two stops, joint space included
    planner                        the whole, `armwerk.motion.retiming` for the time law included
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
