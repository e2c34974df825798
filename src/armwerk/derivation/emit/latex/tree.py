"""The solution tree as a drawing: one level for each conclusion, one leaf for each solution."""

from __future__ import annotations

from collections.abc import Sequence

from armwerk.derivation.emit.latex.notation import unknown

_WIDE, _NARROW, _LEAF = 10.5, 3.2, 1.5  # [cm] the leaves take: most, least, each
_HIGH = 1.15  # [cm] from level to level
_MOST = 16  # leaves that can be told apart; beyond this only the first branch is drawn


def solution_tree(levels: Sequence[tuple[tuple[str, ...], int]]) -> str:
    """Return a TikZ picture.

    Args:
        levels: What each conclusion finds, and how many values it gives per branch.
    """
    leaves = 1
    for _, branches in levels:
        leaves *= branches
    drawn = min(leaves, _MOST)
    wide = min(_WIDE, max(_NARROW, _LEAF * drawn))
    lines = [r"\begin{center}", r"\begin{tikzpicture}[x=1cm, y=1cm]"]
    lines.append(
        r"\tikzset{knot/.style={circle, fill=black, inner sep=1.3pt}, "
        r"leaf/.style={circle, draw, inner sep=1.2pt, font=\scriptsize}, "
        r"sign/.style={font=\scriptsize, fill=white, inner sep=1pt}}"
    )
    places = [wide / 2]
    lines.append(rf"\node[knot, label={{above:\small pose}}] (n0-0) at ({places[0]:.3f}, 0) {{}};")
    share = wide
    for depth, (names, branches) in enumerate(levels, 1):
        fork = branches if len(places) * branches <= drawn else 1
        last = depth == len(levels)
        share /= fork
        lines.append(_label(names, branches, depth, wide))
        children: list[float] = []
        for parent, x in enumerate(places):
            for k in range(fork):
                at = x + (k - (fork - 1) / 2) * share
                number = len(children)
                children.append(at)
                lines.append(_node(depth, number, at, last))
                sign = "" if fork == 1 else _sign(k, fork)
                lines.append(rf"\draw (n{depth - 1}-{parent}) -- {sign}(n{depth}-{number});")
        places = children
    total = "one solution" if leaves == 1 else f"at most {leaves} solutions"
    y = -_HIGH * len(levels) - 0.6
    lines.append(rf"\node[font=\small] at ({wide / 2:.3f}, {y:.3f}) {{{total}}};")
    return "\n".join([*lines, r"\end{tikzpicture}", r"\end{center}"]) + "\n"


def _label(names: tuple[str, ...], branches: int, depth: int, wide: float) -> str:
    shown = ", ".join(f"${unknown(name)}$" for name in names[:3])
    shown += ", \\dots" if len(names) > 3 else ""
    count = "one value" if branches == 1 else f"{branches} values"
    y = -_HIGH * depth
    return (
        rf"\node[anchor=west, font=\small, align=left] at ({wide + 0.4:.3f}, {y:.3f}) "
        rf"{{{shown}\\[-2pt]{{\scriptsize {count}}}}};"
    )


def _node(depth: int, number: int, x: float, last: bool) -> str:
    y = -_HIGH * depth
    if last:
        return rf"\node[leaf] (n{depth}-{number}) at ({x:.3f}, {y:.3f}) {{{number + 1}}};"
    return rf"\node[knot] (n{depth}-{number}) at ({x:.3f}, {y:.3f}) {{}};"


def _sign(k: int, fork: int) -> str:
    text = ("$+$", "$-$")[k] if fork == 2 else str(k + 1)
    return f"node[sign, midway] {{{text}}} "
