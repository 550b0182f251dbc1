"""Class budgets on SQL: the limits stand in the class, the spending in the ledger."""

from collections.abc import Callable
from datetime import UTC, datetime

from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, or_, select

from sprout.accounts.class_budgets import BudgetNumbers, ClassBudgetRow, ClassSpendingRow, MoreThanAllowed, Spending
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.events import wire_time
from sprout.runs.budget.arithmetic import CLASS, Amount, Budget, Period, account_of, next_reset
from sprout.store.accounts.teaching import lock_teacher
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.runs.budget import balances_of
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.class_tables import ClassMember, ClassTable


class SqlClassBudgets:
    """ClassBudgets on SQL.

    Args:
        most: what the settings allow each class.
        clock: the time, for the day.
    """

    def __init__(self, database: Database, most: BudgetNumbers, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._most = most
        self._clock = clock

    async def budget(self, class_id: str, *, user_id: str) -> ClassBudgetRow:
        return await self._database.read_orm_tx(
            lambda session: self._row(session, _budgeted_class(session, class_id, user_id))
        )

    async def set_budget(self, class_id: str, numbers: BudgetNumbers, *, user_id: str) -> ClassBudgetRow:
        def body(tx: WriteTransaction) -> ClassBudgetRow:
            _budgeted_class(tx.session, class_id, user_id)
            lock_teacher(tx, user_id)
            found = _budgeted_class(tx.session, class_id, user_id, lock=True)
            for name in BudgetNumbers.model_fields:
                number, most = getattr(numbers, name), getattr(self._most, name)
                if number is not None and most is not None and number > most:
                    raise MoreThanAllowed(to_camel(name), most)
                setattr(found, name, number)
            tx.session.add(found)
            tx.flush()
            return self._row(tx.session, found)

        return await self._database.write_tx(body)

    async def spending(self, *, owner_id: str) -> list[ClassSpendingRow]:
        members = select(func.count()).where(col(ClassMember.class_id) == col(ClassTable.id)).scalar_subquery()
        wanted = (
            select(ClassTable, AccountTable.display_name, members)
            .join(AccountTable, col(AccountTable.user_id) == col(ClassTable.user_id))
            .where(_is_owner(owner_id))
            .order_by(col(ClassTable.creation))
        )

        def read(session: Session) -> list[ClassSpendingRow]:
            found = session.exec(wanted).all()
            accounts = [account_of(CLASS, one.id) for one, _, _ in found]
            balances = balances_of(session.connection(), self._clock().astimezone(UTC).date(), accounts)
            return [
                _spending_row(*row, balances[Budget(account, Period.MONTH)].spent)
                for row, account in zip(found, accounts, strict=True)
            ]

        return await self._database.read_orm_tx(read)

    def _row(self, session: Session, found: ClassTable) -> ClassBudgetRow:
        now, account = self._clock(), account_of(CLASS, found.id)
        balances = balances_of(session.connection(), now.astimezone(UTC).date(), [account])
        return ClassBudgetRow(
            **{name: getattr(found, name) for name in BudgetNumbers.model_fields},
            most=self._most,
            today=_spending(balances[Budget(account, Period.DAY)].spent),
            this_month=_spending(balances[Budget(account, Period.MONTH)].spent),
            day_ends_at=wire_time(next_reset(now, Period.DAY)),
            month_ends_at=wire_time(next_reset(now, Period.MONTH)),
        )


def _spending(amount: Amount) -> Spending:
    return Spending(usd=amount.usd, tokens=amount.tokens)


def _spending_row(found: ClassTable, teacher: str, members: int, spent: Amount) -> ClassSpendingRow:
    return ClassSpendingRow(
        id=found.id,
        name=found.name,
        teacher_id=found.user_id,
        teacher=teacher,
        members=members,
        model=found.model,
        archived_at=None if found.archived_at is None else wire_time(found.archived_at),
        this_month=_spending(spent),
    )


def _is_owner(user_id: str) -> ColumnElement[bool]:
    owners = select(AccountTable.user_id).where(AccountTable.user_id == user_id, AccountTable.role == AccountRole.OWNER)
    return owners.exists()


def _budgeted_class(session: Session, class_id: str, user_id: str, *, lock: bool = False) -> ClassTable:
    """A class of this teacher, or any for an owner. Raises NotFound."""
    may_see = or_(ClassTable.user_id == user_id, _is_owner(user_id))
    wanted = select(ClassTable).where(ClassTable.id == class_id, may_see)
    if lock:
        wanted = wanted.with_for_update(of=ClassTable).execution_options(populate_existing=True)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("class", class_id)
    return found
