# referee-canary 029 2c31af3e-16ac-4be7-a2ad-550d37e4fad2
"""Known directions, simple locations, and everything of a record that is not a location."""

import pytest

from referee.wall import CandidateError, contract, probe


@probe
def turn(sequence, parts, times):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    made = [SimpleLocation(*part) for part in parts]
    location = CompoundLocation(made) if len(made) > 1 else made[0]
    record = SeqRecord(Seq(sequence), features=[SeqFeature(location, type="gene")])
    for _ in range(times):
        record = record.reverse_complement(features=True)
    feature = record.features[0]
    return {
        "text": str(feature.extract(record.seq)),
        "walk": [int(p) for p in feature.location],
        "parts": [[int(p.start), int(p.end), p.strand] for p in feature.location.parts],
    }


@probe
def original_after(sequence, parts):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(*part) for part in parts], "order")
    feature = SeqFeature(location, type="x", id="f", qualifiers={"note": ["one"]})
    record = SeqRecord(Seq(sequence), features=[feature])
    reverse = record.reverse_complement(features=True)
    reverse.features[0].qualifiers["added"] = ["two"]
    return {
        "same": record.features[0] is feature and feature.location is location,
        "parts": [[int(p.start), int(p.end), p.strand] for p in location.parts],
        "qualifiers": dict(feature.qualifiers),
        "new": [reverse.features[0].type, reverse.features[0].id],
        "carried": reverse.features[0].qualifiers["note"],
        "operator": reverse.features[0].location.operator,
    }


@probe
def with_remote_part(length, spans, strand):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    parts = [SimpleLocation(a, b, strand, ref=ref) for a, b, ref in spans]
    record = SeqRecord(Seq("A" * length), features=[SeqFeature(CompoundLocation(parts))])
    location = record.reverse_complement(features=True).features[0].location
    return [[int(p.start), int(p.end), p.strand, p.ref] for p in location.parts]


@probe
def order_of_features(length, spans):
    from Bio.Seq import Seq
    from Bio.SeqFeature import SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    features = [
        SeqFeature(SimpleLocation(a, b, s), id=str(i)) for i, (a, b, s) in enumerate(spans)
    ]
    record = SeqRecord(Seq("A" * length), features=features)
    return [f.id for f in record.reverse_complement(features=True).features]


@probe
def options(sequence):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(20, 30), SimpleLocation(0, 4)])
    record = SeqRecord(
        Seq(sequence),
        id="a",
        features=[SeqFeature(location, type="misc_feature")],
        letter_annotations={"quality": list(range(len(sequence)))},
    )
    own = [SeqFeature(location, type="own")]
    plain = record.reverse_complement(features=False)
    given = record.reverse_complement(features=own, letter_annotations=True)
    return {
        "sequence": str(plain.seq),
        "none": len(plain.features),
        "given": given.features is own and given.features[0].location is location,
        "quality": list(given.letter_annotations["quality"]),
    }


@probe
def turn_a_protein():
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(1, 3), SimpleLocation(5, 7)])
    record = SeqRecord(Seq("MKQHKAMIV"), features=[SeqFeature(location, type="domain")])
    record.annotations["molecule_type"] = "protein"
    record.reverse_complement(features=True)


@contract("regression")
@pytest.mark.parametrize("strand", [1, -1], ids=["forward", "reverse"])
def test_genes_keep_their_text_and_the_order_of_their_exons(candidate, rng, model, strand):
    for count in (2, 3, 5):
        sequence = model.letters(rng, 110)
        for parts in (
            model.arc(rng, 110, strand)[::strand],
            model.pieces(rng, 110, count, [strand])[::strand],
        ):
            after = candidate(turn, sequence, parts, 1)
            model.check(after, sequence, parts)
            assert after["parts"] == [[110 - b, 110 - a, -strand] for a, b, _ in parts]


@contract("regression")
def test_locations_with_a_part_on_a_known_strand_keep_their_order(candidate, rng, model):
    sequence = model.letters(rng, 100)
    opposite = {1: -1, -1: 1, 0: 0, None: None}
    for strands in (
        (1, -1),
        (-1, 1, 1),
        (1, None),
        (None, 1),
        (0, -1),
        (None, None, -1),
        (None, 0, 1),
        (-1, 0, None),
    ):
        parts = model.pieces(rng, 100, len(strands), [None])
        for part, strand in zip(parts, strands, strict=True):
            part[2] = strand
        after = candidate(turn, sequence, parts, 1)["parts"]
        assert after == [[100 - b, 100 - a, opposite[s]] for a, b, s in parts]


@contract("regression")
@pytest.mark.parametrize("strand", [None, 0, 1, -1], ids=["none", "unknown", "forward", "reverse"])
def test_simple_locations(candidate, rng, model, strand):
    sequence = model.letters(rng, 60)
    a = int(rng.integers(0, 40))
    parts = [[a, int(rng.integers(a + 1, 61)), strand]]
    model.check(candidate(turn, sequence, parts, 1), sequence, parts)


@contract("regression")
def test_turning_round_twice_gives_the_location_back(candidate, rng, model):
    for strand in (None, 0, 1, -1):
        sequence = model.letters(rng, 90)
        for parts in (model.arc(rng, 90, strand), model.pieces(rng, 90, 4, [strand])):
            after = candidate(turn, sequence, parts, 2)
            assert after["parts"] == parts
            assert after["text"] == model.text(sequence, parts)


@contract("regression")
def test_the_record_that_was_turned_round_is_not_changed(candidate, rng, model):
    for strand in (None, 0, 1):
        parts = model.pieces(rng, 80, 3, [strand])
        result = candidate(original_after, model.letters(rng, 80), parts)
        assert result == {
            "same": True,
            "parts": parts,
            "qualifiers": {"note": ["one"]},
            "new": ["x", "f"],
            "carried": ["one"],
            "operator": "order",
        }


@contract("regression")
def test_stranded_parts_in_other_records(candidate):
    # A part that lies in another record is not moved when this one is turned round.
    spans = [[3, 9, None], [100, 140, "J00194.1"], [20, 31, None]]
    after = candidate(with_remote_part, 50, spans, 1)
    assert after == [[41, 47, -1, None], [100, 140, 1, "J00194.1"], [19, 30, -1, None]]


@contract("regression")
def test_features_come_sorted_by_their_start(candidate, rng):
    spans = [[2, 40, 1], [2, 40, 1], [5, 12, None], [20, 60, -1], [45, 50, None]]
    # New starts 24, 24, 52, 4, 14 for a length of 64; equal ones keep their order.
    assert candidate(order_of_features, 64, spans) == ["3", "4", "0", "1", "2"]


@contract("regression")
def test_options_of_turning_round(candidate, rng, model):
    sequence = model.letters(rng, 30)
    assert candidate(options, sequence) == {
        "sequence": model.turned(sequence),
        "none": 0,
        "given": True,
        "quality": list(range(30))[::-1],
    }


@contract("regression")
def test_proteins_are_still_refused(candidate):
    with pytest.raises(CandidateError) as caught:
        candidate(turn_a_protein)
    assert caught.value.is_a("ValueError")
