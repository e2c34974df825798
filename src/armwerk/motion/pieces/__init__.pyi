from armwerk.motion.pieces.piece import (
    Extremes as Extremes,
    LinePiece as LinePiece,
    Piece as Piece,
    Samples as Samples,
    TrajectoryPiece as TrajectoryPiece,
    extremes_of_samples as extremes_of_samples,
)
from armwerk.motion.pieces.polynomial import PolynomialPiece as PolynomialPiece
from armwerk.motion.pieces.sine import SinePiece as SinePiece
