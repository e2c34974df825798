"""The Language Server Protocol: texts and questions of an editor come in, answers go out."""
