# referee-canary 081 72cc39d1-b96a-4548-b227-7d5a0b0a25c0
"""Random studies, what the merge rules keep of them, and the probe that joins them on disk.

A study is a dict with cells, genes, "matrix", "table" {column: list}, "m" and "p" {key: element} and
"uns". An element is {"form": "dense" | "csr" | "csc" | "frame", "values": array}. The genes are the
axis that is not joined, also where the probe turns everything round.
"""

import numpy as np

from referee.wall import probe

POOL = [f"g{i:02d}" for i in range(9)]


def number_of(gene):
    return POOL.index(gene) + 1.0


def element(form, values):
    return {"form": form, "values": np.asarray(values)}


def study(rng, number, genes, form="dense"):
    """Cells and a matrix of counts, with nothing known about the genes yet."""
    cells = [f"c{number}-{i}" for i in range(int(rng.integers(2, 5)))]
    matrix = rng.poisson(1.5, size=(len(cells), len(genes))).astype(float)
    return {
        "cells": cells, "genes": list(genes), "matrix": matrix, "sparse": form != "dense",
        "table": {}, "m": {}, "p": {}, "uns": {},
    }  # fmt: skip


def annotated(rng, genes_of, form="dense", only=None):
    """Studies that agree on the key "all", disagree on "odd" at one common gene and on "edge" at a
    gene that not all of them have; of three studies "some" is missing in the first; "last" is in the
    last alone. `only` names the keys, where fewer will do."""
    made = [study(rng, number, genes, form) for number, genes in enumerate(genes_of)]
    common = sorted(set.intersection(*(set(genes) for genes in genes_of)))
    shift = float(rng.integers(1, 99))
    for at, one in enumerate(made):
        genes = one["genes"]
        base = np.array([number_of(gene) for gene in genes]) + shift
        keys = {"all": base, "odd": base + (at == 1) * np.isin(genes, common[:1])}
        keys["edge"] = base + at * ~np.isin(genes, common)
        if at > 0 and len(made) > 2:
            keys["some"] = 2 * base
        if at == len(made) - 1:
            keys["last"] = 3 * base
        for key, values in keys.items():
            if only and key not in only:
                continue
            one["table"][key] = values.tolist()
            one["m"][key] = element(form, np.stack([values, values**2], axis=1))
            pair = values[:, None] - 2 * values[None, :]
            one["p"][key] = element("csr" if form == "frame" else form, pair)
    return made


def some_genes(rng, count=2):
    """Lists of genes in random order, with at least three genes in all and one in each alone."""
    order = rng.permutation(POOL).tolist()
    common, rest = order[:3], order[3:]
    lists = [common + rest[at : at + 1] + rest[count : count + 1 + at] for at in range(count)]
    return [rng.permutation(genes).tolist() for genes in lists]


def joined_genes(studies, join):
    sets = [set(one["genes"]) for one in studies]
    return set.intersection(*sets) if join == "inner" else set.union(*sets)


def aligned(one, genes, values, square, fill):
    """Rows (and columns) of `values` by the names of the genes."""
    at = {gene: i for i, gene in enumerate(one["genes"])}
    out = np.full((len(genes), len(genes) if square else values.shape[1]), fill)
    for i, gene in enumerate(genes):
        if gene not in at:
            continue
        if not square:
            out[i] = values[at[gene]]
            continue
        for j, other in enumerate(genes):
            if other in at:
                out[i, j] = values[at[gene], at[other]]
    return out


def same(a, b):
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def kept(found, rule):
    """`found` has, for each study, the value of one key or None. The kept value, or None."""
    there = [value for value in found if value is not None]
    alike = all(same(there[0], value) for value in there[1:])
    if rule == "first":
        return there[0]
    if rule == "only":
        return there[0] if len(there) == 1 else None
    if rule == "unique":
        return there[0] if alike else None
    if rule == "same":
        return there[0] if alike and len(there) == len(found) else None
    return None


def expected(studies, genes, part, rule):
    """{key: array} of the table, "m" or "p", for the genes in this order."""
    result = {}
    for key in dict.fromkeys(key for one in studies for key in one[part]):
        found = []
        for one in studies:
            if key not in one[part]:
                found.append(None)
            elif part == "table":
                column = np.array(one[part][key], dtype=float)[:, None]
                found.append(aligned(one, genes, column, False, np.nan)[:, 0])
            else:
                what = one[part][key]
                fill = 0.0 if what["form"] in ("csr", "csc") else np.nan
                found.append(aligned(one, genes, what["values"], part == "p", fill))
        value = kept(found, rule)
        if value is not None:
            result[key] = value
    return result


def check(answer, studies, join, rule, parts=("table", "m", "p")):
    """The genes are those of the join, and each part has exactly the keys and values of the rule.
    Values are copied, never computed, so they are equal exactly."""
    genes = answer["genes"]
    assert len(genes) == len(set(genes))
    assert set(genes) == joined_genes(studies, join)
    for part in parts:
        wanted = expected(studies, genes, part, rule)
        assert set(answer[part]) == set(wanted), f"{part}: {sorted(answer[part])}, {sorted(wanted)}"
        for key, values in wanted.items():
            got = answer[part][key] if part == "table" else answer[part][key]["values"]
            np.testing.assert_array_equal(np.asarray(got, dtype=float), values, err_msg=part + key)
            if part == "table":
                continue
            form = next(one[part][key]["form"] for one in studies if key in one[part])
            form = "sparse" if form in ("csr", "csc") else form
            assert answer[part][key]["form"] == form


