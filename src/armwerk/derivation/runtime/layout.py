"""Where the setting of the kernels keeps what; read by the generated code and its callers.

0 to 11: front^-1, row by row; 12 to 23: back^-1; then the numbers below; from `GIVEN` on four
numbers per given joint: cosine, sine, angle, value.
"""

from __future__ import annotations

GENERATOR_VERSION = 1
"""Changes when generated code can no longer be used with the rest."""

PLAIN = 24
"""Whether base and tool are both the identity: 1 or 0."""

FREE_COSINE, FREE_SINE = 25, 26
"""What a free turn is set to."""

FREE_BELOW = 27
"""Squared share of its usual size below which the length of a turn counts as zero."""

GIVEN = 28
