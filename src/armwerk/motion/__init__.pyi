from armwerk.motion.laws import Law as Law
from armwerk.motion.limits import Limits as Limits
from armwerk.motion.path.goals import (
    Cylindrical as Cylindrical,
    inclination_of as inclination_of,
    inclined_pose as inclined_pose,
)
from armwerk.motion.path.path import Path as Path
from armwerk.motion.path.wishes import SpareJoints as SpareJoints
from armwerk.motion.pieces.piece import (
    Extremes as Extremes,
    LinePiece as LinePiece,
    Piece as Piece,
    Samples as Samples,
    TrajectoryPiece as TrajectoryPiece,
)
from armwerk.motion.pieces.polynomial import PolynomialPiece as PolynomialPiece
from armwerk.motion.pieces.sine import SinePiece as SinePiece
from armwerk.motion.point_to_point import ptp as ptp
from armwerk.motion.retiming.time_run import PathPiece as PathPiece
from armwerk.motion.table.table import Table as Table
from armwerk.motion.trajectory.summary import Notice as Notice, Summary as Summary
from armwerk.motion.trajectory.trajectory import Trajectory as Trajectory
