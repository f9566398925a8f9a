#!/bin/sh
# Builds the extension in place; run it from the root of the repository.
set -e
mkdir -p /tmp/build
sed -e 's/@Spglib_VERSION_MAJOR@/2/' -e 's/@Spglib_VERSION_MINOR@/6/' -e 's/@Spglib_VERSION_PATCH@/0/' \
  -e 's/@Spglib_VERSION[A-Z_]*@/2.6.0/' -e 's/@Spglib_COMMIT@//' src/version.h.in > /tmp/build/version.h
include=$(python -c 'import numpy, sysconfig; print("-I" + numpy.get_include(), "-I" + sysconfig.get_path("include"))')
gcc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -DSPG_BUILD -DSPGWARNING -DSPGINFO \
  -I/tmp/build -Iinclude -Isrc $include \
  $(ls src/*.c | grep -v spglib_f.c) python/_spglib.c -lm -o python/spglib/_spglib.so
