"""Source of the run-time inverse kinematics of one arm, made for numba.

Three kernels come out of one `Flow`:

    branches(target, setting, out)   every branch of one pose with its verdict
    one(target, setting, found)      the solutions of one pose
    batch(targets, setting, …)       the solutions of many, `LANES` poses side by side

The kernels run the levels branch by branch without loop or jump, so that in the batch the
compiler can put one pose into each lane of a vector register. Dimensions of the arm are constants
in the source. `setting` holds what may change without compiling again, see
`armwerk.derivation.runtime.kinematics`: base, tool, what to do with free turns, given joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import symengine

from armwerk.derivation.program import Expression, Program
from armwerk.derivation.ring import POSE_ROWS, Angle
from armwerk.derivation.runtime import device_text, reference, templates, tolerances
from armwerk.derivation.runtime.check import MISS_POSITION, MISS_ROTATION, add_check
from armwerk.derivation.runtime.flow import (
    Builder,
    Definition,
    Flow,
    Level,
    add_program,
    arrange,
    theta,
)
from armwerk.derivation.runtime.kinematics import (
    FREE_BELOW,
    FREE_COSINE,
    FREE_SINE,
    GIVEN,
    ArmKinematics,
    wrapped,
)
from armwerk.derivation.runtime.templates import source

LANES = 16
RIGID = "rigid"
_SAMPLES = 256  # random poses on which usual sizes are measured
_FREE = ("free_c", "free_s", "free_below")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How big radicands, turns and divisors usually are, and whether branches coincide."""

    radicands: Mapping[str, float]
    lengths: Mapping[Angle, float]
    divisors: Mapping[int, float]
    shares: Mapping[str, float]
    repeats: bool


def generate(program: Program, kinematics: ArmKinematics) -> str:
    """Return the source of the module for an arm and its program."""
    sizes = measure(program, kinematics)
    builder = Builder(frozenset(f"p_{name}" for name in program.parameters))
    add_program(builder, program, sizes.radicands, sizes.lengths, sizes.divisors, sizes.shares)
    add_check(builder, program, kinematics.rows)
    _add_rigid(builder)
    joints = [f"q{joint}" for joint in range(1, program.dof + 1)]
    flow = arrange(builder, [*joints, MISS_POSITION, MISS_ROTATION, RIGID])
    return _Writer(program, flow, sizes.repeats).module()


def measure(program: Program, kinematics: ArmKinematics) -> Sizes:
    """Return root mean squares over random reachable poses."""
    q = kinematics.sample(_SAMPLES)
    given = q[:, [joint - 1 for joint in program.given]]
    found = reference.execute(program, kinematics.inner_pose(q), list(given.T))
    return Sizes(
        {name: _usual(values) for name, values in found.radicands.items()},
        {angle: _usual(values) for angle, values in found.lengths.items()},
        {joint: _usual(values) for joint, values in found.divisors.items()},
        {text: _usual(values) for text, values in found.shares.items()},
        _repeats(found, kinematics),
    )


def _repeats(found: reference.ProgramBranches, kinematics: ArmKinematics) -> bool:
    """Whether two branches of a pose that is nothing special give the same configuration."""
    count = found.joints.shape[1]
    for one, two in combinations(range(count), 2):
        gap = found.joints[:, one] - found.joints[:, two]
        gap = np.where(kinematics.revolute, wrapped(gap), gap)
        both = found.real[:, one] & found.real[:, two]
        if (np.abs(gap[both]).max(axis=1, initial=0.0) <= tolerances.SAME).sum() > 0.1 * len(gap):
            return True
    return False


