"""What a command may bring back, beside that it was carried out: one class for each kind."""

from __future__ import annotations

from typing import TypeAlias

from armwerk.protocol.configuring import ArmResult
from armwerk.protocol.filing import FileResult
from armwerk.protocol.mapping import MapResult
from armwerk.protocol.moving import MotionResult
from armwerk.protocol.programming import ProgramResult
from armwerk.protocol.roaming import MobileResult
from armwerk.protocol.staging import StageResult

Result: TypeAlias = (
    FileResult | ArmResult | StageResult | MapResult | MotionResult | ProgramResult | MobileResult
)
"""Anything an answer may bring back; it has the name of its class in ``type``."""
