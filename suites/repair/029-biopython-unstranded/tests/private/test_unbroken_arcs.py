# referee-canary 029 2c31af3e-16ac-4be7-a2ad-550d37e4fad2
"""Arcs over the origin and joins on a line: text, order of reading, and what a location is for."""

import pytest

from referee.wall import contract, probe


@probe
def turn(sequence, features):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    record = SeqRecord(Seq(sequence), id="r", annotations={"molecule_type": "DNA"})
    for i, (parts, operator) in enumerate(features):
        made = [SimpleLocation(*part) for part in parts]
        location = CompoundLocation(made, operator) if len(made) > 1 else made[0]
        record.features.append(SeqFeature(location, type="misc_feature", id=str(i)))
    reverse = record.reverse_complement(features=True)
    report = {}
    for feature in reverse.features:
        location = feature.location
        report[feature.id] = {
            "text": str(feature.extract(reverse.seq)),
            "walk": [int(p) for p in location],
            "parts": [[int(p.start), int(p.end), p.strand] for p in location.parts],
            "operator": getattr(location, "operator", None),
        }
    return report


@probe
def turn_fuzzy(length, ends, strand):
    from Bio.Seq import Seq
    from Bio.SeqFeature import AfterPosition, BeforePosition, CompoundLocation, ExactPosition
    from Bio.SeqFeature import SeqFeature, SimpleLocation, WithinPosition
    from Bio.SeqRecord import SeqRecord

    kinds = {"before": BeforePosition, "after": AfterPosition, "exact": ExactPosition}

    def position(kind, value):
        if kind == "within":
            return WithinPosition(value, left=value, right=value + 3)
        return kinds[kind](value)

    parts = [SimpleLocation(position(*a), position(*b), strand) for a, b in ends]
    record = SeqRecord(
        Seq("A" * length), features=[SeqFeature(CompoundLocation(parts), type="misc_feature")]
    )
    location = record.reverse_complement(features=True).features[0].location
    return [[str(part.start), str(part.end)] for part in location.parts]


@contract("knowledge")
def test_text_of_an_arc_is_the_reverse_complement(candidate, rng, model):
    for _ in range(12):
        sequence = model.letters(rng, int(rng.integers(30, 90)))
        parts = model.arc(rng, len(sequence), None)
        after = candidate(turn, sequence, [[parts, "join"]])["0"]
        assert after["text"] == model.turned(model.text(sequence, parts))


@contract("knowledge")
def test_an_arc_stays_one_arc(candidate, rng, model):
    for _ in range(12):
        sequence = model.letters(rng, int(rng.integers(30, 90)))
        length = len(sequence)
        parts = model.arc(rng, length, None)
        after = candidate(turn, sequence, [[parts, "join"]])["0"]
        assert model.is_one_arc(after["walk"], length)
        assert after["parts"][0][1] == length
        assert after["parts"][1][0] == 0
        model.check(after, sequence, parts)


@contract("knowledge")
def test_where_the_circle_is_cut_does_not_matter(candidate, rng, model):
    # One arc of one circle, numbered from every possible origin. Most cuts leave it in one part,
    # some cut through it; the text after turning round must always be the same.
    circle = model.letters(rng, 23)
    first, size = int(rng.integers(0, 23)), 9
    texts = set()
    for cut in range(23):
        sequence = circle[cut:] + circle[:cut]
        start = (first - cut) % 23
        if start + size <= 23:
            parts = [[start, start + size, None]]
        else:
            parts = [[start, 23, None], [0, start + size - 23, None]]
        texts.add(candidate(turn, sequence, [[parts, "join"]])["0"]["text"])
    assert texts == {model.turned((circle + circle)[first : first + size])}


@contract("knowledge")
def test_joins_on_a_line(candidate, rng, model):
    for count in (2, 3, 5):
        sequence = model.letters(rng, int(rng.integers(60, 120)))
        parts = model.pieces(rng, len(sequence), count, [None])
        after = candidate(turn, sequence, [[parts, "join"]])["0"]
        assert after["walk"] == sorted(after["walk"])
        model.check(after, sequence, parts)


@contract("exploration")
def test_a_direction_that_is_not_known(candidate, rng, model):
    # Strand 0 is read along the forward strand of the record too, so the same law holds.
    for count in (2, 4):
        sequence = model.letters(rng, int(rng.integers(60, 120)))
        for parts in (
            model.arc(rng, len(sequence), 0),
            model.pieces(rng, len(sequence), count, [0]),
        ):
            model.check(candidate(turn, sequence, [[parts, "join"]])["0"], sequence, parts)


