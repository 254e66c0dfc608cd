# Shared by the scripts: where things are, and one way to speak.
# shellcheck shell=bash

REPOSITORY="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# Debian's Python has the packages that install_dependencies.sh installs; another one on PATH may not.
PYTHON=/usr/bin/python3
JOBS="${INTERVOX_JOBS:-$(nproc)}"

say() {
  STEP="$*"
  printf '\n== %s\n' "$STEP"
}
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
