"""``armwerk run``: a cell with its controllers, simulated without a window.

`command` is the way through it. Before: `armbot` and `options` read the words, `overrides` puts
them into the scene. While `armwerk.cell.World.run` drives the cell: `outputs` look on, hand
lines on, and open and close what `logs` and `film` write. After: `report`.
"""
