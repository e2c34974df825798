"""A first cell: a few lines of text become a world that obeys the laws of physics.

Shows:
    - an environment file as text: variables, a slope, a ball, a light barrier
    - letting time pass, all at once or step by step
    - where things are, which triggers were sent
    - going back to a moment that was kept

Run: python examples/world/01_first_cell.py
"""

import numpy as np

import armwerk as aw
from armwerk.scene import parse_scene

CELL = """
NUMBER LENGTH 100                       // lengths in cm
NUMBER RISE 20
NUMBER COSINE 0.980581                  // of the angle with tangent RISE / LENGTH
BORDER -100 -50 200 50
SLOPE RISE 0 x C8B078                   // 20 cm high at its smaller x, 0 at its larger
RECT 0 0 LENGTH 30
ENDSLOPE
DEBUGNAME marble
BALL -40 0 RISE*0.9+3/COSINE 3 0 0 C03030
TRIGGER BALLBARRIER 7 FOOT 50 -15 50 15 10 *
"""


def main() -> None:
    with aw.World(parse_scene(CELL)) as world:
        marble = world.objects["marble"]
        world.run(seconds=0.5)
        print(f"after {world.time:.1f} s: {marble.position.round(3)} m, {marble.velocity.round(3)}")
        moment = world.capture()

        world.run(seconds=5.0, until=lambda world: bool(world.triggers))
        ((time, instance, text),) = world.triggers
        print(f"{text} to instance {instance} at {time:.3f} s")

        # A ball that rolls without slipping accelerates by 5/7 g sin, whatever its size.
        angle = np.arctan(0.2)
        expected = np.sqrt(2 * (0.9 / np.cos(angle)) / (5 / 7 * 9.81 * np.sin(angle)))
        print(f"rolling without slipping takes {expected:.3f} s")

        world.restore(moment)
        print(f"back at {world.time:.1f} s: {marble.position.round(3)} m")


if __name__ == "__main__":
    main()
