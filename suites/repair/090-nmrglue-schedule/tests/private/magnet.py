# referee-canary 090 49989f33-f65e-4f65-8eab-ede1ac2e1319
"""Acquisitions as files, and grids that are filled FID by FID."""

import itertools

import numpy as np

from referee.wall import probe

FID = 32


@probe
def acquire(files, where, how, options, write=None):
    """Write files (texts, or bytes), read the acquisition, and tell what came of it.

    `write` gives a further folder: the acquisition is written there and read once more.
    """
    import os
    import tempfile
    import warnings
    from pathlib import Path

    import numpy as np
    import nmrglue as ng

    def tell(dic, data, caught):
        schedule = dic.get("nuslist")
        plain = schedule is not None and type(schedule) is list
        plain = plain and all(type(p) is tuple and all(type(i) is int for i in p) for p in schedule)
        return {
            "keys": sorted(dic),
            "plain": plain,
            "schedule": None if schedule is None else [list(p) for p in schedule],
            "data": np.array(data[:]),
            "warned": [issubclass(c.category, UserWarning) for c in caught],
        }

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, content in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read = getattr(ng.bruker, "read_lowmem" if how == "lowmem" else "read")
            dic, data = read(os.path.join(folder, where), read_pulseprogram=False, **options)
            answer = tell(dic, data, caught)
        if write is not None:
            save = getattr(ng.bruker, "write_lowmem" if how == "lowmem" else "write")
            answer["refused"] = []
            for overwrite in write["overwrite"]:
                try:
                    save(write["folder"], dic, data, overwrite=overwrite, write_prog=False)
                except OSError:
                    answer["refused"].append(overwrite)
            answer["written"] = sorted(p.name for p in Path(write["folder"]).iterdir())
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                dic, data = read(write["folder"], read_pulseprogram=False, **options)
                answer["again"] = tell(dic, data, caught)
        return answer


@probe
def schedule_file(text, name="nuslist", folder="."):
    """Read a schedule: by default from the present folder."""
    import os
    import tempfile
    from pathlib import Path

    import nmrglue as ng

    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        if text is not None:
            Path(folder).mkdir(exist_ok=True)
            (Path(folder) / name).write_bytes(text.encode())
        if (name, folder) == ("nuslist", "."):
            schedule = ng.bruker.read_nuslist()
        else:
            schedule = ng.bruker.read_nuslist(folder, fname=name)
        plain = type(schedule) is list and all(type(p) is tuple for p in schedule)
        plain = plain and all(type(i) is int for p in schedule for i in p)
        return {"plain": plain, "points": [list(p) for p in schedule]}


@probe
def write_schedule(schedules, name, folder, overwrite):
    """Write one schedule after the other, and read what is there in the end."""
    import os
    import tempfile

    import nmrglue as ng

    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        refused = []
        for schedule in schedules:
            points = [tuple(p) for p in schedule]
            try:
                if overwrite is None:
                    ng.bruker.write_nuslist(points)
                else:
                    ng.bruker.write_nuslist(points, folder, name, overwrite=overwrite)
            except OSError:
                refused.append(len(schedule))
        path = os.path.join(".", "nuslist") if overwrite is None else os.path.join(folder, name)
        with open(path) as f:
            text = f.read()
        read = ng.bruker.read_nuslist(os.path.dirname(path), os.path.basename(path))
        return {"text": text, "points": [list(p) for p in read], "refused": refused}


@probe
def expand(data, shape, schedule, options, kind="tuple"):
    import nmrglue as ng

    make = {"tuple": tuple, "list": list}[kind]
    points = [make(p) for p in schedule]
    options = dict(options)
    if "aqorder" in options:
        options["aqorder"] = make(options["aqorder"])
    if "quadrature_order" in options:
        options["quadrature_order"] = make(make(q) for q in options["quadrature_order"])
    before = data.copy()
    grid = ng.proc_base.expand_nus(data, make(shape), make(points), **options)
    answer = {"grid": grid.copy(), "dtype": str(grid.dtype)}
    grid[...] = 99
    answer["same"] = bool((data == before).all()) and data.dtype == before.dtype
    return answer


@probe
def files_to_grid(files, shape, how, options):
    """The whole way, from files to a grid."""
    import os
    import tempfile
    import warnings
    from pathlib import Path

    import nmrglue as ng

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        read = getattr(ng.bruker, "read_lowmem" if how == "lowmem" else "read")
        dic, data = read(folder, read_pulseprogram=False, **options)
        read_shape = list(data.shape)
        os.chdir(folder)
        grid = ng.proc_base.expand_nus(data, tuple(shape), dic["nuslist"])
    return {"grid": grid, "read": read_shape}


def parameters(**values):
    lines = ["##TITLE= Parameter file", "##JCAMPDX= 5.0"]
    lines += [f"##${name}= {value}" for name, value in values.items()]
    return "\n".join([*lines, "##END="]) + "\n"


def text_of(points):
    return "".join(" ".join(str(i) for i in p) + "\n" for p in points)


def files(points, fids, kind=2, big=False, schedule="nuslist"):
    """A Bruker acquisition of complex FIDs with whole numbers."""
    values = np.stack([fids.real, fids.imag], axis=-1).astype(">i4" if big else "<i4")
    extra = {} if kind is None else {"FnTYPE": kind}
    made = {
        "acqus": parameters(
            AQ_mod=3, BYTORDA=int(big), DTYPA=0, TD=2 * fids.shape[-1], PULPROG="<zg>", **extra
        ),
        "ser": values.tobytes(),
    }
    for axis in range(len(points[0])):
        made[f"acqu{axis + 2}s"] = parameters(TD=16)
    if schedule is not None:
        made[schedule] = text_of(points)
    return made


def whole_fids(rng, count, length=FID):
    """Complex FIDs of whole numbers, each number once."""
    numbers = rng.permutation(2 * count * length).reshape(2, count, length) + 1.0
    return numbers[0] + 1j * numbers[1]


def some_points(rng, increments, count):
    """Different points of a grid with so many increments along each axis, in disorder."""
    every = list(itertools.product(*(range(n) for n in increments)))
    return [list(every[i]) for i in rng.permutation(len(every))[:count]]


def components(axes):
    return list(itertools.product((0, 1), repeat=axes))


def filled(fids, shape, places, order=None):
    """Grid with FIDs at places; a place has an increment for each axis of the grid."""
    grid = np.zeros(shape, dtype=fids.dtype)
    order = components(len(shape) - 1) if order is None else order
    fid = iter(fids)
    for place in places:
        for component in order:
            grid[tuple(2 * p + q for p, q in zip(place, component, strict=True))] = next(fid)
    return grid


def in_columns(places, order):
    """Schedule in which column order[a] holds the increments of axis a."""
    schedule = []
    for place in places:
        line = [0] * len(place)
        for axis, column in enumerate(order):
            line[column] = place[axis]
        schedule.append(line)
    return schedule
