"""From a scene to a cell that can run: names are looked up, arms mounted, programs configured."""
