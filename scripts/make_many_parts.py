#!/usr/bin/python3
"""Writes scenes of many parts.

    scripts/make_many_parts.py layer|slab|flight|pegs|pegboard|bin|truss [--count N] [--out FILE] [--seed 1]
    scripts/make_many_parts.py --shipped

layer     touching balls on a floor, spacing 19.9 mm, radius 10 mm, 0.1 mm deep in the floor
slab      a slab that rests 10 µm deep on separate tiles of one body
flight    balls that fly and never meet
pegs      chamfered pegs, a body each, pressed into as many holes of one block at once
pegboard  the pegs on one board, pressed into all holes at once
bin       mixed parts poured into a bin
truss     a box lowered into the bay of a truss, one body of as many struts"""
import argparse
import math
import pathlib
import random

G = 9.81


def numbers(values):
    """Numbers in brackets, ten digits at most."""
    return "[" + ", ".join(f"{0.0 if abs(v) < 1e-12 else v:.10g}" for v in values) + "]"


def head(name, about, duration, step, **more):
    lines = ["schema: intervox/scene/1", f"name: {name}", f"# {about}", "# Written by scripts/make_many_parts.py.",
             f"duration: {duration:g}", f"integrator: {{step: {step:g}}}"]
    return lines + [f"{k}: {v}" for k, v in more.items()]


def model(k_v, mu, e, rolling=False):
    more = ", rolling: {model: gonthier, cap: 1}, spinning: {model: contensou}" if rolling else ""
    return ["contact_models:", f"  default: {{normal: {{model: gonthier, stiffness: {k_v:g}, restitution: {e:g}}}, "
            f"friction: {{model: bristle, mu_s: {mu:g}, mu_c: {mu:g}}}{more}}}"]


