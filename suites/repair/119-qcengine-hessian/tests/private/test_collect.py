# referee-canary 119 01007ba8-4159-484d-ac7c-78bdd134a941
"""Hessians from the text of the files: values, choice of the block, sizes, refusals."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe


@probe
def collect(places, stdout, files):
    import numpy as np
    from qcengine.programs.turbomole.harvester import harvest

    class Molecule:
        geometry = np.asarray(places, dtype=float)

    found, gradient, hessian = harvest(Molecule(), stdout, **files)
    assert hessian is None or type(hessian) is np.ndarray
    return {name: float(value) for name, value in found.items()}, gradient, hessian


def hessian_of(candidate, made, places, files):
    found, gradient, hessian = candidate(collect, places, made.STDOUT.format(energy=76.25), files)
    assert gradient is None
    assert hessian is not None
    assert hessian.shape == (3 * len(places), 3 * len(places))
    assert found["N ATOMS"] == len(places)
    assert found["CURRENT ENERGY"] == found["DFT TOTAL ENERGY"] == -76.25
    return hessian


def atoms(n):
    """Any n places: the geometry only says how many atoms there are."""
    return np.arange(3.0 * n).reshape(n, 3)


@contract("knowledge")
def test_frequency_of_a_diatomic_molecule(candidate, made, rng):
    for _ in range(5):
        k, masses = float(rng.uniform(0.1, 1)), rng.uniform(2000, 60000, 2)
        places = np.array([[0, 0, 0], rng.normal(size=3)])
        matrix = made.springs(places, np.full((2, 2), k))
        files = {"nprhessian": made.file_of(("$nprhessian", matrix))}
        hessian = hessian_of(candidate, made, places, files)
        squared = made.squared_frequencies(hessian, masses)
        # Ten digits after the point are in the file: errors of 1e-10 / the smaller mass each.
        loss = 20e-10 / masses.min()
        assert abs(squared[-1] - k * np.sum(1 / masses)) <= loss
        assert np.abs(squared[:-1]).max() <= loss


@contract("knowledge")
def test_stretching_frequencies_of_a_linear_chain(candidate, made, rng):
    for _ in range(5):
        k, m, middle = float(rng.uniform(0.1, 1)), *rng.uniform(2000, 60000, 2)
        axis = rng.normal(size=3)
        places = np.outer([-2, 0, 2], axis / np.linalg.norm(axis))
        constants = np.zeros((3, 3))
        constants[1, 0] = constants[2, 1] = k
        matrix = made.springs(places, constants)
        files = {"hessian": made.file_of(("$hessian", matrix), ("$hessian (projected)", 0 * matrix))}
        hessian = hessian_of(candidate, made, places, files)
        squared = made.squared_frequencies(hessian, np.array([m, middle, m]))
        known = sorted([k / m, k * (1 / m + 2 / middle)])
        loss = 40e-10 / min(m, middle)
        np.testing.assert_allclose(squared[-2:], known, rtol=0, atol=loss)
        assert np.abs(squared[:-2]).max() <= loss


@contract("knowledge")
@pytest.mark.parametrize("name", ["nprhessian", "hessian"])
def test_shifts_cost_nothing_but_rotations_do_away_from_rest(candidate, made, rng, name):
    for n in (3, 4, 6):
        places, matrix = made.random_springs(n, rng, at_rest=False)
        groups = [("$" + name, matrix)]
        if name == "hessian":
            groups.append(("$hessian (projected)", made.projected(matrix, places)))
        hessian = hessian_of(candidate, made, places, {name: made.file_of(*groups)})
        # The file's ten digits, once per atom.
        assert np.abs(hessian.reshape(3 * n, n, 3).sum(axis=1)).max() <= n * 1e-10
        assert np.abs(hessian - hessian.T).max() <= 1e-10
        turn = np.cross([0.0, 0.0, 1.0], places - places.mean(axis=0)).ravel()
        assert turn @ hessian @ turn == pytest.approx(turn @ matrix @ turn, abs=1e-7)
        assert abs(turn @ matrix @ turn) > 1e-5


@contract("knowledge")
def test_six_directions_without_curvature_at_rest(candidate, made, rng):
    for n in (4, 5, 8):
        places, matrix = made.random_springs(n, rng, at_rest=True)
        files = {"nprhessian": made.file_of(("$nprhessian", matrix))}
        values = np.linalg.eigvalsh(hessian_of(candidate, made, places, files))
        # Rounding to ten digits moves eigenvalues by up to 1e-10 times half the size.
        assert np.abs(values[:6]).max() <= 3 * n * 1e-10
        np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix), rtol=0, atol=3 * n * 1e-10)


@contract("coverage")
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 10])
def test_every_number_has_its_place(candidate, made, rng, n):
    matrix = made.symmetric(3 * n, rng)
    other = made.symmetric(3 * n, rng)
    for files in (
        {"nprhessian": made.file_of(("$nprhessian", matrix))},
        {"hessian": made.file_of(("$hessian", matrix), ("$hessian (projected)", other))},
    ):
        np.testing.assert_array_equal(hessian_of(candidate, made, atoms(n), files), matrix)


@contract("coverage")
def test_noise_of_numerical_derivatives_is_passed_on(candidate, made, rng):
    matrix = np.round(made.symmetric(9, rng) + 1e-6 * rng.normal(size=(9, 9)), 10)
    for name in ("nprhessian", "hessian"):
        files = {name: made.file_of(("$" + name, matrix))}
        np.testing.assert_array_equal(hessian_of(candidate, made, atoms(3), files), matrix)


@contract("coverage")
def test_a_hessian_of_zeros_is_a_hessian(candidate, made):
    files = {"nprhessian": made.file_of(("$nprhessian", np.zeros((3, 3))))}
    np.testing.assert_array_equal(hessian_of(candidate, made, atoms(1), files), np.zeros((3, 3)))


@contract("generalization")
@pytest.mark.parametrize("n", [36, 167])
def test_labels_of_large_molecules_run_together(candidate, made, rng, n):
    # 108 and 501 rows; from row 496 on, the number of the line in the row has three digits.
    matrix = made.symmetric(3 * n, rng)
    name = ("nprhessian", "hessian")[int(rng.integers(2))]
    files = {name: made.file_of(("$" + name, matrix))}
    np.testing.assert_array_equal(hessian_of(candidate, made, atoms(n), files), matrix)


@contract("exploration")
def test_the_order_of_the_blocks_does_not_matter(candidate, made, rng):
    for n in (2, 3, 6):
        matrix, other = made.symmetric(3 * n, rng), made.symmetric(3 * n, rng)
        blocks = [("$hessian", matrix), ("$hessian (projected)", other)]
        for groups in (blocks, blocks[::-1]):
            files = {"hessian": made.file_of(*groups)}
            np.testing.assert_array_equal(hessian_of(candidate, made, atoms(n), files), matrix)


@contract("exploration")
def test_a_single_block_is_enough(candidate, made, rng):
    matrix = made.symmetric(9, rng)
    for name in ("$hessian", "$hessian (projected)"):
        files = {"hessian": made.file_of((name, matrix))}
        np.testing.assert_array_equal(hessian_of(candidate, made, atoms(3), files), matrix)


@contract("exploration")
def test_the_un_projected_file_wins(candidate, made, rng):
    matrix, other = made.symmetric(12, rng), made.symmetric(12, rng)
    files = {
        "nprhessian": made.file_of(("$nprhessian", matrix)),
        "hessian": made.file_of(("$hessian (projected)", other)),
    }
    for order in (files, dict(reversed(files.items()))):
        np.testing.assert_array_equal(hessian_of(candidate, made, atoms(4), order), matrix)


@contract("exploration")
def test_files_that_were_not_left_are_passed_over(candidate, made, rng):
    matrix = made.symmetric(6, rng)
    texts = {
        "nprhessian": made.file_of(("$nprhessian", matrix)),
        "hessian": made.file_of(("$hessian", matrix), ("$hessian (projected)", 0 * matrix)),
    }
    for name, text in texts.items():
        files = {"nprhessian": None, "hessian": None, "gradient": None, name: text}
        np.testing.assert_array_equal(hessian_of(candidate, made, atoms(2), files), matrix)
    files = {"nprhessian": None, "hessian": None}
    found, gradient, hessian = candidate(collect, atoms(2), made.STDOUT.format(energy=1), files)
    assert gradient is None
    assert hessian is None
    assert "N ATOMS" not in found


@contract("exploration")
def test_nothing_counts_after_the_end(candidate, made, rng):
    matrix, other = made.symmetric(6, rng), made.symmetric(6, rng)
    text = made.file_of(("$hessian (projected)", matrix)) + made.group("$hessian", other)
    hessian = hessian_of(candidate, made, atoms(2), {"hessian": text})
    np.testing.assert_array_equal(hessian, matrix)
    text = made.file_of(("$nprhessian", matrix)) + "  9  9   1.0000000000\n"
    hessian = hessian_of(candidate, made, atoms(2), {"nprhessian": text})
    np.testing.assert_array_equal(hessian, matrix)


@contract("generalization")
def test_a_gradient_beside_the_hessian(candidate, made, rng):
    matrix = made.symmetric(6, rng)
    pull = rng.normal(size=(2, 3))
    text = "$grad          cartesian gradients\n"
    text += "  cycle =      1    SCF energy =     -76.2500000000   |dE/dxyz| =  0.1\n"
    text += "".join(f"{x:20.14f}{y:20.14f}{z:20.14f}      o\n" for x, y, z in atoms(2))
    text += "".join("".join(f"  {v:.13E}".replace("E", "D") for v in row) + "\n" for row in pull)
    files = {"gradient": text + "$end\n", "nprhessian": made.file_of(("$nprhessian", matrix))}
    stdout = made.STDOUT.format(energy=76.25)
    found, gradient, hessian = candidate(collect, atoms(2), stdout, files)
    np.testing.assert_array_equal(hessian, matrix)
    # Thirteen digits after the point of numbers of the order 1.
    np.testing.assert_allclose(np.ravel(gradient), pull.ravel(), rtol=1e-12, atol=1e-12)
    assert found["N ATOMS"] == 2


def refused(candidate, made, n, files):
    with pytest.raises(CandidateError):
        candidate(collect, atoms(n), made.STDOUT.format(energy=1), files)


@contract("regression")
def test_incomplete_hessians_are_refused(candidate, made, rng):
    matrix = made.symmetric(9, rng)
    for name in ("nprhessian", "hessian"):
        lines = made.group("$" + name, matrix).splitlines()
        for gone in (1, len(lines) // 2, len(lines) - 1):
            text = "\n".join(lines[:gone] + lines[gone + 1 :]) + "\n$end\n"
            refused(candidate, made, 3, {name: text})
        # Cut short in the last row, and a number lost in the middle.
        refused(candidate, made, 3, {name: "\n".join(lines[:-1]) + "\n$end\n"})
        lines[5] = lines[5][:-15]
        refused(candidate, made, 3, {name: "\n".join(lines) + "\n$end\n"})


@contract("generalization")
def test_hessians_of_other_molecules_are_refused(candidate, made, rng):
    for name in ("nprhessian", "hessian"):
        for there, wanted in ((2, 3), (3, 2), (1, 2), (4, 1)):
            matrix = made.symmetric(3 * there, rng)
            refused(candidate, made, wanted, {name: made.file_of(("$" + name, matrix))})


@contract("regression")
def test_energies_stay_as_they_are(candidate, made):
    dft = made.STDOUT.format(energy=76.27371135901)
    found, gradient, hessian = candidate(collect, atoms(3), dft, {})
    assert (gradient, hessian) == (None, None)
    assert found == {"DFT TOTAL ENERGY": -76.27371135901, "CURRENT ENERGY": -76.27371135901}
    cc2 = dft.replace("density functional", "R I C C 2")
    cc2 += "     Final MP2 energy    :    -76.1593614075\n     Final CC2 energy    :    -76.1603807755\n"
    found, _, _ = candidate(collect, atoms(3), cc2, {})
    assert found == {"HF TOTAL ENERGY": -76.27371135901, "CURRENT ENERGY": -76.1603807755}
