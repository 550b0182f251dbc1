"""Every check but the tests, as many at once as there are cores; all run, also when one fails."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
NOT_CHECKED = "NOT CHECKED"


def tool(name: str) -> str:
    """A command of the environment that this script runs in."""
    return str(BIN / name)


def node() -> str | None:
    """A Node.js of version 20 or newer: the machine's own, else the one that playwright brings along."""
    import playwright

    bundled = Path(playwright.__file__).parent / "driver" / "node"
    for candidate in (shutil.which("node"), str(bundled)):
        if candidate is None or not Path(candidate).exists():
            continue
        asked = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
        major = asked.stdout.strip().removeprefix("v").partition(".")[0]
        if asked.returncode == 0 and major.isdecimal() and int(major) >= 20:
            return candidate
    return None


def page_steps(runner: str | None) -> list[tuple[str, list[str]]]:
    """Format, types and rules of the page's modules: they need Node.js, and npm once to install their tools.

    Without them they are skipped with a word, and fail where CI or SPROUT_REQUIRE says that nothing may be missing.
    """
    install = ["sh", "scripts/page_tools.sh"]
    installed = subprocess.run(install, cwd=ROOT, capture_output=True, text=True, check=False)
    if installed.returncode == 0 and runner:
        return [
            ("page types", [runner, "node_modules/typescript/lib/tsc.js", "--project", "."]),
            ("page format", [runner, "node_modules/prettier/bin/prettier.cjs", "--log-level", "warn", "--check", "."]),
            ("page rules", [runner, "scripts/check_page.mjs"]),
        ]
    if os.environ.get("CI") or os.environ.get("SPROUT_REQUIRE"):
        return [("page tools", install)]
    missing = "its tools could not be installed" if shutil.which("npm") else "npm is not installed"
    print(f"page types, format, rules: {NOT_CHECKED}, {missing}", flush=True)
    return []


def steps() -> list[tuple[str, list[str]]]:
    """The checks by name, those that take longest first."""
    found = [
        ("types", [tool("mypy")]),
        ("format", [tool("ruff"), "format", "--check", "--quiet", "."]),
        ("lint", [tool("ruff"), "check", "--quiet", "."]),
        ("tree", [sys.executable, "scripts/check_tree.py"]),
        ("vendored files", [sys.executable, "scripts/check_vendor.py"]),
        ("supply chain", [sys.executable, "-m", "scripts.check_supply_chain"]),
        ("manifests", [sys.executable, "-m", "scripts.check_manifests"]),
        ("vulnerabilities", [sys.executable, "-m", "scripts.check_vulnerabilities"]),
        ("imports", [tool("lint-imports"), "--no-cache"]),
        ("dead code", [tool("vulture")]),
        ("dependencies", [tool("deptry"), "--no-ansi", "sprout"]),
    ]
    pages = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "web").glob("**/*.test.mjs"))
    runner = node()
    found += page_steps(runner)
    if pages and runner:
        found.append(("page", [runner, "--test", *pages]))
    elif pages:
        print("page: NOT CHECKED, Node.js 20 or newer is not installed", flush=True)
    return found


def run_check(name: str, command: Sequence[str]) -> bool:
    """Run one check quietly; its output is shown only where it failed, or could not check."""
    began = time.monotonic()
    ran = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    verdict = "ok" if ran.returncode == 0 else "FAILED"
    if ran.returncode == 0 and ran.stdout.startswith(NOT_CHECKED):
        verdict = ran.stdout.strip()
    output = f"\n{ran.stdout.rstrip()}\n" if ran.returncode != 0 else ""
    print(
        f"{name:<16}{verdict:<8}{time.monotonic() - began:5.1f} s{output}\n", end="", flush=True
    )  # whole beside others
    return ran.returncode == 0


def main() -> int:
    os.chdir(ROOT)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checked = [(name, pool.submit(run_check, name, command)) for name, command in steps()]
    failed = [name for name, held in checked if not held.result()]
    if failed:
        print(f"make check: {', '.join(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
