// @ts-check
/** Requests of a teacher about classes: learners, codes, given paths, progress. */

import { post, put, request, send } from "./api.js";

/**
 * @import {
 *   BudgetNumbers, ClassBudget, ClassMember, ClassModel, ClassProgress, ConceptReport, GivenPath, LearnerCard, RecordStore,
 *   RecordStoreChange, SchoolClass, SentContrast, StoreAnswer
 * } from "../types.d.ts"
 */

const at = encodeURIComponent;
/** @param {string} classId */
const of = (classId) => `/classes/${at(classId)}`;
/** @param {string} path @returns {Promise<null>} */
const remove = (path) => request(path, { method: "DELETE" });

/** @returns {Promise<SchoolClass[]>} */
export const classes = () => request("/classes");
/** @param {string} name @returns {Promise<SchoolClass>} */
export const createClass = (name) => post("/classes", { name });
/** @param {string} classId @returns {Promise<SchoolClass>} */
export const oneClass = (classId) => request(of(classId));
/** @param {string} classId @param {{ name?: string, archived?: boolean, model?: ClassModel }} change @returns {Promise<SchoolClass>} */
export const changeClass = (classId, change) => send("PATCH", of(classId), change);
/** @param {string} classId */
export const deleteClass = (classId) => remove(of(classId));

/** @param {string} classId @param {{ days: number, uses: number }} asked @returns {Promise<SchoolClass>} */
export const issueCode = (classId, asked) => post(`${of(classId)}/code`, asked);
/** @param {string} classId */
export const revokeCode = (classId) => remove(`${of(classId)}/code`);

/** @param {string} classId @returns {Promise<ClassBudget>} */
export const budget = (classId) => request(`${of(classId)}/budget`);
/** @param {string} classId @param {BudgetNumbers} numbers @returns {Promise<ClassBudget>} */
export const setBudget = (classId, numbers) => put(`${of(classId)}/budget`, numbers);

/** @param {string} classId @returns {Promise<ClassMember[]>} */
export const members = (classId) => request(`${of(classId)}/learners`);
/** @param {string} classId @param {string} learnerId */
export const removeMember = (classId, learnerId) => remove(`${of(classId)}/learners/${at(learnerId)}`);
/** @param {string} classId @param {string} learnerId @returns {Promise<LearnerCard>} */
export const newCard = (classId, learnerId) => post(`${of(classId)}/learners/${at(learnerId)}/card`, {});

/** @param {string} classId @returns {Promise<GivenPath[]>} */
export const givenPaths = (classId) => request(`${of(classId)}/paths`);
/** @param {string} classId @param {string} branchId @param {string | null} dueOn @returns {Promise<GivenPath>} */
export const givePath = (classId, branchId, dueOn) => post(`${of(classId)}/paths`, { branchId, dueOn });
/** @param {string} classId @param {string} givenId */
export const withdrawPath = (classId, givenId) => remove(`${of(classId)}/paths/${at(givenId)}`);

/** @param {string} classId @param {string} givenId @returns {Promise<ClassProgress>} */
export const progress = (classId, givenId) => request(`${of(classId)}/paths/${at(givenId)}/progress`);
/** @param {string} classId @param {string} givenId */
export const progressTableUrl = (classId, givenId) => `/api${of(classId)}/paths/${at(givenId)}/progress.csv`;
/** @param {string} classId @param {string} givenId */
export const statementsUrl = (classId, givenId) => `/api${of(classId)}/paths/${at(givenId)}/xapi`;
/** @param {string} classId @returns {Promise<RecordStore | null>} */
export const recordStore = (classId) => request(`${of(classId)}/lrs`);
/** @param {string} classId @param {RecordStoreChange} change @returns {Promise<RecordStore>} */
export const setRecordStore = (classId, change) => put(`${of(classId)}/lrs`, change);
/** @param {string} classId @param {RecordStoreChange} change @returns {Promise<StoreAnswer>} */
export const testRecordStore = (classId, change) => post(`${of(classId)}/lrs/test`, change);
/** @param {string} classId */
export const removeRecordStore = (classId) => remove(`${of(classId)}/lrs`);
/** @param {string} classId @param {string} learnerId @param {string} nodeId @returns {Promise<ConceptReport>} */
export const conceptReport = (classId, learnerId, nodeId) =>
  request(`${of(classId)}/learners/${at(learnerId)}/concepts/${at(nodeId)}`);
/** @param {string} classId @param {{ givenId: string, mixUpId: string }} asked @returns {Promise<SentContrast>} */
export const sendContrast = (classId, asked) => post(`${of(classId)}/contrasts`, asked);
