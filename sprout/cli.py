"""The command line: arguments in, one call out."""

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprout import __version__
from sprout.commands.evaluate import add_eval_command
from sprout.commands.files import read_document, read_text
from sprout.commands.subcommands import Command, add_command, pace, port, topic
from sprout.errors import SetupError, SproutError
from sprout.learning.paths.repository import DEFAULT_USER_ID

if TYPE_CHECKING:
    from sprout.config import Settings
    from sprout.roles import Role

INTERRUPTED = 130  # 128 + SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 success, 1 a failure with a message of one line, 2 wrong usage, 130 Ctrl-C."""
    given = _parser().parse_args(arguments)
    command: Command = given.command
    try:
        return command(given)
    except SproutError as error:
        print(f"sprout: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe; without this the interpreter reports an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


# Each command imports what it needs itself: `sprout --help` answers at once.


def _serve(given: argparse.Namespace) -> int:
    from sprout.roles import role_of_server

    return _run_server(given, role_of_server)


def _worker(given: argparse.Namespace) -> int:
    from sprout.roles import role_of_worker

    return _run_server(given, role_of_worker)


def _run_server(given: argparse.Namespace, choose_role: "Callable[[Settings], Role]") -> int:
    # Until the event loop runs: an unhandled signal never reaches process 1, which this is in a container, and
    # an exception of a handler may be lost during imports. Nothing is open yet.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, _: os._exit(128 + number))  # as of a process without a handler

    gc.disable()  # nothing that is imported is garbage, and the search for some takes a fifth of the start
    settings = _settings(host=given.host, port=given.port)  # before imports that take seconds
    role = choose_role(settings)

    from sprout.serving import serve
    from sprout.telemetry.logs import configure_logging
    from sprout.telemetry.uncaught_exceptions import log_uncaught_exceptions

    gc.freeze()  # what is loaded later is searched, for the process may wait long for its database
    gc.enable()

    configure_logging(settings.log_level, settings.log_format)
    log_uncaught_exceptions()
    serve(settings, role=role)
    return 0


def _learn(given: argparse.Namespace) -> int:
    settings = _quiet_settings()
    documents = [read_document(path, settings.upload_max_bytes) for path in given.files]

    from rich.console import Console

    from sprout.app import open_app
    from sprout.commands.learn import create_path

    async def learn() -> int:
        async with open_app(settings) as app:
            if not documents:
                app.coverage.course_on(given.topic)  # before a path is made
            return await create_path(
                app.stores.paths, app.runs, given.topic, documents, small=given.small, console=Console(highlight=False)
            )

    return asyncio.run(learn())


def _seed(given: argparse.Namespace) -> int:
    from sprout.learning.paths.path_file import parse_path

    path, settings = parse_path(read_text(given.file)), _quiet_settings()

    from sprout.app import open_app

    async def seed() -> str:
        async with open_app(settings) as app:
            return (await app.stores.exchange.import_path(path, user_id=DEFAULT_USER_ID)).id

    branch_id = asyncio.run(seed())
    print(f"Created “{path.title}” with {len(path.concepts)} concepts: {branch_id}")
    return 0


def _export(given: argparse.Namespace) -> int:
    settings = _quiet_settings()

    from sprout.commands.export import export

    export(settings, given.branch_id, given.output, given.format)
    return 0


def _migrate(_: argparse.Namespace) -> int:
    from sprout.store.engine import migrate

    settings = _quiet_settings()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    url = settings.database
    before = migrate.current_revision(url)
    backup = migrate.upgrade(url)
    _upgrade_queue(url)
    if backup is not None:
        print(f"A backup of the previous database is in {backup}")
    after = migrate.head()
    print(f"The database is up to date ({after})" if before == after else f"The database is now at {after}")
    return 0


def _upgrade_queue(url: str) -> None:
    """Bring the job queue of several processes up to date, where they are possible."""
    from importlib.util import find_spec

    from sprout.store.engine.urls import libpq_url, sqlite_file

    if sqlite_file(url) is None and find_spec("procrastinate") is not None:
        from sprout.engines.procrastinate_schema import upgrade_queue

        upgrade_queue(libpq_url(url))


def _backup(given: argparse.Namespace) -> int:
    from sprout.store.engine.urls import sqlite_file
    from sprout.store.sqlite.backups import back_up, write_copy

    file = sqlite_file(_quiet_settings().database)
    if file is None:
        raise SetupError("A PostgreSQL database is backed up by its own tools: pg_dump and pg_restore.")
    if not file.exists():
        raise SetupError(f"There is no database to back up yet: {file}")
    if given.output is not None:
        write_copy(file, given.output)
    print(f"The database was backed up to {given.output or back_up(file, 'asked')}")
    return 0


def _owner(given: argparse.Namespace) -> int:
    settings = _quiet_settings()
    password = None if given.link else _ask_password()

    from sprout.commands.accounts import make_owner
    from sprout.store.engine.database import open_database

    async def make() -> str | None:
        async with open_database(settings.database) as database:
            return await make_owner(database, given.name, password)

    settings.data_dir.mkdir(parents=True, exist_ok=True)
    path = asyncio.run(make())
    print(f"{given.name} is an owner.")
    if path is not None:
        address = settings.public_url or f"http://{settings.host}:{settings.port}"
        print(f"To set the password, once and within seven days: {address}{path}")
    if not settings.auth:
        print("Nobody signs in yet: set SPROUT_AUTH=password.")
    return 0


def _adopt(given: argparse.Namespace) -> int:
    settings = _quiet_settings()

    from sprout.commands.accounts import adopt_local_data
    from sprout.store.engine.database import open_database

    async def adopt() -> str:
        async with open_database(settings.database) as database:
            account, counts = await adopt_local_data(database, given.name, back=given.back)
        taker = "the one learner of a server without sign-in" if given.back else account.display_name
        listed = "".join(f"\n  {count} {table}" for table, count in counts.items())
        return f"{sum(counts.values())} rows now belong to {taker}.{listed}"

    print(asyncio.run(adopt()))
    return 0


def _ask_password() -> str:
    from getpass import getpass

    if not sys.stdin.isatty():
        raise SetupError("A password is asked for on a terminal. Without one, use --link.")
    password = getpass("Password: ")
    if getpass("Once more: ") != password:
        raise SetupError("These are two different passwords.")
    return password


def _doctor(given: argparse.Namespace) -> int:
    from rich.console import Console

    from sprout.agents.graph_edits import PATH_POLICY
    from sprout.commands.doctor import Probing, examine

    agents = {"topic": PATH_POLICY, "subconcept": PATH_POLICY}
    depth: Probing = "none" if given.no_probe else "whole" if given.model else "answer"
    return asyncio.run(examine(_quiet_settings(), agents, Console(highlight=False), probing=depth))


def _mcp(given: argparse.Namespace) -> int:
    from sprout.commands.mcp import McpSettings, pass_on

    chosen = {name: value for name in ("url", "token") if (value := getattr(given, name)) is not None}
    asyncio.run(pass_on(McpSettings(**chosen)))
    return 0


def _model_server(given: argparse.Namespace) -> int:
    from sprout.offline.demo.router import demo_model
    from sprout.offline.faults.scenarios import FaultPlan, Scenario
    from sprout.offline.pace import Pace
    from sprout.offline.server import running_offline_server

    if given.scenario not in (None, *Scenario):
        raise SetupError(f"no scenario {given.scenario!r}; there are: {', '.join(Scenario)}")
    faults = FaultPlan.always(given.scenario) if given.scenario else FaultPlan()

    async def serve() -> None:
        async with running_offline_server(
            demo_model(), host=given.host, port=given.port, pace=Pace(0.0, given.pace), faults=faults, keep_requests=0
        ) as server:
            print(f"The offline demo model is at {server.base_url}", flush=True)
            print(f"To use it: ANTHROPIC_BASE_URL={server.base_url} sprout serve", flush=True)
            await asyncio.Event().wait()

    asyncio.run(serve())
    return 0


def _settings(**chosen: Any) -> "Settings":
    """The settings; options of the command line override the environment."""
    from sprout.config import load_settings

    return load_settings(**{name: value for name, value in chosen.items() if value is not None})


def _quiet_settings() -> "Settings":
    """The settings for commands that print their own result: only errors are logged."""
    from sprout.telemetry.logs import configure_logging

    settings = _settings()
    configure_logging("debug" if settings.log_level == "debug" else "error", settings.log_format)
    return settings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sprout",
        description="An open tutoring backend: agents that grow a concept graph, teach it, and stream their work.",
        epilog="Settings come from the environment and from .env in this folder; `sprout doctor` shows them.",
    )
    parser.add_argument("--version", action="version", version=f"sprout {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    serve = add_command(commands, "serve", _serve, "start the server and its page")
    worker = add_command(commands, "worker", _worker, "carry the runs of servers that share a database")
    for server in (serve, worker):
        server.add_argument("--host", help="address to listen on (127.0.0.1)")
        server.add_argument("--port", type=port, help="port to listen on (8000)")

    learn = add_command(commands, "learn", _learn, "grow a path for a topic, here in the terminal")
    learn.add_argument("topic", type=topic, metavar="TOPIC")
    learn.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="notes to learn from: PDF, Word, PowerPoint, HTML, Markdown, text",
    )
    learn.add_argument("--small", action="store_true", help="one or two concepts, quick and cheap")

    seed = add_command(commands, "seed", _seed, "plant a path from a YAML or JSON file")
    seed.add_argument("file", type=Path, metavar="FILE")

    export = add_command(commands, "export", _export, "write a path as a file that `seed` reads, or as cards for Anki")
    export.add_argument("branch_id", metavar="BRANCH_ID")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (standard output)")
    export.add_argument(
        "--format", choices=("yaml", "json", "apkg"), help="output format (by the name of FILE, else yaml)"
    )

    add_command(commands, "migrate", _migrate, "bring the database up to date; SQLite is backed up before")

    backup = add_command(
        commands, "backup", _backup, "copy the SQLite database as it is now, also while a server uses it"
    )
    backup.add_argument("-o", "--output", type=Path, metavar="FILE", help="output file (beside the database)")

    owner = add_command(commands, "owner", _owner, "make somebody an owner of this installation")
    owner.add_argument("name", metavar="NAME", help="name to sign in with")
    owner.add_argument("--link", action="store_true", help="print a link that sets the password, and ask for none")

    adopt = add_command(commands, "adopt", _adopt, "give an account what was learned on this server without sign-in")
    adopt.add_argument("name", metavar="NAME", help="name of the account")
    adopt.add_argument("--back", action="store_true", help="the other way round")

    doctor = add_command(commands, "doctor", _doctor, "examine this installation and say what to mend")
    probes = doctor.add_mutually_exclusive_group()
    probes.add_argument("--no-probe", action="store_true", help="do not call the model")
    probes.add_argument(
        "--model", action="store_true", help="find out what each model can do: a minute, and up to 20,000 tokens each"
    )

    mcp = add_command(commands, "mcp", _mcp, "let an assistant on this machine use a running server, by MCP")
    mcp.add_argument("--url", help="address of the server (SPROUT_MCP_URL, else http://127.0.0.1:8000)")
    mcp.add_argument("--token", help="access token, better in SPROUT_MCP_TOKEN: others see the arguments of a command")

    model = add_command(commands, "model-server", _model_server, "serve the built-in offline model by itself")
    model.add_argument("--host", default="127.0.0.1")
    model.add_argument("--port", type=port, default=8010)
    model.add_argument("--scenario", metavar="NAME", help="fault to simulate for every request, such as overloaded")
    model.add_argument("--pace", type=pace, metavar="TOKENS_PER_S", help="output speed (unlimited)")
    add_eval_command(commands)
    return parser
