#!/usr/bin/python3
"""The scenes of data/scenes/large: each is what its script writes, and runs to its end, the boards and bins with fewer parts.

    tests/large_scenes.py INTERVOX"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGE = ROOT / "data/scenes/large"


def written(name, folder, count=None):
    path = folder / f"{name}.yaml"
    subprocess.run([LARGE / f"{name}.py", "--out", path, *(["--count", str(count)] if count else [])], check=True)
    return path


def run(program, scene):
    """The results of a run that ends with status 0: without a substep that gained energy."""
    out = scene.with_suffix(".h5")
    subprocess.run([program, "run", "--quiet", "--threads", "1", scene, "-o", out], check=True)
    return h5py.File(out)


def require(holds, what):
    if not holds:
        raise AssertionError(what)
    print("holds:", what)


def energy(f, name):
    return f[f"energy/{name}"][:]


def require_audit(f, share):
    dissipated = sum(energy(f, f"dissipated_{k}")[-1] for k in ("normal", "sliding", "spinning", "rolling"))
    left = np.abs(energy(f, "balance")).max()
    require(left < share * dissipated, f"the audit closes to {left:.3g} J of {dissipated:.3g} J dissipated, at most {share:g} of it")


def main(program):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in ("peg_board", "bin_of_parts", "box_into_truss"):
            require(written(name, folder).read_bytes() == (LARGE / f"{name}.yaml").read_bytes(), f"{name}.yaml is what its script writes")

        f = run(program, written("box_into_truss", folder))
        z = f["bodies/box/position"][:, 2]
        require(z[0] - z[-1] > 0.19 and np.ptp(z[-20:]) < 1e-6, "the box is in the bay and stays there")
        require(f["bodies/box/contact_force"][-1, 2] > 30, "the truss carries it and its holder's push")
        require_audit(f, 1e-5)

        f = run(program, written("peg_board", folder, 24))
        z, turn = f["bodies/board/position"][:, 2], 2 * f["bodies/board/orientation"][:, 3]
        require(-1e-4 < z[-1] < 0, "the pegs are pressed onto the ground of their holes")
        require(abs(turn[0]) > 8e-4 and abs(turn[-1]) < abs(turn[0]), "the holes turn the board back")
        require_audit(f, 2e-2)

        f = run(program, written("bin_of_parts", folder, 24))
        ends = np.array([f[f"bodies/p{n}/position"][-1] for n in range(24)])
        require((np.abs(ends[:, :2]) < 0.05).all() and (ends[:, 2] > 0.003).all(), "every part lies in the bin")
        require(energy(f, "kinetic")[-1] < 0.02 * energy(f, "kinetic").max(), "they have come to rest but for a fiftieth of the energy")
        require_audit(f, 1e-3)


if __name__ == "__main__":
    main(sys.argv[1])
