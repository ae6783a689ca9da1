/** Cleans up resources that live as long as a session, such as open connections. */
import { processState } from "./process-state.js";

/** Releases the resources of a session, or all of them if no session is named. */
export type SessionResourceCleanup = (sessionId?: string) => void;

const cleanups = /* @__PURE__ */ processState("session resources", () => new Set<{ run: SessionResourceCleanup }>());

/** Registers a function for {@link cleanupSessionResources}. Returns a function that removes it. */
export function registerSessionResourceCleanup(cleanup: SessionResourceCleanup): () => void {
  // The same function may be registered twice; each registration is removed separately.
  const entry = { run: cleanup };
  cleanups.add(entry);
  return () => {
    cleanups.delete(entry);
  };
}

/**
 * Calls every registered function.
 *
 * @throws AggregateError with all thrown errors, after every function was called
 */
export function cleanupSessionResources(sessionId?: string): void {
  const errors: unknown[] = [];
  for (const { run } of [...cleanups]) {
    try {
      run(sessionId);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "Some resources of the session could not be cleaned up");
}
