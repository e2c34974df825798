"""A track's spans in tables, for kernels that run along very many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves.curve import Curve, Line
from armwerk.motion.curves.parametric import ParametricCurve
from armwerk.motion.kernels.tracks import (
    CELLS,
    DEGREE,
    LINE,
    OTHER,
    POLYNOMIAL,
    QUATERNION,
    TURN,
    PackedSpans,
    PackedTrack,
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
        self.lines: list[tuple[Array, Array]] = []
        self.polynomials: list[Array] = []
        self.lengths: list[Array] = []
        self.turns: list[Array] = []
        self.quaternions: list[Array] = []

    def curve(self, curve: Curve) -> _KindRow:
        if isinstance(curve, Line):
            self.lines.append((curve.start, curve.end))
            return _KindRow(LINE, len(self.lines) - 1)
        if isinstance(curve, ParametricCurve) and len(curve.knots) == CELLS + 1:
            given = curve.polynomial
            if given is not None and len(given) <= DEGREE + 1:
                self.polynomials.append(_padded(given))
                self.lengths.append(curve.lengths)
                return _KindRow(POLYNOMIAL, len(self.lengths) - 1)
        return _KindRow(OTHER, 0)

    def orientation(self, orientation: Orientation) -> _KindRow:
        if isinstance(orientation, EvenTurn) and orientation.frame is None:
            self.turns.append(np.concatenate([orientation.start, orientation.rate[None]]))
            return _KindRow(TURN, len(self.turns) - 1)
        if isinstance(orientation, QuaternionCurve):
            given = orientation.polynomial
            if len(given.breaks) == 2 and given.breaks[0] == 0.0:
                table = given.coefficients[0]
                if len(table) <= DEGREE + 1:
                    self.quaternions.append(_padded(table))
                    return _KindRow(QUATERNION, len(self.quaternions) - 1)
        return _KindRow(OTHER, 0)


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
    ends = np.array(tables.lines).reshape(-1, 2, 3)
    way = ends[:, 1] - ends[:, 0]
    line_lengths = np.sqrt((way * way).sum(axis=1))
    lines = np.stack([ends[:, 0], way / line_lengths[:, None]], axis=1)
    return PackedTrack(
        along,
        np.ascontiguousarray(lines),
        line_lengths,
        np.array(tables.polynomials).reshape(-1, DEGREE + 1, 3),
        np.array(tables.lengths).reshape(-1, CELLS + 1),
        turning,
        np.array(tables.turns).reshape(-1, 4, 3),
        np.array(tables.quaternions).reshape(-1, DEGREE + 1, 4),
    )


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
