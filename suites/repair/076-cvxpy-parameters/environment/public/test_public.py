"""Public checks: part of what a repair has to hold."""

import numpy as np

from referee.wall import contract, probe

FIRST = np.array([[[1.0, 0.2], [-0.3, 0.9]], [[1.1, 0.0], [0.4, 0.7]], [[0.8, -0.5], [0.1, 1.2]]])


@probe
def steer(values, together):
    """Optima of a system that is driven from ones to zeros."""
    import warnings

    import cvxpy as cp

    warnings.simplefilter("ignore")
    size = (3, 2, 2)
    if together:
        parameters = [cp.Parameter(size)]
        matrices = parameters[0]
    else:
        parameters = matrices = [cp.Parameter(size[1:]) for _ in range(size[0])]
    x, u = cp.Variable((4, 2)), cp.Variable((3, 2))
    steps = [x[t + 1] == matrices[t] @ x[t] + u[t] for t in range(3)]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(u)), [x[0] == 1, x[3] == 0, *steps])
    optima = []
    for value in values:
        for parameter, part in zip(parameters, [value] if together else value, strict=True):
            parameter.value = part
        optima.append(float(problem.solve(solver=cp.CLARABEL)))
    return optima


def optimum(matrices):
    """The shortest u for which a linear map of it cancels the motion from ones."""
    start, reach = np.ones(2), np.zeros((2, 6))
    for t, matrix in enumerate(matrices):
        start, reach = matrix @ start, matrix @ reach
        reach[:, 2 * t : 2 * t + 2] = np.eye(2)
    return start @ np.linalg.solve(reach @ reach.T, start)


VALUES = [FIRST, FIRST[::-1] + 0.1]


@contract("reported-case")
def test_one_parameter_for_all_steps(candidate):
    wanted = [optimum(v) for v in VALUES]
    np.testing.assert_allclose(candidate(steer, VALUES, True), wanted, rtol=1e-5)


@contract("regression")
def test_one_parameter_for_each_step(candidate):
    wanted = [optimum(v) for v in VALUES]
    np.testing.assert_allclose(candidate(steer, VALUES, False), wanted, rtol=1e-5)
