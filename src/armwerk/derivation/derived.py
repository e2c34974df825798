"""The derivation of one arm: every closed-form model, found when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from armwerk.derivation.axis_coupling import AxisCoupling
from armwerk.derivation.configurations import Configurations
from armwerk.derivation.direct import segment
from armwerk.derivation.dynamics import Dynamics, DynamicsMethod, Parameters, dynamics
from armwerk.derivation.dynamics.parameters import described_values
from armwerk.derivation.emit import FORMATS, Format
from armwerk.derivation.equations import Equation, count_by_unknowns, kinematic_equations
from armwerk.derivation.exponentials import Twist, twists
from armwerk.derivation.fixed_joints import without_inner_fixed_joints
from armwerk.derivation.inverse import DerivationMethod, Inverse, refuse_underivable, solve_inverse
from armwerk.derivation.inverse.branch_names import BranchNames, agreed
from armwerk.derivation.inverse.equal_lengths import with_equal_lengths
from armwerk.derivation.inverse.leaves import joint_values, leaves, posture_of
from armwerk.derivation.inverse.reading import readable
from armwerk.derivation.jacobian import jacobian
from armwerk.derivation.operations import model_operations
from armwerk.derivation.ring import Poly, Ring
from armwerk.derivation.show import Expr, sympy_matrix, sympy_transform, twist_name
from armwerk.derivation.singularities import Singularity, singularities
from armwerk.errors import ArmwerkError
from armwerk.mechanics.completed import completed
from armwerk.mechanics.inverse.interface import Task
from armwerk.mechanics.inverse.partial import known_task
from armwerk.robot import Arm, load_arm

if TYPE_CHECKING:
    from armwerk.derivation.emit.compiled_dynamics import CompiledDynamics
    from armwerk.derivation.runtime.solver import ClosedFormSolver


_NAMED_AT = 5  # postures by which signs of roots get their names


def derive(
    arm: Arm | str | Path, method: DerivationMethod | None = None, task: Task = "pose"
) -> Derivation:
    """Return the symbolic derivation of an arm.

    Of an arm with coupled joints the angles of the joints are derived, by the links alone
    (`Arm.free_chain`); `Derivation.coupling` says what they have to do with the axis values.

    Nothing long happens here: each model is derived when it is first asked for. A description
    that cannot be derived is refused at once.

    Args:
        arm: An arm, the name of one in the library, or a file.
        method: Method of the inverse kinematics, "rules", "elimination" or "twists"; None
            tries them in that order.
        task: The part of a pose that the inverse kinematics is for, see
            `armwerk.mechanics.SerialModel.ik`. For "position" and "direction" the arm is
            completed by joints behind its tool that do what is left free
            (`armwerk.mechanics.completed`), and that arm is derived: the values of its first
            joints are the solutions.

    Raises:
        UnknownNameError: For a task that is none.
        UnsupportedError: For an arm that cannot be derived, or a part without numbers for its
            dimensions.
    """
    arm = load_arm(arm)
    described, arm = arm, arm.free_chain
    refuse_underivable(arm, method)
    known_task(task)
    if task in ("position", "direction"):
        arm = completed(arm, task).arm
    return Derivation(arm, method, AxisCoupling(described) if described.is_coupled else None)


class Derivation:
    """All models of one arm.

    Args:
        arm: The description.
        method: Method of the inverse kinematics; None tries all.
        coupling: What its joint angles q1, q2, … have to do with axis values; None: they are
            the axis values.
    """

    def __init__(
        self,
        arm: Arm,
        method: DerivationMethod | None = None,
        coupling: AxisCoupling | None = None,
    ) -> None:
        self.arm = arm
        self.coupling = coupling
        self.method = method
        self.ring = Ring(without_inner_fixed_joints(arm), own_names=True)

    @cached_property
    def forward(self) -> Expr:
        """Direct kinematics, frame n in frame 0, as a SymPy matrix in q1, q2, ..."""
        return sympy_transform(self.ring, self.forward_polynomials)

    @cached_property
    def forward_polynomials(self) -> list[list[Poly]]:
        """Direct kinematics as exact polynomials, 3 by 4."""
        return segment(self.ring, 1, self.ring.dof)

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The 12 n (n + 1) / 2 kinematic equations, sorted by the number of unknowns."""
        return tuple(kinematic_equations(self.ring))

    @cached_property
    def values(self) -> dict[str, float]:
        """The numbers behind the symbols of all models: [m], [rad], [kg], [kg m²], [m/s²].

        Lengths, twists, masses, centres, inertias and gravity of a numeric arm are symbols there
        too: ``d.forward.subs(d.values)``, ``d.dynamics().mass.subs(d.values)``.
        """
        ring = self.ring
        twists = {twist_name(tag): ring.twist_value(tag) for tag in ring.twists}
        found = ring.values | {name: v for name, v in twists.items() if v is not None}
        return found | described_values(ring.arm)

    @property
    def equation_counts(self) -> tuple[int, ...]:
        """How many of the equations hold 0, 1, ... n unknown joints."""
        return tuple(count_by_unknowns(self.equations, self.ring.dof))

    @cached_property
    def inverse(self) -> Inverse:
        """Inverse kinematics: method, steps, branches, program, explanation.

        Every length has a name of its own; where the arm has a closed form only because two of
        them are equal, the solution says so.
        """
        own = solve_inverse(self.ring, self.equations, self.method)
        found = with_equal_lengths(self.ring, own, self.equations, self.method)
        axes = "" if self.coupling is None else self.coupling.explain()
        return replace(readable(self.ring, found), naming=self._branch_names, axes=axes)

    def _branch_names(self) -> BranchNames | None:
        """Return which sign of which root is which configuration; None where that is not said."""
        inverse, ring = self.inverse, self.ring
        if inverse.program is None or inverse.program.given or self.arm.is_symbolic:
            return None
        try:
            configurations = self.configurations
        except ArmwerkError:
            return None
        if not configurations.choices:
            return None
        steps = [step for one in inverse.steps for step in one.steps]
        samples = []
        for seed in range(_NAMED_AT):
            found = leaves(steps, posture_of(ring, seed))
            rows = [joint_values(ring, leaf) for leaf in found.values()]
            names = configurations.names(rows) if rows else []
            samples.append(
                {signs: tuple(name.split()) for signs, name in zip(found, names, strict=True)}
            )
        return agreed(samples)

    @cached_property
    def twists(self) -> tuple[Twist, ...]:
        """Twist coordinates of the joints in the base frame at zero posture."""
        return tuple(twists(self.ring))

    @cached_property
    def jacobian(self) -> Expr:
        """Jacobian, rows v then w, at the origin of frame n in frame 0, as a SymPy matrix."""
        return sympy_matrix(self.ring, jacobian(self.ring))

    @cached_property
    def singularities(self) -> tuple[Singularity, ...]:
        """Joint values at which the arm loses a direction of motion."""
        return tuple(singularities(self.ring))

    @cached_property
    def configurations(self) -> Configurations:
        """Names for the solutions of a pose: arm left or right, elbow up or down, ..."""
        return Configurations(self.arm, self.singularities)

    def dynamics(
        self, method: DynamicsMethod = "lagrange", parameters: Parameters | None = None
    ) -> Dynamics:
        """Return mass, coriolis, centrifugal, gravity and friction.

        Args:
            method: "lagrange", "newton-euler", "newton-euler in one pass" or "kane"; all give
                the same terms.
            parameters: "described", "symbolic" or "lumped", see
                `armwerk.derivation.dynamics.dynamics`; None: as the arm is described, symbols
                when it has no masses.
        """
        key = f"{method}, {parameters}"  # a text, as what is refused need not be hashable
        if key not in self._dynamics:
            self._dynamics[key] = dynamics(self.ring, method, parameters)
        return self._dynamics[key]

    @cached_property
    def _dynamics(self) -> dict[str, Dynamics]:
        return {}

    def compiled_dynamics(self) -> CompiledDynamics:
        """Return the inverse dynamics as code compiled for this arm, for many states at once."""
        from armwerk.derivation.emit.compiled_dynamics import CompiledDynamics

        return CompiledDynamics(self.arm)

    def compiled_inverse(self) -> ClosedFormSolver:
        """Return the inverse kinematics as code compiled for this arm.

        Its `solution_set` returns all solutions of a pose and, where there are infinitely many, the
        joints that can move without leaving it.

        Raises:
            UnsupportedError: When there is no closed form, or for symbols without numbers.
        """
        from armwerk.derivation.runtime.closed import closed_form

        return closed_form(self.arm, method=self.method)

    def operations(self, *, share: bool = True) -> dict[str, dict[str, int]]:
        """Return the number of + - * / cos sin atan2 sqrt pow of every model.

        Args:
            share: Whether sub-expressions that occur more than once are counted once.
        """
        return model_operations(self, share=share)

    def write(self, folder: str | Path, formats: Format | Iterable[Format] = FORMATS) -> list[Path]:
        """Write the derivation as LaTeX, C and Python; return the files.

        Args:
            folder: Made when it does not exist.
            formats: Any of "latex", "short" (the inverse kinematics on two pages, as LaTeX), "c",
                "python" and "motion" (trajectory generators in C, to stand beside the files of
                "c"); a text for one alone.
        """
        from armwerk.derivation.emit.files import write

        return write(self, folder, (formats,) if isinstance(formats, str) else tuple(formats))

    def __repr__(self) -> str:
        return f"<Derivation of {self.arm!r}>"
