"""Steer a system whose matrices are one parameter of three dimensions, twice with other values.

Exit status: 0 when the optimum is that of the same model with constants, 1 otherwise.
"""

import os
import sys
import warnings

sys.path.insert(0, os.getcwd())

import numpy as np

import cvxpy as cp

warnings.simplefilter("ignore")
FIRST = np.array([[[1.0, 0.2], [-0.3, 0.9]], [[1.1, 0.0], [0.4, 0.7]], [[0.8, -0.5], [0.1, 1.2]]])


def model(matrices):
    x, u = cp.Variable((4, 2)), cp.Variable((3, 2))
    steps = [x[t + 1] == matrices[t] @ x[t] + u[t] for t in range(3)]
    return cp.Problem(cp.Minimize(cp.sum_squares(u)), [x[0] == 1, x[3] == 0, *steps])


def main():
    values = [FIRST, FIRST[::-1] + 0.1]
    wanted = [model(cp.Constant(v)).solve(solver=cp.CLARABEL) for v in values]
    parameter = cp.Parameter((3, 2, 2))
    problem, found = model(parameter), []
    for value in values:
        parameter.value = value
        try:
            found.append(problem.solve(solver=cp.CLARABEL))
        except Exception as error:
            print(f"not solved: {type(error).__name__}: {error}")
            return 1
    print("with a parameter:", found, "with constants:", wanted)
    return 0 if np.allclose(found, wanted, rtol=1e-5, atol=1e-6) else 1


if __name__ == "__main__":
    sys.exit(main())
