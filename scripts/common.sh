# Shared by the scripts: where things are, and one way to speak.
# shellcheck shell=bash

REPOSITORY="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# Debian's Python has the packages that install_dependencies.sh installs; another one on PATH may not.
PYTHON=/usr/bin/python3
# cuobjdump and nvdisasm, where install_dependencies.sh installed them.
CUBIN_TOOLS="$REPOSITORY/build/cubin_tools/nvidia/cu13/bin"
JOBS="${INTERVOX_JOBS:-$(nproc)}"

say() {
  STEP="$*"
  printf '\n== %s\n' "$STEP"
}
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
