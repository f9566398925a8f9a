# referee-canary gw-007 735db40a-a61b-4e5b-a917-1393d44b170d
"""The pool itself as a bank, in its own order and with phases at random; nothing was tried."""

import json
from pathlib import Path

import numpy as np

pool = np.load("/data/bank_wf_params.npy")
train, tried = np.split(np.arange(len(pool), dtype=np.int64), [1000])
phases = np.random.default_rng(1).uniform(0, 2 * np.pi, size=train.size)
np.save("bank_params.npy", np.column_stack([pool[train], phases]))
np.save("train_indices.npy", train)
np.save("eval_indices.npy", tried)
summary = {
    "method": "rows of the pool as they come; the public coverage was not worked out",
    "n_bank": int(train.size),
    "overlap_evaluations": 0,
    "public_train_size": int(train.size),
    "public_eval_size": int(tried.size),
    "public_eval_threshold": 0.97,
    "public_eval_target_coverage": 0.5,
    "public_eval_coverage_fraction": 0.0,
    "public_eval_median_best_overlap": 0.0,
    "public_eval_prefix_length_to_50pct": None,
}
Path("run_summary.json").write_text(json.dumps(summary, indent=1) + "\n")
