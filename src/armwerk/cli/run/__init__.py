"""``armwerk run``: a cell with its controllers, simulated without a window.

`command` is the way through it. Before: `armbot` and `options` read the words, `overrides` puts
them into the scene. While `armwerk.cell.World.run` drives the cell: `observers` look on and
hand lines on, `logs` and `film` write; `outputs` opens and closes all of these. After: `report`.
"""
