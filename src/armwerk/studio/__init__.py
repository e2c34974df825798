"""The studio: a cell that runs, shown and steered in a browser.

In goes a cell or an arm; out comes a page on an address of this machine. What is shown and steered
stands in `armwerk.wire`; here are the web server, its doors and their locks.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
