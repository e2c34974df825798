"""A derivation as a LaTeX document."""

from __future__ import annotations

from armwerk.derivation.emit.latex.document import document
from armwerk.derivation.emit.latex.short import short_document

__all__ = ["document", "short_document"]
