"""What computes the forces of joints: the interface, and how strong drives are.

| module | what it holds |
|---|---|
| `controller` | `JointController`, the interface; `JointFeedback`; `CascadeController` |
| `strength` | forces of motors whose description names none |
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
