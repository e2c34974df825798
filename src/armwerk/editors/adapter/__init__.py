"""The Debug Adapter Protocol: requests of an editor come in, stops and values of a run go out."""
