"""Tries steps at postures whose joints are known: a conclusion must lead back to them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.program import Expression, Let, Root, Slide, Step, Sum, Turn

RECOVERED = 1e-6  # [rad], [m]: a posture counts as found again; probes are far from singular
FREE = 1e-9  # a sine and cosine below this leave the angle free


def holds(memory: Memory, steps: Sequence[Step]) -> bool:
    """Whether at every probe some branch of the steps gives the probe's own joint values."""
    return all(_recovers(list(steps), dict(probe)) for probe in memory.probes)


def _recovers(steps: list[Step], values: dict[str, float]) -> bool:
    for k, step in enumerate(steps):
        match step:
            case Let(name, value):
                values[name] = number(value, values)
            case Root(name, radicand):
                square = number(radicand, values)
                if square < -RECOVERED:
                    return False
                size = math.sqrt(max(square, 0.0))
                rest = steps[k + 1 :]
                return any(_recovers(rest, {**values, name: s * size}) for s in (1, -1))
            case Turn(angle, sine, cosine):
                y, x = number(sine, values), number(cosine, values)
                true = math.atan2(values[angle.sin], values[angle.cos])
                if math.hypot(y, x) < FREE or not _same_angle(math.atan2(y, x), true):
                    return False
            case Slide(joint, numerator, denominator):
                d = number(denominator, values)
                if abs(d) < FREE:
                    return False
                if abs(number(numerator, values) / d - values[f"q{joint}"]) > RECOVERED:
                    return False
            case Sum():
                pass
    return True


def number(expression: Expression, values: dict[str, float]) -> float:
    """Return the value of an expression."""
    needed = {symbol: values[symbol.name] for symbol in expression.free_symbols}
    return float(expression.subs(needed))


def _same_angle(one: float, two: float) -> bool:
    return abs(math.remainder(one - two, 2 * math.pi)) < RECOVERED
