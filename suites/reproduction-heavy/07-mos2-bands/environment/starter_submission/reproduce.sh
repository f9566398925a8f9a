#!/bin/bash
set -eu
/usr/bin/python3 src/main.py
