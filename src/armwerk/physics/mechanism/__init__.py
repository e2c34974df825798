"""An arm and its gripper as a tree of rigid members: what the physics needs to know of them.

| module | what it holds |
|---|---|
| `members` | `Member`, `Mechanism` and what their joints do |
| `tree` | the tree while it grows |
| `rows`, `parts` | members of arms by DH rows, of arms and grippers built from parts |
| `assemble` | `mechanism`, the way in; `tooled`, the arm as its controller sees it |
| `grip_width` | how far a gripper is open at which motor value |
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
