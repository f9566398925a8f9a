# referee-canary 076 52cfe004-7cc5-444d-9038-b12698e0a8cb
"""Least-squares models of one affine expression, solved by the candidate and in closed form.

An expression is a text in which A and B are parameters, X is the variable, and `f` holds functions of
arrays. It is read twice: with objects of cvxpy by the candidate, with arrays of numpy here.
"""

import numpy as np

from referee.wall import probe

WEIGHT = 0.1

# Clarabel is asked for 1e-10 in all residuals. The weight bounds what that moves the solution by, to
# some 1e-9 in these models; the entries of solutions are of the order of one.
CLOSE = 1e-6


@probe
def solve(jobs, backend, goal):
    """Solutions of models, one list for each model with one entry for each set of values.

    A job is (text, shape of X, list of dicts of values, target); `goal` is "near" for the least
    squares with a weight, "exact" for the shortest X that meets the target.
    """
    import warnings

    import cvxpy as cp
    import numpy as np

    warnings.simplefilter("ignore")

    class Functions:
        swap = staticmethod(lambda a, axes: cp.transpose(a, axes))
        flat = staticmethod(lambda a, shape: cp.reshape(a, shape, order="F"))
        rows = staticmethod(lambda a, shape: cp.reshape(a, shape, order="C"))
        total = staticmethod(lambda a, axis: cp.sum(a, axis=axis))
        mul = staticmethod(cp.multiply)
        stack = staticmethod(cp.vstack)
        beside = staticmethod(cp.hstack)
        wide = staticmethod(cp.broadcast_to)
        diag = staticmethod(cp.diag)
        number = staticmethod(lambda a: cp.Constant(np.array(a)))

    tight = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
    answers = []
    for text, shape, values, target in jobs:
        names = {name: cp.Parameter(value.shape) for name, value in values[0].items()}
        x = cp.Variable(tuple(shape))
        expression = eval(text, {**names, "X": x, "f": Functions})
        if goal == "near":
            cost = cp.sum_squares(expression - target) + 0.1 * cp.sum_squares(x)
            problem = cp.Problem(cp.Minimize(cost))
        else:
            problem = cp.Problem(cp.Minimize(cp.sum_squares(x)), [expression == target])
        assert problem.is_dpp()
        found = []
        for value in values:
            for name, parameter in names.items():
                parameter.value = value[name]
            problem.solve(solver=cp.CLARABEL, canon_backend=backend, **tight)
            found.append(x.value)
        answers.append(found)
    return answers


class Functions:
    swap = staticmethod(np.transpose)
    flat = staticmethod(lambda a, shape: np.reshape(a, shape, order="F"))
    rows = staticmethod(lambda a, shape: np.reshape(a, shape, order="C"))
    total = staticmethod(lambda a, axis: np.sum(a, axis=axis))
    mul = staticmethod(np.multiply)
    stack = staticmethod(np.vstack)
    beside = staticmethod(np.hstack)
    wide = staticmethod(np.broadcast_to)
    diag = staticmethod(np.diag)
    number = staticmethod(np.array)


def as_map(text, shape, value):
    """Matrix, offset and shape of an affine expression in X, by unit vectors."""

    def at(x):
        return np.asarray(eval(text, {**value, "X": x.reshape(shape), "f": Functions}))

    size = int(np.prod(shape))
    offset = at(np.zeros(size))
    matrix = np.stack([(at(unit) - offset).ravel() for unit in np.eye(size)], axis=1)
    return matrix, offset.ravel(), offset.shape


def closed_form(text, shape, value, target, goal):
    matrix, offset, _ = as_map(text, shape, value)
    gap = target.ravel() - offset
    if goal == "near":
        normal = matrix.T @ matrix + WEIGHT * np.eye(matrix.shape[1])
        x = np.linalg.solve(normal, matrix.T @ gap)
    else:
        x = matrix.T @ np.linalg.solve(matrix @ matrix.T, gap)
    return x.reshape(shape)


def well_set(rng, shape):
    """Random values, none of which is near zero."""
    return rng.uniform(0.3, 1.5, shape) * rng.choice([-1.0, 1.0], shape)


def agree(candidate, rng, backend, cases, goal="near"):
    """Each case is (text, shapes of the parameters, shape of X); each is solved for two sets of values."""
    jobs = []
    for text, shapes, shape in cases:
        values = [{name: well_set(rng, s) for name, s in shapes.items()} for _ in range(2)]
        target = well_set(rng, as_map(text, shape, values[0])[2])
        jobs.append((text, list(shape), values, target))
    answers = candidate(solve, jobs, backend, goal)
    assert len(answers) == len(jobs)
    for (text, shape, values, target), found in zip(jobs, answers, strict=True):
        assert len(found) == 2
        for value, x in zip(values, found, strict=True):
            want = closed_form(text, tuple(shape), value, target, goal)
            assert x is not None, text
            assert np.shape(x) == want.shape, text
            scale = max(1.0, float(np.abs(want).max()))
            np.testing.assert_allclose(x, want, rtol=0, atol=CLOSE * scale, err_msg=text)
