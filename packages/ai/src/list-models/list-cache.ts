/** Keeps the answers of this process for a while. */

import type { Model } from "../types/model.js";
import { processState } from "../utils/process-state.js";
import type { ServerName } from "./local-lists.js";

/** The models of a server, and which server it is. */
export interface ServerList {
  models: Model[];
  server: ServerName | undefined;
}

interface KeptList {
  at: number;
  list: ServerList;
}

/** Older answers of other servers make room. */
const MAX_LISTS = 32;

const kept = /* @__PURE__ */ processState("model lists", () => new Map<string, KeptList>());

/**
 * A copy of the answer, if there is one that is young enough.
 *
 * @param where the provider, the address and the key
 * @param maxAgeMs 0: never
 */
export function cachedList(where: readonly string[], maxAgeMs: number): ServerList | undefined {
  const found = kept.get(JSON.stringify(where));
  return found && maxAgeMs > 0 && performance.now() - found.at <= maxAgeMs ? structuredClone(found.list) : undefined;
}

/** Keeps a copy: the caller may change its own. */
export function cacheList(where: readonly string[], list: ServerList): void {
  const key = JSON.stringify(where);
  kept.delete(key);
  kept.set(key, { at: performance.now(), list: structuredClone(list) });
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_LISTS) break;
    kept.delete(oldest);
  }
}
