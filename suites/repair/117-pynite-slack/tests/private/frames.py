# referee-canary 117 cdd5992d-67e4-45da-bef4-f5c0e40a0f9c
"""Builds frames as plain data, has them solved by the candidate, and knows what must come back.

Lengths are in m, forces in kN. The local axes are worked out here from the conventions in the
task's context, and the straight line of a slack member from the displacements of its nodes.
"""

import numpy as np

from referee.wall import probe

E = 200e6
AREA = {"tube": 0.009, "rod": 5e-4, "strut": 2e-3}
INERTIA = {"tube": 1.2e-4, "rod": 2e-8, "strut": 3e-6}
DIRECTIONS = ("dx", "dy", "dz")
BRACES = ("rising", "falling")


@probe
def solve(frame, queries):
    """Displacements, activity and reactions of a frame, and answers to (member, piece, method,
    arguments) queries, asked in the order given. An array is passed for arguments named x_array."""
    import numpy as np
    from Pynite import FEModel3D

    model = FEModel3D()
    model.add_material("steel", 200e6, 77e6, 0.3, 78.5)
    for name, area in frame["area"].items():
        inertia = frame["inertia"][name]
        model.add_section(name, area, inertia, inertia, 2 * inertia)
    for name, place in frame["nodes"].items():
        model.add_node(name, *[float(c) for c in place])
    for name, fixed in frame["supports"].items():
        model.def_support(name, *[bool(f) for f in fixed])
    for name, direction, size in frame["settlements"]:
        model.def_node_disp(name, direction, size)
    for name, m in frame["members"].items():
        model.add_member(
            name, m["i"], m["j"], "steel", m["section"], m["roll"], m["kind"] == "tie", m["kind"] == "strut"
        )
        if m["pinned"]:
            model.def_releases(name, Ryi=True, Rzi=True, Ryj=True, Rzj=True)
    for node, direction, size, case in frame["loads"]:
        model.add_node_load(node, direction, size, case)
    for member, direction, w, case in frame["lines"]:
        model.add_member_dist_load(member, direction, w, w, case=case)
    for name, (factors, tags) in frame["combos"].items():
        model.add_load_combo(name, dict(factors), list(tags))
    if frame["second_order"]:
        model.analyze_PDelta(check_stability=False)
    else:
        model.analyze(check_stability=False)

    def plain(value):
        if isinstance(value, (tuple, list)):
            return [plain(v) for v in value]
        if isinstance(value, np.ndarray):
            return np.array(value, dtype=float)
        if value is None or isinstance(value, str):
            return value
        return float(value)

    answers = []
    for member, piece, method, arguments in queries:
        asked = model.members[member]
        if piece is not None:
            asked = list(asked.sub_members.values())[piece]
        arguments = dict(arguments)
        answers.append(plain(getattr(asked, method)(**arguments)))
    axes = ("DX", "DY", "DZ")
    return {
        "moved": {
            c: {n: [float(getattr(node, a)[c]) for a in axes] for n, node in model.nodes.items()}
            for c in frame["combos"]
        },
        "active": {
            c: {n: bool(m.active[c]) for n, m in model.members.items()} for c in frame["combos"]
        },
        "reactions": {
            c: {
                n: [float(getattr(model.nodes[n], "Rxn" + k)[c]) for k in ("FX", "FY", "FZ")]
                for n in frame["supports"]
            }
            for c in frame["combos"]
        },
        "answers": answers,
    }


def empty():
    return {
        "nodes": {}, "supports": {}, "settlements": [], "members": {}, "loads": [], "lines": [],
        "combos": {"Combo 1": [{"Case 1": 1.0}, []]}, "second_order": False,
        "area": AREA, "inertia": INERTIA,
    }  # fmt: skip


def apart(rng, start, way, first, second, kind, roll, pinned):
    """One member between two supports that settle by the vectors `first` and `second` (m). A
    post far away gives the solver something to solve for."""
    frame = empty()
    frame["nodes"] = {"A": list(start), "B": np.add(start, way).tolist()}
    frame["nodes"].update(C=[50.0, 0.0, 40.0], D=[50.0, 3.0, 40.0])
    frame["supports"] = {name: [True] * 6 for name in "ABC"}
    frame["members"]["rod"] = member("A", "B", "rod", kind, float(roll), pinned)
    frame["members"]["post"] = member("C", "D")
    frame["loads"].append(["D", "FX", float(rng.uniform(1, 5)), "Case 1"])
    for node, shift in (("A", first), ("B", second)):
        for axis, size in zip(("DX", "DY", "DZ"), shift, strict=True):
            frame["settlements"].append([node, axis, float(size)])
    return frame


def member(i, j, section="tube", kind="", roll=0.0, pinned=False):
    return {"i": i, "j": j, "section": section, "kind": kind, "roll": roll, "pinned": pinned}


def turned(vector, angle):
    """The vector turned by `angle` (radians) about global Y."""
    x, y, z = vector
    c, s = np.cos(angle), np.sin(angle)
    return [float(c * x + s * z), float(y), float(c * z - s * x)]


