# referee-canary 047 a5eb1fbe-7a7a-4046-873e-46943874a981
"""Networks as impedance matrices (frequencies x ports x ports), joined by Kirchhoff's laws.

Nothing here knows how waves are joined. A network crosses the wall as a dict with `s`, `z0`, `s_def`.
"""

import numpy as np

from referee.wall import probe

KINDS = ("power", "pseudo", "traveling")
# Matrices of size 1 and condition below 1e3, worked out twice in double precision: 1e-12 at most.
# A wrong footing is wrong by 1e-3 and more.
CLOSE = dict(rtol=0, atol=1e-9)


@probe
def join(networks, how, arguments=(), frequencies=None, names=None):
    """Join networks; also gives back what the networks that went in are afterwards."""
    import functools
    import warnings

    import skrf

    warnings.simplefilter("ignore")
    made = []
    for i, n in enumerate(networks):
        f = [1e9 + 1e8 * k for k in range(len(n["s"]))] if frequencies is None else frequencies[i]
        band = skrf.Frequency.from_f(f, unit="hz")
        one = skrf.Network(frequency=band, s=n["s"], z0=n["z0"], s_def=n["s_def"])
        one.name = names[i] if names else f"n{i}"
        made.append(one)
    if how == "power":
        result = functools.reduce(lambda a, b: a**b, made)
    elif how == "list":
        result = skrf.cascade_list(made)
    elif how == "inverse":
        result = made[0].inv
    elif how == "inverse-power":
        result = made[0].inv ** made[1]
    elif how == "power-inverse":
        result = made[0] ** made[1].inv
    elif how == "subset":
        result = made[0].copy_subset(arguments[0])
    elif how == "connect":
        result = skrf.connect(made[0], arguments[0], made[1], arguments[1], *arguments[2:])
    else:
        result = getattr(skrf, how)(*made, *arguments)
    answer = {"s": result.s, "z0": result.z0, "s_def": result.s_def, "f": result.f}
    answer["name"] = result.name
    answer["after"] = [{"s": n.s, "z0": n.z0, "s_def": n.s_def} for n in made]
    return answer


@probe
def circuit(networks, wires, ports):
    """A circuit of networks; a wire is a list of [network, port], where -1 - i is external port i."""
    import warnings

    import numpy as np
    import skrf

    warnings.simplefilter("ignore")
    band = skrf.Frequency.from_f([1e9 + 1e8 * k for k in range(len(networks[0]["s"]))], unit="hz")
    made = []
    for i, n in enumerate(networks):
        one = skrf.Network(frequency=band, s=n["s"], z0=n["z0"], s_def=n["s_def"])
        one.name = f"n{i}"
        made.append(one)
    outer = [
        skrf.Circuit.Port(band, f"port{i}", z0=np.array(z0)) for i, z0 in enumerate(ports)
    ]
    result = skrf.Circuit(
        [[(made[n] if n >= 0 else outer[-1 - n], p) for n, p in wire] for wire in wires]
    ).network
    return {"s": result.s, "z0": result.z0, "s_def": result.s_def}


@probe
def of_media(z0, gamma, steps):
    """A cascade of what a medium makes; a step is a method and its arguments."""
    import functools
    import warnings

    import numpy as np
    import skrf

    warnings.simplefilter("ignore")
    band = skrf.Frequency.from_f([1e9 + 1e8 * k for k in range(len(z0))], unit="hz")
    medium = skrf.media.DefinedGammaZ0(band, z0=np.array(z0), gamma=np.array(gamma))
    made = []
    for method, arguments, options in steps:
        if method == "network":
            made.append(
                skrf.Network(
                    frequency=band,
                    s=arguments["s"],
                    z0=arguments["z0"],
                    s_def=arguments["s_def"],
                )
            )
        else:
            made.append(getattr(medium, method)(*arguments, **options))
    result = functools.reduce(lambda a, b: a**b, made)
    return {"s": result.s, "z0": result.z0, "s_def": result.s_def}


@probe
def noisy(chains, z0, noises, undo):
    """Noise correlation of a cascade of two noisy networks, or after the first was undone."""
    import warnings

    import skrf

    warnings.simplefilter("ignore")
    band = skrf.Frequency.from_f([1e9, 2e9], unit="hz")
    made = []
    for chain, noise in zip(chains, noises):
        one = skrf.Network(frequency=band, s=chain, z0=z0)
        one.noise, one.noise_freq = noise, band
        made.append(one)
    result = made[0] ** made[1]
    if undo:
        result = made[0].inv ** result
    return {"noise": result.noise, "s": result.s}


def diagonal(v):
    return v[..., None] * np.eye(v.shape[-1])


def front(z0, kind):
    r = z0.real
    return {"power": 1 / np.sqrt(r), "pseudo": np.sqrt(r) / abs(z0), "traveling": 1 / np.sqrt(z0)}[
        kind
    ]


