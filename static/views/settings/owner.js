// @ts-check
/** Whether the caller runs this server: its owner, or the one learner of a server without sign-in. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../../net/api.js";

export function useIsOwner() {
  const isOwner = useSignal(false);
  useEffect(() => {
    api.caller().then(
      ({ scopes, role }) => {
        isOwner.value = role === "owner" && scopes.includes("admin");
      },
      () => {
        isOwner.value = false; // not reached: the rest of the screen says so
      },
    );
  }, []);
  return isOwner;
}
