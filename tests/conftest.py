"""Settings that hold for all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A busy machine must not make a right test fail: no deadlines, and in CI the same examples
# every time.
settings.register_profile(
    "armwerk",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("armwerk")
