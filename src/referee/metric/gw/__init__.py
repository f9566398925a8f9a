"""Metrics of the gravitational-wave artifact tasks (gwBenchmarks, arXiv 2605.11269).

Importing this package imports numpy and nothing heavier: the noise curve asks for lalsimulation,
and the tail model for scipy, at the first call that needs them.
"""
