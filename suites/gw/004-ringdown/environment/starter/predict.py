"""Quasi-normal frequencies of Kerr black holes."""


def predict(spin, l=2, m=2, n=0):
    """Real and imaginary part of M omega, two float64 arrays (k,), at spins (float64, (k,))."""
    raise NotImplementedError("there is no model yet")
