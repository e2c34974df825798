"""Columns of the tables that the drives work on: of motors, of their places, of their robots."""

from __future__ import annotations

# columns of the numbers of a motor
SET, SPEED, GOAL, INERTIA, LIMIT, MAX_SPEED, MAX_ACCELERATION, SAFE = range(8)
# its integral, the force it gives, its friction: viscous, against positive and negative motion
SUM, FORCE, VISCOUS, FORWARD, BACKWARD = range(8, 13)
LAST_SET, LAST_SPEED = range(13, 15)  # of the step before
MARK = 15  # where it stood when it was first at its limit
LAST_RATE = 16  # its speed in the step before
FAR = 17  # the nearest it has been to its goal since it was sent there
MISSING, HASTE = range(18, 20)  # from its goal in the step before; how fast the integral grows
# columns of its places: in qpos and qvel, its robot's table (-1: none), its column there, and
# for how many steps it has stood still; whether its set point is behind its table
POSITION, DOF, TABLE, COLUMN, STILL, LAGS = range(6)
# columns of a robot's table: whether it runs, where it starts in the rows of all, its next row,
# its number of rows, its width, and whether the arm has jammed since it was sent somewhere
RUNS, OFFSET, ROW, ROWS, WIDTH, JAMMED = range(6)
# whether the row is held back; how its forces are found; its motors, those of its arm, its dofs;
# whether a motor of its arm is at its limit, for how many steps it has stood so, whether it is
# blocked; for how many steps at a limit it got no further, and how far it was in its table
HELD, LAW, FIRST, COUNT, ARM, FIRST_DOF, DOFS, AT_LIMIT, STALLED, BLOCKED = range(6, 16)
WAITED, REACHED = range(16, 18)
STRONG_LAW, EXACT_LAW, OTHER_LAW = range(3)
NEWLY = 2  # blocked, and has not let go yet
