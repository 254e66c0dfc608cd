#!/usr/bin/env bash
# rounding.sh LIBRARY: g++ must make no fused sums and differences of products in the engine, whose bits devices have.
# Where the sources ask for one rounding, by std::fma, the instructions are others.
set -euo pipefail

command -v objdump >/dev/null || exit 77
code="$(objdump -d "$1")"
fused="$(grep -cE 'vfmaddsub|vfmsubadd' <<<"$code" || true)"
# A library that cannot be read would have none either.
grep -q vmulsd <<<"$code" || { echo "error: there is no code in $1"; exit 1; }
if ((fused > 0)); then
  echo "error: $fused instructions in $1 round once where the sources round twice; compile their source without"
  echo "-ftree-slp-vectorize, as cuda/CMakeLists.txt does for rules/slice/rule.cpp"
  exit 1
fi
