"""Random solids for the studies: their YAML and, from a grid of points, their mass properties."""
import dataclasses

import numpy as np

GRID = 40  # points along each side of the bounding box


@dataclasses.dataclass
class Solid:
    """A solid as a scene writes it, with what a study needs to know about it."""
    kind: str
    shape: dict
    inside: object  # (n, 3) points → n truths
    low: np.ndarray  # bounding box [m]
    high: np.ndarray
    contact: str = "face"  # what it rests on: a face, or curved
    dear: bool = False  # hollow and curved, measured slowly: at most one in a scene

    def __post_init__(self):
        axes = [low + (high - low) * (np.arange(GRID) + 0.5) / GRID
                for low, high in zip(self.low, self.high)]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
        points = points[self.inside(points)]
        self.volume = np.prod(np.subtract(self.high, self.low)) * len(points) / GRID**3
        self.center = points.mean(0)
        arms = points - self.center
        second = arms.T @ arms / len(points)
        self.unit_inertia = np.trace(second) * np.eye(3) - second  # of 1 kg, about the centre
        self.radius = np.linalg.norm(arms, axis=1).max() * (1 + 2 / GRID)  # about the centre


def box(rng):
    size = np.exp(rng.uniform(np.log(0.25), 0, 3))
    size /= size.max()
    return Solid("box", {"box": {"size": size}}, lambda p: (np.abs(p) <= size / 2).all(1), -size / 2, size / 2)


def sphere(_):
    return Solid("sphere", {"sphere": {"radius": 0.5}}, lambda p: (p**2).sum(1) <= 0.25, -0.5 * np.ones(3),
                 0.5 * np.ones(3), "curved")


def ellipsoid(rng):
    r = 0.5 * rng.uniform(0.3, 1, 3)
    r[0] = 0.5
    return Solid("ellipsoid", {"ellipsoid": {"radii": r}}, lambda p: ((p / r)**2).sum(1) <= 1, -r, r, "curved")


def in_cylinder(p, radius, height):
    return (p[:, 0]**2 + p[:, 1]**2 <= radius**2) & (np.abs(p[:, 2]) <= height / 2)


def cylinder(rng):
    r, h = rng.choice([(0.15, 1.0), (0.3, 0.8), (0.5, 0.5), (0.5, 0.1)])
    half = np.array([r, r, h / 2])
    return Solid("cylinder", {"cylinder": {"radius": r, "height": h}}, lambda p: in_cylinder(p, r, h), -half, half)


def cone(rng):
    bottom, top = 0.5, rng.choice([0.0, 0.2, 0.4])
    h = rng.uniform(0.4, 1)
    half = np.array([0.5, 0.5, h / 2])

    def inside(p):
        radius = bottom + (top - bottom) * (p[:, 2] / h + 0.5)
        return p[:, 0]**2 + p[:, 1]**2 <= radius**2

    return Solid("cone", {"cone": {"radius_bottom": bottom, "radius_top": top, "height": h}}, inside, -half, half)


def capsule(rng):
    r = rng.uniform(0.1, 0.3)
    length = 1 - 2 * r
    half = np.array([r, r, 0.5])

    def inside(p):
        z = np.maximum(np.abs(p[:, 2]) - length / 2, 0)
        return p[:, 0]**2 + p[:, 1]**2 + z**2 <= r**2

    return Solid("capsule", {"capsule": {"radius": r, "length": length}}, inside, -half, half, "curved")


def torus(rng):
    minor = rng.uniform(0.08, 0.18)
    major = 0.5 - minor
    half = np.array([0.5, 0.5, minor])

    def inside(p):
        return (np.hypot(p[:, 0], p[:, 1]) - major)**2 + p[:, 2]**2 <= minor**2

    return Solid("torus", {"torus": {"major_radius": major, "minor_radius": minor}}, inside, -half, half, "curved", True)


def quadric(rng):
    a, b = rng.uniform(1, 3), rng.uniform(-0.3, 0.3)
    # 4 x² + 4 a y² + 4 z² + b x z ≤ 1
    c = [4.0, 4 * a, 4.0, 0.0, b, 0.0, 0.0, 0.0, 0.0, -1.0]

    def inside(p):
        x, y, z = p.T
        return c[0] * x * x + c[1] * y * y + c[2] * z * z + c[4] * x * z <= 1

    half = np.array([0.52, 0.5, 0.52])
    return Solid("quadric", {"quadric": {"coefficients": c}}, inside, -half, half, "curved")


def in_planes(p, planes):
    return np.all([p @ n <= d for n, d in planes], axis=0)


def half_spaces(rng):
    planes = []
    for n in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]:
        n = np.array(n) + rng.uniform(-0.3, 0.3, 3)
        planes.append((n / np.linalg.norm(n), rng.uniform(0.2, 0.4)))
    half = np.full(3, 0.9)
    return Solid("half_spaces", {"half_spaces": [{"normal": n, "offset": d} for n, d in planes]},
                 lambda p: in_planes(p, planes), -half, half)


def convex(rng):
    from scipy.spatial import ConvexHull
    points = rng.normal(size=(8, 3))
    points *= 0.5 / np.linalg.norm(points, axis=1)[:, None] * rng.uniform(0.6, 1, 8)[:, None]
    hull = ConvexHull(points)
    planes = [(e[:3], -e[3]) for e in hull.equations]
    return Solid("convex", {"convex": {"vertices": points[hull.vertices]}}, lambda p: in_planes(p, planes),
                 points.min(0), points.max(0))


