"""Running: a checked program and a machine; what leaves is commands of motion, signals and text."""
