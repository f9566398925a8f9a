"""Show how free rods slow down that drift sideways with one velocity.

Exit status 0: at the rate that was asked for, everywhere. Exit status 1: not so.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import numba

numba.config.DISABLE_JIT = True

import numpy as np
from elastica.memory_block import MemoryBlockCosseratRod
from elastica.rod.cosserat_rod import CosseratRod

RODS = [("uniform", 0.02, 0.02, 1200.0), ("tapered", 0.03, 0.015, 1200.0), ("light", 0.02, 0.02, 300.0)]
NU = 2.0


def main():
    wrong = 0
    for name, first, last, density in RODS:
        rod = CosseratRod.straight_rod(
            8, np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]), 1.0,
            np.linspace(first, last, 8), density, NU, 1e6, shear_modulus=4e5,
        )  # fmt: skip
        rod.velocity_collection[0] = 0.3
        block = MemoryBlockCosseratRod([rod])
        block.compute_internal_forces_and_torques(0.0)
        block.update_accelerations(0.0)
        rate = -rod.acceleration_collection[0] / 0.3
        good = np.abs(rate - NU).max() <= 1e-9
        wrong += not good
        print(f"{'ok ' if good else 'BAD'} {name:8} decays at {rate.min():.4f} to {rate.max():.4f} 1/s")
    print(f"{wrong} of {len(RODS)} rods do not decay at {NU} 1/s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