def waves(z, z0, kind):
    """Scattering matrix of an impedance matrix: b and a for unit currents, and b a^-1."""
    z0 = np.broadcast_to(np.asarray(z0, complex), z.shape[:2])
    f, minus = front(z0, kind), z0.conj() if kind == "power" else z0
    b = f[..., None] * (z - diagonal(minus))
    a = f[..., None] * (z + diagonal(z0))
    return b @ np.linalg.inv(a)


def impedances(answer):
    """Impedance matrix of an answer, in its own definition and port impedances."""
    s, z0, kind = answer["s"], answer["z0"], answer["s_def"]
    f, minus = front(z0, kind), z0.conj() if kind == "power" else z0
    s = s * f[:, None, :] / f[:, :, None]
    return np.linalg.inv(np.eye(s.shape[1]) - s) @ (s * z0[:, None, :] + diagonal(minus))


def network(z, z0, kind):
    z0 = np.array(np.broadcast_to(np.asarray(z0, complex), z.shape[:2]))
    return {"s": waves(z, z0, kind), "z0": z0, "s_def": kind}


def multiport(rng, points, ports, reciprocal=False):
    """A random passive network. With `reciprocal` it passes waves equally in both directions."""
    b = rng.normal(size=(points, ports, 2 * ports))
    x = rng.normal(size=(points, ports, ports))
    g = 0 if reciprocal else rng.normal(size=(points, ports, ports))
    r = 20 * b @ b.swapaxes(1, 2) / ports + 5 * np.eye(ports)
    x = 20 * (x + x.swapaxes(1, 2))
    return r + 1j * x + (0 if reciprocal else 15 * (g - g.swapaxes(1, 2)))


def ports_of(rng, points, ports, kind="varying"):
    """Complex port impedances, far from real: constant, or different at each frequency."""
    shape = (points, ports) if kind == "varying" else (1, ports)
    x = rng.choice([-1, 1], shape) * rng.uniform(10, 60, shape)
    return np.array(np.broadcast_to(rng.uniform(20, 90, shape) + 1j * x, (points, ports)))


def side_by_side(first, second):
    n, m = first.shape[1], second.shape[1]
    z = np.zeros((len(first), n + m, n + m), complex)
    z[:, :n, :n], z[:, n:, n:] = first, second
    return z


def kirchhoff(z, *pairs):
    """Join pairs of ports: equal voltages, opposite currents. The other ports keep their order."""
    points, ports = z.shape[:2]
    # one loop current for each pair
    loops = np.zeros((ports, len(pairs)))
    for i, (k, l) in enumerate(pairs):
        loops[k, i], loops[l, i] = 1, -1
    across = loops.T @ z
    z = z - z @ loops @ np.linalg.inv(across @ loops) @ across
    left = [p for p in range(ports) if not loops[p].any()]
    return z[:, left][:, :, left]


def chain(z):
    """Chain matrix of a network with as many ports on the left as on the right."""
    n = z.shape[1] // 2
    a, b, c, d = z[:, :n, :n], z[:, :n, n:], z[:, n:, :n], z[:, n:, n:]
    c = np.linalg.inv(c)
    return np.block([[a @ c, a @ c @ d - b], [c, c @ d]])


def unchained(m):
    n = m.shape[1] // 2
    a, b, c, d = m[:, :n, :n], m[:, :n, n:], m[:, n:, :n], m[:, n:, n:]
    c = np.linalg.inv(c)
    return np.block([[a @ c, a @ c @ d - b], [c, c @ d]])


def line(z0, gamma, length):
    """Chain matrix of a line by the telegrapher's equations."""
    g = gamma * length
    return np.moveaxis(
        np.array([[np.cosh(g), z0 * np.sinh(g)], [np.sinh(g) / z0, np.cosh(g)]]), 2, 0
    )


def same(answer, z, z0, kind):
    """The answer is this circuit, in this definition, at these port impedances."""
    assert answer["s_def"] == kind
    assert answer["s"].shape == z.shape
    np.testing.assert_array_equal(answer["z0"], z0)
    np.testing.assert_allclose(answer["s"], waves(z, z0, kind), **CLOSE)


def same_circuit(answer, z):
    """The answer is this circuit, however it is written down."""
    assert answer["s"].shape == z.shape
    # compared as scattering at 50 ohm, where all circuits are of size one
    np.testing.assert_allclose(
        waves(impedances(answer), 50, "power"), waves(z, 50, "power"), **CLOSE
    )


def untouched(answer, networks):
    for after, before in zip(answer["after"], networks, strict=True):
        assert after["s_def"] == before["s_def"]
        np.testing.assert_array_equal(after["s"], before["s"])
        np.testing.assert_array_equal(after["z0"], before["z0"])
