"""Supply chain: the allowed sources, and detection of all others."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from threading import Event, Thread

import pytest

from scripts.check_supply_chain import install_problems, lock_problems, locked_versions, startup_problems
from scripts.licences import is_allowed, licence_of

ROOT = Path(__file__).parents[3]
GPL = "Classifier: License :: OSI Approved :: GNU General Public License (GPL)"
HASH = "--hash=sha256:" + "0" * 64
LOCK = f"idna==3.20 \\\n    {HASH}\n"


def package(folder: Path, *lines: str, name: str = "thing") -> Distribution:
    """An installed package that says this of itself."""
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines, ""]))
    return PathDistribution(facts)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_I17_every_package_of_a_lock_has_one_version_and_a_hash(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert lock_problems(lock, text) == []
    assert len(locked_versions(text)) > 50


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("idna==3.20\n" + LOCK, "x: no hash: idna==3.20"),
        ("idna==3.20 \\\n" + LOCK, "x: no hash: idna==3.20"),
        (f"idna>=3 \\\n    {HASH}\n", "x: no version: idna>=3"),
        (f"idna @ https://example.org/idna.whl \\\n    {HASH}\n", "x: no version: idna"),
    ],
)
def test_I17_a_lock_that_leaves_something_open_is_found(text: str, fault: str) -> None:
    assert lock_problems("x", text) == [fault]


def test_I17_what_is_installed_beside_the_lock_is_found(tmp_path: Path) -> None:
    other = package(tmp_path, "License-Expression: MIT")
    assert install_problems([other], {"thing": {"1.0", "1.1"}}) == []
    assert install_problems([other], {"thing": {"1.1"}}) == ["thing 1.0 is installed, and not in the lock"]
    assert install_problems([other], {}) == ["thing 1.0 is installed, and not in the lock"]


@pytest.mark.parametrize(
    ("output", "licence", "allowed"),
    [
        ("License-Expression: MIT", "MIT", True),
        ("License-Expression: Apache-2.0 AND BSD-2-Clause", "Apache-2.0 AND BSD-2-Clause", True),
        ("License-Expression: GPL-3.0-only OR MIT", "GPL-3.0-only OR MIT", True),
        ("License-Expression: GPL-3.0-only AND MIT", "GPL-3.0-only AND MIT", False),
        ("License-Expression: AGPL-3.0-or-later", "AGPL-3.0-or-later", False),
        ("License-Expression: LGPL-3.0-only", "LGPL-3.0-only", False),
        ("License: 3-Clause BSD License", "BSD-3-Clause", True),
        ("Classifier: License :: OSI Approved :: MIT License", "MIT", True),
        (
            "Classifier: License :: OSI Approved :: MIT License\n" + GPL,
            "License :: OSI Approved :: GNU General Public License (GPL) AND MIT",
            False,
        ),
        ("License: ask us", "ask us", False),
        ("Summary: says nothing", "unknown", False),
    ],
)
def test_I17_only_licences_of_the_list_are_taken(output: str, licence: str, allowed: bool, tmp_path: Path) -> None:
    assert licence_of(package(tmp_path, output)) == licence
    assert is_allowed("thing", licence) is allowed


def test_I17_an_exception_is_for_one_package_and_one_licence() -> None:
    assert is_allowed("psycopg", "LGPL-3.0-only")
    assert not is_allowed("thing", "LGPL-3.0-only")
    assert not is_allowed("psycopg", "AGPL-3.0-only")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("thing.pth", "import thing\n"),
        ("thing.pth", "# harmless\n\nimport\tos; os.system('id')\n"),
        ("thing.pth", "/somewhere/else\n"),
        ("_sprout_tutor.pth", "/here\nimport os\n"),
        ("distutils-precedence.pth", "import os; os.system('id')\n"),
        ("thing.start", "thing:run\n"),
        ("sitecustomize.py", ""),
        ("usercustomize.py", ""),
    ],
)
def test_I17_a_file_that_runs_at_every_start_of_python_is_found(name: str, text: str, tmp_path: Path) -> None:
    assert startup_problems(tmp_path) == []
    (tmp_path / "_sprout_tutor.pth").write_text("/here\n")
    assert startup_problems(tmp_path) == []
    (tmp_path / name).write_text(text)
    (fault,) = startup_problems(tmp_path)
    assert fault.startswith(str(tmp_path / name))


@contextmanager
def database(known: dict[str, str]) -> Iterator[str]:
    """A database of vulnerabilities that knows one for each of these packages, on this machine."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["package"]["name"]
            found = [entry(known[asked], asked)] if asked in known else []
            body = json.dumps({"vulns": found} if found else {}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing: the test prints what matters."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def entry(identity: str, name: str) -> dict[str, object]:
    """A vulnerability of all versions before 4, in the form of the Open Source Vulnerabilities."""
    events = [{"introduced": "0"}, {"fixed": "4.0"}]
    affected = {"package": {"name": name, "ecosystem": "PyPI"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
    return {"id": identity, "summary": "bad", "published": "2026-01-01T00:00:00Z", "affected": [affected]}


def checked(service: str, folder: Path, *options: str, lock: str = LOCK) -> tuple[int, str]:
    (folder / "some.lock").write_text(lock)
    command = [sys.executable, "-m", "scripts.check_vulnerabilities", "--service", service]
    ran = subprocess.run(
        [*command, "--lock", str(folder / "some.lock"), *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout.strip()


def test_I17_a_known_vulnerability_fails_the_check_and_says_what_mends_it(tmp_path: Path) -> None:
    with database({"idna": "PYSEC-2026-1"}) as service:
        assert checked(service, tmp_path, "--answer-s", "120") == (1, "idna 3.20: PYSEC-2026-1, mended in 4.0")


def test_I17_where_nothing_is_known_the_check_says_of_how_many(tmp_path: Path) -> None:
    with database({"other": "PYSEC-2026-1"}) as service:
        assert checked(service, tmp_path, "--answer-s", "120") == (0, "nothing is known against 1 packages")


def test_I17_without_the_internet_the_check_says_that_nothing_was_checked(tmp_path: Path) -> None:
    with database({}) as service:
        pass
    code, output = checked(service, tmp_path, "--answer-s", "120")
    assert code == 0
    assert output == f"NOT CHECKED: no answer from {service} (ConnectionError)"


def test_I17_a_database_that_never_answers_does_not_hold_the_check(tmp_path: Path) -> None:
    over = Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            over.wait()

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        code, output = checked(f"http://127.0.0.1:{server.server_port}/", tmp_path, "--answer-s", "5")
        over.set()
        server.shutdown()
        thread.join()
    assert (code, output.partition(":")[0]) == (0, "NOT CHECKED")


def test_I17_a_lock_that_cannot_be_read_is_a_failure_not_a_missing_answer(tmp_path: Path) -> None:
    with database({}) as service:
        code, output = checked(service, tmp_path, "--answer-s", "120", lock="idna==3.20\n" + LOCK)
    assert code == 1
    assert "NOT CHECKED" not in output
