# referee-canary 059 573bea3e-6025-4343-98c6-244d96f7381c
"""Random regions, and their measurements as plain sums over the positions of their pixels.

Pixel (i, j, ...) lies at index * size + origin, where `size` holds the size of a pixel along each
axis. Nothing here is taken from the candidate.
"""

import itertools

import numpy as np
import pytest

from referee.wall import CandidateError, probe

# The candidate and the sums below differ by rounding alone, which is about 1e-15 of the sum of the
# absolute values of the terms; centring and box-relative positions cost two or three digits.
ROUNDING = 1e-10

MOMENTS = ("moments", "moments_central", "moments_normalized")
WEIGHTED = tuple(name.replace("moments", "moments_weighted") for name in MOMENTS)


@probe
def regions(labels, weights, names, spacing=None, offset=None):
    """Properties `names` of every region, in order of labels; a list `spacing` becomes a tuple."""
    import numpy as np
    from skimage.measure import regionprops

    if isinstance(spacing, list):
        spacing = tuple(spacing)
    found = regionprops(labels, intensity_image=weights, spacing=spacing, offset=offset)
    return [{name: np.asarray(region[name], dtype=float) for name in names} for region in found]


@probe
def table(labels, weights, names, spacing=None):
    """What `regionprops_table` gives for `names`."""
    import numpy as np
    from skimage.measure import regionprops_table

    made = regionprops_table(labels, intensity_image=weights, properties=names, spacing=spacing)
    return {key: np.asarray(column) for key, column in made.items()}


@probe
def call(name, args, options):
    """The function `name` of `skimage.measure`."""
    import numpy as np
    import skimage.measure

    return np.asarray(getattr(skimage.measure, name)(*args, **options))


@probe
def refusals(name, image, attribute, spacings):
    """For each spacing: the classes of the exception that the function `name` of `skimage.measure`
    raises; for `regionprops`, it or reading the attribute of a region. Nothing raised: empty."""
    import skimage.measure

    found = []
    for spacing in spacings:
        try:
            answer = getattr(skimage.measure, name)(image, spacing=spacing)
            if attribute:
                getattr(answer[0], attribute)
        except Exception as error:
            found.append([base.__name__ for base in type(error).__mro__])
        else:
            found.append([])
    return found


def blobs(rng, shape, count=3):
    """A label image with `count` tilted ellipses (ellipsoids) that neither overlap nor begin at 0."""
    while True:
        labels = np.zeros(shape, dtype=int)
        overlap = False
        grid = np.stack(np.meshgrid(*[np.arange(n) for n in shape], indexing="ij"), axis=-1)
        for label in range(1, count + 1):
            centre = [rng.uniform(0.25 * n, 0.8 * n) for n in shape]
            axes, _ = np.linalg.qr(rng.normal(size=(len(shape),) * 2))
            radii = rng.uniform(0.1, 0.25, len(shape)) * min(shape)
            inside = (((grid - centre) @ axes / radii) ** 2).sum(axis=-1) <= 1
            inside &= grid.min(axis=-1) > 0
            overlap |= labels[inside].any()
            labels[inside] = label
        sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
        if sizes.min() > 12 and not overlap:
            return labels


def sizes(rng, ndim):
    """Sizes of pixels, of different axes never alike."""
    return np.exp(rng.permutation(np.linspace(-1.0, 1.0, ndim)) + rng.uniform(-0.3, 0.3, ndim))


def points(labels, label, size, origin=0.0):
    """Positions of the pixels of a region, and the position of the corner of its box."""
    index = np.argwhere(labels == label)
    return index * size + origin, index.min(axis=0) * size + origin


def sums(x, w, order=3):
    """Sums of w * product of powers of x, for each combination of powers up to `order`."""
    ndim = x.shape[1]
    out = np.empty((order + 1,) * ndim)
    for powers in itertools.product(range(order + 1), repeat=ndim):
        out[powers] = (w * np.prod(x ** np.array(powers), axis=1)).sum()
    return out


def normalized(mu, size):
    """Central moments, summed over pixels, as moments of the shape with area (volume) one."""
    out = np.full(mu.shape, np.nan)
    for powers in itertools.product(*map(range, mu.shape)):
        k = sum(powers)
        if k >= 2:
            # mu * cell is the integral over the shape, mu[0] * cell its area; cell cancels once.
            out[powers] = mu[powers] / mu[(0,) * mu.ndim]
            out[powers] /= (mu[(0,) * mu.ndim] * np.prod(size)) ** (k / mu.ndim)
    return out


def covariance(x, w):
    d = x - w @ x / w.sum()
    return (d * w[:, None]).T @ d / w.sum()


def inertia(cov):
    """Inertia tensor (for mass one) of a body with covariance `cov`."""
    return np.trace(cov) * np.eye(len(cov)) - cov


def measure(labels, weights, size, origin=0.0):
    """Moments and centroids of each region as dicts; `weights` None counts pixels.

    Beside each moment stands the sum of the absolute values of its terms, under `name + "|"`.
    """
    found = []
    for label in np.unique(labels[labels > 0]):
        x, corner = points(labels, label, size, origin)
        w = np.ones(len(x)) if weights is None else weights[labels == label].astype(float)
        tag = "" if weights is None else "_weighted"
        mean = w @ x / w.sum()
        row = {f"centroid{tag}": mean, f"centroid{tag}_local": mean - corner}
        for name, y in (("moments" + tag, x - corner), (f"moments{tag}_central", x - mean)):
            row[name] = sums(y, w)
            row[name + "|"] = sums(np.abs(x - corner) + np.abs(x - mean), np.abs(w))
        central = row[f"moments{tag}_central"]
        row[f"moments{tag}_normalized"] = normalized(central, size)
        row[f"moments{tag}_normalized|"] = normalized(row[f"moments{tag}_central|"], size)
        row["inertia_tensor"] = inertia(covariance(x, np.ones(len(x))))
        found.append(row)
    return found


def same(got, want, name):
    """One measurement of one region agrees with the sums, nan where they have nan."""
    expected = want[name]
    got = np.asarray(got)
    assert got.shape == expected.shape, name
    scale = want.get(name + "|", np.abs(expected).max())
    close = np.abs(got - expected) <= ROUNDING * scale
    assert (close | (np.isnan(expected) & np.isnan(got))).all(), (name, got, expected)


def all_same(got, want, names):
    assert len(got) == len(want) > 0
    for one, other in zip(got, want, strict=True):
        for name in names:
            same(one[name], other, name)


def close(got, want):
    """Equal but for rounding, relative to the largest of the expected numbers."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    scale = np.nanmax(np.abs(want))
    np.testing.assert_allclose(got, want, rtol=ROUNDING, atol=ROUNDING * scale)


def raises(candidate, exception, function, *args):
    """The candidate raises `exception` itself, or one that is derived from it."""
    with pytest.raises(CandidateError) as caught:
        candidate(function, *args)
    assert caught.value.is_a(exception), caught.value


def refuses(candidate, name, image, spacings, attribute=None):
    """Each of the spacings is a `ValueError`."""
    found = candidate(refusals, name, image, attribute, spacings)
    assert len(found) == len(spacings)
    for spacing, classes in zip(spacings, found, strict=True):
        assert "ValueError" in classes, (name, spacing, classes)


def angle_between(one, other):
    """Difference of two directions of lines, in [0, pi/2]."""
    turned = abs(one - other) % np.pi
    return min(turned, np.pi - turned)
