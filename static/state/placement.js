// @ts-check
/** State of the placement screen: the open placement of a path or check of a node, and what it found. */

import { batch, signal } from "@preact/signals";
import * as placementsApi from "../net/placements_api.js";
import { pendingActions } from "./pending_actions.js";

/** @import { PlacementSession } from "../types.d.ts" */

const [GONE, CONFLICT] = [404, 409];

/** @typedef {ReturnType<typeof openPlacement>} OpenPlacement */

/** @param {string} branchId @param {string} [nodeId] the node to check; by default the whole path is placed */
export function openPlacement(branchId, nodeId) {
  const session = signal(/** @type {PlacementSession | null} */ (null));
  const loading = signal(true);
  const problem = signal(/** @type {any} */ (null));
  const { busy, refusal, act } = pendingActions(async (error) => {
    if (error.status === CONFLICT && session.value) session.value = await placementsApi.takeUp(session.value.id);
  });
  const remembered = `sprout:check:${nodeId}`;
  let closed = false;

  async function load() {
    loading.value = true;
    try {
      show(await current());
    } catch (error) {
      if (!closed) problem.value = error;
    } finally {
      loading.value = false;
    }
  }

  /** What is open or was found last; a new one where there is nothing yet. */
  async function current() {
    if (nodeId) return (await lastCheck()) ?? placementsApi.start({ nodeId });
    const { openId, lastId } = await placementsApi.overview(branchId);
    const known = openId ?? lastId;
    return known ? placementsApi.takeUp(known) : placementsApi.start({ branchId });
  }

  /** The check that this tab began: a reload shows its outcome and asks nothing anew. */
  async function lastCheck() {
    const id = sessionStorage.getItem(remembered);
    if (!id) return null;
    try {
      return await placementsApi.takeUp(id);
    } catch (error) {
      if (/** @type {any} */ (error).status !== GONE) throw error;
      return null;
    }
  }

  /** @param {PlacementSession} found */
  function show(found) {
    if (closed) return;
    if (nodeId) sessionStorage.setItem(remembered, found.id);
    batch(() => {
      [session.value, problem.value, refusal.value] = [found, null, found.feedback];
    });
  }

  const id = () => session.value?.id ?? "";
  /** @param {string} itemId @param {{ answerText?: string, selectedOption?: string }} given */
  const answer = (itemId, given) => act("answer", async () => show(await placementsApi.answer(id(), itemId, given)));
  /** @param {string} itemId */
  const skip = (itemId) => act("answer", async () => show(await placementsApi.skip(id(), itemId)));
  const finish = () => act("finish", async () => show(await placementsApi.finish(id())));
  const again = () => act("start", async () => show(await placementsApi.start(nodeId ? { nodeId } : { branchId })));
  /** @param {string} node @param {boolean} known */
  const overrule = (node, known) => act(node, async () => show(await placementsApi.overrule(id(), node, known)));

  load();
  return {
    session,
    loading,
    problem,
    busy,
    refusal,
    load,
    answer,
    skip,
    finish,
    again,
    overrule,
    close: () => {
      closed = true;
    },
  };
}
