"""A derivation as a LaTeX document."""

from __future__ import annotations

from armwerk.derivation.emit.latex.document import document

__all__ = ["document"]
