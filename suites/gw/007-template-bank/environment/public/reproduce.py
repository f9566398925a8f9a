"""Look at the files of a bank. Exit status 0: they are there, and fit together."""

import json
import sys
from pathlib import Path

import numpy as np


def main():
    try:
        bank = np.load("bank_params.npy", allow_pickle=False)
        indices = [np.load(f"{name}_indices.npy", allow_pickle=False) for name in ("train", "eval")]
        summary = json.loads(Path("run_summary.json").read_text())
    except (OSError, ValueError) as failure:
        print(f"no bank: {type(failure).__name__}")
        return 1
    shared = np.intersect1d(*indices)
    print(f"{len(bank)} templates; {indices[0].size} rows to build on, {indices[1].size} to try")
    fits = bank.ndim == 2 and bank.shape[1] == 5 and summary.get("n_bank") == len(bank)
    return 0 if fits and not shared.size else 1


if __name__ == "__main__":
    sys.exit(main())
