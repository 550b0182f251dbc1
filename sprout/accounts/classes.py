"""Classes: a teacher, the learners who have joined, and the code with which they do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from pydantic import Field

from sprout.accounts.security_log import Origin
from sprout.errors import Conflict, SproutError
from sprout.events import Wire

ModelSwitch = Literal["on", "local", "off"]
MODEL_SWITCH = (
    "what is asked on the paths that the class was given: the model of the server (`on`), its local one (`local`), or "
    "none (`off`)"
)


class ClassCodeRow(Wire):
    """The code of a class. It is dead once it expires or has no uses left."""

    code: str
    expires_at: str
    uses_left: int


class ClassRow(Wire):
    """A class of the caller's. `code` is null while nobody can join."""

    id: str
    name: str
    created_at: str
    archived_at: str | None
    members: int
    code: ClassCodeRow | None
    model: ModelSwitch = Field(default="on", description=MODEL_SWITCH)


class MemberRow(Wire):
    """A learner of a class."""

    user_id: str
    display_name: str
    joined_at: str
    has_card: bool = Field(description="whether they joined without an account, and so the teacher can make a new card")


class OpenClass(Wire):
    """A class as its code shows it, before one joins."""

    name: str
    teacher: str


class JoinedClass(Wire):
    """A class that the caller has joined. Its teacher sees how far they are, and no conversation."""

    id: str
    name: str
    teacher: str
    joined_at: str
    archived_at: str | None
    model: ModelSwitch = Field(default="on", description=MODEL_SWITCH)
    record_store: str | None = Field(description="host to which it sends what its learners do; null for none")
    sends_names: bool = Field(description="whether their names go there too")


class ClassCodeInvalid(SproutError):
    """A code that expired, was revoked or used up, or never was; or one of a class that takes no more learners."""

    code = "class_code_invalid"

    def __init__(self) -> None:
        super().__init__("This class code isn't right or no longer works. Check it, or ask your teacher for a new one.")


class AlreadyInClass(Conflict):
    """The learner is a member already."""

    code = "already_in_class"

    def __init__(self) -> None:
        super().__init__("You are in this class already.")


class ClassArchived(Conflict):
    """The class is archived: it stays as it is until it is opened again."""

    code = "class_archived"

    def __init__(self) -> None:
        super().__init__("This class is archived. Open it again first.")


class LocalModelMissing(Conflict):
    """A class is to use the local model, and the server has none."""

    code = "local_model_missing"

    def __init__(self) -> None:
        super().__init__(
            "This server has no local model. Whoever runs it can set one up with SPROUT_LOCAL_MODEL and "
            "SPROUT_LOCAL_BASE_URL."
        )


@dataclass(frozen=True, slots=True)
class NewClassCode:
    """A code to be issued; `uses` is how many may join with it."""

    code: str
    expires_at: datetime
    uses: int


class Classes(Protocol):
    """Scoped to the teacher: a class that is missing or another teacher's raises NotFound.

    What changes something raises MissingRight for a user who is no teacher at that moment.
    """

    async def create(self, name: str, *, teacher_id: str) -> ClassRow:
        """Raises TooLarge: the teacher has too many; NotFound: the user has no account."""
        ...

    async def classes(self, teacher_id: str) -> list[ClassRow]:
        """In the order of creation."""
        ...

    async def one(self, class_id: str, *, teacher_id: str) -> ClassRow: ...

    async def change(
        self,
        class_id: str,
        *,
        teacher_id: str,
        name: str | None = None,
        archived: bool | None = None,
        model: ModelSwitch | None = None,
    ) -> ClassRow:
        """Raises LocalModelMissing."""
        ...

    async def delete(self, class_id: str, *, teacher_id: str) -> None:
        """The class goes; what its learners have stays theirs."""
        ...

    async def issue_code(self, class_id: str, new: NewClassCode, *, teacher_id: str) -> ClassRow:
        """Set the code; an earlier one is dead. Raises ClassArchived."""
        ...

    async def revoke_code(self, class_id: str, *, teacher_id: str) -> None: ...

    async def members(self, class_id: str, *, teacher_id: str) -> list[MemberRow]:
        """In the order in which they joined."""
        ...

    async def remove_member(self, class_id: str, learner_id: str, *, teacher_id: str, origin: Origin) -> None:
        """End a membership; what the learner has stays theirs."""
        ...


class Memberships(Protocol):
    """Classes, for those who join them.

    Joining raises ClassCodeInvalid, and TooLarge for a class that is full; then nothing has changed.
    """

    async def find(self, code: str) -> OpenClass:
        """Raises ClassCodeInvalid."""
        ...

    async def join(self, code: str, *, user_id: str, origin: Origin) -> JoinedClass:
        """Raises AlreadyInClass, NotFound: the user has no account."""
        ...

    async def join_anew(self, code: str, nickname: str, card_digest: str, *, origin: Origin) -> str:
        """Make an account with a card, and join; the new user."""
        ...

    async def joined(self, user_id: str) -> list[JoinedClass]:
        """In the order in which the user has joined."""
        ...

    async def leave(self, class_id: str, *, user_id: str, origin: Origin) -> None:
        """End the user's membership. Raises NotFound."""
        ...
