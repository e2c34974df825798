"""IRL programs as controllers: their signals in a cell, their motions on its robots."""
