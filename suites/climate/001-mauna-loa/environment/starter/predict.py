"""A model of carbon dioxide at Mauna Loa."""


def predict(years):
    """Mole fractions in ppm (float64, shape (n,)) at times in years (float64, shape (n,))."""
    raise NotImplementedError("there is no model yet")
