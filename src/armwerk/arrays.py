"""What an array is here: one name for one kind, used by every room.

Shapes stand in docstrings ("Shape (m, n)"), kinds of numbers in these names.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
