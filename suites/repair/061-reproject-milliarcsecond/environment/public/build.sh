#!/bin/sh
# Builds the extension in place; run it from the root of the repository.
set -e
here=reproject/spherical_intersect
include=$(python -c 'import numpy, sysconfig; print("-I" + numpy.get_include(), "-I" + sysconfig.get_path("include"))')
mkdir -p /tmp/build
python -m cython -3 -o /tmp/build/_overlap.c $here/_overlap.pyx
gcc -O1 -fPIC -shared -I$here $include /tmp/build/_overlap.c $(ls $here/*.c | grep -v overlapAreaPP.c) \
  -lm -o $here/_overlap.so
