"""Settings that hold for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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

# How long things take is told on stderr; a test that compares what is written must not see it.
os.environ["ARMWERK_PROGRESS"] = "no"

# What may be skipped in CI: beginnings of reasons, and why no machine of ours mends them.
MAY_SKIP = {
    "no OpenGL without a screen": "needs a graphics driver; the same picture is drawn by the "
    "rasteriser, which is tested everywhere",
    "Firefox is not installed": "needs rights to install it; `.ci/run` does where it can, and "
    "every view is tested in Chromium everywhere",
    "pdflatex is not installed": "needs rights to install it; `.ci/run` does where it can, and the "
    "text of the documents is compared with golden files everywhere",
}


def refusal(report: pytest.TestReport | pytest.CollectReport) -> str | None:
    """Return why a skipped test fails in CI; None when it may be skipped or did not skip."""
    if not (report.skipped and os.environ.get("CI")) or hasattr(report, "wasxfail"):
        return None
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if reason.startswith(tuple(MAY_SKIP)):
        return None
    return f"skipped in CI: {reason}\nInstall what is missing, or add the reason to MAY_SKIP."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test that skips itself fail in CI."""
    report = yield
    if why := refusal(report):
        report.outcome, report.longrepr = "failed", why
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let a file that skips itself fail in CI."""
    report = yield
    if why := refusal(report):
        report.outcome, report.longrepr = "failed", why
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser without a window."""
    from browser import chromium, opened

    from armwerk.studio.server import bundle_folder

    if chromium() is None:
        pytest.fail("the tests of the studio need a browser; type: sudo apt-get install chromium")
    if not (bundle_folder() / "main.js").exists():
        pytest.fail("the page has not been built; type: make page")
    with opened() as browser:
        yield browser
