# referee-canary 023 5adaf2f1-b30c-4e3a-b89c-8d8e02d9b976
"""Boxes, real paths and their wrapped files, and the probes of all checks.

The real path is made first, in fractions of the box; the file is made from it by taking fractions modulo
one. So the right answer is known without any unwrapping.
"""

from dataclasses import dataclass

import numpy as np

from referee.wall import probe

# Files hold single precision; boxes are up to 40 Angstrom and paths lead a few boxes away: rounding is
# about 1e-4 Angstrom. A lost jump is at least 8 Angstrom.
NEAR = 0.01

CUBIC = (20.0, 20.0, 20.0, 90.0, 90.0, 90.0)
ORTHORHOMBIC = (8.0, 15.0, 40.0, 90.0, 90.0, 90.0)
TRICLINIC = (18.0, 22.0, 20.0, 75.0, 80.0, 70.0)
OCTAHEDRON = (25.0, 25.0, 25.0, 70.52878, 109.47122, 70.52878)
BOXES = (CUBIC, ORTHORHOMBIC, TRICLINIC, OCTAHEDRON)


def vectors(box):
    """Rows: the box vectors, the first along x and the second in the plane of x and y."""
    a, b, c = box[:3]
    ca, cb, cg = np.cos(np.radians(box[3:6]))
    sg = np.sqrt(1 - cg**2)
    along = (ca - cb * cg) / sg
    return np.array(
        [
            [a, 0.0, 0.0],
            [b * cg, b * sg, 0.0],
            [c * cb, c * along, c * np.sqrt(1 - cb**2 - along**2)],
        ]
    )


@dataclass(frozen=True)
class Trajectory:
    """`fractions` (frames, atoms, 3) of the real path; `boxes` (frames, 6)."""

    fractions: np.ndarray
    boxes: np.ndarray

    def cartesian(self, fractions):
        return np.einsum("nai,nij->naj", fractions, np.array([vectors(b) for b in self.boxes]))

    @property
    def path(self):
        """The real path that begins in the file's frame 0."""
        return self.cartesian(self.fractions - np.floor(self.fractions[:1]))

    @property
    def file(self):
        """What is written: each frame wrapped by itself."""
        return self.cartesian(self.fractions % 1.0)

    def difference(self, frames, found):
        """Fractions by which positions (reads, atoms, 3) of `frames` differ from the real path."""
        inverse = np.array([np.linalg.inv(vectors(b)) for b in self.boxes])
        found = np.asarray(found, dtype=float)
        return np.einsum("nai,nij->naj", found, inverse[frames]) - self.fractions[frames]


def boxes(rng, box, frames, changing):
    """`frames` boxes; if `changing`, lengths vary by a few percent and angles by a few degrees."""
    rows = np.tile(np.array(box), (frames, 1))
    if changing:
        rows[:, :3] *= 1 + 0.03 * rng.uniform(-1, 1, (frames, 3))
        if tuple(box[3:]) != (90.0, 90.0, 90.0):
            rows[:, 3:] += rng.uniform(-2, 2, (frames, 3))
    return rows


def wander(rng, box=CUBIC, frames=7, atoms=6, changing=False, reach=0.4):
    """Random paths with steps below `reach`, each with a drift; atom 0 leaves at frame 1."""
    drift = rng.uniform(-0.6, 0.6, (1, atoms, 3)) * reach
    steps = drift + rng.uniform(-0.4, 0.4, (frames, atoms, 3)) * reach
    steps[0] = rng.uniform(0, 1, (atoms, 3))
    steps[0, 0], steps[1:2, 0] = (0.95, 0.05, 0.5), (0.6 * reach, -0.5 * reach, 0.0)
    return Trajectory(np.cumsum(steps, axis=0), boxes(rng, box, frames, changing))


def straight(rng, first, box=CUBIC, frames=7, changing=False):
    """Particles of constant velocity that leave through each face for the first time at `first`."""
    signed = np.array([s * e for e in np.eye(3) for s in (1, -1)])
    speed = rng.uniform(0.2, 0.3)
    edge = np.where(signed > 0, 1.0, 0.0)
    begin = edge - signed * speed * (first - rng.uniform(0.2, 0.8))
    begin = np.where(signed == 0, 0.5, begin)
    fractions = begin[None] + speed * np.arange(frames)[:, None, None] * signed
    return Trajectory(fractions, boxes(rng, box, frames, changing))


def slow(rng, frames=13, **more):
    """Paths of which two frames four apart may follow each other: steps are below an eighth."""
    one = wander(rng, frames=frames, reach=0.1, **more)
    fractions = one.fractions.copy()
    # One atom for each frame, which crosses a face there, to the right or to the left.
    each = np.arange(frames)
    there = each + rng.uniform(-0.9, -0.1, frames)
    crossing = np.where(each % 2, 0.11, -0.11) * (each[:, None] - there)
    extra = np.full((frames, frames, 3), 0.5)
    extra[:, :, 0] = crossing
    return Trajectory(np.concatenate([fractions, extra], axis=1), one.boxes)


def job(trajectory, reads, stand=0, options=None, **more):
    """What the probe `watch` takes. `reads`: a frame's number, or [start, stop, step]."""
    return {
        "file": trajectory.file,
        "boxes": trajectory.boxes,
        "reads": list(reads),
        "stand": stand,
        "options": options or {},
        **more,
    }


