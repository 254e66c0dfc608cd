#!/usr/bin/env bash
# The main job: installs what is missing, builds, lets the battery box fall into its worksite, and
# leaves pictures, plots, an animation and one HTML page with an interactive view. Usage: scripts/run.sh [SCENE.yaml [FOLDER]]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Whatever fails has said why; this says where, and keeps its status.
STEP="reading the command line"
trap 'status=$?; printf "error: scripts/run.sh stopped at: %s (status %d)\n" "$STEP" "$status" >&2; exit $status' ERR
set -E

scene="$(realpath "${1:-$REPOSITORY/data/scenes/battery_box.yaml}")"
name="$(basename "$scene" .yaml)"
folder="$(realpath -m "${2:-$REPOSITORY/results/$name}")"
intervox="$REPOSITORY/build/release/bin/intervox"
[[ -f "$scene" ]] || fail "there is no scene $scene"

say "checking what is installed"
"$REPOSITORY/scripts/install_dependencies.sh" --no-checks
say "building"
"$REPOSITORY/scripts/build.sh" release intervox

mkdir -p "$folder"
cd "$REPOSITORY"
say "simulating $name"
"$intervox" run "$scene" -o "$folder/$name.h5"

# How the scene is looked at: beside it may stand a file of views, one a line: a name, then options of
# `intervox render`. The views `stills` and `frames` (of the animation) are always drawn.
declare -A looks=([stills]="" [frames]="")
views=()
if [[ -f "${scene%.yaml}.views" ]]; then
  while read -r view options; do
    [[ -z "$view" || "$view" == \#* ]] && continue
    looks[$view]="$options"
    [[ "$view" == stills || "$view" == frames ]] || views+=("$view")
  done <"${scene%.yaml}.views"
fi
# draw VIEW COUNT SIZE: so many pictures, spread over the run.
draw() {
  say "rendering the view '$1'"
  # shellcheck disable=SC2086  # a look is several words
  "$intervox" render "$folder/$name.h5" -o "$folder/$1" --frames "count=$2" --size "$3" ${looks[$1]}
}
draw stills 25 960x640
draw frames "$("$PYTHON" "$REPOSITORY/python/animation.py" --count "$folder/$name.h5")" 720x480
for view in ${views[@]:+"${views[@]}"}; do draw "$view" 25 960x640; done

say "plots, contact sheet, animation, page"
"$PYTHON" "$REPOSITORY/python/plots.py" "$folder/$name.h5" -o "$folder/plots"
"$PYTHON" "$REPOSITORY/python/contact_sheet.py" "$folder/stills" -o "$folder/contact_sheet.png"
for view in ${views[@]:+"${views[@]}"}; do
  "$PYTHON" "$REPOSITORY/python/contact_sheet.py" "$folder/$view" -o "$folder/${view}_sheet.png"
done
"$PYTHON" "$REPOSITORY/python/animation.py" "$folder/frames" -o "$folder/animation.webp"
"$PYTHON" "$REPOSITORY/python/report.py" "$folder" -o "$folder/$name.html" --intervox "$intervox"

say "done"
cat <<TEXT
results         $folder/$name.h5
contact sheet   $folder/contact_sheet.png
plots           $folder/plots/
animation       $folder/animation.webp
page            $folder/$name.html   (open it in a browser; it needs no network)
TEXT
