"""The numbers of an arm: what comes in is a description, what goes out are poses, joints, forces.

`model` makes an `ArmModel` of an `Arm` or of an assembly of parts. Nothing here knows time, paths
or surroundings.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
