"""Zones and barriers fire when they should, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.physics.zones import ZoneWatcher, _turn, matches
from armwerk.scene import Ball, Barrier, Cuboid, Scene, Zone

TINY = Fraction(1, 10**6)
Place = tuple[float, float]


def ball(colour: str = "FF0000") -> Ball:
    return Ball((0.0, 0.0, 0.0), 0.03, 0.1, 0.5, colour)


def cuboid(colour: str = "FF0000") -> Cuboid:
    return Cuboid((0.0, 0.0, 0.0), (0.1, 0.1, 0.1), colour)


def barrier(start: Place, end: Place, colour: str | None = None) -> Barrier:
    return Barrier("ball", 0, "t", start, end, 0.1, colour)


def fired(watches: tuple[Zone | Barrier, ...], *way: Place) -> list[int]:
    """Return what one ball sets off on its way."""
    watcher = ZoneWatcher(Scene(things=(ball(),), watches=watches))
    watcher.start([(*way[0], 0.0)])
    return [w for x, y in way[1:] for w in watcher.check([(x, y, 0.0)])]


ENTERS = Zone("ball", "enters", 0, "in", (1.0, 1.0), 0.5, 0.1)
LEAVES = Zone("ball", "leaves", 0, "out", (1.0, 1.0), 0.5, 0.1)


def test_zone_fires_when_entered_and_when_left() -> None:
    zones = (ENTERS, LEAVES)
    assert fired(zones, (0, 0), (1, 1)) == [0]
    assert fired(zones, (0, 0), (1, 1), (1.1, 1.1), (3, 3)) == [0, 1]
    assert fired(zones, (0, 0), (1, 1), (0, 0), (1, 1)) == [0, 1, 0]


def test_thing_that_starts_inside_does_not_enter() -> None:
    zones = (ENTERS, LEAVES)
    assert fired(zones, (1, 1), (1.1, 1), (1, 1)) == []
    assert fired(zones, (1, 1), (1.1, 1), (2, 2)) == [1]


def test_zone_is_judged_at_the_steps_and_its_edge_belongs_to_it() -> None:
    assert fired((ENTERS, LEAVES), (0, 1), (2, 1)) == []
    assert fired((ENTERS, LEAVES), (0, 1), (0.5, 1)) == [0]
    assert fired((ENTERS, LEAVES), (0.5, 1), (0.5 - 1e-12, 1)) == [1]


def test_first_check_without_start_is_the_start() -> None:
    watcher = ZoneWatcher(Scene(things=(ball(),), watches=(ENTERS,)))
    assert watcher.check([(1.0, 1.0, 0.0)]) == []
    assert watcher.check([(3.0, 1.0, 0.0)]) == []
    assert watcher.check([(1.0, 1.0, 0.0)]) == [0]


def test_barrier_counts_only_from_left_to_right() -> None:
    gate = (barrier((0, 0), (0, 2)),)  # seen along +y, left is -x
    assert fired(gate, (-1, 1), (1, 1)) == [0]
    assert fired(gate, (1, 1), (-1, 1)) == []
    assert fired(gate, (-1, 1), (1, 1), (-1, 1), (1, 1)) == [0, 0]
    assert fired(gate, (-1, 3), (1, 3)) == []
    assert fired(gate, (-1, -1), (1, -1)) == []


def test_fast_thing_does_not_slip_through() -> None:
    gate = (barrier((0, 0), (0, 0.01)),)
    assert fired(gate, (-50, 0.005), (70, 0.005)) == [0]
    assert fired(gate, (-50, 0.0101), (70, 0.0101)) == []


def test_stop_on_the_line_counts_once() -> None:
    gate = (barrier((0, 0), (0, 2)),)
    assert fired(gate, (-1, 1), (0, 1), (1, 1)) == [0]
    assert fired(gate, (-1, 1), (0, 1), (0, 1), (0, 1.2), (1, 1)) == [0]
    assert len(fired(gate, (1, 1), (0, 1), (-1, 1))) == 0


def test_passage_through_a_shared_end_counts_once() -> None:
    chain = tuple(barrier((0, y), (0, y + 1)) for y in range(4))
    for y in (0.5, 1.0, 2.0, 2.5, 3.0):
        assert len(fired(chain, (-1, y), (1, y))) == 1
        assert len(fired(chain, (-1, y), (0, y), (1, y))) == 1
    assert len(fired(chain, (-1, 0), (1, 4))) == 1


def is_inside(corners: list[tuple[int, int]], x: Fraction, y: Fraction) -> bool:
    """Say whether a point that lies on no side is inside, by counting sides above it."""
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        if (x1 > x) != (x2 > x) and y < y1 + (x - x1) * Fraction(y2 - y1, x2 - x1):
            inside = not inside
    return inside


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3])
def test_closed_fence_keeps_the_books(scale: float) -> None:
    """Way in minus ways out is whether it is inside, for walks that hit corners and sides.

    The fence runs through grid points and so does the walk; every point lies where it would lie
    if it were moved a little to the right and much less upwards.
    """
    corners = [(0, 0), (4, 0), (4, 2), (2, 2), (3, 4), (1, 3), (0, 4), (-1, 2), (1, 1)]
    ends = list(zip(corners, corners[1:] + corners[:1], strict=True))
    placed = [((a[0] * scale, a[1] * scale), (b[0] * scale, b[1] * scale)) for a, b in ends]
    out = tuple(barrier(a, b) for a, b in placed)  # counter-clockwise: the inside is left
    into = tuple(barrier(b, a) for a, b in placed)
    watcher = ZoneWatcher(Scene(things=(ball(),), watches=out + into))
    rng = np.random.default_rng(5)
    walk = rng.integers(-2, 6, (4000, 2))
    grid = [(int(x), int(y)) for x, y in walk]
    watcher.start([(grid[0][0] * scale, grid[0][1] * scale, 0.0)])
    inside = is_inside(corners, grid[0][0] + TINY, grid[0][1] + TINY**2)
    crossings = 0
    for x, y in grid[1:]:
        hits = watcher.check([(x * scale, y * scale, 0.0)])
        change = sum(1 if w >= len(out) else -1 for w in hits)
        now = is_inside(corners, x + TINY, y + TINY**2)
        assert change == now - inside
        inside = now
        crossings += len(hits)
    assert crossings > 1000


def test_orientation_is_exact() -> None:
    """On points that lie within rounding of a line, against fractions."""
    rng = np.random.default_rng(3)
    wrong_when_rounded = 0
    for _ in range(2000):
        a, d = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2)
        b, c = a + d, a + d * rng.uniform(0, 1)
        exact = [[Fraction(float(v)) for v in point] for point in (a, b, c)]
        (ax, ay), (bx, by), (cx, cy) = exact
        cross = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        sign = (cross > 0) - (cross < 0)
        found = _turn(*a, *b, *c)
        assert (found > 0) - (found < 0) == sign
        rounded = float((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0])
        wrong_when_rounded += (rounded > 0) - (rounded < 0) != sign
    assert wrong_when_rounded > 100


def test_kinds_and_colours_are_told_apart() -> None:
    gate = barrier((0, 0), (0, 2), "80807F")
    assert matches(gate, ball("8A7689"))
    assert not matches(gate, ball("8B8080"))
    assert not matches(gate, ball("80808A"))
    assert not matches(gate, cuboid("80807F"))
    assert matches(barrier((0, 0), (0, 2)), ball("000000"))
    things = (ball("FF0000"), cuboid("FF0000"), ball("00FF00"), ball("F80205"))
    watches = (
        barrier((0, 0), (0, 2), "FF0000"),
        Barrier("cuboid", 0, "t", (0, 0), (0, 2), 0.1),
        Zone("cuboid", "enters", 0, "t", (1, 1), 0.5, 0.1, "00FF00"),
    )
    watcher = ZoneWatcher(Scene(things=things, watches=watches))
    watcher.start(np.tile((-1.0, 1.0, 0.0), (4, 1)))
    assert watcher.check(np.tile((1.0, 1.0, 0.0), (4, 1))) == [0, 0, 1]


def test_lost_things_set_nothing_off_and_come_back() -> None:
    watcher = ZoneWatcher(Scene(things=(ball(),), watches=(ENTERS,)))
    watcher.start([(0.0, 0.0, 0.0)])
    assert watcher.check([(np.nan, 0.0, 0.0)]) == []
    assert watcher.check([(np.inf, 0.0, 0.0)]) == []
    assert watcher.check([(1.0, 1.0, 0.0)]) == [0]


def test_nothing_to_watch_is_no_trouble() -> None:
    assert ZoneWatcher(Scene()).check(np.empty((0, 3))) == []
    watcher = ZoneWatcher(Scene(things=(ball(),)))
    watcher.start([(0, 0, 0)])
    assert watcher.check([(1, 1, 1)]) == []
    alone = ZoneWatcher(Scene(watches=(ENTERS,)))
    assert alone.check(np.empty((0, 3))) == []


def test_wrong_shape_is_named() -> None:
    watcher = ZoneWatcher(Scene(things=(ball(), ball()), watches=(ENTERS,)))
    with pytest.raises(ShapeError, match=r"\(2, 3\)"):
        watcher.start([(0.0, 0.0, 0.0)])


def _crosses(watch: Barrier, a: Array, b: Array) -> bool:
    """Whether the way from a to b crosses a barrier from left to right, by plain arithmetic."""
    start, end = np.array(watch.start), np.array(watch.end)

    def left(one: Array, two: Array, point: Array) -> bool:
        across, away = two - one, point - one
        return bool(across[0] * away[1] - across[1] * away[0] > 0.0)

    through = left(start, end, a) and not left(start, end, b)
    return through and left(a, b, start) != left(a, b, end)


def _length_on_ground(watch: Barrier | Zone) -> float:
    """Return how much of a barrier or of a zone's rim lies within 1 m of the middle [m]."""
    if isinstance(watch, Barrier):
        return math.dist(watch.start, watch.end)  # both ends do
    turn = np.linspace(0.0, 2.0 * math.pi, 4000, endpoint=False)
    rim = np.array(watch.centre) + watch.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return 2.0 * math.pi * watch.radius * float((np.abs(rim) < 1.0).all(axis=1).mean())


