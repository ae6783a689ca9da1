/** One response: it is requested and emitted, or closed here if it was aborted or failed. */
import type { AssistantMessage, ErrorInfo, ServerToolContent } from "pi-ai";
import { PiError, ProtocolError } from "pi-ai/call";
import type { RunStop } from "../types/event.js";
import type { ModelRequest } from "../types/hooks.js";
import { isPending, OperationAborted } from "./abort-gate.js";
import { type AgentRun, directSteps } from "./agent-run.js";
import { prepareRequest } from "./prepare-request.js";
import { ABORTED_TEXT, createEmptyResponse } from "./refusal.js";
import { sendRequest } from "./response-stream.js";
import { isRunStopped } from "./run-stopped.js";

/**
 * Requests a response and emits it. After an abort, or when the stream breaks its contract, the response is closed here.
 * Errors of hooks and of the stream function propagate.
 */
export async function respond(run: AgentRun): Promise<AssistantMessage> {
  run.beginResponse();
  try {
    const begun = run.middleware.beforeRequest?.();
    if (begun) await begun;
    const requested = run.steps === directSteps ? request(run) : requestInStep(run);
    const response = isPending(requested) ? await requested : requested;
    const message = run.side.isEmpty ? response : await withSideUsage(run, () => response);
    run.assertDelivered();
    const delivered = run.endResponse(message);
    if (delivered) await delivered;
    return message;
  } catch (error) {
    const stopped = noteStop(run, error);
    const isResponse = stopped || run.gate.aborted || error instanceof ProtocolError;
    if (run.steps.failure || run.closed || !isResponse) throw error;
    return closeResponse(run, error);
  }
}

/** Returns whether a limit refused the request, and keeps the reason. */
function noteStop(run: AgentRun, error: unknown): boolean {
  if (!isRunStopped(error)) return false;
  run.stop = error.stop;
  return true;
}

/** An earlier process has received the response, which says what requests beside it have used, or was refused the request. */
function noteRepeated(run: AgentRun, message: AssistantMessage, stop: RunStop | undefined): void {
  run.stop = stop;
  run.side.clear();
  run.middleware.onRemembered?.(message, stop !== undefined);
}

/** Requests the response unless an earlier process of a durable run has received it. */
function requestInStep(run: AgentRun): Promise<AssistantMessage> {
  return run.steps.respond(() => requestToStore(run), {
    close: (error) => {
      noteStop(run, error);
      return withSideUsage(run, () => createClosingMessage(run, error));
    },
    stop: () => run.stop,
    onRemembered: (remembered, stop) => noteRepeated(run, remembered, stop),
  });
}

async function requestToStore(run: AgentRun): Promise<AssistantMessage> {
  run.isStoring = run.steps.stores;
  run.side.tellRemembered(run.middleware);
  try {
    const response = await request(run);
    return await withSideUsage(run, () => response);
  } finally {
    run.isStoring = false;
  }
}

/** Sends the request and shows its progress. Returns a promise only if there is something to wait for. */
function request(run: AgentRun): AssistantMessage | Promise<AssistantMessage> {
  run.gate.check();
  const prepared = prepareRequest(run);
  return isPending(prepared) ? prepared.then((built) => send(run, built)) : send(run, prepared);
}

function send(run: AgentRun, built: ModelRequest): AssistantMessage | Promise<AssistantMessage> {
  const isWrapped = run.config.wrapModelCall || run.middleware.recover;
  return isWrapped ? sendThroughHooks(run, built) : sendRequest(run, built, run);
}

let wrapped: typeof import("./send-wrapped.js") | undefined;

function sendThroughHooks(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  // Kept, because even the import of a loaded module would take longer than the rest of a turn.
  return wrapped ? wrapped.sendWrapped(run, request) : loadAndSend(run, request);
}

async function loadAndSend(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  wrapped = await run.gate.wait(import("./send-wrapped.js"));
  return wrapped.sendWrapped(run, request);
}

// --- A response that was aborted or failed ends with what was streamed, and the reason.

const CUT_OFF_TEXT = "the response ended before the arguments were complete";

/** Ends the open response, or adds an empty one if none is open. */
export async function closeResponse(run: AgentRun, thrown: unknown): Promise<AssistantMessage> {
  run.side.tellRemembered(run.middleware);
  await run.releaseResults();
  const message = await withSideUsage(run, () => createClosingMessage(run, thrown));
  await run.endResponse(message);
  return message;
}

/** The message without its events. */
function createClosingMessage(run: AgentRun, thrown: unknown): AssistantMessage {
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

/** Names what requests beside the conversation used in the message that follows them. */
function withSideUsage(run: AgentRun, create: () => AssistantMessage): Promise<AssistantMessage> {
  return run.side.nameIn(create, run.gate, () => run.now());
}
