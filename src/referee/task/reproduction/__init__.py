"""Packages of reproduction tasks as data, and what is wrong with one before anything runs."""
