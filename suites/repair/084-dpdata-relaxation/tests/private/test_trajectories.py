# referee-canary 084 58093b9f-59c0-4b0c-ac82-213a65add153
"""Each step of a relaxation with its own geometry and its own labels."""

import numpy as np
import pytest

from referee.wall import contract

HANDS = ["right", "left"]


@contract("knowledge")
@pytest.mark.parametrize("hand", HANDS)
def test_forces_do_the_work(candidate, rng, runs, hand):
    """Between two steps of a fixed cell the energy falls by the work of the forces."""
    one = runs.path(rng, 8, size=0.01, left=hand == "left")
    got = candidate(runs.load, runs.files(one))
    assert np.shape(got["coords"]) == (8, 5, 3)
    for a, b in zip(range(7), range(1, 8), strict=True):
        step = got["coords"][b] - got["coords"][a]
        work = np.sum((got["forces"][a] + got["forces"][b]) / 2 * step)
        drop = got["energies"][a] - got["energies"][b]
        # the bound is that of the rule, some 1e-4 eV; numbers in the files add 1e-8
        bound = runs.largest_trapezoid_error(one["coords"][a], one["coords"][b])
        assert abs(work - drop) <= bound + 1e-6
        # fifteen normal deviates of 0.01 together are never this small: the atoms did move
        assert np.linalg.norm(step) >= 1e-3


@contract("knowledge")
@pytest.mark.parametrize("kind", ["relax", "cell-relax"])
@pytest.mark.parametrize("hand", HANDS)
def test_labels_follow_from_the_geometry(candidate, rng, runs, hand, kind):
    """Energy, forces and virial of each frame are those of its own positions."""
    cell_relax = kind == "cell-relax"
    one = runs.path(rng, 4, cell_relax=cell_relax, left=hand == "left")
    got = candidate(runs.load, runs.files(one, cell_relax=cell_relax))
    assert np.shape(got["energies"]) == (4,)
    want = [np.array(rows) for rows in zip(*map(runs.labels, got["coords"]), strict=True)]
    for key, rows in zip(("energies", "forces", "virials"), want, strict=True):
        # positions err by 1e-8 of some angstrom, labels change by up to 40 eV per angstrom
        np.testing.assert_allclose(got[key], rows, rtol=0, atol=1e-6, err_msg=key)
    # the cell has the handedness that was printed
    assert all((np.linalg.det(c) < 0) == (hand == "left") for c in got["cells"])


@contract("knowledge")
def test_atoms_that_push_have_a_positive_virial(candidate, rng, runs):
    """Also where the log holds everything, the volume of a left-handed cell is positive."""
    one = runs.path(rng, 3, left=True)
    got = candidate(runs.load, runs.files(one, range(3)))
    assert np.all(np.trace(got["virials"], axis1=1, axis2=2) > 0)
    runs.holds(got, one)


@contract("coverage")
@pytest.mark.parametrize("steps", [2, 3, 12])
def test_every_step_is_loaded(candidate, rng, runs, steps):
    """With and without the file that belongs to no step."""
    one = runs.path(rng, steps)
    files = runs.files(one)
    runs.holds(candidate(runs.load, files), one)
    del files["OUT.ABACUS/STRU_ION_D"]
    runs.holds(candidate(runs.load, files), one)


@contract("coverage")
@pytest.mark.parametrize("log_cartesian", [False, True])
@pytest.mark.parametrize("file_cartesian", [False, True])
def test_both_kinds_of_positions(candidate, rng, runs, log_cartesian, file_cartesian):
    one = runs.path(rng, 4, cell_relax=True)
    kinds = {"log_cartesian": log_cartesian, "file_cartesian": file_cartesian, "a0": 3.7}
    files = runs.files(one, cell_relax=True, **kinds)
    runs.holds(candidate(runs.load, files), one)


