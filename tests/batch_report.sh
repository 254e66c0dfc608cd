#!/usr/bin/env bash
# From a batch to its page: the numbers of the CSV against the table's, a page that needs no network,
# bad input. Usage: batch_report.sh INTERVOX
scenes="$(realpath "$(dirname "${BASH_SOURCE[0]}")")/scenes"
source "$(dirname "${BASH_SOURCE[0]}")/shell_checks.sh" "$1"

cat >batch.yaml <<YAML
schema: intervox/batch/1
scene: $scenes/ball_on_floor.yaml
number: 60
seed: 3
sample:
  bodies.ball.pose.position[2]: {uniform: [0.11, 0.4]}
  bodies.ball.mass: {uniform: [1, 3]}
  contact_models.default.normal.restitution: {choice: [0.2, 0.5]}
outcomes:
  touched: "max_over_time(contacts > 0)"
  peak_force: "peak_force(ball)"
  near: "position(ball)[2] < 0.2"
YAML
"$intervox" batch batch.yaml -q -o out
"$intervox" report out --worst 2 >/dev/null

/usr/bin/python3 - <<'PYTHON'
import csv
import re
import h5py
import numpy as np
from PIL import Image

runs = h5py.File("out/batch.h5")["runs"]
height = runs["params/bodies.ball.pose.position[2]"][:]
touched = runs["outcome/touched"][:]
# 0.2 s are enough to fall by g t²/2 = 0.196 m.
fall = height - 0.1
assert ((fall < 0.19) <= (touched == 1)).all() and ((fall > 0.2) <= (touched == 0)).all()
assert 5 < touched.sum() < 55, touched.sum()
rows = list(csv.DictReader(open("out/report/rates.csv")))
p, n, z = touched.mean(), 60, 1.959963984540054
half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
center = (p + z * z / (2 * n)) / (1 + z * z / n)
assert rows[0]["outcome"] == "touched" and int(rows[0]["hits"]) == touched.sum()
assert abs(float(rows[0]["low"]) - (center - half)) < 1e-12, rows
assert abs(float(rows[0]["high"]) - (center + half)) < 1e-12, rows
table = list(csv.DictReader(open("out/report/runs.csv")))
assert len(table) == 60 and float(table[7]["bodies.ball.pose.position[2]"]) == height[7]
correlations = {r["parameter"]: r for r in csv.DictReader(open("out/report/correlations.csv"))}
assert [r["outcome"] for r in rows] == ["touched", "near"], "the file's order is lost"
assert float(correlations["bodies.ball.pose.position[2]"]["touched"]) < -0.7, correlations
assert abs(float(correlations["bodies.ball.mass"]["touched"])) < 0.4, correlations
page = open("out/report/index.html").read()
assert page.count("data:image/") >= 6, "pictures are missing from the page"
assert page.count("--only") >= 2, "the worst runs do not say how to replay them"
assert not re.search(r"(src|href)=[\"']?(https?:)?//", page), "the page needs a network"
for name in ("marginals", "heat_map", "distributions", "correlations"):
    picture = Image.open(f"out/report/{name}.png").convert("RGB")
    assert len(set(picture.resize((200, 150)).getdata())) > 20, name
PYTHON

# What was edited on the command line is edited in the replays; words have no rank.
sed -e 's/number: 60/number: 20/' -e '/mass/a\  shapes.ball: {choice: [{sphere: {radius: 0.1}}, {box: {size: [0.2, 0.2, 0.2]}}]}' batch.yaml >edited.yaml
edit="contact_models.default.normal.stiffness=2e6"
"$intervox" batch edited.yaml -q -o edited --set "$edit"
"$intervox" report edited --worst 1 >/dev/null
grep -q -- "edited.yaml --set $edit --only" edited/report/index.html || fail "a replay leaves out --set"
/usr/bin/python3 - <<'PYTHON'
import csv
import h5py
runs = h5py.File("edited/batch.h5")["runs"]
worst = int(min(zip(runs["outcome/touched"][:], -runs["outcome/peak_force"][:], runs["id"][:]))[2])
with h5py.File(f"edited/report/run_{worst}.h5") as file:
    scene = file.attrs["scene"]
    assert b"2e+06" in (scene if isinstance(scene, bytes) else scene.encode()), "the replay is of another scene"
names = [row["parameter"] for row in csv.DictReader(open("edited/report/correlations.csv"))]
assert "bodies.ball.mass" in names and "shapes.ball" not in names, names
PYTHON

# Runs with a controller are not done again without it: their worst have no picture, or that of what was kept.
/usr/bin/python3 -c "import h5py; h5py.File('edited/batch.h5', 'a').attrs['controller'] = b'def lift(simulation)'"
rm -r edited/report
/usr/bin/python3 "$scenes/../../python/batch_report.py" edited --worst 1 --intervox "$intervox" >/dev/null
[[ -z "$(ls edited/report/*.h5 2>/dev/null)" ]] || fail "a run with a controller is replayed without it"
grep -q "intervox.run_batch(.*only=.*overrides=" edited/report/index.html || fail "nothing says how Python does it alone"

# On a phone and wide; without Chromium this part says so and is left out.
browsed=0
/usr/bin/python3 "$scenes/../page_in_browser.py" --still edited/report/index.html >browsed.txt 2>&1 || browsed=$?
[[ $browsed -eq 0 || $browsed -eq 77 ]] || fail "the batch's page in Chromium: $(cat browsed.txt)"

# A batch all of whose runs failed has a page that says why.
sed -e 's/number: 60/number: 3/' -e 's/peak_force(ball)/sqrt(-1 - time)/' batch.yaml >failing.yaml
"$intervox" batch failing.yaml -q -o failing 2>/dev/null && fail "failed runs are not told by the status"
"$intervox" report failing >/dev/null || fail "failed runs have no page"
[[ "$(grep -o "is not finite" failing/report/index.html | wc -l)" == 3 ]] || fail "the page lacks the reasons"
[[ "$(wc -l <failing/report/runs.csv)" == 4 ]] || fail "the table lacks failed runs"

"$intervox" report out --worst 0 --outcome peak_force -o other \
  --over bodies.ball.mass --over "bodies.ball.pose.position[2]" >/dev/null
[[ -s other/index.html ]] || fail "-o is ignored"
refuses "touched" "$intervox" report out --outcome tuched --worst 0
refuses "not a parameter" "$intervox" report out --over mass --over mass --worst 0
refuses "two parameters" "$intervox" report out --over bodies.ball.mass --over bodies.ball.mass --worst 0
refuses "no such folder" "$intervox" report nowhere
refuses "no runs" "$intervox" report .
