"""Mechanics against pinocchio and roboticstoolbox: kinematics, dynamics, numeric inverse."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from measure import Row, best
from numpy.typing import NDArray

import armwerk
from armwerk.mechanics import SerialModel

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from arm_witness import PinArm, random_joints

Array = NDArray[np.float64]

ARM = "puma560"
MANY = 100_000
POSES = 2000
LOOSE = 1e-6  # roboticstoolbox' own measure of success: half the square of the pose error


def run() -> list[Row]:
    """Measure everything of this file."""
    model = SerialModel(armwerk.load(ARM), "numeric")
    witness = PinArm(model.arm)
    return [
        *direct_many(model, witness),
        *direct_one(model, witness),
        *dynamics(model, witness),
        *inverse("puma560"),
        *inverse("ur5e"),
        import_time(),
    ]


def direct_many(model: SerialModel, witness: PinArm) -> list[Row]:
    """Tool poses of many configurations: one call against a loop over pinocchio's call."""
    Q = random_joints(model.arm, MANY)
    data, tool = witness.data, witness.tool

    def bare_loop() -> None:
        forward, m = pin.forwardKinematics, witness.model
        for q in Q:
            forward(m, data, q)

    def loop() -> Array:
        out, forward, m = np.empty((MANY, 4, 4)), pin.framesForwardKinematics, witness.model
        for k, q in enumerate(Q):
            forward(m, data, q)
            out[k] = data.oMf[tool].homogeneous
        return out

    if not np.allclose(loop(), model.fk(Q), rtol=0, atol=1e-12):
        raise RuntimeError("the two sides disagree about the poses")
    times = best({"ours": lambda: model.fk(Q), "bare": bare_loop, "loop": loop}, repeats=5)
    what = f"fk, {MANY:,} configurations"
    return [
        Row(
            what,
            times["ours"] * 1e3,
            "pinocchio, loop",
            times["bare"] * 1e3,
            "ms",
            wanted=3.0,
            note="its results are not even read",
        ),
        Row(what, times["ours"] * 1e3, "pinocchio, loop with tool pose", times["loop"] * 1e3, "ms"),
    ]


def direct_one(model: SerialModel, witness: PinArm) -> list[Row]:
    """One tool pose, one Jacobian."""
    q = random_joints(model.arm, 1)[0]
    m, data, tool = witness.model, witness.data, witness.tool
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    fk, jacobian = model.fk, model.jacobian
    forward, frames, frame_jacobian = (
        pin.forwardKinematics,
        pin.framesForwardKinematics,
        pin.computeFrameJacobian,
    )

    def read() -> Array:
        frames(m, data, q)
        return np.asarray(data.oMf[tool].homogeneous)

    times = best(
        {
            "fk": lambda: fk(q),
            "bare": lambda: forward(m, data, q),
            "frames": lambda: frames(m, data, q),
            "read": read,
            "jacobian": lambda: jacobian(q),
            "their jacobian": lambda: frame_jacobian(m, data, q, tool, world),
        },
        number=20_000,
    )
    us = {name: 1e6 * value for name, value in times.items()}
    return [
        Row("fk, one call", us["fk"], "pinocchio, joints only", us["bare"], wanted=1 / 3),
        Row("fk, one call", us["fk"], "pinocchio, with frames", us["frames"], wanted=1 / 3),
        Row("fk, one call", us["fk"], "pinocchio, tool pose read", us["read"]),
        Row("Jacobian, one call", us["jacobian"], "pinocchio", us["their jacobian"]),
    ]


def dynamics(model: SerialModel, witness: PinArm) -> list[Row]:
    """Inverse and forward dynamics, one and many."""
    count = 10_000
    rng = np.random.default_rng(0)
    Q, QD, QDD = rng.uniform(-1, 1, (3, count, model.dof))
    q, qd, qdd = Q[0], QD[0], QDD[0]
    m, data = witness.model, witness.data
    rnea, aba, crba = pin.rnea, pin.aba, pin.crba

    def loop(call: Callable[..., object]) -> Callable[[], None]:
        def work() -> None:
            for state in zip(Q, QD, QDD, strict=True):
                call(m, data, *state)

        return work

    one = best(
        {
            "inverse": lambda: model.inverse_dynamics(q, qd, qdd),
            "rnea": lambda: rnea(m, data, q, qd, qdd),
            "forward": lambda: model.forward_dynamics(q, qd, qdd),
            "aba": lambda: aba(m, data, q, qd, qdd),
            "mass": lambda: model.mass_matrix(q),
            "crba": lambda: crba(m, data, q),
        },
        number=5000,
    )
    many = best(
        {
            "inverse": lambda: model.inverse_dynamics(Q, QD, QDD),
            "rnea": loop(rnea),
            "forward": lambda: model.forward_dynamics(Q, QD, QDD),
            "aba": loop(aba),
        }
    )
    us = {name: 1e6 * value for name, value in one.items()}
    per = {name: 1e6 * value / count for name, value in many.items()}
    return [
        Row("inverse dynamics, one call", us["inverse"], "pinocchio rnea", us["rnea"]),
        Row("forward dynamics, one call", us["forward"], "pinocchio aba", us["aba"]),
        Row("mass matrix, one call", us["mass"], "pinocchio crba", us["crba"]),
        Row("inverse dynamics, each of many", per["inverse"], "pinocchio, loop", per["rnea"]),
        Row("forward dynamics, each of many", per["forward"], "pinocchio, loop", per["aba"]),
    ]


