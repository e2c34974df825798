"""Contacts as events: when they begin and end, how hard they are, and what is too deep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_scenes import ball, cuboid as law_cuboid, tolerance, world

from armwerk.physics import Simulation, SimulationSettings
from armwerk.physics.contacts import touches
from armwerk.physics.contacts.pairs import LINGER
from armwerk.protocol import ContactEvent, ContactSide, PairContact
from armwerk.scene.scene import Border, Cuboid, Rectangle, Scene, Step, Thing

G = 9.81


def cuboid(x: float = 0.0, y: float = 0.0, z: float = 0.025, size: float = 0.05) -> Cuboid:
    """A cube, lying on the floor unless told otherwise."""
    return law_cuboid(x, y, z, (size, size, size))


def _listening(simulation: Simulation) -> Simulation:
    simulation.listen()
    return simulation


def _started(simulation: Simulation) -> list[ContactEvent]:
    return [event for event in simulation.contact_events if event.change == "started"]


def _touching(simulation: Simulation) -> list[tuple[str, str]]:
    return [pair.names for pair in simulation.contacts]


def _rain(count: int, width: float = 0.5, sleep: bool | None = None) -> Simulation:
    draw = np.random.default_rng(3)
    things: list[Thing] = []
    for k in range(count // 2):
        x, y = draw.uniform(-width, width, 2).tolist()
        things.append(ball(x=x, y=y, z=0.05 + 0.02 * k, bounce=0.5, resistance=0.9))
        things.append(cuboid(x=y, y=x, z=0.08 + 0.02 * k))
    scene = Scene(things=tuple(things), border=Border((-0.6, -0.6), (0.6, 0.6)))
    return _listening(Simulation(scene, settings=SimulationSettings(sleep=sleep)))


# times and forces -----------------------------------------------------------------------------


@pytest.mark.parametrize(("dt", "bounce"), [(0.001, 0.8), (0.002, 0.8), (0.001, 0.3)])
def test_bouncing_ball_tells_when_and_how_hard_it_hits(dt: float, bounce: float) -> None:
    radius, height = 0.02, 0.5
    simulation = _listening(world(ball(z=height + radius, radius=radius, bounce=bounce), dt=dt))
    simulation.run(3.0)
    mass = float(simulation.model.body_mass[1])
    speed = math.sqrt(2.0 * G * height)
    time, hits = speed / G, _started(simulation)
    assert len(hits) >= 3
    for hit in hits:
        if 2.0 * bounce * speed / G < LINGER + 2 * dt:  # flies for less than is waited for
            break
        assert hit.names == ("ball0", "floor")
        assert -0.5 * dt < hit.time - time < 1.5 * dt + tolerance(dt) * time
        late = 3.0 * mass * G * dt  # it is noticed up to a step later, and is faster by then
        impulse = (1.0 + bounce) * mass * speed
        assert hit.force * dt == pytest.approx(impulse, rel=0.01, abs=late)
        assert hit.normal == pytest.approx((0.0, 0.0, 1.0))
        speed *= bounce
        time += 2.0 * speed / G
    ends = [event for event in simulation.contact_events if event.change == "ended"]
    for hit, end in zip(hits, ends, strict=False):
        assert 0.0 <= end.time - hit.time < 5.5 * dt  # until it has left again
    assert all(end.force == 0.0 for end in ends)


def test_balls_that_meet_change_the_impulse_they_should() -> None:
    scene = Scene(things=(ball(z=0.5), ball(x=0.2, z=0.5, radius=0.03)))
    simulation = _listening(Simulation(scene, settings=SimulationSettings(gravity=0.0, dt=0.001)))
    simulation.place(0, (0.0, 0.0, 0.5), velocity=(1.0, 0.0, 0.0))
    simulation.run(0.5)
    (hit,) = _started(simulation)
    one, two = simulation.model.body_mass[1:3].tolist()
    assert hit.names == ("ball0", "ball1")
    assert hit.force * simulation.dt == pytest.approx(2.0 * one * two / (one + two), rel=1e-3)
    assert hit.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)


def test_stack_presses_pair_by_pair() -> None:
    simulation = _listening(world(*(cuboid(z=0.02 + 0.04 * k, size=0.04) for k in range(3))))
    simulation.run(2.0)
    weight = float(simulation.model.body_mass[1]) * G
    forces: dict[tuple[str, ...], PairContact] = {pair.names: pair for pair in simulation.contacts}
    assert forces["cuboid0", "floor"].force == pytest.approx(3.0 * weight, rel=1e-3)
    assert forces["cuboid0", "cuboid1"].force == pytest.approx(2.0 * weight, rel=1e-3)
    assert forces["cuboid1", "cuboid2"].force == pytest.approx(weight, rel=1e-3)
    assert len(forces) == 3
    assert forces["cuboid0", "floor"].point == pytest.approx((0.0, 0.0, 0.0), abs=1e-4)


def test_nobody_listens_nothing_is_kept() -> None:
    simulation = world(ball(z=0.3, bounce=0.5))
    simulation.run(1.0)
    assert simulation.contact_events == ()
    assert not _touching(simulation)
    simulation.listen()
    simulation.run(1.0)
    assert _touching(simulation) == [("ball0", "floor")]


# no flicker, bounded, the same again ----------------------------------------------------------


@pytest.mark.parametrize("sleep", [False, True])
def test_what_rests_does_not_flicker(sleep: bool) -> None:
    simulation = _rain(40, sleep=sleep)
    simulation.run(6.0)
    before, touching = simulation.touches.count, {pair.sides for pair in simulation.contacts}
    simulation.run(3.0)
    assert simulation.touches.count == before
    assert {pair.sides for pair in simulation.contacts} == touching
    assert {side.name for sides in touching for side in sides} >= set(simulation.names)
    if sleep:
        assert simulation.data.ncon < len(touching)  # those asleep are not reckoned any more


def test_every_touch_begins_before_it_ends() -> None:
    simulation = _rain(40)
    simulation.run(2.0)
    open_pairs: dict[tuple[ContactSide, ContactSide], float] = {}
    for event in simulation.contact_events:
        if event.change == "started":
            assert event.sides not in open_pairs
            open_pairs[event.sides] = event.time
        else:
            assert open_pairs.pop(event.sides) <= event.time
    assert set(open_pairs) == {pair.sides for pair in simulation.contacts}
    assert len(simulation.contact_events) > 100


def test_five_hundred_things_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touches, "KEPT", 200)
    simulation = _rain(500)
    most = 0
    for _ in range(400):
        simulation.step()
        most = max(most, simulation.data.ncon)
    assert simulation.touches.count > 200
    assert len(simulation.contact_events) == 200
    pairs = simulation.touches._pairs
    assert len(pairs.numbers) <= 4 * (most + len(simulation.contacts))
    assert sum(array.nbytes for array in pairs) < 2e6


def test_equal_runs_have_equal_events_and_listening_changes_nothing() -> None:
    first, second = _rain(60), _rain(60)
    deaf = Simulation(first.scene, settings=first.settings)
    for simulation in (first, second, deaf):
        simulation.run(1.5)
    assert first.contact_events == second.contact_events
    assert first.contacts == second.contacts
    assert np.array_equal(first.data.qpos, deaf.data.qpos)


def test_events_go_on_the_same_from_a_captured_state() -> None:
    simulation = _rain(30)
    simulation.run(0.4)
    state, before = simulation.capture(), simulation.touches.count
    simulation.run(0.6)
    after = simulation.contact_events[before:]
    simulation.restore(state)
    again = simulation.touches.count
    simulation.run(0.6)
    assert simulation.contact_events[again:] == after
    assert len(after) > 20


# too deep -------------------------------------------------------------------------------------

_WALL = Step(Rectangle((0.5, 0.0), (0.1, 0.4)), 0.3, "00FF00", name="wall")


@pytest.mark.parametrize("listens", [False, True])
def test_what_is_put_into_a_wall_is_told_once(listens: bool) -> None:
    simulation = world(cuboid(z=0.025), obstacles=(_WALL,))
    if listens:
        simulation.listen()
    simulation.run(1.0)
    assert simulation.take_problems() == []
    simulation.place(0, (0.43, 0.0, 0.025))  # 5 mm in
    simulation.run(0.05)
    ((time, text),) = simulation.take_problems()
    assert time == pytest.approx(1.0)
    assert "cuboid0 is 5.00 mm deep in wall, at (0.45" in text
    simulation.run(2.0)
    assert simulation.take_problems() == []
    simulation.place(0, (0.43, 0.0, 0.025))
    simulation.run(0.05)
    assert len(simulation.take_problems()) == 1  # again, as it had come out


def test_what_overlaps_at_the_start_is_told() -> None:
    simulation = world(cuboid(z=0.025), cuboid(x=0.048, z=0.025))
    simulation.run(0.1)
    ((_, text),) = simulation.take_problems()
    assert text.startswith("cuboid0 is 2.00 mm deep in cuboid1")


@pytest.mark.parametrize("listens", [False, True])
@pytest.mark.parametrize("speed", [0.3, 1.0, 3.0, 9.0])
@pytest.mark.parametrize("bounce", [None, 0.0, 0.1, 0.9])
def test_a_fast_meeting_is_no_problem(speed: float, bounce: float | None, listens: bool) -> None:
    for phase in range(7):
        thing = cuboid(z=0.025) if bounce is None else ball(z=0.02, bounce=bounce)
        simulation = world(thing, obstacles=(_WALL,), dt=0.002)
        if listens:
            simulation.listen()
        place = (0.35 + phase / 7.0 * speed * 0.002, 0.0, 0.2)
        simulation.place(0, place, velocity=(speed, 0.0, 0.0))
        simulation.run(1.0)
        assert simulation.take_problems() == []


def test_pressed_beyond_a_millimetre_is_told() -> None:
    """A weight of two tonnes on a thing of 60 g."""
    scene = Scene(things=(cuboid(z=0.025), cuboid(z=0.85, size=1.6)))
    simulation = Simulation(scene)
    simulation.run(2.0)
    problems = simulation.take_problems()
    depths = [point.depth for point in simulation.contact_points()]
    assert problems or max(depths) < 1e-3
