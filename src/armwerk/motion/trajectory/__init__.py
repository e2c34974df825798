"""Trajectories: where every axis is at any time, with their files and summaries."""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
