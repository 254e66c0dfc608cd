#!/usr/bin/env bash
# Configures and builds a preset into build/PRESET/. Usage: scripts/build.sh [PRESET [TARGET…]]
# Presets: release (default), dev, asan, tsan, cuda. The executable is build/PRESET/bin/intervox.
# INTERVOX_TEST_OBJECTS=FOLDER: tests are not compiled; those that are compiled in that built tree are linked.
# INTERVOX_UNITY=ON: some twenty sources are compiled as one, for who builds a folder but once.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset="${1:-release}"
targets=("${@:2}")
cd "$REPOSITORY"
case "$preset" in
  release | dev | asan | tsan | cuda) ;;
  *) fail "unknown preset '$preset'; known: release, dev, asan, tsan, cuda" ;;
esac
for tool in cmake ninja g++; do
  command -v "$tool" >/dev/null || fail "$tool is missing: run ./scripts/install_dependencies.sh first"
done
if [[ "$preset" == cuda ]] && ! command -v nvcc >/dev/null; then
  fail "preset cuda needs nvcc on PATH (CUDA 12 or later); the other presets do without"
fi

say "configuring $preset"
cmake --preset "$preset" -DINTERVOX_TEST_OBJECTS="${INTERVOX_TEST_OBJECTS:-}" ${INTERVOX_UNITY:+-DINTERVOX_UNITY="$INTERVOX_UNITY"}
say "building $preset with $JOBS jobs"
cmake --build --preset "$preset" --parallel "$JOBS" ${targets[@]:+--target "${targets[@]}"}
