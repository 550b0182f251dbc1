#!/bin/sh
# Make .venv hold exactly what a lock names: scripts/venv.sh run|dev. Does nothing when it already does.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  run) lock=requirements.lock ;;
  dev) lock=requirements-dev.lock ;;
  *) echo "usage: scripts/venv.sh run|dev" >&2; exit 2 ;;
esac

say() { echo "sprout: $*" >&2; }

enough='import sys; assert sys.version_info >= (3, 11)'

find_python() {
  for name in ${PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3 python; do
    # Running it, not only finding it: version managers put names on the path that do not work.
    if "$name" -c "$enough" >/dev/null 2>&1; then echo "$name"; return 0; fi
  done
  say "Python 3.11 or newer is needed and was not found (tried python3.14 … python3.11, python3)."
  say "Install it (Debian, Ubuntu: apt install python3 python3-venv), or name one: make PYTHON=/path/to/python3.11 …"
  return 1
}

# What an environment was made from: this folder, the lock, and the parts of the project that installing it copies.
stamp_of() { { pwd; cat "$1" pyproject.toml; } | cksum | tr ' ' '-'; }

stamp=.venv/.made-from-$1
want=$(stamp_of "$lock")
have() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ] && .venv/bin/python -c "$enough" >/dev/null 2>&1; }

if have "$stamp" "$want"; then exit 0; fi
# The developer's lock holds all that running needs, in the same versions.
if [ "$1" = run ] && have .venv/.made-from-dev "$(stamp_of requirements-dev.lock)"; then exit 0; fi

usable() { .venv/bin/python -c "$enough; import pip" && grep -qF "$(pwd)/.venv" .venv/bin/activate; }

if ! usable >/dev/null 2>&1; then
  python=$(find_python)
  say "making .venv with $("$python" --version)"
  rm -rf .venv
  if ! trouble=$("$python" -m venv .venv 2>&1); then
    rm -rf .venv
    echo "$trouble" >&2
    say "$python cannot make virtual environments. Debian, Ubuntu: apt install python3-venv"
    exit 1
  fi
fi

say "installing $(grep -c '==' "$lock") packages from $lock (a minute or two)"
rm -f .venv/.made-from-*
.venv/bin/python -m pip install --quiet --quiet --no-input --require-hashes --no-deps -r "$lock"
.venv/bin/python -m pip install --quiet --quiet --no-input --no-deps --no-build-isolation --editable .
echo "$want" >"$stamp"
