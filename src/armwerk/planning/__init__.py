"""Configuration spaces and ways through them: an arm and bodies come in, maps and paths go out."""

from __future__ import annotations

from armwerk.planning.cspace import cspace
from armwerk.planning.cspace_result import ConfigurationSpace

__all__ = ["ConfigurationSpace", "cspace"]
