#!/usr/bin/env bash
# From a scene to its page: runs a short simulation, draws it, plots it, and checks what comes out;
# then rasterises a shape, and feeds the commands bad input. Usage: pictures.sh INTERVOX
repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$repository/tests/shell_checks.sh" "$1"
python=/usr/bin/python3

"$intervox" run "$repository/examples/ball.yaml" -o ball.h5 >/dev/null
"$intervox" render ball.h5 -o stills --frames every=0.05 --size 160x120 >/dev/null
"$intervox" render ball.h5 -o frames --frames at=0,0.1 --size 80x60 --cut floor:0,1,0,0 >/dev/null
"$python" "$repository/python/plots.py" ball.h5 -o plots >/dev/null
"$python" "$repository/python/contact_sheet.py" stills -o contact_sheet.png >/dev/null
"$python" "$repository/python/animation.py" frames -o animation.webp >/dev/null
# Moments that are rounding only: their plot's numbers must not outgrow their place.
"$python" -c "
import h5py, numpy
with h5py.File('ball.h5', 'a') as file:
    torque = file['bodies/ball/contact_torque']
    torque[:] = 3e-15 * numpy.sin(numpy.arange(torque.size)).reshape(torque.shape)"
"$python" "$repository/python/report.py" . -o page.html --intervox "$intervox" >/dev/null
"$python" "$repository/python/viewer.py" ball.h5 -o view.html --intervox "$intervox" >/dev/null
"$intervox" mesh "$repository/examples/ball.yaml" -o scene.glb >meshed.txt
"$intervox" mesh "$repository/examples/ball.yaml" --shape ball -o ball.stl --deviation 1e-4 >>meshed.txt
"$intervox" export ball.h5 --vtk vtk --frames count=5 >/dev/null 2>&1

"$python" - <<'PYTHON'
import json
import pathlib
import re
from PIL import Image

plots = " ".join(sorted(p.stem for p in pathlib.Path("plots").glob("*.png")))
for kind in ("motion_ball", "velocity_ball", "wrench_ball", "contacts", "energies"):
    assert kind in plots, (kind, plots)
frames = json.load(open("stills/frames.json"))["frames"]
assert [round(f["time"], 6) for f in frames] == [0, 0.05, 0.1, 0.15, 0.2], frames
assert frames[0]["contacts"] == 0 and frames[-1]["contacts"] == 1, frames
pictures = [Image.open(f"stills/{f['file']}").convert("RGB") for f in frames]
assert all(p.size == (160, 120) for p in pictures)
assert pictures[0].tobytes() != pictures[-1].tobytes(), "the ball does not move"
assert len(set(pictures[0].getdata())) > 50, "the picture is empty"
for name in ("page.html", "view.html"):
    page = open(name).read()
    assert not re.search(r"<[^>]*(src|href)=[\"']?(https?:)?//", page), f"{name} needs a network"
    for part in ("THREE", "Dygraph", "intervox-data", "Licence", "Permission is hereby granted"):
        assert part in page, f"{name} lacks {part}"
    assert len(page) < 15e6, name
assert open("page.html").read().count("data:image/") >= 2, "pictures are missing from the page"

# Triangles: the ball's, and the floor cut to a box; what is said of them.
said = open("meshed.txt").read()
assert "floor: unbounded, cut to a box" in said and said.count("largest deviation") == 3, said
largest, asked = (float(x) for x in re.findall(r"deviation (\S+) m \((\S+) m asked", said)[-1])
assert asked == 1e-4 and 0 < largest <= asked, said

# ParaView's series: each file is XML, its counts agree with its arrays, and the ball falls.
import xml.etree.ElementTree as xml
def array(root, path):
    return [float(x) for x in root.find(path).text.split()]
heights = []
for series in ("bodies", "patches", "forces"):
    files = xml.parse(f"vtk/{series}.pvd").getroot().findall("Collection/DataSet")
    assert len({f.get("timestep") for f in files}) == 5, (series, len(files))
    for entry in files:
        root = xml.parse("vtk/" + entry.get("file")).getroot()
        piece = root.find("PolyData/Piece")
        points = array(piece, "Points/DataArray")
        assert len(points) == 3 * int(piece.get("NumberOfPoints"))
        for cells, count in (("Polys", "NumberOfPolys"), ("Verts", "NumberOfVerts")):
            offsets = array(piece, f"{cells}/DataArray[@Name='offsets']")
            connectivity = array(piece, f"{cells}/DataArray[@Name='connectivity']")
            assert len(offsets) == int(piece.get(count)) and (offsets or [0])[-1] == len(connectivity)
            assert all(0 <= i < len(points) / 3 for i in connectivity)
        cells = int(piece.get("NumberOfPolys")) + int(piece.get("NumberOfVerts"))
        for column in piece.findall("CellData/DataArray"):
            assert len(column.text.split()) == cells * int(column.get("NumberOfComponents"))
        if series == "bodies":
            heights.append(sum(points[2::3]) / len(points[2::3]))
        if series == "forces" and cells:
            assert array(piece, "CellData/DataArray[@Name='force']")[2] > 0, "the floor pulls at the ball"
