#!/usr/bin/env bash
# Compiles the engine's CUDA parts with nvcc, as they stand: every .cu file, and the headers of
# geometry/ and cuda/ in one translation unit. Keeps the kernels' PTX, which the tests ptx.Gpu… run,
# their machine code where cuobjdump is found, which sass.Gpu… run, and what ptxas says of each, which must
# stay within cuda/device/budgets.txt. Needs no GPU. Skips with a word where nvcc is absent.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$REPOSITORY"
if ! command -v nvcc >/dev/null; then
  echo "skipped: there is no nvcc here"
  exit 0
fi
folder=build/nvcc
mkdir -p "$folder/ptx" "$folder/sass"
arch="${INTERVOX_CUDA_ARCH:-sm_90}"
flags=(-std=c++20 -arch="$arch" --fmad=false -Xptxas=-O1 --expt-relaxed-constexpr --extended-lambda -Werror=all-warnings
  -Xcompiler=-ffp-contract=off -Xcompiler=-march=x86-64-v3 -I. -c)

{
  echo '// Written by scripts/nvcc_check.sh.'
  for header in geometry/*.h $(find cuda -name "*.h" | sort); do echo "#include \"$header\""; done
} >"$folder/headers.new"
cmp -s "$folder/headers.new" "$folder/headers.cu" || cp "$folder/headers.new" "$folder/headers.cu"

# compile SOURCE: unless what was made of it is newer than every source.
compile() {
  local source="$1" name made kept
  name="$(basename "$source" .cu)"
  made=("$folder/$name.o")
  if [[ "$source" == cuda/device/kernels/* ]]; then made+=("$folder/ptx/$name.ptx" "$folder/$name.ptxas"); fi
  local fresh=yes file
  for file in "${made[@]}"; do
    [[ -f "$file" && -z "$(find cuda geometry "$source" -newer "$file" -type f ! -name '*.md' ! -name '*.txt' ! -name '*.cpp' -print -quit)" ]] || fresh=no
  done
  [[ $fresh == no ]] || return 0
  echo "nvcc $source"
  if [[ ${#made[@]} -eq 1 ]]; then
    nvcc "${flags[@]}" "$source" -o "${made[0]}"
    return
  fi
  kept="$folder/kept_$name"
  mkdir -p "$kept"
  if ! nvcc "${flags[@]}" -Xptxas -v --keep --keep-dir "$kept" "$source" -o "${made[0]}" 2>"$kept/said"; then
    cat "$kept/said" >&2
    return 1
  fi
  mv "$kept/$name.ptx" "${made[1]}"
  mv "$kept/said" "${made[2]}"
  rm -r "$kept"
}

# The longest first, as many at once as there are jobs.
status=0
for source in cuda/device/kernels/{slice,flux,column,clip}.cu $(
  ls cuda/device/kernels/*.cu | grep -vE '/(slice|flux|column|clip)\.cu$'
  echo "$folder/headers.cu"
  find cuda/device -maxdepth 1 -name '*.cu' | sort
); do
  while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do wait -n || status=1; done
  compile "$source" &
done
while [[ $(jobs -p | wc -l) -gt 0 ]]; do wait -n || { [[ $? -eq 127 ]] && break; status=1; }; done
[[ $status -eq 0 ]] || fail "nvcc refuses"
echo "nvcc: all files are fine"

# The machine code of each kernel, unless it is newer than what it is read from.
write_listings() {
  local source name listing
  for source in cuda/device/kernels/*.cu; do
    name="$(basename "$source" .cu)"
    listing="$folder/sass/$name.sass"
    [[ ! "$listing" -nt "$folder/$name.o" || ! "$listing" -nt scripts/sass_listing.py ]] || continue
    "$PYTHON" scripts/sass_listing.py cuobjdump "$folder/$name.o" "$listing"
  done
}
PATH="$PATH:$CUBIN_TOOLS"
if [[ "$arch" != sm_90 ]]; then
  echo "no machine code is kept: the tests know that of sm_90 only"
elif command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null; then
  write_listings
else
  echo "no machine code is kept, so that sass.Gpu… skip: there is no cuobjdump; ./scripts/install_dependencies.sh"
fi
if [[ "$arch" == sm_90 ]]; then "$PYTHON" scripts/kernel_budgets.py "$folder"; fi
