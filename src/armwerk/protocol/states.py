"""How robots and runs stand."""

from __future__ import annotations

from typing import Literal, TypeAlias

RobotState: TypeAlias = Literal["idle", "running", "done", "failed", "stuck", "stopped", "paused"]
"""Of a robot's program: "idle" until it is started."""

RunEnd: TypeAlias = Literal["time", "until", "ended", "waiting", "interrupted"]
"""Why a run ended: the time was up, a condition held, all programs had ended, all that had not
waited for what nobody could bring about any more, or Ctrl-C."""
