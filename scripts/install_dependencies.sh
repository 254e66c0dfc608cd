#!/usr/bin/env bash
# Installs the Debian packages that Intervox needs and that are missing. Without a missing one it
# neither touches apt nor needs a network or root. Usage: scripts/install_dependencies.sh [--no-checks]
# Where there is nvcc, also cuobjdump and nvdisasm, from PyPI into build/; it warns where it cannot.
# --no-checks: without clang's tools, Chromium, zsh, meshes of others and those two, which only scripts/test.sh needs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  # compilers and build tools
  build-essential g++ cmake ninja-build ccache git
  # libraries
  libopenvdb-dev libnanovdb-dev libeigen3-dev libtbb-dev libthrust-dev libhdf5-dev libyaml-cpp-dev
  nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev libgmock-dev
  libbenchmark-dev libpng-dev zlib1g-dev libmuparser-dev librandom123-dev libsundials-dev libassimp-dev
  # plots, reports, schema checks; what draws in pages
  python3 python3-venv python3-dev python3-numpy python3-h5py python3-matplotlib python3-jsonschema python3-yaml python3-pil
  libjs-three libjs-dygraphs
)
case "${1:-}" in
  "") packages+=(clang-format clang-tidy zsh chromium chromium-driver python3-selenium assimp-testmodels) ;;
  --no-checks) ;;
  *) fail "unknown argument '$1'; known: --no-checks" ;;
esac

# NVIDIA's tools that read machine code: the tests sass.Gpu… skip without them.
install_cubin_tools() {
  local venv="$REPOSITORY/build/cubin_tools_venv"
  command -v nvcc >/dev/null || return 0
  [[ ! -x "$CUBIN_TOOLS/cuobjdump" || ! -x "$CUBIN_TOOLS/nvdisasm" ]] || return 0
  if command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null; then return 0; fi
  say "installing cuobjdump and nvdisasm"
  "$PYTHON" -m venv "$venv" && "$venv/bin/pip" install --quiet --target "$REPOSITORY/build/cubin_tools" \
    nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm ||
    echo "warning: pip cannot install cuobjdump and nvdisasm, so that the tests sass.Gpu… skip" >&2
  rm -rf "$venv"
}

command -v dpkg-query >/dev/null ||
  fail "this script knows Debian's packages only; elsewhere install by hand: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [[ "$status" == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "all ${#packages[@]} packages are installed"
  [[ "${1:-}" == --no-checks ]] || install_cubin_tools
  exit 0
fi

as_root=()
if [[ "$(id -u)" -ne 0 ]]; then
  command -v sudo >/dev/null ||
    fail "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
  as_root=(sudo)
fi
say "installing ${missing[*]}"
"${as_root[@]}" apt-get update ||
  fail "apt-get update failed: check the network and /etc/apt/sources.list, then run this again"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends "${missing[@]}" ||
  fail "apt-get install failed for: ${missing[*]}. Install them by hand, then run this again"
[[ "${1:-}" == --no-checks ]] || install_cubin_tools