assert all(b < a for a, b in zip(heights[:3], heights[1:3])), heights
PYTHON

# The pages as readers see them, one of bodies too small to be seen and of joints; without Chromium this
# part says so and is left out.
"$intervox" run "$repository/data/scenes/validation/double_pendulum.yaml" -o pendulum.h5 --set duration=1 >/dev/null
"$python" "$repository/python/viewer.py" pendulum.h5 -o pendulum.html --intervox "$intervox" >/dev/null
for page in page pendulum; do
  browsed=0
  "$python" "$repository/tests/page_in_browser.py" "$page.html" >browsed.txt 2>&1 || browsed=$?
  cat browsed.txt
  [[ $browsed -eq 0 || $browsed -eq 77 ]] || fail "$page.html in Chromium: see above"
  [[ $page == page || $browsed -eq 77 ]] || grep -q "all 2 joints are drawn, with 2 rods" browsed.txt ||
    fail "joints of the pendulum are not drawn"
done

# Pictures need no contact law.
"$python" - <<'PYTHON'
import shutil
import h5py
import numpy as np
shutil.copy("ball.h5", "crush.h5")
with h5py.File("crush.h5", "a") as file:
    scene = file.attrs["scene"]
    text = scene.decode() if isinstance(scene, bytes) else scene
    assert "model: gonthier" in text or "model: \"gonthier\"" in text, text
    text = text.replace("gonthier", "crush").encode()
    file.attrs.create("scene", np.array(text, h5py.string_dtype("utf-8", len(text))))
PYTHON
"$intervox" render crush.h5 -o crushed --frames last --size 80x60 >/dev/null || fail "render wants to know the law"
"$intervox" mesh crush.h5 -o crushed.glb >/dev/null || fail "mesh wants to know the law"

# The camera leaves alone what flies away, and says so.
cat >away.yaml <<'YAML'
schema: intervox/scene/2
name: one stays, one goes
duration: 1
output: {every: 0.02}
materials: {steel: {density: 7800, foundation_stiffness: 1e9, friction: 0.3, restitution: 0.3}}
contact_models: {default: {normal: {model: gonthier}, friction: {model: bristle}}}
bodies:
  table: {shape: {box: {size: [1, 1, 0.1]}}, fixed: true, material: steel, pose: {position: [0, 0, -0.05]}}
  stays: {shape: {box: {size: [0.2, 0.2, 0.2]}}, material: steel, pose: {position: [0, 0, 0.105]}}
  goes: {shape: {sphere: {radius: 0.1}}, material: steel, pose: {position: [0.3, 0, 0.1]}, velocity: {linear: [0, 0, 40]}}
YAML
"$intervox" run -q away.yaml -o away.h5 >/dev/null
"$intervox" render away.h5 -o away --frames last --size 160x120 >/dev/null 2>away.txt
grep -q "flies away: goes" away.txt || fail "nothing is said of what flies away: $(cat away.txt)"
"$python" - <<'PYTHON'
import glob
from PIL import Image
picture = Image.open(glob.glob("away/*.png")[0]).convert("RGB")
orange = sum(r > 1.5 * b for r, g, b in picture.getdata())
assert orange > 40, f"the part that stays has {orange} pixels"
PYTHON

# A plot tells of the impacts of its own body, and a pace is a plain number.
"$python" - "$repository/python" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from charts import peaks_between_samples
from results import Results, pace_words
results = Results("away.h5")
assert "Impacts between samples reach" in peaks_between_samples(results, 0.0, "stays")
assert peaks_between_samples(results, 0.0, "goes") == "", peaks_between_samples(results, 0.0, "goes")
assert pace_words(5e-4) == "2,000 times slower than real" and pace_words(2) == "2 times faster than real"
PYTHON

