# Shared by the tests that are shell scripts: a folder of their own, and how they fail.
# shellcheck shell=bash
# Usage: source shell_checks.sh INTERVOX; sets intervox and changes to an empty folder.
set -euo pipefail

intervox="$(realpath "$1")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "failed: $*" >&2
  exit 1
}
# refuses WORD COMMAND…: exits with 2 and says WORD.
refuses() {
  local word="$1" status=0
  shift
  "$@" >refused.txt 2>&1 || status=$?
  [[ $status -eq 2 ]] || fail "'$*' exits with $status, not 2"
  grep -q -- "$word" refused.txt || fail "'$*' does not mention $word: $(cat refused.txt)"
}
