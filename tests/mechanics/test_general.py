"""General six-axis arms: every solution by elimination, and a flag that does not lie."""

from __future__ import annotations

import numpy as np
import pytest

import armwerk as aw
from armwerk.arrays import Array
from armwerk.mechanics.chain import pack
from armwerk.mechanics.inverse.folds import PoseGoal
from armwerk.mechanics.inverse.general import GeneralSolver
from armwerk.mechanics.kernels.direct import fk_batch
from armwerk.mechanics.kernels.jacobian import jacobian
from armwerk.mechanics.kernels.search import collect_batch


def random_arm(seed: int, kinds: str = "RRRRRR") -> aw.Arm:
    """Return an arm without any structure, R turning and T sliding."""
    draw = np.random.default_rng(seed)
    joints = []
    for kind in kinds:
        d, a, alpha, turn = draw.uniform(-0.5, 0.5, 4) * [1.0, 1.0, 4.0, 6.0]
        if kind == "R":
            joints.append(aw.Joint("revolute", d=d, a=a, alpha=alpha))
        else:
            joints.append(aw.Joint("prismatic", a=a, alpha=alpha, offset=turn))
    return aw.Arm.from_dh(joints, name=f"random {seed} {kinds}")


def calibrated(name: str, size: float, seed: int = 0) -> aw.Arm:
    """Return an arm of the library with all its dimensions slightly off [m, rad]."""
    draw = np.random.default_rng(seed)
    off = size * draw.normal(size=(6, 3))
    joints = [
        aw.Joint(
            "revolute",
            d=float(joint.d) + d,
            a=float(joint.a) + a,
            alpha=float(joint.alpha) + alpha,
            offset=joint.offset,
        )
        for joint, (d, a, alpha) in zip(aw.load_arm(name).moving, off, strict=True)
    ]
    return aw.Arm.from_dh(joints, name=f"{name} calibrated")


def solver_of(arm: aw.Arm) -> GeneralSolver:
    return GeneralSolver(arm, pack(arm))


def apart(solver: GeneralSolver, many: Array, q: Array) -> Array:
    """Return the distance of each row to q, full turns not counted [rad or m]."""
    gap = np.where(solver.chain.revolute, np.angle(np.exp(1j * (many - q))), many - q)
    return np.asarray(np.abs(gap).max(axis=-1, initial=0.0))


def searched(solver: GeneralSolver, pose: Array) -> Array:
    """Return what descents from many starts find: knows nothing of elimination."""
    several, counts = collect_batch(solver.chain.constants, pose[None], 600, 16, False)
    return np.asarray(several[0, : counts[0]])


def is_in(solver: GeneralSolver, q: Array, many: Array) -> bool:
    """Whether q is among many, at a singular pose as well as q is determined there."""
    J = np.empty((6, 6))
    jacobian(solver.chain.constants, np.ascontiguousarray(q), J)
    singular = np.linalg.svd(J, compute_uv=False)[-1] < 1e-4
    return bool((apart(solver, many, q) < (0.03 if singular else 1e-5)).any())


def check(solver: GeneralSolver, joints: Array) -> tuple[int, int]:
    """Hold the answers to poses of known joints against descents; return proved, and all found."""
    poses = fk_batch(solver.chain.constants, joints)
    solutions, counts, proved = solver.proved_batch(poses)
    complete = 0
    for q, pose, rows, count, certain in zip(joints, poses, solutions, counts, proved, strict=True):
        mine, theirs = rows[:count], searched(solver, pose)
        assert np.abs(fk_batch(solver.chain.constants, mine.copy()) - pose).max(initial=0) < 1e-9
        missing = [one for one in (*theirs, q) if not is_in(solver, one, mine)]
        assert not (certain and missing), "proved to be complete, but there is another solution"
        complete += not missing
    return int(proved.sum()), complete


@pytest.mark.parametrize("kinds", ["RRRRRR", "RRTRRR", "RTRRRR", "TRRRRR", "RRRTRR", "RRRRRT"])
def test_all_solutions_of_arms_without_structure(kinds: str) -> None:
    draw = np.random.default_rng(3)
    for seed in range(3):
        solver = solver_of(random_arm(seed, kinds))
        proved, complete = check(solver, draw.uniform(-3.0, 3.0, (12, 6)))
        assert complete == 12
        assert proved == 12


