# referee-canary 076 52cfe004-7cc5-444d-9038-b12698e0a8cb
"""Products with parameters, against closed forms of the same expressions in numbers."""

import numpy as np
import pytest

from referee.wall import CandidateError, contract, probe

BACKENDS = pytest.mark.parametrize("backend", ["SCIPY", "COO"])


@probe
def follow(values, size, start, goal, backend, whole):
    """Controls that bring a system with changing matrices near a goal."""
    import warnings

    import cvxpy as cp

    warnings.simplefilter("ignore")
    steps, n = size
    a = cp.Parameter((steps, n, n))
    x, u = cp.Variable((steps + 1, n)), cp.Variable((steps, n))
    if whole:
        moved = cp.reshape(a @ cp.reshape(x[:-1], (steps, n, 1), order="C"), (steps, n), order="C")
        rules = [x[0] == start, x[1:] == moved + u]
    else:
        rules = [x[0] == start] + [x[t + 1] == a[t] @ x[t] + u[t] for t in range(steps)]
    cost = 10 * cp.sum_squares(x[steps] - goal) + cp.sum_squares(u)
    problem = cp.Problem(cp.Minimize(cost), rules)
    found = []
    for value in values:
        a.value = value
        problem.solve(
            solver=cp.CLARABEL,
            canon_backend=backend,
            tol_gap_abs=1e-10,
            tol_gap_rel=1e-10,
            tol_feas=1e-10,
        )
        found.append(u.value)
    return found


@contract("knowledge")
@pytest.mark.parametrize("form", ["step by step", "at once"])
@pytest.mark.parametrize("backend", [None, "COO"])
def test_optimal_control(candidate, rng, models, backend, form):
    """Eliminating the states leaves least squares in the controls alone."""
    steps, n = 4, 3
    values = [models.well_set(rng, (steps, n, n)) for _ in range(2)]
    start, goal = rng.normal(size=n), rng.normal(size=n)
    got = candidate(follow, values, [steps, n], start, goal, backend, form == "at once")
    assert len(got) == 2
    for matrices, controls in zip(values, got, strict=True):
        drift, reach = start, np.zeros((n, steps * n))
        for t in range(steps):
            drift, reach = matrices[t] @ drift, matrices[t] @ reach
            reach[:, t * n : (t + 1) * n] = np.eye(n)
        normal = 10 * reach.T @ reach + np.eye(steps * n)
        want = np.linalg.solve(normal, 10 * reach.T @ (goal - drift)).reshape(steps, n)
        # residuals of 1e-10, states that grow by some tens in four steps
        np.testing.assert_allclose(controls, want, rtol=0, atol=1e-6 * max(1, abs(want).max()))


@contract("knowledge")
@BACKENDS
def test_batches_are_problems_by_themselves(candidate, rng, models, backend):
    """Least squares of many systems at once: each is solved by its own normal equations."""
    values = [{"A": models.well_set(rng, (3, 4, 2))} for _ in range(2)]
    target = models.well_set(rng, (3, 4, 5))
    job = ("A @ X", [3, 2, 5], values, target)
    ((first, second),) = candidate(models.solve, [job], backend, "near")
    for value, found in zip(values, (first, second), strict=True):
        for a, t, x in zip(value["A"], target, found, strict=True):
            want = np.linalg.solve(a.T @ a + models.WEIGHT * np.eye(2), a.T @ t)
            np.testing.assert_allclose(x, want, rtol=0, atol=models.CLOSE * max(1, abs(want).max()))


