"""Marks of tests that go with one topology alone, each with its reason; on the other one they are not selected."""

import pytest

sqlite_file = pytest.mark.topology("embedded", reason="works on the file of an SQLite database")
one_process = pytest.mark.topology("embedded", reason="looks into the engines of a single process")
quick_stop = pytest.mark.topology(
    "embedded", reason="stops the server before its next event: only a bus within it is so quick"
)
command = pytest.mark.topology("embedded", reason="is about a command, which carries its own runs alone")
own_runs = pytest.mark.topology("embedded", reason="is about a process that carries the runs that it admits")
workers = pytest.mark.topology("scaled", reason="is about the places of a worker")