@probe
def join_all(jobs):
    """Write the studies of each job to files, join them on disk once for each of its "options", and
    describe what was written: a list over jobs and options."""
    import tempfile
    from pathlib import Path

    import anndata as ad
    import dask
    import numpy as np
    import pandas as pd
    from scipy import sparse

    # Threads only cost time with matrices of this size.
    dask.config.set(scheduler="synchronous")

    def made(what, names):
        if what["form"] == "frame":
            columns = [f"k{i}" for i in range(what["values"].shape[1])]
            return pd.DataFrame(what["values"], index=names, columns=columns)
        if what["form"] == "dense":
            return what["values"]
        return {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}[what["form"]](what["values"])

    def column(values):
        if isinstance(values, dict):
            return pd.Categorical(values["values"], categories=values["categories"])
        return values

    def annotated(one):
        genes = one["genes"]
        table = pd.DataFrame({k: column(v) for k, v in one["table"].items()})
        table.index = pd.Index(genes, dtype=str) if len(table.columns) else pd.Index([], dtype=str)
        if not len(table.columns):
            table = pd.DataFrame(index=pd.Index(genes, dtype=str))
        matrix = sparse.csr_matrix(one["matrix"]) if one["sparse"] else one["matrix"]
        data = ad.AnnData(matrix, obs=pd.DataFrame(index=one["cells"]), var=table, uns=one["uns"])
        for key, what in one["m"].items():
            data.varm[key] = made(what, genes)
        for key, what in one["p"].items():
            data.varp[key] = made(what, genes)
        for key, values in one.get("own", {}).items():
            data.obs[key] = values
            data.obsm[key] = np.stack([values, values], axis=1)
            data.layers[key] = matrix * 2
        return data

    def plain(value):
        if hasattr(value, "items"):
            return {str(k): plain(v) for k, v in value.items()}
        if isinstance(value, np.generic):
            return value.item()
        return value

    def shown(value):
        if isinstance(value, pd.DataFrame):
            return {"form": "frame", "values": value.to_numpy(), "names": list(value.index)}
        if sparse.issparse(value):
            return {"form": "sparse", "values": value.toarray()}
        return {"form": "dense", "values": np.asarray(value)}

    def words(series):
        if series.dtype.kind in "fiub":
            return series.to_numpy()
        return [None if pd.isna(v) else str(v) for v in series]

    def described(data, axis):
        matrix = shown(data.X)
        other = data.var if axis == "obs" else data.obs
        own = data.obs if axis == "obs" else data.var
        return {
            "genes": list(other.index),
            "cells": list(own.index),
            "matrix": matrix["values"] if axis == "obs" else matrix["values"].T,
            "table": {k: words(other[k]) for k in other.columns},
            "kinds": {k: str(other[k].dtype) for k in other.columns},
            "own": {k: words(own[k]) for k in own.columns},
            "own_m": {k: shown(v) for k, v in (data.obsm if axis == "obs" else data.varm).items()},
            "layers": {k: shown(v) for k, v in data.layers.items()},
            "m": {k: shown(v) for k, v in (data.varm if axis == "obs" else data.obsm).items()},
            "p": {k: shown(v) for k, v in (data.varp if axis == "obs" else data.obsp).items()},
            "uns": plain(data.uns),
        }

    def done(job, folder):
        axis, store = job.get("axis", "obs"), job.get("store", "h5ad")
        paths = []
        for number, one in enumerate(job["studies"]):
            data = annotated(one)
            data = data if axis == "obs" else data.T.copy()
            paths.append(folder / f"{number}.{store}")
            (data.write_h5ad if store == "h5ad" else data.write_zarr)(paths[-1])
        return [
            joined(job, paths, folder / f"joined-{turn}.{store}", axis, store, dict(options))
            for turn, options in enumerate(job["options"])
        ]

    def joined(job, paths, target, axis, store, options):
        before = [p.read_bytes() for p in paths if p.is_file()]
        if options.get("merge") == "longest":
            # A rule of the user: the version of the last file that has the key.
            options["merge"] = lambda maps: {k: v for one in maps for k, v in one.items()}
        try:
            ad.experimental.concat_on_disk(paths, target, axis=axis, **options)
        except Exception as error:
            if not job.get("may_fail"):
                raise
            return {"error": type(error).__name__}
        data = (ad.read_h5ad if store == "h5ad" else ad.read_zarr)(target)
        answer = described(data, axis)
        answer["kept"] = before == [p.read_bytes() for p in paths if p.is_file()]
        return answer

    answers = []
    for job in jobs:
        with tempfile.TemporaryDirectory() as folder:
            answers += done(job, Path(folder))
    return answers
