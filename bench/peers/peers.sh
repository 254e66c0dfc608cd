#!/usr/bin/env bash
# Measures Intervox beside MuJoCo, Drake, Manifold and Coal: makes an environment for them in build/peers, gives
# all the same problems, one after the other on one core, and writes a table.
# Usage: bench/peers/peers.sh [TABLE.md]; the table goes to standard output too. INTERVOX names another program.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

venv="$REPOSITORY/build/peers"
[[ -x "$venv/bin/python" ]] || "$PYTHON" -m venv "$venv" ||
  fail "no environment can be made in $venv: run ./scripts/install_dependencies.sh first"
for peer in numpy mujoco manifold3d coal drake; do
  "$venv/bin/python" -m pip show --quiet "$peer" 2>/dev/null && continue
  say "installing $peer"
  "$venv/bin/python" -m pip install --quiet --only-binary :all: "$peer" || echo "$peer cannot be installed here: its rows are skipped"
done
"$venv/bin/python" "$REPOSITORY/bench/peers/compare.py" "$@"
