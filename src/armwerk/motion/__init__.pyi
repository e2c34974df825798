from armwerk.motion.goals import (
    Cylindrical as Cylindrical,
    inclination_of as inclination_of,
    inclined_pose as inclined_pose,
)
from armwerk.motion.laws import Law as Law
from armwerk.motion.limits import Limits as Limits
from armwerk.motion.path import Path as Path
from armwerk.motion.path_piece import PathPiece as PathPiece
from armwerk.motion.pieces import (
    Extremes as Extremes,
    Piece as Piece,
    Samples as Samples,
)
from armwerk.motion.pieces_line import LinePiece as LinePiece
from armwerk.motion.pieces_polynomial import PolynomialPiece as PolynomialPiece
from armwerk.motion.pieces_sine import SinePiece as SinePiece
from armwerk.motion.ptp import ptp as ptp
from armwerk.motion.summary import Summary as Summary
from armwerk.motion.trajectory import (
    Notice as Notice,
    Trajectory as Trajectory,
)
