"""What hangs at the hand: the forces it takes, and how it is found out from those of the motors.

A body of mass m with its centre at c from the tool point, moved with the tool, takes the force and
moment (at the tool point, a being its acceleration less that of free fall)

    f = m a + w' × m c + w × (w × m c),        n = m c × a + I w' + w × I w,

which are linear in the ten numbers m, m c and I. So are the joint forces
J^T (f, n), and least squares find the ten numbers from what the motors gave beyond what the arm
alone takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array
from armwerk.control.servo.loops import require_gain
from armwerk.errors import DescriptionError, ShapeError, UnsupportedError
from armwerk.mechanics.serial import SerialModel

NUMBERS = 10  # mass, first moment (3), Ixx Iyy Izz Ixy Ixz Iyz about the tool point
_SMALL = 1e-5  # [s] by which a configuration is moved on to see how its Jacobian changes
_WORST = np.array([20.0, *[5.0] * 3, *[1.0] * 6])  # what is expected before anything is known


@dataclass(frozen=True, slots=True, eq=False)
class HandLoad:
    """A rigid body that moves with the tool.

    Args:
        mass: [kg].
        com: Its centre of mass in the tool's frame [m]. Shape (3,).
        inertia: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the tool point, in its frame [kg m²].
    """

    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros(6))

    def __post_init__(self) -> None:
        for name, size in (("com", 3), ("inertia", 6)):
            values = np.array(getattr(self, name), dtype=np.float64)
            if values.shape != (size,) or not np.isfinite(values).all():
                raise ShapeError(f"{name} of a load must be {size} finite numbers, got {values}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def numbers(self) -> Array:
        """Return mass, first moment and moments of inertia in one row. Shape (10,)."""
        return np.array([self.mass, *(self.mass * self.com), *self.inertia])

    @classmethod
    def of(cls, numbers: Array) -> HandLoad:
        """Return the load with ten numbers; a mass of none has its centre at the tool point."""
        mass = float(numbers[0])
        com = numbers[1:4] / mass if mass > 1e-9 else np.zeros(3)
        return cls(mass, com, np.array(numbers[4:]))


def _cross(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _spread(v: Array) -> Array:
    """Return the matrix that gives I v for the six moments of inertia. Shape (3, 6)."""
    x, y, z = v
    return np.array([[x, 0, 0, y, z, 0], [0, y, 0, x, 0, z], [0, 0, z, 0, x, y]])


def load_forces(model: SerialModel, q: Array, qd: Array, qdd: Array) -> Array:
    """Return Y with Y numbers = the joint forces that a load takes. Shape (n, 10)."""
    J = model.jacobian(q)
    ahead, behind = model.jacobian(q + _SMALL * qd), model.jacobian(q - _SMALL * qd)
    speed = J @ qd
    change = J @ qdd + (ahead - behind) @ qd / (2.0 * _SMALL)
    R = model.fk(q)[:3, :3]
    a = R.T @ (change[:3] - model.arm.gravity)
    w, wd = R.T @ speed[3:], R.T @ change[3:]
    spin = _cross(w)
    Y = np.zeros((6, NUMBERS))
    Y[:3, 0] = a
    Y[:3, 1:4] = _cross(wd) + spin @ spin
    Y[3:, 1:4] = -_cross(a)
    Y[3:, 4:] = _spread(wd) + spin @ _spread(w)
    Y[:3], Y[3:] = R @ Y[:3], R @ Y[3:]
    return np.asarray(J.T @ Y)


def require_dynamics(model: object) -> SerialModel:
    """Return a model that has dynamics and a tool.

    Raises:
        UnsupportedError: For a model of parts, which has no inverse dynamics.
    """
    if not isinstance(model, SerialModel):
        raise UnsupportedError(
            f"inverse dynamics need a serial arm (armwerk.model of an Arm), got {model!r:.80}"
        )
    return model


@dataclass(slots=True, eq=False)
class LoadEstimator:
    """Finds out what hangs at the hand, by least squares with a memory.

    Only axes that move count: what dry friction holds at rest tells nothing of the load.

    Args:
        model: Of the arm without the load.
        noise: Of a measured force, as a fraction of the largest that was seen [1].
        memory: Time after which what was seen counts by 1/e [s].
        every: Steps between two looks.
        slowest: Speed below which an axis counts as standing [rad/s or m/s].
    """

    model: SerialModel
    noise: float = 0.01
    memory: float = 5.0
    every: int = 5
    slowest: float = 0.02
    _known: Array = field(init=False, repr=False)
    _seen: Array = field(init=False, repr=False)
    _largest: Array = field(init=False, repr=False)
    _count: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        require_dynamics(self.model)
        require_gain("noise of the load estimator", self.noise, "", least=1e-6)
        require_gain("memory of the load estimator", self.memory, "s", least=1e-3)
        if self.every < 1:
            raise DescriptionError(
                "out of range", element="every", value=self.every, allowed="at least 1 step"
            )
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._known = np.zeros((NUMBERS, NUMBERS))
        self._seen = np.zeros(NUMBERS)
        self._largest = np.full(self.model.dof, 1.0)
        self._count = 0

    def look(self, q: Array, qd: Array, qdd: Array, tau: Array, dt: float) -> None:
        """Take in one step.

        Args:
            q: Where the axes stood at its beginning [rad or m].
            qd: How fast they were then.
            qdd: How they were accelerated in it.
            tau: What the motors gave in it, friction of the drives included [N m or N].
            dt: Its length [s].
        """
        self._count += 1
        self._largest = np.maximum(self._largest, np.abs(tau))
        if self._count % self.every:
            return
        moving = np.abs(qd) > self.slowest
        if not moving.any():
            return
        alone = self.model.inverse_dynamics(q, qd, qdd) + self.model.friction(qd)
        sigma = self.noise * self._largest[moving]
        Y = load_forces(self.model, q, qd, qdd)[moving] / sigma[:, None]
        missing = (tau - alone)[moving] / sigma
        keep = np.exp(-dt * self.every / self.memory)
        self._known = keep * self._known + Y.T @ Y
        self._seen = keep * self._seen + Y.T @ missing

    def _covariance(self) -> Array:
        return np.asarray(np.linalg.inv(self._known + np.diag(_WORST**-2.0)))

    @property
    def load(self) -> HandLoad:
        """What is most likely at the hand; a mass below 0 is none."""
        numbers = self._covariance() @ self._seen
        return HandLoad.of(numbers) if numbers[0] > 0.0 else HandLoad()

    @property
    def uncertainty(self) -> float:
        """One standard deviation of the mass [kg]."""
        return float(np.sqrt(self._covariance()[0, 0]))
