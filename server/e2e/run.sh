#!/usr/bin/env bash
# Bazel's way to main.py.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/main.py" "$@"