def inverse(name: str) -> list[Row]:
    """Numeric inverse kinematics of random reachable poses: time per solved pose, share solved.

    roboticstoolbox is judged by its own tolerance, a pose error of about 1e-3; ours is 1e-9 m and
    1e-9 rad. Of its solvers and settings the one with the highest share counts, the faster of
    equals.
    """
    import roboticstoolbox as rtb

    arm = armwerk.load(name)
    model = SerialModel(arm, "numeric")
    witness = PinArm(arm)
    poses = list(model.fk(random_joints(arm, POSES, seed=1)))
    robot = rtb.DHRobot([_link(rtb, joint) for joint in arm.joints], name=name)
    ets = robot.ets()
    T_base, T_tool = np.linalg.inv(arm.base), np.linalg.inv(arm.tool)
    theirs = [np.ascontiguousarray(T_base @ T @ T_tool) for T in poses]

    results: dict[str, tuple[float, float]] = {}
    for label, solve in _their_solvers(ets).items():
        seconds, answers = _solve_all(solve, theirs, repeats=1)
        good = [
            _right(witness, arm.limits, a.q, T, LOOSE) for a, T in zip(answers, poses, strict=True)
        ]
        results[label] = (float(np.mean(good)), seconds)
    label = max(results, key=lambda key: (round(results[key][0], 3), -results[key][1]))
    seconds = ours_seconds = float("inf")
    for _ in range(3):
        ours_once, answers = _solve_all(model.solve, poses, repeats=1)
        theirs_once, their_answers = _solve_all(_their_solvers(ets)[label], theirs, repeats=1)
        ours_seconds, seconds = min(ours_seconds, ours_once), min(seconds, theirs_once)
    share = np.mean(
        [_right(witness, arm.limits, a.q, T, 1e-17) for a, T in zip(answers, poses, strict=True)]
    )
    their_share = np.mean(
        [
            _right(witness, arm.limits, a.q, T, LOOSE)
            for a, T in zip(their_answers, poses, strict=True)
        ]
    )
    what = f"numeric inverse of {name}"
    peer = f"roboticstoolbox {label}"
    return [
        Row(
            f"{what}, per solved pose",
            1e6 * ours_seconds / POSES / share,
            peer,
            1e6 * seconds / POSES / their_share,
            wanted=1.0,
        ),
        Row(
            f"{what}, solved",
            100 * float(share),
            peer,
            100 * float(their_share),
            "%",
            lower_is_better=False,
            wanted=1.0,
            note="ours to 1e-9 m and rad, theirs to about 1e-3",
        ),
    ]


def _link(rtb: Any, joint: armwerk.Joint) -> Any:
    row = {"d": joint.d, "a": joint.a, "alpha": joint.alpha, "qlim": joint.limits}
    return rtb.RevoluteDH(**row)


def _their_solvers(ets: Any) -> dict[str, Callable[[Array], Any]]:
    """Return the compiled solvers of roboticstoolbox with the settings its manual names."""
    solvers: dict[str, Callable[[Array], Any]] = {
        "ik_NR": lambda T: ets.ik_NR(T, pinv=True),
        "ik_GN": lambda T: ets.ik_GN(T, pinv=True),
    }
    for method, gains in {
        "chan": (1.0, 0.1, 0.01),
        "wampler": (1e-2, 1e-4),
        "sugihara": (0.1, 1e-2, 1e-4),
    }.items():
        for k in gains:
            solvers[f"ik_LM {method} k={k:g}"] = lambda T, k=k, method=method: ets.ik_LM(  # type: ignore[misc]
                T, k=k, method=method
            )
    return solvers


def _solve_all(
    solve: Callable[[Array], Any], poses: list[Array], repeats: int
) -> tuple[float, list[Any]]:
    shortest, answers = float("inf"), []
    for _ in range(repeats):
        begin = time.perf_counter()
        answers = [solve(T) for T in poses]
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest, answers


def _right(witness: PinArm, limits: Array, q: Array, T: Array, loose: float) -> bool:
    """Whether pinocchio agrees that q leads to T, half the square of the error within ``loose``."""
    if q is None or not np.isfinite(q).all():
        return False
    got = witness.fk(np.asarray(q, dtype=float))
    error = np.concatenate([got[:3, 3] - T[:3, 3], pin.log3(got[:3, :3].T @ T[:3, :3])])
    inside = (q >= limits[:, 0] - 1e-9).all() and (q <= limits[:, 1] + 1e-9).all()
    return bool(0.5 * error @ error <= loose and inside)


def import_time() -> Row:
    """Seconds from nothing to ``import armwerk``, the interpreter's own start taken off."""

    def start(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    times = best({"bare": start("pass"), "ours": start("import armwerk")}, repeats=5)
    return Row(
        "import armwerk", 1e3 * (times["ours"] - times["bare"]), "limit", 500.0, "ms", wanted=1.0
    )
