# referee-canary 063 fc078153-144f-4ded-9496-57eec80d2d80
"""Random genealogies with holes, and coalescence profiles from the definitions, pair by pair.

A genealogy is a list of stretches: (left, right, parents), where parents maps each child to its parent
and is empty in a hole. Coordinates are whole numbers and times are multiples of 1/64, so that sums of
spans, and of spans times times, are exact in whatever order they are made.
"""

from dataclasses import dataclass

import numpy as np

from referee.wall import probe

# Divisions and logarithms come after exact sums; what is left is a few units in the last place.
RTOL = 1e-10
ATOL = 1e-12


@dataclass(frozen=True)
class Genealogy:
    samples: int
    times: tuple  # of every node; the samples come first, at time 0
    stretches: tuple

    @property
    def length(self):
        return float(self.stretches[-1][1])

    def tables(self):
        """Plain columns, to be sent through the wall."""
        edges = [
            (float(left), float(right), parent, child)
            for left, right, parents in self.stretches
            for child, parent in sorted(parents.items())
        ]
        columns = list(zip(*edges, strict=True)) if edges else [(), (), (), ()]
        return {
            "length": self.length,
            "times": list(self.times),
            "samples": self.samples,
            "left": np.array(columns[0], dtype=np.float64),
            "right": np.array(columns[1], dtype=np.float64),
            "parent": np.array(columns[2], dtype=np.int32),
            "child": np.array(columns[3], dtype=np.int32),
        }

    def breaks(self):
        return sorted({0, *(right for _, right, _ in self.stretches)})


# --- asking the candidate ---------------------------------------------------------------------


@probe
def evaluate(columns, requests):
    """Answers of the candidate to (name of a method, arguments) on one tree sequence."""
    import numpy as np
    import tskit

    tables = tskit.TableCollection(columns["length"])
    for u, time in enumerate(columns["times"]):
        flags = tskit.NODE_IS_SAMPLE if u < columns["samples"] else 0
        tables.nodes.add_row(flags=flags, time=time)
    tables.edges.set_columns(
        left=columns["left"],
        right=columns["right"],
        parent=columns["parent"],
        child=columns["child"],
    )
    tables.sort()
    ts = tables.tree_sequence()
    answers = []
    for name, arguments in requests:
        if "indexes" in arguments:
            arguments["indexes"] = [tuple(pair) for pair in arguments["indexes"]]
        answers.append(np.array(getattr(ts, name)(**arguments)))
    return answers


# --- making them ------------------------------------------------------------------------------


def grow(members, times, rng, roots=1):
    """Join `members` at random until `roots` lineages are left; new nodes go to `times`."""
    lineages, parents = list(members), {}
    age = max(times[u] for u in lineages)
    while len(lineages) > roots:
        age += int(rng.integers(1, 60)) / 64
        width = 3 if len(lineages) - roots >= 2 and rng.random() < 0.2 else 2
        picked = [lineages.pop(int(rng.integers(len(lineages)))) for _ in range(width)]
        times.append(age)
        for child in picked:
            parents[child] = len(times) - 1
        lineages.append(len(times) - 1)
    return parents


def random_genealogy(rng, *, kinds, samples=None, longest=40):
    """One stretch for each letter of `kinds`: t a tree, f a forest, o a hole."""
    samples = samples or int(rng.integers(5, 9))
    times = [0.0] * samples
    trees = [grow(range(samples), times, rng) for _ in range(3)]
    forests = [grow(range(samples), times, rng, roots=int(rng.integers(2, 4))) for _ in range(2)]
    pools, stretches, left = {"t": trees, "f": forests, "o": [{}]}, [], 0
    for kind in kinds:
        right = left + int(rng.integers(2, longest))
        pool = pools[kind]
        stretches.append((left, right, dict(pool[int(rng.integers(len(pool)))])))
        left = right
    return Genealogy(samples, tuple(times), tuple(stretches))


def random_kinds(rng, count, letters="ttoof"):
    """A random word with at least one hole and one tree."""
    word = [letters[int(rng.integers(len(letters)))] for _ in range(count)] + ["t", "o"]
    return "".join(word[int(i)] for i in rng.permutation(len(word)))


def without_holes(genealogy):
    """The same genealogy with every hole taken out, and the map of coordinates into it."""
    stretches, knots, images, place = [], [0], [0], 0
    for left, right, parents in genealogy.stretches:
        if parents:
            stretches.append((place, place + right - left, parents))
            place += right - left
        knots.append(right)
        images.append(place)
    closed = Genealogy(genealogy.samples, genealogy.times, tuple(stretches))
    return closed, lambda x: np.interp(x, knots, images)


def reversed_genome(genealogy):
    end = genealogy.stretches[-1][1]
    turned = [(end - right, end - left, p) for left, right, p in reversed(genealogy.stretches)]
    return Genealogy(genealogy.samples, genealogy.times, tuple(turned))


def random_windows(genealogy, rng, count):
    """Whole-numbered windows over the whole length; borders lie anywhere, in holes too."""
    end = int(genealogy.length)
    inner = rng.choice(np.arange(1, end), size=min(count, end - 1), replace=False)
    return np.array([0.0, *sorted(float(x) for x in inner), float(end)])


def windows_in_holes(genealogy, rng):
    """Windows that begin and end inside holes, some of them within one hole."""
    inner = set()
    for left, right, parents in genealogy.stretches:
        if not parents:
            inner |= {int(x) for x in rng.integers(left, right, size=3)}
    inner -= {0, int(genealogy.length)}
    return np.array([0.0, *sorted(float(x) for x in inner), genealogy.length])


