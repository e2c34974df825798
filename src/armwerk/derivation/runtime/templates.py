"""The text of the generated source: expressions as they are written, and the fixed parts.

SymEngine expressions become Python source that numba turns into plain arithmetic. The arctangent is
a polynomial, free of branches, so that the compiler can work on many poses at once. For
|r| <= tan(pi/8), z = r²,

    atan(r) = r + r z P(z),   P of degree 10,

where P interpolates (atan(sqrt z)/sqrt z - 1)/z at the eleven Chebyshev nodes of
[0, tan²(pi/8)], computed with sixty digits; its relative error is 5e-18. Larger arguments are
brought there by atan(t) = pi/4 + atan((t - 1)/(t + 1)) and atan(t) = pi/2 - atan(1/t).

Every product that is added to something is fused with the sum, `fma`, and the compiler may fuse
nothing else: so results are the same on every processor, and on an accelerator, to the last bit.

Generated code carries numba's decorators itself: it is kept in the user's cache under the digest of
its text and must mean the same whatever version of armwerk loads it.
"""

from __future__ import annotations

import inspect
import math

from armwerk.derivation.line_pair import line_pair
from armwerk.derivation.program import Expression
from armwerk.derivation.runtime import tolerances
from armwerk.derivation.runtime.kinematics import PLAIN
from armwerk.errors import UnsupportedError

_SUM, _PRODUCT, _ATOM = 1, 2, 3
_LARGEST_POWER = 16
_DEEPEST = 48  # brackets in brackets; Python reads 200


def source(expression: Expression, fused: bool = False) -> str:
    """Return an expression as source text.

    Args:
        expression: Sums, products, whole powers and square roots.
        fused: Whether a product that is added to something is written ``fma(a, b, something)``.

    Raises:
        UnsupportedError: For a function or power that is no arithmetic.
    """
    return _text(expression, fused)[0]


def _text(expression: Expression, fused: bool) -> tuple[str, int]:
    if expression.is_Symbol:
        return expression.name, _ATOM
    if expression.is_Number:
        value = float(expression)
        return repr(value), _ATOM if value >= 0 else _SUM
    if expression.is_Add:
        return _fused_sum(expression) if fused else (_sum(expression), _SUM)
    if expression.is_Mul:
        return _product(expression, fused)
    if expression.is_Pow:
        base, exponent = expression.args
        return _power(base, exponent, fused)
    raise UnsupportedError(f"no run-time code for the expression {expression}")


def _sum(expression: Expression) -> str:
    # a positive term first saves a change of sign
    terms = (_text(one, False)[0] for one in expression.args)
    first, *rest = sorted(terms, key=lambda term: term.startswith("-"))
    for term in rest:
        first += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return first


def _fused_sum(expression: Expression) -> tuple[str, int]:
    """Return a sum whose products are added one by one, each rounded together with its sum."""
    products: list[tuple[str, str]] = []
    others: list[str] = []
    for one in expression.args:
        parts = _two_factors(one)
        if parts is None:
            others.append(_text(one, True)[0])
        else:
            products.append(parts)
    others.sort(key=lambda term: term.startswith("-"))
    if others:
        text, *rest = others
        for term in rest:
            text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    else:
        left, right = products.pop(0)
        text = f"{left} * {right}"
    done = ""
    for count, (left, right) in enumerate(products, 1):
        text = f"fma({left}, {right}, {text})"
        if count % _DEEPEST == 0 and count < len(products):
            done, text = f"{done}{text} + ", "0.0"
    return done + text, _ATOM if products and not done else _SUM


def _two_factors(term: Expression) -> tuple[str, str] | None:
    """Return a product as what is multiplied with what; None for a quotient or a single factor."""
    factors: list[str] = []
    sign = ""
    for factor in term.args if term.is_Mul else [term]:
        if factor.is_Number:
            value = float(factor)
            sign = "-" if value < 0 else sign
            if abs(value) != 1.0:
                factors.append(repr(abs(value)))
        elif factor.is_Pow:
            base, exponent = factor.args
            if not exponent.is_Number or float(exponent) < 1 or float(exponent) % 1:
                return None
            factors += [_inside(_text(base, True))] * _count(base, float(exponent))
        else:
            factors.append(_inside(_text(factor, True)))
    if len(factors) < 2:
        return None
    return sign + " * ".join(factors[:-1]), factors[-1]


def _product(expression: Expression, fused: bool) -> tuple[str, int]:
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
            bottom.append(_inside(_power(factor.args[0], -factor.args[1], fused)))
        else:
            top.append(_inside(_text(factor, fused)))
    text = " * ".join(top) or "1.0"
    if bottom:
        text += f" / {bottom[0]}" if len(bottom) == 1 else f" / ({' * '.join(bottom)})"
    return sign + text, _SUM if sign else _PRODUCT


