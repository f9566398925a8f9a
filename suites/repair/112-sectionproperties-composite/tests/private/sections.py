# referee-canary 112 ef43c121-43a3-4933-8a88-fa20c83068a3
"""Sections as plain polygons, their plastic moments by own integration, and the probes.

A section is a list of parts: an outline, holes, an elastic modulus `E` and a yield strength `fy`.
Lengths are in mm and stresses in MPa unless a check says otherwise.
"""

import numpy as np

from referee.wall import probe

# The candidate finds the neutral axis to about a millionth of its distance or of the length unit.
# The moment is smallest there, so the error of a sum of forces times distances is of second order;
# a sum that relies on equal forces on both sides may be off by up to a millionth or so of the whole.
# The errors looked for are of the order of one per cent.
RTOL = 1e-5
DISTINCT = 1.05


@probe
def analyse(parts, mesh=None, geometric=False):
    """Results of the plastic analysis of a section; without materials when `geometric`. Without a
    size of the mesh, it has no more nodes than it needs."""
    import warnings

    from sectionproperties.analysis import Section
    from sectionproperties.pre import CompoundGeometry, Geometry, Material
    from shapely import Polygon

    geometries = []
    for number, part in enumerate(parts):
        outline = Polygon([tuple(p) for p in part["outline"]], [[tuple(p) for p in h] for h in part["holes"]])
        if geometric:
            geometries.append(Geometry(outline))
        else:
            name = part.get("name", f"material {number}")
            material = Material(name, part["E"], 0.3, part["fy"], 1e-6, "grey")
            geometries.append(Geometry(outline, material=material))
    whole = geometries[0] if len(geometries) == 1 else CompoundGeometry(geometries)
    whole.create_mesh(mesh_sizes=[mesh or 0.0], coarse=mesh is None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        section = Section(whole)
        section.calculate_geometric_properties()
        section.calculate_plastic_properties()
    answer = {"pc": section.get_pc(), "pc_p": section.get_pc_p(), "phi": [section.get_phi()]}
    if geometric:
        answer.update(s=section.get_s(), sp=section.get_sp(), sf=section.get_sf(), sf_p=section.get_sf_p())
    else:
        answer.update(mp=section.get_mp(), mp_p=section.get_mp_p())
    return {name: [float(v) for v in values] for name, values in answer.items()}


def part(outline, strength, modulus=200e3, holes=()):
    return {
        "outline": [[float(x), float(y)] for x, y in outline],
        "holes": [[[float(x), float(y)] for x, y in hole] for hole in holes],
        "E": float(modulus),
        "fy": float(strength),
    }


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def ring(x, y, radius, corners=16):
    angles = 2 * np.pi * np.arange(corners) / corners
    return [(x + radius * np.cos(a), y + radius * np.sin(a)) for a in angles]


def joined(parts):
    """The same parts, with every vertex that lies on an edge of another part made a vertex of that
    part as well. A mesh generator cannot work with edges that nearly coincide."""
    points = np.array([q for p in parts for ring in (p["outline"], *p["holes"]) for q in ring])

    def filled(ring):
        result = []
        for a, b in zip(np.array(ring), np.roll(ring, -1, axis=0), strict=True):
            way = b - a
            along = (points - a) @ way / (way @ way)
            across = np.abs((points - a) @ [-way[1], way[0]]) / np.sqrt(way @ way)
            inside = (along > 1e-9) & (along < 1 - 1e-9) & (across < 1e-9 * np.abs(points).max())
            between = sorted({(float(t), *map(float, q)) for t, q in zip(along[inside], points[inside], strict=True)})
            result += [a.tolist(), *[[x, y] for _, x, y in between]]
        return result

    return [{**p, "outline": filled(p["outline"]), "holes": [filled(h) for h in p["holes"]]} for p in parts]


def layers(sizes):
    """Layers from below, centred: (width, height, yield strength, elastic modulus)."""
    parts, level = [], 0.0
    for width, height, strength, modulus in sizes:
        parts.append(part(box(-width / 2, level, width / 2, level + height), strength, modulus))
        level += height
    return joined(parts)


def mapped(parts, matrix, shift=(0.0, 0.0)):
    """The section after x -> matrix x + shift."""
    matrix, shift = np.asarray(matrix, dtype=float), np.asarray(shift, dtype=float)

    def move(points):
        return (np.asarray(points) @ matrix.T + shift).tolist()

    return [{**p, "outline": move(p["outline"]), "holes": [move(h) for h in p["holes"]]} for p in parts]


def rotation(degrees):
    a = np.radians(degrees)
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def clipped(points, normal, level):
    """The polygon where normal . p >= level (one convex cut; touching edges may remain, which add
    nothing to the integrals)."""
    points, kept = np.asarray(points, dtype=float), []
    height = points @ normal - level
    for k in range(len(points)):
        a, b, ha, hb = points[k - 1], points[k], height[k - 1], height[k]
        if (ha >= 0) != (hb >= 0):
            kept.append(a + (b - a) * ha / (ha - hb))
        if hb >= 0:
            kept.append(b)
    return np.array(kept).reshape(-1, 2)


def integrals(points):
    """Area, first moments and second moments (xx, yy, xy) of a polygon, taken as positive."""
    if len(points) < 3:
        return np.zeros(6)
    x0, y0 = np.asarray(points, dtype=float).T
    x1, y1 = np.roll(x0, -1), np.roll(y0, -1)
    c = x0 * y1 - x1 * y0
    values = np.array([
        c.sum() / 2,
        ((x0 + x1) * c).sum() / 6,
        ((y0 + y1) * c).sum() / 6,
        ((y0 * y0 + y0 * y1 + y1 * y1) * c).sum() / 12,
        ((x0 * x0 + x0 * x1 + x1 * x1) * c).sum() / 12,
        ((x0 * y1 + 2 * x0 * y0 + 2 * x1 * y1 + x1 * y0) * c).sum() / 24,
    ])  # fmt: skip
    return values if values[0] >= 0 else -values


def of_part(p, cut=lambda points: points):
    return integrals(cut(p["outline"])) - sum((integrals(cut(h)) for h in p["holes"]), np.zeros(6))


def moment_about(parts, degrees, level):
    """Integral of f |z - level| over the section; z is measured at right angles to the axis."""
    a = np.radians(degrees)
    normal = np.array([-np.sin(a), np.cos(a)])
    total = 0.0
    for p in parts:
        whole, above = of_part(p), of_part(p, lambda pts: clipped(pts, normal, level))
        first, first_above = normal @ whole[1:3], normal @ above[1:3]
        total += p["fy"] * (2 * (first_above - level * above[0]) - (first - level * whole[0]))
    return total


def surplus(parts, degrees, level):
    """Yield force above the line minus that below it."""
    a = np.radians(degrees)
    normal = np.array([-np.sin(a), np.cos(a)])
    return sum(
        p["fy"] * (2 * of_part(p, lambda pts: clipped(pts, normal, level))[0] - of_part(p)[0])
        for p in parts
    )


def extent(parts, degrees):
    a = np.radians(degrees)
    z = np.concatenate([np.asarray(p["outline"]) @ [-np.sin(a), np.cos(a)] for p in parts])
    return float(z.min()), float(z.max())


def neutral_axis(parts, degrees):
    """Where the surplus, which falls with the level, is zero, by false position; an end that stays
    twice gets half its weight. A surplus of 1e-12 of all forces moves the moment by 1e-12 or so."""
    low, high = extent(parts, degrees)
    above, below = surplus(parts, degrees, low), surplus(parts, degrees, high)
    enough, side = 1e-12 * above, 0
    for _ in range(100):
        level = (low * below - high * above) / (below - above)
        found = surplus(parts, degrees, level)
        if abs(found) <= enough:
            return level
        if found > 0:
            low, above, below = level, found, below / (2 if side > 0 else 1)
        else:
            high, below, above = level, found, above / (2 if side < 0 else 1)
        side = np.sign(found)
    raise AssertionError("no neutral axis was found")


def plastic_moment(parts, degrees):
    return moment_about(parts, degrees, neutral_axis(parts, degrees))


def elastic(parts):
    """Elastic centroid, second moments about it (xx, yy, xy), and the angle of axis 11, degrees."""
    total = sum(p["E"] * of_part(p) for p in parts)
    cx, cy = total[1] / total[0], total[2] / total[0]
    xx = total[3] - total[0] * cy**2
    yy = total[4] - total[0] * cx**2
    xy = total[5] - total[0] * cx * cy
    values, vectors = np.linalg.eigh([[xx, -xy], [-xy, yy]])
    assert values[1] > DISTINCT * values[0], "the principal axes of this section are not distinct"
    along = vectors[:, 1]
    return (cx, cy), (xx, yy, xy), float(np.degrees(np.arctan2(along[1], along[0])))


def expected(parts):
    """Plastic moments about x, y, 11 and 22."""
    angle = elastic(parts)[2]
    return [plastic_moment(parts, d) for d in (0.0, 90.0, angle, angle + 90.0)]


def moments(answer):
    return [*answer["mp"], *answer["mp_p"]]


def random_layers(rng, count=3):
    """Layers drawn until their second moments differ enough to tell the principal axes apart."""
    while True:
        parts = layers(
            [
                (rng.uniform(20, 90), rng.uniform(8, 60), rng.uniform(60, 600), rng.uniform(60e3, 220e3))
                for _ in range(count)
            ]
        )
        total = sum(p["E"] * of_part(p) for p in parts)
        # centred layers: yy is about their line of symmetry
        xx, yy = total[3] - total[2] ** 2 / total[0], total[4]
        if max(xx, yy) > 1.2 * min(xx, yy):
            return parts


def angle_section(rng):
    """A concrete-filled L: no axis of symmetry, three materials."""
    a, b, t = rng.uniform(90, 140), rng.uniform(50, 80), rng.uniform(10, 18)
    s = rng.uniform(8, 14)
    return joined([
        part(box(0, 0, t, a), rng.uniform(200, 300), 200e3),
        part(box(t, 0, b, t), rng.uniform(400, 700), 210e3),
        part(box(t, t, t + s, a - 20), rng.uniform(60, 120), 70e3),
    ])  # fmt: skip


def reinforced(rng, bars=3):
    """Concrete with a row of bars near its lower edge and two smaller ones above."""
    b, d = rng.uniform(180, 260), rng.uniform(320, 420)
    places = [(x, 45.0, rng.uniform(9, 14)) for x in np.linspace(45, b - 45, bars)]
    places += [(x, d - 40.0, rng.uniform(6, 9)) for x in (40.0, b - 40)]
    rings = [ring(*place) for place in places]
    concrete = part(box(0, 0, b, d), rng.uniform(20, 40), 30e3, rings)
    steel = rng.uniform(400, 550)
    return [concrete] + [part(r, steel, 200e3) for r in rings]
