"""A track's spans in tables, for kernels that run along very many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves.arc import Arc
from armwerk.motion.curves.curve import Curve, Line, Point
from armwerk.motion.curves.parametric import ParametricCurve
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.kernels.tracks import (
    ARC,
    CELLS,
    DEGREE,
    LINE,
    OTHER,
    POINT,
    POLYNOMIAL,
    QUATERNION,
    SPLINE,
    TURN,
    PackedCurves,
    PackedSpans,
    PackedSplines,
    PackedTrack,
    PackedTurns,
)
from armwerk.motion.path.orientation import EvenTurn, Orientation, QuaternionCurve


class TrackSpan(Protocol):
    """Where something starts on its own arc length, and how far it reaches [m]."""

    @property
    def first(self) -> float:
        """Its own arc length where it starts [m]."""
        ...

    @property
    def length(self) -> float:
        """How far it reaches [m]."""
        ...


class _KindRow(NamedTuple):
    """Which table something is in, and where."""

    kind: int
    row: int


class _Tables:
    """Rows of a `PackedTrack`, gathered one by one."""

    def __init__(self) -> None:
        self.lines: list[tuple[Array, Array, float]] = []
        self.polynomials: list[Array] = []
        self.lengths: list[Array] = []
        self.splines = _Splines()
        self.arcs: list[Array] = []
        self.turns: list[Array] = []
        self.turn_first = [0]
        self.turn_starts: list[float] = []
        self.quaternions: list[Array] = []

    def curve(self, curve: Curve) -> _KindRow:
        if isinstance(curve, Line):
            self.lines.append((curve.start, curve.end, curve.length))
            return _KindRow(LINE, len(self.lines) - 1)
        if isinstance(curve, Point):
            self.lines.append((curve.place, curve.place, curve.length))
            return _KindRow(POINT, len(self.lines) - 1)
        if isinstance(curve, Arc):
            sizes = np.array([curve.radius, curve.length, 0.0])
            self.arcs.append(np.stack([curve.centre, curve.x, curve.y, sizes]))
            return _KindRow(ARC, len(self.arcs) - 1)
        if isinstance(curve, ParametricCurve) and curve.polynomials is not None:
            if _is_corner(curve, curve.polynomials):
                self.polynomials.append(_padded(curve.polynomials.coefficients[0]))
                self.lengths.append(curve.lengths)
                return _KindRow(POLYNOMIAL, len(self.lengths) - 1)
            return _KindRow(SPLINE, self.splines.add(curve, curve.polynomials))
        return _KindRow(OTHER, 0)

    def orientation(self, orientation: Orientation) -> _KindRow:
        if isinstance(orientation, EvenTurn) and orientation.frame is None:
            self.turns.append(np.concatenate([orientation.start, orientation.rate[None]]))
            return _KindRow(TURN, len(self.turns) - 1)
        if isinstance(orientation, QuaternionCurve):
            given = orientation.polynomial
            if given.coefficients.shape[1] <= DEGREE + 1:
                self.turn_starts.extend(given.breaks[:-1].tolist())
                self.quaternions.extend(_padded(table) for table in given.coefficients)
                self.turn_first.append(len(self.turn_starts))
                return _KindRow(QUATERNION, len(self.turn_first) - 2)
        return _KindRow(OTHER, 0)


class _Splines:
    """Rows of `PackedSplines`, gathered one by one."""

    def __init__(self) -> None:
        self.first = [0]
        self.cells: list[Array] = []
        self.pieces: list[Array] = []
        self.powers: list[Array] = []
        self.rows = 0

    def add(self, curve: ParametricCurve, given: Piecewise) -> int:
        piece = np.searchsorted(given.breaks, curve.knots[:-1], "right") - 1
        piece = np.clip(piece, 0, len(given.breaks) - 2)
        start = given.breaks[piece]
        low, high = curve.knots[:-1] - start, curve.knots[1:] - start
        self.cells.append(np.stack([curve.lengths[:-1], curve.lengths[1:], low, high], axis=1))
        count = given.coefficients.shape[1]
        self.pieces.append(np.stack([self.rows + count * piece, np.full(len(piece), count)], 1))
        self.powers.append(given.coefficients.reshape(-1, 3))
        self.rows += len(self.powers[-1])
        self.first.append(self.first[-1] + len(piece))
        return len(self.first) - 2

    def packed(self) -> PackedSplines:
        if not self.cells:
            return _NO_SPLINES
        return PackedSplines(
            np.array(self.first, dtype=np.int64),
            np.concatenate(self.cells),
            np.concatenate(self.pieces).astype(np.int64),
            np.ascontiguousarray(np.concatenate(self.powers)),
        )


_NO_SPLINES = PackedSplines(
    np.zeros(1, dtype=np.int64),
    np.zeros((0, 4)),
    np.zeros((0, 2), dtype=np.int64),
    np.zeros((0, 3)),
)


def _is_corner(curve: ParametricCurve, given: Piecewise) -> bool:
    """Return whether a curve is one polynomial from 0 to 1 in the even cells of a corner."""
    return (
        len(given.breaks) == 2
        and given.breaks[0] == 0.0
        and given.breaks[1] == 1.0
        and len(curve.knots) == CELLS + 1
        and given.coefficients.shape[1] <= DEGREE + 1
    )


def _padded(table: Array) -> Array:
    """Return powers with zeros up to the highest one packed. Shape (6, d)."""
    if len(table) == DEGREE + 1:
        return table
    out = np.zeros((DEGREE + 1, table.shape[1]))
    out[: len(table)] = table
    return out


def pack_track(
    curves: Sequence[tuple[Curve, TrackSpan]], orientations: Sequence[tuple[Orientation, TrackSpan]]
) -> PackedTrack:
    """Return the tables of a track."""
    tables = _Tables()
    along = _spans([span for _, span in curves], [tables.curve(curve) for curve, _ in curves])
    turning = _spans(
        [span for _, span in orientations], [tables.orientation(one) for one, _ in orientations]
    )
    ends = np.array([line[:2] for line in tables.lines]).reshape(-1, 2, 3)
    line_lengths = np.array([line[2] for line in tables.lines])
    directions = (ends[:, 1] - ends[:, 0]) / line_lengths[:, None]
    lines = np.stack([ends[:, 0], directions], axis=1)
    packed = PackedCurves(
        along,
        np.ascontiguousarray(lines),
        line_lengths,
        np.array(tables.polynomials).reshape(-1, DEGREE + 1, 3),
        np.array(tables.lengths).reshape(-1, CELLS + 1),
        tables.splines.packed(),
        np.array(tables.arcs).reshape(-1, 4, 3),
    )
    turns = PackedTurns(
        turning,
        np.array(tables.turns).reshape(-1, 4, 3),
        np.array(tables.turn_first, dtype=np.int64),
        np.array(tables.turn_starts),
        np.array(tables.quaternions).reshape(-1, DEGREE + 1, 4),
    )
    return PackedTrack(packed, turns)


def _spans(spans: Sequence[TrackSpan], places: Sequence[_KindRow]) -> PackedSpans:
    length = np.array([span.length for span in spans])
    kinds = np.array(places, dtype=np.int64).reshape(-1, 2)
    return PackedSpans(
        np.append(0.0, np.cumsum(length)),
        np.array([span.first for span in spans]),
        length,
        np.ascontiguousarray(kinds[:, 0]),
        np.ascontiguousarray(kinds[:, 1]),
    )