def _power(base: Expression, exponent: Expression, fused: bool) -> tuple[str, int]:
    power = float(exponent) if exponent.is_Number else 0.0
    inner = _inside(_text(base, fused))
    if power == 0.5:
        return f"sqrt({_text(base, fused)[0]})", _ATOM
    if power == -0.5:
        return f"1.0 / sqrt({_text(base, fused)[0]})", _PRODUCT
    count = _count(base, power)
    product = " * ".join([inner] * count)
    if power < 0:
        return f"1.0 / ({product})", _PRODUCT
    return (product, _PRODUCT) if count > 1 else (inner, _ATOM)


def _count(base: Expression, power: float) -> int:
    """Return how often a base is multiplied or divided by.

    Raises:
        UnsupportedError: For a power that is no small whole number.
    """
    count = int(abs(power))
    if count != abs(power) or not 0 < count <= _LARGEST_POWER:
        raise UnsupportedError(f"no run-time code for the power {base}**{power:g}")
    return count


def _inside(text: tuple[str, int]) -> str:
    """Return text as a factor; also products in brackets, so that quotients stay what they are."""
    return text[0] if text[1] == _ATOM else f"({text[0]})"


ATAN = (
    -0.3333333333333333,
    0.1999999999999552,
    -0.14285714284666542,
    0.11111111015256361,
    -0.09090904578123901,
    0.07692183190826087,
    -0.06664511447381939,
    0.058581489128021295,
    -0.05085449737939841,
    0.03923165829557509,
    -0.019176887119047435,
)

HEADER = '''\
"""All inverse kinematics of one arm, each checked against direct kinematics.

Written by armwerk.derivation.runtime; do not edit. A level computes what depends on the signs of
the roots in its name; the kernels run it once per combination of these signs.
"""

from math import sqrt

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

INSIDE = dict(
    forceinline=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)
KERNEL = dict(
    nogil=True,
    cache=True,
    error_model="numpy",
    boundscheck=False,
    no_cfunc_wrapper=True,
)
inline = njit(**INSIDE)


def fma(a, b, c):
    """Return a b + c, rounded once; twice where nothing is compiled."""
    return a * b + c


if not config.DISABLE_JIT:

    @intrinsic
    def fma(typing_context, a, b, c):
        """Return a b + c, rounded once."""

        def generate(context, builder, signature, arguments):
            return builder.fma(*arguments)

        return types.float64(types.float64, types.float64, types.float64), generate
'''


def _horner() -> str:
    text = repr(ATAN[-1])
    for coefficient in reversed(ATAN[:-1]):
        text = f"fma({text}, z, {coefficient!r})"
    return text


COMMON = f'''

@inline
def smaller(a, b):
    return choose(a < b, a, b)


@inline
def angle_of(s, c):
    """Return the angle in (-pi, pi] of a unit vector (c, s)."""
    y, x = abs(s), abs(c)
    steep = y > x
    low = choose(steep, x, y)
    high = choose(steep, y, x)
    middle = low > 0.41421356237309503 * high
    r = choose(middle, low - high, low) / choose(middle, low + high, high)
    z = r * r
    a = fma(r * z, {_horner()}, r)
    a = choose(middle, a + {math.pi / 4!r}, a)
    a = choose(steep, {math.pi / 2!r} - a, a)
    a = choose(c < 0.0, {math.pi!r} - a, a)
    return choose((s < 0.0) & (a < {math.pi!r}), -a, a)


@inline
def wrap(a):
    """Return an angle of (-3 pi, 3 pi] in (-pi, pi]."""
    a = choose(a > {math.pi!r}, a - {2 * math.pi!r}, a)
    return choose(a <= -{math.pi!r}, a + {2 * math.pi!r}, a)


@inline
def verdict(low, near, miss_position, miss_rotation):
    """Return 1 for a solution, 0 for none, 2 for a branch that needs care.

    Args:
        low: Smallest radicand, as a share of its usual size.
        near: Smallest squared length of a turn, as a share of its usual size.
        miss_position, miss_rotation: Squared residuals [m²], [rad²].
    """
    turns = near >= {tolerances.TURN_ZERO**2!r}
    real = low > {tolerances.ROOT_CLEAR!r}
    hit = (miss_position <= {(tolerances.SHARP * tolerances.POSITION) ** 2!r}) & (
        miss_rotation <= {(tolerances.SHARP * tolerances.ROTATION) ** 2!r}
    )
    far = (miss_position > {tolerances.CLOSE**2!r}) | (miss_rotation > {tolerances.CLOSE**2!r})
    none = turns & ((low < {-tolerances.ROOT_ZERO!r}) | (real & far))
    return choose(turns & real & hit, 1.0, choose(none, 0.0, 2.0))
'''

FUNCTIONS = '''

@inline
def choose(condition, a, b):
    return a if condition else b


@inline
def is_homogeneous(t):
    """Whether the last row of a pose is 0 0 0 1."""
    return (t[3, 0] == 0.0) & (t[3, 1] == 0.0) & (t[3, 2] == 0.0) & (t[3, 3] == 1.0)
'''

