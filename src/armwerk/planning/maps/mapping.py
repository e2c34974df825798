"""`cspace`: for which joint values does which arm part hit which body?

Engines that divide the work are given a map in pieces: strips of two axes, slices of three.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike

from armwerk.accelerator import Device
from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies, as_bodies
from armwerk.collision.body import Body
from armwerk.errors import DescriptionError, UnsupportedError
from armwerk.planning.arms import ArmLike, Described, described_arm
from armwerk.planning.engines import check_engine, run_chunks
from armwerk.planning.maps.data import Filled
from armwerk.planning.maps.filling import MapRequest, cell_dtype, fill, load_kernels
from armwerk.planning.maps.grid import GridAxis, check_memory, grid_axes, held_values
from armwerk.planning.maps.parts import ShapesLike, moving_parts, shapes_of
from armwerk.planning.maps.result import ConfigurationSpace
from armwerk.planning.options import MapMethod, Progress, check_choice
from armwerk.robot.parts import Assembly

Strip: TypeAlias = tuple[int, int]
"""First value of the axis that is cut, the one behind the last."""

_TESTS = 20_000_000  # of one piece, a second or so of the most general method


class MapOptions(TypedDict, total=False):
    """The options of `cspace`, described there, as keywords that can be handed on."""

    axes: Sequence[int]
    shape: Sequence[int]
    q: ArrayLike | None
    shapes: ShapesLike
    ranges: Sequence[Sequence[float] | None] | None
    method: MapMethod | None
    device: Device
    engine: str
    workers: int | None
    progress: Progress | None


def cspace(
    arm: ArmLike,
    bodies: Bodies | Iterable[Body],
    axes: Sequence[int] = (0, 1),
    shape: Sequence[int] = (360, 360),
    q: ArrayLike | None = None,
    *,
    shapes: ShapesLike = None,
    ranges: Sequence[Sequence[float] | None] | None = None,
    method: MapMethod | None = None,
    device: Device = "cpu",
    engine: str = "local",
    workers: int | None = None,
    progress: Progress | None = None,
) -> ConfigurationSpace:
    """Return the configuration space of an arm among bodies over two or three of its joints.

    Every part of the arm is tested against every body in every cell. A cell holds the sum of body
    number + 1 over all contacts, so 0 is free; touching is contact. ``cells`` has one column per
    value of the first axis, ascending, and one row per value of the second, *descending*: row 0
    is the top of the picture. A third axis comes first, ascending: Shape (nz, ny, nx).

    Args:
        arm: A description or its model, the name of a library arm, or a file.
        bodies: What is around it, in world coordinates.
        axes: Two or three different joints, counted from 0.
        shape: Number of values along each axis; the upper end of a range is left out.
        q: Values of all joints [rad or m], of which those of ``axes`` do not count. None: zeros,
            or the limit next to zero. Shape (n,).
        shapes: Solids of the arm, as `armwerk.collision.ArmShapes` takes them. None: those
            of a URDF file, else capsules along the links.
        ranges: (low, high) along each axis [rad or m]; None, or None in place of one: the joint's
            limits, -π to π where they allow more than a turn.
        method: How to fill the map, see `armwerk.planning.maps.filling`; None: the quickest.
        device: "cpu", or "gpu" for a map of planar boxes on an accelerator, with the same result.
        engine: "local": this process; "dask", or the address of a dask scheduler: pieces of the
            map on many, with the same result. See `armwerk.planning.engines`.
        workers: Number of threads or processes; None: one thread, or one process per core.
        progress: Called with the fraction done, 0 to 1, once in a while.

    Raises:
        DescriptionError: For axes, a shape, ranges or bodies that make no map; the message says
            what is allowed.
        UnsupportedError: When the arm still has symbols, or the device cannot make this map.
    """
    check_engine(engine, workers)
    described = described_arm(arm)
    method = _on_device(described, method, device)
    around = as_bodies(bodies)
    grid = grid_axes(described, axes, shape, ranges)
    held = held_values(described, q)
    solids = shapes_of(described, shapes, arm)
    parts = moving_parts(solids)
    dtype = cell_dtype(len(parts), len(around))
    check_memory([axis.count for axis in grid], dtype.itemsize)
    request = MapRequest(described, solids, tuple(around), grid, held, dtype, method)
    load_kernels(request)
    begin = time.perf_counter()
    if engine == "local" and workers in {None, 1}:
        filled = fill(request, progress)
    else:
        filled = fill_in_pieces(request, engine, workers, progress)
    seconds = time.perf_counter() - begin
    filled.cells.setflags(write=False)
    return ConfigurationSpace(
        arm=described,
        shapes=solids,
        parts=parts,
        bodies=around,
        axes=grid,
        q=held,
        cells=filled.cells,
        hits=filled.hits,
        seconds=seconds,
        method=filled.method,
        impossible=filled.impossible,
    )


def _on_device(arm: Described, method: MapMethod | None, device: Device) -> MapMethod | None:
    """Return the method that a device takes; None: any."""
    check_choice("device", device, get_args(Device))
    if device == "cpu":
        return method
    if method not in {None, "accelerator"}:
        raise DescriptionError(
            "not a method of device 'gpu'", element="method", value=method, allowed="None"
        )
    if isinstance(arm, Assembly) or arm.is_coupled:
        kind = "is an assembly" if isinstance(arm, Assembly) else "has coupled joints"
        raise UnsupportedError(
            f"the accelerator maps serial arms among planar boxes alone, and '{arm.name}' {kind}; "
            "use device='cpu'"
        )
    return "accelerator"


@dataclass(frozen=True)
class StripAxis(GridAxis):
    """A part of an axis, with the very values of the whole.

    Args:
        whole: The axis it is a part of.
        first: Number of its first value there.
    """

    whole: GridAxis
    first: int

    @property
    def step(self) -> float:
        """From value to value [rad or m]."""
        return self.whole.step

    @cached_property
    def values(self) -> Array:
        """All values, ascending [rad or m]. Shape (count,)."""
        return self.whole.values[self.first : self.first + self.count]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces that are done, each with the number of its first value; they add up in any order."""

    done: tuple[tuple[int, Filled], ...]

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces((*self.done, *other.done))


