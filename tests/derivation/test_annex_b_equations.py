"""Every kinematic equation that the source prints in annex B is among the derived ones."""

from __future__ import annotations

from typing import Any

import pytest
from annex_b_arm import annex_b_arm

from armwerk.derivation.equations import kinematic_equations
from armwerk.derivation.ring import Ring
from armwerk.derivation.sums import collect_sums, expand_sums

# Left side minus right side, in the source's order; d3 is q3, cos(θ1+θ2-θ4) is c12m4.
ONE_UNKNOWN = """
q3 - (d1 - pz)
az*q3 - (pz - d1)
ax*c1 + ay*s1
ax*s1 - ay*c1
nz*s4 + oz*c4
nz*c4 - oz*s4
"""
TWO_UNKNOWNS = """
a1*c1 + a2*c12 - px
a1*s1 + a2*s12 - py
nz*c2*c4 + nz*s2*s4 - oz*c2*s4 + oz*c4*s2
nz*c2*s4 - nz*c4*s2 + oz*c2*c4 + oz*s2*s4
a2*nz*c4 - a2*oz*s4 + az*q3 - (pz - d1)
a2*c2 - px*c1 - py*s1 + a1
a2*s2 + px*s1 - py*c1
ax*c12 + ay*s12
ax*s12 - ay*c12
a1*c2 - px*c12 - py*s12 + a2
a1*s2 - px*s12 + py*c12
"""
THREE_UNKNOWNS = """
c12m4 - nx
s12m4 - ny
s12m4 - ox
c12m4 + oy
c12 - nx*c4 + ox*s4
s12 - ny*c4 + oy*s4
s12 - nx*s4 - ox*c4
c12 + ny*s4 + oy*c4
a1*c1 + a2*c12 + ax*q3 - px
a1*s1 + a2*s12 + ay*q3 - py
nx*c2*c4 + nx*s2*s4 - ox*c2*s4 + ox*c4*s2 - c1
ny*c2*c4 + ny*s2*s4 - oy*c2*s4 + oy*c4*s2 - s1
nx*c2*s4 - nx*c4*s2 + ox*c2*c4 + ox*s2*s4 - s1
ny*c2*s4 - ny*c4*s2 + oy*c2*c4 + oy*s2*s4 + c1
a1*c1 + a2*nx*c4 - a2*ox*s4 + ax*q3 - px
a1*s1 + a2*ny*c4 - a2*oy*s4 + ay*q3 - py
nx*c1 + ny*s1 - c2*c4 - s2*s4
nx*s1 - ny*c1 - c2*s4 + c4*s2
ox*c1 + oy*s1 + c2*s4 - c4*s2
ox*s1 - oy*c1 - c2*c4 - s2*s4
nx*c1*c4 + ny*c4*s1 - ox*c1*s4 - oy*s1*s4 - c2
nx*c4*s1 - ny*c1*c4 - ox*s1*s4 + oy*c1*s4 + s2
nx*c1*s4 + ny*s1*s4 + ox*c1*c4 + oy*c4*s1 - s2
nx*s1*s4 - ny*c1*s4 + ox*c4*s1 - oy*c1*c4 - c2
a2*c2 + ax*q3*c1 + ay*q3*s1 - px*c1 - py*s1 + a1
a2*s2 - ax*q3*s1 + ay*q3*c1 + px*s1 - py*c1
nx*c12*c4 + ny*c4*s12 - ox*c12*s4 - oy*s12*s4 - 1
nx*c4*s12 - ny*c12*c4 - ox*s12*s4 + oy*c12*s4
nx*c12*s4 + ny*s12*s4 + ox*c12*c4 + oy*c4*s12
nx*s12*s4 - ny*c12*s4 + ox*c4*s12 - oy*c12*c4 - 1
nx*c12 + ny*s12 - c4
nx*s12 - ny*c12 - s4
ox*c12 + oy*s12 + s4
ox*s12 - oy*c12 - c4
"""
LINES = [
    line
    for part in (ONE_UNKNOWN, TWO_UNKNOWNS, THREE_UNKNOWNS)
    for line in part.split("\n")
    if line
]


@pytest.fixture(scope="module")
def ring() -> Ring:
    return Ring(annex_b_arm())


@pytest.fixture(scope="module")
def derived(ring: Ring) -> list[tuple[int, Any]]:
    """Number of unknown joints and expanded polynomial of every equation.

    Unknowns are counted when the sums of angles are put together: (11), (32) and (33) come out
    with θ2 in them, which cancels by the addition theorems.
    """
    found = []
    for equation in kinematic_equations(ring):
        poly = collect_sums(ring, equation.poly)
        turning = {joint for angle in ring.angles_in(poly) for joint in angle.joints}
        found.append((len(turning | ring.slides_in(poly)), expand_sums(ring, poly)))
    return found


def test_the_source_prints_6_11_and_34_equations() -> None:
    parts = (ONE_UNKNOWN, TWO_UNKNOWNS, THREE_UNKNOWNS)
    assert [part.strip().count("\n") + 1 for part in parts] == [6, 11, 34]


@pytest.mark.parametrize(("number", "text"), enumerate(LINES, start=1))
def test_printed_equation_is_derived(
    number: int, text: str, ring: Ring, derived: list[tuple[int, Any]]
) -> None:
    wanted = expand_sums(ring, eval(text, {name: ring[name] for name in ring.names}))
    unknowns = 1 if number <= 6 else 2 if number <= 17 else 3
    assert any(poly in (wanted, -wanted) and count == unknowns for count, poly in derived), text


def test_nothing_but_the_printed_equations_is_derived(
    ring: Ring, derived: list[tuple[int, Any]]
) -> None:
    names = {name: ring[name] for name in ring.names}
    printed = [expand_sums(ring, eval(text, names)) for text in LINES]
    more = [
        str(p) for count, p in derived if count and p and p not in printed and -p not in printed
    ]
    assert more == []
