"""Stores: the repositories of the database, and the files beside it."""

from dataclasses import dataclass

from sprout.config import Settings
from sprout.documents.splitting.passages import split_into_passages
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.reviews.items import ItemSource
from sprout.models import model_addresses
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.streaming.bus import EventBus
from sprout.store.account.account import SqlAccount
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.assessment.misconceptions import SqlMisconceptions
from sprout.store.assessment.progress import SqlProgressRepository
from sprout.store.assessment.reports import SqlReports
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.engine.database import Database
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.adaptation import SqlAdaptationRepository
from sprout.store.paths.contents import SqlContents
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.left_out import SqlLeftOut
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.question_sets import SqlQuestionSets
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.placement.repository import SqlPlacements
from sprout.store.reviews.flashcards import SqlFlashcards
from sprout.store.reviews.question_imports import SqlQuestionImports
from sprout.store.reviews.repository import SqlReviews
from sprout.store.reviews.variants import SqlVariants
from sprout.store.runs.budget import SqlSpendingRepository
from sprout.store.runs.model_probes import SqlModelProbes
from sprout.store.runs.repository import SqlRunStore


@dataclass(frozen=True, slots=True)
class Stores:
    """The repositories of the database, and the files beside it."""

    runs: SqlRunStore
    paths: SqlPaths
    path_repository: SqlPathRepository
    contents: SqlContents
    exchange: SqlPathExchange
    adaptations: SqlAdaptationRepository
    sources: SqlSources
    left_out: SqlLeftOut
    documents: SqlDocumentQueue
    assessments: SqlAssessments
    answer_keys: SqlAnswerKeys
    gradebook: SqlGradebook
    progress: SqlProgressRepository
    reports: SqlReports
    misconceptions: SqlMisconceptions
    reviews: SqlReviews
    variants: SqlVariants
    placements: SqlPlacements
    flashcards: SqlFlashcards
    question_imports: SqlQuestionImports
    question_sets: SqlQuestionSets
    lessons: SqlLessonRepository
    conversations: SqlConversations
    memories: SqlMemories
    spending: SqlSpendingRepository
    probes: SqlModelProbes
    account: SqlAccount

    async def prepare(self) -> None:
        """Create the default learner, and clean up after a crash."""
        await self.paths.ensure_user(DEFAULT_USER_ID)
        await self.paths.delete_orphaned_files()
        await self.documents.release_all()


def create_stores(
    settings: Settings,
    database: Database,
    bus: EventBus,
    dispatcher: Dispatcher,
    paths: SqlPaths,
    documents: SqlDocumentQueue,
    items: ItemSource,
) -> Stores:
    """All repositories, on one database; `items` are where reviews and placements find their questions."""
    return Stores(
        runs=SqlRunStore(database, bus.publish, dispatcher),
        paths=paths,
        path_repository=SqlPathRepository(database, bus.publish, split=split_into_passages),
        contents=SqlContents(database),
        exchange=SqlPathExchange(database),
        adaptations=SqlAdaptationRepository(database, bus.publish),
        sources=SqlSources(database),
        left_out=SqlLeftOut(database, bus.publish),
        documents=documents,
        assessments=SqlAssessments(database, with_keys=settings.expose_answers),
        answer_keys=SqlAnswerKeys(database, bus.publish),
        gradebook=SqlGradebook(database, bus.publish),
        progress=SqlProgressRepository(database),
        reports=SqlReports(database),
        misconceptions=SqlMisconceptions(database),
        reviews=SqlReviews(database, items),
        variants=SqlVariants(database, bus.publish),
        placements=SqlPlacements(database, items),
        flashcards=SqlFlashcards(database, items),
        question_imports=SqlQuestionImports(database),
        question_sets=SqlQuestionSets(database),
        lessons=SqlLessonRepository(database, bus.publish),
        conversations=SqlConversations(database),
        memories=SqlMemories(database, bus.publish),
        spending=SqlSpendingRepository(database),
        probes=SqlModelProbes(database, model_addresses(settings)),
        account=SqlAccount(database, storage=paths.storage),
    )
