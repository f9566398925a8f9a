# referee-canary 099 eea3bf13-7000-44d6-af1c-5df200cdf008
"""Satellites, light and receivers in space that does not turn, and the probes of all checks.

Inertial axes are those in which the ECEF axes lie at reception. There the path of light is one
subtraction. Coordinates at transmission follow by turning *back* in time, so nothing is iterated here
and no approximation is shared with an estimator.
"""

import numpy as np

from referee.wall import probe

C = 299792458.0
SPIN = 7.2921151467e-5
EARTH = 6.371e6
MEDIUM = 2.656e7  # orbital radius of navigation satellites
GEOSYNCHRONOUS = 4.2164e7
LOW = 7.5e6

NEAR = 5e-3  # asked for by the task; an approximation to first order in the rotation is allowed
FILTER = 1e-2  # asked for by the task


def place(latitude, longitude, radius=EARTH):
    """A point of the sphere, angles in degrees."""
    la, lo = np.radians([latitude, longitude])
    return radius * np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])


def anywhere(rng, radius=EARTH):
    return place(np.degrees(np.arcsin(rng.uniform(-0.95, 0.95))), rng.uniform(-180, 180), radius)


def turned(points, angle):
    """Points turned eastwards about z by `angle` (one for all, or one each)."""
    x, y, z = np.asarray(points, dtype=float).T
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x - s * y, s * x + c * y, np.broadcast_to(z, np.shape(x))], axis=-1)


def directions(rng, mark, count, lowest=15.0):
    """Unit vectors (count, 3) above the horizon of `mark`, spread in azimuth: a fit geometry."""
    up = mark / np.linalg.norm(mark)
    east = np.cross([0.0, 0.0, 1.0], up)
    east = np.array([1.0, 0.0, 0.0]) if np.linalg.norm(east) < 1e-9 else east
    east = east / np.linalg.norm(east)
    north = np.cross(up, east)
    azimuth = 2 * np.pi * (np.arange(count) + rng.uniform(-0.2, 0.2, count)) / (count - 1)
    azimuth += rng.uniform(0, 2 * np.pi)
    sine = np.where(
        np.arange(count) % 2, np.sin(np.radians(lowest + 35)), np.sin(np.radians(lowest))
    )
    sine[0] = 0.99
    cosine = np.sqrt(1 - sine**2)
    return (
        sine[:, None] * up
        + (cosine * np.cos(azimuth))[:, None] * north
        + (cosine * np.sin(azimuth))[:, None] * east
    )


def epoch(rng, mark, bias=0.0, count=8, orbit=MEDIUM, path=None):
    """One epoch: `sent` (coordinates of transmission), `seen` (of reception), `pr`, `mark`, `bias`."""
    look = directions(rng, mark, count)
    if path is None:
        along = look @ mark
        path = np.sqrt(along**2 + orbit**2 - mark @ mark) - along
    path = np.broadcast_to(path, (count,))
    seen = mark + path[:, None] * look
    return {
        "sent": turned(seen, SPIN * path / C),
        "seen": seen,
        "pr": (path + bias)[:, None],
        "mark": mark,
        "bias": bias,
        "turn": SPIN * path / C,
    }


def job(data, axes="sent", **options):
    """What the probe `solve` takes; options beside `start` are keyword arguments of `wls`."""
    start = options.pop("start", np.zeros(4))
    return {"start": start, "sv": data[axes], "pr": data["pr"], "options": options}


def table(epochs, axes="sent", step_ms=1000.0, first_ms=1.3e12):
    """Rows of a table of measurements."""
    sv = np.vstack([e[axes] for e in epochs])
    millis = [np.full(len(e["pr"]), first_ms + step_ms * k) for k, e in enumerate(epochs)]
    return {
        "gps_millis": np.concatenate(millis),
        "x_sv_m": sv[:, 0],
        "y_sv_m": sv[:, 1],
        "z_sv_m": sv[:, 2],
        "corr_pr_m": np.vstack([e["pr"] for e in epochs])[:, 0],
    }


def states(epochs, step_ms=1000.0, first_ms=1.3e12, name="truth"):
    """Rows of a table of receiver states."""
    rows = {"gps_millis": first_ms + step_ms * np.arange(len(epochs))}
    for k, axis in enumerate("xyz"):
        rows[f"{axis}_rx_{name}_m"] = np.array([e["mark"][k] for e in epochs])
    rows[f"b_rx_{name}_m"] = np.array([e["bias"] for e in epochs])
    return rows


def computed_range(sent, mark):
    """Length of the path of light from satellites (N, 3), by repetition until nothing moves."""
    path = np.linalg.norm(sent - mark, axis=1)
    for _ in range(6):
        path = np.linalg.norm(turned(sent, -SPIN * path / C) - mark, axis=1)
    return path


