#!/bin/bash
set -eu
echo "replay ${REFEREE_REPLAY_NONCE:-none}"
python3 src/solve.py
