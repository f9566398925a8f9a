# referee-canary 119 01007ba8-4159-484d-ac7c-78bdd134a941
"""Whole runs, with programs that only pretend: they leave the files that are given to them."""

import numpy as np

from referee.wall import contract, probe


@probe
def run(method, driver, symbols, places, leave):
    import os
    import shutil
    import tempfile
    from pathlib import Path

    import numpy as np
    from qcelemental.models import AtomicInput, Molecule
    from qcengine.config import TaskConfig
    from qcengine.programs.turbomole.runner import TurbomoleHarness

    folder = Path(tempfile.mkdtemp())
    here = os.environ.get("PATH", "/usr/bin:/bin")
    try:
        (folder / "left").mkdir()
        for name, text in leave.items():
            (folder / "left" / name).write_text(text)
        scf = "echo '  |  total energy      =    -75.95536954370  |'\n"
        copy = f"cp {folder}/left/* .\n"
        programs = {
            "define": "cat > /dev/null\necho '  define TURBOMOLE V7.3 ( 22118 ) 1 Jan 2020 '\n"
            "printf '$title\\n$maxcor    500 MiB  per_core\\n$end\\n' > control\n",
            "dscf": scf,
            "grad": copy,
            "aoforce": copy,
            "ricc2": "echo '   R I C C 2 '\necho '  Final CC2 energy    :    -76.1603807755 '\n",
            "NumForce": copy,
        }
        for name, body in programs.items():
            (folder / name).write_text("#!/bin/sh\n" + body)
            (folder / name).chmod(0o755)
        os.environ["PATH"] = f"{folder}:{here}"
        molecule = Molecule(symbols=list(symbols), geometry=np.asarray(places).ravel())
        task = AtomicInput(
            molecule=molecule, driver=driver, model={"method": method, "basis": "def2-SVP"}
        )
        config = TaskConfig(
            ncores=1, nnodes=1, memory=1.0, retries=0, scratch_directory=None, mpiexec_command=None
        )
        answer = TurbomoleHarness().compute(task, config)
        properties = answer.properties.dict()
        return {
            "success": bool(answer.success),
            "result": np.array(answer.return_result, dtype=float),
            "hessian": properties.get("return_hessian"),
            "energy": properties.get("return_energy"),
            "atoms": properties.get("calcinfo_natom"),
            "files": sorted(k for k, v in answer.extras["outfiles"].items() if v is not None),
        }
    finally:
        os.environ["PATH"] = here
        shutil.rmtree(folder, ignore_errors=True)


WATER = (["O", "H", "H"], [[0.0, 0.0, -0.13], [0.0, -1.49, 1.03], [0.0, 1.49, 1.03]])


@contract("generalization")
def test_a_run_with_analytic_second_derivatives(candidate, made, rng):
    matrix = made.symmetric(9, rng)
    leave = {"nprhessian": made.file_of(("$nprhessian", matrix))}
    answer = candidate(run, "hf", "hessian", *WATER, leave)
    assert answer["success"] is True
    np.testing.assert_array_equal(answer["result"].reshape(9, 9), matrix)
    np.testing.assert_array_equal(np.reshape(answer["hessian"], (9, 9)), matrix)
    assert answer["atoms"] == 3
    assert answer["energy"] == -75.9553695437
    assert "nprhessian" in answer["files"]


@contract("generalization")
def test_a_run_with_numerical_second_derivatives(candidate, made, rng):
    matrix = made.symmetric(9, rng)
    blocks = [("$hessian", matrix), ("$hessian (projected)", made.symmetric(9, rng))]
    for groups in (blocks, blocks[::-1], blocks[:1]):
        leave = {"hessian": made.file_of(*groups)}
        answer = candidate(run, "ricc2", "hessian", *WATER, leave)
        assert answer["success"] is True
        np.testing.assert_array_equal(answer["result"].reshape(9, 9), matrix)
        assert answer["atoms"] == 3
        assert answer["energy"] == -76.1603807755
        assert "hessian" in answer["files"]


@contract("regression")
def test_runs_for_energies_and_gradients(candidate, rng):
    answer = candidate(run, "hf", "energy", *WATER, {})
    assert answer["success"] is True
    assert float(answer["result"]) == -75.9553695437
    pull = rng.normal(size=(3, 3))
    text = "$grad          cartesian gradients\n"
    text += "  cycle =      1    SCF energy =     -75.9553695437   |dE/dxyz| =  0.1\n"
    for symbol, (x, y, z) in zip("ohh", WATER[1], strict=True):
        text += f"{x:20.14f}{y:20.14f}{z:20.14f}      {symbol}\n"
    text += "".join("".join(f"  {v:.13E}".replace("E", "D") for v in row) + "\n" for row in pull)
    answer = candidate(run, "hf", "gradient", *WATER, {"gradient": text + "$end\n"})
    # Thirteen digits after the point of numbers of the order 1.
    np.testing.assert_allclose(answer["result"].ravel(), pull.ravel(), rtol=1e-12, atol=1e-12)
    assert answer["atoms"] == 3
