"""Public checks: part of what a repair has to hold."""

from referee.wall import contract, probe

PLASMID = "GATTACAGGCTTAACCGGTATCCA"


@probe
def turned_text(sequence, parts):
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    location = CompoundLocation([SimpleLocation(*part) for part in parts])
    record = SeqRecord(Seq(sequence), features=[SeqFeature(location, type="misc_feature")])
    turned = record.reverse_complement(features=True)
    return str(turned.features[0].extract(turned.seq))


@contract("coverage")
def test_arc_over_the_origin(candidate):
    # TATCCA and GATTA are read on the record, TAATC and TGGATA on the record turned round.
    assert candidate(turned_text, PLASMID, [[18, 24, None], [0, 5, None]]) == "TAATCTGGATA"


@contract("regression")
def test_exons_of_the_forward_strand(candidate):
    assert candidate(turned_text, PLASMID, [[2, 6, 1], [10, 15, 1]]) == "TTACTTAAC"


@contract("regression")
def test_exons_of_the_reverse_strand(candidate):
    assert candidate(turned_text, PLASMID, [[10, 15, -1], [2, 6, -1]]) == "GTTAAGTAA"
