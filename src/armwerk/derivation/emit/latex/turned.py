"""What helpers without a name of their own mean: a known vector, seen after joints are turned back.

In goes a derivation, out come words for its helpers. Formulas that take a chain apart joint by
joint are full of such components: h = oₓ c₁ + o_y s₁ is o as it is seen in front of joint 1's turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import symengine

from armwerk.derivation.emit.latex.notation import theta_of
from armwerk.derivation.inverse.result import MEANINGS
from armwerk.derivation.program import Expression, Let
from armwerk.derivation.ring import POSE_ROWS, Angle

if TYPE_CHECKING:
    from armwerk.derivation.derived import Derivation

_LETTERS = {name: f"${name[0]}$" for row in POSE_ROWS for name in row}


class _SeenVector(NamedTuple):
    """A vector and what has been done to it.

    Attributes:
        name: As it is called in a text.
        angles: By which it has been turned back.
        is_shifted: Whether lengths of the arm have been taken off.
    """

    name: str
    angles: tuple[Angle, ...]
    is_shifted: bool

    def words(self) -> str:
        """Return what it is."""
        turned = ", ".join(f"${theta_of(angle)}$" for angle in self.angles)
        parts = [self.name, f"turned back by {turned}" if turned else ""]
        parts.append("less lengths of the arm" if self.is_shifted else "")
        return ", ".join(part for part in parts if part)


def turned_helpers(derivation: Derivation) -> dict[str, str]:
    """Return what helpers mean that are components of one vector, by their names."""
    angles = {name: one for one in derivation.ring.angles for name in (one.cos, one.sin)}
    known: dict[str, _SeenVector] = {
        name: _SeenVector(letter, (), False) for name, letter in _LETTERS.items()
    }
    found: dict[str, str] = {}
    for step in derivation.inverse.steps:
        for one in step.steps:
            if not isinstance(one, Let):
                continue
            if one.role in ("wrist", "origin"):
                known[one.name] = _SeenVector(MEANINGS[one.role].partition(",")[0], (), False)
            elif not one.role:
                seen = _seen(one.value, known, angles)
                if seen is not None:
                    known[one.name] = seen
                    found[one.name] = seen.words()
    return found


def _seen(
    value: Expression, known: dict[str, _SeenVector], angles: dict[str, Angle]
) -> _SeenVector | None:
    """Return the vector of which a value is a component; None where it is none of one alone."""
    expanded = symengine.expand(value)
    terms = expanded.args if expanded.is_Add else (expanded,)
    vectors: dict[str, None] = {}
    turned: dict[Angle, None] = {}
    is_shifted = False
    for term in terms:
        names = [symbol.name for symbol in term.free_symbols]
        parts = [known[name] for name in names if name in known]
        if len(parts) > 1 or any(factor.is_Pow for factor in term.args):
            return None
        is_shifted |= not parts or parts[0].is_shifted
        for part in parts:
            vectors[part.name] = None
            turned |= dict.fromkeys(part.angles)
        turned |= dict.fromkeys(angles[name] for name in names if name in angles)
    if len(vectors) != 1:
        return None
    seen = _SeenVector(
        next(iter(vectors)), tuple(sorted(turned, key=lambda a: a.terms)), is_shifted
    )
    return seen if seen.angles or seen.is_shifted else None
