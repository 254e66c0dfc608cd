#!/usr/bin/python3
"""Mixed parts that fall into a bin as a loose column, pile up and settle.

    data/scenes/large/bin_of_parts.py [--count 1000] [--out FILE]"""
import math
import random

from scene_text import head, main, model, numbers

# No part reaches farther than 16.8 mm from its origin, so that at this pitch none touches another at the start.
PITCH = 0.036
JITTER = 1e-3


def prism(sides, across, height):
    """Half-spaces of a regular prism."""
    turns = [2 * math.pi * k / sides for k in range(sides)]
    faces = [((math.cos(a), math.sin(a), 0), across / 2) for a in turns] + [((0, 0, 1), height / 2), ((0, 0, -1), height / 2)]
    return "{half_spaces: [" + ", ".join(f"{{normal: {numbers(n)}, offset: {d:g}}}" for n, d in faces) + "]}"


WEDGE = [(x, y, z) for x, z in ((-0.012, -0.006), (0.012, -0.006), (-0.012, 0.008)) for y in (-0.007, 0.007)]
SHAPES = {
    "cube": "{box: {size: [0.018, 0.018, 0.018]}}",
    "bar": "{box: {size: [0.03, 0.012, 0.008]}}",
    "ball": "{sphere: {radius: 0.01}}",
    "disc": "{cylinder: {radius: 0.012, height: 0.008}}",
    "egg": "{ellipsoid: {radii: [0.013, 0.01, 0.008]}}",
    "wedge": f"{{convex: {{vertices: [{', '.join(map(numbers, WEDGE))}]}}}}",
    "hexagon": prism(6, 0.02, 0.008),
    "angle": "{union: [{box: {size: [0.024, 0.012, 0.006]}, pose: {position: [0, 0, -0.007]}}, "
             "{box: {size: [0.006, 0.012, 0.014]}, pose: {position: [-0.009, 0, 0.003]}}]}",
}


def lines(count):
    rng = random.Random(1)
    columns = max(2, round((count / 16)**0.5))  # each way
    inner = columns * PITCH + 0.024
    high = 0.25 * count / columns**2 * PITCH  # the settled parts fill about half of it
    wall = 0.01
    text = head("bin of parts", [f"{count} parts of eight shapes, a loose column, fall into a bin of {inner * 1e3:.0f} mm, pile up and settle."],
                "bin_of_parts.py", duration=0.55, integrator="{method: ark2, step: 0.0005}", engine="{tolerance: 1e-4}", output="{every: 0.01}")
    text += ["shapes:"] + [f"  {name}: {solid}" for name, solid in SHAPES.items()]
    text += ["  bin:", "    difference:",
             f"      - {{box: {{size: {numbers((inner + 2 * wall, inner + 2 * wall, high + wall))}}}, pose: {{position: {numbers((0, 0, (high - wall) / 2))}}}}}",
             f"      - {{box: {{size: {numbers((inner, inner, 2 * high))}}}, pose: {{position: {numbers((0, 0, high))}}}}}"]
    text += ["materials: {aluminium: {density: 2700}}"] + model(1.5e7, 0.3, 0.5) + ["bodies:", "  bin: {shape: bin, fixed: true}"]
    names = list(SHAPES)
    for n in range(count):
        column, row, storey = n % columns, n // columns % columns, n // columns**2
        at = [PITCH * (column - (columns - 1) / 2), PITCH * (row - (columns - 1) / 2), 0.02 + PITCH * storey]
        at = [round(a + rng.uniform(-JITTER, JITTER), 6) for a in at]
        rpy = [round(rng.uniform(-180, 180), 2) for _ in range(3)]
        # The shapes take turns, so that a layer has as many of each.
        text.append(f"  p{n}: {{shape: {names[n % len(names)]}, material: aluminium, pose: {{position: {numbers(at)}, rpy_deg: {numbers(rpy)}}}}}")
    return text + ["sensors: {bin: {body: bin}}"]


if __name__ == "__main__":
    main(__file__, lines, 1000)
