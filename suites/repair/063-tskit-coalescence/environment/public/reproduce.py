"""One genealogy of four samples under three curations; the profiles must be the same.

Exit status 0: they are. Exit status 1: they differ.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numpy as np
import tskit

COVERED = 60.0
TIME_WINDOWS = np.array([0.0, 1.2, 2.0, np.inf])


def archive(empty):
    """Genealogy on the first 60 units, then `empty` units without any."""
    tables = tskit.TableCollection(COVERED + empty)
    for time in (0, 0, 0, 0, 1.0, 1.5, 3.0):
        tables.nodes.add_row(flags=tskit.NODE_IS_SAMPLE if time == 0 else 0, time=time)
    for parent, child in ((4, 0), (4, 1), (5, 2), (5, 3), (6, 4), (6, 5)):
        tables.edges.add_row(0, COVERED, parent, child)
    tables.sort()
    return tables.tree_sequence()


def profile(empty):
    ts = archive(empty)
    return (
        ts.pair_coalescence_counts(time_windows=TIME_WINDOWS),
        ts.pair_coalescence_rates(TIME_WINDOWS),
        ts.pair_coalescence_quantiles(np.array([0.1, 0.9])),
    )


def main():
    first, wrong = profile(0.0), 0
    for empty in (0.0, 15.0, 200.0):
        seen = profile(empty)
        same = all(np.allclose(a, b, equal_nan=True) for a, b in zip(first, seen))
        counts, rates, quantiles = (np.array2string(a, precision=3) for a in seen)
        print(f"{'ok ' if same else 'BAD'} empty {empty:5}: counts {counts} rates {rates} quantiles {quantiles}")
        wrong += not same
    print(f"{wrong} profiles are changed by empty coordinates")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
