// Types of the API's answers and of the page's state. Nothing here reaches the browser.

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheWriteTokens: number;
  cacheReadTokens: number;
  costUsd: number;
}
export interface Caps {
  iterations: number;
  tokens: number | null;
  costUsd: number | null;
}
export interface Branch {
  id: string;
  title: string;
  userId: string;
  createdAt: string;
  updatedAt: string;
}
export interface NodeRow {
  id: string;
  userId: string;
  type: "root" | "concept" | "subconcept";
  branchId: string | null;
  parentId: string | null;
  title: string;
  desc: string | null;
  accuracyScore: number;
  createdAt: string;
  updatedAt: string;
  reason?: string | null;
}
export interface EdgeEnds {
  sourceNodeId: string;
  targetNodeId: string;
  reason?: string | null;
}
export interface Progress {
  nodeId: string;
  completedAt: string | null;
  masteredAt: string | null;
  masteryScore: number;
  attemptsCount: number;
}
export interface Document {
  id: string;
  originalFilename: string;
  mimeType: string;
  fileSizeBytes: number;
  extractionStatus: "pending" | "completed" | "failed";
  extractionError: string | null;
  extractionCode: string | null;
  retryMayHelp: boolean;
  pages: number | null;
  passages: number;
}
export type RunState = "queued" | "running" | "waiting_on_human" | "completed" | "failed" | "cancelled" | "timed_out";
export interface RunError {
  code: string;
  message: string;
  params?: Record<string, string | number>;
  retryable: boolean;
}
/** The limit at which a run ended. */
export interface ReachedLimit {
  unit: "iterations" | "tokens" | "usd" | "seconds";
  amount: number;
}
export interface Run {
  id: string;
  agent: string;
  label: string;
  state: RunState;
  reason: string | null;
  reachedLimit: ReachedLimit | null;
  lane: string;
  nodeId: string | null;
  branchId: string | null;
  parentId: string | null;
  rootId: string | null;
  model: string;
  offline: boolean;
  small: boolean;
  usage: Usage;
  caps: Caps;
  error: RunError | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  lastEventId: number;
  position: number;
  question: Question | null;
  offers: Offer[];
  resumes: number;
  cutOff: boolean;
  discarded: boolean;
}
export type Offer = "answer" | "resume" | "retry" | "discard" | "cancel";
export interface Question {
  kind: "question" | "permission" | "in_doubt" | "changed" | "context";
  question: string;
  choices: string[] | null;
  why: string;
  tool: string | null;
  input: Record<string, any> | null;
  since: string;
}
export interface Journal {
  objective: string;
  reached: string;
  next: string;
  codes: Record<string, string>;
  params: Record<string, string>;
}
/** A run with what a person needs to take it over. */
export interface RunDetail extends Run {
  ending: string | null;
  transitions: string[];
  journal: Journal | null;
  lastEvents: { seq: number; kind: string; data: Record<string, any> }[];
}
export interface PathSummary {
  branch: Branch;
  rootId: string | null;
  lastActivityAt: string | null;
  activeRunId: string | null;
  lastRun: Run | null;
  concepts: {
    id: string;
    title: string;
    learned: boolean;
    mastered: boolean;
    begun: boolean;
    mastery: number;
    subconceptCount: number;
  }[];
}
export interface GraphAnswer {
  branch: Branch;
  nodes: NodeRow[];
  edges: EdgeEnds[];
  progress: Progress[];
  documents: Document[];
  places: Record<string, Place>;
  /** Ids of the concepts whose diagnostic has nothing to ask. */
  bare: string[];
  /** By node: minutes that its lessons will still take. */
  minutes: Record<string, number>;
  /** By part: how its newest lesson stands. */
  lessons: Record<string, "left" | "over">;
  /** Parts that are due for review. */
  due: string[];
  runs: Run[];
}
export interface Passage {
  id: string;
  documentId: string;
  document: string;
  heading: string | null;
  page: number | null;
  slides: boolean;
  text: string;
}
export interface NodeSources {
  passages: Passage[];
  generalKnowledge: boolean;
}
/** A section of a document that no concept teaches. */
export interface LeftOutSection {
  documentId: string;
  document: string;
  start: number;
  title: string;
  path: string[];
  opening: boolean;
  passageId: string | null;
  page: number | null;
  slides: boolean;
  words: number;
  reason:
    | "exercises"
    | "questions"
    | "quiz"
    | "answers"
    | "glossary"
    | "objectives"
    | "summary"
    | "box"
    | "caption"
    | "contents"
    | "references"
    | "acknowledgements"
    | "licence"
    | "navigation"
    | "index"
    | "links"
    | "furniture"
    | "short"
    | "added_later"
    | "no_room"
    | "not_cited";
}
export interface LeftOut {
  growing: boolean;
  sections: LeftOutSection[];
}
export interface BroughtIn {
  created: boolean;
  concept: NodeRow;
  run: Run | null;
}
/** Of a path: the minutes and dollars of making it; from the smallest to the largest: concepts, minutes of its lessons. */
export interface Estimate {
  minutes: number;
  costUsdLow: number;
  costUsdHigh: number;
  concepts: [number, number];
  lessonMinutes: [number, number];
}
/** What a probe says of a model's fitness for the work of agents. */
export type Fitness = "calls_no_tools" | "small_window" | "answers_in_form" | "one_call_at_a_time" | "fit" | "unknown";
/** A model in use; `probe` is null until it was tested. */
export interface ProbedModel {
  model: string;
  agents: string[];
  fitness: Fitness;
  minutes: number | null;
  probe: { probedAt: string; window: number | null; longPrompt: string | null; tokensPerS: number | null } | null;
}
export interface Status {
  version: string;
  securityLogDays: number;
  localModel: { name: string; server: string } | null;
  model: {
    name: string;
    offline: boolean;
    ready: boolean;
    server: string | null;
    note: string | null;
    keySource: "environment" | "data_folder" | null;
    keyWaitsForRestart: boolean;
  };
  models: Record<string, string>;
  probes: ProbedModel[];
  limits: { uploadMaxBytes: number; uploadMaxFiles: number; uploadTypes: string[] };
  budget: Budgets & { month: Budgets; tightest: TightestBudget | null };
  estimate: { small: Estimate; full: Estimate };
  suggestions: Course[];
}