@contract("exploration")
def test_parts_with_none_and_with_unknown_direction(candidate, rng, model):
    sequence = model.letters(rng, 80)
    for strands in ((None, 0), (0, None)):
        parts = model.arc(rng, 80, None)
        for part, strand in zip(parts, strands, strict=True):
            part[2] = strand
        after = candidate(turn, sequence, [[parts, "join"]])["0"]
        model.check(after, sequence, parts)
        assert [strand for _, _, strand in after["parts"]] == list(strands)[::-1]


@contract("exploration")
@pytest.mark.parametrize("strand", [None, 0], ids=["none", "unknown"])
def test_fuzzy_ends_of_an_arc(candidate, rng, strand):
    length = int(rng.integers(50, 90))
    a, b = int(rng.integers(length - 15, length - 5)), int(rng.integers(5, 15))
    # From before a, over the origin, to after b.
    ends = [[["before", a], ["exact", length]], [["exact", 0], ["after", b]]]
    assert candidate(turn_fuzzy, length, ends, strand) == [
        [f"<{length - b}", str(length)],
        ["0", f">{length - a}"],
    ]
    # The start lies between a and a+3.
    ends = [[["within", a], ["exact", length]], [["exact", 0], ["exact", b]]]
    assert candidate(turn_fuzzy, length, ends, strand) == [
        [str(length - b), str(length)],
        ["0", f"({length - a - 3}.{length - a})"],
    ]


@contract("exploration")
def test_parts_that_touch_overlap_repeat_or_run_backwards(candidate, rng, model):
    # The order in the list is the order of reading, whatever the numbers are: sorting is no repair.
    for strand in (None, 0):
        sequence = model.letters(rng, 60)
        a = int(rng.integers(5, 20))
        for spans in (
            [[a, a + 5], [a + 5, a + 11]],
            [[a, a + 12], [a + 9, a + 30]],
            [[a + 20, a + 33], [a, a + 7]],
            [[a, a + 6], [a, a + 6], [a + 10, a + 15]],
            [[a + 12, a + 14], [a + 30, a + 35], [a, a + 9], [a + 20, a + 21]],
        ):
            parts = [[*span, strand] for span in spans]
            model.check(candidate(turn, sequence, [[parts, "join"]])["0"], sequence, parts)


@contract("exploration")
def test_an_arc_with_gaps_over_the_origin(candidate, rng, model):
    # Five parts, two of which meet at the origin.
    for strand in (None, 0):
        length = int(rng.integers(100, 140))
        sequence = model.letters(rng, length)
        cuts = sorted(rng.choice(list(range(8, length // 3)), 3, replace=False).tolist())
        spans = [
            [length - cuts[2], length - cuts[1]],
            [length - cuts[0], length],
            [0, cuts[0]],
            [cuts[0] + 1, cuts[1]],
            [cuts[1] + 2, cuts[2] + 3],
        ]
        parts = [[*span, strand] for span in spans if span[0] < span[1]]
        model.check(candidate(turn, sequence, [[parts, "join"]])["0"], sequence, parts)




@contract("coverage")
@pytest.mark.parametrize("operator", ["join", "order", "bond"])
def test_the_operator_is_kept(candidate, rng, model, operator):
    sequence = model.letters(rng, 90)
    parts = model.pieces(rng, 90, 3, [None])
    after = candidate(turn, sequence, [[parts, operator]])["0"]
    assert after["operator"] == operator
    model.check(after, sequence, parts)


@contract("coverage")
def test_ambiguous_letters(candidate, rng, model):
    sequence = model.letters(rng, 80, "ACGTRYKMBVDHSWN")
    parts = model.arc(rng, 80, None)
    model.check(candidate(turn, sequence, [[parts, "join"]])["0"], sequence, parts)


@contract("coverage")
def test_many_features_on_one_record(candidate, rng, model):
    # Each feature by its own rule, next to others that have another.
    sequence = model.letters(rng, 120)
    features = []
    for strand in (None, 1, 0, -1):
        features.append([model.arc(rng, 120, strand), "join"])
        features.append([model.pieces(rng, 120, 3, [strand]), "order"])
        start = int(rng.integers(0, 90))
        features.append([[[start, start + 25, strand]], "join"])
    reports = candidate(turn, sequence, features)
    assert len(reports) == len(features)
    for i, (parts, _) in enumerate(features):
        model.check(reports[str(i)], sequence, parts)


@contract("coverage")
def test_parts_of_one_letter_and_of_none(candidate, rng, model):
    sequence = model.letters(rng, 40)
    a = int(rng.integers(4, 20))
    for spans in (
        [[39, 40], [0, 1]],
        [[a, a + 1], [a + 3, a + 4], [a + 8, a + 9]],
        [[a, a], [a + 5, a + 9]],
    ):
        parts = [[*span, None] for span in spans]
        after = candidate(turn, sequence, [[parts, "join"]])["0"]
        model.check(after, sequence, parts)
        assert [[s, e] for s, e, _ in after["parts"]] == [[40 - e, 40 - s] for s, e in spans[::-1]]
