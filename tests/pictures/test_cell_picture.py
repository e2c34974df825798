"""Pictures of cells: what is where, in front, in the light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from armwerk.arrays import Array
from armwerk.mechanics import model
from armwerk.mechanics.assembly.model import AssemblyModel
from armwerk.pictures.camera import Camera
from armwerk.pictures.cell import CellPicture, Flags, camera_of, start_of
from armwerk.pictures.cell_robot import FAST, MOVING, DrawnRobot, robot_solids
from armwerk.pictures.cell_scene import belt_marks, floor_of, obstacle_solids, watch_solids
from armwerk.pictures.cell_solids import Solid, ears, globe, prism, rod, triangles
from armwerk.pictures.opengl import OpenGLPicture, opengl_platform
from armwerk.robot import load
from armwerk.scene.scene import (
    Ball,
    Barrier,
    Border,
    Circle,
    Conveyor,
    Cuboid,
    Obstacle,
    Paint,
    Polygon,
    Rectangle,
    Scene,
    Slice,
    Slope,
    Step,
    Tile,
    Wedge,
    Zone,
)

SIZE = (160, 120)
TINT = (0.5, 0.5, 0.5)


def volume(solids: Sequence[Solid]) -> float:
    """Volume [m³] of closed triangles by the divergence theorem; negative when turned inwards."""
    corners = triangles(solids).corners
    six = np.einsum("ni,ni->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    return float(six) / 6


def place_of(picture: CellPicture, point: ArrayLike) -> tuple[float, float]:
    """Row and column of a point of the world in the picture, by the camera's own projection."""
    eye = picture.eye
    half = min(picture.size) / 2 / np.tan(np.deg2rad(16.0))
    x, y = eye.project(np.array([point]))[0] / eye.distance * half
    return picture.size[1] / 2 - y, picture.size[0] / 2 + x


def red(pixels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    wide = pixels.astype(int)
    return np.asarray(wide[..., 0] - wide[..., 1:].max(axis=-1) > 60)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (Step(Rectangle((1, 2), (0.4, 0.2)), 0.5, "808080"), 0.4 * 0.2 * 0.5),
        (Slice(Circle((1, 2), 0.3), 0.1, 0.4, "808080"), np.pi * 0.09 * 0.3),
        (Slope(Rectangle((1, 2), (1.0, 0.2)), (0.1, 0.5), "x", "808080"), 0.2 * 0.3),
        (Wedge(Rectangle((0, 0), (1.0, 0.5)), (0.5, 0.7), (0.1, 0.5), "y", "808080"), 0.15),
        (Step(Polygon(((0, 0), (0, 2), (1, 2), (1, 1), (2, 1), (2, 0))), 0.5, "808080"), 1.5),
        (Conveyor(Rectangle((0, 0), (1.0, 0.5)), (0.2, 0.2), "x", "808080"), 0.1),
    ],
)
def test_obstacles_have_their_volume(body: Obstacle | Conveyor, expected: float) -> None:
    assert volume(obstacle_solids(body)) == pytest.approx(expected, rel=0.02)


def test_normals_point_outwards() -> None:
    solids = [globe((1, 2, 3), 0.5, TINT), *rod((0, 0, 0), (1, 1, 1), 0.2, TINT)]
    for solid in solids:
        seen = triangles([solid])
        out = seen.corners - solid.pose[:3, 3]
        assert (np.einsum("nki,nki->nk", out, seen.normals) > 0).all()
        flat = np.cross(
            seen.corners[:, 1] - seen.corners[:, 0], seen.corners[:, 2] - seen.corners[:, 0]
        )
        assert (np.einsum("ni,ni->n", flat, seen.normals.mean(axis=1)) > 0).all()
        assert np.allclose(np.linalg.norm(seen.normals, axis=-1), 1)
    assert volume(solids[:1]) == pytest.approx(4 / 3 * np.pi * 0.125, rel=0.03)