/** A course that can be chosen by its title; `near` where the topic that was asked for comes close to its name. */
export interface Course {
  title: string;
  desc: string;
  concepts: number;
  near?: boolean;
}

/** The budgets of a day or a month, and when the next one begins. */
export interface Budgets {
  learner: Budget | null;
  deployment: Budget | null;
  freeAt: string;
}

/** The budget of which the largest share is spent; a class pays for the paths that it has given. */
export interface TightestBudget {
  payer: "learner" | "class" | "deployment";
  className: string | null;
  period: "day" | "month";
  unit: "usd" | "tokens";
  spent: number;
  limit: number;
  near: boolean;
  resetsAt: string;
}

/** What a budget allows and what is spent of it; null is without limit. */
export interface Budget {
  spentUsd: number;
  limitUsd: number | null;
  spentTokens: number;
  limitTokens: number | null;
}

/** From `at` on the node was begun and no more, learned, or mastered. */
export interface Turn {
  nodeId: string;
  at: string;
  reached: "begun" | "learned" | "mastered";
}
/** What was done in a quarter of an hour. */
export interface Studied {
  at: string;
  deeds: number;
  seconds: number;
}
export type AnswerMark = "right" | "partly" | "missed";
export interface Begun {
  nodeId: string;
  title: string;
  conceptId: string;
  branchId: string;
  branchTitle: string;
  mastery: number;
  learned: boolean;
  mastered: boolean;
  rightNeeded: number;
  answers: number;
  last: AnswerMark[];
  looksLike: string | null;
}
/** A concept of which something is begun. */
export interface BegunConcept {
  nodeId: string;
  title: string;
  branchId: string;
  branchTitle: string;
  parts: number;
}
/** Recall in the reviews of the last weeks, as predicted and as it came. */
export interface Recall {
  weeks: number;
  needed: number;
  reviews: number;
  predicted: number;
  recalled: number;
  finding: "too_few" | "as_predicted" | "more" | "less";
}
export interface ProgressReport {
  parts: number;
  begun: Begun[];
  concepts: BegunConcept[];
  turns: Turn[];
  studied: Studied[];
  recall: Recall;
  cost: { since: string; usd: number };
}
export interface ImportedQuestions {
  added: number;
  alreadyThere: number;
  leftOutCount: number;
  leftOut: { name: string; code: string; why: string }[];
}
export interface Evidence {
  answerId: string;
  at: string;
  prompt: string;
  format: "mcq" | "open_ended" | "numeric";
  said: string;
  drawn: boolean;
  mark: AnswerMark;
  score: number;
  helpLevel: number;
  criteria: CriterionShown[];
  feedback: string | null;
}
export interface MixUpEvidence {
  answerId: string;
  at: string;
  prompt: string;
  said: string;
  sure: boolean;
}
export interface MixUp {
  id: string;
  statement: string;
  state: "open" | "treated" | "cleared";
  sure: boolean;
  contrast: string | null;
  evidence: MixUpEvidence[];
  clearsFrom: string;
  clearedBy: MixUpEvidence | null;
  relapses: number;
  nodeId: string | null;
  title: string | null;
  conceptId: string | null;
  conceptTitle: string | null;
  branchId: string | null;
  branchTitle: string | null;
}
export interface Memory {
  id: string;
  text: string;
  source: string;
  createdAt: string;
  updatedAt: string;
}