@contract("coverage")
@BACKENDS
def test_parts_of_a_parameter(candidate, rng, models, backend):
    cases = [
        ("A[1] @ X", {"A": (3, 2, 4)}, (4,)),
        ("A[2] @ X", {"A": (3, 2, 4)}, (4, 5)),
        ("X @ A[1]", {"A": (3, 4, 2)}, (5, 4)),
        ("A[0, 1] @ X", {"A": (3, 2, 4)}, (4, 5)),
        ("X @ A[:, 0, 2]", {"A": (3, 2, 4)}, (5, 3)),
        ("A[:, 1] @ X", {"A": (3, 2, 4)}, (4, 5)),
        ("X @ A[:, 1, :]", {"A": (3, 2, 4)}, (5, 3)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("coverage")
@BACKENDS
def test_whole_parameters_on_the_left(candidate, rng, models, backend):
    cases = [
        ("A @ X", {"A": (3, 2, 4)}, (3, 4, 5)),
        ("A @ X", {"A": (2, 3, 5)}, (2, 5, 4)),
        ("A @ X", {"A": (3, 2, 4)}, (4, 5)),
        ("A @ X", {"A": (3, 1, 4)}, (3, 4, 1)),
        ("A[0:2] @ X", {"A": (4, 2, 4)}, (2, 4, 5)),
        ("A[::-1, :, ::2] @ X", {"A": (3, 2, 4)}, (3, 2, 5)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("coverage")
@BACKENDS
def test_whole_parameters_on_the_right(candidate, rng, models, backend):
    cases = [
        ("X @ A", {"A": (3, 4, 2)}, (3, 5, 4)),
        ("X @ A", {"A": (2, 5, 3)}, (2, 4, 5)),
        ("X @ A", {"A": (3, 4, 2)}, (5, 4)),
        ("X @ A", {"A": (3, 4, 1)}, (3, 1, 4)),
        ("X @ A[0:2]", {"A": (4, 4, 2)}, (2, 5, 4)),
        ("X @ A[::-1, ::2]", {"A": (3, 4, 2)}, (3, 5, 2)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("exploration")
@BACKENDS
def test_entries_that_are_used_more_than_once(candidate, rng, models, backend):
    cases = [
        ("f.rows(A[[0, 0, 1, 1, 0]], (10, 4)) @ X", {"A": (3, 2, 4)}, (4,)),
        ("A[[2, 0, 2]] @ X", {"A": (3, 2, 4)}, (3, 4, 2)),
        ("X @ A[[1, 1]]", {"A": (2, 4, 3)}, (2, 2, 4)),
        ("f.beside([A[0], A[0]]) @ X", {"A": (3, 2, 4)}, (8,)),
        ("f.stack([A, A]) @ X", {"A": (2, 4)}, (4,)),
        ("f.wide(A[0, 1], (3, 4)) @ X", {"A": (3, 2, 4)}, (4,)),
        ("(A[0] + A[0, ::-1]) @ X", {"A": (3, 2, 4)}, (4,)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("exploration")
@BACKENDS
def test_entries_in_another_order(candidate, rng, models, backend):
    """Some of these have two dimensions only: nothing fails, and the optimum is another."""
    cases = [
        ("A.T @ X", {"A": (2, 4)}, (2, 3)),
        ("X @ A.T", {"A": (2, 4)}, (3, 4)),
        ("A[[1, 0]] @ X", {"A": (2, 4)}, (4, 3)),
        ("A[:, ::-1] @ X", {"A": (2, 4)}, (4,)),
        ("X @ A[::-1]", {"A": (4, 2)}, (4,)),
        ("f.beside([A[2:], A[:2]]) @ X", {"A": (5,)}, (5,)),
        ("f.rows(A, (4, 2)) @ X", {"A": (2, 4)}, (2, 3)),
        ("f.swap(A, (2, 0, 1)) @ X", {"A": (4, 2, 3)}, (3, 2, 5)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("exploration")
@BACKENDS
def test_sums_of_entries(candidate, rng, models, backend):
    cases = [
        ("f.total(A, 0) @ X", {"A": (3, 2, 4)}, (4,)),
        ("X @ f.total(A, 1)", {"A": (3, 2, 4)}, (2, 3)),
        ("(A[0] - 2 * A[2]) @ X", {"A": (3, 2, 4)}, (4,)),
        ("(2 * A - A[0:1]) @ X", {"A": (3, 2, 4)}, (3, 4, 2)),
        ("X @ (A[1] + A[1].T)", {"A": (2, 3, 3)}, (2, 3)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("exploration")
def test_the_default_for_many_entries(candidate, rng, models):
    """From a thousand entries on, another way to compile is taken without a word."""
    cases = [
        ("A[0:2, :, 0:3] @ X", {"A": (10, 10, 10)}, (2, 3, 2)),
        ("X @ A[7, 2:5]", {"A": (10, 10, 10)}, (2, 3)),
    ]
    models.agree(candidate, rng, None, cases)


@contract("generalization")
@BACKENDS
def test_numbers_beside_parameters(candidate, rng, models, backend):
    cases = [
        ("(A + 1) @ X", {"A": (3, 2, 4)}, (3, 4, 2)),
        ("X @ (0.5 - A)", {"A": (3, 4, 2)}, (3, 2, 4)),
        ("(A[1] + 1) @ X", {"A": (3, 2, 4)}, (4,)),
        ("A[1] @ X + f.total(A, 0)[:, 0]", {"A": (3, 2, 4)}, (4,)),
        ("A @ X - 3 * A[:, :, 1:3]", {"A": (3, 2, 4)}, (3, 4, 2)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("generalization")
@BACKENDS
def test_several_parameters(candidate, rng, models, backend):
    cases = [
        ("A @ X + B @ X", {"A": (3, 2, 4), "B": (3, 2, 4)}, (3, 4, 2)),
        ("(A + B[1]) @ X", {"A": (3, 2, 4), "B": (2, 2, 4)}, (3, 4, 2)),
        ("f.stack([B, A[1]]) @ X", {"A": (3, 2, 4), "B": (3, 4)}, (4,)),
        ("X @ A - X @ B", {"A": (3, 4, 2), "B": (4, 2)}, (3, 2, 4)),
        ("(B + A[0]) @ X", {"A": (3, 2, 4), "B": ()}, (4,)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("generalization")
@BACKENDS
def test_more_dimensions_and_broadcasting(candidate, rng, models, backend):
    cases = [
        ("A @ X", {"A": (2, 3, 2, 4)}, (2, 3, 4, 2)),
        ("X @ A", {"A": (2, 3, 4, 2)}, (2, 3, 2, 4)),
        ("A @ X", {"A": (3, 2, 4)}, (2, 3, 4, 1)),
        ("A @ X", {"A": (2, 1, 2, 4)}, (1, 3, 4, 2)),
        ("X @ A", {"A": (2, 1, 4, 2)}, (3, 2, 4)),
        ("A[1] @ X", {"A": (3, 2, 4)}, (3, 4, 2)),
        ("X @ A[0]", {"A": (3, 4, 2)}, (3, 5, 4)),
        ("A[0:1] @ X", {"A": (3, 2, 4)}, (3, 4, 2)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("generalization")
@BACKENDS
def test_products_of_products(candidate, rng, models, backend):
    cases = [
        ("A[1] @ (f.swap(X, (1, 0)) + 1)", {"A": (3, 2, 4)}, (3, 4)),
        ("A @ f.rows(X, (3, 4, 1))", {"A": (3, 2, 4)}, (12,)),
        ("f.total(A @ X, 0)", {"A": (3, 2, 4)}, (3, 4, 2)),
        ("f.diag(A[1, 1]) @ X", {"A": (3, 2, 4)}, (4, 2)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("generalization")
@BACKENDS
def test_products_in_constraints(candidate, rng, models, backend):
    cases = [
        ("A @ X", {"A": (3, 2, 5)}, (3, 5, 2)),
        ("X @ A[[1, 0]]", {"A": (3, 5, 2)}, (2, 1, 5)),
        ("A[2] @ X", {"A": (3, 2, 5)}, (5,)),
    ]
    models.agree(candidate, rng, backend, cases, goal="exact")


@contract("regression")
@pytest.mark.parametrize("backend", [None, "SCIPY", "COO"])
def test_parameters_with_few_dimensions(candidate, rng, models, backend):
    cases = [
        ("A @ X", {"A": (2, 4)}, (4, 3)),
        ("X @ A", {"A": (4, 2)}, (3, 4)),
        ("A @ X", {"A": (4,)}, (4, 3)),
        ("X @ A", {"A": (4,)}, (3, 4)),
        ("(A + B) @ X", {"A": (2, 4), "B": (2, 4)}, (4,)),
        ("A * X", {"A": ()}, (2, 3)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("regression")
def test_one_batch_by_default(candidate, rng, models):
    cases = [
        ("A @ X", {"A": (1, 2, 4)}, (1, 4, 3)),
        ("X @ A", {"A": (1, 4, 2)}, (1, 3, 4)),
        ("A @ X", {"A": (1, 2, 4)}, (4, 3)),
    ]
    models.agree(candidate, rng, None, cases)


@contract("coverage")
def test_one_batch_in_the_sparse_tensor(candidate, rng, models):
    cases = [
        ("A @ X", {"A": (1, 2, 4)}, (1, 4, 3)),
        ("X @ A", {"A": (1, 4, 2)}, (1, 3, 4)),
        ("A @ X", {"A": (1, 2, 4)}, (4, 3)),
        ("X @ A", {"A": (1, 4, 2)}, (3, 4)),
    ]
    models.agree(candidate, rng, "COO", cases)


@contract("regression")
@BACKENDS
def test_products_entry_by_entry(candidate, rng, models, backend):
    cases = [
        ("f.mul(A, X)", {"A": (3, 2, 4)}, (3, 2, 4)),
        ("f.mul(A[0:1], X)", {"A": (3, 2, 4)}, (3, 2, 4)),
        ("f.total(f.mul(A, X), (0, 2))", {"A": (3, 2, 4)}, (3, 2, 4)),
        ("A[1, 0, 2] * X", {"A": (3, 2, 4)}, (2, 3)),
    ]
    models.agree(candidate, rng, backend, cases)


@contract("regression")
@BACKENDS
def test_models_without_parameters(candidate, rng, models, backend):
    """The same expressions, with numbers written into them."""
    texts = ["[[[1., 2.], [3., 5.]], [[2., 7.], [1., 1.]]]", "[[1., 2.], [3., 5.]]"]
    cases = [(f"f.wide(f.number({t}), (2, 2, 2)) @ X", {}, (2, 2, 3)) for t in texts]
    cases += [(f"X @ f.wide(f.number({t}), (2, 2, 2))", {}, (2, 3, 2)) for t in texts]
    models.agree(candidate, rng, backend, cases)


@contract("regression")
def test_shapes_that_do_not_fit_are_refused(candidate, models):
    for text, shape in (("A @ X", (3, 3, 2)), ("X @ A", (3, 2, 4)), ("A @ X", (2, 4, 2))):
        job = (text, list(shape), [{"A": np.ones((3, 2, 4))}], np.ones(1))
        with pytest.raises(CandidateError) as caught:
            candidate(models.solve, [job], None, "near")
        assert caught.value.is_a("ValueError"), caught.value
