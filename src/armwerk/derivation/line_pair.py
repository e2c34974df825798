"""Two lines through the points that a conic and the unit circle have in common.

The trigonometric polynomial

    k0 + k1 cos θ + k2 sin θ + k3 cos 2θ + k4 sin 2θ

(of degree four in tan θ/2) is a conic in x = cos θ, y = sin θ. Adding λ (x² + y² - 1) changes
nothing on the circle, and makes the conic a pair of lines for the roots λ of a cubic,

    f(λ) = (λ² - ρ²) (λ - k0) + σ² λ + k3 (r² - p²) - 2 k4 p r,
    p = k1/2, r = k2/2, ρ² = k3² + k4², σ² = p² + r².

f(-ρ) <= 0 <= f(ρ), so there is a root with |λ| <= ρ, for which the lines are real. Each line
a cos θ + b sin θ = e gives two angles: no chart of the circle is needed, no angle is at infinity.
Of three such roots one at an end is taken, the one farther from the middle: where two of the four
angles meet, the two other roots do, and one line becomes a tangent of the circle, known to full
precision.

The symmetric matrix of the pair is g hᵀ + h gᵀ; its adjugate is -v vᵀ with v = g × h, and
M + [v]× = 2 h gᵀ shows both lines as a row and a column.
"""

from __future__ import annotations

from math import acos, cos, sqrt

SixNumbers = tuple[float, float, float, float, float, float]


def line_pair(k0: float, k1: float, k2: float, k3: float, k4: float) -> SixNumbers:
    """Return a1, b1, e1, a2, b2, e2 of the lines a cos + b sin = e.

    Each line has a² + b² + e² = 1; all are 0 where every angle will do. Where three angles meet, or
    two and two, the lines are known to half their digits or less: one that passes the circle so
    closely is moved onto it, for Newton's method to decide.
    """
    size = max(abs(k0), abs(k1), abs(k2), abs(k3), abs(k4))
    if not size > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k0, p, r, k3, k4 = k0 / size, 0.5 * k1 / size, 0.5 * k2 / size, k3 / size, k4 / size
    square, sigma = k3 * k3 + k4 * k4, p * p + r * r
    rho, rest = sqrt(square), k3 * (r * r - p * p) - 2.0 * k4 * p * r
    # λ = t + k0/3 with t³ + q t + g = 0
    third = k0 / 3.0
    q = sigma - square - k0 * third
    g = (third * third - square) * (third - k0) + sigma * third + rest
    under = 0.25 * g * g + q * q * q / 27.0
    if under < 0.0:
        reach = 2.0 * sqrt(-q / 3.0)
        turn = acos(max(-1.0, min(1.0, 3.0 * g / (q * reach)))) / 3.0
        high, low = reach * cos(turn), reach * cos(turn + 2.0943951023931953)
        middle = -high - low
        upper = high - middle > middle - low
        at = middle + third
        root = high if at < -rho or (upper and at <= rho) else low
    else:
        big = (0.5 * abs(g) + sqrt(under)) ** (1.0 / 3.0)
        root = (big - q / (3.0 * big) if big > 0.0 else 0.0) * (-1.0 if g > 0.0 else 1.0)
    root = max(-rho, min(rho, root + third))
    slope = 0.0
    for _ in range(2):
        slope = 2.0 * root * (root - k0) + root * root - square + sigma
        value = (root * root - square) * (root - k0) + sigma * root + rest
        step = value / slope if slope != 0.0 else 0.0
        root = max(-rho, min(rho, root - step if abs(step) < 1e-3 else root))
    a, b, c, f = root + k3, k4, root - k3, k0 - root
    # minus the diagonal of the adjugate; its largest entry gives v best
    xx, yy, zz = r * r - c * f, p * p - a * f, (rho - root) * (rho + root)
    xy, xz, yz = b * f - p * r, c * p - b * r, a * r - b * p
    if zz >= xx and zz >= yy:
        length = sqrt(max(zz, 0.0))
        way = 1.0 / length if length > 0.0 else 0.0
        x, y, z = xz * way, yz * way, length
    elif yy >= xx:
        length = sqrt(max(yy, 0.0))
        way = 1.0 / length if length > 0.0 else 0.0
        x, y, z = xy * way, length, yz * way
    else:
        length = sqrt(max(xx, 0.0))
        way = 1.0 / length if length > 0.0 else 0.0
        x, y, z = length, xy * way, xz * way
    # rows of M + [v]×
    r00, r01, r02 = a, b - z, p + y
    r10, r11, r12 = b + z, c, r - x
    r20, r21, r22 = p - y, r + x, f
    row0 = r00 * r00 + r01 * r01 + r02 * r02
    row1 = r10 * r10 + r11 * r11 + r12 * r12
    row2 = r20 * r20 + r21 * r21 + r22 * r22
    a1, b1, e1, one = r00, r01, -r02, row0
    if row1 >= row0 and row1 >= row2:
        a1, b1, e1, one = r10, r11, -r12, row1
    elif row2 >= row0:
        a1, b1, e1, one = r20, r21, -r22, row2
    column0 = r00 * r00 + r10 * r10 + r20 * r20
    column1 = r01 * r01 + r11 * r11 + r21 * r21
    column2 = r02 * r02 + r12 * r12 + r22 * r22
    a2, b2, e2, two = r00, r10, -r20, column0
    if column1 >= column0 and column1 >= column2:
        a2, b2, e2, two = r01, r11, -r21, column1
    elif column2 >= column0:
        a2, b2, e2, two = r02, r12, -r22, column2
    one = 1.0 / sqrt(one) if one > 0.0 else 0.0
    two = 1.0 / sqrt(two) if two > 0.0 else 0.0
    a1, b1, e1, a2, b2, e2 = a1 * one, b1 * one, e1 * one, a2 * two, b2 * two, e2 * two
    if min(abs(slope), x * x + y * y + z * z) < 1e-6:
        near, far = sqrt(a1 * a1 + b1 * b1), abs(e1)
        e1 *= near / far if near < far < 1.01 * near else 1.0
        near, far = sqrt(a2 * a2 + b2 * b2), abs(e2)
        e2 *= near / far if near < far < 1.01 * near else 1.0
    return a1, b1, e1, a2, b2, e2
