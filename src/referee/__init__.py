"""referee decides whether a scientific coding agent really did the science."""

__version__ = "0.1.0"