def in_box(p, size, at=(0, 0, 0)):
    return (np.abs(p - np.array(at)) <= np.array(size) / 2).all(1)


def at(shape, position, **pose):
    return {**shape, "pose": {"position": list(position), **pose}}


def bracket(rng):
    t = rng.uniform(0.15, 0.35)
    a, b = (1.0, 0.4, t), (t, 0.4, 0.8)
    pa, pb = (0, 0, t / 2), (-0.5 + t / 2, 0, 0.4)
    return Solid("bracket", {"union": [at({"box": {"size": a}}, pa), at({"box": {"size": b}}, pb)]},
                 lambda p: in_box(p, a, pa) | in_box(p, b, pb), np.array([-0.5, -0.2, 0]), np.array([0.5, 0.2, 0.8]))


def dumbbell(rng):
    r, bar = rng.uniform(0.15, 0.25), 0.07
    z = 0.5 - r
    ball = lambda p, z0: (p[:, 0]**2 + p[:, 1]**2 + (p[:, 2] - z0)**2) <= r * r
    half = np.array([r, r, 0.5])
    return Solid("dumbbell", {"union": [at({"sphere": {"radius": r}}, (0, 0, z)), at({"sphere": {"radius": r}}, (0, 0, -z)),
                                        {"cylinder": {"radius": bar, "height": 2 * z}}]},
                 lambda p: ball(p, z) | ball(p, -z) | in_cylinder(p, bar, 2 * z), -half, half, "curved")


def tube(rng):
    hole, h = rng.uniform(0.2, 0.4), rng.uniform(0.15, 0.8)
    half = np.array([0.5, 0.5, h / 2])
    return Solid("tube", {"difference": [{"cylinder": {"radius": 0.5, "height": h}},
                                         {"cylinder": {"radius": hole, "height": 2 * h}}]},
                 lambda p: in_cylinder(p, 0.5, h) & ~in_cylinder(p, hole, 2 * h), -half, half, dear=True)


def block_with_hole(rng):
    size, hole = np.array([1.0, 0.8, rng.uniform(0.3, 0.6)]), rng.uniform(0.1, 0.3)
    return Solid("block_with_hole", {"difference": [{"box": {"size": size}}, {"cylinder": {"radius": hole, "height": 1.0}}]},
                 lambda p: in_box(p, size) & ~in_cylinder(p, hole, 1.0), -size / 2, size / 2)


def lens(rng):
    r = rng.uniform(0.55, 0.8)
    d = 0.5 * r  # centres at ±d
    w = np.sqrt(r * r - d * d)
    half = np.array([w, w, r - d])
    ball = lambda p, z0: (p[:, 0]**2 + p[:, 1]**2 + (p[:, 2] - z0)**2) <= r * r
    return Solid("lens", {"intersection": [at({"sphere": {"radius": r}}, (0, 0, d)), at({"sphere": {"radius": r}}, (0, 0, -d))]},
                 lambda p: ball(p, d) & ball(p, -d), -half, half, "curved", True)


def half_ball(rng):
    cut = rng.uniform(-0.2, 0.2)
    return Solid("half_ball", {"intersection": [{"sphere": {"radius": 0.5}}, {"half_space": {"normal": [0, 0, 1], "offset": cut}}]},
                 lambda p: ((p**2).sum(1) <= 0.25) & (p[:, 2] <= cut), -0.5 * np.ones(3), np.array([0.5, 0.5, max(cut, 0.01)]))


def cross(rng):
    t = rng.uniform(0.15, 0.3)
    sizes = [(1, t, t), (t, 1, t), (t, t, 1)]
    return Solid("cross", {"union": [{"box": {"size": s}} for s in sizes]},
                 lambda p: np.any([in_box(p, s) for s in sizes], axis=0), -0.5 * np.ones(3), 0.5 * np.ones(3))


def dimpled(rng):
    r = rng.uniform(0.3, 0.5)
    size = np.array([0.8, 0.8, 0.5])
    z = 0.25 + r * rng.uniform(0.3, 0.7)
    return Solid("dimpled", {"difference": [{"box": {"size": size}}, at({"sphere": {"radius": r}}, (0, 0, z))]},
                 lambda p: in_box(p, size) & (p[:, 0]**2 + p[:, 1]**2 + (p[:, 2] - z)**2 > r * r), -size / 2, size / 2, dear=True)


PRIMITIVES = (box, sphere, ellipsoid, cylinder, cone, capsule, torus, quadric, half_spaces, convex)
COMPOSED = (bracket, dumbbell, tube, block_with_hole, lens, half_ball, cross, dimpled)


ROUND = ("sphere", "ellipsoid", "capsule", "quadric", "dumbbell", "half_ball")  # against hollow ones


def random_solid(rng, refused=lambda solid: False):
    """A solid of about 1 m: every primitive and every composition equally often, none refused."""
    while True:
        makers = PRIMITIVES if rng.random() < 0.65 else COMPOSED
        solid = makers[rng.integers(len(makers))](rng)
        if not refused(solid):
            return solid
