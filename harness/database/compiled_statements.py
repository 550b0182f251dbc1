"""Compiled SQL, shared by all databases of a process: each test has engines of its own, with empty caches."""

from typing import Any

from sqlalchemy import URL, Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg, PGDialectAsync_psycopg
from sqlalchemy.dialects.sqlite.aiosqlite import SQLiteDialect_aiosqlite
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

_COMPILED: LRUCache[Any, Any] = LRUCache(8_000)


def share_compiled_statements() -> None:
    """From now on, engines of one driver that write SQL and JSON in one way share what they have compiled."""
    registry.register("sqlite", __name__, SharingSqlite.__name__)
    registry.register("sqlite.aiosqlite", __name__, SharingAsyncSqlite.__name__)
    registry.register("postgresql.psycopg", __name__, SharingPostgres.__name__)


class _Sharing(DefaultDialect):
    """Dialects that are equal have the same keys in the cache."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sharing) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return type(self), self._json_serializer, self.use_insertmanyvalues_wo_returning

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_COMPILED)


class SharingSqlite(_Sharing, SQLiteDialect_pysqlite):
    supports_statement_cache = True


class SharingAsyncSqlite(_Sharing, SQLiteDialect_aiosqlite):
    supports_statement_cache = True


class SharingAsyncPostgres(_Sharing, PGDialectAsync_psycopg):
    supports_statement_cache = True


class SharingPostgres(_Sharing, PGDialect_psycopg):
    supports_statement_cache = True

    @classmethod
    def get_async_dialect_cls(cls, url: URL) -> type[SharingAsyncPostgres]:
        return SharingAsyncPostgres
