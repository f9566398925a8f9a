"""Public checks: two junctions that go wrong and one that is right."""

import numpy as np

from referee.wall import contract, probe

FIRST = np.array([[60 + 20j, 25 - 10j], [25 - 10j, 45 + 35j]])
SECOND = np.array([[35 - 15j, 18 + 12j], [18 + 12j, 70 + 5j]])


@probe
def cascade(first, second, left, right, kind):
    import skrf

    band = skrf.Frequency(1, 1, 1, "ghz")
    one = skrf.Network(frequency=band, s=first[None], z0=left, s_def=kind)
    two = skrf.Network(frequency=band, s=second[None], z0=right, s_def=kind)
    return (one**two).s[0]


def scattering(z, ports, kind):
    front = np.sqrt(ports.real) / (abs(ports) if kind == "pseudo" else ports.real)
    minus = ports.conj() if kind == "power" else ports
    return front[:, None] * (z - np.diag(minus)) @ np.linalg.inv(z + np.diag(ports)) / front


def agrees(candidate, left, right, kind):
    left, right = np.array(left, complex), np.array(right, complex)
    one, two = scattering(FIRST, left, kind), scattering(SECOND, right, kind)
    # v and i are the same on both sides: the current c through the junction makes up for the difference
    (a, b), (c, d) = FIRST, SECOND
    total = b[1] + c[0]
    joined = np.array([[a[0] - a[1] * b[0] / total, a[1] * c[1] / total], [0, 0]])
    joined[1] = b[0] * d[0] / total, d[1] - d[0] * c[1] / total
    want = scattering(joined, np.array([left[0], right[1]]), kind)
    got = candidate(cascade, one, two, left, right, kind)
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-9)


@contract("knowledge")
def test_power_waves_with_one_complex_impedance_at_the_junction(candidate):
    agrees(candidate, [50, 40 - 15j], [40 - 15j, 60], "power")


@contract("knowledge")
def test_pseudo_waves_with_two_complex_impedances_at_the_junction(candidate):
    agrees(candidate, [50 + 10j, 40 - 15j], [25 + 20j, 60 - 5j], "pseudo")


@contract("regression")
def test_real_impedances(candidate):
    agrees(candidate, [50, 75], [30, 50], "power")
