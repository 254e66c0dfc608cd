#!/usr/bin/python3
"""A box that is lowered into the open bay of a truss: tubes between balls, one solid.

    data/scenes/large/box_into_truss.py [--count 5000] [--out FILE]"""
import math

from scene_text import head, main, model, numbers

EDGE, BAY = 0.1, 2  # of the lattice [m]; of the bay, in edges
STRUT, NODE = 0.006, 0.016  # radii: struts that meet at 45 degrees part within the ball
GAP, CHAMFER, HEIGHT = 2.5e-4, 0.01, 0.16  # between box and balls on each side; of the box
STEPS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1))


def lattice(side):
    """Struts ((i, j, k), (i, j, k)) between neighbours, and one diagonal in every second face, so that none cross; none inside the bay."""
    low, floor = (side - BAY) // 2, side - BAY

    def free(a, b):
        x, y, z = ((p + q) / 2 for p, q in zip(a, b))
        return not (low < x < low + BAY and low < y < low + BAY and z > floor)

    nodes = [(i, j, k) for i in range(side + 1) for j in range(side + 1) for k in range(side + 1)]
    ends = [(a, tuple(p + q for p, q in zip(a, d))) for a in nodes for d in STEPS if sum(d) == 1 or sum(a) % 2 == 0]
    return [(a, b) for a, b in ends if max(b) <= side and free(a, b)]


def turn(a, b):
    """The pose key that turns the axis z along b − a: about z × (b − a)."""
    d = [q - p for p, q in zip(a, b)]
    across = math.hypot(d[0], d[1])
    angle = math.atan2(across, d[2])
    return f", rotation_vector: {numbers((-d[1] / across * angle, d[0] / across * angle, 0))}" if across else ""


def lines(count):
    side = BAY
    struts = []
    while len(struts) < count:  # the least cube of an even number of edges that has so many
        side += 2
        struts = lattice(side)
    low = (side - BAY) // 2
    # Those too many are left out around the middle of its lowest face.
    struts = sorted(struts, key=lambda s: (math.dist([(p + q) / 2 for p, q in zip(*s)], (side / 2, side / 2, 0)), s))[len(struts) - count:]
    nodes = sorted({node for strut in struts for node in strut})
    width = BAY * EDGE - 2 * NODE - 2 * GAP
    text = head("box into a truss", [f"A box of {width * 1e3:g} mm is lowered by a compliant holder into the bay of a truss of {count} struts and {len(nodes)} nodes,",
                                     f"1 mm beside its middle and tilted. It has {GAP * 1e3:g} mm of play on each side; its chamfers find the way."],
                "box_into_truss.py", duration=1, integrator="{step: 0.00025}", output="{every: 0.005}")
    text += ["shapes:", f"  node: {{sphere: {{radius: {NODE:g}}}}}"]
    lengths = {"strut": 1.0, "diagonal": math.sqrt(2)}
    text += [f"  {name}: {{cylinder: {{radius: {STRUT:g}, height: {length * EDGE:.10g}}}}}" for name, length in lengths.items()]
    # Balls first: a part of a union is cut by those before it, so that balls stay whole and struts end on them.
    text += ["  truss:", "    union:"] + [f"      - {{ref: node, pose: {{position: {numbers(EDGE * p for p in node)}}}}}" for node in nodes]
    for a, b in struts:
        name = "strut" if math.dist(a, b) < 1.2 else "diagonal"
        text.append(f"      - {{ref: {name}, pose: {{position: {numbers(EDGE * (p + q) / 2 for p, q in zip(a, b))}{turn(a, b)}}}}}")
    w, c = width / 2, width / 2 - CHAMFER
    corners = [(sx * x, sy * x, z) for z, x in ((0, c), (CHAMFER, w), (HEIGHT, w)) for sx in (1, -1) for sy in (1, -1)]
    text += ["  box:", "    convex:", "      vertices: [" + ", ".join(map(numbers, corners)) + "]"]
    # 1 mm above the upper balls at the start; at the end its holder pulls it 1 mm below the balls of the bay's floor.
    x, y = (EDGE * (low + BAY / 2) + d for d in (1e-3, 5e-4))
    top, ground = EDGE * side + NODE + 1e-3, EDGE * (side - BAY) + NODE - 1e-3
    tilt = "rpy_deg: [0.2, 0.1, 0]"
    mass = 500 * (width**2 * HEIGHT)
    stiffness, damping = 2e4, 2 * 0.7 * math.sqrt(2e4 * mass)
    turning = width**2 / 6
    keys = ", ".join(f"{{t: {t:g}, position: {numbers((x, y, z))}, {tilt}, velocity: {numbers((0, 0, v))}}}" for t, z, v in ((0, top, 0), (0.8, ground, 0)))
    text += ["materials: {foam: {density: 500}}"] + model(1e10, 0.2, 0.4) + ["bodies:", "  truss: {shape: truss, fixed: true}"]
    text += ["  box:", "    shape: box", "    material: foam", f"    pose: {{position: {numbers((x, y, top))}, {tilt}}}",
             f"    holder: {{stiffness: {stiffness:g}, damping: {damping:.6g}, rotational_stiffness: {stiffness * turning:.6g}, rotational_damping: {damping * turning:.6g}, "
             f"target: {{keys: [{keys}]}}}}"]
    return text + ["sensors: {box: {body: box}}"]


if __name__ == "__main__":
    main(__file__, lines, 5000)
