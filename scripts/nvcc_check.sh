#!/usr/bin/env bash
# Compiles the engine's CUDA parts with nvcc, as they stand: every .cu file, and the headers of
# geometry/ and cuda/ in one translation unit. Keeps the executor's PTX, which the tests ptx.Gpu… run.
# Needs no GPU. Skips with a word where nvcc is absent.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$REPOSITORY"
if ! command -v nvcc >/dev/null; then
  echo "skipped: there is no nvcc here"
  exit 0
fi
folder=build/nvcc
mkdir -p "$folder"
flags=(-std=c++20 -arch="${INTERVOX_CUDA_ARCH:-sm_90}" --fmad=false --expt-relaxed-constexpr
  --extended-lambda -Xcompiler=-ffp-contract=off -Xcompiler=-march=x86-64-v3 -I. -c)

{
  echo '// Written by scripts/nvcc_check.sh.'
  for header in geometry/*.h $(find cuda -name "*.h" | sort); do echo "#include \"$header\""; done
} >"$folder/headers.new"
cmp -s "$folder/headers.new" "$folder/headers.cu" || cp "$folder/headers.new" "$folder/headers.cu"
count=0
while IFS= read -r source; do
  object="$folder/$(echo "$source" | tr '/' '_').o"
  keep=()
  made=("$object")
  if [[ "$source" == cuda/device/engine_cuda.cu ]]; then
    keep=(--keep --keep-dir "$folder/kept")
    made+=("$folder/engine_cuda.ptx")
  fi
  # What was made is newer than every source: nothing to do.
  fresh=yes
  for file in "${made[@]}"; do
    [[ -f "$file" && -z "$(find cuda geometry "$source" -newer "$file" -type f ! -name '*.md' -print -quit)" ]] || fresh=no
  done
  [[ $fresh == no ]] || continue
  echo "nvcc $source"
  mkdir -p "$folder/kept"
  nvcc "${flags[@]}" "${keep[@]}" "$source" -o "$object"
  for file in "${made[@]:1}"; do mv "$folder/kept/${file##*/}" "$file"; done
  rm -r "$folder/kept"
  count=$((count + 1))
done < <(
  echo "$folder/headers.cu"
  find cuda tests/cuda -name '*.cu' 2>/dev/null | sort
)
echo "nvcc: compiled $count file(s), all fine"
