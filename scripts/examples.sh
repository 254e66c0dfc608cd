#!/usr/bin/env bash
# Installs a built tree into BUILD/install, builds examples/ against that package alone, and runs
# them. Usage: scripts/examples.sh [BUILD]; BUILD is build/release if not given.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="$(realpath "${1:-$REPOSITORY/build/release}")"
[[ -f "$build/CMakeCache.txt" ]] || fail "there is no built tree in $build: run ./scripts/build.sh first"
prefix="$build/install"
# A fresh prefix: what is no longer installed must not be found.
rm -rf "$prefix" "$build/examples"
cmake --install "$build" --prefix "$prefix" >"$build/install.log"
cmake -S "$REPOSITORY/examples" -B "$build/examples" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  >"$build/examples.log"
cmake --build "$build/examples" --parallel "$JOBS"
"$build/examples/one_pair"
"$build/examples/run_scene" "$REPOSITORY/examples/ball.yaml"
"$build/examples/spiral_search" "$prefix/share/intervox/scenes/peg_insertion.yaml"
"$build/examples/rollout_tree" "$prefix/share/intervox/scenes/peg_insertion.yaml"
"$prefix/bin/intervox" --version
