#!/bin/sh
# Write both locks from pyproject.toml: names, versions and hashes for every platform, no addresses. Needs uv.
set -eu
cd "$(dirname "$0")/.."

resolve() {
  uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-emit-index-url \
    --no-emit-find-links --python-version 3.11 "$@"
}

resolve pyproject.toml --extra postgres --group build --output-file requirements.lock "$@"
resolve pyproject.toml --all-extras --group build --group dev --constraint requirements.lock \
  --output-file requirements-dev.lock "$@"
