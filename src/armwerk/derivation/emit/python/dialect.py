"""How Python writes statements."""

from __future__ import annotations

from armwerk.derivation.emit.text import WIDTH, broken


class PythonDialect:
    """Assignments in Python; long ones in brackets."""

    def let(self, name: str, value: str) -> list[str]:
        """Return an assignment."""
        if len(name) + 3 + len(value) <= WIDTH - 4:
            return [f"{name} = {value}"]
        lines = broken(value, "", WIDTH - 8)
        return [f"{name} = (", *(f"    {line}" for line in lines), ")"]

    def put(self, place: str, value: str) -> list[str]:
        """Return an assignment to a place."""
        return self.let(place, value)
