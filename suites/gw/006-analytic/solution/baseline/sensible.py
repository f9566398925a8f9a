# referee-canary gw-006 f8b0762e-12a7-442a-907e-495726be188b
"""A sensible baseline: phase and logarithm of the amplitude as sums of fixed functions of time.

Post-Newtonian powers of a time to the end that stays positive, and smooth steps around the peak;
coefficients are polynomials in the symmetric mass ratio, by one linear fit each.
"""

import h5py
import numpy as np

# The formula, up to the sums. Each name stands for a function of t and q.
HEAD = """\
eta = q / (1 + q)**2
tau = (sqrt(t**2 + 400) - t) / 2 + 5
x = (eta * tau / 5)**(-1 / 8)
early = 1 / (eta * x**5)
fast = 5 * log1p(exp(t / 5))
slow = 10 * log1p(exp(t / 10))
bump = 1 / cosh(t / 10)
step = tanh(t / 20)
late = 1 / cosh((t - 10) / 10)"""
PHASE = [
    *("early", "early * x**2", "early * x**3", "early * x**4", "log(x) / eta", "x / eta"),
    *("x**2 / eta", "x**3 / eta", "x**4 / eta", "fast", "slow", "bump", "step"),
]
SIZE = ["1", "log(x)", "x**2", "x**4", "fast", "slow", "bump", "step", "late"]
PHASE_ORDER, SIZE_ORDER = 3, 2  # numbers per function: 1, eta, eta^2
EVERY = 5  # of the samples
RIDGE = 1e-7  # of a column's norm: the fit is the same on every machine

NUMPY = {name: getattr(np, name) for name in ("sqrt", "log", "log1p", "exp", "cosh", "tanh")}


def main():
    with h5py.File("/data/analytic_training.h5") as file:
        simulations = [read(group) for group in file["sims"].values()]
    phases, sizes = [], []
    for q, t, h in simulations:
        weight = np.abs(h) / np.sqrt(np.sum(np.abs(h) ** 2))
        phases.append((q, t, np.unwrap(np.angle(h)), weight))
        sizes.append((q, t, np.log(np.abs(h) * (1 + q) ** 2 / q), weight))
    phase = fit(PHASE, PHASE_ORDER, phases, free=True)
    size = fit(SIZE, SIZE_ORDER, sizes, free=False)
    lines = [*HEAD.splitlines(), f"phase = {total(PHASE, phase)}", f"size = {total(SIZE, size)}"]
    lines.append("eta * exp(size + 1j * phase)")
    with open("expression.txt", "w") as file:
        file.write("\n".join(lines) + "\n")
    with open("predict.py", "w") as file:
        file.write(program(lines))


def read(group):
    h = group["h22_real"][::EVERY] + 1j * group["h22_imag"][::EVERY]
    return float(group.attrs["q"]), group["t"][::EVERY], h


def fit(functions, order, simulations, free):
    """Numbers (functions, order); with `free`, each simulation has a constant of its own as well."""
    rows, values = [], []
    for place, (q, t, value, weight) in enumerate(simulations):
        columns = [f * (q / (1 + q) ** 2) ** k for f in known(functions, q, t) for k in range(order)]
        own = np.zeros((len(simulations) if free else 0, t.size))
        own[place : place + 1] = 1
        rows.append((np.concatenate([columns, own]) * weight).T)
        values.append(value * weight)
    matrix, values = np.concatenate(rows), np.concatenate(values)
    scale = np.linalg.norm(matrix, axis=0)
    matrix = np.concatenate([matrix / scale, RIDGE * np.eye(scale.size)])
    values = np.concatenate([values, np.zeros(scale.size)])
    found = np.linalg.lstsq(matrix, values, rcond=None)[0] / scale
    return found[: len(functions) * order].reshape(len(functions), order)


def known(functions, q, t):
    names = {**NUMPY, "q": q, "t": t}
    with np.errstate(over="ignore"):
        exec(HEAD, names)
        return [eval(f, names) * np.ones(t.size) for f in functions]


def total(functions, numbers):
    terms = []
    for function, (first, *others) in zip(functions, numbers.tolist(), strict=True):
        inner = repr(first)
        if others:
            inner += " + eta * (" + " + eta * (".join(map(repr, others)) + ")" * len(others)
        terms.append(f"({inner})" if function == "1" else f"{function} * ({inner})")
    return " + ".join(terms)


def program(lines):
    body = "\n".join(f"    {line}" for line in [*lines[:-1], f"h = {lines[-1]}"])
    return f'''"""The (2,2) mode of a binary without spin: the formula of expression.txt."""

from numpy import cosh, errstate, exp, log, log1p, sqrt, tanh


@errstate(over="ignore")
def predict(t, q):
    """t: float64 (n,) in M, 0 at the peak; q: mass ratio >= 1; returns complex128 (n,)."""
{body}
    return h
'''


main()
