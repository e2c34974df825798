"""Arms on their way among bodies that stand and move: films, and sheets of moments.

What is drawn are the solids that are checked. Below the moments of a sheet stands the distance over
time, to what stands and to what moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np
from matplotlib.patheffects import withStroke

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.collision.body_solids import body_solids
from armwerk.collision.checker import Checker
from armwerk.collision.motion_check import Verdict, check, nearest_moving
from armwerk.collision.moving_body import Moving, MovingArm, movers
from armwerk.collision.moving_scene import MovingScene
from armwerk.collision.safety import SafetySettings
from armwerk.errors import DescriptionError
from armwerk.geometry import HalfSpace
from armwerk.pictures.cell_painter import CellPainter, Pixels
from armwerk.pictures.cell_solids import Solid, triangles
from armwerk.pictures.cell_surface import surface
from armwerk.pictures.file import figure, picture_path, write
from armwerk.pictures.film import captioned, film_path, open_film
from armwerk.pictures.palette import (
    BASE,
    FORBIDDEN,
    INK,
    LINK,
    MUTED,
    PRISMATIC,
    REVOLUTE,
    WHITE,
    Colour,
    mixed,
    solution_colour,
)
from armwerk.pictures.raster_depth import FINER
from armwerk.pictures.solid_picture import lifted, painter_of
from armwerk.pictures.tool_curves import dress_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOMENTS = 6
"""Pictures on a sheet."""
_COLUMNS = 3
_CELL = 3.4  # width of one picture on a sheet [inch]
_CURVE = 1.9  # height of the curve below them [inch]
_TITLE = 0.75  # height of what stands above [inch]
_SAMPLES = 240  # of the curve
_SEEN = 24  # moments at which what must be in the picture is looked up
_SIZE = (800, 600)  # of a picture [pixel]
_STANDING = mixed(MUTED, WHITE, 0.5)
_MOVING = mixed(PRISMATIC, WHITE, 0.15)
_HELD = 0.6  # [s] for which a film shows its end


class Clearance(NamedTuple):
    """How near an arm is to everything else over time.

    Attributes:
        times: By the world's clock [s]. Shape (m,).
        standing: To what stands [m]; infinite: nothing does. Shape (m,).
        moving: To what moves, other arms included [m]. Shape (m,).
    """

    times: Array
    standing: Array
    moving: Array


class MotionPicture:
    """Motions of one or several arms among bodies.

    Args:
        motions: The arms with their trajectories and when these begin.
        bodies: What stands around.
        moving: What moves by itself.
        margin: Distance that is to be kept [m].

    Raises:
        DescriptionError: For no arm, or for anything that does not move.
    """

    def __init__(
        self,
        motions: Sequence[MovingArm],
        bodies: Bodies | Iterable[Body] = (),
        moving: Iterable[Moving] = (),
        margin: float = 0.0,
    ) -> None:
        self.motions, self.bodies = tuple(motions), as_bodies(bodies)
        self.moving, self.margin = movers(moving), float(margin)
        if not self.motions or not all(isinstance(one, MovingArm) for one in self.motions):
            raise DescriptionError(
                "no arms", element="motions", value=motions, allowed="MovingArm(arm, trajectory) …"
            )
        self.begin = min(one.begin for one in self.motions)
        self.end = max(one.begin + one.trajectory.duration for one in self.motions)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What `check` says about each arm among all others, at their own times."""
        settings = SafetySettings(margin=self.margin)
        return tuple(
            check(
                one.trajectory,
                checker,
                settings=settings,
                moving=self._others(k),
                start=one.begin,
            )
            for k, (one, checker) in enumerate(zip(self.motions, self._checkers, strict=True))
        )

    @cached_property
    def beside(self) -> tuple[Verdict, ...]:
        """What is found about each arm among what moves alone, the other arms included."""
        return tuple(
            nearest_moving(one.trajectory, checker, self._others(k), one.begin)
            for k, (one, checker) in enumerate(zip(self.motions, self._checkers, strict=True))
        )

    def clearance(self, number: int = 0, times: Array | None = None) -> Clearance:
        """Return how near an arm is to everything else.

        Args:
            number: Which arm, from 0.
            times: By the world's clock [s]; None: evenly over all motions. Shape (m,).
        """
        when = np.linspace(self.begin, self.end, _SAMPLES) if times is None else times
        one, checker = self.motions[number], self._checkers[number]
        rows = one.trajectory.evaluate(when - one.begin).q
        scene = self._scenes[number]
        nothing = np.full(len(when), np.inf)
        return Clearance(
            when,
            checker.distances(rows, self_too=False) if len(self.bodies) else nothing,
            nothing if scene is None else scene.distances(rows, when),
        )

    def film(
        self,
        path: str | Path,
        rate: float = 20.0,
        *,
        size: tuple[int, int] = _SIZE,
        azimuth: float | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Path:
        """Write a film of the motions, as quick as they are, and return its path.

        Args:
            path: Ends in .gif, .webp, .apng, .mp4 or .webm.
            rate: Pictures per second.
            size: Width and height [pixel].
            azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.
            progress: Called with the share that is done, 0 to 1.
        """
        path = film_path(path)
        if not 0.0 < rate <= 200.0:
            raise DescriptionError(
                "out of range", element="rate", value=rate, allowed="above 0, up to 200 per second"
            )
        painter = self._painter(size, azimuth)
        reel = open_film(path, rate)
        times = np.arange(self.begin, self.end + 1.0 / rate, 1.0 / rate)
        for number, time in enumerate(np.minimum(times, self.end).tolist()):
            picture, words = self._drawn(painter, time)
            pixels = captioned(picture, *words)
            reel.add(pixels)
            if progress is not None:
                progress((number + 1) / len(times))
        for _ in range(round(_HELD * rate)):
            reel.add(pixels)
        return reel.close()

    def moments(
        self, path: str | Path, *, title: str | None = None, azimuth: float | None = None
    ) -> Path:
        """Draw some moments and the distance over time, and return the file written.

        One of the moments is that of the first contact, or of the smallest distance.

        Args:
            path: Ends in .png or .svg.
            title: Above the picture; None: the arms and the time they take.
            azimuth: Where the viewer stands, about z from the x axis [rad]; None: chosen.
        """
        path = picture_path(path)
        painter = self._painter(_SIZE, azimuth)
        times = self._moments()
        rows = -(-len(times) // _COLUMNS)
        tall = _CELL * _SIZE[1] / _SIZE[0]
        width, height = _CELL * _COLUMNS, rows * tall + _CURVE * len(self.motions) + _TITLE
        with figure(width, height) as drawn:
            for number, time in enumerate(times):
                row, column = divmod(number, _COLUMNS)
                low = 1.0 - (_TITLE + (row + 1) * tall) / height
                axes = drawn.add_axes((column / _COLUMNS, low, 1 / _COLUMNS, tall / height))
                pixels, words = self._drawn(painter, time)
                axes.imshow(pixels, interpolation="lanczos")
                for x, side, word in zip((0.03, 0.97), ("left", "right"), words, strict=True):
                    text = axes.text(
                        x, 0.04, word, ha=side, fontsize=9, color=INK, transform=axes.transAxes
                    )
                    text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
                axes.set_axis_off()
            for k in range(len(self.motions)):
                low = (_CURVE * (len(self.motions) - 1 - k) + 0.5) / height
                axes = drawn.add_axes((0.075, low, 0.9, (_CURVE - 0.85) / height))
                self._curve(axes, k, times)
            heading = title or f"{self._names()}: {self.end - self.begin:.2f} s"
            drawn.text(0.5, 1 - 0.24 / height, heading, ha="center", va="center", fontsize=13)
            below = "; ".join(str(verdict) for verdict in self.verdicts)
            if self.begin:
                below += f"; the motion begins at {self.begin:g} s of the clock"
            drawn.text(
                0.5, 1 - 0.53 / height, below, ha="center", va="center", fontsize=8, color=MUTED
            )
            return write(drawn, path)

    def _names(self) -> str:
        arms = [one.checker.arms[0] for one in self.motions]
        if len(arms) == 1:
            return arms[0].title or arms[0].name
        return " and ".join(one.name for one in self.motions)

    @cached_property
    def _checkers(self) -> tuple[Checker, ...]:
        return tuple(
            Checker(one.checker.arms[0], self.bodies, one.checker.shapes[0]) for one in self.motions
        )

    @cached_property
    def _scenes(self) -> tuple[MovingScene | None, ...]:
        found = []
        for k, checker in enumerate(self._checkers):
            others = self._others(k)
            scene = MovingScene(checker, others, self.begin, self.end) if others else None
            found.append(scene)
        return tuple(found)

    def _others(self, number: int) -> tuple[Moving, ...]:
        """Return all that moves beside an arm."""
        return (*self.moving, *(one for k, one in enumerate(self.motions) if k != number))

    def _moments(self) -> list[float]:
        """Return evenly spread times, one of them that of the first contact or the nearest [s]."""
        times = np.linspace(self.begin, self.end, MOMENTS)
        found = [
            (verdict.free, verdict.distance.value, one.begin + verdict.time)
            for verdicts in (self.verdicts, self.beside)
            for verdict, one in zip(verdicts, self.motions, strict=True)
            if np.isfinite(verdict.distance.value)
        ]
        told = [one for one in found if not one[0]] or found[-len(self.motions) :]
        if told:
            nearest = min(told)[2]
            times[1 + int(np.argmin(np.abs(times[1:-1] - nearest)))] = nearest
        return sorted(set(times.tolist()))

    def _curve(self, axes: Axes, number: int, moments: Sequence[float]) -> None:
        """Draw the distance of an arm over time [mm]."""
        found, verdict = self.clearance(number), self.verdicts[number]
        axes.set_xlim(self.begin, max(self.end, self.begin + 1e-3))
        axes.axhspan(-1e4, 1000.0 * self.margin, color=FORBIDDEN, alpha=0.09, linewidth=0)
        lowest, highest = 0.0, 10.0
        for label, values, colour in (
            ("to what stands", found.standing, mixed(_STANDING, INK, 0.3)),
            ("to what moves", found.moving, PRISMATIC),
        ):
            if np.isfinite(values).all():
                axes.plot(found.times, 1000.0 * values, color=colour, linewidth=1.5, label=label)
                lowest = min(lowest, 1000.0 * float(values.min()))
                highest = max(highest, 1000.0 * float(values.max()))
        for time in moments:
            axes.axvline(time, color=MUTED, linewidth=0.6, linestyle=(0, (2, 3)))
        one, near = self.motions[number], verdict.distance
        when = one.begin + verdict.time
        title = f"distance of {one.name} [mm]"
        for told in (verdict, self.beside[number]) if verdict.free else (verdict,):
            if np.isfinite(told.distance.value):
                tint, place = REVOLUTE if verdict.free else FORBIDDEN, one.begin + told.time
                axes.plot([place], [1000.0 * told.distance.value], "o", color=tint, markersize=5)
        if np.isfinite(near.value):
            word = (
                f"smallest: {1000.0 * near.value:.1f} to" if verdict.free else "first contact: with"
            )
            title += f", {word} {near.body} at {when:.2f} s"
            other = self.beside[number]
            if verdict.free and other.distance.body not in ("", near.body):
                title += (
                    f"; {1000.0 * other.distance.value:.1f} to {other.distance.body} at "
                    f"{one.begin + other.time:.2f} s"
                )
            axes.legend(loc="upper right", fontsize=7.5, frameon=False, ncols=2)
        pad = 0.08 * (highest - lowest)
        axes.set_ylim(lowest - pad, highest + pad)
        axes.set_title(title, fontsize=9, color=INK, loc="left", pad=3)
        dress_curves(axes, last=number == len(self.motions) - 1)

    def _painter(self, size: tuple[int, int], azimuth: float | None) -> CellPainter:
        """Return who draws all moments with one camera; what stands is drawn once."""
        times = np.linspace(self.begin, self.end, _SEEN)
        own = np.concatenate(
            [_corners(self._arm_solids(k, times)) for k in range(len(self.motions))]
        )
        low, high = own.min(axis=0), own.max(axis=0)
        reach = 0.5 * float((high - low).max())
        still = [
            solid
            for body in self.bodies
            if not _is_floor(body)
            for solid in body_solids(body, _STANDING, reach)
        ]
        beside = [solid for one in self.moving for time in times for solid in _solids(one, time)]
        # what is far away, or comes from there, does not make the arm small
        points = [own]
        for solids, room in (([s for s in still if s.alpha >= 1.0], 0.25), (beside, 0.6)):
            points.append(np.clip(_corners(solids), low - room * reach, high + room * reach))
        seen = np.concatenate(points)
        floors = [float(body.position[2]) for body in self.bodies if _is_floor(body)]
        self._lift = -max(floors, default=min(float(seen[:, 2].min()), 0.0))
        seen[:, 2] += self._lift
        return painter_of([lifted(solid, self._lift) for solid in still], seen, size, azimuth)

    def _arm_solids(self, number: int, times: Array) -> list[Solid]:
        return [solid for time in times for solid in _solids(self.motions[number], float(time))]

    def _drawn(self, painter: CellPainter, time: float) -> tuple[Pixels, tuple[str, str]]:
        """Return the picture of a moment, its time and the distance then in words."""
        near, beside, touched = np.inf, np.inf, ""
        moment = np.array([time])
        for k, one in enumerate(self.motions):
            found = self.clearance(k, moment)
            near, beside = min(near, float(found.standing[0])), min(beside, float(found.moving[0]))
            scene = self._scenes[k]
            if scene is not None and found.moving[0] <= 0.0:
                q = one.trajectory.evaluate(moment - one.begin).q[0]
                touched = scene.distance(q, time).body
        solids: list[Solid] = []
        for k, one in enumerate(self.motions):
            tint = solution_colour(k) if len(self.motions) > 1 else None
            solids += _solids(one, time, tint)
        for other in self.moving:
            hit = any(shape.name == touched for shape in other.shapes)
            solids += _solids(other, time, FORBIDDEN if hit else _MOVING)
        solids = [lifted(solid, self._lift) for solid in solids]
        pixels = painter.paint(surface(solids, painter.eye.eye, painter.focal / FINER))
        told = beside if np.isfinite(beside) else near  # what stands is the same all the time
        words = f"{1000.0 * told:.0f} mm apart" if np.isfinite(told) else ""
        return pixels, (f"{time:.2f} s", "contact" if min(near, beside) <= 0.0 else words)


def _solids(one: Moving, time: float, tint: Colour | None = None) -> list[Solid]:
    """Return what is seen of something that moves, at a time [s]; None: as arms are drawn."""
    found = []
    still = one.stands(time, time) if isinstance(one, MovingArm) else (False,) * len(one.shapes)
    for number, shape in enumerate(one.at(time)):
        if tint is not None:
            colour = mixed(tint, WHITE, 0.3 if isinstance(one, MovingArm) and number % 2 else 0.1)
        else:
            colour = mixed(LINK, WHITE, 0.25 * (number % 2))
        found += body_solids(shape, BASE if still[number] else colour, 1.0)
    return found


def _corners(solids: Sequence[Solid]) -> Array:
    """Return the corners of all triangles of solids. Shape (m, 3)."""
    return triangles(solids).corners.reshape(-1, 3)


def _is_floor(body: Body) -> TypeGuard[HalfSpace]:
    return isinstance(body, HalfSpace) and bool(np.allclose(body.normal, (0.0, 0.0, 1.0)))
