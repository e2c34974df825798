"""The shapes on the floor: RECT, CIRCLE, POLY, and the word that ends their body."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from armwerk.scene.arguments import Arguments
from armwerk.scene.keywords import ALL_ENDS, ENDS, SHAPES, USAGE, closest, is_directive
from armwerk.scene.scanner import Abandoned, quoted
from armwerk.scene.scene import Circle, Outline, Point, Polygon, Rectangle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CORNERS = 200
_LEAST_AREA = 1e-8  # [m²] a square of 0.1 mm
_NO_SHAPE = Rectangle((math.nan, math.nan), (math.nan, math.nan))


def read_rectangle(a: Arguments) -> Rectangle:
    """Read a body's outline that has to be a rectangle, and the end of the body."""
    outline = _closed(a, ("RECT",))
    return outline if isinstance(outline, Rectangle) else _NO_SHAPE


def read_outline(a: Arguments) -> Outline:
    """Read a body's outline, and the end of the body."""
    return _closed(a, tuple(SHAPES))


def _closed(a: Arguments, allowed: tuple[str, ...]) -> Outline:
    directive, start = a.directive, a.start
    span, word = a.scanner.peek()
    shape = word if word in SHAPES else closest(word, SHAPES, 0.75) or ""
    if not shape or is_directive(word) or word in ALL_ENDS:
        found = quoted(word) if word else "the end of the file"
        a.scanner.report(span, f"{directive}: found {found}, no shape", " or ".join(allowed))
        outline: Outline = _NO_SHAPE
    else:
        if shape != word:
            a.scanner.report(span, f"{quoted(word)} is no shape; did you mean '{shape}'?")
        elif shape not in allowed:
            a.report(span, f"cannot stand on a {shape}", " or ".join(allowed))
        a.scanner.advance(span[1])
        a.directive, a.usage, a.start = shape, SHAPES[shape], span
        outline = _READERS[shape](a)
        a.directive, a.usage, a.start = directive, USAGE[directive], start
    _end(a)
    return outline


def _end(a: Arguments) -> None:
    span, word = a.scanner.peek()
    ends = ENDS[a.directive]
    if word in ends:
        a.scanner.advance(span[1])
        return
    line = a.scanner.line(a.start[0])
    expected = f"{' or '.join(ends)} for the {a.directive} of line {line}"
    close = closest(word, ends, 0.8)
    if not word or is_directive(word):
        found = quoted(word) if word else "the end of the file"
        a.scanner.report(span, f"found {found} before the {a.directive} has ended", expected)
    elif close or word in ALL_ENDS:
        a.scanner.report(span, f"found {quoted(word)}", expected)
        a.scanner.advance(span[1])
    else:
        a.scanner.fail(span, f"unexpected {quoted(word)}", expected)


def _rectangle(a: Arguments) -> Outline:
    centre = a.point()
    return Rectangle(centre, (a.size("sizex"), a.size("sizey")))


def _circle(a: Arguments) -> Outline:
    centre = a.point()
    return Circle(centre, a.size("radius"))


def _polygon(a: Arguments) -> Outline:
    problems = len(a.scanner.problems)
    count = a.whole("n", 3, MOST_CORNERS)
    start = a.span[0]
    if len(a.scanner.problems) > problems:  # nobody knows how many corners come
        raise Abandoned
    corners = tuple(a.point(f"x{i + 1}", f"y{i + 1}") for i in range(count))
    fault = polygon_fault(corners)
    if fault:
        expected = "a simple polygon: corners all different, sides that do not touch"
        a.report((start, a.scanner.position), fault, expected)
    return Polygon(corners)


_READERS = {"RECT": _rectangle, "CIRCLE": _circle, "POLY": _polygon}


def polygon_fault(corners: tuple[Point, ...]) -> str:
    """Say why corners [m] make no simple polygon; empty: they do.

    Two sides that are not neighbours may not touch, neighbours may not lie on each other, and the
    area may not vanish. nan passes.
    """
    import numpy as np

    p = np.array(corners, dtype=np.float64)
    if np.isnan(p).any():
        return ""
    n = len(p)
    same = np.argwhere(np.triu((p[:, None, :] == p[None, :, :]).all(axis=2), 1))
    if len(same):
        first, second = int(same[0, 0]), int(same[0, 1])
        return f"corner {second + 1} is the same as corner {first + 1}"
    touching = np.argwhere(_touching(p, np.roll(p, -1, axis=0)))
    if len(touching):
        first, second = int(touching[0, 0]), int(touching[0, 1])
        return f"side {first + 1} and side {second + 1} touch or cross"
    x, y = (p - p[0]).T
    area = abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2.0
    if area < _LEAST_AREA:
        return f"polygon of {n} corners has no area"
    return ""


def _touching(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which sides p[i] q[i] and p[j] q[j], i < j, have more in common than a corner.

    Shape (n, n). Two closed segments meet where the ends of each lie on different sides of the
    other, or where an end lies on the other.
    """
    import numpy as np

    d = q - p
    n = len(p)
    side_p = np.sign(
        d[:, None, 0] * (p[None] - p[:, None])[..., 1]
        - d[:, None, 1] * (p[None] - p[:, None])[..., 0]
    )  # p[j] seen from side i
    side_q = np.roll(side_p, -1, axis=1)
    box = (
        (np.minimum(p, q)[:, None] <= np.maximum(p, q)[None])
        & (np.minimum(p, q)[None] <= np.maximum(p, q)[:, None])
    ).all(axis=2)
    meet: NDArray[np.bool_] = box & (side_p * side_q <= 0) & (side_p.T * side_q.T <= 0)
    i = np.arange(n)
    following = (i + 1) % n
    back = (side_q[i, following] == 0) & ((d * np.roll(d, -1, axis=0)).sum(axis=1) < 0)
    meet[i, following] = back
    meet[following, i] = back
    return np.triu(meet, 1)
