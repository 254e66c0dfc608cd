#!/usr/bin/python3
"""An interactive page of a run: a view that turns, a time slider, forces and patches, bodies to hide, a
cutting plane, plots that share the slider's time. One file; it needs no network.

Usage: viewer.py RESULTS.h5 [-o PAGE.html] [--intervox PROGRAM]"""

import argparse
import gzip
import html
import json
import os
import shutil
import struct
import subprocess
import tempfile
from base64 import b64encode
from pathlib import Path

import numpy as np

from charts import all_charts
from results import PACES, Results, fail, number, pace, pace_words, run
from tracks import chosen_samples, contacts, packed, track

HERE = Path(__file__).resolve().parent
JAVASCRIPT = Path("/usr/share/javascript")
LIBRARIES = {  # Debian package: files in the order in which they are needed
    "libjs-three": ("three/three.min.js", "three/examples/js/loaders/GLTFLoader.js",
                    "three/examples/js/controls/OrbitControls.js"),
    "libjs-dygraphs": ("dygraphs/dygraph.min.js",)}
MOST_MEGABYTES = 15


def program():
    """The executable `intervox`: of this tree, else of the search path."""
    built = HERE.parent / "build" / "release" / "bin" / "intervox"
    found = str(built) if os.access(built, os.X_OK) else shutil.which("intervox")
    if not found:
        fail(f"{built}: there is no program `intervox`. Build it, or name it with --intervox")
    return found


def triangles(results_path, intervox):
    """The bodies' exact shapes as binary glTF, as `intervox mesh` makes them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "bodies.glb"
        call = subprocess.run([intervox or program(), "mesh", str(results_path), "-o", str(out)],
                              capture_output=True, text=True)
        if call.returncode != 0:
            fail(f"{results_path}: no triangles: {call.stderr.strip()}")
        return out.read_bytes()


def gltf_json(glb):
    """The JSON part of a binary glTF file."""
    return json.loads(glb[20:20 + struct.unpack("<I", glb[12:16])[0]])


def read_library(package, name):
    path = JAVASCRIPT / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{path}: {error.strerror}. Install the Debian package {package} "
             "(scripts/install_dependencies.sh does)")
    lines = (line for line in text.splitlines() if not line.startswith("//# sourceMappingURL"))
    return "\n".join(lines).replace("</script", "<\\/script")


def licences():
    """The licence texts of the libraries, as Debian ships them."""
    parts = []
    for package in LIBRARIES:
        path = Path("/usr/share/doc") / package / "copyright"
        try:
            parts.append(f"{package}\n\n{path.read_text(encoding='utf-8', errors='replace')}")
        except OSError as error:
            fail(f"{path}: {error.strerror}. Install the Debian package {package}")
    return ("<details class=licences><summary>Licences of three.js and dygraphs, which are part of this page"
            f"</summary><pre>{html.escape(chr(10).join(parts))}</pre></details>")


def turned(quaternion, vector):
    """A vector turned by a unit quaternion (x, y, z, w), as glTF writes them."""
    axis, w = np.array(quaternion[:3]), quaternion[3]
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)


def pins(results, nodes):
    """Where the joints hold the bodies: of each joint its name and, of each body that it holds, its index
    and the joint's point in its frame."""
    index = {node["name"]: k for k, node in enumerate(nodes)}

    def local(body, point):
        node = nodes[index[body]]
        x, y, z, w = node["rotation"]
        return turned((-x, -y, -z, w), np.array(point, dtype=float) - node["translation"])

    def world(body, point):
        node = nodes[index[body]]
        return node["translation"] + turned(node["rotation"], np.array(point, dtype=float))

    found = []
    for name, joint in (results.scene.get("joints") or {}).items():
        first, second = joint["bodies"]
        point = joint.get("point", [0.0, 0.0, 0.0])
        if joint.get("type") == "prismatic":
            continue  # it has an axis and no place
        at_start = world(first, point) if joint.get("frame") == "body" else np.array(point, dtype=float)
        sides = [{"body": index[body], "at": local(body, at_start).tolist()}
                 for body in (first, second) if body in index]
        found.append({"name": name, "sides": sides})
    return found


def page_data(results, glb):
    """All that the page's script reads."""
    described = gltf_json(glb)
    extras = described["scenes"][0].get("extras", {})
    moving = results.moving_bodies()
    samples = chosen_samples(results, moving)
    bodies, hidden = [], []
    nodes = [described["nodes"][k] for k in described["scenes"][0]["nodes"]]  # others hang on these
    for node in nodes:
        bodies.append({"name": node["name"], "ground": node["extras"]["cut_to_box"],
                       "color": node["extras"]["color"],
                       "track": packed(track(results, node["name"], samples))
                       if node["name"] in moving else None})
        hidden += [node["name"]] if not {"mesh", "children"} & node.keys() else []
    return {"times": packed(results.time[samples]), "speed": pace(results.time[-1]),
            "bodies": bodies, "hidden": hidden, "contacts": contacts(results, samples), "charts": all_charts(results),
            "pins": pins(results, nodes),
            "glb": b64encode(gzip.compress(glb, mtime=0)).decode(), "up": extras["up"], "center": extras.get("center", [0, 0, 0]),
            "radius": extras.get("radius", 1.0)}


