# referee-canary 061 16b38cde-6db9-4a99-8c5c-c7ffae1e20ac
"""Pixels on the sky drawn in a tangent plane, and the solid angle of their overlap in exact arithmetic.

Great circles are straight lines in a plane that touches the sphere (gnomonic projection), so the overlap
of two pixels is an overlap of two plane quadrilaterals. Their corners are binary fractions, which makes every
step of the clipping exact in rational numbers. The solid angle of a triangle of the plane follows from
tan(E/2) = 2 A / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|), where A is its (exact) plane area and
a = (x, y, 1): there is nothing that could cancel, at any scale.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from referee.wall import probe

ARCSEC = np.pi / 180 / 3600

# What "right to a millionth" leaves, with room to spare for a plane in place of the sphere
# where pixels are small.
RTOL = 1e-6
# Corners reach the candidate as angles in double precision: up to 4.5e-16 rad for an angle below 2 pi, a
# few times that after sines and cosines. Moved by that much, a border of a given length changes the
# area by length times shift.
SHIFT = 4e-15


# --- exact geometry in the plane -------------------------------------------------------------


def clipped(subject, clip):
    """The overlap of two convex polygons (lists of pairs of Fractions, counter-clockwise)."""
    for (ax, ay), (bx, by) in zip(clip, clip[1:] + clip[:1], strict=True):
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in subject]
        kept = []
        for i, (x, y) in enumerate(subject):
            j = (i + 1) % len(subject)
            if sides[i] >= 0:
                kept.append((x, y))
            if sides[i] * sides[j] < 0:
                t = sides[i] / (sides[i] - sides[j])
                kept.append((x + t * (subject[j][0] - x), y + t * (subject[j][1] - y)))
        subject = kept
    return subject


def solid_angle(polygon):
    """Of a polygon in the plane that touches the unit sphere at the origin."""
    total = 0.0
    for b, c in zip(polygon[1:], polygon[2:], strict=False):
        a = polygon[0]
        double_area = float((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
        u, v, w = (np.array([float(p[0]), float(p[1]), 1.0]) for p in (a, b, c))
        nu, nv, nw = (np.sqrt(p @ p) for p in (u, v, w))
        total += 2 * np.arctan2(
            double_area, nu * nv * nw + (u @ v) * nw + (v @ w) * nu + (w @ u) * nv
        )
    return float(total)


def counter_clockwise(corners):
    exact = [(Fraction(float(x)), Fraction(float(y))) for x, y in corners]
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(exact, exact[1:] + exact[:1], strict=True))
    return exact if area >= 0 else exact[::-1]


def true_overlap(p, q):
    return solid_angle(clipped(counter_clockwise(p), counter_clockwise(q)))


def perimeter(corners):
    corners = np.asarray(corners)
    return float(np.hypot(*(corners - np.roll(corners, 1, axis=0)).T).sum())


# --- pixels ----------------------------------------------------------------------------------


def rectangle(centre, width, height, turn, shear=0.0):
    """Corners of a pixel in the plane, all lengths in radians; order as in an image."""
    c, s = np.cos(turn), np.sin(turn)
    half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * np.array([width, height]) / 2
    half[:, 0] += shear * half[:, 1]
    return half @ np.array([[c, s], [-s, c]]) + centre


@dataclass(frozen=True)
class Plane:
    """A plane that touches the sky at `lon`, `lat` (radians), turned by `turn`."""

    lon: float
    lat: float
    turn: float = 0.0

    def angles(self, corners):
        """Longitude in [0, 2 pi) and latitude of points of the plane."""
        x, y = np.asarray(corners, dtype=float).T
        c, s = np.cos(self.turn), np.sin(self.turn)
        x, y = c * x - s * y, s * x + c * y
        # To the east of the meridian, and along it: no unit vector of the centre is needed,
        # so that nothing is lost for points close to it.
        along = np.cos(self.lat) - y * np.sin(self.lat)
        lon = self.lon + np.arctan2(x, along)
        up = np.sin(self.lat) + y * np.cos(self.lat)
        return np.mod(lon, 2 * np.pi), np.arctan2(up, np.hypot(x, along))


def random_plane(rng, highest=1.2):
    return Plane(
        *(float(v) for v in rng.uniform([0, -highest, 0], [2 * np.pi, highest, 2 * np.pi]))
    )


def random_pixel(rng, size, spread=0.6):
    """A convex pixel of about `size` radians near the origin: turned, sheared and not square."""
    return rectangle(
        rng.uniform(-spread, spread, 2) * size,
        size * rng.uniform(0.8, 1.25),
        size * rng.uniform(0.8, 1.25),
        rng.uniform(0, 2 * np.pi),
        rng.uniform(-0.4, 0.4),
    )[:: rng.choice([-1, 1])]


# --- asking the candidate ---------------------------------------------------------------------


@probe
def overlaps(ilon, ilat, olon, olat):
    import numpy as np
    from reproject.spherical_intersect.overlap import compute_overlap

    area, ratio = compute_overlap(ilon, ilat, olon, olat)
    return np.asarray(area), np.asarray(ratio)


@probe
def exact(image, header_in, header_out, shape_out, options=None):
    """Result and footprint of the exact reprojection, and the words of its warnings."""
    import warnings

    import numpy as np
    from astropy.wcs import WCS
    from reproject import reproject_exact

    def wcs(header):
        made = WCS(naxis=2)
        made.wcs.ctype = header["ctype"]
        made.wcs.crval = header["crval"]
        made.wcs.crpix = header["crpix"]
        made.wcs.cdelt = header["cdelt"]
        made.wcs.pc = header["pc"]
        made.wcs.set()
        return made

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = reproject_exact(
            (image, wcs(header_in)), wcs(header_out), shape_out=shape_out, **(options or {})
        )
    said = [str(w.message) for w in caught if w.category is UserWarning]
    found = found if isinstance(found, tuple) else (found,)
    return [np.asarray(part) for part in found], said


def ask(candidate, planes, ps, qs):
    """Overlaps of many pairs of pixels, each in its plane."""
    ilon, ilat = zip(*(plane.angles(p) for plane, p in zip(planes, ps, strict=True)), strict=True)
    olon, olat = zip(*(plane.angles(q) for plane, q in zip(planes, qs, strict=True)), strict=True)
    return candidate(overlaps, *(np.array(a) for a in (ilon, ilat, olon, olat)))[0]


def assert_right(candidate, planes, ps, qs, rtol=RTOL):
    """Overlaps are the true ones, and some of them are not nothing."""
    seen = ask(candidate, planes, ps, qs)
    right = np.array([true_overlap(p, q) for p, q in zip(ps, qs, strict=True)])
    room = SHIFT * np.array([min(perimeter(p), perimeter(q)) for p, q in zip(ps, qs, strict=True)])
    assert seen.shape == right.shape
    assert np.all(np.isfinite(seen))
    assert np.count_nonzero(right) >= len(right) / 3
    errors = np.abs(seen - right)
    assert np.all(errors <= rtol * right + room), (seen, right)


# --- images -----------------------------------------------------------------------------------


def header(scale, shape, turn=0.0, crval=(83.0, -5.0), kind="TAN", ratio=1.0, flip=-1):
    """A projection of `scale` radians a pixel, centred in an image of `shape` (rows, columns)."""
    c, s = float(np.cos(turn)), float(np.sin(turn))
    degrees = float(np.degrees(scale))
    frame = ["GLON", "GLAT"] if kind.startswith("G:") else ["RA--", "DEC-"]
    return {
        "ctype": [f"{axis}-{kind.removeprefix('G:')}" for axis in frame],
        "crval": [float(v) for v in crval],
        "crpix": [(shape[1] + 1) / 2, (shape[0] + 1) / 2],
        "cdelt": [flip * degrees, degrees * ratio],
        "pc": [[c, -s], [s, c]],
    }


def pixel_areas(header_, shape):
    """Solid angles of the pixels of a TAN image, from the plane that the projection itself is."""
    scale = np.radians(np.array(header_["cdelt"]))
    pc = np.array(header_["pc"])
    areas = np.empty(shape)
    for row in range(shape[0]):
        for column in range(shape[1]):
            at = np.array([[0, 1], [1, 1], [1, 0], [0, 0]]) + [column, row]
            at = (at + 0.5 - header_["crpix"]) @ pc.T * scale
            areas[row, column] = solid_angle(counter_clockwise(at))
    return areas


def true_image(image, header_in, header_out, shape_out):
    """Weighted average and footprint of TAN images with one tangent point, pixel by pixel."""
    grids = []
    for head, shape in ((header_in, image.shape), (header_out, shape_out)):
        scale, pc = np.radians(np.array(head["cdelt"])), np.array(head["pc"])
        corners = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])
        grids.append(
            [
                (
                    (row, column),
                    (corners + [column + 0.5, row + 0.5] - head["crpix"]) @ pc.T * scale,
                )
                for row in range(shape[0])
                for column in range(shape[1])
            ]
        )
    total, weight = np.zeros(shape_out), np.zeros(shape_out)
    for at_out, q in grids[1]:
        own = true_overlap(q, q)
        for at_in, p in grids[0]:
            if np.any(p.max(axis=0) <= q.min(axis=0)) or np.any(q.max(axis=0) <= p.min(axis=0)):
                continue
            share = true_overlap(p, q) / own
            weight[at_out] += share
            total[at_out] += share * image[at_in]
    with np.errstate(invalid="ignore"):
        return total / weight, weight
