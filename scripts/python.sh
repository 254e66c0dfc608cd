#!/usr/bin/env bash
# Installs the Python package into an environment of its own, BUILD/venv, tests it and runs the Python
# examples. Usage: scripts/python.sh [BUILD]; BUILD is build/release if not given. Ends with 77, by which
# ctest says that it was skipped, where the package index cannot be reached.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="$(realpath "${1:-$REPOSITORY/build/release}")"
[[ -f "$build/CMakeCache.txt" ]] || fail "there is no built tree in $build: run ./scripts/build.sh first"
venv="$build/venv"
[[ -x "$venv/bin/pip" ]] || "$PYTHON" -m venv "$venv" ||
  fail "no environment can be made in $venv: run ./scripts/install_dependencies.sh first"
if ! "$venv/bin/python" -c "import h5py, nanobind, numpy, scikit_build_core, scipy, yaml" 2>/dev/null; then
  say "installing what the package needs"
  if ! "$venv/bin/pip" install --quiet nanobind scikit-build-core numpy scipy h5py pyyaml 2>"$build/venv.log"; then
    cat "$build/venv.log"
    if grep -qE "NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|Network is unreachable" "$build/venv.log"; then
      echo "skipped: the package index cannot be reached, so the Python package was not tested"
      exit 77
    fi
    fail "pip install failed"
  fi
fi

say "building the package"
# With the compiler and the units of the built tree and beside it, so that ccache knows its objects.
value() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
CC="$(value CMAKE_C_COMPILER)" CXX="$(value CMAKE_CXX_COMPILER)" CMAKE_BUILD_PARALLEL_LEVEL="$JOBS" "$venv/bin/pip" install --quiet \
  --no-build-isolation --no-deps --force-reinstall --config-settings=build-dir="$build-wheel" \
  --config-settings=cmake.define.INTERVOX_UNITY="$(value INTERVOX_UNITY)" "$REPOSITORY"

say "testing it"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder" # not the repository: what is installed is tested
"$venv/bin/python" -m unittest discover -s "$REPOSITORY/tests/python"
"$venv/bin/python" "$REPOSITORY/examples/python/spiral_search.py" "$REPOSITORY/data/scenes/peg_insertion.yaml" spiral.h5
"$venv/bin/python" "$REPOSITORY/examples/python/spiral_batch.py" "$REPOSITORY/data/batches/peg_spiral.yaml" spiral 3
