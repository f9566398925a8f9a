"""Evidence that a candidate left, read without trusting it.

Files are reached by typed roots and read by strict, bounded readers; nothing here runs what it
reads. Arrays come out as finite numbers with the same names and values whatever the container, so
that a verdict depends on the data and not on the format.
"""