@contract("coverage")
def test_runs_with_fewer_labels(candidate, rng, runs):
    one = runs.path(rng, 4)
    plain = ("cells", "coords", "energies")
    got = candidate(runs.load, runs.files(one, stress=0))
    runs.holds(got, one, keys=(*plain, "forces"))
    assert got["virials"] is None
    # a run that stopped before it printed the last forces or the last stress
    for labels in ({"forces": 3}, {"stress": 3}, {"forces": 3, "stress": 2}):
        runs.holds(candidate(runs.load, runs.files(one, **labels)), one, range(min(labels.values())))


@contract("coverage")
@pytest.mark.parametrize("fmt", ["abacus/relax", "abacus/pw/relax", "abacus/lcao/relax"])
def test_names_of_format_and_files(candidate, rng, runs, fmt):
    one = runs.path(rng, 3, cell_relax=True)
    files = runs.files(one, cell_relax=True, suffix="Second", stru_file="start.stru")
    runs.holds(candidate(runs.load, files, fmt), one)


@contract("exploration")
def test_steps_without_a_file_are_left_out(candidate, rng, runs):
    one = runs.path(rng, 6)
    for gone in ([1], [5], [2, 3], [1, 5], [1, 2, 3, 4], [2, 3, 4, 5]):
        files = runs.files(one)
        for k in gone:
            del files[f"OUT.ABACUS/STRU_ION{k}_D"]
        runs.holds(candidate(runs.load, files), one, [k for k in range(6) if k not in gone])


@contract("exploration")
def test_files_of_a_longer_run_before(candidate, rng, runs):
    one, other = runs.path(rng, 3), runs.path(rng, 11)
    files = {**runs.files(other), **runs.files(one)}
    runs.holds(candidate(runs.load, files), one)


@contract("exploration")
def test_names_with_brackets(candidate, rng, runs):
    one = runs.path(rng, 3)
    runs.holds(candidate(runs.load, runs.files(one), "abacus/relax", "set [a-c] of *"), one)
    runs.holds(candidate(runs.load, runs.files(one, suffix="run[2]?")), one)


@contract("exploration")
@pytest.mark.parametrize("word", ["NOT", "not"])
def test_steps_without_convergence_count(candidate, rng, runs, word):
    """They have no energy, but forces, stress and a number of their own."""
    one = runs.path(rng, 6, cell_relax=True)
    message = f" !! convergence has {word} been achieved"
    for failed in ([2], [0], [5], [1, 2], [0, 3, 5]):
        files = runs.files(one, cell_relax=True, failed=failed, message=message)
        runs.holds(candidate(runs.load, files), one, [k for k in range(6) if k not in failed])


@contract("exploration")
def test_a_bad_start_and_an_early_end(candidate, rng, runs):
    """The first step does not converge, and the last has no forces or no stress."""
    one = runs.path(rng, 5)
    for labels in ({"forces": 4}, {"stress": 3}):
        files = runs.files(one, failed=[0], **labels)
        runs.holds(candidate(runs.load, files), one, range(1, min(labels.values())))


@contract("exploration")
@pytest.mark.parametrize("cartesian", [False, True])
def test_left_handed_cells_stay_as_printed(candidate, rng, runs, cartesian):
    one = runs.path(rng, 3, cell_relax=True, left=True)
    kinds = {"log_cartesian": cartesian, "file_cartesian": cartesian}
    runs.holds(candidate(runs.load, runs.files(one, cell_relax=True, **kinds)), one)


@contract("generalization")
@pytest.mark.parametrize("kind", ["relax", "cell-relax"])
def test_the_log_prints_some_geometries(candidate, rng, runs, kind):
    cell_relax = kind == "cell-relax"
    one = runs.path(rng, 7, cell_relax=cell_relax)
    for printed in ([0, 3], [0, 1, 5, 6], [0, 6], [0, 1, 2, 3]):
        files = runs.files(one, printed, cell_relax=cell_relax)
        runs.holds(candidate(runs.load, files), one)


