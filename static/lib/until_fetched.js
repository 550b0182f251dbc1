// @ts-check
/** Modules that a lost network has kept from the page: asked for again until they come. */

/** Time until the next try. */
const AGAIN_MS = 1000;

/**
 * What is imported, once it can be.
 * @template T
 * @param {() => Promise<T>} fetched
 * @returns {Promise<T>}
 */
export async function untilFetched(fetched) {
  for (;;) {
    try {
      return await fetched();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // a module that cannot run is a fault of ours
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