def layer(count, _):
    r, pitch, depth = 0.01, 0.0199, 1e-4
    density = 1000.0
    k_v = 4 / 3 * math.pi * r**3 * density * G / (math.pi * r * depth**2)  # rests as deep as it starts
    columns = math.ceil(math.sqrt(count))
    lines = head("layer of balls", f"{count} balls of 10 mm radius, 19.9 mm apart, 0.1 mm deep in the floor.", 0.025, 250e-6, output="{every: 0.005}")
    lines += ["shapes: {ball: {sphere: {radius: 0.01}}}", f"materials: {{ball: {{density: {density:g}}}}}"] + model(k_v, 0.3, 0.5)
    lines += ["bodies:", "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}"]
    for n in range(count):
        at = (pitch * (n % columns), pitch * (n // columns), r - depth)
        lines.append(f"  b{n}: {{shape: ball, material: ball, pose: {{position: {numbers(at)}}}}}")
    return lines


def slab(count, _):
    side = math.ceil(math.sqrt(count))
    tile, pitch, depth, thick, density = 0.02, 0.025, 1e-5, 0.05, 2700.0
    width = side * pitch
    k_v = density * thick * width * width * G / (count * tile * tile * depth)
    lines = head("slab on tiles", f"A slab of {width:g} m rests 10 µm deep on {count} separate tiles of one worksite.", 0.025, 250e-6, output="{every: 0.005}")
    lines += ["shapes:", f"  t: {{box: {{size: {numbers((tile, tile, 0.01))}}}}}", "  tiles:", "    union:"]
    lines += [f"      - {{ref: t, pose: {{position: {numbers((pitch * (n % side) + pitch / 2, pitch * (n // side) + pitch / 2, -0.005))}}}}}" for n in range(count)]
    lines += [f"materials: {{slab: {{density: {density:g}}}}}"] + model(k_v, 0.3, 0.5)
    at = numbers((width / 2, width / 2, thick / 2 - depth))
    lines += ["bodies:", "  worksite: {shape: tiles, fixed: true}",
              f"  slab: {{shape: {{box: {{size: {numbers((width, width, thick))}}}}}, material: slab, pose: {{position: {at}}}}}"]
    return lines


def flight(count, rng):
    side = math.ceil(count**(1 / 3))
    lines = head("balls in flight", f"{count} balls of 10 mm radius fly; none meets another.", 0.025, 250e-6, output="{every: 0.005}")
    lines += ["shapes: {ball: {sphere: {radius: 0.01}}}", "materials: {ball: {density: 1000}}"] + model(1e8, 0.3, 0.5)
    lines += ["bodies:", "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: -1}}, fixed: true}"]
    for n in range(count):
        at = (0.05 * (n % side), 0.05 * (n // side % side), 0.05 * (n // side**2))
        v = [round(rng.uniform(-0.2, 0.2), 4) for _ in range(3)]
        lines.append(f"  b{n}: {{shape: ball, material: ball, pose: {{position: {numbers(at)}}}, velocity: {{linear: {numbers(v)}}}}}")
    return lines


PITCH = 0.012
PEG = ["  tip: {cone: {radius_bottom: 0.0034975, radius_top: 0.0039975, height: 0.0005}}",
       "  peg:", "    union:", "      - {cylinder: {radius: 0.0039975, height: 0.0195}, pose: {position: [0, 0, 0.01025]}}",
       "      - {ref: tip, pose: {position: [0, 0, 0.00025]}}"]


def holes(count):
    """A block of square tiles with a hole each, on a base: z = 0 is the base."""
    side = math.ceil(math.sqrt(count))
    width = side * PITCH
    lines = ["  tile:", "    difference:", f"      - {{box: {{size: [{PITCH:g}, {PITCH:g}, 0.009]}}}}", "      - {cylinder: {radius: 0.00405, height: 0.02}}",
             "  block:", "    union:", f"      - {{box: {{size: {numbers((width, width, 0.005))}}}, pose: {{position: {numbers((width / 2, width / 2, -0.0025))}}}}}"]
    places = [(PITCH * (n % side + 0.5), PITCH * (n // side + 0.5)) for n in range(count)]
    lines += [f"      - {{ref: tile, pose: {{position: {numbers((x, y, 0.0045))}}}}}" for x, y in places]
    return lines, places, width


def pegs(count, rng):
    block, places, _ = holes(count)
    lines = head("pegs into holes", f"{count} pegs of 7.995 mm, a body in a holder each, are lowered into holes of 8.100 mm at once and pressed with 10 N.", 0.15,
                 250e-6, output="{every: 0.002}")
    lines += ["shapes:"] + PEG + block + ["materials: {steel: {density: 8000}}"] + model(1e11, 0.2, 0.5, True)
    lines += ["bodies:", "  block: {shape: block, fixed: true, material: steel}"]
    for n, (x, y) in enumerate(places):
        at = [round(v + rng.uniform(-2e-4, 2e-4), 6) for v in (x, y)]
        tilt = numbers((round(rng.uniform(-0.4, 0.4), 3), round(rng.uniform(-0.4, 0.4), 3), 0))
        keys = [f"{{t: {t:g}, position: {numbers((*at, z))}, rpy_deg: {tilt}, velocity: {numbers((0, 0, -v))}}}"
                for t, z, v in ((0, 0.0095, 0.1), (0.105, -0.001, 0.1), (0.115, -0.001, 0))]
        lines.append(f"  p{n}: {{shape: peg, material: steel, pose: {{position: {numbers((*at, 0.0095))}, rpy_deg: {tilt}}}, velocity: {{linear: [0, 0, -0.1]}}, "
                     f"holder: {{stiffness: 1e4, damping: 18, rotational_stiffness: 10, rotational_damping: 0.013, target: {{keys: [{', '.join(keys)}]}}}}}}")
    # Pegs do not meet: their neighbours' holes keep them apart.
    return lines + ['contacts: [{bodies: ["*", block], model: default}]']


def pegboard(count, _):
    block, places, width = holes(count)
    lines = head("peg board", f"A board of {count} pegs of 7.995 mm is lowered into as many holes of 8.100 mm, 0.2 mm beside their axes and turned by 0.05 degrees.", 0.3, 250e-6,
                 output="{every: 0.002}")
    lines += ["shapes:"] + PEG + block + ["  board:", "    union:", f"      - {{box: {{size: {numbers((width, width, 0.005))}}}, pose: {{position: {numbers((0, 0, 0.0225))}}}}}"]
    lines += [f"      - {{ref: peg, pose: {{position: {numbers((x - width / 2, y - width / 2, 0))}}}}}" for x, y in places]
    mass = 8000 * (width**2 * 0.005 + count * math.pi * 0.0039975**2 * 0.02)
    stiffness = 400 * mass * G / 1e-3  # sinks by 2.5 µm of its weight
    keys = [(0, 0.0092, 0.1), (0.1, -0.0005, 0.1), (0.11, -0.0005, 0)]
    path = ", ".join(f"{{t: {t:g}, position: {numbers((width / 2 + 2e-4, width / 2, z))}, rpy_deg: [0, 0, 0.05], velocity: {numbers((0, 0, -v))}}}" for t, z, v in keys)
    lines += ["materials: {steel: {density: 8000}}"] + model(1e11, 0.2, 0.5, True)
    lines += ["bodies:", "  block: {shape: block, fixed: true, material: steel}", "  board:", "    shape: board", "    material: steel",
              f"    pose: {{position: {numbers((width / 2 + 2e-4, width / 2, 0.0092))}, rpy_deg: [0, 0, 0.05]}}", "    velocity: {linear: [0, 0, -0.1]}",
              f"    holder: {{stiffness: {stiffness:.6g}, damping: {2 * math.sqrt(stiffness * mass):.6g}, rotational_stiffness: {stiffness * width**2 / 6:.6g}, "
              f"rotational_damping: {2 * math.sqrt(stiffness * mass) * width**2 / 6:.6g}, target: {{keys: [{path}]}}}}",
              "sensors: {board: {body: board}}"]
    return lines


PARTS = {
    "cube": "{box: {size: [0.018, 0.018, 0.018]}}",
    "bar": "{box: {size: [0.03, 0.012, 0.008]}}",
    "ball": "{sphere: {radius: 0.01}}",
    "disc": "{cylinder: {radius: 0.012, height: 0.008}}",
    "egg": "{ellipsoid: {radii: [0.013, 0.01, 0.008]}}",
    "wedge": "{convex: {vertices: [[-0.012, -0.007, -0.006], [-0.012, 0.007, -0.006], [0.012, -0.007, -0.006], [0.012, 0.007, -0.006], "
             "[-0.012, -0.007, 0.008], [-0.012, 0.007, 0.008]]}}",
    "hexagon": "{half_spaces: [" + ", ".join(
        [f"{{normal: {numbers((math.cos(math.radians(60 * k)), math.sin(math.radians(60 * k)), 0))}, offset: 0.01}}" for k in range(6)] +
        [f"{{normal: [0, 0, {z}], offset: 0.004}}" for z in (1, -1)]) + "]}",
    "angle": "{union: [{box: {size: [0.024, 0.012, 0.006]}, pose: {position: [0, 0, 0.003]}}, "
             "{box: {size: [0.006, 0.012, 0.014]}, pose: {position: [-0.009, 0, 0.013]}}]}",
}


def bin_of_parts(count, rng):
    across = max(2, round((count / 10)**0.5))  # columns of parts each way
    inner, pitch = across * 0.034, 0.034
    outer = inner + 0.04
    high = 0.35 * (count / (across * across)) * pitch + 0.06
    lines = head("bin of parts", f"{count} parts of eight shapes are poured into a bin of {inner * 1e3:.0f} mm and settle.", 1.5, 250e-6, output="{every: 0.01}")
    lines += ["shapes:"] + [f"  {k}: {v}" for k, v in PARTS.items()]
    lines += ["  bin:", "    difference:", f"      - {{box: {{size: {numbers((outer, outer, high + 0.02))}}}, pose: {{position: {numbers((0, 0, (high - 0.02) / 2))}}}}}",
              f"      - {{box: {{size: {numbers((inner, inner, high))}}}, pose: {{position: {numbers((0, 0, high / 2 + 1e-9))}}}}}"]
    lines += ["materials: {plastic: {density: 1100}}"] + model(1e8, 0.3, 0.4, True) + ["bodies:", "  bin: {shape: bin, fixed: true}"]
    names = list(PARTS)
    for n in range(count):
        column, row, storey = n % across, n // across % across, n // (across * across)
        at = [(column - (across - 1) / 2) * pitch, (row - (across - 1) / 2) * pitch, 0.02 + storey * pitch]
        at = [a + rng.uniform(-1e-3, 1e-3) for a in at]
        rpy = [round(rng.uniform(-180, 180), 2) for _ in range(3)]
        lines.append(f"  p{n}: {{shape: {names[n % len(names)]}, material: plastic, pose: {{position: {numbers(round(a, 6) for a in at)}, rpy_deg: {numbers(rpy)}}}}}")
    return lines


def truss(count, _):
    """Cubic lattice of struts with diagonals in the faces; a bay of the middle is open at the top."""
    edge, radius, gap = 0.1, 0.006, 0.016
    bay = 2  # edges
    side = bay
    while True:
        side += 1
        tall = max(bay, round(0.8 * side))
        struts = lattice(side, tall, bay)
        if len(struts) >= count:
            break
    # The struts that the box does not meet are left out from the outside until the number fits.
    low = (side - bay) // 2
    middle = (low + bay / 2, low + bay / 2, tall - bay / 2)
    struts.sort(key=lambda s: (sum(((a + b) / 2 - m)**2 for a, b, m in zip(*s, middle)), s))
    struts = struts[:count]
    lines = head("box into a truss", f"A box of 193.5 mm with chamfered edges is lowered into the bay of a truss of {count} struts, 1 mm beside its middle.", 0.6, 250e-6,
                 output="{every: 0.005}")
    lengths = {1.0: "strut", math.sqrt(2): "diagonal"}
    lines += ["shapes:"] + [f"  {name}: {{cylinder: {{radius: {radius:g}, height: {length * edge - 2 * gap:.10g}}}}}" for length, name in lengths.items()]
    lines += ["  truss:", "    union:"]
    for a, b in struts:
        d = [y - x for x, y in zip(a, b)]
        length = math.sqrt(sum(v * v for v in d))
        name = lengths[1.0 if length < 1.2 else math.sqrt(2)]
        at = numbers(edge * (x + y) / 2 for x, y in zip(a, b))
        # From z to d about z × d.
        angle = math.acos(d[2] / length)
        across = math.hypot(d[0], d[1])
        turn = "" if across == 0 else f", rotation_vector: {numbers((-d[1] / across * angle, d[0] / across * angle, 0))}"
        lines.append(f"      - {{ref: {name}, pose: {{position: {at}{turn}}}}}")
    # Clear of the struts' surfaces by 0.25 mm on each side.
    width = bay * edge - 2 * radius - 5e-4
    chamfer = 0.01
    w, c = width / 2, width / 2 - chamfer
    z = (tall + 0.05) * edge
    corners = [(sx * x, sy * y, h) for h, x, y in ((0, c, c), (chamfer, w, w), (width, w, w)) for sx in (1, -1) for sy in (1, -1)]
    center = (low + bay / 2) * edge
    lines += ["  box:", "    convex:", "      vertices: [" + ", ".join(map(numbers, corners)) + "]"]
    lines += ["materials: {aluminium: {density: 500}}"] + model(1e10, 0.2, 0.4, True)
    lines += ["bodies:", "  truss: {shape: truss, fixed: true}",
              f"  box: {{shape: box, material: aluminium, pose: {{position: {numbers((center + 1e-3, center + 5e-4, z))}, rpy_deg: [0.2, 0.1, 0]}}, "
              "velocity: {linear: [0, 0, -0.2]}}", "sensors: {box: {body: box}}"]
    return [line.replace("193.5 mm", f"{width * 1e3:g} mm") for line in lines]


def lattice(side, tall, bay):
    """Struts ((i, j, k), (i, j, k)) between neighbours and across faces, none inside the bay or above its floor within it."""
    low, high = (side - bay) // 2, (side - bay) // 2 + bay
    floor = tall - bay

    def inside(a, b):
        m = [(x + y) / 2 for x, y in zip(a, b)]
        return low < m[0] < high and low < m[1] < high and m[2] > floor

    struts = []
    for i in range(side + 1):
        for j in range(side + 1):
            for k in range(tall + 1):
                for d in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)):
                    if (i + j + k) % 2 and sum(d) == 2:
                        continue  # one diagonal for every second face, so that none cross
                    b = (i + d[0], j + d[1], k + d[2])
                    if b[0] <= side and b[1] <= side and b[2] <= tall and not inside((i, j, k), b):
                        struts.append(((i, j, k), b))
    return struts


SCENES = {"layer": (layer, 1000), "slab": (slab, 400), "flight": (flight, 10000), "pegs": (pegs, 1000), "pegboard": (pegboard, 1000),
          "bin": (bin_of_parts, 1000), "truss": (truss, 5000)}
SHIPPED = {"peg_board": "pegboard", "bin_of_parts": "bin", "box_into_truss": "truss"}
LARGE = pathlib.Path(__file__).resolve().parent.parent / "data/scenes/large"


def text(name, count, seed=1):
    """The YAML of a scene."""
    return "\n".join(SCENES[name][0](count, random.Random(seed))) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=list(SCENES), nargs="?")
    parser.add_argument("--count", type=int, help="how many parts; default: the scene's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="the file; default: standard output")
    parser.add_argument("--shipped", action="store_true", help="write the scenes of data/scenes/large")
    options = parser.parse_args()
    if options.shipped:
        for file, name in SHIPPED.items():
            (LARGE / f"{file}.yaml").write_text(text(name, SCENES[name][1]), encoding="utf-8")
        return
    if not options.scene:
        parser.error("name a scene, or --shipped")
    written = text(options.scene, options.count or SCENES[options.scene][1], options.seed)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            out.write(written)
    else:
        print(written, end="")


if __name__ == "__main__":
    main()
