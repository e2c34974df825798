"""The models of an arm as a Python module that needs numpy only."""

from __future__ import annotations

from armwerk.derivation.emit.python.module import python_module

__all__ = ["python_module"]
