"""Sums of angles of parallel axes: written out, and put together again.

A polynomial may hold the sine and cosine of θ2, θ3 and θ2 + θ3 at once. Two polynomials are the
same function exactly when they agree after `expand_sums`, which leaves single angles only and
is therefore the form for proofs. `collect_sums` goes the other way and finds the short form that
people expect, a2·c2 + d4·s23.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary

from armwerk.derivation.ring import Angle, Poly, PolyContext, Ring

MOST_TREES = 16  # bases tried per group of parallel axes: all of them for up to three axes

Edge: TypeAlias = tuple[int, int]
SpanningTree: TypeAlias = tuple[Edge, ...]
SumTerms: TypeAlias = tuple[tuple[tuple[tuple[int, int], ...], int], ...]

_parts_of: WeakKeyDictionary[Algebra, dict[Poly, SumTerms]] = WeakKeyDictionary()
_bases_of: WeakKeyDictionary[Algebra, dict[Angle, list[dict[str, Poly]]]] = WeakKeyDictionary()


class Algebra(Protocol):
    """What a ring of polynomials offers: generators by name, and the rule s² = 1 - c²."""

    names: tuple[str, ...]
    context: PolyContext
    index: dict[str, int]
    angles: tuple[Angle, ...]
    zero: Poly
    one: Poly

    @property
    def kinematics(self) -> Ring:
        """The ring of the kinematics, itself or the one it extends."""

    def __getitem__(self, name: str) -> Poly:
        """Return the generator of that name."""

    def reduce(self, poly: Poly) -> Poly:
        """Return the normal form modulo s² = 1 - c²."""


def expand_sums(ring: Algebra, poly: Poly) -> Poly:
    """Return the polynomial in single angles only, reduced: a normal form, equal means same."""
    used = poly.degrees()
    present = [
        angle
        for angle in ring.angles
        if len(angle.terms) > 1 and (used[ring.index[angle.sin]] or used[ring.index[angle.cos]])
    ]
    if not present:
        return ring.reduce(poly)
    images = {}
    for angle in present:
        parts = [(Angle(((joint, 1),)), sign) for joint, sign in angle.terms]
        images[angle.cos], images[angle.sin] = cosine_sine_of_sum(ring, parts)
    return substitute(ring, poly, images)


def expand_matrix(ring: Algebra, matrix: list[list[Poly]]) -> list[list[Poly]]:
    """Return the matrix with every entry expanded."""
    return [[expand_sums(ring, entry) for entry in row] for row in matrix]


def substitute(ring: Algebra, poly: Poly, images: dict[str, Poly]) -> Poly:
    """Return the polynomial with some generators replaced, reduced."""
    arguments = [images.get(name, generator) for name, generator in _generators(ring)]
    return ring.reduce(poly.compose(*arguments))


def cosine_sine_of_sum(ring: Algebra, parts: list[tuple[Angle, int]]) -> tuple[Poly, Poly]:
    """Return cosine and sine of a signed sum of angles by the addition theorems."""
    cosine, sine = ring.one, ring.zero
    for angle, sign in parts:
        c, s = ring[angle.cos], sign * ring[angle.sin]
        cosine, sine = cosine * c - sine * s, sine * c + cosine * s
    return ring.reduce(cosine), ring.reduce(sine)


def collect_sums(ring: Algebra, poly: Poly) -> Poly:
    """Return the shortest equal polynomial, sums of parallel angles put together.

    For every group of parallel axes the polynomial is split into coefficients that hold the
    group's angles only; each is rewritten in every basis of angles (θ2, θ3; θ2, θ2 + θ3; ...)
    and the one with the fewest terms and factors is kept.
    """
    poly = expand_sums(ring, poly)
    for group in _groups(ring.angles):
        poly = _collect(ring, poly, group)
    return poly


def collect_matrix(ring: Algebra, matrix: list[list[Poly]]) -> list[list[Poly]]:
    """Return the matrix with every entry collected."""
    return [[collect_sums(ring, entry) for entry in row] for row in matrix]


def best_basis(ring: Algebra, polys: list[Poly]) -> tuple[list[Poly], list[Angle]]:
    """Return polynomials rewritten in one basis of angles, and the angles of that basis.

    Of every group of parallel axes the basis with the fewest terms in total is chosen; only
    angles that occur are returned.
    """
    chosen = [angle for angle in ring.angles if len(angle.terms) == 1]
    for group in _groups(ring.angles):
        singles = [angle for angle in chosen if angle.joints < group.joints]
        options = [(sum(map(len, polys)), polys, singles)]
        for tree, images in zip(_trees(len(group.terms)), _bases(ring, group), strict=True):
            changed = [substitute(ring, poly, images) for poly in polys]
            edges = [_edge_angle(group, edge) for edge in tree]
            options.append((sum(map(len, changed)), changed, edges))
        _, polys, angles = min(options, key=lambda option: option[0])
        chosen = [angle for angle in chosen if angle not in singles] + angles
    used = [sum(column) for column in zip(*(poly.degrees() for poly in polys), strict=True)]
    return polys, [a for a in chosen if used[ring.index[a.sin]] or used[ring.index[a.cos]]]


def _generators(ring: Algebra) -> list[tuple[str, Poly]]:
    return [(name, ring.context.gen(k)) for k, name in enumerate(ring.names)]


def _groups(angles: tuple[Angle, ...]) -> list[Angle]:
    """Return the longest sum of each group of parallel axes with at least two of them."""
    longest = [a for a in angles if len(a.terms) > 1]
    return [a for a in longest if not any(a.joints < b.joints for b in longest)]


def _collect(ring: Algebra, poly: Poly, group: Angle) -> Poly:
    inner = [
        ring.index[name]
        for joint, _ in group.terms
        for name in (Angle(((joint, 1),)).cos, Angle(((joint, 1),)).sin)
    ]
    degrees = poly.degrees()
    if not any(degrees[k] for k in inner):
        return poly
    split: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
    for exponents, coefficient in poly.to_dict().items():
        outside = list(exponents)
        for k in inner:
            outside[k] = 0
        within = tuple(exponents[k] for k in inner)
        split.setdefault(tuple(outside), []).append((within, int(coefficient)))
    kept = _parts_of.setdefault(ring, {})
    collected: dict[tuple[int, ...], int] = {}
    for outside_key, terms in split.items():
        key = group, tuple(sorted(terms))
        if key not in kept:
            kept[key] = _short_terms(ring, group, inner, terms)
        for powers, coefficient in kept[key]:
            exponents = list(outside_key)
            for k, power in powers:
                exponents[k] = power
            collected[tuple(exponents)] = coefficient
    return ring.context.from_dict(collected)


def _short_terms(
    ring: Algebra, group: Angle, inner: list[int], terms: list[tuple[tuple[int, ...], int]]
) -> SumTerms:
    """Return the shortest form of a part as coefficients with the powers that are not zero."""
    part = {}
    for within, coefficient in terms:
        exponents = [0] * len(ring.names)
        for k, power in zip(inner, within, strict=True):
            exponents[k] = power
        part[tuple(exponents)] = coefficient
    short = _shortest(ring, ring.context.from_dict(part), group)
    return tuple(
        (tuple((k, int(power)) for k, power in enumerate(m) if power), int(c))
        for m, c in short.to_dict().items()
    )


def _shortest(ring: Algebra, part: Poly, group: Angle) -> Poly:
    best, best_size = part, _size(part)
    for images in _bases(ring, group):
        if best_size[0] <= 1 and best_size[1] <= 1:
            break
        candidate = substitute(ring, part, images)
        size = _size(candidate)
        if size < best_size:
            best, best_size = candidate, size
    return best


def _size(poly: Poly) -> tuple[int, int]:
    return len(poly), sum(sum(exponents) for exponents in poly.monoms())


def _bases(ring: Algebra, group: Angle) -> list[dict[str, Poly]]:
    """Return for every basis of the group the images of its single cosines and sines."""
    kept = _bases_of.setdefault(ring, {})
    if group not in kept:
        kept[group] = [_images(ring, group, tree) for tree in _trees(len(group.terms))]
    return kept[group]


def _images(ring: Algebra, group: Angle, tree: SpanningTree) -> dict[str, Poly]:
    """Return cosine and sine of the group's single angles in terms of the tree's angles.

    With the senses e of the axes, frame k of the group is turned by F_k = e_1 θ_1 + ... + e_k θ_k,
    and the angle of the edge from frame j to frame k > j is e_{j+1} (F_k - F_j).
    """
    images = {}
    for place, (joint, sense) in enumerate(group.terms):
        parts = [
            (_edge_angle(group, edge), sense * walked * group.terms[edge[0]][1])
            for edge, walked in _path(tree, place, place + 1)
        ]
        single = Angle(((joint, 1),))
        images[single.cos], images[single.sin] = cosine_sine_of_sum(ring, parts)
    return images


def _edge_angle(group: Angle, edge: Edge) -> Angle:
    """Return the angle between two of the group's frames, its first term counted plus."""
    members = group.terms[edge[0] : edge[1]]
    first = members[0][1]
    return Angle(tuple((joint, sign * first) for joint, sign in members))


