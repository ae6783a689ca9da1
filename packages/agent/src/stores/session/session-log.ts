/** Opens a session as middleware of an agent, whose conversation it holds from then on. */
import { findPausedResponse, pendingRequests } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks } from "../../types/middleware.js";
import type { Pause } from "../../types/pause.js";
import type { OpenSession } from "./open-session.js";
import { createReport, type LogOptions, SessionWriter } from "./session-writer.js";

/**
 * An open session: middleware of the agent, or of the loop, whose conversation it holds. A run must continue what is stored;
 * otherwise it ends with a `SessionLogError` before anything is sent. An agent that has continued it may replace its
 * conversation (`reset()`, assigned messages): the earlier one stays stored, see `replaced`.
 */
export interface SessionLog extends AgentMiddleware {
  /** The conversation that is stored, repaired, for `initialState.messages`. Every tool call has one result. */
  readonly messages: AgentMessage[];
  /** The pause of the stored conversation; undefined if it waits for nothing. */
  readonly pause: Pause | undefined;
  /** Whether the last run before the session was opened was cut off. `agent.resume()` goes on with it. */
  readonly interrupted: boolean;
  /** Sentences for the user about what was repaired, skipped or dropped when the session was opened. */
  readonly notices: readonly string[];
  /** The messages that were accepted by `steer`, `followUp` or `send` and wait for a turn. The agent has them in its queues. */
  readonly queued: AgentMessage[];
  /** Lets the next run replace what is stored, whatever its conversation is. What it replaces stays stored. */
  replace(): void;
  /**
   * Resolves when everything up to now is written. Rejects if it cannot be written, for example on a full disk or because another
   * writer has the session.
   */
  flush(): Promise<void>;
  /** Stops logging, writes the rest, closes the session and releases its lock. */
  close(): Promise<void>;
}

/** {@link LogOptions}, and where the agents that tools run are logged. */
interface OpenedLogOptions extends LogOptions {
  /**
   * Opens the session of a tool call that runs an agent, by the ids of the calls from the run of the log down to it. Undefined if such
   * agents are not logged.
   */
  openChild?: ((calls: readonly string[]) => Promise<OpenSession>) | undefined;
}

/** Reads the session and returns its log. Releases the session if that fails. */
export async function openLog(session: OpenSession, options: OpenedLogOptions): Promise<SessionLog> {
  const { openChild } = options;
  const writer = await SessionWriter.open(session, options);
  const { interrupted, notices } = writer.restored;
  /** The runs that this log holds, and those below them, with the calls that lead there. */
  const runs = new WeakMap<object, readonly string[]>();
  return {
    name: "log",
    inherit: openChild !== undefined,
    inForks: false,
    interrupted,
    notices,
    get messages() {
      return writer.messages;
    },
    get pause() {
      const { messages } = writer;
      return findPausedResponse(messages) && { requests: pendingRequests(messages) };
    },
    get queued() {
      return writer.queued;
    },
    queue: writer.queue,
    replace: () => writer.replace(),
    begin: (run) => {
      const { parent, parentCall } = run;
      const above = parent && runs.get(parent);
      const calls = above && parentCall ? [...above, parentCall.id] : [];
      runs.set(run.root, calls);
      if (!above) return writer.hooksOf(run);
      return openChild && parentCall ? logChild(run, { open: () => openChild(calls), parent: writer }, options) : {};
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}

/** Logs one run of an agent to a session of its own, which is closed at the end of the run. It ends with the parent's, too. */
function logChild(
  run: MiddlewareRun,
  { open, parent }: { open: () => Promise<OpenSession>; parent: SessionWriter },
  options: LogOptions,
): RunHooks {
  let opened: Promise<SessionWriter | undefined> | undefined;
  const { onError = createReport() } = options;
  const openWriter = (): Promise<SessionWriter | undefined> =>
    open()
      .then((session) => SessionWriter.open(session, options))
      .then((writer) => {
        // The call may run again, and a provider may repeat its id. What was there stays stored.
        writer.replace();
        return writer;
      })
      .catch((error) => void onError(error));
  return {
    prepareRequest: (request) => {
      parent.assertStores();
      return request;
    },
    wrapToolCall: async ({ toolCall: { id } }, execute) => {
      await parent.assertMayBegin(id);
      await (await opened)?.assertMayBegin(id);
      return execute();
    },
    onEvent: async (event) => {
      opened ??= openWriter();
      await (await opened)?.take(event, run);
    },
    end: async () => {
      await (await opened)?.close().catch(onError);
    },
  };
}