def _usual(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    size = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 1.0
    return size if size > 1e-12 else 1.0


def _add_rigid(builder: Builder) -> None:
    """Add how far the pose is from rigid, as a sum of squares; nan for nan."""
    n, o, a = ([symengine.Symbol(f"{letter}{axis}") for axis in "xyz"] for letter in "noa")
    parts = [
        sum((u * u for u in n), symengine.Integer(-1)),
        sum((u * u for u in o), symengine.Integer(-1)),
        sum((u * v for u, v in zip(n, o, strict=True)), symengine.Integer(0)),
        *(n[i - 2] * o[i - 1] - n[i - 1] * o[i - 2] - a[i] for i in range(3)),
    ]
    total = sum(
        (builder.value(f"rigid{k}", part) ** 2 for k, part in enumerate(parts)),
        symengine.Integer(0),
    )
    builder.value(RIGID, total)


class _Writer:
    """Writes the module of one flow."""

    def __init__(self, program: Program, flow: Flow, repeats: bool) -> None:
        self.repeats = repeats
        self.program = program
        self.flow = flow
        self.dof = program.dof
        self.leaves = 2 ** len(flow.roots)
        self.home = {name: level for level in flow.levels for name in level.outputs}
        self.lows = [level for level in flow.levels if _has(level, "root")]
        self.nears = [level for level in flow.levels if _has(level, "turn", "divisor")]

    def module(self) -> str:
        slots, table = self._slots()
        rows = len(slots) + self.leaves + 1
        constants = [
            f"DOF = {self.dof}",
            f"GIVEN = {self.program.given!r}",
            f"LEAVES = {self.leaves}",
            f"LANES = {LANES}",
            f"REPEATS = {self.repeats}",
            f"TURNS = {tuple(self.program.revolute)!r}",
            f"ANGLES = {self._angles()!r}",
            f"ROWS = {rows}",
            f"SLOTS = np.array({table!r})",
            f"ORTHONORMAL = {tolerances.ORTHONORMAL**2!r}",
            *(
                f"p_{name} = {float(value)!r}"
                for name, value in sorted(self.program.parameters.items())
            ),
        ]
        parts = [templates.HEADER, "\n\n" + "\n".join(constants) + "\n"]
        parts += [templates.FUNCTIONS, templates.COMMON]
        if any(_has(level, "lines") for level in self.flow.levels):
            parts.append(templates.LINES)
        levels = "".join(self._level(level) for level in self.flow.levels)
        parts += [levels, templates.MOVE, self._branches(), templates.ONE]
        parts += [self._lane_loop(slots), templates.BATCH_HEAD]
        parts.append(f"\n\nACCELERATED = {self._accelerated(levels)!r}\n")
        return "".join(parts)

    def _accelerated(self, levels: str) -> str:
        """Return the text for an accelerator; none where it would need another library's cosine."""
        if any(_has(level, "lines") for level in self.flow.levels):
            return ""
        lines = [*self._free_and_given("tl.load(setting + {})")]
        lines += self._all_branches() if self.repeats else self._branch_loop()
        lines += device_text.ending(self.leaves, self.dof)
        parameters = {f"p_{name}": float(v) for name, v in self.program.parameters.items()}
        return device_text.device_module(
            templates.COMMON + levels, lines, parameters, repeats=self.repeats
        )

    def _all_branches(self) -> Iterator[str]:
        """Yield the branches one after the other."""
        for leaf, signs, body in self._bodies():
            yield from body
            if not leaf:
                yield device_text.rigid_check(RIGID)
            values, state = self._values_and_state(signs)
            turns = tuple(self.program.revolute)
            yield from device_text.branch(values, state, leaves=self.leaves, leaf=leaf, turns=turns)

    def _branch_loop(self) -> Iterator[str]:
        """Yield a loop over the branches; what has no sign stands in front of it."""
        for level in self.flow.levels:
            if not level.roots:
                yield self._call(level, ())
        yield device_text.rigid_check(RIGID)
        yield f"for leaf in range({self.leaves}):"
        inside = [*device_text.signs(len(self.flow.roots))]
        inside += [self._call(level, ()) for level in self.flow.levels if level.roots]
        values, state = self._values_and_state(())
        inside += device_text.branch(values, state, leaves=self.leaves)
        yield from (f"    {line}" for line in inside)

    def _values_and_state(self, signs: tuple[int, ...]) -> tuple[list[str], str]:
        """Return joint values and verdict of a branch, as wide as a block of poses."""
        values = [self._at(f"q{j + 1}", signs) for j in range(self.dof)]
        evidence = ", ".join(f"{one} + zero" for one in self._evidence(signs))
        return values, f"verdict({evidence})"

    def _evidence(self, signs: tuple[int, ...]) -> tuple[str, str, str, str]:
        """Return smallest radicand, smallest turn and both misses of a branch."""
        return (
            self._minimum(self.lows, "low", signs),
            self._minimum(self.nears, "near", signs),
            self._at(MISS_POSITION, signs),
            self._at(MISS_ROTATION, signs),
        )

    def _angles(self) -> tuple[tuple[int, ...], ...]:
        """Return the signs of all joints in every angle that may be free."""
        return tuple(
            tuple(dict(angle.terms).get(joint, 0) for joint in range(1, self.dof + 1))
            for angle in self.program.turns
        )

    # -- levels -----------------------------------------------------------------------------

    def _level(self, level: Level) -> str:
        lines = [line for statement in level.statements for line in _statement(statement)]
        lines = _with_minima(level, lines)
        arguments = ", ".join(self._arguments(level))
        outputs = ", ".join(self._outputs(level))
        body = "".join(f"    {line}\n" for line in [*lines, f"return ({outputs},)"])
        return f"\n\n@inline\ndef {_name(level)}({arguments}):\n{body}"

    def _arguments(self, level: Level) -> list[str]:
        free = _FREE if _has(level, "turn") else ()
        return [*level.inputs, *free]

    def _outputs(self, level: Level) -> list[str]:
        names = list(level.outputs)
        if _has(level, "root"):
            names.append(f"low_{_name(level)}")
        if _has(level, "turn", "divisor"):
            names.append(f"near_{_name(level)}")
        return names

    # -- kernels ----------------------------------------------------------------------------

    def _branches(self) -> str:
        lines = [*self._inputs("pose[{}]")]
        for leaf, signs, body in self._bodies():
            lines += body
            for j in range(self.dof):
                lines.append(f"out[{leaf}, {j}] = {self._joint(j, signs)}")
            evidence = self._evidence(signs)
            for k, text in enumerate(evidence):
                lines.append(f"out[{leaf}, {self.dof + k}] = {text}")
            lines.append(f"out[{leaf}, {self.dof + 4}] = verdict({', '.join(evidence)})")
        lines.append(f"out[{self.leaves}, 0] = {RIGID}")
        return templates.BRANCHES_HEAD + "".join(f"    {line}\n" for line in lines)

    def _lane_loop(self, slots: Mapping[tuple[str, tuple[int, ...]], int]) -> str:
        lines = [*self._inputs("pose[{} * LANES + k]")]
        written: set[int] = set()
        for leaf, signs, body in self._bodies():
            lines += body
            for j in range(self.dof):
                slot = slots[f"q{j + 1}", self._node(f"q{j + 1}", signs)]
                if slot not in written:
                    written.add(slot)
                    lines.append(f"result[{slot} * LANES + k] = {self._joint(j, signs)}")
            lines.append(
                f"result[{len(slots) + leaf} * LANES + k] = "
                f"verdict({', '.join(self._evidence(signs))})"
            )
        lines.append(f"result[{len(slots) + self.leaves} * LANES + k] = {RIGID}")
        return templates.LANE_LOOP_HEAD + "".join(f"        {line}\n" for line in lines)

    def _inputs(self, entry: str) -> Iterator[str]:
        used = {name for level in self.flow.levels for name in level.inputs}
        for r, names in enumerate(POSE_ROWS):
            for c, name in enumerate(names):
                if name in used:
                    yield f"{name} = {entry.format(4 * r + c)}"
        yield from self._free_and_given("setting[{}]")

    def _free_and_given(self, entry: str) -> Iterator[str]:
        used = {name for level in self.flow.levels for name in level.inputs}
        used |= {f"q{joint}" for joint in self.program.given}
        for name, place in zip(_FREE, (FREE_COSINE, FREE_SINE, FREE_BELOW), strict=True):
            yield f"{name} = {entry.format(place)}"
        for count, joint in enumerate(self.program.given):
            single = Angle(((joint, 1),))
            for k, name in enumerate((single.cos, single.sin, theta(single), f"q{joint}")):
                if name in used:
                    yield f"{name} = {entry.format(GIVEN + 4 * count + k)}"

    def _bodies(self) -> Iterator[tuple[int, tuple[int, ...], list[str]]]:
        """Return number, signs and the calls still missing for every branch, plus first."""
        done: set[str] = set()
        for leaf, signs in enumerate(product((1, -1), repeat=len(self.flow.roots))):
            lines = []
            for level in self.flow.levels:
                call = self._call(level, signs)
                if call not in done:
                    done.add(call)
                    lines.append(call)
            yield leaf, signs, lines

    def _call(self, level: Level, signs: tuple[int, ...]) -> str:
        suffix = _suffix(level.roots, signs)
        outputs = ", ".join(f"{name}{suffix}" for name in self._outputs(level))
        arguments = ", ".join(self._at(name, signs) for name in self._arguments(level))
        return f"({outputs},) = {_name(level)}({arguments})"

    def _at(self, name: str, signs: tuple[int, ...]) -> str:
        """Return the variable that holds a name in the branch of given signs; none: in a loop."""
        if name in self.flow.roots:
            root = self.flow.roots.index(name)
            sign = f"sign{root} * " if not signs else "-" if signs[root] < 0 else ""
            size = self.flow.sizes[name]
            return sign + (self._at(size, signs) if isinstance(size, str) else repr(size))
        if name not in self.home:
            return name
        return f"{name}{_suffix(self.home[name].roots, signs)}"

    def _joint(self, j: int, signs: tuple[int, ...]) -> str:
        """Return the value of a joint in a branch; zero has one sign."""
        return f"{self._at(f'q{j + 1}', signs)} + 0.0"

    def _node(self, name: str, signs: tuple[int, ...]) -> tuple[int, ...]:
        roots = self.home[name].roots if name in self.home else ()
        return tuple(signs[root] for root in roots)

    def _minimum(self, levels: Iterable[Level], word: str, signs: tuple[int, ...]) -> str:
        text = ""
        for level in levels:
            one = f"{word}_{_name(level)}{_suffix(level.roots, signs)}"
            text = f"smaller({text}, {one})" if text else one
        return text or "1.0"

    def _slots(self) -> tuple[dict[tuple[str, tuple[int, ...]], int], list[list[int]]]:
        """Number the different joint values; for every branch and joint say which it is."""
        slots: dict[tuple[str, tuple[int, ...]], int] = {}
        table = []
        for signs in product((1, -1), repeat=len(self.flow.roots)):
            keys = [(f"q{j + 1}", self._node(f"q{j + 1}", signs)) for j in range(self.dof)]
            table.append([slots.setdefault(key, len(slots)) for key in keys])
        return slots, table


def _fused(expression: Expression) -> str:
    return source(expression, fused=True)


def _statement(one: Definition) -> list[str]:
    match one.kind:
        case "value":
            return [f"{one.names[0]} = {_fused(one.expressions[0])}"]
        case "root":
            radicand = f"of_{one.names[0]}"
            return [
                f"{radicand} = {_fused(one.expressions[0])}",
                f"{one.names[0]} = sqrt(choose({radicand} > 0.0, {radicand}, 0.0))",
            ]
        case "turn":
            return _turn(one)
        case "divisor":
            name = one.names[0]
            return [f"{name} = {_fused(one.expressions[0])}", f"of_{name} = {name} * {name}"]
        case "lines":
            arguments = ", ".join(_fused(k) for k in one.expressions)
            return [f"{', '.join(one.names)} = line_pair({arguments})"]
        case "sum":
            return _sum(one)
        case "joint":
            shift = f" - {one.scale!r}" if one.scale else ""
            angle = f"{one.terms[0][1]}{shift}"
            return [f"{one.names[0]} = {f'wrap({angle})' if shift else angle}"]
    raise AssertionError(one.kind)


def _turn(one: Definition) -> list[str]:
    cosine, sine, angle = one.names
    length = f"of_{angle}"
    return [
        f"y, x = {_fused(one.expressions[0])}, {_fused(one.expressions[1])}",
        f"{length} = fma(y, y, x * x)",
        f"free = {length} < free_below * {one.scale**2!r}",
        f"h = 1.0 / sqrt(choose(free, 1.0, {length}))",
        f"{cosine} = choose(free, free_c, x) * h",
        f"{sine} = choose(free, free_s, y) * h",
        f"{angle} = angle_of({sine}, {cosine})",
    ]


def _sum(one: Definition) -> list[str]:
    text = ""
    for sign, name in one.terms:
        term = f"{'-' if sign < 0 else '+'} {name}"
        text = f"wrap({text} {term})" if text else term.replace("+ ", "").replace("- ", "-")
    # a single negated angle may be -pi
    return [f"{one.names[0]} = {text if len(one.terms) > 1 else f'wrap({text})'}"]


def _with_minima(level: Level, lines: list[str]) -> list[str]:
    """Append the smallest radicand, and the smallest turn or divisor, as shares of usual sizes."""
    for kinds, word in ((("root",), "low"), (("turn", "divisor"), "near")):
        text = ""
        for one in level.statements:
            if one.kind in kinds:
                size = one.scale if one.kind == "root" else one.scale**2
                name = one.names[2] if one.kind == "turn" else one.names[0]
                share = f"of_{name} * {1.0 / size!r}"
                text = f"smaller({text}, {share})" if text else share
        if text:
            lines = [*lines, f"{word}_{_name(level)} = {text}"]
    return lines


def _has(level: Level, *kinds: str) -> bool:
    return any(one.kind in kinds for one in level.statements)


def _name(level: Level) -> str:
    return "level" + "".join(f"_{root}" for root in level.roots)


def _suffix(roots: Iterable[int], signs: tuple[int, ...]) -> str:
    if not signs:
        return ""
    text = "".join("p" if signs[root] > 0 else "m" for root in roots)
    return f"_{text}" if text else ""