refuses "1 to 16384" "$intervox" render ball.h5 --size 0x5
refuses "eye, target" "$intervox" render ball.h5 --camera nose=1
refuses "ball, floor\|floor, ball" "$intervox" render ball.h5 --cut bal:0,0,1,0
refuses "not there.h5" "$intervox" render "not there.h5"
refuses "every=SECONDS" "$intervox" render ball.h5 --frames sometimes=1
refuses "1 to 100000" "$intervox" render ball.h5 --frames count=0
refuses ".stl, .obj or .glb" "$intervox" mesh "$repository/examples/ball.yaml" -o part.step
refuses "ball" "$intervox" mesh "$repository/examples/ball.yaml" --shape bal -o part.stl
refuses "unbounded" "$intervox" mesh "$repository/examples/ball.yaml" --shape floor -o part.stl
refuses "deviation" "$intervox" mesh "$repository/examples/ball.yaml" -o part.stl --deviation nan
refuses "deviation" "$intervox" mesh "$repository/examples/ball.yaml" -o part.stl --deviation -1
refuses "not for results" "$intervox" mesh ball.h5 --shape ball -o part.stl
refuses "/nowhere/part.stl" "$intervox" mesh "$repository/examples/ball.yaml" --shape ball -o /nowhere/part.stl
refuses "/proc/vtk" "$intervox" export ball.h5 --vtk /proc/vtk
refuses "requires --vtk" "$intervox" export ball.h5 --frames last

# Programs of python/ end with a message as well, never with a traceback.
"$python" - <<'PYTHON'
import shutil
import h5py
for name in ("energy", "time", "bodies/ball/position"):
    path = f"without_{name.split('/')[-1]}.h5"
    shutil.copy("ball.h5", path)
    with h5py.File(path, "a") as file:
        del file[name]
shutil.copy("ball.h5", "other.h5")
with h5py.File("other.h5", "a") as file:
    file.attrs["schema"] = "intervox/results/99"
shutil.copy("ball.h5", "short.h5")
with h5py.File("short.h5", "a") as file:
    rows = file["bodies/ball/velocity"][:-1]
    del file["bodies/ball/velocity"]
    file["bodies/ball/velocity"] = rows
PYTHON
head -c 100000 ball.h5 >cut.h5
mkdir empty broken
echo '{"frames": [{"time": 0}]}' >broken/frames.json
refuses_in_python() {
  refuses "$1" "$python" "$repository/python/$2" "${@:3}"
  grep -q "Traceback" refused.txt && fail "'$2 ${*:3}' prints a traceback"
  return 0
}
refuses_in_python "energy/kinetic" plots.py without_energy.h5
refuses_in_python "'time'" plots.py without_time.h5
refuses_in_python "bodies/ball/position" plots.py without_position.h5
refuses_in_python "results/99" plots.py other.h5
refuses_in_python "shape" plots.py short.h5
refuses_in_python "not a readable" plots.py cut.h5
refuses_in_python "not there.h5" plots.py "not there.h5"
refuses_in_python "/proc/plots" plots.py ball.h5 -o /proc/plots
refuses_in_python "render. first" contact_sheet.py empty
refuses_in_python "file" contact_sheet.py broken
refuses_in_python "/nowhere/sheet.png" contact_sheet.py stills -o /nowhere/sheet.png
refuses_in_python "above 0" contact_sheet.py stills --columns 0
refuses_in_python "above 0" animation.py frames --speed 0
refuses_in_python "extension" animation.py frames -o film.txt
refuses_in_python "one results file" report.py empty
refuses_in_python "not a readable" viewer.py cut.h5 --intervox "$intervox"
refuses_in_python "no triangles" viewer.py ball.h5 --intervox /bin/false
refuses_in_python "/nowhere/view.html" viewer.py ball.h5 -o /nowhere/view.html --intervox "$intervox"

shapes="$repository/examples/ball.yaml"
"$intervox" rasterize "$shapes" --shape ball -o ball.vdb --voxel-size 2e-3 >rasterized.txt ||
  fail "rasterize: $(cat rasterized.txt)"
difference="$(sed -n 's/.*difference \([^ ]*\) (relative).*/\1/p' rasterized.txt)"
"$python" -c "import sys; sys.exit(not abs(float('$difference')) < 2e-3)" ||
  fail "the grid's volume is off: $(cat rasterized.txt)"
[[ -s ball.vdb ]] || fail "there is no grid"
refuses "unbounded" "$intervox" rasterize "$shapes" --shape floor -o floor.vdb
refuses "ball" "$intervox" rasterize "$shapes" --shape bal -o bal.vdb
echo "all fine"
