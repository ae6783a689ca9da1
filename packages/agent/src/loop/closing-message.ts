/** Creates the final message of a response that was aborted or failed: the streamed content and the reason. */
import type { AssistantMessage, ErrorInfo, ServerToolContent } from "pi-ai";
import { PiError } from "pi-ai/call";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { ABORTED_TEXT, createEmptyResponse } from "./refusal.js";
import { addSideUsage } from "./side-usage.js";

const CUT_OFF_TEXT = "the response ended before the arguments were complete";

/** Ends the open response, or adds an empty one if none is open. */
export async function closeResponse(run: AgentRun, thrown: unknown): Promise<AssistantMessage> {
  const message = await withSideUsage(run, () => createClosingMessage(run, thrown));
  await run.endResponse(message);
  return message;
}

/** Adds what requests beside the conversation used to the message that follows them, once those have ended. */
export function withSideUsage(
  run: AgentRun,
  create: () => AssistantMessage,
): AssistantMessage | Promise<AssistantMessage> {
  return hasSideUsage(run) ? addSideUsage(run, create) : create();
}

export function hasSideUsage({ pendingSide, sideResponses }: AgentRun): boolean {
  return pendingSide.size > 0 || sideResponses.length > 0;
}

/** The message without its events. */
export function createClosingMessage(run: AgentRun, thrown: unknown): AssistantMessage {
  const aborted = run.gate.aborted;
  const failure = {
    stopReason: aborted ? ("aborted" as const) : ("error" as const),
    errorMessage: thrown instanceof OperationAborted ? ABORTED_TEXT : run.describeError(thrown),
    error: aborted ? { kind: "aborted" as const } : toErrorInfo(thrown),
  };
  const partial = run.openResponse;
  if (partial) return { ...partial, content: freezeContent(partial, run.openCalls), ...failure };
  return { ...createEmptyResponse(run.config.model), timestamp: run.now(), ...failure };
}

/** Copies the content, which the stream may still change. A call that was still streaming must never look complete. */
function freezeContent(partial: AssistantMessage, openCalls: ReadonlySet<number>): AssistantMessage["content"] {
  return partial.content.map((block, index) => {
    if (block.type === "serverTool") return freezeServerTool(block);
    if (block.type !== "toolCall") return { ...block };
    const call = { ...block, arguments: cloneArguments(block.arguments) };
    return openCalls.has(index) ? { ...call, argumentsError: call.argumentsError ?? CUT_OFF_TEXT } : call;
  });
}

/** Copies the input, which may be a live view, and ends a tool without a result, because none will arrive. */
function freezeServerTool({ input, status, ...block }: ServerToolContent): ServerToolContent {
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
