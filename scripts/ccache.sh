#!/bin/sh
# Runs a compiler through ccache: scripts/ccache.sh COMPILER ARGUMENT…; CMake calls it for every file.
#
# A precompiled header that is built anew is removed first. ccache asks the preprocessor what a header
# holds, which reads the old precompiled one where it stands, and then takes the new headers for the old.
for argument; do
  case $argument in *.gch) rm -f "$argument" ;; esac
done
# Without these words, ccache passes on every file that has a precompiled header.
CCACHE_SLOPPINESS=pch_defines,time_macros exec ccache "$@"