def controls(data):
    chosen = PACES.index(data["speed"])
    offered = sorted({*PACES[max(0, chosen - 4):chosen + 4], 1.0}, reverse=True)
    speeds = "".join(f"<option value={speed:g}{' selected' if speed == data['speed'] else ''}>"
                     f"{pace_words(speed)}</option>" for speed in offered)
    return f"""
<div id=view><canvas id=view-canvas aria-label="The bodies; drag to turn, wheel or pinch to come nearer"></canvas>
<p class=no-webgl-note>This browser draws no WebGL or unpacks no gzip, so there is no view to turn. The plots work.</p></div>
<div class=player><button id=play type=button>Play</button>
<input id=time type=range min=0 value=0 aria-label="time"><output id=time-readout></output>
<select id=speed aria-label="speed">{speeds}</select></div>
<div class=options><div id=bodies></div>
<div><label><input id=show-forces type=checkbox checked><i style="background:#c8102e"></i>forces</label>
<label><input id=show-patches type=checkbox checked><i style="background:#0fa3b1"></i>patches</label>
<label>cut <select id=cut-axis><option value=none>nothing</option><option value=x>across x</option>
<option value=y>across y</option><option value=z>across z</option></select></label>
<input id=cut-offset type=range min=-1 max=1 step=any value=0 disabled aria-label="place of the cut">
<button id=reset-view type=button>Reset view</button></div></div>"""


def view_section(results, intervox=None):
    """The view, the plots and their script as a part of a page; `page_style` goes into its head."""
    data = page_data(results, triangles(results.path, intervox))
    strongest = number(data["contacts"]["largest_force"], "N")
    arrows = ("" if not data["contacts"]["rows"] else
              f" Arrows: forces on the bodies that move; the longest is {strongest}, and lengths go with the "
              "logarithm. Discs and rings: contact patches in their true extent, or larger where that is too small to see.")
    if data["hidden"]:
        arrows += f" Not drawn, too many or no faces: {html.escape(', '.join(data['hidden'][:5]))}."
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    scripts = "".join(f"<script>{read_library(package, name)}</script>"
                      for package, names in LIBRARIES.items() for name in names)
    return (f'<section class=viewer>{controls(data)}<p class=note>Drag to turn, wheel or pinch to come nearer, '
            f"right drag to move.{arrows}</p></section>"
            "<h2>Over time</h2><p class=note>Drag across a plot to zoom all of them, double click to see all, "
            "click to set the time.</p><div id=charts class=two></div>"
            f'<script type="application/json" id=intervox-data>{text}</script>{scripts}'
            f"<script>{(HERE / 'page' / 'viewer.js').read_text()}</script>")


def page_style():
    """The style of pages, dygraphs' own included."""
    return read_library("libjs-dygraphs", "dygraphs/dygraph.min.css") + (HERE / "page" / "page.css").read_text()


def whole_page(title, body):
    """A page of one file."""
    return ("<!doctype html><html lang=en><meta charset=utf-8>"
            "<meta name=viewport content='width=device-width,initial-scale=1'>"
            "<meta name=color-scheme content='light dark'><link rel=icon href='data:,'>"
            f"<title>{html.escape(title)}</title><style>{page_style()}</style>"
            f"<main>{body}{licences()}</main></html>\n")


def require_small(page, name):
    """Refuses a page that is too large to be handed on, with what would help."""
    size = len(page.encode()) / 1e6
    if size > MOST_MEGABYTES:
        begin = page.index('"glb":"') + 7
        triangles_size = (page.index('"', begin) - begin) / 1e6
        help_ = ("its triangles alone take {:.0f} MB: give grids and lattices a larger voxel_size"
                 if 2 * triangles_size > size else "its samples fill it: write fewer of them (output.every)")
        fail(f"{name}: the page would have {size:.0f} MB, more than {MOST_MEGABYTES}; "
             f"{help_.format(triangles_size)}")
    return page


def viewer_html(results_path, intervox=None):
    """A whole HTML page of a results file, as a text: for a file, or for a notebook's frame.

    intervox: the executable; by default that of this tree or of the search path."""
    results = Results(results_path)
    page = whole_page(results.name, f"<h1>{html.escape(results.name)}</h1>{view_section(results, intervox)}")
    return require_small(page, results_path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("-o", "--out", default="view.html", type=Path)
    parser.add_argument("--intervox", help="the executable")
    options = parser.parse_args()
    options.out.write_text(viewer_html(options.results, options.intervox))
    print(options.out)


if __name__ == "__main__":
    run(main)
