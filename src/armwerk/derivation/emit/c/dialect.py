"""How C writes statements."""

from __future__ import annotations

from armwerk.derivation.emit.text import broken


class CDialect:
    """Local constants and assignments in C99."""

    def let(self, name: str, value: str) -> list[str]:
        """Return the definition of a local constant."""
        return broken(f"const double {name} = {value};", "    ")

    def put(self, place: str, value: str) -> list[str]:
        """Return an assignment."""
        return broken(f"{place} = {value};", "    ")
