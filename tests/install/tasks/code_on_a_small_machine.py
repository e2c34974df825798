"""Inverse kinematics for a controller board: strict C, no allocation, small, tried here."""

import subprocess
from pathlib import Path

import numpy as np

import armwerk as aw

TRIAL = r"""
#include <stdio.h>
#include "irb120.h"

int main(void)
{
    const double start[IRB120_DOF] = {0.2, 0.4, -0.3, 0.5, 0.8, -0.6};
    double pose[16], solutions[IRB120_MAX_SOLUTIONS * IRB120_DOF];
    int count, i;
    irb120_directKinematics(start, pose);
    count = irb120_allInverseKinematics(pose, solutions);
    for (i = 0; i < count * IRB120_DOF; i++)
        printf("%.17g%c", solutions[i], i % IRB120_DOF == IRB120_DOF - 1 ? '\n' : ' ');
    return 0;
}
"""
STRICT = ["-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", "-pedantic"]

aw.derive("irb120").write("board", formats=("c",))
board = Path("board")
(board / "trial.c").write_text(TRIAL, encoding="utf-8")
subprocess.run(["cc", *STRICT, "-c", "irb120.c"], cwd=board, check=True)
wanted = subprocess.run(["nm", "-u", "irb120.o"], cwd=board, check=True, capture_output=True)
needs = {line.split()[-1] for line in wanted.stdout.decode().splitlines()}
print("needs", sorted(needs), "and", (board / "irb120.o").stat().st_size, "bytes")
assert not needs & {"malloc", "calloc", "realloc", "free", "printf"}
assert (board / "irb120.o").stat().st_size < 64_000

subprocess.run(["cc", *STRICT, "trial.c", "irb120.o", "-lm", "-o", "trial"], cwd=board, check=True)
told = subprocess.run(["./trial"], cwd=board, check=True, capture_output=True, encoding="utf-8")
solutions = np.array([line.split() for line in told.stdout.splitlines()], dtype=float)
model = aw.model("irb120")
expected = model.ik(model.fk([0.2, 0.4, -0.3, 0.5, 0.8, -0.6]))
print(solutions)
assert len(solutions) == len(expected) == 8
distances = np.abs(solutions[:, np.newaxis] - expected[np.newaxis]).max(axis=2)
assert distances.min(axis=1).max() < 1e-9
