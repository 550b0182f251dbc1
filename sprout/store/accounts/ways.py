"""Ways to sign in that an account has, on SQL."""

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, exists, or_, select

from sprout.accounts.ways import LastWay, Ways
from sprout.store.schema.account_tables import AccountTable
from sprout.store.schema.sign_in_tables import LinkedIdentityTable, PasskeyTable


def has_passkey() -> ColumnElement[bool]:
    """Whether the account of a statement has a passkey."""
    return exists().where(col(PasskeyTable.user_id) == col(AccountTable.user_id))


def has_identity(issuer: str | None = None) -> ColumnElement[bool]:
    """Whether the account of a statement is linked to an identity, of this issuer where one is given."""
    found = exists().where(col(LinkedIdentityTable.user_id) == col(AccountTable.user_id))
    return found if issuer is None else found.where(col(LinkedIdentityTable.issuer) == issuer)


def has_way_of_its_own() -> ColumnElement[bool]:
    """Whether the account of a statement has any way to sign in but a card, be it switched on or not."""
    return or_(col(AccountTable.password_hash).is_not(None), has_passkey(), has_identity())


def signs_in_without_card(session: Session, user_id: str) -> bool:
    """Whether the user has a password, a passkey or a linked identity."""
    wanted = select(AccountTable.id).where(AccountTable.user_id == user_id, has_way_of_its_own())
    return session.exec(wanted).first() is not None


def refuse_without_way(session: Session, user_id: str, ways: Ways) -> None:
    """Raises LastWay: with what is left the user could not sign in on a server with these ways."""
    left: list[ColumnElement[bool]] = [col(AccountTable.card_digest).is_not(None)]
    if "password" in ways.methods:
        left.append(col(AccountTable.password_hash).is_not(None))
    if "passkey" in ways.methods:
        left.append(has_passkey())
    if ways.issuer is not None:
        left.append(has_identity(ways.issuer))
    if session.exec(select(AccountTable.id).where(AccountTable.user_id == user_id, or_(*left))).first() is None:
        raise LastWay
