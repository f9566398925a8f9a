"""Builders of evidence: the same columns as CSV, TSV, JSON, NPZ and HDF5."""

from __future__ import annotations

import json

import h5py
import numpy as np

from referee.evidence.roots import Evidence, Root

FORMATS = ("csv", "tsv", "json", "npz", "hdf5")


def evidence_in(folder, **limits_or_none):
    """The candidate's three roots and `refs` below a folder."""
    limits = limits_or_none.get("limits")
    more = {} if limits is None else {"limits": limits}
    roots = {}
    for kind in ("source", "inputs", "outputs", "refs"):
        (folder / kind).mkdir(exist_ok=True)
        roots[kind] = Root(kind, folder / kind, **more)
    return Evidence(roots, **more)


def write_columns(path, columns):
    """Real columns in the format that the suffix of `path` says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    form = path.suffix[1:]
    if form in ("csv", "tsv"):
        comma = "\t" if form == "tsv" else ","
        rows = zip(*(map(repr, map(float, c)) for c in columns.values()), strict=True)
        lines = [comma.join(columns), *(comma.join(row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif form == "json":
        path.write_text(json.dumps({k: [float(x) for x in v] for k, v in columns.items()}))
    elif form == "npz":
        np.savez_compressed(path, **{k: np.asarray(v, float) for k, v in columns.items()})
    else:
        with h5py.File(path, "w") as file:
            for name, values in columns.items():
                file.create_dataset(name, data=np.asarray(values, float), compression="gzip")


def array_name(form, column):
    """By which name a column is found in a file of a format."""
    return f"/{column}" if form == "json" else column
