"""Lets the tests of this folder import `arm_witness` from the folder above."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
