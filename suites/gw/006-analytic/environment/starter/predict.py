"""The (2,2) mode of a binary without spin."""


def predict(t, q):
    """t: float64 (n,), times in M; q: float, mass ratio; returns complex128 (n,)."""
    raise NotImplementedError("there is no formula yet")
