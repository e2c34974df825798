"""Frames of poses: whole, small, and taken without disturbing the world."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

import armwerk as aw
from armwerk.wire import Frame, FramePacker, FrameReader, WorldFeed
from armwerk.wire.frames import TURN, frame_of

FALLING = """BORDER -100 -100 100 100
BALL 0 0 200 5 0 0.5 FF0000
BALL 30 0 200 5 0 0.5 00FF00
CUBOID -50 0 5 10 10 10 0000FF
"""


def made(version: int, places: list[list[float]], time: float = 0.0) -> Frame:
    """Return a frame of bodies that are not turned."""
    count = len(places)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    return frame_of(
        *(version, 7, 0, time),
        *(np.array(places, dtype=np.float64).reshape(-1, 3), turns),
        *(np.array([0.25]), np.array([0, 1, 2], dtype=np.uint8)),
    )


def test_a_frame_comes_back_as_it_was() -> None:
    frame = made(3, [[1, 2, 3], [4, 5, 6]], 1.25)
    read = FrameReader().read(FramePacker().pack(frame))
    assert read[:4] == (3, 7, 0, 1.25)
    for one, other in zip(read[4:], frame[4:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_only_what_moved_is_sent_again() -> None:
    packer, reader = FramePacker(), FrameReader()
    whole = packer.pack(made(1, [[0, 0, 0], [1, 1, 1], [2, 2, 2]]))
    reader.read(whole)
    nothing = packer.pack(made(1, [[0, 0, 0], [1, 1, 1], [2, 2, 2]]))
    one = packer.pack(made(1, [[0, 0, 0], [1, 1, 1.5], [2, 2, 2]]))
    assert len(whole) - len(nothing) == 3 * 20
    assert len(one) - len(nothing) == 22
    reader.read(nothing)
    np.testing.assert_array_equal(reader.read(one).places[1], [1, 1, 1.5])


@given(st.lists(st.lists(st.floats(-9, 9, width=32), min_size=6, max_size=6), max_size=12))
def test_small_steps_do_not_add_up_to_an_error(rows: list[list[float]]) -> None:
    packer, reader = FramePacker(), FrameReader()
    for row in rows:
        places = [[1e-5 * value for value in row[:3]], row[3:]]
        frame = made(1, places)
        read = reader.read(packer.pack(frame))
        assert np.linalg.norm(read.places - frame.places, axis=1).max() <= 2.1e-5


def test_a_new_geometry_is_told_whole() -> None:
    packer, reader = FramePacker(), FrameReader()
    reader.read(packer.pack(made(1, [[0, 0, 0]])))
    assert len(reader.read(packer.pack(made(2, [[0, 0, 0], [1, 1, 1]]))).places) == 2


@pytest.mark.parametrize("cut", [0, 10, 33, -1])
def test_what_is_no_frame_is_refused(cut: int) -> None:
    data = FramePacker().pack(made(1, [[0, 0, 0]]))
    with pytest.raises(ValueError, match="frame"):
        FrameReader().read(data[:cut] if cut >= 0 else data + b"x")


def test_a_frame_that_needs_another_is_refused() -> None:
    packer = FramePacker()
    packer.pack(made(1, [[0, 0, 0]]))
    with pytest.raises(ValueError, match="first frame"):
        FrameReader().read(packer.pack(made(1, [[0, 0, 0]])))


def test_places_and_time_of_a_frame_belong_together() -> None:
    """Two balls fall side by side; a torn copy would see one higher than the other."""
    from armwerk.scene import parse_scene

    with aw.World(parse_scene(FALLING)) as world:
        feed = WorldFeed(world)
        feed.watch()
        seen: list[Frame] = []
        done = threading.Event()

        def look() -> None:
            while not done.is_set():
                seen.append(feed.frame())

        looker = threading.Thread(target=look)
        looker.start()
        for _ in range(20):
            world.run(seconds=0.5)
            world.reset()
        done.set()
        looker.join()
        times = {frame.time for frame in seen}
        assert len(times) > 10
        for frame in seen:
            assert frame.places[0, 2] == pytest.approx(frame.places[1, 2], abs=1e-6)
            if frame.time < 0.4:  # before the floor
                height = 2.0 - 9.81 / 2 * frame.time**2
                assert frame.places[0, 2] == pytest.approx(height, abs=0.02)


def test_looking_changes_nothing() -> None:
    ends = []
    for watched in (False, True):
        with aw.World.load("tower") as world:
            feed = WorldFeed(world)
            if watched:
                feed.watch()
            for _ in range(20):
                world.run(seconds=0.05)
                if watched:
                    feed.take()
                    feed.frame()
            ends.append(world.simulation.raw_state())
    np.testing.assert_array_equal(ends[0].coordinates, ends[1].coordinates)
    np.testing.assert_array_equal(ends[0].speeds, ends[1].speeds)


def test_nothing_is_copied_while_nobody_watches() -> None:
    with aw.World.load("tower") as world:
        feed = WorldFeed(world)
        world.run(seconds=0.1)
        assert feed.frame().time == 0.0
        feed.watch()
        world.run(seconds=0.1)
        assert 0.1 < feed.frame().time <= 0.2
        feed.unwatch()
        before = feed.frame().time
        world.run(seconds=0.1)
        assert feed.frame().time == before


def test_a_viewer_sees_the_latest_and_pays_for_its_own_looks() -> None:
    with aw.World.load("tower") as world:
        feed = WorldFeed(world)
        feed.watch()
        world.run(seconds=0.2)
        feed.take()
        assert feed.frame().time == pytest.approx(world.time)
        assert feed.frame() is feed.frame()


def test_ten_arms_need_little_room_and_time() -> None:
    with aw.World.load("ten_arms") as world:
        feed = WorldFeed(world)
        packer = FramePacker()
        assert len(feed.geometry.bodies) == 180
        sizes = []
        for _ in range(60):
            world.run(seconds=1 / 60)
            feed.take()
            before = feed.frame()
            sizes.append(len(packer.pack(before)))
        assert np.mean(sizes[1:]) * 60 * 8 < 2e6  # bit/s
        world.run(seconds=1 / 60)
        costs, copies = [], []
        for _ in range(400):  # a busy machine lets some of them through
            packer.pack(before)
            begin = time.thread_time()
            feed.take()
            copied = time.thread_time()
            packer.pack(feed.frame())
            costs.append(time.thread_time() - copied)
            copies.append(copied - begin)
        assert min(costs) < 1e-4  # s
        assert min(copies) < 2e-5


def test_marks_say_which_motors_move() -> None:
    with aw.World.load("pick_and_place") as world:
        feed = WorldFeed(world)
        assert not feed.frame().marks.any()
        world.run(seconds=0.5)
        feed.take()
        rates = np.abs(world.robots[0].body.rates)
        assert (rates > 0.01).any()
        np.testing.assert_array_equal(feed.frame().marks > 0, rates > 1e-3)


def test_turns_are_unit_quaternions() -> None:
    with aw.World.load("drop_and_bounce") as world:
        feed = WorldFeed(world)
        world.run(seconds=1.0)
        feed.take()
        np.testing.assert_allclose(
            np.linalg.norm(feed.frame().turns / TURN, axis=1), 1.0, atol=1e-4
        )
