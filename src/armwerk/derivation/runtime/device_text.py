"""The text of the same inverse kinematics for an accelerator, made for triton.

Levels and the functions they call are those of the processor, word by word: `choose`, `fma`,
`sqrt` and `abs` mean the same there, and numbers are written so that triton takes them in 64 bit.
So are the results, to the last bit. One pose is solved by one lane; its branches follow each other
in a loop, and what is a solution is written behind those found before. Where branches may give the
same configuration, the loop is written out, so that each can be held against those before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from armwerk.derivation.ring import POSE_ROWS
from armwerk.derivation.runtime import tolerances

_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)")
_DOCSTRING = re.compile(r'"""[\s\S]*?"""')
POSE_NAMES = tuple(name for row in POSE_ROWS for name in row)

HEADER = '''\
"""All inverse kinematics of one arm for an accelerator; written by armwerk, do not edit."""

import triton
import triton.language as tl

inline = triton.jit


@triton.jit
def number(value: tl.constexpr):
    return tl.full((), value, tl.float64)


@triton.jit
def choose(condition, a, b):
    return tl.where(condition, a, b)


@triton.jit
def fma(a, b, c):
    return tl.fma(a, b, c)


@triton.jit
def sqrt(a):
    return tl.sqrt(a)


@triton.jit
def abs(a):
    return tl.abs(a)
'''

MOVE = '''

@triton.jit
def placed(setting, x, y, z, r: tl.constexpr, SHIFTED: tl.constexpr):
    """Return one entry of the inverse base times a column."""
    f0 = tl.load(setting + 4 * r)
    f1 = tl.load(setting + 4 * r + 1)
    f2 = tl.load(setting + 4 * r + 2)
    shift = x * number(0.0)
    if SHIFTED:
        shift += tl.load(setting + 4 * r + 3)
    return fma(f0, x, fma(f1, y, fma(f2, z, shift)))


@triton.jit
def held(setting, x, y, z, own, c: tl.constexpr):
    """Return one entry of a row times the inverse tool."""
    b0 = tl.load(setting + 12 + c)
    b1 = tl.load(setting + 16 + c)
    b2 = tl.load(setting + 20 + c)
    return fma(b0, x, fma(b1, y, fma(b2, z, own)))
'''

GAP = f"""

@triton.jit
def turn_gap(a, b):
    gap = abs(a - b)
    return smaller(gap, abs(gap - number({2 * math.pi!r})))
"""

SOLVE = '''

@triton.jit(do_not_specialize=["each", "total"])
def solve(
    targets,  # (m, 4, 4); with GRID (places, 3)
    orientations,  # (each, 3, 3), with GRID
    each,
    setting,
    out,  # (m, LEAVES, DOF)
    counts,  # (m,), int8
    care,  # (m,), int8
    total,
    PLAIN: tl.constexpr,
    GRID: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Fill the solutions of all poses, their number, and whether they need care."""
    p = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = p < total
    zero = tl.zeros([BLOCK], tl.float64)
    found = tl.zeros([BLOCK], tl.int64)
    rough = p < 0
