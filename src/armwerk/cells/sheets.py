"""Two controllers that sort sheets: one lifts them by suction, the other tries a magnet on them."""

from __future__ import annotations

import armwerk as aw
from armwerk.cells.picker import Picker

GAP = 3e-4  # [m] between face and sheet; both pull over more than that
TRIED = (0.0, 0.0)  # where every sheet is tried [m]


class SheetHandler(Picker):
    """What both have in common: whom they talk to, and a pile that grows."""

    requires_configuration = True
    patience = 30.0  # [s] for an answer

    def configure(self, text: str) -> None:
        words = {key: float(value) for key, value in (word.split("=") for word in text.split())}
        self.partner = int(words["partner"])
        self.pile = (words["x"] / 100, words["y"] / 100)
        self.floor = words["z"] / 100
        self.height = self.floor  # of the top of the pile

    def thickness(self) -> float:
        """Return the thickness of a sheet [m], from how the lowest one lies on its table."""
        lowest = min(self.see(name).position[2] for name in self.things())
        return float(2.0 * (lowest - self.floor))

    def take(self, name: str) -> bool:
        """Lift a sheet by its middle; return whether it came along."""
        x, y, z = self.see(name).position
        self.pick(x, y, z + 0.5 * self.thickness() + GAP)
        return self.grip.held == {name}

    def add(self) -> None:
        """Put what is held onto the pile."""
        self.height += self.thickness()
        self.place(*self.pile, self.height + GAP)


class Unloader(SheetHandler):
    """Brings sheet by sheet to be tried, and piles up what comes back as wood."""

    description = "lifts sheets by suction"

    def run(self) -> None:
        self.height = self.floor
        stack = sorted(self.things(), key=lambda name: -self.see(name).position[2])
        for name in stack:
            if not self.take(name):
                raise RuntimeError(f"{name} is not held by the cup")
            self.place(*TRIED, self.floor + self.thickness() + GAP)
            x, y = self.pile
            self.above(x, y, self.height + self.clearance)  # out of the way
            self.send_trigger(self.partner, name)
            if self.answer() == "WOOD":
                self.take(name)
                self.add()
        self.send_trigger(self.partner, "END")
        self.debug("wood", round(100 * (self.height - self.floor), 1), "cm high")

    def answer(self) -> str:
        """Wait for what the other one has found."""
        said = self.wait_trigger(timeout=self.patience)
        if said is None:
            raise RuntimeError(f"robot {self.partner} says nothing")
        return said


class SteelKeeper(SheetHandler):
    """Tries the magnet on every sheet and keeps what it lifts."""

    description = "keeps steel"

    def run(self) -> None:
        self.height = self.floor
        while (name := self.wait_trigger(timeout=self.patience)) != "END":
            if name is None:
                raise RuntimeError(f"robot {self.partner} brings nothing")
            steel = self.take(name)
            if steel:
                self.add()
            else:
                self.grip.open()
                x, y = self.pile
                self.move_to(aw.pointing_down(x, y, self.height + 2.0 * self.clearance))
            self.send_trigger(self.partner, "STEEL" if steel else "WOOD")
        self.debug("steel", round(100 * (self.height - self.floor), 1), "cm high")
