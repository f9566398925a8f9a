"""Rubrics of reproduction tasks: weighted leaves, their scores, and what a task comes to.

Everything here is a pure function in exact arithmetic: a weight of 1/3 is a third, and whether a
score is above 0.9, or equal to another, does not depend on the order of a sum.
"""
