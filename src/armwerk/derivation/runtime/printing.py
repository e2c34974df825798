"""SymEngine expressions as Python source that numba turns into plain arithmetic."""

from __future__ import annotations

from armwerk.derivation.program import Expression
from armwerk.errors import UnsupportedError

_SUM, _PRODUCT, _ATOM = 1, 2, 3
_LARGEST_POWER = 16


def source(expression: Expression) -> str:
    """Return an expression as source text.

    Raises:
        UnsupportedError: For a function or power that is no arithmetic.
    """
    return _text(expression)[0]


def _text(expression: Expression) -> tuple[str, int]:
    if expression.is_Symbol:
        return expression.name, _ATOM
    if expression.is_Number:
        value = float(expression)
        return repr(value), _ATOM if value >= 0 else _SUM
    if expression.is_Add:
        return _sum(expression), _SUM
    if expression.is_Mul:
        return _product(expression)
    if expression.is_Pow:
        return _power(*expression.args)
    raise UnsupportedError(f"no run-time code for the expression {expression}")


def _sum(expression: Expression) -> str:
    # a positive term first saves a change of sign
    terms = sorted((_text(one)[0] for one in expression.args), key=lambda t: t.startswith("-"))
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _product(expression: Expression) -> tuple[str, int]:
    sign = ""
    top: list[str] = []
    bottom: list[str] = []
    for factor in expression.args:
        if factor.is_Number:
            value = float(factor)
            sign = "-" if value < 0 else sign
            if abs(value) != 1.0:
                top.append(repr(abs(value)))
        elif factor.is_Pow and factor.args[1].is_Number and float(factor.args[1]) < 0:
            bottom.append(_inside(_power(factor.args[0], -factor.args[1])))
        else:
            top.append(_inside(_text(factor)))
    text = " * ".join(top) or "1.0"
    if bottom:
        text += f" / {bottom[0]}" if len(bottom) == 1 else f" / ({' * '.join(bottom)})"
    return sign + text, _SUM if sign else _PRODUCT


def _power(base: Expression, exponent: Expression) -> tuple[str, int]:
    power = float(exponent) if exponent.is_Number else 0.0
    inner = _inside(_text(base))
    if power == 0.5:
        return f"sqrt({_text(base)[0]})", _ATOM
    if power == -0.5:
        return f"1.0 / sqrt({_text(base)[0]})", _PRODUCT
    count = int(abs(power))
    if count != abs(power) or not 0 < count <= _LARGEST_POWER:
        raise UnsupportedError(f"no run-time code for the power {base}**{exponent}")
    product = " * ".join([inner] * count)
    if power < 0:
        return f"1.0 / ({product})", _PRODUCT
    return (product, _PRODUCT) if count > 1 else (inner, _ATOM)


def _inside(text: tuple[str, int]) -> str:
    """Return text as a factor; also products in brackets, so that quotients stay what they are."""
    return text[0] if text[1] == _ATOM else f"({text[0]})"