def braced(rng, *, kind="tie", angle=0.0, crossed=False, storeys=1, rolls=(0.0, 0.0), reverse=False):
    """A one-bay frame with crossed braces, fixed at the ground, standing at `angle` in plan.

    Storey `k` has nodes `L<k>` and `R<k>`; its braces are `rising<k>` (from lower left to upper
    right) and `falling<k>` (from lower right to upper left), without a number in the first storey.
    With `crossed` the braces share the node `M<k>` where they cross.
    """
    frame = empty()
    width, bottom = rng.uniform(3.5, 6.5), 0.0
    section = "rod" if kind == "tie" else "strut"
    for level in range(storeys + 1):
        for side, x in (("L", 0.0), ("R", width)):
            frame["nodes"][f"{side}{level}"] = turned((x, bottom, 0.0), angle)
        bottom += rng.uniform(2.6, 4.2)
    frame["supports"] = {"L0": [True] * 6, "R0": [True] * 6}
    for level in range(1, storeys + 1):
        below, tail = level - 1, "" if level == 1 else str(level)
        frame["members"][f"left{tail}"] = member(f"L{below}", f"L{level}")
        frame["members"][f"right{tail}"] = member(f"R{below}", f"R{level}")
        frame["members"][f"beam{tail}"] = member(f"L{level}", f"R{level}")
        ends = {"rising": (f"L{below}", f"R{level}"), "falling": (f"R{below}", f"L{level}")}
        for (name, (i, j)), roll in zip(ends.items(), rolls, strict=True):
            i, j = (j, i) if reverse else (i, j)
            frame["members"][name + tail] = member(i, j, section, kind, float(roll), True)
        if crossed:
            corners = [frame["nodes"][n] for n in (f"L{below}", f"R{below}", f"L{level}", f"R{level}")]
            frame["nodes"][f"M{level}"] = [float(c) for c in np.mean(corners, axis=0)]
    return frame


def push(frame, size, sideways=0.0, angle=0.0, level=1, case="Case 1"):
    """A force on the left node of a level, in the plane of the frame and at right angles to it."""
    force = turned((size, 0.0, sideways), angle)
    for direction, part in zip(("FX", "FZ"), (force[0], force[2]), strict=True):
        frame["loads"].append([f"L{level}", direction, part, case])
    return frame


def axes(frame, name):
    """Rows: the local x, y and z axis of a member."""
    m = frame["members"][name]
    start, end = (np.array(frame["nodes"][m[k]], dtype=float) for k in ("i", "j"))
    x = (end - start) / np.linalg.norm(end - start)
    if np.hypot(x[0], x[2]) < 1e-9:
        y = np.array([-1.0 if x[1] > 0 else 1.0, 0.0, 0.0])
        z = np.cross(x, y)
    else:
        z = np.cross(x, [0.0, 1.0, 0.0])
        z /= np.linalg.norm(z)
        y = np.cross(z, x)
    roll = np.radians(m["roll"])
    c, s = np.cos(roll), np.sin(roll)
    return np.array([x, c * y + s * z, c * z - s * y])


def length(frame, name):
    m = frame["members"][name]
    return float(np.linalg.norm(np.subtract(frame["nodes"][m["j"]], frame["nodes"][m["i"]])))


def line(frame, moved, name, where, through=()):
    """Local displacement, shape (3, locations), of the straight pieces between the nodes."""
    m = frame["members"][name]
    stops = [m["i"], *through, m["j"]]
    start = np.array(frame["nodes"][m["i"]])
    at = [np.linalg.norm(np.array(frame["nodes"][n]) - start) for n in stops]
    local = axes(frame, name) @ np.array([moved[n] for n in stops]).T
    return np.array([np.interp(where, at, row) for row in local])


def scale(moved):
    """Largest displacement of a node (m)."""
    return max(float(np.abs(d).max()) for d in moved.values())


def close(got, expected, moved, what=""):
    """Equal up to rounding. The expected line is formed from the same nodal displacements as the
    answer by a handful of sums and products, so 1e-9 of the largest displacement is generous, while
    the errors looked for are of the order of the displacement itself."""
    np.testing.assert_allclose(
        np.asarray(got, dtype=float), expected, rtol=0, atol=1e-9 * scale(moved), err_msg=str(what)
    )


def single(name, where, combo="Combo 1", piece=None, method="deflection", directions=DIRECTIONS):
    """Queries for one location after the other, direction by direction."""
    return [
        [name, piece, method, {"Direction": d, "x": float(x), "combo_name": combo}]
        for d in directions
        for x in where
    ]


def array(name, where, combo="Combo 1", piece=None, method="deflection_array", directions=DIRECTIONS):
    """Queries for arrays, one for each direction. `where`: locations, or their number."""
    points = {"n_points": where} if isinstance(where, int) else {"n_points": 7, "x_array": where}
    return [
        [name, piece, method, {"Direction": d, "combo_name": combo, **points}] for d in directions
    ]


def extremes(name, combos="Combo 1", piece=None, directions=DIRECTIONS):
    return [
        [name, piece, f"{which}_deflection", {"Direction": d, "combo_tags": combos}]
        for which in ("max", "min")
        for d in directions
    ]


def forces(name, where, combo="Combo 1", piece=None, with_extremes=True):
    """Queries for all internal forces: single values, arrays and extremes."""
    asked = []
    kinds = [("shear", d) for d in ("Fy", "Fz")] + [("moment", d) for d in ("My", "Mz")]
    for kind, direction in [*kinds, ("axial", None), ("torque", None)]:
        way = {} if direction is None else {"Direction": direction}
        points = {"n_points": 5, "x_array": np.asarray(where, dtype=float), "combo_name": combo}
        asked.append([name, piece, f"{kind}_array", {**way, **points}])
        asked.append([name, piece, kind, {**way, "x": float(where[0]), "combo_name": combo}])
        if with_extremes:
            for which in ("max", "min"):
                asked.append([name, piece, f"{which}_{kind}", {**way, "combo_tags": combo}])
    return asked


def largest(answers):
    """Largest size of a value; of an array only its second row counts."""
    values = [a[1] if isinstance(a, np.ndarray) else a for a in answers]
    return max(float(np.max(np.abs(np.asarray(v, dtype=float)))) for v in values)
