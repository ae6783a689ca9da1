/** One response: it is requested and emitted, or closed here if it was aborted or failed. */
import type { AssistantMessage, ErrorInfo, Model, ServerToolContent } from "pi-ai";
import { createAssistantMessage, PiError, ProtocolError } from "pi-ai/call";
import { OperationAborted } from "../abort-gate.js";
import { isRunStopped } from "../errors.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentRun } from "./agent-run.js";
import { noteChanges } from "./note-changes.js";
import type { OpenResponse } from "./open-response.js";
import { buildRequest, offeredTools } from "./request.js";
import { sendThroughHooks } from "./send-through-hooks.js";
import { sendRequest } from "./stream-reader.js";

/**
 * Requests a response and emits it. After an abort, when a limit refuses the request, or when the stream breaks its contract, the
 * response is closed here. Errors of hooks and of the stream function propagate.
 */
export async function streamAssistantResponse(run: AgentRun): Promise<AssistantMessage> {
  await run.openResponse.letOthersRun();
  run.openResponse.begin(run.settings.config.now && run.now());
  try {
    await run.middleware.beforeRequest?.();
    const tools = offeredTools(run);
    // A step. If nothing stores the run it is `addNote`, then `request`: see direct-steps.ts.
    const responded = await run.steps.respond({
      addNote: (remembered) => noteChanges(run, tools, remembered),
      request: async () => {
        const response = await requestResponse(run, tools);
        await run.sideUsage.waitForPending(run.gate);
        return run.sideUsage.addTo(response, () => run.now());
      },
      // Only the engine of a durable run calls it: in any other run the error propagates.
      close: async (error) => {
        keepStop(run, error);
        await run.sideUsage.waitForPending(run.gate);
        return run.sideUsage.addTo(createClosingMessage(run, error), () => run.now());
      },
    });
    await run.openResponse.letOthersRun();
    const message = run.openResponse.stamp(responded);
    run.events.assertDelivered();
    await run.endResponse(message);
    return message;
  } catch (error) {
    const isLimit = keepStop(run, error);
    const endsAsMessage = isLimit || run.gate.aborted || error instanceof ProtocolError;
    if (run.steps.failure || run.events.closed || !endsAsMessage) throw error;
    return closeResponse(run, error);
  }
}

async function requestResponse(run: AgentRun, tools: AgentContext["tools"]): Promise<AssistantMessage> {
  run.gate.check();
  const built = await buildRequest(run, tools);
  const hasHooks = run.middleware.wrapModelCall || run.middleware.recover;
  return hasHooks ? sendThroughHooks(run, built) : sendRequest(run, built, run.options.streamFn);
}

/** Keeps the reason of a limit that refused the request; false for any other error. */
function keepStop(run: AgentRun, error: unknown): boolean {
  if (!isRunStopped(error)) return false;
  run.ending.stopBecause(error.stop);
  return true;
}

// --- A response that was aborted or failed ends with what was streamed, and the reason.

const ABORTED_TEXT = "Request was aborted";
const CUT_OFF_TEXT = "the response ended before the arguments were complete";

/** Ends the open response, or adds an empty one if none is open. */
export async function closeResponse(run: AgentRun, thrown: unknown): Promise<AssistantMessage> {
  run.steps.catchUp();
  await run.sideUsage.waitForPending(run.gate);
  run.sideUsage.endAll();
  const message = run.sideUsage.addTo(createClosingMessage(run, thrown), () => run.now());
  await run.endResponse(message);
  return message;
}

/** The message without its events. */
function createClosingMessage(run: AgentRun, thrown: unknown): AssistantMessage {
  const { aborted } = run.gate;
  const failure = {
    stopReason: aborted ? ("aborted" as const) : ("error" as const),
    errorMessage: thrown instanceof OperationAborted ? ABORTED_TEXT : run.describeError(thrown),
    error: aborted ? { kind: "aborted" as const } : toErrorInfo(thrown),
  };
  const partial = run.openResponse.partial;
  if (partial)
    return { ...run.openResponse.stamp(partial), content: closeContent(partial, run.openResponse), ...failure };
  return { ...createEmptyResponse(run.settings.config.model), timestamp: run.now(), ...failure };
}

/** A failed response without content. */
export function createEmptyResponse(model: Pick<Model, "api" | "provider" | "id">): AssistantMessage {
  return { ...createAssistantMessage(model), content: [{ type: "text", text: "" }], stopReason: "error" };
}

/** Copies the content, which the stream may still change. A call that was still streaming must never look complete. */
function closeContent(
  partial: AssistantMessage,
  response: Pick<OpenResponse, "isStreaming">,
): AssistantMessage["content"] {
  return partial.content.map((block, index) => {
    if (block.type === "serverTool") return closeServerTool(block);
    if (block.type !== "toolCall") return { ...block };
    const call = { ...block, arguments: cloneArguments(block.arguments) };
    return response.isStreaming(index) ? { ...call, argumentsError: call.argumentsError ?? CUT_OFF_TEXT } : call;
  });
}

/** Copies the input, which may be a live view, and ends a tool without a result, because none will arrive. */
function closeServerTool({ input, status, ...block }: ServerToolContent): ServerToolContent {
  const ended = status === "running" ? "failed" : status;
  return { ...block, status: ended, ...(input && { input: cloneArguments(input) }) };
}

function cloneArguments(value: Record<string, unknown>): Record<string, unknown> {
  try {
    return structuredClone(value);
  } catch {
    // A stream function put something there that cannot be cloned. Such a call is never run, so nothing is lost.
    return {};
  }
}

function toErrorInfo(thrown: unknown): ErrorInfo {
  return PiError.is(thrown) ? thrown.info : { kind: "unknown" };
}
