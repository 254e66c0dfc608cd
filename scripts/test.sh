#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, and runs every check: the suite, the CUDA
# parts through nvcc where there is one, sanitizers on the fast tests, formatting, clang-tidy, lints.
# All steps run even when one fails; the exit status is 1 if any did. INTERVOX_SKIP="asan tidy" skips
# steps by name.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$REPOSITORY"

lint() { "$PYTHON" "scripts/lint/$1.py"; }
suite() {
  rm -f build/ctest.xml
  (cd build/release && ctest --output-on-failure --parallel "$JOBS" --output-junit "$REPOSITORY/build/ctest.xml")
}
asan() {
  ./scripts/build.sh asan
  (cd build/asan && ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS="suppressions=$REPOSITORY/scripts/leaks.supp:print_suppressions=0" \
    ctest --output-on-failure --parallel "$JOBS" -L fast)
}

failed=()
summary=()
# step NAME COMMAND…: runs it and remembers how it went. In a subshell with errexit: `if` alone would
# switch it off inside the functions above.
step() {
  local name="$1" begin=$SECONDS status=0
  if [[ " ${INTERVOX_SKIP:-} " == *" $name "* ]]; then
    summary+=("$(printf '%-18s skipped' "$name")")
    return
  fi
  say "$name"
  set +e
  (set -e; "${@:2}")
  status=$?
  set -e
  if [[ $status -eq 0 ]]; then
    summary+=("$(printf '%-18s ok      %5d s' "$name" $((SECONDS - begin)))")
  else
    summary+=("$(printf '%-18s FAILED  %5d s' "$name" $((SECONDS - begin)))")
    failed+=("$name")
  fi
}

./scripts/install_dependencies.sh
step format lint format
step include-direction lint include_direction
step engine-math lint engine_math
step doc-comments lint doc_comments
step schemas lint schemas
step links lint readme_links
step build ./scripts/build.sh release
if [[ " ${failed[*]:-} " == *" build "* ]]; then
  fail "the build failed, so the rest was not run"
fi
step headers lint headers_alone
step nvcc ./scripts/nvcc_check.sh
step suite suite
step asan asan
step tidy lint clang_tidy

say "summary"
printf '%s\n' "${summary[@]}"
if [[ ${#failed[@]} -gt 0 ]]; then
  fail "failed: ${failed[*]}"
fi
echo "all checks passed"
