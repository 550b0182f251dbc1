#!/bin/sh
# Make node_modules hold exactly what package-lock.json names: prettier, tsc and types. Does nothing when it already does.
set -eu
cd "$(dirname "$0")/.."

stamp=node_modules/.made-from
want=$(cat package.json package-lock.json .npmrc | cksum | tr ' ' '-')
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then exit 0; fi
if ! command -v npm >/dev/null; then
  echo "sprout: npm is needed for the page's formatter and types. Debian, Ubuntu: apt install npm" >&2
  exit 1
fi
# No package's scripts run, and the machine's own settings for npm are the machine's own business.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
echo "$want" >"$stamp"
