#!/usr/bin/env python3
"""Reads meshes that others made and compares volumes with trimesh's.

Usage: scripts/foreign_parts.py FOLDER [--program build/release/bin/intervox]
FOLDER holds .stl, .obj and .ply files at any depth, for example /usr/share/assimp/models of Debian's
assimp-testmodels. Prints a Markdown table: what is read, with both volumes, or why it is refused.
Exits with 1 where a volume differs by more than 1e-5 or the program crashes or takes 20 s.
Without trimesh (PyPI) it says so and compares nothing.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import trimesh
except ImportError:
    trimesh = None


def own_result(program, part):
    """(volume, None) or (None, refusal) of one file."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scene:
        scene.write(f'schema: intervox/pairs/1\nshapes: {{part: {{file: "{part}", repair: true}}}}\n')
        scene.flush()
        done = subprocess.run([program, "info", scene.name], capture_output=True, text=True,
                              timeout=20)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{part}: status {done.returncode}: {done.stderr}")
    if done.returncode == 2:
        return None, done.stderr.split(": part: ", 1)[-1].split(". ", 1)[0].strip()
    return float(re.search(r"cells?, ([0-9.e+-]+) m3", done.stdout)[1]), None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="build/release/bin/intervox")
    options = parser.parse_args()
    if trimesh is None:
        print("trimesh is not installed: nothing is compared", file=sys.stderr)
    files = sorted(p for p in options.folder.rglob("*")
                   if p.suffix.lower() in (".stl", ".obj", ".ply") and p.is_file())
    failures = 0
    print("| file | volume | trimesh's | or why it is refused |\n| --- | --- | --- | --- |")
    for path in files:
        volume, refusal = own_result(options.program, path)
        name = path.relative_to(options.folder)
        if refusal is not None:
            print(f"| `{name}` | | | {refusal} |")
            continue
        other = trimesh.load(path, force="mesh").volume if trimesh else float("nan")
        failures += abs(abs(other) - volume) > 1e-5 * volume
        print(f"| `{name}` | {volume:.6g} | {other:.6g} | |")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