'''


def device_module(
    shared: str, body: Iterable[str], parameters: Mapping[str, float], *, repeats: bool
) -> str:
    """Return the text of the module.

    Args:
        shared: Functions and levels as the processor has them.
        body: Statements of one pose, in the same words.
        parameters: Dimensions by the names they have in there.
        repeats: Whether branches may give the same configuration.
    """
    parts = [HEADER, translated(shared, parameters), MOVE]
    if repeats:
        parts.append(GAP)
    lines = [*_loads(), *_moves(), *translated("\n".join(body), parameters).splitlines()]
    return "".join([*parts, SOLVE, *(f"    {line}\n" for line in lines)])


def translated(text: str, parameters: Mapping[str, float]) -> str:
    """Return text whose numbers and dimensions are of 64 bit; its comments are left out."""
    text = _DOCSTRING.sub('"""As on the processor."""', text)
    for name, value in parameters.items():
        text = re.sub(rf"\b{name}\b", repr(value) if value >= 0 else f"(-{-value!r})", text)
    return _NUMBER.sub(lambda match: f"number({match[0]})", text)


def _loads() -> Iterable[str]:
    yield "if GRID:"
    yield "    place = targets + (p // each) * 3"
    yield "    turn = orientations + (p % each) * 9"
    for k, name in enumerate(POSE_NAMES):
        r, c = divmod(k, 4)
        source = f"place + {r}" if c == 3 else f"turn + {3 * r + c}"
        yield f"    {name} = tl.load({source}, mask=inside, other=0.0)"
    yield "else:"
    yield "    pose = targets + p * 16"
    for k, name in enumerate(POSE_NAMES):
        yield f"    {name} = tl.load(pose + {k}, mask=inside, other=0.0)"
    for k in range(4):
        wanted = f"number({float(k == 3)!r})"
        yield f"    last = tl.load(pose + {12 + k}, mask=inside, other=0.0)"
        yield f"    rough = rough | (last != {wanted})"


def _moves() -> Iterable[str]:
    """Yield how a tool pose in the world becomes one of the last joint frame."""
    yield "if not PLAIN:"
    for c in range(4):
        column = ", ".join(row[c] for row in POSE_ROWS)
        for r in range(3):
            yield f"    w{r}{c} = placed(setting, {column}, {r}, {c == 3})"
    for r, names in enumerate(POSE_ROWS):
        for c, name in enumerate(names):
            own = f"w{r}3" if c == 3 else "zero"
            yield f"    {name} = held(setting, w{r}0, w{r}1, w{r}2, {own}, {c})"


def rigid_check(rigid: str) -> str:
    """Return the statement that marks poses that are no rigid transform."""
    return f"rough = rough | (({rigid} <= {tolerances.ORTHONORMAL**2!r}) == 0)"


def signs(roots: int) -> Iterable[str]:
    """Yield the statements that give a branch its signs: the first root's is the highest bit."""
    for root in range(roots):
        yield f"sign{root} = choose((leaf >> {roots - 1 - root}) & 1 != 0, -1.0, 1.0)"


def branch(
    values: list[str],
    state: str,
    *,
    leaves: int,
    leaf: int | None = None,
    turns: tuple[bool, ...] = (),
) -> Iterable[str]:
    """Yield the statements that keep one branch.

    Args:
        values: Joint values.
        state: Its verdict.
        leaves: Number of branches.
        leaf: Its number, where branches may give the same configuration.
        turns: Which joints turn, for these.
    """
    own = "" if leaf is None else leaf
    for j, value in enumerate(values):
        yield f"joint{own}_{j} = {value} + zero"
    yield f"state = {state}"
    yield "rough = rough | (state == 2.0)"
    yield f"new{own} = inside & (state == 1.0)"
    for other in range(leaf or 0):
        gaps = (
            f"(turn_gap(joint{other}_{j}, joint{own}_{j}) <= {tolerances.SAME!r})"
            if turn
            else f"(abs(joint{other}_{j} - joint{own}_{j}) <= {tolerances.SAME!r})"
            for j, turn in enumerate(turns)
        )
        yield f"same = new{other} & {' & '.join(gaps)}"
        yield f"new{own} = new{own} & (same == 0)"
    yield f"row = out + (p * {leaves} + found) * {len(values)}"
    for j in range(len(values)):
        yield f"tl.store(row + {j}, joint{own}_{j}, mask=new{own})"
    yield f"found += new{own}.to(tl.int64)"


def ending(leaves: int, joints: int) -> Iterable[str]:
    """Yield the statements behind the last branch."""
    yield "nothing = tl.full((), 0x7FF8000000000000, tl.int64).to(tl.float64, bitcast=True)"
    yield f"for rest in range({leaves}):"
    yield "    empty = inside & (rest >= found)"
    yield f"    for j in range({joints}):"
    yield f"        tl.store(out + (p * {leaves} + rest) * {joints} + j, nothing, mask=empty)"
    yield "tl.store(counts + p, found.to(tl.int8), mask=inside)"
    yield "tl.store(care + p, rough.to(tl.int8), mask=inside)"
