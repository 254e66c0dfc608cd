#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, and runs every check: the suite, the CUDA
# parts through nvcc where there is one, sanitizers on the fast tests, formatting, clang-tidy, lints.
# All steps run even when one fails; the exit status is 1 if any did. INTERVOX_SKIP="asan tidy" skips
# steps by name. INTERVOX_TIME_LIMIT=4700 ends the sanitizers, which come last, that many seconds after
# the begin: what is not finished by then is named and neither passed nor failed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$REPOSITORY"

lint() { "$PYTHON" "scripts/lint/$1.py"; }
suite() {
  rm -f build/ctest.xml
  (cd build/release && ctest --output-on-failure --parallel "$JOBS" --output-junit "$REPOSITORY/build/ctest.xml")
}
# Seconds that are left of INTERVOX_TIME_LIMIT, four hours by itself, since this script began.
left() { echo $((${INTERVOX_TIME_LIMIT:-14400} - SECONDS)); }
OUT_OF_TIME=75
# within COMMAND…: runs it in the time that is left; OUT_OF_TIME is its status where that is too short.
within() {
  local status=0
  if [[ $(left) -le 0 ]]; then return "$OUT_OF_TIME"; fi
  timeout "$(left)" "$@" || status=$?
  if [[ $status -eq 124 && $(left) -le 0 ]]; then return "$OUT_OF_TIME"; fi
  return "$status"
}
# worse A B: the status of two things together; what fails outweighs what was cut off.
worse() {
  if [[ $1 -eq 0 || $1 -eq $OUT_OF_TIME ]] && [[ $2 -ne 0 ]]; then echo "$2"; else echo "$1"; fi
}
# finish_one: waits for one of asan's processes to end and takes it off its list.
finish_one() {
  local ended rest=() process result=0
  wait -n -p ended "${processes[@]}" || result=$?
  one=$(worse "$one" "$result")
  for process in "${processes[@]}"; do
    if [[ $process != "$ended" ]]; then rest+=("$process"); fi
  done
  processes=("${rest[@]}")
}
# The program and its libraries under sanitizers, beneath tests as the release build has compiled them;
# INTERVOX_ASAN=all compiles the tests under sanitizers too, which takes twice as long.
# Tests that take seconds without sanitizers, minutes with them, are left out where shorter ones run the
# same code; those of damaged files draw fewer samples.
ASAN_LEAVES_OUT=(BatchMemory.A* BilinearEnergy.* BilinearImpacts.* Bodies/CurvedOnTilesTest.SlidesRollsAndSpinsAcross*/c* Cells.RandomTrees*
  Certify.RandomPairs* CheckpointTest.ResumesLaws* Cli.InfoOfAPart* Cli.ManySignals* Cli.MeshesOfScenes* Cli.MetricsStateTheBias*
  Cli.NothingIsWrittenToAFileNamedDash CliValidate.AWrongConstant* ClipError.NothingFound* ColumnRule.Ellipsoid* Crowd.CellsMakeUp* CutsInPoints.OfA*
  Distance.TurnedParts* DistributedFriction.ADisc* DistributedFriction.HasTheLimit* FastBodies.BallsBounceOffThinPlatesOf* FitModel.Intervals*
  FluxPole.EveryPole* GoyalFriction.EnergyNever* GoyalFriction.HoldsBelow* ImpulseFlow.SmallSteps* ImpulseLaws.AnyCollision* ImpulseSprings.*
  InsertionForce.OfATaper* JointChain.RandomOnes* JointChain.TenLinks* JointDoublePendulum.* JointPendulum.PeriodIs* ManyPrimitives.CostNLogN
  MomentsTolerance.Holds* Onset.IsFound* Passivity.AWrapped* Passivity.RandomParts* PointImpacts.ResolvedBy* PointScenes.BodiesComeToRest*
  PointScenes.ElasticBalls* PointScenes.FacesOnFaces* PointsWithoutRoom.* PolytopeImpacts.* PolytopesInPoints.TheEnergy* ShapeMetrics.Swapped*
  SimulationManyTest.TwentyFeetSlide* SimulationOptionsTest.RelaxedContact* SimulationWallTest.AFree* SliceQuadric.TouchingPairs* Slope.WhatSticks*
  StickSlip.* StiffContact.AHeavyBox* VolumeBounds.HoldForRings* WallCuts.TellHow*)
