"""Stations: an arm with external axes, a rail that carries it and a table that carries the work.

What comes in are descriptions of the arm and of what carries arm and work piece; what goes out are
the poses of the tool as the work piece sees them, every solution of the arm for given places of
the external axes, and motions of all axes together along paths on the work piece.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
