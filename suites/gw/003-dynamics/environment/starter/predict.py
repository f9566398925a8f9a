"""x(t) of eccentric binaries with aligned spins."""


def predict(parameters, t):
    """x, float64 (k, n), of k binaries with parameters (k, 6) at times t (k, n), both float64."""
    raise NotImplementedError("there is no model yet")
