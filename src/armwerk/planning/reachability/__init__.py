"""Which places an arm reaches: sweeps over joint values or poses in chunks, and their sum."""
