"""The knowledge base: the rules by what they look at.

A rule looks at forms of facts and offers matches; a match knows how to fire. Theorem numbers
are those of the source, section 4.3.1. The priority of a rule orders the agenda: unique before
two-fold, cheap before dear. Every match is tried at random postures of the arm before it
fires, so a rule never divides by something that is zero for this arm.

To teach the system another kind of equation, write a rule and put it into one of the tuples.
"""

from __future__ import annotations

from armwerk.derivation.inverse.rules.planar import DirectionOfSum, TwoLinks
from armwerk.derivation.inverse.rules.rule import Match, Rule, StepNames, definite_sign, is_constant
from armwerk.derivation.inverse.rules.sliding import Along, Linear, Quadratic
from armwerk.derivation.inverse.rules.spatial import SquareAndAdd, Swing
from armwerk.derivation.inverse.rules.turning import (
    Cosine,
    General,
    Homogeneous,
    Pair,
    Sine,
    SineAndCosine,
    two_fold,
    two_fold_steps,
)

ONE_SLIDE = (Linear(), Quadratic())
ONE_SLIDE_IN_SPACE = (Along(),)
ONE_ANGLE = (Homogeneous(), General())
ONE_ANGLE_TWICE = (Pair(),)
TWO_ANGLES = (TwoLinks(),)
POSITION = (Swing(), SquareAndAdd())

RULES: tuple[type[Rule], ...] = (
    Linear, SineAndCosine, Pair, DirectionOfSum, Homogeneous, Sine, Cosine, General,
    Along, Quadratic, TwoLinks, Swing, SquareAndAdd,
)  # fmt: skip

__all__ = [
    "ONE_ANGLE",
    "ONE_ANGLE_TWICE",
    "ONE_SLIDE",
    "ONE_SLIDE_IN_SPACE",
    "POSITION",
    "RULES",
    "TWO_ANGLES",
    "Linear",
    "Match",
    "Pair",
    "Rule",
    "StepNames",
    "definite_sign",
    "is_constant",
    "two_fold",
    "two_fold_steps",
]