def test_polygons_are_cut_into_their_own_area() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        angles = np.sort(random.uniform(0, 2 * np.pi, 9))
        if np.diff([*angles, angles[0] + 2 * np.pi]).max() > 3:
            continue
        outline = random.uniform(0.3, 1.0, 9)[:, None] * np.stack(
            [np.cos(angles), np.sin(angles)], 1
        )
        after = np.roll(outline, -1, axis=0)
        area = (outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum() / 2
        cut = outline[ears(outline)]
        sides = cut[:, 1:] - cut[:, :1]
        areas = (sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2
        assert (areas > -1e-12).all()
        assert areas.sum() == pytest.approx(area)


def test_a_ball_is_drawn_where_the_camera_sees_it() -> None:
    scene = Scene(
        things=(Ball((0.2, 0.1, 0.6), 0.1, 0, 0, "FF0000"),), border=Border((-1, -1), (1, 1))
    )
    picture = CellPicture(scene, size=SIZE)
    found = np.argwhere(red(picture.draw(start_of(scene))))
    assert np.allclose(found.mean(axis=0) + 0.5, place_of(picture, (0.2, 0.1, 0.6)), atol=1.5)


def test_what_is_in_front_hides_what_is_behind() -> None:
    ball = Ball((0, 0, 0.1), 0.1, 0, 0, "FF0000")
    wall = Step(Rectangle((0, -0.5), (2, 0.1)), 1.0, "808080")
    eye = Camera(np.array([0, 0, 0.1]), 4.0, np.deg2rad(-90), np.deg2rad(10))
    open_view = CellPicture(Scene(things=(ball,)), size=SIZE, camera=eye)
    hidden = CellPicture(Scene(things=(ball,), obstacles=(wall,)), size=SIZE, camera=eye)
    assert red(open_view.draw(start_of(open_view.scene))).sum() > 50
    assert red(hidden.draw(start_of(hidden.scene))).sum() == 0
    behind = replace(eye, azimuth=np.deg2rad(90))
    seen = CellPicture(hidden.scene, size=SIZE, camera=behind)
    assert red(seen.draw(start_of(seen.scene))).sum() > 50


def test_a_shadow_falls_away_from_the_sun() -> None:
    bare = Scene(border=Border((-2, -2), (2, 2)))
    ball = replace(bare, things=(Ball((0, 0, 0.5), 0.2, 0, 0, "FF0000"),))
    eye = Camera(np.zeros(3), 6.0, np.deg2rad(-90), np.deg2rad(80))
    lit = CellPicture(bare, size=SIZE, camera=eye).draw(start_of(bare)).astype(int)
    picture = CellPicture(ball, size=SIZE, camera=eye)
    shaded = picture.draw(start_of(ball)).astype(int)
    darker = (lit - shaded).min(axis=-1) > 30
    darker &= ~red(shaded.astype(np.uint8))
    # along the sun's ray through (0, 0, 0.5): the sun stands at (-0.42, -0.55, 1)
    foot = (0.21, 0.275, 0.0)
    row, column = (int(value) for value in place_of(picture, foot))
    assert darker[row - 2 : row + 3, column - 2 : column + 3].mean() > 0.5


def test_the_floor() -> None:
    scene = Scene(
        border=Border((0, 0), (2, 1)),
        tiles=(Tile((1, 2), (0, 0), "FF0000"),),
        paints=(Paint(Rectangle((0.25, 0.75), (0.2, 0.2)), "0000FF", 0.5),),
    )
    floor = floor_of(scene)
    assert floor.bounds.tolist() == [0, 0, 2, 1]

    def at(x: float, y: float) -> Array:
        rows, columns, _ = floor.picture.shape
        return np.asarray(floor.picture[int(y * rows), int(x / 2 * columns)])

    assert np.allclose(at(0.75, 0.25), (1, 0, 0), atol=0.01)
    assert np.allclose(at(1.25, 0.25), (1, 0, 0), atol=0.01)
    assert at(1.75, 0.25)[1] > 0.8
    assert not np.allclose(at(1.25, 0.75), at(1.75, 0.75))  # a checkerboard
    assert at(0.25, 0.75)[2] - at(0.25, 0.75)[0] > 0.3
    assert np.ptp(at(0.25, 0.9)) < 0.1


def test_zones_let_things_be_seen_and_can_be_left_out() -> None:
    scene = Scene(
        things=(Ball((0, 0, 0.1), 0.1, 0, 0, "FF0000"),),
        watches=(
            Zone("ball", "enters", 0, "IN", (0, 0), 0.3, 0.4),
            Barrier("ball", 0, "B", (-0.5, -0.5), (0.5, -0.5), 0.3),
        ),
    )
    assert all(solid.alpha < 1 for solid in watch_solids(scene.watches[0]))
    moment = start_of(scene)
    shown = CellPicture(scene, size=SIZE).draw(moment)
    bare = CellPicture(scene, size=SIZE, flags=Flags(zones=False)).draw(moment)
    changed = (shown != bare).any(axis=-1)
    assert 0.02 < changed.mean() < 0.6
    assert red(shown).sum() > 20


def test_belts_show_that_they_run() -> None:
    belt = Conveyor(Rectangle((0, 0), (2.0, 0.4)), (0.2, 0.6), "x", "404040", speed=0.5)
    scene = Scene(obstacles=(belt,))
    picture = CellPicture(scene, size=SIZE)
    one = picture.draw(replace(start_of(scene), travels=[0.0]))
    two = picture.draw(replace(start_of(scene), travels=[0.1]))
    assert (one != two).any()
    for travel in np.linspace(-1, 1, 9):
        corners = triangles(belt_marks(belt, travel)).corners.reshape(-1, 3)
        assert (np.abs(corners[:, 0]) <= 1.0).all()
        top = 0.4 + 0.2 * corners[:, 0]
        assert np.abs(corners[:, 2] - top).max() < 1e-3


@pytest.mark.parametrize("name", ["puma560", "tripod", "simple_arm_gripper"])
def test_robots_stand_at_their_base_and_reach_their_tool(name: str) -> None:
    arm = load(name)
    base = np.eye(4)
    base[:3, 3] = (0.5, -0.3, 0.0)
    robot = DrawnRobot(arm, base=base)
    solver = model(arm)
    q = solver.middle if isinstance(solver, AssemblyModel) else np.full(arm.dof, 0.3)
    values = dict(zip((motor.name for motor in arm.moving), q, strict=True))
    hand = (base @ solver.fk(q))[:3, 3]
    assert np.allclose(robot.skeletons(values)[0].tools[0][:3, 3], hand)
    corners = triangles(robot_solids(robot, values)).corners.reshape(-1, 3)
    assert np.linalg.norm(corners - hand, axis=1).min() < 0.05
    scene = Scene()
    picture = CellPicture(scene, [robot], SIZE)
    assert picture.draw(start_of(scene)).std() > 5


def test_moving_motors_stand_out() -> None:
    arm = load("puma560")
    names = [motor.name for motor in arm.moving]
    most = arm.moving[2].max_velocity or 0.0
    assert most > 0
    picture = CellPicture(Scene(), [DrawnRobot(arm)], SIZE, flags=Flags(moving=True, fast=True))
    rates = {names[0]: 0.1, names[1]: 0.0, names[2]: -0.96 * most}
    solids = picture.solids(replace(start_of(Scene()), motors=[{}], rates=[rates]))
    colours = [solid.colour for solid in solids]
    assert MOVING in colours
    assert FAST in colours
    quiet = CellPicture(Scene(), [DrawnRobot(arm)], SIZE)
    plain = quiet.solids(replace(start_of(Scene()), motors=[{}], rates=[rates]))
    assert not {MOVING, FAST} & {solid.colour for solid in plain}


def test_the_camera_sees_all_of_the_cell() -> None:
    scene = Scene(
        obstacles=(Step(Rectangle((2, 1), (0.5, 3)), 1.2, "808080"),),
        things=(Cuboid((-1, 0, 0.1), (0.2, 0.2, 0.2), "FF0000"),),
    )
    for azimuth in np.deg2rad([-60, 0, 75, 180]):
        for size in (SIZE, (120, 160)):
            camera = camera_of(scene, size=size, azimuth=float(azimuth))
            picture = CellPicture(scene, size=size, camera=camera)
            for x in (1.75, 2.25):
                for y in (-0.5, 2.5):
                    row, column = place_of(picture, (x, y, 1.2))
                    assert 0 < row < size[1]
                    assert 0 < column < size[0]
    assert camera_of(scene, distance=7.0).distance == 7.0


def test_an_empty_cell_and_the_same_pixels_again() -> None:
    scene = Scene()
    picture = CellPicture(scene, size=SIZE)
    first, second = picture.draw(start_of(scene)), picture.draw(start_of(scene))
    assert first.shape == (120, 160, 3)
    assert first.dtype == np.uint8
    assert (first == second).all()


def test_prisms_in_either_sense() -> None:
    square = np.array([(0, 0), (0, 1), (1, 1), (1, 0)], dtype=float)
    for outline in (square, square[::-1]):
        body = prism(outline, np.zeros(4), np.ones(4), TINT)
        assert volume([body]) == pytest.approx(1.0)


def test_opengl_agrees_with_our_own_drawing() -> None:
    if opengl_platform() is None:
        pytest.skip("no OpenGL without a screen")
    scene = Scene(
        things=(Ball((0.2, 0.1, 0.6), 0.1, 0, 0, "FF0000"),),
        obstacles=(
            Step(Rectangle((-0.5, 0.5), (0.4, 0.3)), 0.4, "2040FF"),
            Slope(Rectangle((0.6, 0.2), (0.6, 0.3)), (0.0, 0.4), "x", "2040FF"),
        ),
        watches=(Zone("ball", "enters", 0, "IN", (0, -0.5), 0.2, 0.1),),
        tiles=(Tile((0, 0), (0, 0), "00FF00"),),
        border=Border((-1, -1), (1, 1)),
    )
    own = CellPicture(scene, [DrawnRobot(load("scara"))], SIZE)
    drawn = OpenGLPicture(own)
    try:
        theirs, ours = (
            drawn.draw(start_of(scene)).astype(int),
            own.draw(start_of(scene)).astype(int),
        )
    finally:
        drawn.close()
    for channel in range(3):
        others = [index for index in range(3) if index != channel]

        def mask(
            pixels: NDArray[np.int64], channel: int = channel, others: list[int] = others
        ) -> NDArray[np.bool_]:
            return np.asarray(pixels[..., channel] - pixels[..., others].max(axis=-1) > 60)

        both = (mask(theirs) & mask(ours)).sum()
        assert both > 0.8 * (mask(theirs) | mask(ours)).sum() > 30
