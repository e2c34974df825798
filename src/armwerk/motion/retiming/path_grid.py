"""A run by arc length, on a grid: the record that retiming and its kernels share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array

VELOCITY, ACCELERATION, JERK = 0, 1, 2
"""Rows of limits and sizes: by the order of the derivative, less one."""
TRANSLATION, ROTATION, FIRST_JOINT = 0, 1, 2
"""What is limited, in the order of columns: tool point, tool orientation, then each joint."""


class PathGrid(NamedTuple):
    """Joints and tool by arc length, with their limits; `path_grid` makes it.

    Args:
        s: Arc lengths, borders twice [m]. Shape (m,).
        joints: q, q', q'', q''' by arc length. Shape (m, 4, n).
        tool: First to third derivative of the tool's pose as twists (v, w). Shape (m, 3, 6).
        tool_sizes: Lengths of those of translation and rotation. Shape (m, 3, 2).
        tool_limits: Of velocity, acceleration, jerk of translation and rotation; infinite: none.
            Shape (m, 3, 2).
        joint_limits: The same of the joints. Shape (m, 3, n).
    """

    s: Array
    joints: Array
    tool: Array
    tool_sizes: Array
    tool_limits: Array
    joint_limits: Array

    @property
    def borders(self) -> Array:
        """Arc lengths where curvature or rates may jump [m]. Shape (k,)."""
        return self.s[:-1][np.diff(self.s) <= 0.0]

    @property
    def sizes(self) -> Array:
        """Sizes of first to third derivatives: translation, rotation, joints. (m, 3, 2 + n)."""
        return np.concatenate([self.tool_sizes, np.abs(self.joints[:, 1:])], axis=2)

    @property
    def limits(self) -> Array:
        """Limits of the same. Shape (m, 3, 2 + n)."""
        return np.concatenate([self.tool_limits, self.joint_limits], axis=2)


def path_grid(
    s: Array, joints: Array, tool: Array, tool_limits: Array, joint_limits: Array
) -> PathGrid:
    """Return the grid of a run; see `PathGrid`."""
    vectors = tool.reshape(len(s), 3, 2, 3)
    sizes = np.sqrt((vectors * vectors).sum(axis=3))
    rows = (s, joints, tool, sizes, tool_limits, joint_limits)
    return PathGrid(*(np.ascontiguousarray(row) for row in rows))


class LawSamples(NamedTuple):
    """States of a time law at k of its times. Each of shape (k,).

    Args:
        s: Arc length [m].
        speed: [m/s].
        acceleration: [m/s²].
        jerk: [m/s³].
    """

    s: Array
    speed: Array
    acceleration: Array
    jerk: Array
