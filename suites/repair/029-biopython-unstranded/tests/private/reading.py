# referee-canary 029 2c31af3e-16ac-4be7-a2ad-550d37e4fad2
"""Locations as lists of base pairs, worked out from first principles.

A feature is a dict with `parts`, a list of [start, end, strand]. Nothing here knows how a location is
stored after its record is turned round: only which base pairs are read, in which order, from which
strand.
"""

PAIRS = str.maketrans("ACGTURYKMBVDHSWN", "TGCAAYRMKVBHDSWN")


def letters(rng, count, alphabet="ACGT"):
    return "".join(rng.choice(list(alphabet), count).tolist())


def turned(sequence, rna=False):
    """The other strand, read in its own direction."""
    other = sequence.translate(PAIRS)[::-1]
    return other.replace("T", "U") if rna else other


def walk(parts):
    """Positions in the order in which they are read."""
    order = []
    for start, end, strand in parts:
        order += range(end - 1, start - 1, -1) if strand == -1 else range(start, end)
    return order


def text(sequence, parts):
    pieces = []
    for start, end, strand in parts:
        piece = sequence[start:end]
        pieces.append(piece.translate(PAIRS)[::-1] if strand == -1 else piece)
    return "".join(pieces)


def has_no_known_direction(parts):
    return all(strand in (None, 0) for _, _, strand in parts)


def walk_after(parts, length):
    """Positions on the record turned round, in the order in which they must be read there."""
    mirrored = [length - 1 - position for position in walk(parts)]
    return mirrored[::-1] if has_no_known_direction(parts) else mirrored


def text_after(sequence, parts, rna=False):
    before = text(sequence, parts)
    return turned(before, rna) if has_no_known_direction(parts) else before


def is_one_arc(order, length):
    return all((b - a) % length == 1 for a, b in zip(order, order[1:], strict=False))


def arc(rng, length, strand):
    """Two parts that cross the origin, each of two letters or more and of different length."""
    head = int(rng.integers(2, length // 3))
    tail = int(rng.integers(2, length // 3))
    if head == tail:
        tail += 1
    return [[length - tail, length, strand], [0, head, strand]]


def pieces(rng, length, count, strands):
    """`count` parts that do not touch each other, in rising order, with strands drawn from a list."""
    ends = sorted(rng.choice(length // 2, 2 * count, replace=False).tolist())
    choice = [strands[int(i)] for i in rng.integers(0, len(strands), count)]
    return [
        [2 * a, 2 * b, strand]
        for a, b, strand in zip(ends[::2], ends[1::2], choice, strict=True)
    ]


def check(report, sequence, parts, rna=False):
    """Text, order of reading and strands of one feature of the record turned round."""
    length = len(sequence)
    assert report["text"] == text_after(sequence, parts, rna)
    assert report["walk"] == walk_after(parts, length)
    assert len(report["parts"]) == len(parts)
    assert {str(s) for _, _, s in report["parts"]} == {
        str(s if s in (None, 0) else -s) for _, _, s in parts
    }
