"""What several rooms say to each other: small frozen things without behaviour."""

from __future__ import annotations

from armwerk.protocol.trigger import Note, Trigger

__all__ = ["Note", "Trigger"]