def test_two_hundred_things_and_twenty_watches_fire_as_plain_arithmetic_says() -> None:
    rng = np.random.default_rng(0)
    things = tuple(ball() if i % 2 else cuboid() for i in range(200))
    spots = rng.uniform(-1, 1, (20, 4)).tolist()
    watches = tuple(
        Zone("ball", "enters", 0, "t", (x, y), 0.1 + abs(u), 0.1)
        if i % 2
        else Barrier("cuboid", 0, "t", (x, y), (u, v), 0.1)
        for i, (x, y, u, v) in enumerate(spots)
    )
    watcher = ZoneWatcher(Scene(things=things, watches=watches))
    before = rng.uniform(-1, 1, (200, 3))
    watcher.start(before)
    total = 0
    for _ in range(50):
        now = before + 0.02 * rng.normal(size=before.shape)
        expected: list[int] = []
        for number, watch in enumerate(watches):
            for thing, a, b in zip(things, before[:, :2], now[:, :2], strict=True):
                if not matches(watch, thing):
                    continue
                if isinstance(watch, Barrier):
                    fires = _crosses(watch, a, b)
                else:
                    was, now_is = (math.dist(p, watch.centre) <= watch.radius for p in (a, b))
                    fires = now_is and not was
                expected += [number] * fires
        assert watcher.check(now) == expected
        total += len(expected)
        before = now
    # Steps of normal size s carry s / √(2 π) things per metre, step and unit of density through a
    # line from one side: 100 of either kind lie on 4 m², and what is off that ground meets nothing.
    length = sum(_length_on_ground(watch) for watch in watches)
    expected_total = 50 * (100 / 4.0) * length * 0.02 / math.sqrt(2.0 * math.pi)
    assert abs(total - expected_total) < 4.0 * math.sqrt(expected_total)
