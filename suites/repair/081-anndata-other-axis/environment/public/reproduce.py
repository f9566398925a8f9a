"""Join two small studies on disk, and ask what the result knows about the genes.

Exit status: 0 when nothing is lost, 1 when something is.
"""

import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.getcwd())
warnings.simplefilter("ignore")

import anndata as ad
import numpy as np
import pandas as pd

LENGTH = {"actb": 1852.0, "gapd": 1421.0, "sox2": 2512.0, "tp53": 2629.0}


def study(number, genes):
    length = np.array([LENGTH[gene] for gene in genes])
    cells = [f"cell-{number}-{i}" for i in range(3)]
    made = ad.AnnData(
        np.full((3, len(genes)), float(number)),
        obs=pd.DataFrame(index=cells),
        var=pd.DataFrame({"length": length}, index=genes),
    )
    made.varm["powers"] = np.stack([length, length**2], axis=1)
    made.varp["difference"] = length[:, None] - length[None, :]
    return made


def right(joined):
    """What is wrong with a joined study: a list of words."""
    length = np.array([LENGTH[gene] for gene in joined.var_names])
    expected = {
        "var": ("length", length),
        "varm": ("powers", np.stack([length, length**2], axis=1)),
        "varp": ("difference", length[:, None] - length[None, :]),
    }
    wrong = []
    for place, (key, values) in expected.items():
        elements = getattr(joined, place)
        if key not in elements:
            wrong.append(f"{place} has no {key}")
        elif not np.array_equal(np.asarray(elements[key]), values):
            wrong.append(f"{place} has another {key}")
    return wrong


def main():
    bad = 0
    for second in (["actb", "gapd", "sox2"], ["tp53", "sox2", "actb"]):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f"{name}.h5ad") for name in ("one", "two", "joined")]
            study(1, ["actb", "gapd", "sox2"]).write_h5ad(paths[0])
            study(2, second).write_h5ad(paths[1])
            try:
                ad.experimental.concat_on_disk(paths[:2], paths[2], merge="same")
                wrong = right(ad.read_h5ad(paths[2]))
            except Exception as error:
                wrong = [f"{type(error).__name__}: {error}".splitlines()[0]]
        bad += bool(wrong)
        print(f"second study with {second}: {'; '.join(wrong) or 'right'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
