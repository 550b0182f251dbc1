"""Alembic environment: migrates the given connection, or for a developer the URL of alembic.ini or `-x url=`."""

from logging.config import fileConfig
from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import JSON, Connection

from sprout.store.documents.full_text import belongs_to_index
from sprout.store.engine.migrate import connect
from sprout.store.schema import (  # noqa: F401 - their tables are part of the metadata
    account_tables,
    budget_tables,
    class_tables,
    desk_tables,
    model_tables,
    placement_tables,
    record_tables,
    review_tables,
    run_tables,
    sign_in_tables,
)
from sprout.store.schema.columns import SafeText, TableModel, UtcTime
from sprout.store.schema.partitions import is_partition

_PLAIN: dict[type, str] = {
    UtcTime: "sa.DateTime(timezone=True)",
    SafeText: "sa.Text()",
    JSON: 'sa.JSON().with_variant(postgresql.JSONB(), "postgresql")',
}


def render(kind: str, item: object, autogen: AutogenContext) -> str | Literal[False]:
    """Revisions name plain types: they must mean the same when ours have changed."""
    if kind == "type" and isinstance(item, JSON):
        autogen.imports.add("from sqlalchemy.dialects import postgresql")
    return _PLAIN.get(type(item), False) if kind == "type" else False


def ours(_: object, name: str | None, kind: str, *__: object) -> bool:
    """The full-text index, partitions and job queue are made by statements of their own, which no model describes."""
    return not (kind in ("table", "index") and (belongs_to_index(name) or is_partition(name) or _of_queue(name)))


def _of_queue(name: str | None) -> bool:
    return name is not None and (name.startswith("procrastinate_") or name == "queue_migrations")


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=TableModel.metadata,
        include_object=ours,
        compare_type=True,
        compare_server_default=True,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
        render_item=render,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    if context.config.config_file_name is not None:
        fileConfig(context.config.config_file_name, disable_existing_loggers=False)
    url = context.get_x_argument(as_dictionary=True).get("url") or context.config.get_main_option("sqlalchemy.url")
    assert isinstance(url, str)
    with connect(url) as opened:
        run(opened)
