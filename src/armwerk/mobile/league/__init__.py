"""A door for clients of RoboCup's small-size league: their packets move the robots of a world."""
