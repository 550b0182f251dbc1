"""Ask a public database, through pip-audit, whether a known vulnerability is in what the lock of running names.

Without an answer nothing is known, which is printed and fails nothing: checks go on without the internet.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "https://api.osv.dev/v1/query"
ANSWER_S = 20.0
CONNECTION_ERRORS = (
    "ConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "ConnectionRefusedError",
    "ServiceError",
    "ProxyError",
)


def report_not_checked(service: str, why: str) -> int:
    print(f"NOT CHECKED: no answer from {service} ({why})")
    return 0


def audit(lock: Path, service: str, answer_s: float) -> int:
    """Return 0 if none is known or the service did not answer, 1 after a line per vulnerability or error."""
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json", "--desc", "off"]
    asked = ["--vulnerability-service", "osv", "--osv-url", service, "--timeout", "10"]
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(lock), *options, *asked]
    try:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=answer_s)
    except subprocess.TimeoutExpired:
        return report_not_checked(service, f"all of it takes longer than {answer_s:.0f} s")
    last = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
    if not ran.stdout.strip():
        if any(name in last for name in CONNECTION_ERRORS):
            return report_not_checked(service, last.partition(":")[0].rpartition(".")[2])
        print(ran.stderr.strip())
        return 1
    packages = json.loads(ran.stdout)["dependencies"]
    left_out = [f"{each['name']}: {each['skip_reason']}" for each in packages if "skip_reason" in each]
    if left_out:
        print("\n".join(left_out))
        return 1
    known = [
        f"{each['name']} {each['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no version'}"
        for each in packages
        for fault in each["vulns"]
    ]
    print("\n".join(known) or f"nothing is known against {len(packages)} packages")
    return 1 if known else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements.lock")
    parser.add_argument("--service", default=SERVICE, help="where questions of the OSV form are answered")
    parser.add_argument("--answer-s", type=float, default=ANSWER_S)
    given = parser.parse_args()
    return audit(given.lock, given.service, given.answer_s)


if __name__ == "__main__":
    sys.exit(main())
