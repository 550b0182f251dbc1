"""Access: the rights that an endpoint demands of its caller."""

from dataclasses import dataclass

from sprout.accounts.principal import AccountRole, Principal, Scope, signed_in
from sprout.errors import MissingRight

ANY_ROLE = frozenset(AccountRole)
TEACHERS = frozenset({AccountRole.TEACHER, AccountRole.OWNER})


@dataclass(frozen=True, slots=True)
class Access:
    """Rights that an endpoint demands of its caller.

    Args:
        scope: the scope that the caller must have; None: no sign-in is needed.
        roles: one of which the caller must have.
        in_person: whether tokens are refused, however many scopes they have.
    """

    scope: Scope | None
    roles: frozenset[AccountRole] = ANY_ROLE
    in_person: bool = False

    def admit(self, principal: Principal | None) -> Principal:
        """The caller, who may. Raises NotSignedIn, MissingRight."""
        caller = signed_in(principal)
        has_scope = self.scope is None or self.scope in caller.scopes
        if not has_scope or caller.role not in self.roles or (self.in_person and caller.by_token):
            raise MissingRight
        return caller


PUBLIC = Access(None)
READ = Access(Scope.READ)
LEARN = Access(Scope.LEARN)
CALENDAR = Access(Scope.CALENDAR)
SEED = Access(Scope.SEED)
ANSWER_KEYS = Access(Scope.SEED, TEACHERS)
READ_CLASS = Access(Scope.READ, TEACHERS)
TEACH = Access(Scope.LEARN, TEACHERS, in_person=True)
ADMIN = Access(Scope.ADMIN, frozenset({AccountRole.OWNER}))
ADMIN_IN_PERSON = Access(Scope.ADMIN, frozenset({AccountRole.OWNER}), in_person=True)
IN_PERSON = Access(Scope.LEARN, in_person=True)
