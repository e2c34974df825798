"""What the world is built of: shapes, pieces of polygons, border, masses, colours, fast things."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from law_scenes import R, ball, cuboid, run_to, world

from armwerk.errors import DescriptionError
from armwerk.physics import Simulation, SimulationSettings
from armwerk.physics.outlines import area, convex_pieces
from armwerk.scene.scene import (
    Border,
    Circle,
    Conveyor,
    Obstacle,
    Outline,
    Polygon,
    Rectangle,
    Scene,
    Slice,
    Slope,
    Step,
    Thing,
    Wedge,
)

GREEN = "00FF00"
SQUARE = Rectangle((0.0, 0.0), (1.0, 1.0))


def distance(obstacle: Obstacle, point: tuple[float, float, float]) -> float:
    """Distance of an obstacle's surface from a small ball's surface, negative inside [m]."""
    simulation = world(ball(*point, radius=0.001), obstacles=(obstacle,))
    model, data = simulation.model, simulation.data
    probe = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "thing/ball0")
    geoms = [g for g in range(model.ngeom) if model.geom_bodyid[g] == 0 and g != 0]
    apart = min(mujoco.mj_geomDistance(model, data, g, probe, 1.0, None) for g in geoms)
    return float(apart + 0.001)


@pytest.mark.parametrize(
    ("obstacle", "point", "expected"),
    [
        (Step(Rectangle((1.0, 2.0), (0.4, 0.6)), 0.1, GREEN), (1.0, 2.0, 0.15), 0.05),
        (Step(Rectangle((1.0, 2.0), (0.4, 0.6)), 0.1, GREEN), (1.3, 2.0, 0.05), 0.1),
        (Step(Circle((0.0, 0.0), 0.2), 0.1, GREEN), (0.3, 0.0, 0.05), 0.1),
        (Slice(Rectangle((0.0, 0.0), (0.4, 0.6)), 0.2, 0.3, GREEN), (0.0, 0.0, 0.1), 0.1),
        (Slope(SQUARE, (0.0, 1.0), "x", GREEN), (-0.5, 0.0, 1.0), 0.5**0.5),
        (Slope(SQUARE, (0.0, 1.0), "y", GREEN), (0.0, -0.5, 1.0), 0.5**0.5),
        (Slope(SQUARE, (0.2, 0.2), "y", GREEN), (0.0, 0.0, 0.3), 0.1),
        (Wedge(SQUARE, (1.5, 1.5), (0.5, 1.0), "x", GREEN), (-0.5, 0.0, 0.4), 0.1),
        (Wedge(SQUARE, (1.5, 1.5), (0.5, 1.0), "x", GREEN), (0.45, 0.0, 0.7), 0.275 / 1.25**0.5),
        (Conveyor(Rectangle((0.0, 0.0), (1.0, 0.2)), (0.1, 0.1), "x", GREEN), (0.0, 0.0, 0.2), 0.1),
    ],
)  # fmt: skip
def test_obstacles_stand_where_they_should(
    obstacle: Obstacle, point: tuple[float, float, float], expected: float
) -> None:
    assert distance(obstacle, point) == pytest.approx(expected, abs=1e-5)


def test_a_slope_and_a_belt_flat_on_the_floor_are_nothing_to_stumble_over() -> None:
    flat = Rectangle((0.0, 0.0), (1.0, 1.0))
    obstacles = (
        Step(flat, 0.0, GREEN),
        Slope(flat, (0.0, 0.0), "x", GREEN),
        Conveyor(flat, (0.0, 0.0), "x", GREEN, speed=0.2),
    )
    simulation = world(ball(), obstacles=obstacles)
    run_to(simulation, 0.2)
    assert simulation.positions[0, 2] == pytest.approx(R, abs=1e-4)


@st.composite
def star_polygons(draw: st.DrawFn) -> list[tuple[float, float]]:
    """Simple polygons, most of them concave, around a centre."""
    count = draw(st.integers(3, 12))
    radii = draw(st.lists(st.floats(0.1, 1.0), min_size=count, max_size=count))
    corners = [
        (r * math.cos(2 * math.pi * k / count), r * math.sin(2 * math.pi * k / count))
        for k, r in enumerate(radii)
    ]
    return corners[::-1] if draw(st.booleans()) else corners


@settings(max_examples=150, deadline=None)
@given(star_polygons())
def test_pieces_of_a_polygon_are_convex_and_fill_it(corners: Sequence[tuple[float, float]]) -> None:
    if abs(area(corners)) < 1e-3:
        return
    pieces = convex_pieces(corners)
    assert sum(area(piece) for piece in pieces) == pytest.approx(abs(area(corners)), rel=1e-9)
    for piece in pieces:
        n = len(piece)
        for k in range(n):
            (ax, ay), (bx, by), (cx, cy) = piece[k - 1], piece[k], piece[(k + 1) % n]
            assert (bx - ax) * (cy - by) - (by - ay) * (cx - bx) >= -1e-12


def test_pieces_are_few() -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    assert len(convex_pieces(square)) == 1
    corner = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 2.0), (1.0, 1.0), (0.0, 1.0))
    assert len(convex_pieces(corner)) == 2


@pytest.mark.parametrize(
    "corners",
    [
        ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)),
        ((0.0, 0.0), (1.0, 0.0)),
        ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
    ],
)
def test_a_polygon_without_area_is_refused(corners: Sequence[tuple[float, float]]) -> None:
    with pytest.raises(DescriptionError, match="without area"):
        convex_pieces(corners)


def test_a_polygon_that_crosses_itself_is_refused() -> None:
    star = [(math.cos(4 * math.pi * k / 5), math.sin(4 * math.pi * k / 5)) for k in range(5)]
    with pytest.raises(DescriptionError, match="crosses itself"):
        convex_pieces(star)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
@pytest.mark.parametrize("thing", [ball(bounce=0.5), cuboid()])
def test_nothing_leaves_the_border(direction: tuple[float, float], thing: Thing) -> None:
    scene = Scene(things=(thing,), border=Border((-0.5, -0.4), (0.6, 0.7)))
    simulation = Simulation(scene, settings=SimulationSettings(dt=0.001))
    x, y = direction
    simulation.place(0, thing.centre, velocity=(5 * x, 5 * y, 0.0))
    for _ in range(600):
        simulation.step()
        px, py, _ = simulation.positions[0]
        assert -0.5 <= px <= 0.6
        assert -0.4 <= py <= 0.7


def test_a_thing_outside_the_border_is_left_alone() -> None:
    scene = Scene(things=(ball(2.0),), border=Border((-0.5, -0.5), (0.5, 0.5)))
    simulation = Simulation(scene)
    simulation.run(0.5)
    np.testing.assert_allclose(simulation.positions[0], (2.0, 0.0, R), atol=1e-4)


def test_masses_follow_from_the_density() -> None:
    simulation = Simulation(
        Scene(things=(ball(), cuboid(0.5))), settings=SimulationSettings(density=800.0)
    )
    assert simulation.model.body_mass[1] == pytest.approx(800 * 4 / 3 * math.pi * R**3)
    assert simulation.model.body_mass[2] == pytest.approx(800 * 0.1 * 0.06 * 0.04)


def test_colours_are_kept_for_the_picture() -> None:
    step = Step(Rectangle((0.0, 1.0), (1.0, 1.0)), 0.1, "336699")
    model = world(ball(), obstacles=(step,)).model
    np.testing.assert_allclose(model.geom("obstacle/step0").rgba, (0.2, 0.4, 0.6, 1.0))
    np.testing.assert_allclose(model.geom("thing/ball0").rgba, (1.0, 0.0, 0.0, 1.0))


def test_a_ball_too_small_to_touch_anything_is_refused() -> None:
    with pytest.raises(DescriptionError, match="ball0"):
        world(ball(radius=1e-6))


@pytest.mark.parametrize("shape", ["rectangle", "circle", "polygon"])
def test_a_cuboid_stands_still_on_every_kind_of_top(shape: str) -> None:
    outlines: dict[str, Outline] = {
        "rectangle": Rectangle((0.0, 0.0), (0.3, 0.3)),
        "circle": Circle((0.0, 0.0), 0.15),
        "polygon": Polygon(((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (0.0, 0.05), (-0.2, 0.2))),
    }
    simulation = world(cuboid(z=0.12), obstacles=(Step(outlines[shape], 0.1, GREEN),), dt=0.001)
    simulation.place(0, (0.0, -0.04, 0.12))
    run_to(simulation, 0.5)
    begin = simulation.positions
    run_to(simulation, 5.0)
    assert np.abs(simulation.positions - begin).max() < 1e-5
    assert simulation.thing(0).rotation[2, 2] > 1.0 - 1e-9


@pytest.mark.parametrize("dt", [0.001, 0.002])
@pytest.mark.parametrize("speed", [2.0, 6.0, 9.0])
@pytest.mark.parametrize("kind", ["ball", "cuboid"])
def test_a_thin_slice_stops_what_falls_at_9_m_per_s(dt: float, speed: float, kind: str) -> None:
    """Two millimetres thick; safe as long as a step is shorter than half the thing."""
    plate = Slice(Rectangle((0.0, 0.0), (1.0, 1.0)), 1.0, 1.002, GREEN)
    thing = ball(z=1.5, bounce=0.3) if kind == "ball" else cuboid(z=1.5)
    for k in range(4):  # different phases of the step
        simulation = world(thing, obstacles=(plate,), dt=dt)
        simulation.place(0, (0.1, 0.1, 1.3 + k * speed * dt / 4), velocity=(0.0, 0.0, -speed))
        run_to(simulation, 0.4)
        assert simulation.positions[0, 2] > 1.0