def least_squares(sent, pr, weights):
    """Weighted Gauss-Newton with a numerical Jacobian of the whole path of light."""
    state = np.array([*(EARTH * sent.mean(0) / np.linalg.norm(sent.mean(0))), 0.0])
    for _ in range(12):
        expected = computed_range(sent, state[:3]) + state[3]
        shifted = [computed_range(sent, state[:3] + 10.0 * e) for e in np.eye(3)]
        jacobian = np.column_stack(
            [*((np.array(shifted) + state[3] - expected) / 10.0), np.ones(len(pr))]
        )
        root = np.sqrt(weights)
        state = (
            state + np.linalg.lstsq(root[:, None] * jacobian, root * (pr - expected), rcond=None)[0]
        )
    return state


def miss(found, data):
    """Distances in position and clock bias of a solution (4,)."""
    found = np.asarray(found, dtype=float).reshape(-1)
    assert found.shape == (4,)
    return np.linalg.norm(found[:3] - data["mark"]), abs(found[3] - data["bias"])


def assert_found(found, data, near=NEAR):
    far, off = miss(found, data)
    assert far <= near, f"{far:.4g} m away"
    assert off <= near, f"clock bias is {off:.4g} m off"


def solution(rows, name):
    """The state (epochs, 4) in the rows of a solution."""
    return np.column_stack([rows[f"{axis}_rx_{name}_m"] for axis in "xyzb"])


# --- probes -----------------------------------------------------------------------------------


@probe
def solve(jobs):
    """`wls` on each job: the state, whether the arguments were left alone, how many warnings came."""
    import warnings

    import numpy as np
    from gnss_lib_py.algorithms.snapshot import wls

    answers = []
    for job in jobs:
        start = np.array(job["start"], dtype=float).reshape(4, 1)
        given = [start, job["sv"].copy(), job["pr"].copy()]
        before = [a.copy() for a in given]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = wls(*given, **job["options"])
        kept = all(np.array_equal(a, b) for a, b in zip(given, before))
        answers.append({"state": np.array(found, dtype=float), "kept": kept, "said": len(caught)})
    return answers


@probe
def solve_table(rows, arguments=(), options=None, receiver=None, repeat=1):
    """`solve_wls` on a table: rows of the answer, messages of warnings, whether the table is as before."""
    import warnings

    import numpy as np
    import pandas as pd
    from gnss_lib_py.algorithms.snapshot import solve_wls
    from gnss_lib_py.parsers.navdata import NavData

    options = dict(options or {})
    if receiver is not None:
        options["receiver_state"] = NavData(pandas_df=pd.DataFrame(receiver))
    measurements = NavData(pandas_df=pd.DataFrame(rows))
    before = measurements.array.copy()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(repeat):
            answer = solve_wls(measurements, *arguments, **options)
    said = [f"{w.category.__name__}: {w.message}" for w in caught]
    return {
        "rows": {name: np.atleast_1d(answer[name]).astype(float) for name in answer.rows},
        "said": said,
        "kept": np.array_equal(before, measurements.array, equal_nan=True),
    }


@probe
def residuals(rows, receiver, arguments=(), options=None):
    """`solve_residuals`: the residuals, the rows that the answer has, and those of the table."""
    import numpy as np
    import pandas as pd
    from gnss_lib_py.algorithms.residuals import solve_residuals
    from gnss_lib_py.parsers.navdata import NavData

    measurements = NavData(pandas_df=pd.DataFrame(rows))
    before = measurements.copy()
    answer = solve_residuals(
        measurements, NavData(pandas_df=pd.DataFrame(receiver)), *arguments, **(options or {})
    )
    where = measurements if answer is None else answer
    same = all(np.array_equal(before[name], measurements[name]) for name in before.rows)
    return {
        "residuals": np.atleast_1d(where["residuals_m"]).astype(float),
        "answer": None if answer is None else sorted(answer.rows),
        "added": sorted(set(measurements.rows) - set(before.rows)),
        "kept": same,
    }


@probe
def kalman(rows, initial=None, options=None, arguments=None):
    """`solve_gnss_ekf`: rows of the answer."""
    import numpy as np
    import pandas as pd
    from gnss_lib_py.algorithms.gnss_filters import solve_gnss_ekf
    from gnss_lib_py.parsers.navdata import NavData

    start = None
    if initial is not None:
        start = {k: np.array(v, dtype=float) for k, v in initial.items()}
        start["state_0"] = start["state_0"].reshape(7, 1)
    measurements = NavData(pandas_df=pd.DataFrame(rows))
    before = measurements.array.copy()
    places = (start,) if arguments is None else (start, *arguments)
    answer = solve_gnss_ekf(measurements, *places, **(options or {}))
    return {
        "rows": {name: np.atleast_1d(answer[name]).astype(float) for name in answer.rows},
        "kept": np.array_equal(before, measurements.array),
    }
