"""Motors: orders for modules in, their motion and status out, in a world or on a CAN bus.

`MotorModules` has the rules: what may move, together, how fast, and what a halt means. Behind it a
`ModulePort` moves real or simulated modules, one cycle at a time.

| module | what it holds |
|---|---|
| `interface` | `MotorInterface`, `ModulePort`, configuration and status of a module |
| `modules` | `MotorModules`, the rules over any port |
| `ramp` | one axis by ramps, steps and brakes |
| `world_port` | modules that are the drives of a simulated robot |
| `can_port` | modules on a CAN bus, CiA 402 |
| `cyclic` | frames of a cycle, counted: lost, doubled |
| `drive_profile` | the words, modes and objects of CiA 402 |
| `simulated_module` | a module as its own firmware sees it |
| `module_simulator` | such modules on a bus, with frames that get lost, late or doubled |
| `clock` | a cycle in real time, and how well it was kept |
"""

from __future__ import annotations

from armwerk.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
