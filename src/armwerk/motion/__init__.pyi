from armwerk.motion.goals import (
    Cylindrical as Cylindrical,
)
from armwerk.motion.goals import (
    inclination_of as inclination_of,
)
from armwerk.motion.goals import (
    inclined_pose as inclined_pose,
)
from armwerk.motion.laws import Law as Law
from armwerk.motion.limits import Limits as Limits
from armwerk.motion.path import Path as Path
from armwerk.motion.path_piece import PathPiece as PathPiece
from armwerk.motion.pieces import (
    Extremes as Extremes,
)
from armwerk.motion.pieces import (
    Piece as Piece,
)
from armwerk.motion.pieces import (
    Samples as Samples,
)
from armwerk.motion.pieces_line import LinePiece as LinePiece
from armwerk.motion.pieces_polynomial import PolynomialPiece as PolynomialPiece
from armwerk.motion.pieces_sine import SinePiece as SinePiece
from armwerk.motion.ptp import ptp as ptp
from armwerk.motion.summary import Summary as Summary
from armwerk.motion.trajectory import (
    Notice as Notice,
)
from armwerk.motion.trajectory import (
    Trajectory as Trajectory,
)