def cut_axis(request: MapRequest) -> int:
    """Return which of the axes is cut: the third, or the first of two."""
    return 2 if len(request.grid) == 3 else 0


def strips(request: MapRequest) -> list[Strip]:
    """Return from where to where the pieces go."""
    axis = request.grid[cut_axis(request)]
    others = [other.count for other in request.grid if other is not axis]
    tests = int(np.prod(others)) * max(1, len(request.solids) * len(request.bodies))
    size = max(1, _TESTS // tests)
    return [(first, min(first + size, axis.count)) for first in range(0, axis.count, size)]


def fill_piece(request: MapRequest, strip: Strip) -> Pieces:
    """Return one piece of a map."""
    first, last = strip
    whole = request.grid[cut_axis(request)]
    ends = (float(whole.values[first]), float(whole.values[last - 1]) + whole.step)
    part = StripAxis(whole.index, whole.name, whole.kind, *ends, last - first, whole, first)
    grid = tuple(part if axis is whole else axis for axis in request.grid)
    return Pieces(((first, fill(replace(request, grid=grid))),))


def fill_in_pieces(
    request: MapRequest, engine: str, workers: int | None, progress: Progress | None
) -> Filled:
    """Return the whole map, made by an engine; the same cells for any."""
    found = run_chunks(
        request, strips(request), fill_piece, engine, workers=workers, progress=progress
    )
    pieces = [piece for _, piece in sorted(found.done, key=lambda one: one[0])]
    along = 0 if cut_axis(request) == 2 else 1
    cells = np.concatenate([piece.cells for piece in pieces], axis=along)
    impossible = None
    if any(piece.impossible is not None for piece in pieces):
        masks = [
            np.zeros(piece.cells.shape, bool) if piece.impossible is None else piece.impossible
            for piece in pieces
        ]
        impossible = np.concatenate(masks, axis=along)
    hits = sum(piece.hits for piece in pieces)
    return Filled(np.ascontiguousarray(cells), hits, pieces[0].method, impossible)
