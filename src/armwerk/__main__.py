"""``python -m armwerk`` is the same as ``armwerk``."""

from __future__ import annotations

from armwerk.cli import main

if __name__ == "__main__":
    main()
