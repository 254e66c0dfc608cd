#!/usr/bin/env bash
# The main job: installs what is missing, builds, lets the battery box fall into its worksite, and
# leaves pictures, plots, an animation and one HTML page. Usage: scripts/run.sh [SCENE.yaml [FOLDER]]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scene="$(realpath "${1:-$REPOSITORY/data/scenes/battery_box.yaml}")"
name="$(basename "$scene" .yaml)"
folder="$(realpath -m "${2:-$REPOSITORY/results/$name}")"
intervox="$REPOSITORY/build/release/bin/intervox"
[[ -f "$scene" ]] || fail "there is no scene $scene"

"$REPOSITORY/scripts/install_dependencies.sh"
"$REPOSITORY/scripts/build.sh" release intervox

mkdir -p "$folder"
cd "$REPOSITORY"
say "simulating $name"
"$intervox" run "$scene" -o "$folder/$name.h5"

say "rendering stills every 0.2 s"
"$intervox" render "$folder/$name.h5" -o "$folder/stills" --frames every=0.2 --size 960x640
say "rendering the animation's frames"
"$intervox" render "$folder/$name.h5" -o "$folder/frames" --frames every=0.04 --size 720x480

# More views, one a line: a name, then options of `intervox render`.
views=()
if [[ -f "${scene%.yaml}.views" ]]; then
  while read -r view options; do
    [[ -z "$view" || "$view" == \#* ]] && continue
    say "rendering the view '$view'"
    # shellcheck disable=SC2086  # the line holds several words
    "$intervox" render "$folder/$name.h5" -o "$folder/$view" --size 960x640 $options
    views+=("$view")
  done <"${scene%.yaml}.views"
fi

say "plots, contact sheet, animation, page"
"$PYTHON" "$REPOSITORY/python/plots.py" "$folder/$name.h5" -o "$folder/plots"
"$PYTHON" "$REPOSITORY/python/contact_sheet.py" "$folder/stills" -o "$folder/contact_sheet.png"
for view in ${views[@]:+"${views[@]}"}; do
  "$PYTHON" "$REPOSITORY/python/contact_sheet.py" "$folder/$view" -o "$folder/${view}_sheet.png" \
    --columns 2 --width 720
done
"$PYTHON" "$REPOSITORY/python/animation.py" "$folder/frames" -o "$folder/animation.webp"
"$PYTHON" "$REPOSITORY/python/report.py" "$folder" -o "$folder/$name.html"

say "done"
cat <<TEXT
results         $folder/$name.h5
contact sheet   $folder/contact_sheet.png
plots           $folder/plots/
animation       $folder/animation.webp
page            $folder/$name.html   (open it in a browser; it needs no network)
TEXT
