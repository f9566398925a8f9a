"""Show what happens to two aryl radicals on the way SMILES -> SELFIES -> SMILES.

Exit status 0: both are kept. Exit status 1: at least one is refused or changed.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import selfies as sf

# name, aromatic SMILES, and what each of its Kekulé structures has: (carbon atoms with no
# hydrogen, sulfur atoms, carbon atoms with implied hydrogens, double bonds)
RADICALS = [
    ("phenyl", "c1ccc[c]c1", (1, 0, 5, 3)),
    ("2-thienyl", "c1cc[c]s1", (1, 1, 3, 2)),
]


def census(smiles):
    bare = len(re.findall(r"\[C(?:H0)?\]", smiles))
    outside = re.sub(r"\[[^]]*\]", "", smiles)
    return bare, outside.count("S"), outside.count("C"), smiles.count("=")


def main():
    wrong = 0
    for name, smiles, expected in RADICALS:
        try:
            back = sf.decoder(sf.encoder(smiles))
        except sf.EncoderError as error:
            print(f"BAD  {name:10} {smiles:12} -> {type(error).__name__}: {str(error).split()[0]} ...")
            wrong += 1
            continue
        kept = census(back) == expected
        print(f"{'ok ' if kept else 'BAD'}  {name:10} {smiles:12} -> {back}")
        wrong += not kept
    print(f"{wrong} of {len(RADICALS)} radicals are not kept")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
