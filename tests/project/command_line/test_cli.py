"""The command line, as a user sees it."""

import asyncio
import signal
import sqlite3
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from harness.models.closes_later import ClosesLater
from sprout import __version__
from sprout.learning.paths.path_file import parse_path
from sprout.offline.server import running_offline_server
from tests.project.commands import CommandResult, run_sprout, serve_sprout, start_sprout

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "fractions.yaml"
AT_ONCE = {"SPROUT_OFFLINE_TOKENS_PER_S": "100000"}


async def test_help_lists_every_command(tmp_path: Path) -> None:
    ran = await run_sprout("--help", folder=tmp_path)
    assert ran.code == 0
    for command in ("serve", "learn", "seed", "export", "migrate", "doctor", "model-server"):
        assert f"\n    {command} " in ran.out or f"\n    {command}\n" in ran.out


async def test_the_version_is_printed_also_by_python_m(tmp_path: Path) -> None:
    process = await start_sprout("-m", "sprout", "--version", folder=tmp_path, program=sys.executable)
    out, _ = await process.communicate()
    assert out.decode() == f"sprout {__version__}\n"


async def test_help_does_not_load_what_it_does_not_need(tmp_path: Path) -> None:
    program = (
        "import sys; from sprout.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print({'anthropic', 'sqlalchemy', 'starlette', 'rich', 'tiktoken'} & sys.modules.keys())"
    )
    process = await start_sprout("-c", program, folder=tmp_path, program=sys.executable)
    out, _ = await process.communicate()
    assert out.decode().splitlines()[-1] == "set()"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["grow"],
        ["learn"],
        ["learn", "  "],
        ["serve", "--port", "70000"],
        ["export", "x", "--format", "xml"],
        ["model-server", "--pace", "0"],
    ],
)
async def test_a_wrong_usage_is_exit_code_2(arguments: list[str], tmp_path: Path) -> None:
    ran = await run_sprout(*arguments, folder=tmp_path)
    assert ran.code == 2
    assert ran.err.startswith("usage: sprout")


@pytest.mark.parametrize(
    ("arguments", "settings", "says"),
    [
        (["serve"], {"SPROUT_PORT": "many"}, "port"),
        (["serve"], {"DATABASE_URL": "oracle://x"}, "oracle"),
        (["learn", "Light", "nowhere.md"], {}, "nowhere.md cannot be read"),
        (["seed", "nowhere.yaml"], {}, "nowhere.yaml cannot be read"),
        (["export", "no-such-branch"], {}, "no-such-branch"),
        (["model-server", "--scenario", "earthquake"], {}, "no scenario 'earthquake'; there are: rate_limited"),
        (["migrate"], {"SPROUT_LOOP__MAX_ITERATIONS": "0", "DATABASE_URL": "sqlite://"}, "sqlite:///path"),
    ],
)
async def test_an_expected_failure_is_one_clear_line_and_exit_code_1(
    arguments: list[str], settings: dict[str, str], says: str, tmp_path: Path
) -> None:
    ran = await run_sprout(*arguments, folder=tmp_path, **settings)
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err.startswith("sprout: ")
    assert ran.err.count("\n") == 1
    assert says in ran.err


async def test_a_path_is_grown_in_the_terminal(tmp_path: Path) -> None:
    ran = await run_sprout("learn", "Bayesian reasoning", "--small", folder=tmp_path, **AT_ONCE)
    assert (ran.code, ran.err) == (0, "")
    assert "✓ saved concept “" in ran.out
    assert "\nBayesian reasoning\n├── " in ran.out
    assert "The path is ready." in ran.out
    assert "\x1b" not in ran.out  # no colours where nobody looks


async def test_a_topic_that_the_built_in_model_knows_nothing_about_is_refused_before_a_path_is_made(
    tmp_path: Path,
) -> None:
    ran = await run_sprout("learn", "How vaccines work", folder=tmp_path, **AT_ONCE)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(
        "sprout: The built-in model knows nothing about “How vaccines work”, so there is no path."
    )
    with closing(sqlite3.connect(tmp_path / "data" / "sprout.sqlite3")) as database:
        assert database.execute("select count(*) from branches").fetchone() == (0,)


async def test_M3_the_terminal_says_at_which_limit_a_path_ended_and_what_to_do(tmp_path: Path) -> None:
    async with running_offline_server(ClosesLater()) as model:
        ran = await run_sprout(
            *("learn", "Bayesian reasoning"),
            folder=tmp_path,
            SPROUT_AGENTS__TOPIC__MAX_ITERATIONS="1",
            ANTHROPIC_BASE_URL=model.base_url,
            SPROUT_MODEL="sprout-offline",
        )
    words = " ".join(ran.out.split())
    assert (ran.code, ran.err) == (0, "")
    assert "The run reached its limit of 1 step. What it saved is kept. Start it again to continue" in words
    assert "or raise SPROUT_AGENTS__TOPIC__MAX_ITERATIONS. The path is not complete." in words
    assert "The path is ready." not in words