def random_ages(genealogy, rng, count=4):
    """Time windows from 0 to infinity; no border is the time of a node, and each has nodes."""
    ages = sorted(set(genealogy.times) - {0.0})
    middles = [(a + b) / 2 for a, b in zip(ages, ages[1:])]
    picked = rng.choice(len(middles), size=min(count, len(middles)), replace=False)
    return np.array([0.0, *sorted(middles[int(i)] for i in picked), np.inf])


# --- the definitions --------------------------------------------------------------------------


def ancestor_of_pair(parents, a, b):
    """The most recent common ancestor of two samples, or None."""
    line = {a}
    while a in parents:
        a = parents[a]
        line.add(a)
    while b not in line:
        if b not in parents:
            return None
        b = parents[b]
    return b


def pairs_of(sets, index):
    j, k = index
    if j == k:
        return [(a, b) for n, a in enumerate(sets[j]) for b in sets[j][n + 1 :]]
    return [(a, b) for a in sets[j] for b in sets[k]]


def covered_spans(genealogy, windows):
    """Length of the part of each window that has genealogy."""
    return np.array(
        [
            sum(
                max(0.0, min(right, end) - max(left, start))
                for left, right, parents in genealogy.stretches
                if parents
            )
            for start, end in zip(windows, windows[1:])
        ]
    )


def raw_counts(genealogy, windows, sets, indexes):
    """Pairs times length: an array (windows, indexes, nodes)."""
    out = np.zeros((len(windows) - 1, len(indexes), len(genealogy.times)))
    for left, right, parents in genealogy.stretches:
        for i, index in enumerate(indexes):
            tally = np.zeros(len(genealogy.times))
            for a, b in pairs_of(sets, index):
                node = ancestor_of_pair(parents, a, b)
                if node is not None:
                    tally[node] += 1
            for w, (start, end) in enumerate(zip(windows, windows[1:])):
                out[w, i] += tally * max(0.0, min(right, end) - max(left, start))
    return out


def counts(genealogy, windows, sets, indexes, *, ages=None, span=True, pair=False):
    out = raw_counts(genealogy, windows, sets, indexes)
    if ages is not None:
        times = np.array(genealogy.times)
        inside = [(times >= a) & (times < b) for a, b in zip(ages, ages[1:])]
        out = np.stack([out[..., mask].sum(axis=-1) for mask in inside], axis=-1)
    if span:
        covered = covered_spans(genealogy, windows)[:, None, None]
        out = np.where(covered > 0, out / np.where(covered > 0, covered, 1.0), 0.0)
    if pair:
        out = out / np.array([len(pairs_of(sets, index)) for index in indexes])[None, :, None]
    return out


def distributions(genealogy, windows, sets, indexes):
    """For each window and index the ages of the events in order, and F at each of them."""
    ages = np.unique(genealogy.times)
    weights = counts(genealogy, windows, sets, indexes, span=True, pair=True)
    by_age = np.stack(
        [weights[..., np.array(genealogy.times) == age].sum(axis=-1) for age in ages], axis=-1
    )
    return ages, by_age


def quantiles(genealogy, windows, sets, indexes, wanted):
    ages, weights = distributions(genealogy, windows, sets, indexes)
    out = np.full((*weights.shape[:2], len(wanted)), np.nan)
    for w, i in np.ndindex(*weights.shape[:2]):
        reached = np.cumsum(weights[w, i])
        for n, q in enumerate(wanted):
            enough = np.flatnonzero((reached >= q) & (weights[w, i] > 0))
            if enough.size:
                out[w, i, n] = ages[enough[0]]
    return out


def safe_quantiles(genealogy, windows, sets, indexes, rng, count=6):
    """Random fractions that no step of any distribution comes close to, so that rounding in the
    last place cannot move a quantile to the next node."""
    _, weights = distributions(genealogy, windows, sets, indexes)
    steps = np.unique(np.cumsum(weights, axis=-1))
    found = set()
    while len(found) < count:
        q = float(rng.uniform(0.01, 0.99))
        if np.abs(steps - q).min() > 1e-6:
            found.add(q)
    return np.array(sorted(found))


def rates(genealogy, windows, sets, indexes, ages):
    times = np.array(genealogy.times)
    weights = counts(genealogy, windows, sets, indexes, span=True, pair=True)
    out = np.full((*weights.shape[:2], len(ages) - 1), np.nan)
    for w, i in np.ndindex(*weights.shape[:2]):
        before = 0.0
        masks = [(times >= a) & (times < b) for a, b in zip(ages, ages[1:])]
        events = [k for k, mask in enumerate(masks) if weights[w, i, mask].sum() > 0]
        for k in range(max(events) + 1 if events else 0):
            here = weights[w, i, masks[k]]
            if k == max(events):
                mean = (here * times[masks[k]]).sum() / here.sum()
                out[w, i, k] = 1 / (mean - ages[k])
            else:
                out[w, i, k] = -np.log(1 - here.sum() / (1 - before)) / (ages[k + 1] - ages[k])
                before += here.sum()
    return out


# --- comparing --------------------------------------------------------------------------------


def assert_same(seen, expected):
    seen, expected = np.asarray(seen), np.asarray(expected)
    assert seen.dtype == np.float64
    assert seen.shape == expected.shape
    np.testing.assert_allclose(seen, expected, rtol=RTOL, atol=ATOL, equal_nan=True)
