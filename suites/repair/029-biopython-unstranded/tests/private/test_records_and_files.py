# referee-canary 029 2c31af3e-16ac-4be7-a2ad-550d37e4fad2
"""Other kinds of records, and what is written to a file after a record was turned round."""

import re

import pytest

from referee.wall import contract, probe


@probe
def written(sequence, parts, form):
    import io

    from Bio import SeqIO
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(*part) for part in parts])
    record = SeqRecord(
        Seq(sequence),
        id="AB000001",
        name="AB000001",
        description="a plasmid",
        annotations={"molecule_type": "DNA", "topology": "circular"},
        features=[SeqFeature(location, type="misc_feature")],
    )
    reverse = record.reverse_complement(
        id=True, name=True, description=True, features=True, annotations=True
    )
    handle = io.StringIO()
    SeqIO.write(reverse, handle, form)
    again = SeqIO.read(io.StringIO(handle.getvalue()), form)
    read = str(again.features[0].extract(again.seq))
    return {"file": handle.getvalue(), "read": read}


@probe
def turn_as(kind, sequence, parts):
    from Bio.Seq import MutableSeq, Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    class Plasmid(SeqRecord):
        pass

    content = {"mutable": MutableSeq(sequence), "undefined": Seq(None, len(sequence))}
    location = CompoundLocation([SimpleLocation(*part) for part in parts])
    record = (Plasmid if kind == "subclass" else SeqRecord)(
        content.get(kind, Seq(sequence)),
        annotations={"molecule_type": "RNA" if kind == "rna" else "DNA"},
        features=[SeqFeature(location, type="misc_feature")],
    )
    reverse = record.reverse_complement(features=True)
    feature = reverse.features[0]
    return {
        "class": type(reverse).__name__,
        "text": None if kind == "undefined" else str(feature.extract(reverse.seq)),
        "walk": [int(p) for p in feature.location],
        "parts": [[int(p.start), int(p.end), p.strand] for p in feature.location.parts],
    }


@probe
def turn_a_piece(sequence, parts, start, end, shift):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(*part) for part in parts])
    record = SeqRecord(Seq(sequence), features=[SeqFeature(location, type="misc_feature")])
    piece = SeqRecord(Seq("T" * shift)) + record[start:end]
    reverse = piece.reverse_complement(features=True)
    return str(reverse.features[0].extract(reverse.seq))


@probe
def turn_and_join(sequence, parts):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(*part) for part in parts])
    record = SeqRecord(Seq(sequence), features=[SeqFeature(location, type="misc_feature")])
    # A palindrome: the record, then the record turned round.
    both = record + record.reverse_complement(features=True)
    first, second = sorted(both.features, key=lambda f: int(f.location.start))
    return [
        str(first.extract(both.seq)),
        str(second.extract(both.seq)),
        [int(p) for p in first.location],
        [int(p) for p in second.location],
    ]


LOCATION = {
    "genbank": re.compile(r"^     misc_feature\s+(\S+)$", re.M),
    "embl": re.compile(r"^FT   misc_feature\s+(\S+)$", re.M),
}


@contract("generalization")
@pytest.mark.parametrize("form", ["genbank", "embl"])
@pytest.mark.parametrize("strand", [None, 0], ids=["none", "unknown"])
def test_the_written_location(candidate, rng, model, form, strand):
    length = int(rng.integers(60, 120))
    sequence = model.letters(rng, length)
    parts = model.arc(rng, length, strand)
    a, b = parts[0][0], parts[1][1]
    result = candidate(written, sequence, parts, form)
    # Files count from 1 and include the last letter.
    found = LOCATION[form].search(result["file"])
    assert found is not None
    assert found[1] == f"join({length - b + 1}..{length},1..{length - a})"
    assert result["read"] == model.turned(model.text(sequence, parts))


@contract("generalization")
@pytest.mark.parametrize("kind", ["rna", "mutable", "subclass", "undefined"])
def test_other_kinds_of_records(candidate, rng, model, kind):
    sequence = model.letters(rng, 70, "ACGU" if kind == "rna" else "ACGT")
    for strand in (None, 0):
        for parts in (model.arc(rng, 70, strand), model.pieces(rng, 70, 3, [strand])):
            after = candidate(turn_as, kind, sequence, parts)
            if kind == "undefined":
                # Only the length is known, and the positions follow from it.
                assert after["walk"] == model.walk_after(parts, 70)
            else:
                model.check(after, sequence, parts, rna=kind == "rna")
            assert after["class"] == ("Plasmid" if kind == "subclass" else "SeqRecord")


@contract("generalization")
def test_a_piece_that_was_cut_out_and_moved(candidate, rng, model):
    sequence = model.letters(rng, 100)
    start, end = 10, 80
    inner = model.pieces(rng, 60, 3, [None])
    parts = [[a + 15, b + 15, strand] for a, b, strand in inner]
    shift = int(rng.integers(1, 20))
    actual = candidate(turn_a_piece, sequence, parts, start, end, shift)
    assert actual == model.turned(model.text(sequence, parts))


@contract("generalization")
def test_a_record_joined_to_itself_turned_round(candidate, rng, model):
    # The whole is its own reverse complement: its second feature is the mirror image of the first.
    sequence = model.letters(rng, 60)
    parts = model.pieces(rng, 60, 3, [None])
    first, second, walk_one, walk_two = candidate(turn_and_join, sequence, parts)
    assert second == model.turned(first)
    assert walk_two == [119 - position for position in walk_one][::-1]
