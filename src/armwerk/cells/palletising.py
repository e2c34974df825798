"""Palletising: the places of a pattern are computed, not taught."""

from __future__ import annotations

from itertools import product

from armwerk.cells.picker import Picker


class Palletiser(Picker):
    """Puts all cuboids onto a pallet, layer by layer."""

    description = "palletises; CONFIG x= y= columns= rows= layers= gap= sx= sy= sz=, in cm"
    requires_configuration = True
    speed = 0.4

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.centre = (words["x"] / 100, words["y"] / 100)
        self.pattern = [int(words[name]) for name in ("layers", "rows", "columns")]
        self.gap = words["gap"] / 100
        self.size = [words[name] / 100 for name in ("sx", "sy", "sz")]

    def places(self, bottom: float) -> list[list[float]]:
        """Return the centres of all places of the pallet [m], the order in which they are filled.

        Args:
            bottom: Height of the pallet's surface [m].
        """
        layers, rows, columns = self.pattern
        pitch_x, pitch_y = self.size[0] + self.gap, self.size[1] + self.gap
        return [
            [
                self.centre[0] + (column - (columns - 1) / 2) * pitch_x,
                self.centre[1] + (row - (rows - 1) / 2) * pitch_y,
                bottom + (layer + 0.5) * self.size[2],
            ]
            for layer, row, column in product(range(layers), range(rows), range(columns))
        ]

    def run(self) -> None:
        names = self.things()
        # The tables are of one height, so the first cuboid shows how high the pallet is.
        places = self.places(self.see(names[0]).position[2] - self.size[2] / 2)
        for name, (x, y, z) in zip(names, places, strict=True):
            self.pick(*self.see(name).position)
            self.place(x, y, z + 0.0005)  # a hair above contact
        self.wait(0.5)
        for name, place in zip(names, places, strict=True):
            off = abs(self.see(name).position - place).max()
            if off > 0.005:
                raise RuntimeError(f"{name} is {off * 1000:.0f} mm off its place on the pallet")
        self.debug(f"{len(places)} cuboids palletised")
