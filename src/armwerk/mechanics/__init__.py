"""The numbers of an arm: what comes in is a description, what goes out are poses, joints, forces.

`SerialModel` is made of an `Arm`, `AssemblyModel` of an assembly of parts; `ArmModel` is what both
offer. Nothing here knows time, paths, surroundings or symbols: `armwerk.model` joins these numbers
with the closed forms of the derivation.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
