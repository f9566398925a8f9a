"""The co-precessing (2,2) mode of a precessing binary."""


def predict(q, chi1, chi2, omega0, t):
    """q, omega0: floats; chi1, chi2: float64 (3,); t: float64 (n,), in M; returns complex128 (n,)."""
    raise NotImplementedError("there is no surrogate yet")