async def test_M3_the_terminal_says_which_budget_left_nothing(tmp_path: Path) -> None:
    ran = await run_sprout("learn", "Bayes", folder=tmp_path, SPROUT_LOOP__MAX_RUN_TOKENS="300", **AT_ONCE)
    assert ran.code == 1
    assert "The run spent its budget of 300 tokens. It had not saved anything yet." in " ".join(ran.out.split())


async def test_a_path_is_grown_from_notes(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(NOTES)
    ran = await run_sprout("learn", "Tides", "notes.md", "--small", folder=tmp_path, **AT_ONCE)
    assert ran.code == 0, ran.err
    assert "Reading your notes first: “notes.md”." in ran.out


async def test_ctrl_c_stops_the_run_and_keeps_what_was_saved(tmp_path: Path) -> None:
    process = await start_sprout("learn", "Bayesian reasoning", folder=tmp_path, SPROUT_OFFLINE_TOKENS_PER_S="40")
    assert process.stdout is not None
    out = ""
    async with asyncio.timeout(60):
        while "✓ saved concept “" not in out:
            line = await process.stdout.readline()
            assert line, out
            out += line.decode()
        process.send_signal(signal.SIGINT)
        rest, err = await process.communicate()
    assert process.returncode == 130, err.decode()
    out += rest.decode()
    assert "Stopping; saved work is kept." in out
    assert "The run was stopped." in out
    saved = out.partition("✓ saved concept “")[2].partition("”")[0]
    assert f"── {saved}" in out


async def test_a_second_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    process = await start_sprout("learn", "Bayesian reasoning", folder=tmp_path, SPROUT_OFFLINE_TOKENS_PER_S="1")
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while b"Creating" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        while b"Stopping" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err.decode()


async def test_a_path_goes_out_and_in_again(tmp_path: Path) -> None:
    planted = await run_sprout("seed", str(EXAMPLE), folder=tmp_path)
    assert planted.out.startswith("Created “Fractions” with 3 concepts: ")
    exported = await run_sprout("export", planted.out.split()[-1], folder=tmp_path)
    assert [concept.title for concept in parse_path(exported.out).concepts] == [
        "A fraction as equal parts",
        "Equal fractions",
        "Adding fractions",
    ]
    written = await run_sprout("export", planted.out.split()[-1], "-o", "path.json", folder=tmp_path)
    assert written == CommandResult(0, "", "")
    assert parse_path((tmp_path / "path.json").read_text()) == parse_path(exported.out)
    written = await run_sprout("export", planted.out.split()[-1], "-o", "cards.apkg", folder=tmp_path)
    assert written == CommandResult(0, "", "")
    assert zipfile.is_zipfile(tmp_path / "cards.apkg")


async def test_a_file_with_faults_plants_nothing_and_names_them_all(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(
        "sprout_path: 1\ntitle: Bad\ntopic: {title: Bad}\nconcepts: [{title: One}, {title: one}]\n"
        "edges: [{from: One, to: Three}]\n"
    )
    ran = await run_sprout("seed", "bad.yaml", folder=tmp_path)
    assert ran.code == 1
    assert "2 items are wrong" in ran.err
    assert "concepts.1.title: " in ran.err
    assert "edges.0: nothing here has the key or title 'Three'" in ran.err


async def test_migrate_makes_the_database_and_says_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    first = await run_sprout("migrate", folder=tmp_path)
    second = await run_sprout("migrate", folder=tmp_path)
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert first.out.startswith("The database is now at ")
    assert second.out.startswith("The database is up to date (")


async def test_the_server_says_where_it_is_and_which_model_it_uses_and_leaves_when_asked(tmp_path: Path) -> None:
    process = await start_sprout("serve", "--port", "0", folder=tmp_path)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        first, second = await process.stdout.readline(), await process.stdout.readline()
        process.terminate()
        _, err = await process.communicate()
    assert b"http://127.0.0.1:" in first
    assert b"offline" in second
    assert process.returncode == 0, err.decode()


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with serve_sprout("serve", "--port", "0", folder=tmp_path) as (_, address):
        port = address.rpartition(":")[2]
        ran = await run_sprout("serve", "--port", port, folder=other)
    assert ran.code == 1
    assert f"127.0.0.1:{port}" in ran.err


async def test_a_database_that_another_process_holds_is_refused_in_words(tmp_path: Path) -> None:
    async with serve_sprout("serve", "--port", "0", folder=tmp_path):
        ran = await run_sprout("seed", str(EXAMPLE), folder=tmp_path)
    assert ran.code == 1
    assert ran.err.startswith("sprout: ")
    assert "Traceback" not in ran.err


async def test_the_model_server_answers_and_meets_the_fault_that_it_was_given(tmp_path: Path) -> None:
    body = {"model": "sprout-offline", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}
    headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
    statuses = []
    for arguments in ([], ["--scenario", "overloaded"]):
        async with (
            serve_sprout("model-server", "--port", "0", *arguments, folder=tmp_path) as (_, address),
            httpx2.AsyncClient(headers=headers) as client,
        ):
            statuses.append((await client.post(f"{address}/v1/messages", json=body)).status_code)
    assert statuses == [200, 529]


async def test_doctor_finds_a_sound_installation_sound(tmp_path: Path) -> None:
    ran = await run_sprout("doctor", folder=tmp_path)
    assert ran.code == 0
    assert "BROKEN" not in ran.out
    assert "will be created at the first start" in ran.out
    assert "the offline demo model" in ran.out


async def test_doctor_says_where_each_number_came_from(tmp_path: Path) -> None:
    settings = {"SPROUT_LOOP__TOOL_ATTEMPTS": "5", "SPROUT_AGENTS__TOPIC__KEEP_PRUNE": "9"}
    ran = await run_sprout("doctor", folder=tmp_path, **settings)
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in ran.out.splitlines() if line.strip()}
    assert rows["tool_attempts"] == "5 SPROUT_LOOP 5 SPROUT_LOOP"
    assert rows["keep_prune"] == "9 SPROUT_AGENTS 4"
    assert rows["max_output_tokens"] == "24,000 the agent's own 24,000 the agent's own"
    assert rows["jitter"] == "0.25 0.25"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "cannot be reached"),
        ({"DATABASE_URL": "postgresql://127.0.0.1:9/sprout"}, "database    BROKEN"),
        ({"SPROUT_DATA_DIR": "/dev/null/data"}, "set SPROUT_DATA_DIR to a folder that can"),
        ({"SPROUT_LOOP__MAX_ITERATIONS": "0"}, "max_iterations"),
    ],
)
async def test_doctor_says_what_is_broken(settings: dict[str, str], says: str, tmp_path: Path) -> None:
    ran = await run_sprout("doctor", folder=tmp_path, **settings)
    assert ran.code == 1
    assert says in ran.out
    assert "Traceback" not in ran.err


