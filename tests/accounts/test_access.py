"""Access that endpoints demand, and the principals that have it."""

import pytest

from sprout.accounts.access import ADMIN, ANSWER_KEYS, CALENDAR, IN_PERSON, LEARN, READ, READ_CLASS, SEED, TEACH, Access
from sprout.accounts.principal import LOCAL_LEARNER, SCOPES_OF, AccountRole, Principal, Scope
from sprout.errors import MissingRight, NotSignedIn

DEMANDS = {"read": READ, "learn": LEARN, "seed": SEED, "keys": ANSWER_KEYS, "admin": ADMIN, "person": IN_PERSON,
           "read class": READ_CLASS, "teach": TEACH, "calendar": CALENDAR}  # fmt: skip


def admitted(principal: Principal | None) -> set[str]:
    def may(access: Access) -> bool:
        try:
            return access.admit(principal) is principal
        except MissingRight:
            return False

    return {name for name, access in DEMANDS.items() if may(access)}


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (AccountRole.LEARNER, {"read", "learn", "seed", "calendar", "person"}),
        (AccountRole.TEACHER, {"read", "learn", "seed", "calendar", "person", "keys", "read class", "teach"}),
        (AccountRole.OWNER, set(DEMANDS)),
    ],
)
def test_a_role_has_its_scopes_and_no_more(role: AccountRole, may: set[str]) -> None:
    assert admitted(Principal("someone", role, SCOPES_OF[role])) == may


@pytest.mark.parametrize("scope", Scope)
def test_a_token_has_its_scope_alone_and_never_stands_for_the_person(scope: Scope) -> None:
    may = {
        "read": {"read", "read class"},
        "learn": {"learn"},
        "seed": {"seed", "keys"},
        "admin": {"admin"},
        "calendar": {"calendar"},
    }[scope]
    assert admitted(Principal("someone", AccountRole.OWNER, frozenset({scope}), by_token=True)) == may


def test_a_scope_without_the_role_is_not_enough() -> None:
    assert admitted(Principal("someone", AccountRole.TEACHER, frozenset({Scope.ADMIN}))) == set()


@pytest.mark.parametrize("access", DEMANDS.values(), ids=list(DEMANDS))
def test_nobody_is_admitted_without_signing_in(access: Access) -> None:
    with pytest.raises(NotSignedIn):
        access.admit(None)


def test_the_one_learner_of_a_server_without_sign_in_may_do_everything() -> None:
    assert admitted(LOCAL_LEARNER) == set(DEMANDS)
