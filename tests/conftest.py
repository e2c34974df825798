"""Settings that hold for all tests."""

from __future__ import annotations

import os
import signal

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

# A shell starts what runs in the background with Ctrl-C ignored, and children inherit that; tests
# that press it must be heard wherever they run.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
