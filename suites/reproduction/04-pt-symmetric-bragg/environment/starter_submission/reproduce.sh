#!/bin/bash
set -eu
python3 src/main.py
