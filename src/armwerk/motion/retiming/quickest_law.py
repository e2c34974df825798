"""The quickest time law of a run: a law that is known, driven faster wherever limits leave room.

In: a run and a law like those it can be driven by. Out: a law of least time, jerk included, with
what it was found from, or None where none was found.

The known law is the parameter σ that the run is driven by: a time that passes faster or slower
than it does in truth. Its cells end where the curve does something else, so that the jerk of the
law may jump with that of the curve. The law found on few cells is the known one for more of them.
See `armwerk.motion.kernels.speed_barrier`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.motion.kernels.cell_use import largest_use
from armwerk.motion.kernels.speed_barrier import quickest_speeds
from armwerk.motion.kernels.speed_rows import SpeedProblem, speed_rows
from armwerk.motion.path.parameter import by_parameter
from armwerk.motion.path.stop_to_stop import Run
from armwerk.motion.retiming.drive_loads import DriveLoads
from armwerk.motion.retiming.known_law import KnownLaw, smooth_law
from armwerk.motion.retiming.limit_check import LimitExcess
from armwerk.motion.retiming.lowered_limits import (
    PATIENCE,
    searched_on,
    worst_places,
)
from armwerk.motion.retiming.path_grid import ACCELERATION, PathGrid
from armwerk.motion.retiming.path_law import PathLaw


class Round(NamedTuple):
    """How carefully a law is looked for.

    Attributes:
        cells: Of a short run.
        per_stretch: Cells for each stretch between borders, as far as its grid has points.
        per_point: Cells for each point of the grid of a longer run.
        most: Cells for each point of a grid with many borders.
        barriers: Weights of all limits together, over the time, falling.
        looks: Points of a cell, its ends counted, where limits are looked at.
        parts: Of a cell when the law is told by time.
        at_points: Whether limits are looked at in the points of the grid too.
    """

    cells: int
    per_stretch: int
    per_point: float
    most: float
    barriers: tuple[float, ...]
    looks: int
    parts: int
    at_points: bool

    def count(self, grid: PathGrid) -> int:
        """Return how many cells a run is cut into."""
        points, stretches = len(grid.s), len(np.unique(grid.borders)) + 1
        wanted = min(self.per_stretch * stretches, int(self.most * points))
        return max(self.cells, wanted, int(self.per_point * points))


class QuickLaw(NamedTuple):
    """A law that was found, and what it was found from.

    Attributes:
        law: From rest to rest.
        known: By what the run is driven when b is 1.
        given: What was solved.
        c: Coefficients of b [1/s²]. Shape (k + 2,).
        used: By how much limits were lowered, velocity to jerk, cell by cell. Shape (k, 3).
        care: How carefully it was looked for.
    """

    law: PathLaw
    known: KnownLaw
    given: SpeedProblem
    c: Array
    used: Array
    care: Round


SKETCH = Round(70, 18, 0.5, 1.6, (0.03,), 3, 2, at_points=True)
"""How a law must be like for cells to lie where time is spent; it is not looked at otherwise."""
QUICK = Round(150, 54, 1.2, 1.6, (0.003,), 3, 2, at_points=True)
"""Within one per cent of the least time, mostly."""
PLAIN = Round(100, 36, 0.8, 1.6, (0.03, 0.003), 3, 1, at_points=False)
"""Within one or two per cent on long runs, of which a line must not cost much."""
CAREFUL = Round(150, 54, 1.2, 1.6, (0.01, 0.001), 5, 4, at_points=True)
"""The last per cent, from a law that was found quickly."""
THOROUGH = Round(150, 54, 1.2, 1.6, (0.01, 0.001), 9, 4, at_points=True)
"""For curves whose rates change within a cell."""
LONGEST = 60_000
"""Points of a grid beyond which a law is not looked for all at once: it would take a minute and a
gigabyte."""
_BEGIN = 0.9  # of the largest even speed, squared: limits must not be touched at the start
_TINY = 1e-300
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(2)


def quickest_law(
    run: Run, grid: PathGrid, law: PathLaw, care: Round, drives: DriveLoads | None = None
) -> QuickLaw | None:
    """Return the quickest law found; it may pass limits by a little between the points looked at.

    Args:
        run: What is driven.
        grid: Its grid with all limits.
        law: About how it may be driven from rest to rest; it need not keep the limits.
        care: How carefully a quicker one is looked for.
        drives: What the drives can do, in place of the joints' limits of acceleration.
    """
    known = smooth_law(grid.borders, law, care.count(grid))
    cells = (0, len(known.times) - 1)
    given = speed_problem(run, grid, known, cells, care, drives)
    even = 0.0 if given is None else even_square(given)
    if given is None or not 0.0 < even < np.inf:
        return None
    begin = np.full(len(known.times) + 1, _BEGIN * even)
    time = known.times[-1] / np.sqrt(even)
    weights = time * np.array(care.barriers) / len(given.cell)
    c, _ = quickest_speeds(given, begin, weights, PATIENCE, (0, 0))
    return _told(QuickLaw(law, known, given, c, np.ones((cells[1], 3)), care))


def mended_law(
    found: QuickLaw,
    excess: LimitExcess,
    run: Run,
    grid: PathGrid,
    drives: DriveLoads | None = None,
) -> QuickLaw | None:
    """Return the law found when limits are lowered where one passes them; None where none was.

    Each limit of a cell is lowered by as much as the law uses too much of it there, and the place
    where that is most is looked at from now on.

    Args:
        found: The law that passes limits.
        excess: Where and by how much.
        run: What is driven.
        grid: Its grid with all limits.
        drives: What the drives can do, in place of the joints' limits of acceleration.
    """
    ends = np.ascontiguousarray(found.known.states[:, 0])
    places = worst_places(ends, excess.s, excess.used)
    given = _with_places(found, run, grid, places, drives)
    used = found.used * largest_use(excess.s, excess.used, ends)
    weights = found.law.duration * np.array(found.care.barriers[-1:]) / len(given.cell)
    # slower as a whole by what the worst of them asks for it keeps them all
    slower = _BEGIN * found.c / max(excess.factor, 1.0) ** 2
    c = searched_on(given, used, slower, weights)
    return _told(found._replace(given=given, c=c, used=used))


def _told(found: QuickLaw) -> QuickLaw | None:
    """Return what was found with its law by time; None where there is none."""
    known, parts = found.known, found.care.parts
    thirds, states = known.by_time(found.c, (0, len(known.times) - 1), parts)
    times = np.append(0.0, np.cumsum(thirds))
    finite = np.isfinite(times).all() and np.isfinite(states).all()
    law = PathLaw(times, states, float(known.states[-1, 0]))
    return found._replace(law=law) if finite else None


def speed_problem(
    run: Run,
    grid: PathGrid,
    known: KnownLaw,
    cells: tuple[int, int],
    care: Round,
    drives: DriveLoads | None = None,
) -> SpeedProblem | None:
    """Return what is to be solved; None where the known law cannot be driven on as it is.

    Args:
        run: What is driven.
        grid: All of it, or the stretch that the cells lie in, with the limits.
        known: By what it is driven.
        cells: From which cell on, and before which one, is looked at.
        care: Where limits are looked at.
        drives: What the drives can do, in place of the joints' limits of acceleration.
    """
    low, high = cells
    count, looks = high - low, care.looks
    cell = np.repeat(np.arange(low, high), looks)
    share = np.tile(np.linspace(0.0, 1.0, looks), count)
    s = known.evaluate(cell, share)
    moving = slice(int(low == 0), len(s) - int(high == len(known.times) - 1))
    widths = np.diff(known.times[low : high + 1])
    if not (widths > 0.0).all() or not (s[moving, 1] > 0.0).all():
        return None
    place = np.clip(known.states[cell, 0] + s[:, 0], 0.0, known.states[-1, 0])
    x, tool = run.evaluate(place)
    which = np.clip(np.searchsorted(grid.s, place, "right") - 1, 0, len(grid.s) - 1)
    # at borders each side has rates and limits of its own, as they stand in the grid
    doubled = np.flatnonzero(np.diff(grid.s) <= 0.0)
    ends = np.searchsorted(known.states[:, 0], grid.s[doubled], "right") - 1
    # of borders that touch, the first tells what is before the cell's end, the last what is behind
    before, behind = (ends > low) & (ends <= high), (ends >= low) & (ends < high)
    first = looks * (ends - low)
    for at, row in (
        ((first[before] - 1)[::-1], doubled[before][::-1]),
        (first[behind], doubled[behind] + 1),
    ):
        x[at], tool[at], which[at] = grid.joints[row], grid.tool[row], row
    if care.at_points:
        # points of the grid lie where rates change, however soon they are passed
        inner = np.flatnonzero(np.isin(grid.s, known.states[:, 0], invert=True))
        own = np.searchsorted(known.states[:, 0], grid.s[inner], "right") - 1
        inside = (own >= low) & (own < high)
        inner, own = inner[inside], own[inside]
        within = known.share(own, grid.s[inner])
        cell, share = np.append(cell, own), np.append(share, within)
        s = np.concatenate([s, known.evaluate(own, within)])
        x = np.concatenate([x, grid.joints[inner]])
        tool = np.concatenate([tool, grid.tool[inner]])
        which = np.append(which, inner)
    nodes = np.tile(0.5 * (_NODES + 1.0), count)
    node_cell = np.repeat(np.arange(low, high), len(_NODES))
    return SpeedProblem(
        cell - low,
        known.basis(cell, share),
        *_asked(x, tool, s, grid, which, drives),
        node_cell - low,
        np.ascontiguousarray(known.basis(node_cell, nodes)[:, 2]),
        (0.5 * _WEIGHTS * widths[:, None]).ravel(),
    )


def _asked(
    x: Array, tool: Array, s: Array, grid: PathGrid, which: Integers, drives: DriveLoads | None
) -> tuple[Array, Array, Array, Array]:
    """Return largest b, joints, tool and loads of points; see `SpeedProblem`.

    Args:
        x: q and its derivatives by arc length. Shape (p, 4, n).
        tool: First to third derivative of the tool's pose. Shape (p, 3, 6).
        s: Arc length and its derivatives by σ. Shape (p, 4).
        grid: With the limits.
        which: Of its points that have those limits. Shape (p,).
        drives: What they can do, in place of the joints' limits of acceleration.
    """
    limits, loads = grid.joint_limits[which], np.zeros((len(s), 4, 0))
    if drives is not None:
        limits[:, ACCELERATION] = np.inf
        y = by_parameter(x[:, 1:], s)
        loads = np.ascontiguousarray(drives.along(x[:, 0], y[:, 0], y[:, 1]))
    return (*speed_rows(x, tool, s, limits, grid.tool_limits[which]), loads)


def _with_places(
    found: QuickLaw, run: Run, grid: PathGrid, s: Array, drives: DriveLoads | None
) -> SpeedProblem:
    """Return what was solved, looked at in more places s along the run [m]. Shape (m,)."""
    known, given = found.known, found.given
    cell = np.searchsorted(known.states[:, 0], s, "right") - 1
    cell = np.clip(cell, 0, len(known.times) - 2)
    share = known.share(cell, s)
    which = np.clip(np.searchsorted(grid.s, s, "right") - 1, 0, len(grid.s) - 1)
    x, tool = run.evaluate(s)
    asked = _asked(x, tool, known.evaluate(cell, share), grid, which, drives)
    more = (cell, known.basis(cell, share), *asked)
    joined = [np.concatenate(pair) for pair in zip(given[:6], more, strict=True)]
    return given._replace(**dict(zip(SpeedProblem._fields[:6], joined, strict=True)))


def even_square(given: SpeedProblem) -> float:
    """Return the largest b that could be the same all along [1/s²]."""
    second = max(np.abs(given.joints[:, 1]).max(), np.sqrt(given.tool[:, :, 2].max()))
    third = max(np.abs(given.joints[:, 4]).max(), np.sqrt(given.tool[:, :, 8].max()))
    with np.errstate(divide="ignore"):
        square = float(min(given.ceiling.min(), 1.0 / second, third ** (-2.0 / 3.0)))
    if given.drives.shape[2]:
        _, bias, still, drag = np.abs(np.moveaxis(given.drives, 1, 0))
        room = np.maximum(1.0 - still, 0.0)
        # bias r² + drag r = room
        root = 2.0 * room / (drag + np.sqrt(drag * drag + 4.0 * bias * room) + _TINY)
        square = min(square, float(root.min()) ** 2)
    return square
