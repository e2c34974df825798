"""Inverse kinematics: from a pose to joint values, by whichever method, in the same words.

`interface` says what every solver offers and what an answer holds, `methods` which ones there are;
`numeric` and the simpler ones of `iterative` are the iterative methods. The closed form is added
where the rooms are joined, in `armwerk.modelling`.
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
