"""Public checks: the files of a bank, their form, and the box."""

from referee.wall import contract, probe


@probe
def looked_at():
    import numpy as np

    bank = np.load("bank_params.npy", allow_pickle=False)
    mass, ratio = bank[:, 0] + bank[:, 1], bank[:, 0] / bank[:, 1]
    edge = 1e-9
    inside = (
        (np.abs(mass - 250) <= 50 + edge)
        & (np.abs(ratio - 5.5) <= 2.5 + edge)
        & (np.abs(bank[:, 2] - 0.15) <= 0.45 + edge)
        & (np.abs(bank[:, 3]) <= 0.3 + edge)
    )
    indices = [np.load(f"{name}_indices.npy", allow_pickle=False) for name in ("train", "eval")]
    return {
        "shape": list(bank.shape),
        "inside": int(inside.sum()),
        "kinds": [each.dtype.name for each in (bank, *indices)],
        "shared": int(np.intersect1d(*indices).size),
    }


@contract("interface")
def test_the_files_are_arrays_of_the_right_kinds(candidate):
    seen = candidate(looked_at)
    assert seen["kinds"] == ["float64", "int64", "int64"]
    assert len(seen["shape"]) == 2
    assert 1 <= seen["shape"][0] <= 2000
    assert seen["shape"][1] == 5


@contract("interface")
def test_the_rows_lie_in_the_box_and_the_indices_apart(candidate):
    seen = candidate(looked_at)
    assert seen["inside"] == seen["shape"][0]
    assert seen["shared"] == 0
