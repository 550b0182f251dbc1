#!/bin/sh
# Write both locks from pyproject.toml: names, versions and hashes for every platform, no addresses. Needs uv.
# What was published in the last week is not taken: a package that was tampered with is mostly found within days.
# COOL_DOWN='1 day' is for what mends a vulnerability, --exclude-newer-package 'name=1 day' for one package alone.
set -eu
cd "$(dirname "$0")/.."

resolve() {
  uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
    --no-emit-find-links --python-version 3.11 --exclude-newer "${COOL_DOWN:-7 days}" "$@"
}

resolve pyproject.toml --extra postgres --extra scale --group build --output-file requirements.lock "$@"
resolve pyproject.toml --all-extras --group build --group dev --constraint requirements.lock \
  --output-file requirements-dev.lock "$@"
