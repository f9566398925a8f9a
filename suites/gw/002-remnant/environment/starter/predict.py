"""The speed of the remnant of two black holes."""


def predict(parameters):
    """Speeds in units of c, float64 (n,), of binaries, float64 (n, 8)."""
    raise NotImplementedError("there is no model yet")