@contract("generalization")
def test_some_geometries_some_failures_some_files(candidate, rng, runs):
    for left in (False, True):
        one = runs.path(rng, 8, cell_relax=True, left=left)
        printed, failed, gone = [0, 4, 5], [2, 5], [3, 4, 6]
        files = runs.files(one, printed, cell_relax=True, failed=failed)
        for k in gone:
            del files[f"OUT.ABACUS/STRU_ION{k}_D"]
        runs.holds(candidate(runs.load, files), one, [0, 1, 4, 7])


@contract("generalization")
def test_the_log_comes_before_files(candidate, rng, runs):
    one, other = runs.path(rng, 5), runs.path(rng, 5)
    files = runs.files(one, [0, 2, 4])
    for k in (2, 4):
        files[f"OUT.ABACUS/STRU_ION{k}_D"] = runs.stru(other["cells"][k], other["coords"][k])
    runs.holds(candidate(runs.load, files), one)


@contract("generalization")
@pytest.mark.parametrize("fmt", ["deepmd/npy", "deepmd/raw"])
def test_all_steps_reach_training_data(candidate, rng, runs, fmt):
    one = runs.path(rng, 11, cell_relax=True, left=True)
    got = candidate(runs.load, runs.files(one, cell_relax=True), "abacus/relax", "run", fmt)
    # training data keep single precision by default: 6e-8 of a number
    runs.holds(got, one, tolerance=2e-6)


@contract("generalization")
def test_a_geometry_that_was_never_calculated(candidate, rng, runs):
    """The run was stopped in a step: its geometry was written, its energy was not."""
    one = runs.path(rng, 5)
    files = runs.files({key: rows[:4] for key, rows in one.items()})
    files["OUT.ABACUS/STRU_ION4_D"] = runs.stru(one["cells"][4], one["coords"][4])
    runs.holds(candidate(runs.load, files), one, range(4))


@contract("regression")
@pytest.mark.parametrize("kind", ["relax", "cell-relax"])
def test_logs_that_hold_everything(candidate, rng, runs, kind):
    cell_relax = kind == "cell-relax"
    for steps in (1, 2, 11):
        one, other = runs.path(rng, steps, cell_relax=cell_relax), runs.path(rng, steps)
        files = runs.files(one, range(steps), cell_relax=cell_relax)
        # what stands beside the log is not needed, and not taken
        files.update((k, v) for k, v in runs.files(other).items() if "STRU_ION" in k)
        runs.holds(candidate(runs.load, files), one)


@contract("regression")
@pytest.mark.parametrize("said", ["a message", "nothing"])
def test_failed_steps_of_full_logs(candidate, rng, runs, said):
    message = " convergence has NOT been achieved!" if said == "a message" else None
    one = runs.path(rng, 6, cell_relax=True)
    for failed in ([2], [0], [5], [1, 2], [0, 3, 4]):
        files = runs.files(one, range(6), cell_relax=True, failed=failed, message=message)
        runs.holds(candidate(runs.load, files), one, [k for k in range(6) if k not in failed])


@contract("regression")
def test_full_logs_with_fewer_labels(candidate, rng, runs):
    one = runs.path(rng, 4)
    got = candidate(runs.load, runs.files(one, range(4), stress=0))
    runs.holds(got, one, keys=("cells", "coords", "energies", "forces"))
    assert got["virials"] is None
    for labels in ({"forces": 3}, {"stress": 2}):
        files = runs.files(one, range(4), **labels)
        runs.holds(candidate(runs.load, files), one, range(min(labels.values())))


@contract("regression")
def test_geometries_that_nobody_wrote(candidate, rng, runs):
    """Only the first step has a geometry, so it is the only one."""
    one = runs.path(rng, 4)
    files = runs.files(one)
    files = {name: text for name, text in files.items() if "STRU_ION" not in name}
    runs.holds(candidate(runs.load, files), one, [0])
