"""Classes of the caller, who is a teacher: their codes, their learners, and the learners' cards."""

from datetime import timedelta

from starlette.responses import Response

from sprout.accounts.cards import card_digest, new_card
from sprout.accounts.class_budgets import BudgetNumbers
from sprout.accounts.class_codes import new_class_code
from sprout.accounts.classes import NewClassCode
from sprout.clock import utc_now
from sprout.web.handlers.accounts.sign_in import origin_of
from sprout.web.http.dependencies import AccountRepositories
from sprout.web.http.endpoint import Call, json_list_response, json_response, no_content
from sprout.web.schemas.class_requests import ClassBudget, ClassChange, ClassCodeRequest, NewClass, PathGift
from sprout.web.schemas.class_responses import CardRow
from sprout.web.schemas.requests import NoFields


async def list_classes(call: Call[AccountRepositories]) -> Response:
    """The caller's classes, in the order of creation."""
    return json_list_response(await call.dependencies.classes.classes(call.user_id))


async def create_class(call: Call[AccountRepositories, NoFields, NewClass]) -> Response:
    """201 with the new class, which has no code yet."""
    return json_response(await call.dependencies.classes.create(call.body.name, teacher_id=call.user_id), 201)


async def get_class(call: Call[AccountRepositories]) -> Response:
    """One class."""
    return json_response(await call.dependencies.classes.one(call.id, teacher_id=call.user_id))


async def change_class(call: Call[AccountRepositories, NoFields, ClassChange]) -> Response:
    """The class, renamed, archived or opened again, with or without a model."""
    asked = call.body
    changed = await call.dependencies.classes.change(
        call.id, teacher_id=call.user_id, name=asked.name, archived=asked.archived, model=asked.model
    )
    return json_response(changed)


async def get_budget(call: Call[AccountRepositories]) -> Response:
    """The budget of a class, and what is spent of it."""
    return json_response(await call.dependencies.class_budgets.budget(call.id, user_id=call.user_id))


async def set_budget(call: Call[AccountRepositories, NoFields, ClassBudget]) -> Response:
    """The budget as it is now; 400 where it is above what the settings allow each class."""
    numbers = BudgetNumbers.model_validate(call.body.model_dump(by_alias=True))
    return json_response(await call.dependencies.class_budgets.set_budget(call.id, numbers, user_id=call.user_id))


async def delete_class(call: Call[AccountRepositories]) -> Response:
    """204 once the class is gone; its learners have what they had."""
    await call.dependencies.classes.delete(call.id, teacher_id=call.user_id)
    return no_content()


async def issue_code(call: Call[AccountRepositories, NoFields, ClassCodeRequest]) -> Response:
    """201 with the class and its new code; the one before is dead."""
    asked = call.body
    new = NewClassCode(new_class_code(), utc_now() + timedelta(days=asked.days), asked.uses)
    return json_response(await call.dependencies.classes.issue_code(call.id, new, teacher_id=call.user_id), 201)


async def revoke_code(call: Call[AccountRepositories]) -> Response:
    """204 once nobody can join any more."""
    await call.dependencies.classes.revoke_code(call.id, teacher_id=call.user_id)
    return no_content()


async def list_members(call: Call[AccountRepositories]) -> Response:
    """The learners of a class, in the order in which they joined."""
    return json_list_response(await call.dependencies.classes.members(call.id, teacher_id=call.user_id))


async def remove_member(call: Call[AccountRepositories]) -> Response:
    """204 once the learner is in the class no more; what they have stays theirs."""
    await call.dependencies.classes.remove_member(
        call.id, call.ids["learner_id"], teacher_id=call.user_id, origin=origin_of(call)
    )
    return no_content()


async def list_given_paths(call: Call[AccountRepositories]) -> Response:
    """The paths that are given to a class."""
    return json_list_response(await call.dependencies.given_paths.given(call.id, teacher_id=call.user_id))


async def give_path(call: Call[AccountRepositories, NoFields, PathGift]) -> Response:
    """201 with the path and how many learners have their own copy by now, or 200 where it was given already.

    Where `waiting` is not 0, the others are made within minutes, or can't be: a learner has too many paths.
    """
    asked, needs = call.body, call.dependencies
    given, is_new = await needs.given_paths.give(call.id, asked.branch_id, due_on=asked.due_on, teacher_id=call.user_id)
    await needs.path_giver.give_now(class_id=call.id)
    now = await needs.given_paths.given(call.id, teacher_id=call.user_id)
    return json_response(next((one for one in now if one.id == given.id), given), 201 if is_new else 200)


async def withdraw_path(call: Call[AccountRepositories]) -> Response:
    """204 once no more copies are made; those that there are stay their learners'."""
    await call.dependencies.given_paths.withdraw(call.id, call.ids["given_id"], teacher_id=call.user_id)
    return no_content()


async def create_card(call: Call[AccountRepositories]) -> Response:
    """201 with a new card of a learner, shown this once; the one before is void, and their sessions have ended."""
    words = new_card()
    await call.dependencies.cards.renew(
        call.id, call.ids["learner_id"], card_digest(words), teacher_id=call.user_id, origin=origin_of(call)
    )
    return json_response(CardRow.of(words), 201)