# the one text of this function that Python, numba and the written module share
LINES_BODY = inspect.getsource(line_pair).split('"""', 2)[2]

LINES = f"""

from math import acos, cos  # noqa: E402


@inline
def line_pair(k0, k1, k2, k3, k4):{LINES_BODY}"""

MOVE = '''

@inline
def moved(pose, setting, count):
    """Turn ``count`` tool poses in the world, side by side, into poses of the last joint frame."""
    work = np.empty(12 * count)
    for r in range(3):
        f0, f1, f2 = setting[4 * r], setting[4 * r + 1], setting[4 * r + 2]
        for c in range(4):
            shift = setting[4 * r + 3] if c == 3 else 0.0
            for k in range(count):
                x, y = pose[c * count + k], pose[(4 + c) * count + k]
                z = pose[(8 + c) * count + k]
                work[(4 * r + c) * count + k] = fma(f0, x, fma(f1, y, fma(f2, z, shift)))
    for r in range(3):
        for c in range(4):
            b0, b1, b2 = setting[12 + c], setting[16 + c], setting[20 + c]
            for k in range(count):
                x, y = work[4 * r * count + k], work[(4 * r + 1) * count + k]
                z = work[(4 * r + 2) * count + k]
                own = work[(4 * r + 3) * count + k] if c == 3 else 0.0
                pose[(4 * r + c) * count + k] = fma(b0, x, fma(b1, y, fma(b2, z, own)))
'''

BRANCHES_HEAD = f'''

@njit("void(float64[:,::1], float64[::1], float64[:,::1])", **KERNEL)
def branches(target, setting, out):
    """Fill one row per branch: joint values, radicand, turn, misses, verdict; last row: rigid."""
    pose = np.empty(12)
    for r in range(3):
        for c in range(4):
            pose[4 * r + c] = target[r, c]
    if setting[{PLAIN}] == 0.0:
        moved(pose, setting, 1)
'''

ONE = f'''

@inline
def is_new(found, count):
    """Whether row ``count`` differs from all rows before it."""
    for other in range(count):
        same = True
        for j in range(DOF):
            gap = abs(found[other, j] - found[count, j])
            gap = smaller(gap, abs(gap - {2 * math.pi!r})) if TURNS[j] else gap
            same = same and gap <= {tolerances.SAME!r}
        if same:
            return False
    return True


@njit("int64(float64[:,::1], float64[::1], float64[:,::1])", **KERNEL)
def one(target, setting, found):
    """Fill the solutions and return their number, or -1 when some branch needs care."""
    raw = np.empty((LEAVES + 1, DOF + 5))
    branches(target, setting, raw)
    count = 0
    care = not raw[LEAVES, 0] <= ORTHONORMAL or not is_homogeneous(target)
    for leaf in range(LEAVES):
        state = raw[leaf, DOF + 4]
        care = care or state == 2.0
        if state == 1.0:
            for j in range(DOF):
                found[count, j] = raw[leaf, j]
            count += not REPEATS or is_new(found, count)
    return -1 if care else count
'''

BATCH_HEAD = f'''

@njit(
    "void(float64[:,:,::1], float64[::1], float64[:,:,::1], int64[::1], uint8[::1], int64, int64)",
    **KERNEL
)
def batch(targets, setting, out, counts, care, start, stop):
    """Fill the solutions of poses start to stop, their number, and whether they need care."""
    pose = np.empty(12 * LANES)
    result = np.empty(ROWS * LANES)
    plain = setting[{PLAIN}] != 0.0
    for first in range(start, stop, LANES):
        lanes = min(LANES, stop - first)
        for k in range(LANES):
            p = first + min(k, lanes - 1)
            for r in range(3):
                for c in range(4):
                    pose[(4 * r + c) * LANES + k] = targets[p, r, c]
        if not plain:
            moved(pose, setting, LANES)
        lane_loop(pose, setting, result)
        for k in range(lanes):
            p = first + k
            rough = not result[(ROWS - 1) * LANES + k] <= ORTHONORMAL
            rough = rough or not is_homogeneous(targets[p])
            found = 0
            for leaf in range(LEAVES):
                state = result[(ROWS - 1 - LEAVES + leaf) * LANES + k]
                rough = rough or state == 2.0
                if state == 1.0:
                    for j in range(DOF):
                        out[p, found, j] = result[SLOTS[leaf, j] * LANES + k]
                    found += not REPEATS or is_new(out[p], found)
            counts[p] = found
            care[p] = rough
            for rest in range(found, LEAVES):
                for j in range(DOF):
                    out[p, rest, j] = np.nan
'''

LANE_LOOP_HEAD = """

@inline
def lane_loop(pose, setting, result):
    for k in range(LANES):
"""
