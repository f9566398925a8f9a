"""The mismatch of a waveform model, from the parameters of a binary."""


def predict(q, chi1z, chi2z, omega0):
    """Four float64 arrays (n,); returns the mismatches, float64 (n,), not their logarithms."""
    raise NotImplementedError("there is no prediction yet")
