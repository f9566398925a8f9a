"""Turn a small plasmid round and look at a feature without a direction that crosses its origin.

Exit status: 0 when the text of the feature is right on both records, 1 when it is not.
"""

import os
import sys

sys.path.insert(0, os.getcwd())

from Bio.Seq import Seq
from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
from Bio.SeqRecord import SeqRecord

PLASMID = "GATTACAGGCTTAACCGGTATCCA"


def main():
    arc = CompoundLocation([SimpleLocation(18, 24), SimpleLocation(0, 5)])
    record = SeqRecord(
        Seq(PLASMID),
        id="plasmid",
        annotations={"molecule_type": "DNA", "topology": "circular"},
        features=[SeqFeature(arc, type="misc_feature")],
    )
    turned = record.reverse_complement(features=True)
    before, after = record.features[0], turned.features[0]
    expected = before.extract(record.seq).reverse_complement()
    actual = after.extract(turned.seq)
    print("before  ", before.location, before.extract(record.seq))
    print("after   ", after.location, actual)
    print("expected", expected)
    good = actual == expected
    print("agrees" if good else "differs")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
