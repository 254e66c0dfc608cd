#!/usr/bin/env python3
"""Reads mutated part files: each must be taken or refused with a message, within ten seconds.

Usage: scripts/fuzz_parts.py [COUNT] [--seed N] [--program build/release/bin/intervox]
Seeds are a brick as OBJ, STL and PLY, a small OpenSCAD tree and, with --grids, a ball as .vdb; bytes are changed, cut out, doubled
and cut off. COUNT defaults to 20000. Exits with 1 and keeps the file where the program crashes, hangs
or ends without a message.
"""

import argparse
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

CORNERS = [(x, y, z) for z in (0, 0.1) for y in (0, 0.2) for x in (0, 0.3)]
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
TRIANGLES = [(q[0], q[k], q[k + 1]) for q in QUADS for k in (1, 2)]
CSG = """difference() { cube(size = [1, 2, 3], center = true); multmatrix([[1, 0, 0, 1],
[0, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) { sphere($fn = 0, r = 1); cylinder($fn = 6, h = 1, r1 = 1,
r2 = 0.5); } }
"""


def grid_seeds(program, folder):
    """A ball as a grid of OpenVDB."""
    scene = folder / "ball.yaml"
    scene.write_text("schema: intervox/pairs/1\nshapes: {ball: {sphere: {radius: 0.01}}}\n")
    grid = folder / "ball.vdb"
    subprocess.run([program, "rasterize", str(scene), "--shape", "ball", "--voxel-size", "2e-3", "-o", str(grid)],
                   check=True, capture_output=True)
    return [("vdb", grid.read_bytes())]


def seeds():
    """(extension, bytes) of unharmed files."""
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    obj += "".join("f " + " ".join(str(i + 1) for i in t) + "\n" for t in TRIANGLES)
    text = "solid a\n"
    binary = bytes(80) + struct.pack("<I", len(TRIANGLES))
    for t in TRIANGLES:
        text += "facet normal 0 0 0\nouter loop\n"
        text += "".join("vertex {} {} {}\n".format(*CORNERS[i]) for i in t)
        text += "endloop\nendfacet\n"
        binary += bytes(12) + b"".join(struct.pack("<3f", *CORNERS[i]) for i in t) + bytes(2)
    head = ("ply\nformat {} 1.0\nelement vertex 8\nproperty double x\nproperty double y\n"
            "property double z\nelement face 12\nproperty list uchar int vertex_indices\nend_header\n")
    ply = head.format("binary_big_endian").encode()
    ply += b"".join(struct.pack(">3d", *p) for p in CORNERS)
    ply += b"".join(struct.pack(">B3i", 3, *t) for t in TRIANGLES)
    ascii_ply = head.format("ascii") + "".join("{} {} {}\n".format(*p) for p in CORNERS)
    ascii_ply += "".join("3 {} {} {}\n".format(*t) for t in TRIANGLES)
    return [("obj", obj.encode()), ("stl", (text + "endsolid a\n").encode()), ("stl", binary),
            ("ply", ply), ("ply", ascii_ply.encode()), ("csg", CSG.encode())]


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(12)
        if kind == 0:
            del data[at:min(end, at + 40)]
        elif kind == 1:
            data[at:at] = data[at:min(end, at + 40)]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = rng.choice([b"nan", b"1e999", b"-1", b"4294967295", b"\xff" * 8, b"\0" * 64])
        elif data:
            data[rng.randrange(len(data))] = rng.randrange(256)
        if not data:
            data = bytearray(b"x")
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--grids", action="store_true", help="mutate a grid instead of the other files")
    parser.add_argument("--program", default="build/release/bin/intervox")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fuzz_parts_"))
    files = grid_seeds(options.program, folder) if options.grids else seeds()
    taken = failures = 0
    for k in range(options.count):
        extension, data = rng.choice(files)
        part = folder / f"part_{k}.{extension}"
        part.write_bytes(mutated(data, rng))
        scene = folder / "scene.yaml"
        repair = "" if extension in ("csg", "vdb") or rng.random() < 0.5 else ", repair: true"
        scene.write_text(f"schema: intervox/pairs/1\nshapes: {{part: {{file: {part.name}{repair}}}}}\n")
        try:
            done = subprocess.run([options.program, "info", str(scene)], capture_output=True, timeout=10)
            is_good = done.returncode == 0 or (done.returncode == 2 and done.stderr.strip())
        except subprocess.TimeoutExpired:
            is_good = False
            done = None
        taken += bool(done and done.returncode == 0)
        if is_good:
            part.unlink()
        else:
            failures += 1
            print(f"{part}: {'more than 10 s' if done is None else f'status {done.returncode}'}")
    print(f"{options.count} files, {taken} taken, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
