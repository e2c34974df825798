"""Maps of configuration spaces, free paths, and reach."""

from __future__ import annotations

import base64
import io

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.motion_check import check
from armwerk.collision.safety import SafetySettings
from armwerk.errors import DescriptionError
from armwerk.protocol.mapping import (
    FindRoute,
    FoundRoute,
    MapCommand,
    MapResult,
    MapSpace,
    ReachCloud,
    SpaceAxis,
    SpaceMap,
    SweepReach,
)
from armwerk.studio.desks.playing import played
from armwerk.studio.desks.stages import Stages
from armwerk.wire.arm_stage import packed_numbers

MOST_CELLS = 1000
"""Along an axis of a map."""
MOST_SAMPLES = 5_000_000
"""Configurations of a sweep."""
_MOST_TESTS = 200_000_000  # cells times bodies
_SECONDS = 10.0  # for which a path is looked for
_MOST_POINTS = 60_000  # of a cloud
_MOST_MARGIN = 10.0  # [m]


class SpaceDesk:
    """Makes maps, finds paths, sweeps reach.

    Args:
        stages: Where arms are looked up.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages

    def obey(self, command: MapCommand) -> MapResult:
        """Carry out a command.

        Raises:
            ArmwerkError: When something asked for is wrong, or no path is found.
        """
        if isinstance(command, MapSpace):
            return self._map(command)
        if isinstance(command, FindRoute):
            return self._route(command)
        return self._reach(command)

    def _map(self, command: MapSpace) -> SpaceMap:
        from armwerk.planning.maps.mapping import cspace
        from armwerk.planning.maps.panel import painted

        staged = self._stages.get(command.arm, command.bodies)
        for count in command.cells:
            _within("cells", count, 2, MOST_CELLS)
        tests = command.cells[0] * command.cells[1] * max(1, len(staged.bodies))
        _within("cells times bodies", tests, 1, _MOST_TESTS)
        space = cspace(
            staged.source,
            staged.bodies,
            axes=command.axes,
            shape=command.cells,
            q=staged.values(command.q),
        )
        colours = painted(space)
        units = {"revolute": "rad", "prismatic": "m"}
        first, second = (
            SpaceAxis(
                axis.index,
                axis.name,
                units[axis.kind],
                axis.low,
                axis.high,
                axis.count,
                axis.is_turn,
            )
            for axis in space.axes[:2]
        )
        return SpaceMap(
            (first, second),
            _png(colours.image),
            space.tests,
            space.hits,
            space.free_fraction,
            tuple(colours.fractions),
            colours.several,
            space.seconds,
            space.method,
        )

    def _route(self, command: FindRoute) -> FoundRoute:
        from armwerk.planning.paths.finding import find_path

        staged = self._stages.get(command.arm, command.bodies)
        _within("margin", command.margin, 0.0, _MOST_MARGIN)
        found = find_path(
            staged.checker,
            staged.bodies,
            staged.values(command.start, "start"),
            staged.values(command.goal, "goal"),
            command.planner,
            _SECONDS,
            margin=command.margin,
            axes=command.axes,
        )
        motion = found.timed(staged.limits)
        verdict = check(motion, staged.checker, settings=SafetySettings(margin=command.margin))
        return FoundRoute(
            played(staged, motion, verdict, staged.assumed),
            packed_numbers(found.q),
            len(found.q),
            found.length,
            found.seconds,
            found.planner,
        )

    def _reach(self, command: SweepReach) -> ReachCloud:
        from armwerk.planning.reachability.reaching import reach

        staged = self._stages.get(command.arm, command.bodies)
        _within("samples", command.samples, 1, MOST_SAMPLES)
        _within("cell", command.cell, 0.0, 10.0)
        cell = command.cell or _edge(staged.stage.geometry.camera.distance)
        found = reach(staged.source, staged.bodies, cell=cell, samples=command.samples)
        points = found.centres()
        best = found.manipulability[found.counts > 0]
        if len(points) > _MOST_POINTS:  # evenly thinned out; the numbers are those of the whole
            chosen = np.linspace(0, len(points) - 1, _MOST_POINTS).astype(np.int64)
            points, best = points[chosen], best[chosen]
        most = float(best.max()) if len(best) else 0.0
        return ReachCloud(
            packed_numbers(points),
            packed_numbers(best / most if most > 0 else best),
            len(points),
            found.cell,
            found.volume,
            found.tried,
            found.fraction,
            found.seconds,
        )


def _edge(size: float) -> float:
    """Return a round edge of voxels for what is seen from a distance [m]."""
    return float(max(0.005, round(size / 80, 3)))


def _png(image: Array) -> str:
    from PIL import Image

    pixels = np.rint(np.clip(image, 0.0, 1.0) * 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def _within(what: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise DescriptionError(
            "out of range", element=what, value=value, allowed=f"{low:g} to {high:g}"
        )
