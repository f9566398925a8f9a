"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

LENGTH = np.array([1852.0, 1421.0, 2512.0])


@probe
def joined(lengths, rule):
    """Join one study for each array of lengths, all with the same genes."""
    import tempfile
    from pathlib import Path

    import anndata as ad
    import numpy as np
    import pandas as pd

    genes = ["actb", "gapd", "sox2"]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, length in enumerate(lengths):
            made = ad.AnnData(
                np.full((2, 3), float(number)),
                obs=pd.DataFrame(index=[f"cell-{number}-{i}" for i in range(2)]),
                var=pd.DataFrame({"length": length}, index=genes),
            )
            made.varm["powers"] = np.stack([length, length**2], axis=1)
            paths.append(Path(folder) / f"{number}.h5ad")
            made.write_h5ad(paths[-1])
        target = Path(folder) / "joined.h5ad"
        ad.experimental.concat_on_disk(paths, target, merge=rule)
        result = ad.read_h5ad(target)
        return {
            "genes": list(result.var_names),
            "matrix": np.asarray(result.X),
            "table": {key: np.asarray(result.var[key]) for key in result.var.columns},
            "matrices": {key: np.asarray(value) for key, value in result.varm.items()},
        }


@contract("reported-case")
def test_what_all_studies_say_is_kept(candidate):
    answer = candidate(joined, [LENGTH, LENGTH], "same")
    assert answer["genes"] == ["actb", "gapd", "sox2"]
    np.testing.assert_array_equal(answer["table"]["length"], LENGTH)
    np.testing.assert_array_equal(
        answer["matrices"]["powers"], np.stack([LENGTH, LENGTH**2], axis=1)
    )


@contract("reported-case")
def test_what_studies_do_not_agree_on_is_dropped(candidate):
    answer = candidate(joined, [LENGTH, LENGTH + 1], "same")
    assert answer["table"] == {}
    assert answer["matrices"] == {}


@contract("interface")
def test_without_a_rule_nothing_is_kept(candidate):
    answer = candidate(joined, [LENGTH, LENGTH], None)
    assert answer["genes"] == ["actb", "gapd", "sox2"]
    assert (answer["table"], answer["matrices"]) == ({}, {})
    np.testing.assert_array_equal(answer["matrix"], np.repeat([[0.0] * 3, [1.0] * 3], 2, axis=0))