@pytest.mark.parametrize("step", [15.0, 30.0, 45.0, 90.0])
def test_special_angles(step: float) -> None:
    """Joints at multiples of a step and a hair beside 180°, where half-angles are infinite."""
    draw = np.random.default_rng(int(step))
    joints = np.deg2rad(step) * draw.integers(-180 // int(step), 180 // int(step) + 1, (20, 6))
    joints[::2, 3] = np.pi - 1e-9
    joints[::3, 1] = -np.pi + 1e-13
    proved, complete = check(solver_of(random_arm(7)), joints)
    assert complete == 20
    assert proved >= 18
    proved, complete = check(solver_of(calibrated("kr16", 1e-3)), joints)
    assert complete == 20


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("name", ["puma560", "ur5e", "kr16"])
def test_calibrated_arms(name: str, size: float) -> None:
    """All dimensions slightly off: no closed form, and nearly one; the case of real arms."""
    draw = np.random.default_rng(5)
    solver = solver_of(calibrated(name, size))
    proved, complete = check(solver, draw.uniform(-np.pi, np.pi, (20, 6)))
    assert complete == 20
    assert proved >= (15 if size < 1e-5 else 17)


def test_the_arm_with_sixteen_solutions() -> None:
    """The arm and the pose of Manseur and Doty (1989)."""
    rows = [(0, 0.3, 90), (0, 1, 1), (0.2, 0, 90), (0, 1.5, 1), (0, 0, 90), (0, 0, 1)]
    arm = aw.Arm.from_dh(
        [aw.Joint("revolute", d=d, a=a, alpha=np.deg2rad(alpha)) for d, a, alpha in rows],
        name="Manseur and Doty",
    )
    pose = np.array(
        [
            [-0.760117, -0.641689, 0.102262, -1.140175],
            [0.133333, 0.0, 0.991071, 0.0],
            [-0.635959, 0.766965, 0.085558, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    left, _, right = np.linalg.svd(pose[:3, :3])  # printed with six digits
    pose[:3, :3] = left @ right
    solver = solver_of(arm)
    found = solver.solution_set(pose)
    assert len(found) == 16
    assert found.proved
    assert np.abs(fk_batch(solver.chain.constants, found.joints) - pose).max() < 1e-9


@pytest.mark.parametrize("count", [4, pytest.param(60, marks=pytest.mark.soak)])
@pytest.mark.parametrize("step", [15, 30, 45, 90])
def test_the_proof_does_not_lie_beside_special_places(step: int, count: int) -> None:
    """Nearly special arms and angles: what was put in is found, or nothing is claimed."""
    draw = np.random.default_rng(step)
    for name in ("ur5e", "puma560", "kr16"):
        for size in (1e-6, 1e-4, 1e-3):
            solver = solver_of(calibrated(name, size, seed=step))
            joints = np.deg2rad(step) * draw.integers(-180 // step, 180 // step + 1, (count, 6))
            joints[::4] += draw.choice([-1e-9, 1e-7, 1e-5], joints[::4].shape)
            poses = fk_batch(solver.chain.constants, joints)
            solutions, counts, proved = solver.proved_batch(poses)
            for q, rows, number, certain in zip(joints, solutions, counts, proved, strict=True):
                assert not certain or is_in(solver, q, rows[:number])


def attacked(draw: np.random.Generator) -> aw.Arm | None:
    """Return an arm of a kind at which a count may go wrong; None: rows that make no arm."""
    kind, seed = int(draw.integers(4)), int(draw.integers(1 << 30))
    name = str(draw.choice(["puma560", "ur5e", "kr16", "typ2", "irb120"]))
    if kind == 0:
        return random_arm(seed, str(draw.choice(["RRRRRR", "RRTRRR", "RTRRRR", "RRRRRT"])))
    if kind == 1:
        return calibrated(name, float(10 ** draw.uniform(-8, -2)), seed)
    if kind == 2:
        return aw.load_arm(name)
    lengths = draw.choice([0.0, 0.1, 0.3, 0.5], (6, 2))
    twists = np.deg2rad(draw.choice([0, 30, 45, 60, 90, -90, 180], 6))
    try:
        return aw.Arm.from_dh(
            [
                aw.Joint("revolute", d=float(d), a=float(a), alpha=float(alpha))
                for (d, a), alpha in zip(lengths, twists, strict=True)
            ]
        )
    except aw.ArmwerkError:
        return None


def confirmed(solver: GeneralSolver, pose: Array, q: Array) -> Array:
    """Return where Newton's method takes q, if that is on the pose to rounding; else no row."""
    goal = PoseGoal(solver.chain, pose, "pose", 6)
    rows = q[None].copy()
    for _ in range(25):
        J = goal.jacobian(rows)[0]
        step = np.linalg.lstsq(J, goal.missed(rows)[0], rcond=1e-15)[0]
        rows = goal.moved(rows, step[None].clip(-0.01, 0.01))
    return rows if np.abs(goal.missed(rows)).max() < 1e-13 else np.empty((0, 6))


@pytest.mark.parametrize("count", [12, pytest.param(3000, marks=pytest.mark.soak)])
def test_nothing_is_missing_where_the_count_is_proved(count: int) -> None:
    """Descents know nothing of elimination; what they find beside a proved answer is a lie."""
    draw = np.random.default_rng(count)
    proved = 0
    for _ in range(count):
        arm = attacked(draw)
        if arm is None:
            continue
        solver = solver_of(arm)
        step = int(draw.choice([15, 30, 45, 90]))
        joints = draw.uniform(-np.pi, np.pi, (40, 6))
        joints[::2] = np.deg2rad(step) * draw.integers(-180 // step, 180 // step + 1, (20, 6))
        joints[::4] += draw.choice([-1e-9, 1e-7, 1e-5, 1e-3], (10, 6))
        joints[1::8, 4] = draw.choice([0.0, 1e-7, 1e-5, -1e-4, 1e-3], 5)
        poses = fk_batch(solver.chain.constants, joints)
        for q, pose in zip(joints, poses, strict=True):
            mine = solver.proved(pose)
            if mine is None:
                continue
            proved += 1
            several, number = collect_batch(solver.chain.constants, pose[None], 100, 16, False)
            for one in (q, *several[0, : number[0]]):
                if not (apart(solver, mine, one) < 1e-5).any():
                    true = confirmed(solver, pose, one)
                    assert all((apart(solver, mine, row) < 1e-6).any() for row in true)
    assert proved > 15 * count


def test_the_end_of_the_world_is_out_of_reach() -> None:
    model = aw.model("xarm6", ik="general")
    pose = np.eye(4)
    for far in (1e3, 1e150, 1e300):
        pose[0, 3] = far
        with np.errstate(all="ignore"):
            assert len(model.ik(pose)) == 0
            assert model.ik_nearest(pose, np.zeros(6)) is None