ASAN_FOLDERS=(geometry integrators cuda stand_in host)
# asan_build: builds all of them in the time that is left. CMakePresets.json leaves null pointers and the
# sizes of objects to the address sanitizer.
asan_build() {
  if [[ "${INTERVOX_ASAN:-}" != all ]]; then export INTERVOX_TEST_OBJECTS="$REPOSITORY/build/release"; fi
  within ./scripts/build.sh asan "${ASAN_FOLDERS[@]/%/_tests}" intervox
}
# The fast tests of a folder in eight parts for each core, as some take far longer than others; a process
# for each test would cost more than most tests, as a sanitizer starts and looks for leaks slowly. Folder
# by folder, so that most is known where the time runs out.
asan() {
  local folder filter part parts=$((8 * JOBS)) processes status=0 one
  export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 INTERVOX_SAMPLES=0.2
  export INTERVOX_EXECUTABLE="$REPOSITORY/build/asan/bin/intervox"
  export LSAN_OPTIONS="suppressions=$REPOSITORY/scripts/leaks.supp:print_suppressions=0"
  asan_build || return $?
  for folder in "${ASAN_FOLDERS[@]}"; do
    one=0
    filter='-Slow*:*/Slow*:Gpu*:*/Gpu*'
    if [[ $folder == stand_in ]]; then filter='-Slow*:*/Slow*'; fi
    filter+=$(printf ':%s' "${ASAN_LEAVES_OUT[@]}")
    processes=()
    for ((part = 0; part < parts; ++part)); do
      if ((${#processes[@]} == JOBS)); then finish_one; fi
      GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part within timeout 1800 "build/asan/bin/${folder}_tests" --gtest_brief=1 --gtest_filter="$filter" &
      processes+=($!)
    done
    while ((${#processes[@]} > 0)); do finish_one; done
    case $one in
      0) echo "asan: $folder: passed, $SECONDS s" ;;
      "$OUT_OF_TIME") echo "asan: $folder: NOT FINISHED within INTERVOX_TIME_LIMIT, $SECONDS s" ;;
      *) echo "asan: $folder: FAILED, $SECONDS s" ;;
    esac
    status=$(worse "$status" "$one")
  done
  return "$status"
}

failed=()
unfinished=()
summary=()
# skipped NAME: whether it, or what it is a part of, is named: asan-build is of asan.
skipped() { [[ " ${INTERVOX_SKIP:-} " == *" ${1%-build} "* ]]; }
# note NAME STATUS SECONDS: remembers how a step went.
note() {
  if [[ $2 -eq 0 ]]; then
    summary+=("$(printf '%-18s ok      %5d s' "$1" "$3")")
  elif [[ $2 -eq $OUT_OF_TIME ]]; then
    summary+=("$(printf '%-18s NOT FINISHED in the time given, %5d s' "$1" "$3")")
    unfinished+=("$1")
  else
    summary+=("$(printf '%-18s FAILED  %5d s' "$1" "$3")")
    failed+=("$1")
  fi
}
# step NAME COMMAND…: runs it and remembers how it went. In a subshell with errexit: `if` alone would
# switch it off inside the functions above.
step() {
  local name="$1" begin=$SECONDS status=0
  if skipped "$name"; then
    summary+=("$(printf '%-18s skipped' "$name")")
    return
  fi
  say "$name"
  set +e
  (set -e; "${@:2}")
  status=$?
  set -e
  note "$name" "$status" $((SECONDS - begin))
}
# nvcc compiles on one core for minutes. So it runs beside the steps that begin_nvcc and finish_nvcc
# enclose, and speaks at the end.
begin_nvcc() {
  nvcc_began=$SECONDS
  nvcc_process=
  if skipped nvcc; then return; fi
  mkdir -p build
  ./scripts/nvcc_check.sh >build/nvcc.log 2>&1 &
  nvcc_process=$!
  trap 'kill "$nvcc_process" 2>/dev/null || true' EXIT
}
finish_nvcc() {
  local status=0
  if [[ -z "$nvcc_process" ]]; then
    summary+=("$(printf '%-18s skipped' nvcc)")
    return
  fi
  say "nvcc, which ran beside the steps above"
  wait "$nvcc_process" || status=$?
  trap - EXIT
  cat build/nvcc.log
  note nvcc "$status" $((SECONDS - nvcc_began))
}

# In a folder that is built for the first time; who goes on to work there sets it OFF.
if [[ ! -f build/release/CMakeCache.txt ]]; then export INTERVOX_UNITY="${INTERVOX_UNITY:-ON}"; fi

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
begin_nvcc
step headers lint headers_alone
step tidy lint clang_tidy
step asan-build asan_build
finish_nvcc
step suite suite
step asan asan

say "summary"
printf '%s\n' "${summary[@]}"
if [[ ${#failed[@]} -gt 0 ]]; then
  fail "failed: ${failed[*]}"
fi
if [[ ${#unfinished[@]} -gt 0 ]]; then
  echo "all checks that were finished passed; NOT finished: ${unfinished[*]}"
  exit 0
fi
echo "all checks passed"
