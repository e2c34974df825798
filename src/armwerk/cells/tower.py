"""Build a tower: every cuboid on the middle of the one before."""

from __future__ import annotations

from armwerk.cells.picker import Picker


class Tower(Picker):
    """Stacks ``cuboid0``, ``cuboid1``, … at the place that CONFIG names."""

    description = "builds a tower; CONFIG cuboids=N x=X y=Y, in cm"
    requires_configuration = True
    speed = 0.15  # gently: a tower feels every knock

    def configure(self, text: str) -> None:
        words = dict(word.split("=", 1) for word in text.split())
        self.count = int(words["cuboids"])
        self.x, self.y = float(words["x"]) / 100, float(words["y"]) / 100
        if not 1 <= self.count <= len(self.things()):
            raise ValueError(f"cuboids={self.count}: there are {len(self.things())}")

    def run(self) -> None:
        names = [f"cuboid{number}" for number in range(self.count)]
        half = self.see(names[0]).position[2]  # it lies on the floor: half its height
        for storey, name in enumerate(names):
            self.pick(*self.see(name).position)
            # A hair above contact, so that it is not pressed into the tower.
            self.place(self.x, self.y, half * (2 * storey + 1) + 0.0005)
            self.debug(f"storey {storey + 1} of {self.count}")
        self.wait(1.0)  # a tower that falls does so now
        for storey, name in enumerate(names):
            x, y, z = self.see(name).position
            off = max(abs(x - self.x), abs(y - self.y), abs(z - half * (2 * storey + 1)))
            if off > 0.005:
                raise RuntimeError(f"{name} is {off * 1000:.0f} mm off its place in the tower")
        self.debug(f"the tower is {2 * half * self.count:.2f} m high")
