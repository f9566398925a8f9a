"""The waveform of an inspiral with running tails, in the frequency domain."""


def h_of_f(
    f,
    Mc,
    eta,
    dL,
    tc=0,
    phic=0,
    lambda_RG=1,
    f_low=20,
    fmax_over_fisco=1.3,
    sigma_taper_over_fisco=0.01,
    phase_only=False,
):
    """h(f), complex128 (n,); the arguments are those of the instruction."""
    raise NotImplementedError("there is no waveform yet")
