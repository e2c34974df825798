"""Every view, wide and on a phone: all can be reached by keys, has a name, and is not cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Visitor
from playwright.sync_api import Browser

from armwerk.studio import StudioFolder, StudioServer, StudioSession

READY = {
    "cell": "armwerk.drawn > 0",
    "arm": "window.armwerkArm && armwerkArm.posed() && !armwerkArm.busy()",
    "motion": "window.armwerkMotion && armwerkMotion.staged",
    "space": "window.armwerkSpace && armwerkSpace.map",
    "program": "document.querySelectorAll('#program-arm option').length > 1",
}
SEEN = """
const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().width > 0;
const all = (words) => [...document.querySelectorAll(words)].filter(seen);
const shown = (one) => `${one.tagName} ${one.id} ${one.className} ${one.textContent.slice(0, 30)}`;
"""
NAMELESS = (
    f"(() => {{ {SEEN}"
    """
    const named = (one) => one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
      || one.labels?.length || one.title || one.textContent.trim();
    return all('button, input, select, textarea, canvas[tabindex], [role=tab]')
      .filter((one) => !named(one)).map(shown);
    })()"""
)
CUT_OFF = (
    f"(() => {{ {SEEN}"
    """
    const scrolled = (one) => {
      for (let up = one.parentElement; up !== null; up = up.parentElement) {
        const scrolls = ['auto', 'scroll'].includes(getComputedStyle(up).overflowX);
        if (scrolls && up.scrollWidth > up.clientWidth + 1) return true;
      }
      return false;
    };
    const beyond = (one) => {
      const { left, right } = one.getBoundingClientRect();
      return left < -1 || right > innerWidth + 1;
    };
    return all('button, input, select, textarea, summary, h2, h3, label, p, table')
      .filter((one) => beyond(one) && !scrolled(one)).map(shown);
    })()"""
)
FOCUSED = """(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const name = one.id || one.textContent.trim().slice(0, 30);
  return [name, outlineStyle !== 'none' && outlineWidth !== '0px'];
})()"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """A cell that runs."""
    session = StudioSession("sorting", StudioFolder(tmp_path_factory.mktemp("views")))
    with StudioServer(session) as server:
        yield server


@pytest.mark.parametrize("size", [(1400, 900), (390, 800)])
def test_nothing_is_nameless_or_cut_off(
    browser: Browser, server: StudioServer, size: tuple[int, int]
) -> None:
    visitor = Visitor(browser, server.url, size, "dark")
    visitor.until("window.armwerk && armwerk.greeted")
    for view, ready in READY.items():
        visitor.page.click(f"#tab-{view}")
        visitor.until(ready, 120)
        visitor.page.evaluate(
            "document.querySelectorAll('details').forEach(one => one.open = true)"
        )
        visitor.page.wait_for_timeout(200)
        assert visitor.page.evaluate(NAMELESS) == [], view
        assert visitor.page.evaluate(CUT_OFF) == [], view
        visitor.picture(f"every_{view}_{size[0]}")
    visitor.close()
    assert visitor.complaints == []


def test_keys_reach_everything_and_show_where_they_are(
    browser: Browser, server: StudioServer
) -> None:
    visitor = Visitor(browser, server.url, (1400, 900))
    page = visitor.page
    visitor.until("window.armwerk && armwerk.greeted && armwerk.drawn > 0")
    page.evaluate("document.querySelector('#panel-execute').open = true")
    met: dict[str, bool] = {}
    for _ in range(45):
        page.keyboard.press("Tab")
        name, ringed = page.evaluate(FOCUSED)
        met[name] = ringed
    for wanted in ("tab-cell", "cells", "theme", "canvas", "mark-moving", "run", "speed"):
        assert wanted in met, (wanted, list(met))
    assert {"Start", "Stop", "Pause", "Reset"} <= met.keys(), list(met)
    assert [name for name, ringed in met.items() if not ringed] == []
    page.focus("#tab-cell")
    page.keyboard.press("ArrowRight")
    visitor.until("document.documentElement.dataset.view === 'arm'")
    page.keyboard.press("Alt+5")
    visitor.until("document.documentElement.dataset.view === 'program'")
    visitor.close()
    assert visitor.complaints == []
