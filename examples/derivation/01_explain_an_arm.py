"""Why an arm has the solutions it has: derive, explain, write, compile, compare.

Shows:
    - the kinematic equations of an arm, counted by how many unknown joints they hold
    - the inverse kinematics, step by step, with the rule that found each
    - where the arm is singular
    - document, C and Python files; the Python module used on the spot

Run: python examples/derivation/01_explain_an_arm.py [NAME] [FOLDER]
"""

import runpy
import sys
from pathlib import Path

import numpy as np

import armwerk as aw


def main(name: str, folder: Path) -> None:
    d = aw.derive(name)
    print(d.arm.title, d.arm.structure)
    for unknowns, count in enumerate(d.equation_counts):
        print(f"  {count:3d} equations with {unknowns} unknown joints")

    print()
    print(d.inverse.explain())

    print("\nsingular where")
    for one in d.singularities:
        print(f"  {one.text}   ({one.name or 'no name'}, {one.kind})")

    files = d.write(folder)
    print("\nwritten:", *(path.name for path in files))

    # The module needs numpy and nothing of armwerk.
    source = next(path for path in files if path.suffix == ".py")
    generated = runpy.run_path(str(source))
    direct, inverse = generated["direct_kinematics"], generated["all_inverse_kinematics"]
    ranges = [joint.limits or (-np.pi, np.pi) for joint in d.arm.moving]
    q = np.array([0.3 * low + 0.7 * high for low, high in ranges])
    pose = direct(q)
    solutions = inverse(pose)
    print(f"{len(solutions)} solutions of one pose; the generated module finds")
    for row in solutions:
        miss = np.abs(direct(row) - pose).max()
        print("  ", np.round(row, 4), f"off by {miss:.0e}")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(words[0] if words else "puma560", Path(words[1] if len(words) > 1 else "out/derivation"))
