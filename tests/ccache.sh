#!/usr/bin/env bash
# A precompiled header that is built over an older one holds what its headers say now, whatever ccache knows.
set -euo pipefail

launcher="$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../scripts/ccache.sh"
command -v ccache >/dev/null || exit 77
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export CCACHE_DIR="$folder/cache"

build() {  # build VALUE: the header says VALUE; precompiles it.
  echo "#pragma once
inline constexpr int kValue = $1;" >value.h
  touch -d '1 hour ago' value.h  # ccache takes no header that is newer than its start
  "$launcher" g++ -x c++-header -include all.hxx -o all.hxx.gch -c all.cxx
}

echo '#include "value.h"' >all.hxx
touch -d '1 hour ago' all.hxx
echo >all.cxx
echo 'static_assert(kValue == 3);' >use.cpp

build 1
cp -p all.hxx.gch first.gch
build 2  # over the first: what ccache keeps of this must not be found under what the first holds
cp -p first.gch all.hxx.gch
build 3
"$launcher" g++ -include all.hxx -c use.cpp
