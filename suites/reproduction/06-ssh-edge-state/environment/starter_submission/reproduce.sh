#!/bin/bash
# Makes everything below outputs/ anew.
set -eu
mkdir -p outputs
python3 src/main.py
