import type { EventStore } from "pi-ai/proxy-server";
import { publishStream } from "../event-store/publish-stream.js";
import type { ListenableAgent } from "../serve/run-source.js";
import type { AgUiEvent } from "./ag-ui-event.js";
import { type AgUiStreamOptions, toAgUiStream } from "./to-ag-ui-stream.js";

/**
 * Publishes the next run of an agent to a store. `agUiResponse({ store, runId })` serves it to clients, even after a lost
 * connection and on other web servers. The run continues without a reader; `stopRun(store, runId)` stops it.
 *
 * An interrupt ends what is published. The rest of the run is a run of its own in AG-UI: publish it under another id.
 *
 * @param runId the id of the run in the store. Choose it on the server, because the `runId` of the options comes from the
 * client, which could send the id of another user's run
 * @returns resolves when all events are stored; rejects if the store fails, but the run continues
 *
 * @example
 * publishAgUi(agent, store, id, { threadId, runId, run: () => agent.prompt("Hi") }).catch(console.error);
 */
export function publishAgUi(
  agent: ListenableAgent,
  store: EventStore<AgUiEvent>,
  runId: string,
  options: AgUiStreamOptions,
): Promise<void> {
  return publishStream(agent, toAgUiStream(agent, options), store, runId);
}
