"""The judge of reproduction tasks: decides what code cannot, leaf by leaf, on frozen evidence.

What it cannot decide is withheld and never 0; what it says counts only if it looked.
"""
