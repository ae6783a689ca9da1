/** The runs of one user in a store that holds those of all. */
import { ConfigError } from "../errors.js";
import { processState } from "../utils/process-state.js";
import type { EventStore } from "./options.js";

/** A view of a store, and what it shows. */
interface Scope {
  store: object;
  owner: string;
}

/** By the view. */
const scopes = /* @__PURE__ */ processState("owned runs", () => new WeakMap<object, Scope>());

/**
 * Returns a view of a store that holds only the runs of one owner: what is published through the view is found through a
 * view of the same owner, and by nobody else. Another owner who has the id of a run gets the answer of a run that does not
 * exist. The store itself keeps the runs of each owner under a digest of the owner's name.
 *
 * @param owner identifies the user, such as an id in your database; never a name that a client chooses
 * @throws ConfigError for an owner that is not a text with at least one character, such as that of a request without a user
 *
 * @example
 * publish(runsOf(store, user.id), runId);
 * createRunResponse(runsOf(store, user.id), runId, { request });
 * stopRun(runsOf(store, user.id), runId);
 */
export function runsOf<TEvent>(store: EventStore<TEvent>, owner: string): EventStore<TEvent> {
  if (typeof owner !== "string" || owner === "")
    throw new ConfigError("The owner of a run must be a text with at least one character");
  let digest: Promise<string> | undefined;
  const idOf = async (runId: string): Promise<string> => {
    digest ??= digestOf(owner);
    return `${await digest}/${runId}`;
  };
  const { has, begin } = store;
  const view: EventStore<TEvent> = {
    append: async (runId, event) => store.append(await idOf(runId), event),
    async *read(runId, fromOffset, signal) {
      yield* store.read(await idOf(runId), fromOffset, signal);
    },
    ...(has && { has: async (runId: string) => has.call(store, await idOf(runId)) }),
    ...(begin && { begin: async (runId: string) => begin.call(store, await idOf(runId)) }),
    end: async (runId) => store.end(await idOf(runId)),
    snapshot: async (runId, offset, event) => store.snapshot(await idOf(runId), offset, event),
  };
  scopes.set(view, { store, owner });
  return view;
}

/** The store behind all views, and the name of a run among the runs of all owners in this process. */
export function resolveRun(view: object, runId: string): { store: object; name: string } {
  const owners: string[] = [];
  let store = view;
  for (let scope = scopes.get(store); scope; scope = scopes.get(store)) {
    owners.push(scope.owner);
    store = scope.store;
  }
  return { store, name: JSON.stringify([...owners, runId]) };
}

/** Owners have names of any length, which may be personal: an address, or a token. */
async function digestOf(owner: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(owner));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
