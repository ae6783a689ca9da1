/** Sends one request to the model. */
import type { AssistantMessage } from "pi-ai";
import type { ModelRequest } from "../types/model-request.js";
import type { AgentRun } from "./agent-run.js";
import { type ResponseRun, readResponse } from "./response-stream.js";

/**
 * Sends a request, emits the response as it arrives, and returns it. Not an async function, which would cost every
 * response a few turns of the microtask queue.
 */
export function sendRequest(
  { gate, streamFn }: Pick<AgentRun, "gate" | "streamFn">,
  { model, context, options }: ModelRequest,
  run: ResponseRun,
): Promise<AssistantMessage> {
  return readResponse(() => gate.wait(streamFn(model, context, options)), run);
}
