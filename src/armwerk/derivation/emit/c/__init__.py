"""The models of an arm as C99 with no dependency but libm."""

from __future__ import annotations

from armwerk.derivation.emit.c.header import header
from armwerk.derivation.emit.c.source import source_file

__all__ = ["header", "source_file"]
