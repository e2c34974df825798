"""Robots in the world: `mount` adds their bodies, `body` and `grip` move them, by `drive`."""
