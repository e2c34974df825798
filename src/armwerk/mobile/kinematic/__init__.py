"""A world without physics: robots drive as they are told and pass through everything."""
