"""Inverse dynamics of one arm as compiled code, for many states at once.

The recursion is unrolled for the arm, terms with zero are gone and what is shared is computed
once; the generated function takes blocks of states in a layout that the compiler turns into
vector instructions. It is kept in the same cache as the inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.derivation.emit.dynamic_blocks import has_masses, inverse_dynamics_block
from armwerk.derivation.emit.function_builder import CodeBlock, Constants
from armwerk.derivation.runtime.compile import Progress, kernels_for
from armwerk.derivation.runtime.templates import source
from armwerk.errors import ShapeError, UnsupportedError
from armwerk.mechanics.chain import Chain, pack
from armwerk.robot.arm import Arm

LANES = 64  # states in one block: its buffers stay in the first-level cache

_HEAD = '''"""Generated: inverse dynamics of one arm. Do not edit."""

import math

import numpy as np
from numba import njit, prange


@njit("(float64[:,::1], float64[:,::1])", cache=True, nogil=True, fastmath={{"contract"}})
def _block(x, y):
    for k in range({lanes}):
'''
_TAIL = """

@njit(
    "(float64[:,::1], float64[:,::1], float64[:,::1], float64[:,::1])",
    cache=True, nogil=True, parallel=True,
)
def batch(q, qd, qdd, tau):
    count = q.shape[0]
    for block in prange((count + {lanes} - 1) // {lanes}):
        x = np.zeros(({inputs}, {lanes}))
        y = np.empty(({dof}, {lanes}))
        first = block * {lanes}
        last = min(first + {lanes}, count)
        for i in range(first, last):
            k = i - first
{loads}
        _block(x, y)
        for i in range(first, last):
            for j in range({dof}):
                tau[i, j] = y[j, i - first]
"""


class CompiledDynamics:
    """Inverse dynamics of an arm, compiled for it.

    Args:
        arm: With numbers for dimensions and masses.
        progress: Told in words when something takes long.
    """

    def __init__(self, arm: Arm, progress: Progress | None = None) -> None:
        chain = pack(arm)
        if not has_masses(chain):
            raise UnsupportedError(f"arm '{arm.name}' has no masses, so it has no dynamics")
        self.dof = chain.dof
        self.source = _source(chain)
        _, kernels = kernels_for(self.source, progress)
        self._batch: Callable[[Array, Array, Array, Array], None] = vars(kernels)["batch"]

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the joint forces of m states, without friction [N m or N]. Shape (m, n)."""
        rows = [np.ascontiguousarray(values, dtype=np.float64) for values in (q, qd, qdd)]
        if rows[0].ndim != 2 or any(row.shape != (len(rows[0]), self.dof) for row in rows):
            shapes = ", ".join(str(row.shape) for row in rows)
            raise ShapeError(f"q, qd and qdd must have one shape (m, {self.dof}), got {shapes}")
        tau = np.empty_like(rows[0])
        self._batch(rows[0], rows[1], rows[2], tau)
        return tau


def _source(chain: Chain) -> str:
    constants = Constants()
    block = inverse_dynamics_block(chain, constants)
    names = sorted(block.inputs)
    return "".join(
        [
            _HEAD.format(lanes=LANES),
            "\n".join(_body(block, constants, names)),
            _TAIL.format(
                lanes=LANES,
                inputs=len(names),
                dof=chain.dof,
                loads="\n".join(_loads(chain, names)),
            ),
        ]
    )


def _body(block: CodeBlock, constants: Constants, names: list[str]) -> Iterator[str]:
    for constant in constants.used(block.constants()):
        yield f"        {constant.name} = {constant.value!r}"
    for place, name in enumerate(names):
        yield f"        {name} = x[{place}, k]"
    for name, value in block.statements:
        yield f"        {name} = {source(value)}"
    for joint, value in block.outputs:
        yield f"        y[{joint}, k] = {source(value)}"


def _loads(chain: Chain, names: list[str]) -> Iterator[str]:
    places = {name: place for place, name in enumerate(names)}
    for i in range(1, chain.dof + 1):
        for name, value in (
            (f"c{i}", f"math.cos(q[i, {i - 1}])"),
            (f"s{i}", f"math.sin(q[i, {i - 1}])"),
            (f"q{i}", f"q[i, {i - 1}]"),
            (f"qd{i}", f"qd[i, {i - 1}]"),
            (f"qdd{i}", f"qdd[i, {i - 1}]"),
        ):
            if name in places:
                yield f"            x[{places[name]}, k] = {value}"