@cache
def _trees(axes: int) -> tuple[SpanningTree, ...]:
    """Return spanning trees over the group's frames 0 ... axes, each a basis of angles."""
    nodes = range(axes + 1)
    if axes <= 3:
        edges = list(combinations(nodes, 2))
        return tuple(tree for tree in combinations(edges, axes) if _spans(tree, axes + 1))
    stars = [tuple((min(hub, k), max(hub, k)) for k in nodes if k != hub) for hub in nodes]
    return tuple(stars[:MOST_TREES])


def _spans(tree: SpanningTree, count: int) -> bool:
    reached = {0}
    for _ in tree:
        reached |= {node for edge in tree if set(edge) & reached for node in edge}
    return len(reached) == count


def _path(tree: SpanningTree, start: int, goal: int) -> list[tuple[Edge, int]]:
    """Return the edges from start to goal, each with +1 when walked upwards."""

    def walk(node: int, seen: frozenset[int]) -> Iterator[list[tuple[Edge, int]]]:
        if node == goal:
            yield []
            return
        for edge in tree:
            if node in edge:
                other = edge[0] if edge[1] == node else edge[1]
                if other not in seen:
                    for rest in walk(other, seen | {other}):
                        yield [(edge, 1 if other > node else -1), *rest]

    return next(walk(start, frozenset({start})))