ALL = [None, None, None]


def assert_path(trajectory, answer, passes=1):
    """`answer` holds `passes` complete passes, each of them the real path."""
    count = len(trajectory.boxes)
    assert answer["frames"] == [*range(count)] * passes
    wrong = np.abs(answer["found"] - np.tile(trajectory.path, (passes, 1, 1)))
    assert wrong.max() <= NEAR, f"{wrong.max():.4g} Angstrom off at read {wrong.max((1, 2)).argmax()}"


def assert_some_image(trajectory, frames, found):
    """Positions follow the real path, shifted by whole box vectors that are the same in all frames."""
    shift = trajectory.difference(frames, found)
    # A fraction of 1e-3 is 0.01 to 0.04 Angstrom.
    assert np.abs(shift - np.round(shift[:1])).max() <= 1e-3


# --- probes -----------------------------------------------------------------------------------


@probe
def watch(jobs):
    """Write each file, add the transformation where the trajectory stands, and read.

    For each job: `frames` and `found` of all reads in order, and the texts of warnings.
    """
    import os
    import tempfile
    import warnings

    import MDAnalysis as mda
    import numpy as np
    from MDAnalysis.transformations.nojump import NoJump

    answers, names = [], {}
    holder = tempfile.TemporaryDirectory()
    for job in jobs:
        file, boxes = job["file"], job["boxes"]
        count = file.shape[1]
        frames, found = [], []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            key = (job.get("kind", "trr"), file.tobytes(), boxes.tobytes())
            if key not in names:
                names[key] = os.path.join(holder.name, f"{len(names)}.{key[0]}")
                u = mda.Universe.empty(count, trajectory=True)
                with mda.Writer(names[key], count) as writer:
                    for positions, box in zip(file, boxes):
                        u.atoms.positions = positions
                        u.dimensions = box
                        writer.write(u.atoms)
            u = mda.Universe.empty(count, trajectory=True)
            u.load_new(names[key])
            u.trajectory[job["stand"]]
            warnings.simplefilter("always", UserWarning)
            nojump = NoJump(*job.get("arguments", ()), **job["options"])
            u.trajectory.add_transformations(nojump)
            for read in job["reads"]:
                if isinstance(read, int):
                    ts = u.trajectory[read]
                    frames.append(ts.frame)
                    found.append(ts.positions.copy())
                else:
                    start, stop, step = read
                    whole = start is None and stop is None and step is None
                    for ts in u.trajectory if whole else u.trajectory[start:stop:step]:
                        frames.append(ts.frame)
                        found.append(ts.positions.copy())
            u.trajectory.close()
        said = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
        answers.append({"frames": frames, "found": np.array(found), "said": said})
    holder.cleanup()
    return answers


@probe
def analysed(file, boxes, runs):
    """Positions and frames that an analysis sees with the options of each of `runs`, one after the other."""
    import os
    import tempfile
    import warnings

    import MDAnalysis as mda
    import numpy as np
    from MDAnalysis.analysis.base import AnalysisFromFunction
    from MDAnalysis.transformations.nojump import NoJump

    warnings.simplefilter("ignore")
    count = file.shape[1]
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "wrapped.trr")
        u = mda.Universe.empty(count, trajectory=True)
        with mda.Writer(name, count) as writer:
            for positions, box in zip(file, boxes):
                u.atoms.positions = positions
                u.dimensions = box
                writer.write(u.atoms)
        u = mda.Universe.empty(count, trajectory=True)
        u.load_new(name)
        u.trajectory.add_transformations(NoJump())
        for options in runs:
            done = AnalysisFromFunction(lambda a: a.positions.copy(), u.trajectory, u.atoms).run(**options)
            answers.append({"frames": done.frames.tolist(), "found": np.array(done.results.timeseries)})
    return answers


@probe
def in_memory(file, boxes):
    """Two passes over a trajectory in memory."""
    import warnings

    import MDAnalysis as mda
    import numpy as np
    from MDAnalysis.coordinates.memory import MemoryReader
    from MDAnalysis.transformations.nojump import NoJump

    warnings.simplefilter("ignore")
    u = mda.Universe.empty(file.shape[1], trajectory=True)
    u.load_new(
        file.astype(np.float32), format=MemoryReader, dimensions=boxes.astype(np.float32), order="fac"
    )
    u.trajectory.add_transformations(NoJump())
    rows = [(ts.frame, ts.positions.copy()) for _ in range(2) for ts in u.trajectory]
    return {"frames": [r[0] for r in rows], "found": np.array([r[1] for r in rows])}


@probe
def refused(box, frame):
    """Name of the exception that a frame with `box` (None: no box) gets; read after good ones."""
    import numpy as np
    from MDAnalysis.coordinates.timestep import Timestep
    from MDAnalysis.transformations.nojump import NoJump

    nojump = NoJump()
    ts = Timestep(2)
    for k in range(frame + 1):
        ts.frame = k
        ts.positions = np.ones((2, 3), dtype=np.float32)
        ts.dimensions = [9.0, 9.0, 9.0, 90.0, 90.0, 90.0] if k < frame else box
        try:
            nojump(ts)
        except Exception as error:
            return [type(error).__name__, k]
    return None
