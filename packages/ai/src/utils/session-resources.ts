/** Things that live as long as a session, such as connections that are kept open. */

/** Lets go of what belongs to a session, or of everything where no session is named. */
export type SessionResourceCleanup = (sessionId?: string) => void;

const cleanups = new Set<{ run: SessionResourceCleanup }>();

/** Has a function called by {@link cleanupSessionResources}. Returns a function that takes it out again. */
export function registerSessionResourceCleanup(cleanup: SessionResourceCleanup): () => void {
  // The same function may be registered twice, and each registration ends by itself.
  const entry = { run: cleanup };
  cleanups.add(entry);
  return () => {
    cleanups.delete(entry);
  };
}

/**
 * Calls every registered function.
 *
 * @throws AggregateError with all that was thrown, after the last function was called
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
