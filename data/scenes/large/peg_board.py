#!/usr/bin/python3
"""A board of chamfered pegs that is pressed into as many holes at once.

    data/scenes/large/peg_board.py [--count 1000] [--out FILE]"""
import math

from scene_text import head, main, model, numbers

PITCH = 0.012
PEG, HOLE = 0.0039975, 0.00405  # radii
CHAMFER = 0.0005
LENGTH, DEPTH, PLATE = 0.02, 0.009, 0.005  # of the pegs, of the holes; thickness of board and base
OFF_AXIS, TURNED = 2e-4, 0.05  # [m], [deg]: at the corners 0.45 mm, which the chamfers catch
DENSITY, G = 8000, 9.81


def places(count):
    """Where the holes are, row by row in a rectangle without gaps, and its size."""
    rows = next(r for r in range(math.isqrt(count), 0, -1) if count % r == 0)
    columns = count // rows
    return [(PITCH * (n % columns + 0.5), PITCH * (n // columns + 0.5)) for n in range(count)], (PITCH * columns, PITCH * rows)


def block(at, size):
    """Square tiles with a hole each on a base; its top is z = 0."""
    lines = ["  tile:", "    difference:", f"      - {{box: {{size: {numbers((PITCH, PITCH, DEPTH))}}}}}", f"      - {{cylinder: {{radius: {HOLE:g}, height: {2 * DEPTH:g}}}}}",
             "  block:", "    union:", f"      - {{box: {{size: {numbers((*size, PLATE))}}}, pose: {{position: {numbers((size[0] / 2, size[1] / 2, -PLATE / 2))}}}}}"]
    return lines + [f"      - {{ref: tile, pose: {{position: {numbers((x, y, DEPTH / 2))}}}}}" for x, y in at]


def peg():
    """A chamfered peg; z = 0 is its lower end."""
    shaft = LENGTH - CHAMFER
    return [f"  tip: {{cone: {{radius_bottom: {PEG - CHAMFER:.10g}, radius_top: {PEG:.10g}, height: {CHAMFER:g}}}}}",
            "  peg:", "    union:", f"      - {{cylinder: {{radius: {PEG:.10g}, height: {shaft:.10g}}}, pose: {{position: {numbers((0, 0, CHAMFER + shaft / 2))}}}}}",
            f"      - {{ref: tip, pose: {{position: {numbers((0, 0, CHAMFER / 2))}}}}}"]


def board(at, size):
    """Pegs under a plate; z = 0 is the pegs' lower ends, under the plate's middle."""
    lines = ["  board:", "    union:", f"      - {{box: {{size: {numbers((*size, PLATE))}}}, pose: {{position: {numbers((0, 0, LENGTH + PLATE / 2))}}}}}"]
    return lines + [f"      - {{ref: peg, pose: {{position: {numbers((x - size[0] / 2, y - size[1] / 2, 0))}}}}}" for x, y in at]


def short(values):
    return numbers(float(f"{v:.4g}") for v in values)


def lines(count):
    at, size = places(count)
    mass = DENSITY * (size[0] * size[1] * PLATE + count * math.pi * PEG**2 * LENGTH)
    stiffness = [k * mass * G / 1e-3 for k in (5, 5, 100)]  # [N/m]: soft sideways, so that the chamfers can lead; at the end 0.3 mm press 30 weights
    damping = [2 * math.sqrt(k * mass) for k in stiffness]
    gyration = (size[0]**2 + size[1]**2) / 12
    keys = [(0, DEPTH + 1e-4, 0.1), (0.092, -1e-4, 0.1), (0.1, -3e-4, 0)]
    start = (size[0] / 2 + OFF_AXIS, size[1] / 2)
    path = ", ".join(f"{{t: {t:g}, position: {numbers((*start, z))}, rpy_deg: {numbers((0, 0, TURNED))}, velocity: {numbers((0, 0, -v))}}}" for t, z, v in keys)
    text = head("peg board", [f"A board of {count} pegs of {2e3 * PEG:.3f} mm is lowered into as many holes of {2e3 * HOLE:.3f} mm, {OFF_AXIS * 1e3:g} mm beside their axes and turned by "
                              f"{TURNED:g} degrees, and pressed onto their ground."], "peg_board.py", duration=0.15, integrator="{step: 0.0005}", output="{every: 0.002}")
    text += ["shapes:"] + peg() + block(at, size) + board(at, size) + [f"materials: {{steel: {{density: {DENSITY}}}}}"] + model(1e10, 0.2, 0.5)
    return text + ["bodies:", "  block: {shape: block, fixed: true, material: steel}", "  board:", "    shape: board", "    material: steel",
                   f"    pose: {{position: {numbers((*start, DEPTH + 1e-4))}, rpy_deg: {numbers((0, 0, TURNED))}}}", "    velocity: {linear: [0, 0, -0.1]}",
                   f"    holder: {{stiffness: {short(stiffness)}, damping: {short(damping)}, rotational_stiffness: {short(k * gyration for k in stiffness[::-1])}, "
                   f"rotational_damping: {short(c * gyration for c in damping[::-1])}, "
                   f"target: {{keys: [{path}]}}}}", "sensors: {board: {body: board}}"]


if __name__ == "__main__":
    main(__file__, lines, 1000)