export type Scope = "read" | "learn" | "seed" | "admin" | "calendar";
export interface SignInMethods {
  methods: ("password" | "passkey" | "oidc")[];
  setUp: boolean;
  provider: string;
  recovery: boolean;
}
export interface EmailAddress {
  email: string | null;
  waiting: string | null;
  waitingUntil: string | null;
}
/** What the browser is asked for; its bytes are base64url. */
export interface PasskeyOptions {
  publicKey: any;
}
export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}
export type LinkedIdentity = Passkey;
export interface Account {
  userId: string;
  name: string;
  displayName: string;
  role: "learner" | "teacher" | "owner";
  createdAt: string;
  disabledAt: string | null;
  hasPassword: boolean;
  passkeyAfterPassword: boolean;
}
export interface Caller {
  userId: string;
  role: Account["role"];
  scopes: Scope[];
  account: Account | null;
}
export interface OpenClass {
  name: string;
  teacher: string;
}
export interface JoinedClass extends OpenClass {
  id: string;
  joinedAt: string;
  archivedAt: string | null;
  model: ClassModel;
  recordStore: string | null;
  sendsNames: boolean;
}
export interface JoinedPupil {
  account: Account;
  card: LearnerCard;
}
export interface CopiedPath {
  branchId: string;
  title: string;
  dueOn: string | null;
  givenAt: string;
  className: string;
  teacher: string;
}
export interface PathUpdate {
  version: string;
  className: string;
  teacher: string;
  added: { title: string; desc: string | null; concept: string | null }[];
  described: { nodeId: string; title: string; before: string | null; after: string | null }[];
}
/** What the teacher of a class sees of the caller; the numbers of the row are places of concepts. */
export interface SeenPath {
  givenId: string;
  title: string;
  concepts: string[];
  row: {
    lastActiveAt: string | null;
    due: number;
    studySeconds: number;
    hasCopy: boolean;
    states: ("locked" | "ready" | "in_progress" | "learned" | "mastered" | null)[];
    stuck: number[];
    unsure: number[];
    dueConcepts: number[];
  };
  mixUps: string[];
}
export interface Person extends Account {
  lastSeenAt: string | null;
}
export interface PasswordLink {
  path: string;
  expiresAt: string;
}
export interface SecurityEvent {
  id: string;
  kind: string;
  at: string;
  userId: string | null;
  name: string | null;
  actorId: string | null;
  address: string;
  detail: string | null;
}
export interface AccountSession {
  id: string;
  createdAt: string;
  lastSeenAt: string;
  endsAt: string;
  userAgent: string;
  current: boolean;
}
export interface AccessToken {
  id: string;
  name: string;
  scopes: Scope[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}
export interface NewAccessToken extends AccessToken {
  token: string;
}
/** What is asked on the paths of a class: the model of the server, its local one, or none. */
export type ClassModel = "on" | "local" | "off";
export interface SchoolClass {
  id: string;
  name: string;
  createdAt: string;
  archivedAt: string | null;
  members: number;
  code: ClassCode | null;
  model: ClassModel;
}
export interface BudgetNumbers {
  usdPerDay: number | null;
  usdPerMonth: number | null;
  tokensPerDay: number | null;
  tokensPerMonth: number | null;
}
export interface ClassBudget extends BudgetNumbers {
  most: BudgetNumbers;
  today: { usd: number; tokens: number };
  thisMonth: { usd: number; tokens: number };
}
/** A class as owners see it. */
export interface ClassSpending {
  id: string;
  name: string;
  teacherId: string;
  teacher: string;
  members: number;
  model: ClassModel;
  archivedAt: string | null;
  thisMonth: { usd: number; tokens: number };
}
/** Where a class's statements are sent; its secret is never shown. */
export interface RecordStore {
  endpoint: string;
  key: string;
  names: boolean;
  sent: number;
  waiting: number;
  lastSentAt: string | null;
  nextTryAt: string;
  problem: { code: string; message: string } | null;
}
/** `secret`: null for the one that is kept. */
export interface RecordStoreChange {
  endpoint: string;
  key: string;
  secret: string | null;
  names: boolean;
}
export interface StoreAnswer {
  ok: boolean;
  versions: string[];
  problem: { code: string; message: string } | null;
}
export interface ClassCode {
  code: string;
  expiresAt: string;
  usesLeft: number;
}
export interface ClassMember {
  userId: string;
  displayName: string;
  joinedAt: string;
  hasCard: boolean;
}
/** A card as it is shown this once: words to type, and the path of the address that its QR code has. */
export interface LearnerCard {
  words: string;
  path: string;
}
export interface GivenPath {
  id: string;
  branchId: string;
  title: string;
  dueOn: string | null;
  givenAt: string;
  copies: number;
  waiting: number;
}
/** A learner's row: a state per concept of the path; the other lists are places of concepts. */
export interface ClassLearner {
  userId: string;
  displayName: string;
  lastActiveAt: string | null;
  due: number;
  studySeconds: number;
  hasCopy: boolean;
  states: ("locked" | "ready" | "in_progress" | "learned" | "mastered" | null)[];
  stuck: number[];
  unsure: number[];
  dueConcepts: number[];
}
export interface SentContrast {
  at: string;
  to: number;
}
export interface ClassMixUp {
  id: string;
  statement: string;
  held: number;
  canSend: boolean;
  sent: (SentContrast & { answered: number; cleared: number }) | null;
}
export interface ClassProgress {
  classId: string;
  givenId: string;
  branchId: string;
  title: string;
  dueOn: string | null;
  at: string;
  concepts: { nodeId: string; title: string; stuck: number }[];
  learners: ClassLearner[];
  mixUps: ClassMixUp[];
  activeThisWeek: number;
  stuckSomewhere: number;
}
export interface ConceptReport {
  displayName: string;
  title: string;
  state: ClassLearner["states"][number];
  stuck: boolean;
  unsure: boolean;
  chance: number | null;
  answers: { at: string; prompt: string; outcome: "right" | "partly" | "wrong" | "unmarked"; helped: boolean }[];
}

/** One event of the stream: `seq` is its number in the log, null where it is not kept; the rest is its data. */
export interface RunEvent {
  kind: string;
  seq: number | null;
  agent?: string;
  runId?: string;
  rootId?: string;
  at?: string;
  [field: string]: any;
}

export interface TextEntry {
  type: "text";
  of: "reasoning" | "thinking" | "message";
  blockId: string;
  text: string;
  done: boolean;
}
export interface ToolEntry {
  type: "tool";
  callId: string;
  tool: string;
  input: Record<string, any>;
  at: string | null;
  result: { summary: string; ok: boolean; durationMs: number; attempts: number } | null;
}
export interface NoteEntry {
  type: "retry" | "switched" | "compacted" | "guardrail" | "error" | "asks" | "resumed";
  at: string | null;
  [field: string]: any;
}
export type Entry = TextEntry | ToolEntry | NoteEntry;

export interface Agent {
  runId: string;
  label: string;
  nodeId: string | null;
  model: string | null;
  offline: boolean;
  state: "queued" | "working" | "waiting" | "cut" | "done" | "failed" | "stopped";
  reason: string | null;
  reachedLimit: ReachedLimit | null;
  queuedAt: string | null;
  position: number;
  startedAt: string | null;
  endedAt: string | null;
  asks: { kind: string; tool: string | null; question: string; at: string | null } | null;
  entries: Entry[];
  usage: Usage;
  graded: GradeShown | null;
}
export interface Graph {
  nodes: Record<string, NodeRow>;
  edges: Record<string, EdgeEnds>;
}
export interface Activity {
  rootId: string;
  lane: string | null;
  lastSeq: number;
  agents: Record<string, Agent>;
  usage: Usage;
  caps: Caps | null;
  offline: boolean;
  startedAt: string | null;
  endedAt: string | null;
  lastAt: string | null;
  status: string | null;
  reason: string | null;
  reachedLimit: ReachedLimit | null;
  rationale: string | null;
  /** Names the rationale, where it is in the server's own words. */
  rationaleCode: string | null;
  error: RunError | null;
  graph: Graph;
}
export interface Place {
  x: number;
  layer: number;
}

export interface AskedQuestion {
  id: string;
  assessmentId: string;
  format: "mcq" | "open_ended";
  prompt: string;
  options: string | null;
  difficulty: number;
}
export interface Diagnostic {
  assessment: { id: string; completedAt: string | null };
  questions: AskedQuestion[];
  answeredCount: number;
  requiredAnswers: number;
  isComplete: boolean;
}
export interface CriterionShown {
  label: string;
  verdict: "met" | "partly" | "missing" | null;
  span: string;
}
export type GradeState = "graded" | "self_marked" | "unsure" | "ungraded";
export type Mark = "met" | "partly" | "missing";
/** A learner's verdicts on their own answer, by the ids of its criteria. */
export interface SelfMark {
  verdicts: Record<string, Mark>;
  misconception: string | null;
}
/** What a learner compares their answer with. */
export interface Compared {
  answerId: string;
  yours: string;
  drawn: boolean;
  modelAnswer: string;
  criteria: { id: string; label: string; statement: string }[];
  misconceptions: string[];
}
export interface GradeShown {
  state: GradeState;
  score?: number | null;
  correct?: boolean | null;
  criteria: CriterionShown[];
  nextStep: string;
  cut?: boolean;
}
export interface Answer {
  id: string;
  questionId: string;
  answerText: string | null;
  selectedOption: string | null;
  isCorrect: boolean | null;
  score: number | null;
  feedback: string | null;
  createdAt: string;
  grade?: GradeShown | null;
  skipped: boolean;
  answer: string | null;
  why: string | null;
  passage: Passage | null;
  compare?: Compared | null;
}
export interface ChangedRows {
  nodes: NodeRow[];
  edges: EdgeEnds[];
}
export interface Change {
  id: string;
  parentId: string;
  by: "learner" | "agent";
  agent: string | null;
  runId: string | null;
  reason: string | null;
  before: ChangedRows;
  after: ChangedRows;
  createdAt: string;
  undoneBy: string | null;
  undoes: string | null;
}
export interface ChatSession {
  id: string;
  nodeId: string | null;
  startedAt: string;
  endedAt: string | null;
}
export interface ChatMessage {
  id: string;
  role: "system" | "user" | "assistant";
  kind: "learning" | "hint_request" | "hint_response" | "evaluation";
  content: string;
  createdAt: string;
  citations: Citation[];
  attempt: Attempt | null;
  reading: Reading | null;
}
/** What is to be read before a question; `settledBy`, pieces of `text`, comes with the answer. */
export interface Reading extends Citation {
  text: string;
  ownWords: boolean;
  settledBy: string[];
}
/** A passage of the learner's documents, and its place. */
export interface Citation {
  passageId: string;
  documentId: string;
  document: string;
  heading: string | null;
  page: number | null;
  slides: boolean;
}
/** That words were an attempt: the help before it, and what was found in them. */
export interface Attempt {
  questionId: string;
  answerId: string;
  helpLevel: number;
  gap: boolean;
  state: GradeState;
  score: number | null;
  correct: boolean | null;
  criteria: CriterionShown[];
  nextStep: string | null;
  answer: string | null;
  why: string | null;
}
export type AnswerType = "text" | "code" | "draw" | "mcq";
export interface Checkpoint {
  id: string;
  prompt: string;
  type: AnswerType;
  options: string[] | null;
  form: AnswerForm;
  gap: boolean;
  help: string[];
  attempts: number;
  compare: Compared | null;
  reading: Reading | null;
}
export interface Card {
  id: string;
  kind: "example" | "exercise" | "diagram" | "care";
  title: string;
  format: "markdown" | "mermaid" | "svg";
  body: string;
}
/** What is open in a lesson, and how far it has come. */
export interface Lesson {
  question: Checkpoint | null;
  reading: Reading | null;
  helpLevel: number;
  plan: string[];
  chunk: number;
  asked: number[];
  mastery: number;
  evidence: number;
  needed: number;
  completed: boolean;
  mastered: boolean;
  masteredFrom: string | null;
  graded: GradeShown | null;
  cards: Card[];
}
export interface RetentionCost {
  retention: number;
  reviewsPerDay: number;
  minutesPerDay: number;
}
export interface TodayPath {
  branch: Branch;
  leaves: string;
  parts: number;
  learnedToday: number;
  missedToday: number;
  next: NextAction;
  placement: PlacementOverview | null;
}
/** The learner's day. */
export interface Today {
  date: string;
  minutes: number;
  timeZone: string | null;
  begun: boolean;
  done: boolean;
  due: ReviewsDue;
  next: NextAction;
  day: {
    minutes: number;
    reviewed: number;
    recalled: number;
    missed: string[];
    learned: { nodeId: string; title: string; branchId: string; reviewedAt: string | null }[];
  };
  week: {
    days: { date: string; minutes: number }[];
    parts: number;
    paths: { branchId: string; title: string; parts: number }[];
    reviewed: number;
    recalled: number;
  };
  cleared: string[];
  tomorrow: { date: string; reviews: number; minutes: number };
  paths: TodayPath[];
  morePaths: number;
}
/** What the learner does next; the fields after `branch` are null where the kind has none. */
export interface NextAction {
  kind: "review" | "lesson" | "answer" | "growing" | "grow" | "done" | "none";
  branch: Branch | null;
  concept: NodeRow | null;
  node: NodeRow | null;
  minutes: number | null;
  why: "started" | "builds_on" | "follows" | "first" | "in_order" | "again" | null;
  because: string[];
  opens: string[];
  learned: number | null;
  parts: number | null;
  runId: string | null;
  reviews: { count: number; minutes: number; here: number; sessionId: string | null } | null;
}
export interface Reply {
  message: string;
  isComplete: boolean;
  runId: string | null;
}

export interface PlacementOverview {
  branchId: string;
  questions: number;
  minutes: number;
  openId: string | null;
  lastId: string | null;
}
/** What a learner is to write or choose. */
export type AnswerForm = "choice" | "number" | "term" | "words";
export interface PlacementQuestion {
  itemId: string;
  questionId: string;
  nodeId: string;
  title: string;
  concept: string;
  prompt: string;
  type: "text" | "mcq";
  form: AnswerForm;
  options: string[] | null;
}
export interface PlacedNode {
  nodeId: string;
  conceptId: string;
  title: string;
  concept: string;
  placed: "known" | "ready" | "later";
  found: boolean;
  said: boolean | null;
  asked: number;
}
export interface PlacementSession {
  id: string;
  branchId: string;
  kind: "path" | "node";
  nodeId: string | null;
  title: string | null;
  startedAt: string;
  endedAt: string | null;
  answered: number;
  questions: number;
  minutesLeft: number;
  question: PlacementQuestion | null;
  outcome: "placed" | "confirmed" | "not_confirmed" | null;
  nodes: PlacedNode[];
  feedback: string | null;
}

export type ReviewGrade = "again" | "hard" | "good" | "easy";
export type ReviewMark = "right" | "partly" | "not_yet" | "not_known" | "unread" | "to_compare";
export interface ReviewsDue {
  due: number;
  today: number;
  minutes: number;
  days: number;
  doneToday: number;
  cards: number;
  nextAt: string | null;
  sessionId: string | null;
  paths: { branchId: string; title: string; due: number; minutes: number }[];
}
export interface ReviewQuestion {
  itemId: string;
  questionId: string;
  nodeId: string;
  conceptId: string | null;
  branchId: string | null;
  title: string;
  concept: string;
  path: string;
  prompt: string;
  type: "text" | "mcq" | "code" | "draw";
  form: AnswerForm;
  options: string[] | null;
  comesBack: boolean;
  covers: string[];
}
export interface ReviewResult {
  itemId: string;
  questionId: string;
  nodeId: string | null;
  conceptId: string | null;
  branchId: string | null;
  title: string;
  prompt: string;
  mark: ReviewMark;
  said: string;
  options: string[] | null;
  answer: string | null;
  why: string | null;
  feedback: string | null;
  criteria: CriterionShown[];
  passage: Passage | null;
  compare: Compared | null;
  grade: ReviewGrade | null;
  fits: ReviewGrade | null;
  choices: { grade: ReviewGrade; dueAt: string }[];
  comesBack: boolean;
  seconds: number;
  sure: boolean;
  contrast: string | null;
}
export interface ReviewSession {
  id: string;
  startedAt: string;
  endedAt: string | null;
  done: number;
  total: number;
  recalled: number;
  minutesLeft: number;
  segments: { id: string; state: "waiting" | "current" | "answered" | "skipped"; comesBack: boolean }[];
  question: ReviewQuestion | null;
  comparing: ReviewResult | null;
  nextAt: string | null;
}
export interface ReviewReply {
  result: ReviewResult;
  session: ReviewSession;
}
export interface ReviewSettings {
  minutes: number;
  retention: number;
  timeZone: string | null;
  dayStartsAt: number;
}

export type Decision = "right" | "partly" | "not_yet" | "drop";
export interface DeskCriterion {
  label: string;
  statement: string;
  verdict: "met" | "partly" | "missing" | null;
  span: string;
  sure: number;
}
export interface DeskItem {
  id: string;
  kind: "disagrees" | "unsure" | "flagged";
  path: string;
  concept: string;
  prompt: string;
  format: "mcq" | "open_ended" | "numeric";
  options: string[];
  modelAnswer: string;
  criteria: DeskCriterion[];
  answer: string | null;
  drawn: boolean;
  compared: boolean;
  mark: "right" | "partly" | "missed" | null;
  sure: number | null;
  doubts: string[];
  feedback: string | null;
  contested: boolean;
  outcome: "wrong" | "held" | "unsettled" | null;
  reason: string | null;
  helped: boolean;
  at: string;
}
export interface DeskPage {
  items: DeskItem[];
  more: boolean;
  decided: number;
}
export interface DeskLearner {
  userId: string;
  displayName: string;
}
export interface DeskDecision {
  id: string;
  decision: Decision;
  decidedAt: string;
  undoUntil: string;
  dropped: number;
}
export interface TeacherDecision {
  id: string;
  decision: Decision;
  prompt: string;
  said: string | null;
  branchId: string | null;
  nodeId: string | null;
  className: string | null;
  decidedAt: string;
  seen: boolean;
}
export interface Concern {
  id: string;
  learnerId: string;
  displayName: string;
  at: string;
  seenAt: string | null;
}
export interface Concerns {
  concerns: Concern[];
  whatToDo: string;
  careText: string | null;
}
export interface LessonShare {
  classId: string;
  className: string;
  teacher: string;
  sharedAt: string;
}
export interface SharedLesson {
  sessionId: string;
  learnerId: string;
  displayName: string;
  topic: string | null;
  startedAt: string;
  sharedAt: string;
}
export interface SharedMessage {
  role: "system" | "user" | "assistant";
  content: string;
  at: string;
}