async def test_doctor_never_shows_a_password(tmp_path: Path) -> None:
    url = "postgresql://someone:hunter2@127.0.0.1:9/sprout"
    ran = await run_sprout("doctor", folder=tmp_path, DATABASE_URL=url, ANTHROPIC_API_KEY="sk-secret", **NO_PROVIDER)
    assert not [secret for secret in ("hunter2", "sk-secret") if secret in ran.out + ran.err]


async def test_doctor_says_where_the_key_comes_from_and_never_the_key(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "model-key").write_text("sk-secret")
    kept = await run_sprout("doctor", "--no-probe", folder=tmp_path)
    assert "with the key that the data folder keeps" in kept.out
    named = await run_sprout("doctor", "--no-probe", folder=tmp_path, ANTHROPIC_API_KEY="sk-secret")
    assert "with a key from the environment" in named.out
    assert "sk-secret" not in kept.out + kept.err + named.out + named.err


async def test_doctor_calls_a_model_that_is_there(tmp_path: Path) -> None:
    async with serve_sprout("model-server", "--port", "0", folder=tmp_path) as (_, address):
        ran = await run_sprout("doctor", folder=tmp_path, ANTHROPIC_BASE_URL=address, SPROUT_MODEL="sprout-offline")
    assert ran.code == 0, ran.out
    assert "sprout-offline answered in" in ran.out


async def test_O7_doctor_finds_out_what_a_model_can_do_and_stores_it(tmp_path: Path) -> None:
    settings = {"SPROUT_MODEL": "sprout-offline"}
    async with serve_sprout("model-server", "--port", "0", folder=tmp_path) as (_, address):
        ran = await run_sprout("doctor", "--model", folder=tmp_path, ANTHROPIC_BASE_URL=address, **settings)
    assert ran.code == 0, ran.out
    assert "sprout-offline can do the work of agents" in ran.out
    assert "3 of 3 tool calls came; 3 of 3 in one reply; nested input is right" in ran.out
    assert "the result is stored" in ran.out
    with closing(sqlite3.connect(tmp_path / "data" / "sprout.sqlite3")) as database:
        row = database.execute("select model, address, tool_calls from model_probes").fetchone()
    assert row == ("sprout-offline", address, 3)


async def test_O9_doctor_says_that_a_model_calls_no_tools(tmp_path: Path) -> None:
    async with serve_sprout("model-server", "--port", "0", "--scenario", "tools_dropped", folder=tmp_path) as (_, url):
        ran = await run_sprout("doctor", "--model", folder=tmp_path, ANTHROPIC_BASE_URL=url, SPROUT_MODEL="mine")
    assert ran.code == 1
    assert "mine calls no tools, so agents cannot work with it: choose another" in ran.out


NO_PROVIDER = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
NOTES = """# Tides

## Why the sea rises

The moon pulls on the sea. The water nearest to the moon is pulled most, so it rises there.

## Two tides a day

The earth turns once a day below two bulges of water. A harbour passes both of them, so it has two tides.

## Spring tides

When sun and moon stand in one line their pulls add up. The tides are then highest, and they are called spring tides.
"""
