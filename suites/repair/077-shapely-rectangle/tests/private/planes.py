# referee-canary 077 becb7508-372d-401a-bc02-da0d1000cf7e
"""The judge: hulls, smallest rectangles and random outlines, from positions alone."""

import numpy as np

EPS = np.finfo(float).eps


def hull(points):
    """Corners of the convex hull, counter-clockwise, (n, 2); a monotone chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def chain(sequence):
        kept = []
        for p in sequence:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2], kept[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def extents(points, angle):
    """Lengths of the projections on the direction `angle` and on the one at a right angle to it."""
    p = np.asarray(points) - np.asarray(points)[0]
    c, s = np.cos(angle), np.sin(angle)
    along = np.multiply.outer(c, p[:, 0]) + np.multiply.outer(s, p[:, 1])
    across = np.multiply.outer(c, p[:, 1]) - np.multiply.outer(s, p[:, 0])
    return np.ptp(along, axis=-1), np.ptp(across, axis=-1)


def edge_angles(points):
    corners = hull(points)
    steps = np.roll(corners, -1, axis=0) - corners
    return np.arctan2(steps[:, 1], steps[:, 0])


def smallest_area(points):
    width, height = extents(hull(points), edge_angles(points))
    return float(np.min(width * height))


def area_of_narrowest(points):
    """Area of the rectangle of least width, which is something else."""
    width, height = extents(hull(points), edge_angles(points))
    return float((width * height)[np.argmin(np.minimum(width, height))])


def area(ring):
    x, y = (np.asarray(ring) - np.asarray(ring)[0]).T
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2)


def slack(points):
    """What rounding may cost: a rotation there and back is a dozen operations on coordinates, each
    good to half a unit in the last place."""
    return 32 * EPS * float(np.max(np.abs(points)))


def fault(ring, points, best=None):
    """Why the closed `ring` is not a smallest rectangle around `points`; empty if it is one."""
    ring = np.asarray(ring, dtype=float)
    points = np.asarray(points, dtype=float)
    if ring.shape != (5, 2) or not np.isfinite(ring).all() or (ring[0] != ring[-1]).any():
        return f"not a closed ring of four corners: {ring.tolist()}"
    loss = slack(points)
    sides = np.diff(ring, axis=0)
    lengths = np.hypot(*sides.T)
    if np.hypot(*(sides[0] + sides[2])) > 4 * loss or np.hypot(*(sides[1] + sides[3])) > 4 * loss:
        return "opposite sides differ"
    # The cosine of the angle times both lengths: an error of `loss` turns a side by loss / length.
    if abs(sides[0] @ sides[1]) > 4 * loss * (lengths[0] + lengths[1]):
        return "the angles are not right"
    turn = np.sign(sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0])
    for corner, side, length in zip(ring, sides, lengths, strict=False):
        p = points - corner
        inside = turn * (side[0] * p[:, 1] - side[1] * p[:, 0]) / length
        if inside.min() < -4 * loss:
            return f"a point lies outside by {-inside.min():.3g}"
    best = smallest_area(points) if best is None else best
    # 1e-11: a few roundings of the area itself; the rest is the loss of length along the outline.
    if abs(area(ring) - best) > 1e-11 * best + 4 * loss * lengths.sum() / 2:
        return f"area {area(ring):.12g}, but {best:.12g} is possible"
    return ""


def hard(rng, low=4, high=9, margin=1.02):
    """A random outline whose narrowest rectangle is not the smallest by at least `margin`."""
    while True:
        points = rng.uniform(-1, 1, (int(rng.integers(low, high)), 2)) * [rng.uniform(0.7, 1.5), 1]
        if len(hull(points)) > 3 and area_of_narrowest(points) > margin * smallest_area(points):
            return points


def moved(points, angle, scale=1.0, shift=(0.0, 0.0), mirror=False):
    c, s = np.cos(angle), np.sin(angle)
    turned = points @ np.array([[c, s], [-s, c]]) * scale
    if mirror:
        turned = turned * [-1, 1]
    return turned + np.asarray(shift)


def star(corners, rng):
    """A concave simple ring whose hull has just these corners: between each two neighbours the ring
    goes in towards the middle, so no edge of the hull is an edge of the ring."""
    outer = hull(corners)
    middle = outer.mean(axis=0)
    inner = (outer + np.roll(outer, -1, axis=0)) / 2
    inner = middle + (inner - middle) * rng.uniform(0.3, 0.8, (len(inner), 1))
    return np.stack([outer, inner], axis=1).reshape(-1, 2)
