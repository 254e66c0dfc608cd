#!/usr/bin/python3
"""Writes scenes of many parts.

    scripts/make_many_parts.py layer|slab|flight|pegs|pegboard|bin|truss [--count N] [--out FILE] [--seed 1]

layer     touching balls on a floor, spacing 19.9 mm, radius 10 mm, 0.1 mm deep in the floor
slab      a slab that rests 10 µm deep on separate tiles of one body
flight    balls that fly and never meet
pegs      chamfered pegs, a body each, pressed into as many holes of one block at once
pegboard, bin, truss: peg_board, bin_of_parts and box_into_truss of data/scenes/large, with other numbers of parts"""
import argparse
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "data/scenes/large"))
import bin_of_parts  # noqa: E402
import box_into_truss  # noqa: E402
import peg_board  # noqa: E402
from scene_text import numbers  # noqa: E402

G = 9.81


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


def pegs(count, rng):
    places, size = peg_board.places(count)
    lines = head("pegs into holes", f"{count} pegs of 7.995 mm, a body in a holder each, are lowered into holes of 8.100 mm at once and pressed with 10 N.", 0.15,
                 250e-6, output="{every: 0.002}")
    lines += ["shapes:"] + peg_board.peg() + peg_board.block(places, size) + ["materials: {steel: {density: 8000}}"] + model(1e11, 0.2, 0.5, True)
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


SCENES = {"layer": (layer, 1000), "slab": (slab, 400), "flight": (flight, 10000), "pegs": (pegs, 1000), "pegboard": (lambda n, _: peg_board.lines(n), 1000),
          "bin": (lambda n, _: bin_of_parts.lines(n), 1000), "truss": (lambda n, _: box_into_truss.lines(n), 5000)}


def text(name, count, seed=1):
    """The YAML of a scene."""
    return "\n".join(SCENES[name][0](count, random.Random(seed))) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=list(SCENES))
    parser.add_argument("--count", type=int, help="how many parts; default: the scene's own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="the file; default: standard output")
    options = parser.parse_args()
    written = text(options.scene, options.count or SCENES[options.scene][1], options.seed)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            out.write(written)
    else:
        print(written, end="")


if __name__ == "__main__":
    main()
