import type { EventStore } from "pi-ai/proxy-server";
import { publishStream } from "../event-store/publish-stream.js";
import type { ListenableAgent } from "../serve/run-source.js";
import { toUIMessageStream, type UIStreamOptions } from "./to-ui-message-stream.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/**
 * Publishes the next run of an agent to a store. `uiMessageResponse({ store, runId })` serves it to pages, even after a
 * reload and on other web servers. The run continues without a reader; `stopRun(store, runId)` stops it.
 *
 * @returns resolves when everything is stored; rejects if the store fails, but the run continues
 *
 * @example
 * publishUIMessages(agent, store, runId, { run: () => agent.prompt("Hi") }).catch(console.error);
 */
export function publishUIMessages(
  agent: ListenableAgent,
  store: EventStore<UIMessageChunk>,
  runId: string,
  options: UIStreamOptions = {},
): Promise<void> {
  return publishStream(agent, toUIMessageStream(agent, options), store, runId);
}
